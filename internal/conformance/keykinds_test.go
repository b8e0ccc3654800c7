package conformance_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Named key types: a key function may return any of them.
type (
	answer  bool
	grade   int16
	celsius float64
	label   string
	blob    []byte
	uuid    [16]byte
	mac     [6]byte
	point   [2]float32
)

// keyKind is a type of key, how tests draw keys of it, and its order.
type keyKind[K sorter.Key] struct {
	name    string
	of      func(v uint64) K // monotone: v < w never gives a key above that of w
	special []K              // edge values
	order   func(oracle.Order) func(a, b K) int
	large   bool // representative of its encoder: also sorted at large sizes
}

// keyCase is a keyKind whose key type is hidden, so that the tests compile
// once and not once per type.
type keyCase interface {
	Name() string
	isLarge() bool
	draw(input string, n int, seed uint64) keySet
	edges() keySet
	monotone(t *testing.T)
}

func (k keyKind[K]) Name() string { return k.name }

func (k keyKind[K]) isLarge() bool { return k.large }

// keyKinds is every type in sorter.Key, several under more than one
// distribution of their values, and named types of most.
var keyKinds = []keyCase{
	keyKind[bool]{name: "bool", of: func(v uint64) bool { return v>>63 == 1 }, special: []bool{true, false}, order: oracle.Bools[bool]},
	keyKind[answer]{name: "flag", of: func(v uint64) answer { return v>>63 == 1 }, special: []answer{true, false}, order: oracle.Bools[answer]},

	signed[int]("int", bits.UintSize, true),
	signed[int8]("int8", 8, true),
	signed[int16]("int16", 16, true),
	signed[int32]("int32", 32, true),
	signed[int64]("int64", 64, true),
	signed[grade]("grade int16", 16, false),
	signed[time.Duration]("time.Duration", 64, false),
	unsigned[uint]("uint", bits.UintSize, false),
	unsigned[uint8]("uint8", 8, false),
	unsigned[uint16]("uint16", 16, false),
	unsigned[uint32]("uint32", 32, true),
	unsigned[uint64]("uint64", 64, true),
	unsigned[uintptr]("uintptr", bits.UintSize, false),

	keyKind[float32]{name: "float32", of: float32Of, special: specialFloats32(), order: oracle.Ordered[float32], large: true},
	keyKind[float64]{name: "float64", of: float64Of, special: specialFloats64(), order: oracle.Ordered[float64], large: true},
	keyKind[celsius]{name: "celsius float64", of: func(v uint64) celsius { return celsius(float64Of(v)) },
		special: retyped[celsius](specialFloats64()), order: oracle.Ordered[celsius]},

	keyKind[string]{name: "string", of: shortString, special: specialStrings(), order: oracle.Ordered[string], large: true},
	keyKind[string]{name: "string, shared prefix", of: prefixedString, special: specialStrings(), order: oracle.Ordered[string], large: true},
	keyKind[string]{name: "string, NULs", of: nulString, special: specialStrings(), order: oracle.Ordered[string]},
	keyKind[label]{name: "label string", of: func(v uint64) label { return label(decimal(v)) },
		special: retyped[label](specialStrings()), order: oracle.Ordered[label]},
	keyKind[[]byte]{name: "[]byte", of: func(v uint64) []byte { return []byte(shortString(v)) }, special: specialBytes(), order: oracle.Bytes[[]byte], large: true},
	keyKind[blob]{name: "blob []byte", of: func(v uint64) blob { return blob(prefixedString(v)) }, special: retyped[blob](specialBytes()), order: oracle.Bytes[blob]},

	keyKind[[2]float32]{name: "[2]float32", of: float2Of, special: specialVectors(float2Of, 2), order: oracle.Floats[[2]float32], large: true},
	keyKind[[3]float32]{name: "[3]float32", of: float3Of, special: specialVectors(float3Of, 3), order: oracle.Floats[[3]float32], large: true},
	keyKind[[4]float32]{name: "[4]float32", of: float4Of, special: specialVectors(float4Of, 4), order: oracle.Floats[[4]float32], large: true},
	keyKind[sorter.Float4]{name: "Float4", of: func(v uint64) sorter.Float4 { return float4Of(v) },
		special: retyped[sorter.Float4](specialVectors(float4Of, 4)), order: oracle.Floats[sorter.Float4]},
	keyKind[point]{name: "point [2]float32", of: func(v uint64) point { return float2Of(v) },
		special: retyped[point](specialVectors(float2Of, 2)), order: oracle.Floats[point]},

	keyKind[[16]byte]{name: "[16]byte", of: bytes16Of, special: specialBytes16(), order: oracle.Bytes16[[16]byte], large: true},
	keyKind[uuid]{name: "uuid [16]byte", of: func(v uint64) uuid { return bytes16Of(v) }, special: retyped[uuid](specialBytes16()), order: oracle.Bytes16[uuid]},

	keyKind[mac]{name: "mac [6]byte", of: arrayOf[mac], special: specialArrays[mac](), order: oracle.ByteArrays[mac], large: true},
	keyKind[[20]byte]{name: "[20]byte", of: arrayOf[[20]byte], special: specialArrays[[20]byte](), order: oracle.ByteArrays[[20]byte], large: true},
	keyKind[netip.Addr]{name: "netip.Addr", of: addrOf, special: specialAddrs(), order: oracle.Addrs, large: true},
	keyKind[netip.Addr]{name: "netip.Addr, IPv4", of: addr4Of, special: []netip.Addr{{}, netip.IPv4Unspecified(), addr4Of(1 << 63), addr4Of(math.MaxUint64)}, order: oracle.Addrs},

	keyKind[sorter.Int128]{name: "Int128", of: int128Of, special: specialInt128s(), order: oracle.Int128, large: true},
	keyKind[sorter.Uint128]{name: "Uint128", of: uint128Of, special: specialUint128s(), order: oracle.Uint128},

	keyKind[time.Time]{name: "time.Time", of: nanosecond, special: specialTimes(), order: oracle.Times, large: true},
	keyKind[time.Time]{name: "time.Time, one second", of: withinSecond, special: specialTimes(), order: oracle.Times},
	keyKind[time.Time]{name: "time.Time, all years", of: anyYear, special: specialTimes(), order: oracle.Times},
}

// eachKind runs one test of every kind of key as a subtest; unless the run is a long
// one, of one kind per encoder, and under the race detector of every second of these: the next
// test has the others.
func eachKind(t *testing.T, test func(keyCase, *testing.T)) {
	all, turn := testkit.Pick(false, true), len(t.Name())
	for _, k := range keyKinds {
		if !all && !k.isLarge() {
			continue
		}
		if turn++; turn%2 > 0 && testkit.ThinnedByRace(1) {
			continue
		}
		t.Run(k.Name(), func(t *testing.T) {
			t.Parallel()
			test(k, t)
		})
	}
}

// takesLarge reports whether a test takes a kind with the i-th of four large inputs: with all of
// them in a long run, if it is the kind of its encoder, with half of them in one without settings,
// and otherwise with one, which is another one for the next kind.
func takesLarge(k keyCase, i int) bool {
	every := 4
	if k.isLarge() {
		every = testkit.Pick(4, 1)
	}
	return i%every == len(k.Name())%every
}

// inputs are the names of the distributions of package dist, of values that lie close
// to the ends of the line, of a kind's edge values alone, and of its edge values
// sprinkled over a uniform draw.
var inputs = func() []string {
	var names []string
	for _, d := range dist.All {
		names = append(names, d.Name)
	}
	return append(names, "crowded", "edge values", "sprinkled")
}()

// draw returns n keys of the named input; equal arguments give equal keys.
func (k keyKind[K]) draw(input string, n int, seed uint64) keySet {
	r := dist.Rand(seed)
	switch input {
	case "crowded":
		return k.set(mapped(dist.RandomCrowd(64, r).Draw(n, 64, r), k.of))
	case "edge values":
		return k.set(k.sprinkle(make([]K, n), 1, r))
	case "sprinkled":
		return k.set(k.sprinkle(mapped(dist.Named("uniform").Draw(n, r), k.of), 8, r))
	}
	return k.set(mapped(dist.Named(input).Draw(n, r), k.of))
}

// sprinkle overwrites one key in each of that many with an edge value.
func (k keyKind[K]) sprinkle(keys []K, each int, r *rand.Rand) []K {
	for i := range keys {
		if r.IntN(each) == 0 {
			keys[i] = k.special[r.IntN(len(k.special))]
		}
	}
	return keys
}

func (k keyKind[K]) edges() keySet { return k.set(k.special) }

func (k keyKind[K]) set(keys []K) keySet { return &keysOf[K]{keys: keys, order: k.order} }

func mapped[V, K any](values []V, of func(V) K) []K {
	keys := make([]K, len(values))
	for i, v := range values {
		keys[i] = of(v)
	}
	return keys
}

// retyped views keys as a named type of the same underlying type, bit for bit.
func retyped[N, K any](keys []K) []N {
	// Sound: callers pass types of one underlying type.
	return unsafe.Slice((*N)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys))
}

func signed[K ~int | ~int8 | ~int16 | ~int32 | ~int64](name string, width int, large bool) keyKind[K] {
	top := K(-1) << (width - 1)
	return keyKind[K]{
		name: name, large: large, order: oracle.Ordered[K],
		of:      func(v uint64) K { return K(int64(v^1<<63) >> (64 - width)) },
		special: []K{0, 1, -1, 2, -2, top, top + 1, ^top, ^top - 1, 127, -128},
	}
}

func unsigned[K ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr](name string, width int, large bool) keyKind[K] {
	return keyKind[K]{
		name: name, large: large, order: oracle.Ordered[K],
		of:      func(v uint64) K { return K(v >> (64 - width)) },
		special: []K{0, 1, 2, 127, 128, 255, ^K(0), ^K(0) - 1, ^K(0) >> 1, ^K(0)>>1 + 1},
	}
}

// float32Of maps the 64-bit line onto all floats from −Inf to +Inf, as dense as
// the floats are.
func float32Of(v uint64) float32 {
	const inf = 0x7f800000
	c := uint32(v>>32*(2*inf+2)>>32) + (1<<31 - 1 - inf) // −Inf … −0, +0 … +Inf
	if c >= 1<<31 {
		return math.Float32frombits(c - 1<<31)
	}
	return math.Float32frombits(^c)
}

func float64Of(v uint64) float64 {
	const inf = 0x7ff0000000000000
	scaled, _ := bits.Mul64(v, 2*inf+2)
	c := scaled + (1<<63 - 1 - inf)
	if c >= 1<<63 {
		return math.Float64frombits(c - 1<<63)
	}
	return math.Float64frombits(^c)
}

// specialFloats32 has NaNs of both signs, quiet and signalling, with payloads;
// both zeros; subnormals; the largest numbers and the infinities.
func specialFloats32() []float32 {
	positive := []uint32{0x7fc00000, 0x7fc00001, 0x7fffffff, 0x7f800001, 0x7fa12345, 0, 1, 0x007fffff, 0x00800000, 0x3f800000, 0x7f7fffff, 0x7f800000}
	var s []float32
	for _, b := range positive {
		s = append(s, math.Float32frombits(b), math.Float32frombits(b|1<<31))
	}
	return s
}

func specialFloats64() []float64 {
	positive := []uint64{0x7ff8000000000000, 0x7ff8000000000001, 0x7fffffffffffffff, 0x7ff0000000000001, 0x7ff4deadbeef0000,
		0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000}
	var s []float64
	for _, b := range positive {
		s = append(s, math.Float64frombits(b), math.Float64frombits(b|1<<63))
	}
	return s
}

// shortString has one byte for each leading byte of v that matters, 0 to 8:
// neighbours are prefixes of each other.
func shortString(v uint64) string {
	return strings.TrimRight(string(binary.BigEndian.AppendUint64(nil, v)), "\x00")
}

func prefixedString(v uint64) string {
	const prefix = "https://example.org/the/prefix/is/longer/than/any/code?id="
	return fmt.Sprintf("%s%016x", prefix[:len(prefix)-1+int(v>>63)], v)
}

// nulString has runs of NULs before, among and after what differs.
func nulString(v uint64) string {
	b := binary.BigEndian.AppendUint64(make([]byte, 3, 32), v>>40<<40)
	return string(b[:6+min(v>>37&7, 5)])
}

func decimal(v uint64) string { return fmt.Sprintf("%020d", v) }

func specialStrings() []string {
	long := strings.Repeat("prefix! ", 9)
	s := []string{"", "\x00", "\x00\x00", "a", "a\x00", "a\x00\x00", "a\x00b", "ab", "\xff", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "\x7f", "\x80", "é", "日本"}
	for _, n := range []int{7, 8, 9, 15, 16, 17, 63, 64, 65} {
		s = append(s, long[:n], long[:n]+"\x00", long[:n]+"\x00\x00\x00\x00\x00\x00\x00\x00", long[:n]+"z", strings.Repeat("\x00", n))
	}
	return s
}

// specialBytes has nil and empty keys: ties that differ in their identity only.
func specialBytes() [][]byte {
	b := [][]byte{nil, {}, make([]byte, 0, 8)}
	for _, s := range specialStrings() {
		b = append(b, []byte(s))
	}
	return b
}

// The components of vectors are coarse at the front, so that ties reach the
// later ones.
func float2Of(v uint64) [2]float32 { return [2]float32{short(v >> 56 << 8), float32Of(v << 8)} }
func float3Of(v uint64) [3]float32 {
	return [3]float32{short(v >> 58 << 10), short(v >> 48), float32Of(v << 16)}
}
func float4Of(v uint64) [4]float32 {
	return [4]float32{short(v >> 60 << 12), short(v >> 52 << 8), short(v >> 36), float32Of(v << 28)}
}

// short maps the low 16 bits of v monotonically to numbers of both signs.
func short(v uint64) float32 { return float32(int32(v&0xffff) - 1<<15) }

// specialVectors puts every edge value into every one of the n components.
func specialVectors[K ~[2]float32 | ~[3]float32 | ~[4]float32](of func(uint64) K, n int) []K {
	var keys []K
	for i := range n {
		for _, f := range specialFloats32() {
			k := of(1 << 63)
			k[i] = f
			keys = append(keys, k)
		}
	}
	return keys
}

// bytes16Of spreads v over both halves, so that the first one ties often.
func bytes16Of(v uint64) [16]byte {
	var k [16]byte
	binary.BigEndian.PutUint64(k[6:], v)
	return k
}

// arrayOf spreads v over an array, so that its first bytes tie often, and the last of many.
func arrayOf[K sorter.ByteArray](v uint64) (k K) {
	b := unsafe.Slice((*byte)(unsafe.Pointer(&k)), unsafe.Sizeof(k)) // sound: k is an array of bytes
	var number [8]byte
	binary.BigEndian.PutUint64(number[:], v)
	copy(b[(len(b)-min(len(b), 8))/2:], number[:])
	return k
}

// specialArrays have one byte that is not zero.
func specialArrays[K sorter.ByteArray]() []K {
	keys := make([]K, 1)
	for i := range unsafe.Sizeof(keys[0]) {
		for _, b := range []byte{1, 0x7f, 0x80, 0xff} {
			var k K
			*(*byte)(unsafe.Add(unsafe.Pointer(&k), i)) = b // sound: as in arrayOf
			keys = append(keys, k)
		}
	}
	return keys
}

// addrOf has addresses of IPv4 below those of IPv6, some of which differ in the last bits only, or in their zones.
func addrOf(v uint64) netip.Addr {
	if v>>63 == 0 {
		return addr4Of(v << 1)
	}
	var b [16]byte
	b[0], b[1] = 0xfe, 0x80
	binary.BigEndian.PutUint64(b[7:], v<<1>>8)
	addr := netip.AddrFrom16(b)
	zones := [16]string{9: "en0", "eth0", "eth0.1", "eth0.12", "eth0.123", "eth0.1234567890", "eth0.12345678901"} // ascending
	return addr.WithZone(zones[v>>3&15])
}

func addr4Of(v uint64) netip.Addr {
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(v>>32))))
}

func specialAddrs() []netip.Addr {
	addrs := []netip.Addr{{}}
	for _, s := range []string{"0.0.0.0", "255.255.255.255", "127.0.0.1", "128.0.0.1", "::", "::1", "::2", "::ffff:127.0.0.1", "fe80::1", "8000::", "7fff::",
		"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "0:0:0:1::", "0:0:0:2::", "::8000:0:0:0"} {
		addr := netip.MustParseAddr(s)
		addrs = append(addrs, addr)
		for _, zone := range []string{"a", "a\x00", "eth0", "12345678", "1234567", "123456789012345", "123456789012346"} {
			if addr.Is6() {
				addrs = append(addrs, addr.WithZone(zone))
			}
		}
	}
	return addrs
}

// int128Of and uint128Of spread v over both words, so that the first one ties often.
func int128Of(v uint64) sorter.Int128 {
	return sorter.Int128{Hi: int64(v^1<<63) >> 40, Lo: v << 24}
}

func uint128Of(v uint64) sorter.Uint128 { return sorter.Uint128{Hi: v >> 40, Lo: v << 24} }

func specialInt128s() (keys []sorter.Int128) {
	for _, k := range specialUint128s() {
		keys = append(keys, sorter.Int128{Hi: int64(k.Hi), Lo: k.Lo})
	}
	return keys
}

func specialUint128s() (keys []sorter.Uint128) {
	ends := []uint64{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64}
	for _, hi := range ends {
		for _, lo := range ends {
			keys = append(keys, sorter.Uint128{Hi: hi, Lo: lo})
		}
	}
	return keys
}

func specialBytes16() [][16]byte {
	keys := [][16]byte{{}}
	for i := range 16 {
		for _, b := range []byte{1, 0x7f, 0x80, 0xff} {
			var k [16]byte
			k[i] = b
			keys = append(keys, k)
		}
	}
	return keys
}

func nanosecond(v uint64) time.Time { return time.Unix(0, int64(v^1<<63)) } // 1678 to 2262

func withinSecond(v uint64) time.Time { return time.Unix(1_700_000_000, int64(v>>35)) }

// anyYear spans what time.Time can hold: billions of years on either side.
func anyYear(v uint64) time.Time {
	return time.Date(int(int32(v>>32^1<<31)), 6, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(v & math.MaxUint32))
}

// specialTimes has equal instants in several locations and with and without a
// monotonic reading, instants whose monotonic readings contradict them, and the
// ends of the range of time.Time.
func specialTimes() []time.Time {
	east := time.FixedZone("east", 14*3600)
	now := time.Now()
	return []time.Time{
		{}, time.Time{}.In(east), time.Time{}.Add(-1), time.Time{}.Add(1),
		time.Date(-44, 3, 15, 12, 0, 0, 0, time.UTC), time.Date(0, 1, 1, 0, 0, 0, 1, east),
		time.Unix(0, 0), time.Unix(0, 0).UTC(), time.Unix(0, -1), time.Unix(0, 1).In(east),
		time.Unix(0, math.MaxInt64), time.Unix(0, math.MinInt64), time.Unix(0, math.MaxInt64).Add(1), time.Unix(0, math.MinInt64).Add(-1),
		time.Unix(1<<33-1, 999_999_999), time.Unix(1<<33, 0), time.Unix(1<<33, 1), time.Unix(-1<<33, 0), time.Unix(-1<<33, 1), time.Unix(-1<<33-1, 999_999_999),
		time.Date(2263, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, east),
		sinceYear1(math.MaxInt64), sinceYear1(math.MaxInt64).Add(999_999_999), sinceYear1(math.MinInt64), sinceYear1(math.MinInt64).Add(1),
		now, now.Round(0), now.In(east), now.Add(1), now.Add(-1), now.Add(1).Round(0),
		steppedClock(now, time.Hour), steppedClock(now, -time.Hour), steppedClock(now.Add(-1), 2*time.Hour), steppedClock(now.Add(1), -2*time.Hour),
	}
}

// sinceYear1 returns the time that many seconds after the start of year 1:
// time.Unix counts from 1970 and wraps around.
func sinceYear1(seconds int64) time.Time {
	const year1970 = 62135596800
	return time.Unix(seconds-year1970, 0)
}

// steppedClock returns t as time.Now would have after the system's clock was
// set back by step: the same instant, a later monotonic reading.
func steppedClock(t time.Time, step time.Duration) time.Time {
	// Sound: the layout of time.Time has been this since Go 1.9, and the test
	// of specialTimes fails if it changes.
	(*struct {
		wall uint64
		ext  int64
		loc  *time.Location
	})(unsafe.Pointer(&t)).ext += int64(step)
	return t
}

func TestSpecialTimesContradictTheirMonotonicClock(t *testing.T) {
	now := time.Now()
	later := steppedClock(now.Add(-1), time.Hour)
	if !later.After(now) || !later.Round(0).Before(now.Round(0)) {
		t.Fatalf("%v is not after %v by the monotonic clock and before it by the instant", later, now)
	}
}

func TestKindsAreMonotone(t *testing.T) {
	eachKind(t, keyCase.monotone)
}

// monotone holds of to its promise, without which the distributions would not
// keep their shapes.
func (k keyKind[K]) monotone(t *testing.T) {
	compare := k.order(oracle.Order{})
	values := dist.Named("sorted").Draw(2000, dist.Rand(1))
	values = append(values, 0, 1, 2, 255, 256, 1<<31, 1<<32, 1<<63-1, 1<<63, math.MaxUint64-1, math.MaxUint64)
	slices.Sort(values)
	for i := 1; i < len(values); i++ {
		a, b := k.of(values[i-1]), k.of(values[i])
		if compare(a, b) > 0 {
			t.Fatalf("of(%#x) = %v is above of(%#x) = %v", values[i-1], a, values[i], b)
		}
	}
}
