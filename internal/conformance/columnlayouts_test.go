package conformance_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// rowKeys is a column whose keys lie in memory in some layout, and their order.
type rowKeys struct {
	keys    sorter.Keys
	compare func(o oracle.Order) func(a, b int) int
}

// layoutCase draws n keys of a layout from values below bound. Rows that are null may hold garbage.
type layoutCase struct {
	name string
	draw func(n int, bound uint64, isNull func(row int) bool, r *rand.Rand) rowKeys
}

var layoutCases = []layoutCase{
	chunked("chunks of int8", func(v uint64) int8 { return int8(v) }, oracle.Ordered[int8]),
	chunked("chunks of uint16", func(v uint64) uint16 { return uint16(v) }, oracle.Ordered[uint16]),
	chunked("chunks of int32", func(v uint64) int32 { return int32(v) }, oracle.Ordered[int32]),
	chunked("chunks of int64", func(v uint64) int64 { return int64(v * 0x9e3779b97f4a7c15) }, oracle.Ordered[int64]),
	chunked("chunks of float64", func(v uint64) celsius { return celsius(floats64[v%uint64(len(floats64))]) }, oracle.Ordered[celsius]),
	chunked("chunks of bool", func(v uint64) bool { return v&1 != 0 }, oracle.Bools[bool]),
	chunked("chunks of string", spread, oracle.Ordered[string]),
	chunked("chunks of []byte", func(v uint64) blob { return blob(spread(v)) }, oracle.Bytes[blob]),
	chunked("chunks of [2]float32", func(v uint64) [2]float32 { return float2Of(v << 44) }, oracle.Floats[[2]float32]),
	chunked("chunks of [3]float32", func(v uint64) [3]float32 { return float3Of(v << 44) }, oracle.Floats[[3]float32]),
	chunked("chunks of [16]byte", func(v uint64) [16]byte { return bytes16Of(v << 15) }, oracle.Bytes16[[16]byte]),
	chunked("chunks of [6]byte", func(v uint64) mac { return arrayOf[mac](v << 44) }, oracle.ByteArrays[mac]),
	chunked("chunks of [20]byte", func(v uint64) [20]byte { return arrayOf[[20]byte](v) }, oracle.ByteArrays[[20]byte]),
	chunked("chunks of netip.Addr", func(v uint64) netip.Addr { return addrOf(v%2<<63 | v) }, oracle.Addrs),
	chunked("chunks of time.Time", func(v uint64) time.Time { return time.Unix(int64(v%7), int64(v)).UTC() }, oracle.Times),
	chunked("chunks of Int128", int128Below, oracle.Int128),
	chunked("chunks of Uint128", func(v uint64) sorter.Uint128 { k := int128Below(v); return sorter.Uint128{Lo: k.Lo, Hi: uint64(k.Hi)} }, oracle.Uint128),
	ofTexts("arena, 32 bits", spread, func(texts []string, _ func(int) bool, _ *rand.Rand) sorter.Keys {
		data, offsets := testkit.ArenaOf[int32](texts)
		return sorter.Arena(data, offsets)
	}),
	ofTexts("arena, 64 bits, shared prefix", prefixedString, func(texts []string, _ func(int) bool, _ *rand.Rand) sorter.Keys {
		data, offsets := testkit.ArenaOf[int64](texts)
		return sorter.Arena(data, offsets)
	}),
	ofTexts("views", spread, viewsOf),
	ofTexts("views, NULs", func(v uint64) string { return nulString(v << 40) }, viewsOf),
	ofTexts("chunks of arenas, views and slices", spread, func(texts []string, isNull func(int) bool, r *rand.Rand) sorter.Keys {
		parts, first := []sorter.Keys{sorter.Chunks[string](nil)}, 0
		for i, some := range testkit.Cut(texts, r) {
			from := first
			switch first += len(some); i % 4 {
			case 0:
				data, offsets := testkit.ArenaOf[int32](some)
				parts = append(parts, sorter.Arena(data, offsets))
			case 1:
				parts = append(parts, viewsOf(some, func(row int) bool { return isNull(from + row) }, r))
			case 2:
				parts = append(parts, sorter.Concat(sorter.Chunks(testkit.Cut(some, r)), sorter.Arena[int64](nil, nil)))
			default:
				parts = append(parts, sorter.Chunks([][][]byte{mapped(some, func(s string) []byte { return []byte(s) })}))
			}
		}
		return sorter.Concat(parts...)
	}),
	fixedBinary(1), fixedBinary(2), fixedBinary(3), fixedBinary(4), fixedBinary(7), fixedBinary(8), fixedBinary(9), fixedBinary(16), fixedBinary(21), fixedBinary(70),
}

var floats64 = specialFloats64()

// spread returns texts of many lengths that share prefixes.
func spread(v uint64) string {
	return strings.Repeat("prefix, ", int(v%4)) + shortString(v*0x9e3779b97f4a7c15>>(v%3*8)<<(v%3*8))
}

// int128Below has few high words, of both signs, and ties in them.
func int128Below(v uint64) sorter.Int128 {
	return sorter.Int128{Hi: int64(v%5) - 2, Lo: v * 0x9e3779b97f4a7c15}
}

func chunked[K sorter.Key](name string, of func(v uint64) K, order func(oracle.Order) func(a, b K) int) layoutCase {
	return layoutCase{name, func(n int, bound uint64, _ func(int) bool, r *rand.Rand) rowKeys {
		keys := mapped(drawn64(n, bound, r), of)
		return rowKeys{sorter.Chunks(testkit.Cut(keys, r)), (&keysOf[K]{keys: keys, order: order}).compare}
	}}
}

func ofTexts(name string, of func(v uint64) string, lay func(texts []string, isNull func(int) bool, r *rand.Rand) sorter.Keys) layoutCase {
	return layoutCase{name, func(n int, bound uint64, isNull func(int) bool, r *rand.Rand) rowKeys {
		texts := mapped(drawn64(n, bound, r), of)
		return rowKeys{lay(texts, isNull, r), (&keysOf[string]{keys: texts, order: oracle.Ordered[string]}).compare}
	}}
}

func viewsOf(texts []string, isNull func(int) bool, r *rand.Rand) sorter.Keys {
	views, buffers := testkit.ViewsOf(texts, isNull, r)
	return sorter.Views(views, buffers...)
}

// fixedBinary has keys of one width, in chunks if it is a multiple of 3 or 4.
func fixedBinary(width int) layoutCase {
	return layoutCase{fmt.Sprintf("%d bytes", width), func(n int, bound uint64, _ func(int) bool, r *rand.Rand) rowKeys {
		texts := mapped(drawn64(n, bound, r), func(v uint64) string {
			s := fmt.Sprintf("%s%c%c%c%c%0*d", strings.Repeat("same", width/8), v%3, v>>1, v>>9, v>>17, width, v)
			return s[len(s)-max(width, 4)-width/8*4-0:][:width]
		})
		compare := (&keysOf[string]{keys: texts, order: oracle.Ordered[string]}).compare
		if width%3 != 0 && width%4 != 0 {
			return rowKeys{sorter.FixedBinary([]byte(strings.Join(texts, "")), width), compare}
		}
		parts := []sorter.Keys{sorter.FixedBinary(nil, width)}
		for _, some := range testkit.Cut(texts, r) {
			parts = append(parts, sorter.FixedBinary([]byte(strings.Join(some, "")), width))
		}
		return rowKeys{sorter.Concat(parts...), compare}
	}}
}

func drawn64(n int, bound uint64, r *rand.Rand) []uint64 {
	all := make([]uint64, n)
	for i := range all {
		all[i] = r.Uint64N(bound)
	}
	return all
}

// TestColumnLayouts orders rows by columns of every layout: in both directions, with nulls, alone, before
// another column and after one.
func TestColumnLayouts(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 1, 2, 17, 300, 4096, 5000, 100_000}
	turn := 0
	for _, c := range layoutCases {
		for _, desc := range []bool{false, true} {
			for nulls := range 3 {
				for place := range 3 { // alone, first, second
					turn++
					for i, n := range sizes {
						large := n > 4096 && turn%testkit.Pick(16, 5) != 0
						if large || n == 100_000 && turn%testkit.Pick(64, 17) != 0 || testkit.Thinned(turn+i) {
							continue
						}
						bound := []uint64{uint64(n) + 1, 20, 1, uint64(n)*uint64(n) + 1}[(turn+i)%4]
						checkLayout(t, c, layoutTest{n, desc, nulls, place, dist.Rand(uint64(turn*len(sizes) + i)), bound})
					}
				}
			}
		}
	}
}

type layoutTest struct {
	n     int
	desc  bool
	nulls int // none, first, last
	place int // of the column: alone, first or second of two
	r     *rand.Rand
	bound uint64
}

func checkLayout(t *testing.T, c layoutCase, of layoutTest) {
	t.Helper()
	null := make([]bool, of.n)
	for i := range null {
		null[i] = of.nulls > 0 && of.r.IntN(5) == 0
	}
	isNull := func(row int) bool { return null[row] }
	laid := c.draw(of.n, of.bound, isNull, of.r)
	if laid.keys.Len() != of.n {
		t.Fatalf("%s: %d rows, want %d", c.name, laid.keys.Len(), of.n)
	}
	name := fmt.Sprintf("%s, n=%d below %d, descending %v, nulls %d, place %d", c.name, of.n, of.bound, of.desc, of.nulls, of.place)
	col := laid.keys.Asc()
	if of.desc {
		col = laid.keys.Desc()
	}
	side := 0
	switch of.nulls {
	case 1:
		side, col = -1, col.NullsFirstBits(bitsOf(null, 3), 3)
	case 2:
		side, col = 1, col.NullsLastBits(bitsOf(null, 8), 8)
	}
	other := mapped(drawn64(of.n, 9, of.r), func(v uint64) int16 { return int16(v) })
	cols := [][]sorter.Column[int]{{col}, {col, sorter.DescOf(other)}, {sorter.DescOf(other), col}}[of.place]
	ordered := func(o oracle.Order) func(a, b int) int {
		by := withNulls(laid.compare(o.Of(oracle.Order{Desc: of.desc})), isNull, side)
		byOther := func(a, b int) int {
			if o.Desc {
				a, b = b, a
			}
			return cmp.Compare(other[b], other[a])
		}
		switch of.place {
		case 1:
			return func(a, b int) int { return cmp.Or(by(a, b), byOther(a, b)) }
		case 2:
			return func(a, b int) int { return cmp.Or(byOther(a, b), by(a, b)) }
		}
		return by
	}
	m := directions[of.r.IntN(len(directions))]
	if of.r.IntN(8) == 0 {
		m = modes[of.r.IntN(len(modes))]
	}
	checkLayoutVerbs(t, name+", "+m.name, cols, ordered(m.order), ordered(oracle.Order{}), of, m)
}

func checkLayoutVerbs(t *testing.T, name string, cols []sorter.Column[int], compare, plain func(a, b int) int, of layoutTest, m mode) {
	t.Helper()
	n := of.n
	want := stableRows(ascending(n), compare)
	compare = byRank(want, compare)
	p, err := sorter.RowsBy(n, cols...).Order(m.stable()...)
	checkSame(t, "Rows.Order by "+name, err, p, permOf(want))

	k := of.r.IntN(n + 1)
	if of.r.IntN(2) == 0 {
		k /= 40
	}
	first, err := sorter.RowsBy(n, cols...).Top(k, m.stable()...)
	checkSame(t, fmt.Sprintf("Rows.Top of %d by %s", k, name), err, first, permOf(want[:k]))
	if n > 0 {
		k := of.r.IntN(n)
		if at, err := sorter.RowsBy(n, cols...).Nth([]int{k}, m.stable()...); err != nil || len(at) != 1 || int(at[0]) != want[k] {
			t.Fatalf("Rows.Nth of one at %d by %s: %v, %v, want %d", k, name, at, err, want[k])
		}
	}

	rows := mapped(drawn64(n/2, uint64(n)+1, of.r), func(v uint64) int { return int(v) % max(n, 1) })
	selected := permOf(rows)
	err = sorter.RowsBy(n, cols...).Sort(selected, m.stable()...)
	checkSame(t, "Rows.Sort by "+name, err, selected, permOf(stableRows(rows, compare)))

	within := []int{0, n / 3, n / 3, n}
	p, err = sorter.RowsBy(n, cols...).Within(within, m.stable()...)
	inside := slices.Concat(stableRows(ascending(n)[:n/3], compare), stableRows(ascending(n)[n/3:], compare))
	checkSame(t, "Rows.Within by "+name, err, p, permOf(inside))

	err = sorter.By(cols...).Sort(rows, m.stable()...)
	checkSame(t, "Ordering.Sort by "+name, err, rows, mapped(selected, func(row uint32) int { return int(row) }))

	if by := sorter.By(cols...); m.order == (oracle.Order{}) && !by.IsSorted(want) {
		t.Fatalf("IsSorted of the order by %s is false", name)
	}
	for range min(n, 30) {
		a, b := of.r.IntN(n), of.r.IntN(n)
		if got, want := sorter.By(cols...).Compare(a, b), plain(a, b); cmp.Compare(got, 0) != cmp.Compare(want, 0) {
			t.Fatalf("Compare(%d, %d) by %s: %d, want %d", a, b, name, got, want)
		}
	}
}

// byRank returns compare of rows whose order it has sorted: by numbers of runs of equal rows.
func byRank(sorted []int, compare func(a, b int) int) func(a, b int) int {
	ranks := make([]int, len(sorted))
	for i := 1; i < len(sorted); i++ {
		ranks[sorted[i]] = ranks[sorted[i-1]]
		if compare(sorted[i-1], sorted[i]) != 0 {
			ranks[sorted[i]]++
		}
	}
	return func(a, b int) int { return cmp.Compare(ranks[a], ranks[b]) }
}

func stableRows(rows []int, compare func(a, b int) int) []int {
	rows = slices.Clone(rows)
	testkit.SortStable(rows, compare)
	return rows
}

// withNulls puts nulls at a side: -1 first, 1 last.
func withNulls(compare func(a, b int) int, isNull func(row int) bool, side int) func(a, b int) int {
	return func(a, b int) int {
		switch aNull, bNull := isNull(a), isNull(b); {
		case side == 0:
			return compare(a, b)
		case aNull && bNull:
			return 0
		case aNull:
			return side
		case bNull:
			return -side
		}
		return compare(a, b)
	}
}

// bitsOf returns the validity bitmap of nulls from an offset on.
func bitsOf(null []bool, offset int) []byte {
	valid := make([]byte, (len(null)+offset)/8+1)
	for i, null := range null {
		if !null {
			valid[(offset+i)/8] |= 1 << ((offset + i) % 8)
		}
	}
	return valid
}

// TestTotalOrder sorts floats and vectors by the total order, alone and in columns whose direction and
// nulls differ.
func TestTotalOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []keyCase{
		keyKind[float32]{name: "float32", of: float32Of, special: specialFloats32(), order: oracle.Ordered[float32]},
		keyKind[celsius]{name: "celsius", of: func(v uint64) celsius { return celsius(float64Of(v)) }, special: retyped[celsius](specialFloats64()), order: oracle.Ordered[celsius]},
		keyKind[[2]float32]{name: "[2]float32", of: float2Of, special: specialVectors(float2Of, 2), order: oracle.Floats[[2]float32]},
		keyKind[[3]float32]{name: "[3]float32", of: float3Of, special: specialVectors(float3Of, 3), order: oracle.Floats[[3]float32]},
	} {
		for j, n := range []int{3, 17, 900, 6000} {
			for i, input := range []string{"edge values", "sprinkled"} {
				if testkit.ThinnedTo(3, i+j+len(c.Name())) {
					continue
				}
				ref := drawn(c, input, n, uint64(n+i))
				for _, m := range modes[len(modes)-2:] {
					ref.checkSort(t, m)
					ref.checkSortKeys(t, m)
					ref.checkSortPairs(t, m)
					ref.checkTopK(t, n/2, m)
					ref.checkMergeRuns(t, i, m)
				}
			}
		}
	}
	keys := []float64{math.Copysign(math.NaN(), -1), math.Inf(-1), -1, math.Copysign(0, -1), 0, 1, math.Inf(1), math.NaN()}
	p, err := sorter.RowsBy(len(keys), sorter.AscOf(keys).NaNsFirst().TotalOrder()).Order()
	checkSame(t, "ascending", err, p, perm.Identity(len(keys)))
	p, err = sorter.RowsBy(len(keys), sorter.DescOf(keys).TotalOrder().NullsLastBits([]byte{0xfe}, 0)).Order()
	checkSame(t, "descending", err, p, perm.Perm{7, 6, 5, 4, 3, 2, 1, 0})
}

// TestTotalOrderTies orders vectors that differ only in the bits of their last components, and are equal
// except in the total order, by a column before one that would order them otherwise.
func TestTotalOrderTies(t *testing.T) {
	t.Parallel()
	floats := []float32{math.Float32frombits(0xffc00001), math.Float32frombits(0xffc00000), float32(math.Copysign(0, -1)), 0,
		math.Float32frombits(0x7fc00000), math.Float32frombits(0x7fc00001)}
	for _, n := range []int{2, 6, 17, 60, 700, 6000} {
		threes, fours, falling, want := make([][3]float32, n), make([]sorter.Float4, n), make([]int, n), perm.Identity(n)
		for i := range n {
			f := floats[i*len(floats)/n]
			threes[i], fours[i] = [3]float32{1, 2, f}, sorter.Float4{1, 2, 3, f}
			falling[i] = -(i * len(floats) / n)
		}
		for name, c := range map[string]sorter.Column[int]{
			"[3]float32": sorter.AscOf(threes), "Float4": sorter.AscOf(fours),
			"function": sorter.Asc(func(row int) sorter.Float4 { return fours[row] }),
		} {
			cols := []sorter.Column[int]{c.TotalOrder(), sorter.AscOf(falling)}
			p, err := sorter.RowsBy(n, cols...).Order()
			checkSame(t, fmt.Sprintf("%s, Rows.Order of %d", name, n), err, p, want)
			rows := perm.Identity(n)
			slices.Reverse(rows)
			err = sorter.RowsBy(n, append(cols, sorter.AscOf(want))...).Sort(rows)
			checkSame(t, fmt.Sprintf("%s, Rows.Sort of %d", name, n), err, rows, want)
		}
	}
}

// TestColumnLayoutMisuse holds layouts that cannot be to a panic.
func TestColumnLayoutMisuse(t *testing.T) {
	order := func(k sorter.Keys) { _, _ = sorter.RowsBy(k.Len(), k.Asc()).Order() }
	many := make([]int64, 50_001)
	many[40_000] = 7
	view := func(n, buffer, offset byte) []byte {
		return []byte{n, 0, 0, 0, 'a', 'b', 'c', 'd', buffer, 0, 0, 0, offset, 0, 0, 0}
	}
	for want, call := range map[string]func(){
		"sorter: last offset 4 of an arena of 3 bytes":                               func() { sorter.Arena([]byte("abc"), []int32{0, 4}) },
		"sorter: last offset -1 of an arena of 3 bytes":                              func() { sorter.Arena([]byte("abc"), []int64{0, -1}) },
		"sorter: row 1 lies at offsets 2 to 1 of an arena of 3 bytes":                func() { order(sorter.Arena([]byte("abc"), []int32{0, 2, 1, 3})) },
		"sorter: row 0 lies at offsets 0 to 4 of an arena of 3 bytes":                func() { order(sorter.Arena([]byte("abc"), []int64{0, 4, 3})) },
		"sorter: row 40000 lies at offsets 7 to 0 of an arena of 9 bytes":            func() { order(sorter.Arena(make([]byte, 9), many)) },
		"sorter: 7 bytes in keys of 2 bytes":                                         func() { sorter.FixedBinary(make([]byte, 7), 2) },
		"sorter: 0 bytes in keys of 0 bytes":                                         func() { sorter.FixedBinary(nil, 0) },
		"sorter: 4 bytes in keys of -2 bytes":                                        func() { sorter.FixedBinary(make([]byte, 4), -2) },
		"sorter: views of 17 bytes, which is no multiple of 16":                      func() { sorter.Views(make([]byte, 17)) },
		"sorter: row 0 lies at offset 0 of buffer 1 with 13 bytes, past the buffers": func() { order(sorter.Views(append(view(13, 1, 0), view(1, 0, 0)...), make([]byte, 99))) },
		"sorter: row 1 lies at offset 3 of buffer 0 with 13 bytes, past the buffers": func() { order(sorter.Views(append(view(1, 0, 0), view(13, 0, 3)...), make([]byte, 15))) },
		"sorter: Concat of no keys":                                                  func() { sorter.Concat() },
		"sorter: Concat of keys of different types":                                  func() { sorter.Concat(sorter.Chunks[int8](nil), sorter.Chunks[uint8](nil)) },
		"sorter: order of 4 rows by a column of 3":                                   func() { _, _ = sorter.RowsBy(4, sorter.FixedBinary(make([]byte, 9), 3).Desc()).Order() },
		"sorter: order of row 3 by a column of 3": func() {
			_ = sorter.RowsBy(4, sorter.Chunks([][]string{{"a", "b"}, {"c"}}).Asc()).Sort([]uint32{3})
		},
		"sorter: keys of no layout; make them with Chunks, Arena, Views, FixedBinary or Concat": func() { sorter.Keys{}.Asc() },
		"sorter: Into memory that holds a column to order by": func() {
			p := make(perm.Perm, 2000)
			_, _ = sorter.RowsBy(1000, sorter.Chunks([][]uint32{{1}, p[:1999]}).Asc()).Order(sorter.Into(p))
		},
	} {
		if got := panicValue(call); got != want {
			t.Errorf("recovered %v, want %q", got, want)
		}
	}
	widths := func() { sorter.Concat(sorter.FixedBinary(nil, 3), sorter.FixedBinary(nil, 4)) }
	if got := panicValue(widths); got != "sorter: Concat of keys of different types" {
		t.Errorf("keys of 3 and of 4 bytes: recovered %v", got)
	}
}

// TestSearchRangeOfColumnLayouts finds a probe in rows that are in order.
func TestSearchRangeOfColumnLayouts(t *testing.T) {
	data, offsets := testkit.ArenaOf[int32]([]string{"a", "b", "b", "c", "b"})
	if lo, hi := sorter.RowsBy(4, sorter.Arena(data, offsets).Asc()).SearchRange(4); lo != 1 || hi != 3 {
		t.Errorf("rows %d to %d, want 1 to 3", lo, hi)
	}
	high := sorter.Chunks([][]sorter.Int128{{{Hi: 5}, {Hi: 5}}, {{Lo: 1}, {Hi: -1}, {Lo: 1}}})
	if lo, hi := sorter.RowsBy(4, high.Desc()).SearchRange(4); lo != 2 || hi != 3 {
		t.Errorf("rows %d to %d, want 2 to 3", lo, hi)
	}
}
