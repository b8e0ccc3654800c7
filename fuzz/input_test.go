package fuzz

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// expand repeats the bytes of data until there are about want of them. Copies
// differ from each other where mask has bits, so that few fuzz bytes reach the
// tables, buckets and ties of large sorts: mask 0 gives duplicates, mask 1 keys
// that differ in their lowest bits, 0xff random keys.
func expand(data []byte, want int, mask byte) []byte {
	if len(data) == 0 || len(data) >= want {
		return data
	}
	out := slices.Grow(slices.Clone(data), want-len(data))
	state := uint64(len(data)) + uint64(mask)<<32
	for i := len(data); i < want; i++ {
		state = state*6364136223846793005 + 1442695040888963407
		out = append(out, data[i%len(data)]^byte(state>>56)&mask)
	}
	return out
}

// elements returns how many elements the header byte size asks for: up to 64
// one by one, then a few thousand, and now and then as many as it takes to meet
// every path of the library. Few sizes are large, because a fuzzer learns
// more from many small inputs.
func elements(size byte) int {
	large := []int{8191, 8192, 8193, 16_384, 32_769, 40_000, 65_537, 100_000}
	switch first := 256 - len(large); {
	case int(size) >= first && testkit.ThinnedByRace(1): // as many goroutines sort fewer
		return min(20_000, large[int(size)-first])
	case int(size) >= first:
		return large[int(size)-first]
	case size >= 64:
		return int(64 * math.Exp2(float64(size-64)/32))
	}
	return int(size)
}

// decoder reads keys of one type from bytes.
type decoder[K any] struct {
	width int // bytes per key, about
	next  func(data []byte) (K, []byte)
}

// decode returns up to n keys from data.
func (d decoder[K]) decode(data []byte, n int) []K {
	keys := make([]K, 0, n)
	for len(keys) < n && len(data) > 0 {
		var k K
		k, data = d.next(data)
		keys = append(keys, k)
	}
	return keys
}

// fixed decodes keys of width bytes; the last one is padded with zeros.
func fixed[K any](width int, of func(b []byte) K) decoder[K] {
	return decoder[K]{width, func(data []byte) (K, []byte) {
		if len(data) < width {
			data = append(slices.Clone(data), make([]byte, width-len(data))...)
		}
		return of(data[:width:width]), data[width:]
	}}
}

// texts decodes strings: a byte for the length and, now and then, a shared
// prefix, then as many bytes.
func texts[K any](of func(b []byte) K) decoder[K] {
	const prefix = "a prefix of 24 bytes or\x00"
	return decoder[K]{8, func(data []byte) (K, []byte) {
		n := min(int(data[0]%24), len(data)-1)
		text := data[1 : 1+n : 1+n]
		if data[0] >= 128 {
			text = append([]byte(prefix[:data[0]%25]), text...)
		}
		return of(text), data[1+n:]
	}}
}

func le16(b []byte) uint16 { return binary.LittleEndian.Uint16(b) }
func le32(b []byte) uint32 { return binary.LittleEndian.Uint32(b) }
func le64(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func float(b []byte) float32 { return math.Float32frombits(le32(b)) }

// instant decodes times of all years and locations.
func instant(b []byte) time.Time {
	t := time.Unix(int64(le64(b)), int64(le32(b[8:])%1_000_000_000))
	if b[12]&1 == 1 {
		t = t.In(time.FixedZone("", int(b[12])*60))
	}
	return t
}

type celsius float64

// kind is a type of key as the targets meet it, its type hidden.
type kind interface {
	set(data []byte, n int) keySet
	bytes() int // per key, about
}

type kindOf[K sorter.Key] struct {
	decoder decoder[K]
	order   func(oracle.Order) func(a, b K) int
}

func (k kindOf[K]) bytes() int { return k.decoder.width }

func (k kindOf[K]) set(data []byte, n int) keySet {
	return &keysOf[K]{k.decoder.decode(data, n), k.order}
}

// address decodes an address: its version and the length of its zone, its number, and a byte that the zone repeats.
func address(b []byte) netip.Addr {
	switch b[0] % 4 {
	case 0:
		return netip.Addr{}
	case 1:
		return netip.AddrFrom4([4]byte(b[1:]))
	}
	return netip.AddrFrom16([16]byte(b[1:])).WithZone(strings.Repeat(string(b[17:18]), int(b[0]>>2)%20))
}

// kinds is every encoder of the library; a fuzz byte selects one.
var kinds = []kind{
	kindOf[uint32]{fixed(4, le32), oracle.Ordered[uint32]},
	kindOf[int64]{fixed(8, func(b []byte) int64 { return int64(le64(b)) }), oracle.Ordered[int64]},
	kindOf[float32]{fixed(4, float), oracle.Ordered[float32]},
	kindOf[float64]{fixed(8, func(b []byte) float64 { return math.Float64frombits(le64(b)) }), oracle.Ordered[float64]},
	kindOf[string]{texts(func(b []byte) string { return string(b) }), oracle.Ordered[string]},
	kindOf[[]byte]{texts(func(b []byte) []byte { return b }), oracle.Bytes[[]byte]},
	kindOf[bool]{fixed(1, func(b []byte) bool { return b[0]&1 == 1 }), oracle.Bools[bool]},
	kindOf[int8]{fixed(1, func(b []byte) int8 { return int8(b[0]) }), oracle.Ordered[int8]},
	kindOf[uint16]{fixed(2, le16), oracle.Ordered[uint16]},
	kindOf[int16]{fixed(2, func(b []byte) int16 { return int16(le16(b)) }), oracle.Ordered[int16]},
	kindOf[int32]{fixed(4, func(b []byte) int32 { return int32(le32(b)) }), oracle.Ordered[int32]},
	kindOf[uint64]{fixed(8, le64), oracle.Ordered[uint64]},
	kindOf[[2]float32]{fixed(8, func(b []byte) [2]float32 { return [2]float32{float(b), float(b[4:])} }), oracle.Floats[[2]float32]},
	kindOf[[3]float32]{fixed(12, func(b []byte) [3]float32 { return [3]float32{float(b), float(b[4:]), float(b[8:])} }), oracle.Floats[[3]float32]},
	kindOf[sorter.Float4]{fixed(16, func(b []byte) sorter.Float4 {
		return sorter.Float4{float(b), float(b[4:]), float(b[8:]), float(b[12:])}
	}), oracle.Floats[sorter.Float4]},
	kindOf[[16]byte]{fixed(16, func(b []byte) [16]byte { return [16]byte(b) }), oracle.Bytes16[[16]byte]},
	kindOf[time.Time]{fixed(13, instant), oracle.Times},
	kindOf[celsius]{fixed(8, func(b []byte) celsius { return celsius(math.Float64frombits(le64(b))) }), oracle.Ordered[celsius]},
	kindOf[sorter.Int128]{fixed(16, func(b []byte) sorter.Int128 { return sorter.Int128{Lo: le64(b), Hi: int64(le64(b[8:]))} }), oracle.Int128},
	kindOf[sorter.Uint128]{fixed(16, func(b []byte) sorter.Uint128 { return sorter.Uint128{Lo: le64(b), Hi: le64(b[8:])} }), oracle.Uint128},
	kindOf[[5]byte]{fixed(5, func(b []byte) [5]byte { return [5]byte(b) }), oracle.ByteArrays[[5]byte]},
	kindOf[[28]byte]{fixed(28, func(b []byte) [28]byte { return [28]byte(b) }), oracle.ByteArrays[[28]byte]},
	kindOf[netip.Addr]{fixed(18, address), oracle.Addrs},
}

// draw makes the keys that four header bytes and data stand for.
func draw(kind, size, mask byte, data []byte) keySet {
	k, n := kinds[int(kind)%len(kinds)], elements(size)
	return k.set(expand(data, n*k.bytes(), mask), n)
}

// keySet is keys of one type, which is hidden: the verbs of the library on
// elements that are positions and have these keys.
type keySet interface {
	len() int
	text(i int) any
	compare(o oracle.Order) func(a, b int) int
	sort(s []int, opts ...sorter.Option) error
	argsort(s []int, opts ...sorter.Option) (perm.Perm, error)
	topK(s []int, k int, opts ...sorter.Option) error
	merge(dst, a, b []int, opts ...sorter.Option) error
	mergeRuns(dst []int, runs [][]int, opts ...sorter.Option) error
	isSorted(s []int, opts ...sorter.Option) bool
	by(o oracle.Order, lying int) sorter.Column[int]
	sortKeys(want []int, opts ...sorter.Option) (diff string, err error)
	sortPairs(values []int, opts ...sorter.Option) (diff string, err error)
}

type keysOf[K sorter.Key] struct {
	keys  []K
	order func(oracle.Order) func(a, b K) int
}

func (s *keysOf[K]) key(i int) K    { return s.keys[i] }
func (s *keysOf[K]) len() int       { return len(s.keys) }
func (s *keysOf[K]) text(i int) any { return s.keys[i] }

func (s *keysOf[K]) compare(o oracle.Order) func(a, b int) int {
	compare := s.order(o)
	return func(a, b int) int { return compare(s.keys[a], s.keys[b]) }
}

func (s *keysOf[K]) sort(e []int, opts ...sorter.Option) error { return sorter.Sort(e, s.key, opts...) }

func (s *keysOf[K]) argsort(e []int, opts ...sorter.Option) (perm.Perm, error) {
	return sorter.Order(e, s.key, opts...)
}

func (s *keysOf[K]) topK(e []int, k int, opts ...sorter.Option) error {
	return sorter.TopK(e, k, s.key, opts...)
}

func (s *keysOf[K]) merge(dst, a, b []int, opts ...sorter.Option) error {
	return sorter.Merge(dst, [][]int{a, b}, s.key, opts...)
}

func (s *keysOf[K]) mergeRuns(dst []int, runs [][]int, opts ...sorter.Option) error {
	return sorter.Merge(dst, runs, s.key, opts...)
}

func (s *keysOf[K]) isSorted(e []int, opts ...sorter.Option) bool {
	return sorter.IsSorted(e, s.key, opts...)
}

// by returns the column of the keys by a function, or in memory in one of the ways that keys of the
// type may lie.
func (s *keysOf[K]) by(o oracle.Order, lying int) sorter.Column[int] {
	c := sorter.Asc(s.key)
	if o.Desc {
		c = sorter.Desc(s.key)
	}
	switch _, texts := any(s.keys).([]string); {
	case lying%4 == 2 && !texts && o.Desc:
		c = sorter.DescOf(s.keys)
	case lying%4 == 2 && !texts:
		c = sorter.AscOf(s.keys)
	case lying > 0:
		keys := s.lie(lying, rand.New(rand.NewPCG(uint64(lying), uint64(len(s.keys)))))
		if c = keys.Asc(); o.Desc {
			c = keys.Desc()
		}
	}
	switch o.NaNs {
	case oracle.First:
		return c.NaNsFirst()
	case oracle.Last:
		return c.NaNsLast()
	case oracle.Total:
		return c.TotalOrder()
	}
	return c
}

// lie returns the keys in memory.
func (s *keysOf[K]) lie(lying int, r *rand.Rand) sorter.Keys {
	var texts []string
	switch keys := any(s.keys).(type) {
	case []string:
		texts = keys
	case [][]byte:
		for _, key := range keys {
			texts = append(texts, string(key))
		}
	case [][16]byte:
		if lying%2 != 0 {
			var data []byte
			for i := range keys {
				data = append(data, keys[i][:]...)
			}
			return sorter.FixedBinary(data, 16)
		}
	}
	switch {
	case len(texts) == 0, lying%4 == 0:
		return sorter.Chunks(testkit.Cut(s.keys, r))
	case lying%4 == 1:
		data, offsets := testkit.ArenaOf[int64](texts)
		return sorter.Arena(data, offsets)
	case lying%4 == 2:
		views, buffers := testkit.ViewsOf(texts, func(int) bool { return false }, r)
		return sorter.Views(views, buffers...)
	}
	var parts []sorter.Keys
	for _, some := range testkit.Cut(texts, r) {
		data, offsets := testkit.ArenaOf[int32](some)
		parts = append(parts, sorter.Arena(data, offsets))
	}
	return sorter.Concat(parts...)
}

// sortKeys sorts a copy of the keys and names the first that is not that of
// the positions want, bit for bit.
func (s *keysOf[K]) sortKeys(want []int, opts ...sorter.Option) (string, error) {
	keys, sorted := slices.Clone(s.keys), make([]K, len(want))
	for i, at := range want {
		sorted[i] = s.keys[at]
	}
	err := sorter.SortKeys(keys, opts...)
	return oracle.Diff(keys, sorted, oracle.Same[K]), err
}

// sortPairs sorts a copy of the keys with values, their positions, and names the first
// key that is not that of the value beside it, bit for bit.
func (s *keysOf[K]) sortPairs(values []int, opts ...sorter.Option) (string, error) {
	keys, beside := slices.Clone(s.keys), make([]K, len(values))
	err := sorter.SortPairs(keys, values, opts...)
	for i, at := range values {
		beside[i] = s.keys[at]
	}
	return oracle.Diff(keys, beside, oracle.Same[K]), err
}

// orderOf returns an order; placed means that NaNs have a place whatever the direction.
func orderOf(desc, placed, first bool) oracle.Order {
	o := oracle.Order{Desc: desc}
	switch {
	case placed && first:
		o.NaNs = oracle.First
	case placed:
		o.NaNs = oracle.Last
	}
	return o
}

// options turns fuzz bits into options and the order that they ask for.
func options(bits byte) (oracle.Order, []sorter.Option) {
	o := orderOf(bits&1 != 0, bits&2 != 0, bits&128 != 0)
	opts := []sorter.Option{sorter.Stable(), sorter.Workers([]int{1, 2, 3, 5}[bits>>2&3])}
	if o.Desc {
		opts = append(opts, sorter.Descending())
	}
	switch o.NaNs {
	case oracle.First:
		opts = append(opts, sorter.NaNsLast(), sorter.NaNsFirst()) // the last wins
	case oracle.Last:
		opts = append(opts, sorter.NaNsLast())
	}
	var algorithms []sorter.Algorithm
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if backend.Runs(a) {
			algorithms = append(algorithms, a)
		}
	}
	opts = append(opts, sorter.Use(algorithms[int(bits>>4)%len(algorithms)]))
	if backend != sorter.CPU() { // which is the choice without On, too
		opts = append(opts, sorter.On(backend))
	}
	return o, opts
}

// backend is the engine under test; builds may have another one.
var backend = sorter.CPU()

func ascending(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// sorted returns the positions 0 … n-1 in order, ties as they were.
func sorted(n int, compare func(a, b int) int) []int {
	return resorted(ascending(n), compare)
}

// resorted returns a sorted copy of s, ties as they were.
func resorted(s []int, compare func(a, b int) int) []int {
	s = slices.Clone(s)
	testkit.SortStable(s, compare)
	return s
}

// arranged returns the positions 0 … n-1 as the upper fuzz bits ask for: as
// they are, in order, in reverse, or in order except for a few: the layouts that are
// detected.
func arranged(bits byte, n int, compare func(a, b int) int) []int {
	if bits>>6 == 0 {
		return ascending(n)
	}
	s := sorted(n, compare)
	switch bits >> 6 {
	case 2:
		slices.Reverse(s)
	case 3:
		for i := 0; i < n; i += 100 {
			j := i * 7919 % n
			s[i], s[j] = s[j], s[i]
		}
	}
	return s
}

func check[T comparable](t *testing.T, what string, err error, got, want []T) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if d := oracle.Diff(got, want, func(a, b T) bool { return a == b }); d != "" {
		t.Fatalf("%s: %s", what, d)
	}
}

// checkPermuted fails t unless s holds every position below n once.
func checkPermuted(t *testing.T, what string, s []int, n int) {
	t.Helper()
	s = slices.Sorted(slices.Values(s))
	check(t, what+": not a permutation", nil, s, ascending(n))
}

func ints(p perm.Perm) []int {
	s := make([]int, len(p))
	for i, v := range p {
		s[i] = int(v)
	}
	return s
}

// withoutWays switches off the ways that a hash of an input draws: none for half of the inputs.
func withoutWays(input ...byte) (restore func()) {
	h := fnv.New32a()
	h.Write(input)
	drawn := h.Sum32()
	if drawn%2 == 0 {
		return func() {}
	}
	return ways.SwitchOff(ways.Set(drawn*0x9e3779b1) & ways.All)
}
