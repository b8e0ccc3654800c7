package conformance_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
)

// callKind is a kind of key of drawn calls: a kind of the other tests, whose keys lie on the whole
// line, or one of keys as programs have them, made of small values.
type callKind[K sorter.Key] struct {
	keyKind[K]
	width   int                // of the line, in bits; 0: keys are made of values
	numbers func([]K) quantile // nil: there are no quantiles
}

// drawnKind is a callKind whose type of key is hidden.
type drawnKind interface {
	drawColumn(n int, of columnDraw) drawnColumn
	info() kindInfo
}

// quantile is Quantiles of keys that are numbers, of all and of each partition.
type quantile struct {
	float func(row int) float64
	all   func(n int, qs []float64, opts ...sorter.Option) ([]float64, error)
	per   func(n int, qs []float64, partition []sorter.Column[int], opts ...sorter.Option) ([]float64, []uint32, error)
}

func quantilesOf[K number](keys []K) quantile {
	return quantile{
		float: func(row int) float64 { return float64(keys[row]) },
		all: func(n int, qs []float64, opts ...sorter.Option) ([]float64, error) {
			return sorter.Quantiles(keys[:n], qs, opts...)
		},
		per: func(n int, qs []float64, partition []sorter.Column[int], opts ...sorter.Option) ([]float64, []uint32, error) {
			return interpolatedPer(keys[:n], qs, partition, opts...)
		},
	}
}

func onLine[K sorter.Key](k keyKind[K], width int, numbers func([]K) quantile) callKind[K] {
	return callKind[K]{k, width, numbers}
}

func ofValues[K sorter.Key](name string, of func(v uint64) K, special []K, order func(oracle.Order) func(a, b K) int, numbers func([]K) quantile) callKind[K] {
	return callKind[K]{keyKind: keyKind[K]{name: name, of: of, special: special, order: order}, numbers: numbers}
}

// intKinds are drawn more often than the others: most thresholds are of their codes.
var intKinds = []drawnKind{
	onLine(signed[int]("int", bits.UintSize, true), bits.UintSize, quantilesOf[int]),
	onLine(signed[int8]("int8", 8, true), 8, quantilesOf[int8]),
	onLine(signed[int16]("int16", 16, true), 16, quantilesOf[int16]),
	onLine(signed[int32]("int32", 32, true), 32, quantilesOf[int32]),
	onLine(signed[int64]("int64", 64, true), 64, quantilesOf[int64]),
	onLine(unsigned[uint8]("uint8", 8, true), 8, quantilesOf[uint8]),
	onLine(unsigned[uint16]("uint16", 16, true), 16, quantilesOf[uint16]),
	onLine(unsigned[uint32]("uint32", 32, true), 32, quantilesOf[uint32]),
	onLine(unsigned[uint64]("uint64", 64, true), 64, quantilesOf[uint64]),
}

// drawnKinds are all others, with floats.
var drawnKinds = []drawnKind{
	onLine(keyKindNamed[bool]("bool"), 1, nil),
	onLine(keyKindNamed[answer]("flag"), 1, nil),
	onLine(keyKindNamed[time.Duration]("time.Duration"), 64, quantilesOf[time.Duration]),
	onLine(keyKindNamed[uint]("uint"), bits.UintSize, quantilesOf[uint]),
	onLine(keyKindNamed[uintptr]("uintptr"), bits.UintSize, quantilesOf[uintptr]),
	onLine(keyKindNamed[float32]("float32"), 32, quantilesOf[float32]),
	onLine(keyKindNamed[float64]("float64"), 64, quantilesOf[float64]),
	onLine(keyKindNamed[celsius]("celsius float64"), 64, quantilesOf[celsius]),
	onLine(keyKindNamed[string]("string"), 64, nil),
	onLine(keyKindNamed[string]("string, shared prefix"), 64, nil),
	onLine(keyKindNamed[string]("string, NULs"), 64, nil),
	onLine(keyKindNamed[label]("label string"), 64, nil),
	onLine(keyKindNamed[[]byte]("[]byte"), 64, nil),
	onLine(keyKindNamed[blob]("blob []byte"), 64, nil),
	onLine(keyKindNamed[[2]float32]("[2]float32"), 64, nil),
	onLine(keyKindNamed[[3]float32]("[3]float32"), 64, nil),
	onLine(keyKindNamed[sorter.Float4]("Float4"), 64, nil),
	onLine(keyKindNamed[[16]byte]("[16]byte"), 64, nil),
	onLine(keyKindNamed[uuid]("uuid [16]byte"), 64, nil),
	onLine(keyKindNamed[mac]("mac [6]byte"), 48, nil),
	onLine(keyKindNamed[[20]byte]("[20]byte"), 64, nil),
	onLine(keyKindNamed[netip.Addr]("netip.Addr"), 64, nil),
	onLine(keyKindNamed[netip.Addr]("netip.Addr, IPv4"), 32, nil),
	onLine(keyKindNamed[sorter.Int128]("Int128"), 64, nil),
	onLine(keyKindNamed[sorter.Uint128]("Uint128"), 64, nil),
	onLine(keyKindNamed[time.Time]("time.Time"), 64, nil),
	onLine(keyKindNamed[time.Time]("time.Time, one second"), 64, nil),
	onLine(keyKindNamed[time.Time]("time.Time, all years"), 64, nil),

	ofValues("float64 price", func(v uint64) float64 { return float64(v%1e9) / 100 }, specialFloats64(), oracle.Ordered[float64], quantilesOf[float64]),
	ofValues("float64 gain", func(v uint64) float64 { return float64(int64(v%1e6)-500) / 100 }, specialFloats64(), oracle.Ordered[float64], quantilesOf[float64]),
	ofValues("float32 number", func(v uint64) float32 { return float32(v % 1e9) }, specialFloats32(), oracle.Ordered[float32], quantilesOf[float32]),
	ofValues("int64 timestamp", func(v uint64) int64 { return 1_700_000_000_000_000_000 + int64(v%1e12)*1000 }, []int64{0, -1}, oracle.Ordered[int64], quantilesOf[int64]),
	ofValues("string number", func(v uint64) string { return fmt.Sprint(v) }, specialStrings(), oracle.Ordered[string], nil),
	ofValues("string path", func(v uint64) string { return fmt.Sprintf("/srv/data/customers/%04d/orders/%09d", v>>6, v) }, specialStrings(), oracle.Ordered[string], nil),
	ofValues("string depth", func(v uint64) string { return strings.Repeat("deep/", int(v%40)) + fmt.Sprint(v>>4) }, specialStrings(), oracle.Ordered[string], nil),
	ofValues("string of NULs", func(v uint64) string { return strings.Repeat("\x00", int(v%20)) }, specialStrings(), oracle.Ordered[string], nil),
	ofValues("[]byte word", func(v uint64) []byte { return fmt.Append(nil, "word", v) }, specialBytes(), oracle.Bytes[[]byte], nil),
	longTexts(7), longTexts(8), longTexts(9), longTexts(23), longTexts(24), longTexts(25), longTexts(128), longTexts(1023), longTexts(1025), longTexts(4100),
	fixedBytes(1), fixedBytes(3), fixedBytes(8), fixedBytes(12), fixedBytes(16), fixedBytes(20),
	ofValues("Int128 decimal", func(v uint64) sorter.Int128 { return sorter.Int128{Hi: -int64(v & 1), Lo: v * 100} }, specialInt128s(), oracle.Int128, nil),
	ofValues("time.Time ms", func(v uint64) time.Time { return time.UnixMilli(1_700_000_000_000 + int64(v%1e12)) }, specialTimes(), oracle.Times, nil),
}

// keyKindNamed returns the kind of the other tests of this name.
func keyKindNamed[K sorter.Key](name string) keyKind[K] {
	for _, k := range keyKinds {
		if k, ok := k.(keyKind[K]); ok && k.name == name {
			return k
		}
	}
	panic("no kind " + name)
}

// longTexts are texts that share their first bytes, one in eight of them a byte less. There are few
// different ones if they are long.
func longTexts(shared int) callKind[string] {
	prefix, most := strings.Repeat("shared/", shared/7+1)[:shared], uint64(8<<20/shared)
	all := map[uint64]string{}
	of := func(v uint64) string {
		v %= most
		if _, ok := all[v]; !ok {
			all[v] = prefix[:shared-int(v%8/7)] + fmt.Sprint(v)
		}
		return all[v]
	}
	return ofValues(fmt.Sprintf("string after %d bytes", shared), of, []string{"", prefix, prefix[1:], prefix + prefix}, oracle.Ordered[string], nil)
}

// fixedBytes are texts of one width, as FixedBinary takes.
func fixedBytes(width int) callKind[fixedText] {
	of := func(v uint64) fixedText {
		b := binary.BigEndian.AppendUint64(make([]byte, 32), v)
		return fixedText(b[len(b)-width:])
	}
	special := []fixedText{fixedText(make([]byte, width)), fixedText(strings.Repeat("\xff", width)), of(1 << 40), of(255)}
	return ofValues(fmt.Sprintf("%d bytes", width), of, special, oracle.Ordered[fixedText], nil)
}

// fixedText is the type of texts that all have one width.
type fixedText string

// keysDrawn is what keys were made of.
type keysDrawn struct {
	name   string
	shape  string
	line   string
	values []uint64 // numbers of the shape, which the keys have the ties of or more
}

// drawKeys draws n keys.
func (k callKind[K]) drawKeys(n int, of columnDraw) ([]K, keysDrawn) {
	r := of.Rand
	span, s := drawSpan(n, r), drawShape(of)
	if of.aim != nil {
		s, span = of.aim.shape(n, of.ends, r)
	}
	if wanted, is := of.wantedShape(); is {
		s = wanted
	}
	values := s.draw(n, span, r)
	d := keysDrawn{fmt.Sprintf("%s %s of %d", k.name, s.name, span), s.name, "values", values}
	if k.width > 0 {
		l := lines[r.IntN(len(lines))]
		if of.aim != nil { // the order and the number of values are those of the shape
			if l = lines[[]int{0, 2, 3}[r.IntN(3)]]; of.ends {
				l = lines[[]int{0, 0, 2, 2, 5, 6}[r.IntN(6)]]
			}
		}
		if wanted, is := of.wantedLine(); is {
			l = wanted
		}
		highest := ^uint64(0) >> (64 - k.width)
		values = mapped(values, func(v uint64) uint64 { return l.at(min(v, span-1), span, highest) << (64 - k.width) })
		d.line = l.name
		d.name += " " + l.name
	}
	keys := mapped(values, k.of)
	few := max(1, n/3) // of which a sample has none, so that it says the same with them
	each := []int{0, 0, 0, 0, 0, 0, 0, 0, 2, 20, few, 1}[r.IntN(12)]
	if of.aim != nil && each != few {
		each = 0
	}
	if of.ends && each == 0 && r.IntN(3) == 0 {
		each = few
	}
	if each > 0 && len(k.special) > 0 {
		k.sprinkle(keys, each, r)
		d.name += fmt.Sprintf(", one in %d special", each)
	}
	return keys, d
}

// drawKind draws a kind of key.
func drawKind(r *rand.Rand) drawnKind {
	if r.IntN(2) == 0 {
		return intKinds[r.IntN(len(intKinds))]
	}
	return drawnKinds[r.IntN(len(drawnKinds))]
}

// asTexts returns keys that are texts as strings, nil if they are not.
func asTexts[K sorter.Key](keys []K) []string {
	switch keys := any(keys).(type) {
	case []string:
		return keys
	case []fixedText:
		return retyped[string](keys)
	case []label:
		return retyped[string](keys)
	case [][]byte:
		return mapped(keys, func(b []byte) string { return string(b) })
	}
	return nil
}

// isFloat reports whether keys are floats or vectors of them, whose ties may differ in bits.
func isFloat[K sorter.Key]() bool {
	t := reflect.TypeFor[K]()
	if t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
}

// isString reports whether keys are strings.
func isString[K sorter.Key]() bool { return reflect.TypeFor[K]().Kind() == reflect.String }
