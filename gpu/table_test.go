package gpu

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/kernels"
)

// mapped is the plain twin of equalised in slices.cuh.
func (t *table) mapped(l *layout, k key) uint64 {
	first, last := 0, int(t.cell[kernels.Segments])
	if k.code >= l.low && k.code-l.low <= l.span {
		word := l.word(k)
		zeros := bits.LeadingZeros64(word | 1)
		cell := (63-zeros)<<4 | int(word<<zeros>>59)&15
		first, last = int(t.cell[cell]), int(t.cell[cell+1])
	}
	for first < last {
		middle := (first + last + 1) / 2
		if compareKeys(k, t.low[middle]) < 0 {
			last = middle - 1
		} else {
			first = middle
		}
	}
	low, borrow := t.low[first], uint64(0)
	if k.position < low.position {
		borrow = 1
	}
	high, rest := k.code-low.code-borrow, k.position-low.position
	return t.base[first] + t.lead(high, rest, t.skip(first))*t.rise[first]
}

// word is the plain twin of word_of in slices.cuh.
func (l *layout) word(k key) uint64 {
	return (k.code-l.low)<<l.up | uint64(k.position/l.stretch())<<l.at&l.keep
}

// TestTable checks that tables keep the order of all keys, inside and outside
// the range that a sample suggested.
func TestTable(t *testing.T) {
	const n = 1 << 20
	r := rand.New(rand.NewPCG(3, 4))
	spreads := map[string]func() uint64{
		"gauss":     func() uint64 { return uint64(math.Ldexp(min(max(r.NormFloat64()/16+0.5, 0), 0.999), 64)) },
		"log":       func() uint64 { return uint64(math.Exp2(64*r.Float64())) - 1 },
		"16 values": func() uint64 { return r.Uint64N(16) * 0x9e3779b97f4a7c15 },
		"dense":     func() uint64 { return 1<<60 + r.Uint64N(3) },
	}
	for name, code := range spreads {
		for _, wide := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " wide ", wide), func(t *testing.T) {
				draw := func() key {
					c := code()
					if !wide {
						c >>= 32
					}
					return key{c, r.Uint32() >> 12 << 12}
				}
				sample := make([]key, kernels.RangeSamples)
				for i := range sample {
					sample[i] = draw()
				}
				slices.SortFunc(sample, compareKeys)
				l := layoutFor(n, wide, sample[0].code, sample[len(sample)-1].code, unevenMargin)
				checkTable(t, quantilesTable(wide, &l, sample), &l, draw, r)
			})
		}
	}
}

func checkTable(t *testing.T, tab *table, l *layout, draw func() key, r *rand.Rand) {
	t.Helper()
	count := make([]uint32, kernels.Segments)
	for range 1 << 14 {
		k := draw()
		s, found := slices.BinarySearchFunc(tab.low, k, compareKeys)
		if !found {
			s--
		}
		count[s]++
	}
	tab.share(count)
	keys := []key{{}, {top(tab.wide), math.MaxUint32 >> 12 << 12}}
	for _, k := range tab.low { // about every boundary
		keys = append(keys, k, key{k.code, k.position | 1<<12})
		if k.code > 0 {
			keys = append(keys, key{k.code - 1, math.MaxUint32 >> 12 << 12})
		}
	}
	for range 1 << 14 {
		keys = append(keys, draw(), key{r.Uint64() & top(tab.wide), r.Uint32() >> 12 << 12})
	}
	slices.SortFunc(keys, compareKeys)
	for i := 1; i < len(keys); i++ {
		if a, b := tab.mapped(l, keys[i-1]), tab.mapped(l, keys[i]); a > b {
			t.Fatalf("%d segments: %v maps to %x, the next key %v to %x", len(tab.low), keys[i-1], a, keys[i], b)
		}
	}
}
