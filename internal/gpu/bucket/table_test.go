package bucket

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// segmentOf is the plain twin of segment_of in slices.cuh.
func segmentOf[W codes.Word](m *segmentMap[W], l *layout, k key) int {
	first, last := 0, int(m.cell[kernels.Segments])
	if code := W(k.Code); code-W(l.low) <= W(l.span) {
		word := l.word(k)
		zeros := bits.LeadingZeros64(word | 1)
		cell := (63-zeros)<<4 | int(word<<zeros>>59)&15
		first, last = int(m.cell[cell]), int(m.cell[cell+1])
	}
	for first < last {
		middle := (first + last + 1) / 2
		if codes.CompareKeys(k, key{Code: uint64(m.code[middle]), Position: m.position[middle]}) < 0 {
			last = middle - 1
		} else {
			first = middle
		}
	}
	return first
}

// equalised is the plain twin of equalised in slices.cuh.
func equalised[W codes.Word](m *segmentMap[W], l *layout, k key) uint64 {
	s := segmentOf(m, l, k)
	low, end := key{Code: uint64(m.code[s]), Position: m.position[s]}, key{Code: uint64(^W(0)), Position: math.MaxUint32}
	if s < int(m.cell[kernels.Segments]) {
		end = key{Code: uint64(m.code[s+1]), Position: m.position[s+1]}
	}
	high, rest := minus(end, low)
	distance, position := minus(k, low)
	if uint64(^W(0)) == math.MaxUint32 {
		skip := bits.LeadingZeros64(high<<32 | uint64(rest))
		return m.base[s] + (distance<<32|uint64(position))<<skip>>32*m.rise[s]
	}
	skip := bits.LeadingZeros64(high)
	if high == 0 {
		skip += bits.LeadingZeros32(rest)
	}
	lead := distance << skip >> 32
	if skip >= 32 {
		lead = uint64(uint32((distance<<32 | uint64(position)) << (skip - 32) >> 32))
	}
	return m.base[s] + lead*m.rise[s]
}

// minus is a-b, a number of 96 bits.
func minus(a, b key) (code uint64, position uint32) {
	borrow := uint64(0)
	if a.Position < b.Position {
		borrow = 1
	}
	return a.Code - b.Code - borrow, a.Position - b.Position
}

// word is the plain twin of word_of in slices.cuh.
func (l *layout) word(k key) uint64 {
	return (k.Code-l.low)<<l.up | uint64(k.Position/l.stretch())<<l.at&l.keep
}

// exact is the map of a table in integers of any size, which cannot wrap, with a
// search that has no cells.
type exact struct {
	low        []*big.Int // of the segments, and the end of all keys
	base, rise []*big.Int
}

func whole(k key) *big.Int {
	v := new(big.Int).SetUint64(k.Code)
	return v.Lsh(v, 32).Or(v, new(big.Int).SetUint64(uint64(k.Position)))
}

func exactly(t *table) *exact {
	e := &exact{}
	for s, k := range t.low {
		e.low = append(e.low, whole(k))
		e.base, e.rise = append(e.base, new(big.Int).SetUint64(t.base[s])), append(e.rise, new(big.Int).SetUint64(t.rise[s]))
	}
	e.low = append(e.low, whole(key{Code: codes.Top(t.wide), Position: math.MaxUint32}))
	return e
}

// segment is the last one that does not begin above k.
func (e *exact) segment(k *big.Int) int {
	s, found := slices.BinarySearchFunc(e.low[:len(e.base)], k, (*big.Int).Cmp)
	if !found {
		s--
	}
	return s
}

// word is the word of k in segment s, of which the 32 bits below the highest of the
// segment's width count.
func (e *exact) word(s int, k *big.Int) *big.Int {
	lead, width := new(big.Int).Sub(k, e.low[s]), new(big.Int).Sub(e.low[s+1], e.low[s])
	if shift := width.BitLen() - 32; shift > 0 {
		lead.Rsh(lead, uint(shift))
	} else {
		lead.Lsh(lead, uint(-shift))
	}
	return lead.Mul(lead, e.rise[s]).Add(lead, e.base[s])
}

// tableInput is the input of a table.
type tableInput struct {
	wide bool
	n    int
	code func(r *rand.Rand) uint64
}

// draw draws an element.
func (in *tableInput) draw(r *rand.Rand) key { return in.at(in.code(r), r.IntN(in.n)) }

func (in *tableInput) at(code uint64, position int) key {
	l := layout{n: in.n}
	return key{Code: code, Position: uint32(position) * l.stretch()}
}

// TestTable checks that tables keep the order of all keys, inside and outside
// the range that a sample suggested.
func TestTable(t *testing.T) {
	for name, code := range map[string]func(r *rand.Rand) uint64{
		"gauss": func(r *rand.Rand) uint64 {
			return uint64(math.Ldexp(min(max(r.NormFloat64()/16+0.5, 0), 0.999), 64))
		},
		"log":       func(r *rand.Rand) uint64 { return uint64(math.Exp2(64*r.Float64())) - 1 },
		"16 values": func(r *rand.Rand) uint64 { return r.Uint64N(16) * 0x9e3779b97f4a7c15 },
		"dense":     func(r *rand.Rand) uint64 { return 1<<60 + r.Uint64N(3) },
	} {
		for _, wide := range []bool{false, true} {
			in := &tableInput{wide, 1 << 20, code}
			if !wide {
				in.code = func(r *rand.Rand) uint64 { return code(r) >> 32 }
			}
			t.Run(fmt.Sprint(name, " wide ", wide), func(t *testing.T) { testTable(t, in, rand.New(rand.NewPCG(3, 4))) })
		}
	}
}

// TestTableEnds makes tables of ranges of all widths, many of which begin at code 0 or
// end at the highest, which no key follows.
func TestTableEnds(t *testing.T) {
	trials := 200
	if !testkit.Long() {
		trials = 40
	}
	for seed := range uint64(trials) {
		r := rand.New(rand.NewPCG(seed, 5))
		in := &tableInput{wide: r.IntN(3) > 0, n: 2 + r.IntN(1<<r.IntN(30))}
		if r.IntN(2) == 0 {
			in.n = max(2, 1<<r.IntN(30)+r.IntN(3)-1)
		}
		name := crowd(in, r)
		t.Run(fmt.Sprintf("%d: wide %v, n %d, %s", seed, in.wide, in.n, name), func(t *testing.T) { testTable(t, in, r) })
	}
}

// crowd has codes crowd somewhere, and says where.
func crowd(in *tableInput, r *rand.Rand) string {
	width := uint(r.IntN(64))
	if !in.wide {
		width %= 32
	}
	span := uint64(1)<<width | r.Uint64()>>(63-width)&(1<<width-1)
	if r.IntN(2) == 0 {
		span = uint64(1) << width
	}
	distance := func(r *rand.Rand) uint64 { return r.Uint64N(span) + r.Uint64N(2) }
	kind := r.IntN(3)
	switch kind {
	case 0: // two values
		distance = func(r *rand.Rand) uint64 { return r.Uint64N(2) * span }
	case 1: // powers of two
		distance = func(r *rand.Rand) uint64 { return 1 << r.UintN(width+1) }
	}
	end, low := r.IntN(3), r.Uint64()&(codes.Top(in.wide)-span)
	in.code = func(r *rand.Rand) uint64 {
		switch d := min(distance(r), span); end {
		case 0:
			return d
		case 1:
			return codes.Top(in.wide) - d
		default:
			return low + d
		}
	}
	return fmt.Sprintf("%s, %d bits, %s", []string{"two values", "powers of two", "dense"}[kind], width+1, []string{"bottom", "top", "middle"}[end])
}

func testTable(t *testing.T, in *tableInput, r *rand.Rand) {
	t.Helper()
	sample := make([]key, kernels.RangeSamples)
	for i := range sample {
		sample[i] = in.draw(r)
	}
	slices.SortFunc(sample, codes.CompareKeys)
	l := layoutFor(in.n, in.wide, sample[0].Code, sample[len(sample)-1].Code, unevenMargin)
	tab := quantilesTable(in.wide, &l, sample)
	count := make([]uint32, kernels.Segments)
	e := exactly(tab)
	for range 1 << 12 {
		count[e.segment(whole(in.draw(r)))]++
	}
	tab.share(count)
	if in.wide {
		checkTable[uint64](t, tab, &l, tableKeys(in, tab, &l, r))
	} else {
		checkTable[uint32](t, tab, &l, tableKeys(in, tab, &l, r))
	}
}

// tableKeys are keys at random, the ends, and those about the boundaries of segments
// and cells, in order.
func tableKeys(in *tableInput, tab *table, l *layout, r *rand.Rand) (keys []key) {
	add := func(code uint64, position int) {
		keys = append(keys, in.at(code&codes.Top(in.wide), min(max(position, 0), in.n-1)))
	}
	for _, code := range []uint64{0, 1, l.low - 1, l.low, l.low + l.span, l.low + l.span + 1, codes.Top(in.wide)} {
		add(code, 0)
		add(code, in.n-1)
	}
	for cell := 64; cell < kernels.Segments; cell++ {
		code := l.low + uint64(16+cell%16)<<(cell/16-4)>>l.up
		add(code-1, in.n-1)
		add(code, 0)
		add(code, r.IntN(in.n))
		add(code, in.n-1)
	}
	for _, k := range tab.low {
		position := int(k.Position / l.stretch())
		add(k.Code-1, in.n-1)
		add(k.Code, position-1)
		add(k.Code, position)
		add(k.Code, position+1)
	}
	for range 1 << 10 {
		keys = append(keys, in.draw(r))
		add(r.Uint64(), r.IntN(in.n))
	}
	slices.SortFunc(keys, codes.CompareKeys)
	return slices.Compact(keys)
}

// checkTable holds the words of keys, which are in order, to the exact ones.
func checkTable[W codes.Word](t *testing.T, tab *table, l *layout, keys []key) {
	t.Helper()
	for _, k := range tab.low {
		if k.Code > uint64(^W(0)) {
			t.Fatalf("codes from %#x by %#x: a segment begins at %#x", l.low, l.span, k)
		}
	}
	m := new(segmentMap[W])
	put(tab, m)
	e, before := exactly(tab), uint64(0)
	for i, k := range keys {
		v := whole(k)
		s, got := e.segment(v), equalised(m, l, k)
		if want := e.word(s, v); !want.IsUint64() || got != want.Uint64() {
			t.Fatalf("%d segments, codes from %#x by %#x: %#x maps to %#x by segment %d, should to %#x by segment %d",
				len(tab.low), l.low, l.span, k, got, segmentOf(m, l, k), want, s)
		}
		if got < before {
			t.Fatalf("%d segments: %#x maps to %#x, the next key %#x to %#x", len(tab.low), keys[i-1], before, k, got)
		}
		before = got
	}
}

// TestBeyond has the ends below a sample far apart and those above close together, and
// the other way round: distances on one side that reach the lowest or the highest code
// leave the other side its own.
func TestBeyond(t *testing.T) {
	for _, c := range []struct{ low, high, below, above uint64 }{ // distances to the ninth key from either end
		{1 << 63, 1<<63 + 8, 1 << 3, 1 << 3},
		{3 << 62, 7 << 61, 1 << 60, 8},
		{1 << 61, 3 << 61, 8, 1 << 60},
		{0, math.MaxUint64, 1 << 62, 1 << 62},
		{math.MaxUint64 - 8, math.MaxUint64, 8, 8},
	} {
		sample := slices.Repeat([]key{{Code: c.low + c.below}}, kernels.RangeSamples)
		for i := range 8 {
			sample[i].Code, sample[len(sample)-1-i].Code = c.low, c.high
		}
		sample[len(sample)-9].Code = c.high - c.above
		var want []key
		for i := range uint(15) {
			below, above := new(big.Int).Lsh(big.NewInt(int64(c.below/8)), i), new(big.Int).Lsh(big.NewInt(int64(c.above/8)), i)
			if below.IsUint64() && below.Uint64() < c.low {
				want = append(want, key{Code: c.low - below.Uint64()})
			}
			if above.IsUint64() && above.Uint64() < math.MaxUint64-c.high {
				want = append(want, key{Code: c.high + above.Uint64()})
			}
		}
		want = append(want, key{Code: c.high})
		got := beyond(sample, true)
		slices.SortFunc(got, codes.CompareKeys)
		slices.SortFunc(want, codes.CompareKeys)
		if !slices.Equal(got, want) {
			t.Errorf("%#x: ends %#x, want %#x", c, got, want)
		}
	}
}
