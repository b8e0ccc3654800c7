package sortkey

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// orders are all directions and places of NaNs.
func orders() (all []Order) {
	for n := range NaNPlaces {
		all = append(all, Order{false, n}, Order{true, n})
	}
	return all
}

// A reference compares keys in ascending order, by their values alone; NaNs are for floatReference.
type reference[K Key] func(a, b K, o Order) int

func plainReference[K cmp.Ordered](a, b K, _ Order) int { return cmp.Compare(a, b) }

// floatReference compares floats in the ascending order of which o is the reverse, or the order itself.
func floatReference[K float32 | float64](a, b K, o Order) int {
	if o.NaNs == TotalOrder {
		return totalReference(float64(a), float64(b))
	}
	if nanA, nanB := a != a, b != b; nanA || nanB {
		c := 0
		switch {
		case nanA && nanB:
		case nanA:
			c = -1
		default:
			c = 1
		}
		if o.NaNs == NaNsLast && !o.Desc || o.NaNs == NaNsFirst && o.Desc {
			c = -c
		}
		return c
	}
	return cmp.Compare(a, b)
}

// totalReference is the order of IEEE 754: by sign, then values, then the bits of NaNs.
func totalReference(a, b float64) int {
	key := func(x float64) int64 {
		if b := int64(math.Float64bits(x)); b < 0 {
			return ^(b & math.MaxInt64)
		} else {
			return b
		}
	}
	return cmp.Compare(key(a), key(b))
}

func vectorReference[K ~[2]float32 | ~[3]float32 | ~[4]float32](a, b K, o Order) int {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.Len() {
		if c := floatReference(x.Index(i).Interface().(float32), y.Index(i).Interface().(float32), o); c != 0 {
			return c
		}
	}
	return 0
}

// compareAll holds comparisons and codes of all pairs of keys to a reference.
func compareAll[K Key](t *testing.T, keys []K, ascending reference[K]) {
	t.Helper()
	k := KindOf[K]()
	if of, ok := OfType(reflect.TypeFor[K]()); !ok || of != k || k.Size() != reflect.TypeFor[K]().Size() {
		t.Fatalf("%T: kind %d of %d bytes, by its type %d, %t", keys, k, k.Size(), of, ok)
	}
	for _, o := range orders() {
		want := func(a, b K) int {
			if o.Desc {
				return -ascending(a, b, o)
			}
			return ascending(a, b, o)
		}
		words := wordsOf(keys, k, o)
		compare := Comparator[K](o)
		for i, a := range keys {
			for j, b := range keys {
				byCode := 0
				for _, w := range words {
					byCode = cmp.Or(byCode, cmp.Compare(w[i], w[j]))
				}
				if w := want(a, b); byCode != w && k != String && k != Bytes || compare(a, b) != w {
					t.Fatalf("%v and %v, %+v: %d by codes, %d by comparison, want %d", a, b, o, byCode, compare(a, b), w)
				}
				if k == String || k == Bytes {
					if byCode != 0 && byCode != want(a, b) {
						t.Fatalf("%q and %q, %+v: %d by prefixes", any(a), any(b), o, byCode)
					}
				} else if k.Wide() && words[0][i] == words[0][j] {
					if rest := CompareRest(k, unsafe.Pointer(&keys[i]), unsafe.Pointer(&keys[j]), o); rest != want(a, b) {
						t.Fatalf("%v and %v, %+v: %d by the rest", a, b, o, rest)
					}
				}
			}
		}
		leading := make([]uint64, len(keys))
		if k.Wide() {
			if Leading(k, leading, unsafe.Pointer(&keys[0]), o); !slices.Equal(leading, words[0]) {
				t.Fatalf("%T, %+v: leading words differ", keys, o)
			}
		} else {
			narrowCodes(t, keys, o, words[0])
		}
	}
}

// wordsOf returns the words of keys; of texts their prefixes.
func wordsOf[K Key](keys []K, k Kind, o Order) (words [][]uint64) {
	if k == String || k == Bytes {
		words = [][]uint64{make([]uint64, len(keys))}
		for i := range keys {
			if words[0][i] = Prefix(TextOf(&keys[i])); o.Desc {
				words[0][i] = ^words[0][i]
			}
		}
		return words
	}
	n := k.Words()
	if k == Addr {
		n = AddrWords(20)
	}
	for j := range n {
		words = append(words, make([]uint64, len(keys)))
		EncodeWordAt(k, words[j], unsafe.Pointer(&keys[0]), j, o)
	}
	return words
}

// narrowCodes holds codes of both widths, and those that can be decoded, to words. Each begins at any of the keys: loops
// have ends that few keys do not reach.
func narrowCodes[K Key](t *testing.T, keys []K, o Order, words []uint64) {
	t.Helper()
	k := KindOf[K]()
	for from := range keys {
		some := keys[from:]
		got := make([]uint64, len(some))
		if Encode(got, some, o); !slices.Equal(got, words[from:]) {
			t.Fatalf("%T, %+v: codes differ from words", keys, o)
		}
		if CodeBits[k] <= 32 {
			short := make([]uint32, len(some))
			Encode(short, some, o)
			for i, c := range short {
				if uint64(c) != got[i] {
					t.Fatalf("%T, %+v: code %#x in 32 bits, %#x in 64", keys, o, c, got[i])
				}
			}
			exactCodes(t, some, short, o)
		} else {
			exactCodes(t, some, got, o)
		}
		for _, c := range got {
			if c>>(CodeBits[k]-1)>>1 != 0 {
				t.Fatalf("%T, %+v: code %#x of %d bits", keys, o, c, CodeBits[k])
			}
		}
	}
}

// exactCodes decodes keys, and sorts them in place.
func exactCodes[K Key, C Code](t *testing.T, keys []K, codes []C, o Order) {
	t.Helper()
	k := KindOf[K]()
	if !k.Decodable(false) || k == Bool {
		return
	}
	again := make([]K, len(keys))
	if k.Size() < 4 || k.Size() == unsafe.Sizeof(codes[0]) {
		codes = slices.Clone(View[C](keys, o)(0, len(keys), make([]C, len(keys))))
		DecodeExact(again, codes, o)
		compare := Comparator[K](o)
		for i, a := range codes {
			if c := compare(keys[0], keys[i]); c != 0 && c != cmp.Compare(codes[0], a) {
				t.Fatalf("%v and %v, %+v: codes %#x and %#x", keys[0], keys[i], o, codes[0], a)
			}
		}
		if part := View[C](keys, o)(len(keys)/2, len(keys), make([]C, len(keys))); !slices.Equal(part, codes[len(keys)/2:]) {
			t.Fatalf("%v, %+v: %#x viewed from the middle", keys, o, part)
		}
		if !sameBytes(again, keys) {
			t.Fatalf("%v, %+v: %v decoded", keys, o, again)
		}
		sorted := slices.Clone(codes)
		slices.Sort(sorted)
		SortInPlace[C](again, o)
		EncodeExact(codes, again, o)
		if !slices.Equal(codes, sorted) {
			t.Fatalf("%v, %+v: %v in place", keys, o, again)
		}
		if k <= Uint64 && FlipOf[C, K](o) != codeOfZero[C, K](o) {
			t.Fatalf("%v, %+v: flip %#x", keys, o, FlipOf[C, K](o))
		}
	}
}

func codeOfZero[C Code, K Key](o Order) C {
	var code [1]C
	var zero [1]K
	Encode(code[:], zero[:], o)
	return code[0]
}

func sameBytes[K Key](a, b []K) bool {
	n := len(a) * int(unsafe.Sizeof(a[0]))
	return bytes.Equal(At[byte](unsafe.Pointer(&a[0]), n), At[byte](unsafe.Pointer(&b[0]), n))
}

// TestOrders holds the codes and comparisons of every kind to the order of values, under all orders.
func TestOrders(t *testing.T) {
	compareAll(t, []bool{false, true, true, false}, func(a, b bool, _ Order) int { return cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	compareAll(t, []int8{math.MinInt8, -1, 0, 1, math.MaxInt8, -2}, plainReference)
	compareAll(t, []int16{math.MinInt16, -1, 0, 1, math.MaxInt16, 255, 256}, plainReference)
	compareAll(t, []int32{math.MinInt32, -1, 0, 1, math.MaxInt32, 1 << 16}, plainReference)
	compareAll(t, []int64{math.MinInt64, -1, 0, 1, math.MaxInt64, 1 << 32, -1 << 32, 1<<31 - 1, 1 << 31}, plainReference)
	compareAll(t, []int{math.MinInt, -1, 0, 1, math.MaxInt}, plainReference)
	compareAll(t, []uint8{0, 1, 127, 128, 255}, plainReference)
	compareAll(t, []uint16{0, 1, 1<<15 - 1, 1 << 15, math.MaxUint16, 255, 256}, plainReference)
	compareAll(t, []uint32{0, 1, 1<<31 - 1, 1 << 31, math.MaxUint32}, plainReference)
	compareAll(t, []uint64{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64, 1 << 32, 1<<32 - 1}, plainReference)
	compareAll(t, []uint{0, 1, math.MaxUint}, plainReference)
	compareAll(t, floats32(), floatReference)
	compareAll(t, floats64(), floatReference)
	compareAll(t, []string{"", "\x00", "a", "a\x00", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "abcdefgi", "b", "\xff\xff\xff\xff\xff\xff\xff\xff", "\xff"}, plainReference)
	compareAll(t, [][]byte{nil, {0}, {0, 0}, {1, 2, 3}, {1, 2, 4}, {255}, []byte("abcdefgh"), []byte("abcdefghi")}, func(a, b []byte, _ Order) int { return bytes.Compare(a, b) })
}

func floats32() (all []float32) {
	for _, x := range floats64() {
		all = append(all, float32(x))
	}
	return append(all, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32)
}

func floats64() []float64 {
	return []float64{math.Inf(-1), -1.5, -1, -1e-30, math.Copysign(0, -1), 0, 1e-30, 1, 1.5, math.Inf(1), math.NaN(),
		math.Float64frombits(0xfff8000000000000), math.Float64frombits(0x7ffc000000000000), math.Float64frombits(0xfffc000000000000)}
}

// TestWideOrders is TestOrders of keys of more than 64 bits.
func TestWideOrders(t *testing.T) {
	vectors2, vectors3, vectors4 := [][2]float32{}, [][3]float32{}, [][4]float32{}
	edges := []float32{float32(math.Inf(-1)), -1, float32(math.Copysign(0, -1)), 0, 2, float32(math.NaN()), -float32(math.NaN())}
	for i, a := range edges {
		for j, b := range edges {
			vectors2 = append(vectors2, [2]float32{a, b})
			vectors3 = append(vectors3, [3]float32{1, a, b}, [3]float32{a, 1, b}, [3]float32{edges[(i+j)%len(edges)], a, b})
			vectors4 = append(vectors4, [4]float32{1, 1, a, b}, [4]float32{a, 1, 1, b}, [4]float32{1, a, b, 1})
		}
	}
	compareAll(t, vectors2, vectorReference)
	compareAll(t, vectors3, vectorReference)
	compareAll(t, vectors4, vectorReference)
	var signed []Int128
	var unsigned []Uint128
	for _, hi := range []uint64{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64} {
		for _, lo := range []uint64{0, 1, 1<<63 - 1, 1 << 63, math.MaxUint64} {
			signed, unsigned = append(signed, Int128{lo, int64(hi)}), append(unsigned, Uint128{lo, hi})
		}
	}
	number := func(hi *big.Int, lo uint64) *big.Int {
		return hi.Add(hi.Lsh(hi, 64), new(big.Int).SetUint64(lo))
	}
	compareAll(t, signed, func(a, b Int128, _ Order) int {
		return number(big.NewInt(a.Hi), a.Lo).Cmp(number(big.NewInt(b.Hi), b.Lo))
	})
	compareAll(t, unsigned, func(a, b Uint128, _ Order) int {
		return number(new(big.Int).SetUint64(a.Hi), a.Lo).Cmp(number(new(big.Int).SetUint64(b.Hi), b.Lo))
	})
	var times []time.Time
	for _, sec := range []int64{0, -1, 1, 1 << 33, 1<<33 - 1, -1 << 33, -1<<33 - 1, 1<<33 + 1, -1<<33 + 1, -62135596800, 253402300800, 1 << 50, -1 << 50} {
		times = append(times, time.Unix(sec, 0), time.Unix(sec, 1).UTC(), time.Unix(sec, 999_999_999))
	}
	times = append(times, time.Time{}, time.Now())
	compareAll(t, times, func(a, b time.Time, _ Order) int {
		return cmp.Or(cmp.Compare(a.Unix(), b.Unix()), cmp.Compare(a.Nanosecond(), b.Nanosecond()))
	})
	var addrs []netip.Addr
	for _, s := range []string{"0.0.0.0", "1.2.3.4", "1.2.3.5", "255.255.255.255", "::", "::1", "::2", "::1.2.3.4", "::ffff:1.2.3.4", "8000::", "ffff::1", "fe80::1%a", "fe80::1%b", "fe80::1%eth0123456789", "fe80::1%eth0123456780", "fe80::1%1234567", "fe80::1%12345678", "fe80::1%1234567b", "fe80::1%1234567ac", "fe80::1%123456789012345678"} {
		addrs = append(addrs, netip.MustParseAddr(s))
	}
	compareAll(t, append(addrs, netip.Addr{}), func(a, b netip.Addr, _ Order) int { return a.Compare(b) })
}

// TestArrayCodes encodes arrays of up to eight bytes in numbers of them around those that are read eight bytes at a time.
func TestArrayCodes(t *testing.T) {
	var pairs [][2]byte
	var threes [][3]byte
	var fours [][4]byte
	var sevens [][7]byte
	var eights [][8]byte
	for i := range 12 {
		b := byte(i*37 + i/3)
		pairs, threes, fours = append(pairs, [2]byte{b, ^b}), append(threes, [3]byte{b, 255, b + 1}), append(fours, [4]byte{b, 0, ^b, 1})
		sevens, eights = append(sevens, [7]byte{0, b, 1, 2, 3, 4, ^b}), append(eights, [8]byte{b >> 7, 0, 1, 2, 3, 4, 5, b})
	}
	compareAll(t, pairs, func(a, b [2]byte, _ Order) int { return bytes.Compare(a[:], b[:]) })
	compareAll(t, threes, func(a, b [3]byte, _ Order) int { return bytes.Compare(a[:], b[:]) })
	compareAll(t, fours, func(a, b [4]byte, _ Order) int { return bytes.Compare(a[:], b[:]) })
	compareAll(t, sevens, func(a, b [7]byte, _ Order) int { return bytes.Compare(a[:], b[:]) })
	compareAll(t, eights, func(a, b [8]byte, _ Order) int { return bytes.Compare(a[:], b[:]) })
	var long [][19]byte
	for i := range 12 {
		var key [19]byte
		key[i%2], key[7+i%3], key[16+i%3] = 1, byte(i), 9
		long = append(long, key)
	}
	compareAll(t, long, func(a, b [19]byte, _ Order) int { return bytes.Compare(a[:], b[:]) })
}

// TestPrefixes holds prefixes, and the length of the longest key, to their definition.
func TestPrefixes(t *testing.T) {
	for _, s := range []string{"", "a", "ab", "abc", "abcd", "abcde", "abcdef", "abcdefg", "abcdefgh", "abcdefghi", "\x00", "a\x00", "\x00b", "abcdefg\x00", "\x01\xff\x80", "abcdefgh\x00"} {
		padded := s + strings.Repeat("\x00", 8)
		want := uint64(0)
		for _, b := range []byte(padded[:8]) {
			want = want<<8 | uint64(b)
		}
		if got := Prefix(s); got != want {
			t.Errorf("prefix of %q: %#x, want %#x", s, got, want)
		}
		longest := len(s)
		if len(s) <= 8 && strings.Contains(s, "\x00") {
			longest = 9
		}
		var code [1]uint64
		if got := Prefixes(code[:], []string{s}, 5, 0); got != longest || code[0] != want^5 {
			t.Errorf("%q: longest %d, want %d; code %#x", s, got, longest, code[0])
		}
		if got := Prefixes(code[:], []string{s}, 0, 20); got != 20 {
			t.Errorf("%q: longest %d of one of 20 bytes", s, got)
		}
	}
}

// TestPlain holds keys that are their codes less a number to these.
func TestPlain(t *testing.T) {
	testPlain[uint32](t, []int32{5, 0, math.MaxInt32}, []int32{5, -1})
	testPlain[uint64](t, []int64{5, 0, math.MaxInt64}, []int64{5, -1})
	testPlain[uint64](t, []uint64{5, 0, math.MaxUint64}, nil)
	testPlain[uint32](t, []float32{0, 1.5, float32(math.Inf(1))}, []float32{0, -1})
	testPlain[uint64](t, []float64{0, 1.5, math.Inf(1)}, []float64{0, -1})
	nan32 := []float32{float32(math.NaN())}
	var code [1]uint32
	EncodeExact(code[:], nan32, Order{NaNs: NaNsLast})
	if codes, _ := Plain(nan32, 1<<31, code[0], Order{NaNs: NaNsLast}); codes != nil {
		t.Error("a NaN of 32 bits is plain")
	}
	if codes, _ := Plain[uint64]([]int32{1}, 0, 1, Order{}); codes != nil {
		t.Error("32 bits are 64")
	}
	nan := math.NaN()
	if codes, _ := Plain([]float64{nan}, codeOf64(0), codeOf64(nan), Order{NaNs: NaNsLast}); codes != nil {
		t.Error("a NaN is plain")
	}
}

func codeOf64(x float64) uint64 {
	var code [1]uint64
	EncodeExact(code[:], []float64{x}, Order{NaNs: NaNsLast})
	return code[0]
}

func testPlain[C Code, K Key](t *testing.T, plain, not []K) {
	t.Helper()
	for i, keys := range [][]K{plain, not} {
		if keys == nil {
			continue
		}
		exact := make([]C, len(keys))
		EncodeExact(exact, keys, Order{})
		codes, plus := Plain(keys, slices.Min(exact), slices.Max(exact), Order{})
		if (codes != nil) != (i == 0) {
			t.Fatalf("%v: plain is %t", keys, codes != nil)
		}
		for k, c := range codes {
			if c+plus != exact[k] {
				t.Fatalf("%v: code %#x and %#x, want %#x", keys, c, plus, exact[k])
			}
		}
		if codes, _ := Plain(keys, slices.Min(exact), slices.Max(exact), Order{Desc: true}); codes != nil {
			t.Fatalf("%v: plain in descending order", keys)
		}
	}
}

// TestOfType refuses types that are no keys, and knows those with a name of their own.
func TestOfType(t *testing.T) {
	type (
		instant time.Time
		big     Int128
		natural struct{ Lo, Hi uint64 }
		name    string
		vector  [3]float32
	)
	for _, c := range []struct {
		of   reflect.Type
		want Kind
		ok   bool
	}{
		{reflect.TypeFor[instant](), Time, true}, {reflect.TypeFor[big](), Integer128, true}, {reflect.TypeFor[natural](), Unsigned128, true},
		{reflect.TypeFor[name](), String, true}, {reflect.TypeFor[vector](), Floats3, true}, {reflect.TypeFor[uintptr](), Uint64, true},
		{reflect.TypeFor[[2]float32](), Floats2, true}, {reflect.TypeFor[[4]float32](), Floats4, true}, {reflect.TypeFor[[1]byte](), Uint8, true},
		{of: reflect.TypeFor[[1]float32]()}, {of: reflect.TypeFor[[5]float32]()}, {of: reflect.TypeFor[[2]float64]()}, {of: reflect.TypeFor[[2]int8]()},
		{of: reflect.TypeFor[[]int]()}, {of: reflect.TypeFor[struct{ Lo, Hi int }]()}, {of: reflect.TypeFor[complex128]()}, {of: reflect.TypeFor[map[int]int]()},
		{of: reflect.TypeFor[*int]()}, {of: reflect.TypeFor[any]()},
	} {
		if unsafe.Sizeof(uintptr(0)) == 4 && c.of == reflect.TypeFor[uintptr]() {
			c.want = Uint32
		}
		if got, ok := OfType(c.of); ok != c.ok || ok && got != c.want {
			t.Errorf("%v: kind %d, %t, want %d, %t", c.of, got, ok, c.want, c.ok)
		}
	}
}

// TestNarrowOf holds which kinds can be decoded: floats only where ties may be exchanged.
func TestNarrowOf(t *testing.T) {
	for k := Kind(0); int(k) < Kinds; k++ {
		for _, stable := range []bool{false, true} {
			want := k <= Float64 && (!stable || k != Float32 && k != Float64)
			if got := k.Decodable(stable); got != want {
				t.Errorf("kind %d, stable %t: %t", k, stable, got)
			}
		}
	}
}

// TestUnder combines the order of a column with that of a call.
func TestUnder(t *testing.T) {
	for _, o := range orders() {
		for _, call := range orders() {
			want := Order{o.Desc != call.Desc, call.NaNs}
			if o.NaNs != NaNsLeast {
				want.NaNs = o.NaNs
			}
			if got := o.Under(call); got != want {
				t.Errorf("%+v under %+v: %+v, want %+v", o, call, got, want)
			}
		}
	}
}

// TestTimeWord holds the first word of a time to nanoseconds from 272 years before 1970 until 272 years after it.
func TestTimeWord(t *testing.T) {
	const years272 = 1 << 33
	for _, sec := range []int64{-years272 - 1, -years272, -years272 + 1, -1, 0, 1, years272 - 1, years272, years272 + 1} {
		for _, nano := range []int64{0, 1, 999_999_999} {
			at := time.Unix(sec, nano)
			want := uint64(sec+years272)<<30 | uint64(nano)
			switch {
			case sec < -years272:
				want = 0
			case sec >= years272:
				want = math.MaxUint64
			}
			if got := timeWord(at, 0); got != want {
				t.Errorf("%d s and %d ns: %#x, want %#x", sec, nano, got, want)
			}
			if got := timeWord(at, 1); got != uint64(sec+62135596800)^1<<63 {
				t.Errorf("%d s: word 1 is %#x", sec, got)
			}
			if got := timeWord(at, 2); got != uint64(nano) {
				t.Errorf("%d ns: word 2 is %#x", nano, got)
			}
		}
	}
}

// TestAddrWordCounts counts the words of addresses, of which those of IPv4 have one, and zeros.
func TestAddrWordCounts(t *testing.T) {
	for zone, want := range map[int]int{0: 3, 1: 3, 7: 3, 8: 4, 14: 4, 15: 5} {
		if got := AddrWords(zone); got != want {
			t.Errorf("a zone of %d bytes: %d words, want %d", zone, got, want)
		}
	}
	for j := 1; j < 4; j++ {
		if got := addrWord(netip.MustParseAddr("1.2.3.4"), j); got != 0 {
			t.Errorf("word %d of an address of IPv4 is %#x", j, got)
		}
	}
}

// TestViewOfCodes holds unsigned keys in ascending order to be their codes.
func TestViewOfCodes(t *testing.T) {
	short, long := []uint32{3, 1}, []uint64{3, 1}
	if got := View[uint32](short, Order{})(0, 2, nil); &got[0] != &short[0] {
		t.Error("uint32 is copied")
	}
	if got := View[uint64](long, Order{})(0, 2, nil); &got[0] != &long[0] {
		t.Error("uint64 is copied")
	}
}

// TestIsArray knows all kinds that are arrays.
func TestIsArray(t *testing.T) {
	for k := Kind(0); int(k) < Kinds; k++ {
		if want := k >= Bytes2 && k <= Bytes8 || k >= Bytes9 && k <= Bytes64; k.IsArray() != want {
			t.Errorf("kind %d: %t", k, !want)
		}
	}
}
