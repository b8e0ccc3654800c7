package bucket

import (
	"math"
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
)

// TestCrowd orders codes of which a part is the least or the greatest, or both, and holds the order to a
// stable sort. Without a crowd, or with one code only, they are ordered as others are.
func TestCrowd(t *testing.T) {
	for _, n := range []int{leastCrowded - 1, leastCrowded, 3001, 3003, MaxLen} {
		for _, c := range []struct {
			least, most int // of a hundred codes
			crowded     bool
		}{{10, 0, true}, {0, 10, true}, {10, 20, true}, {95, 0, true}, {100, 0, false}, {0, 0, false}} {
			r, codes := dist.Rand(uint64(n)), make([]uint64, n)
			for i := range codes {
				switch k := r.IntN(100); {
				case k < c.least:
					codes[i] = 1 << 40
				case k < c.least+c.most:
					codes[i] = math.MaxUint64
				default:
					codes[i] = 1<<40 + 1 + r.Uint64N(1<<62)
				}
			}
			var env engine.Env
			w := Worker[uint64]{Env: &env}
			v := presorted.SummaryOf(codes)
			want := make([]uint32, n)
			presorted.Forward(want, 0)
			testkit.SortStable(want, func(a, b uint32) int {
				if codes[a] < codes[b] {
					return -1
				}
				return int(min(1, codes[a]-codes[b]))
			})
			for range 3 {
				if got := w.Order(codes, v.Min, v.Span()); !slices.Equal(got, want) {
					t.Fatalf("%d codes, %d%% the least, %d%% the greatest: wrong order", n, c.least, c.most)
				}
				got := w.orderFew(codes, v.Min, v.Span())
				if (got != nil) != (c.crowded && n >= leastCrowded) {
					t.Fatalf("%d codes, %d%% the least, %d%% the greatest: parted %t", n, c.least, c.most, got != nil)
				}
				if got != nil && !slices.Equal(got, want) {
					t.Fatalf("%d codes, %d%% the least, %d%% the greatest: wrong parted order", n, c.least, c.most)
				}
			}
		}
	}
}
