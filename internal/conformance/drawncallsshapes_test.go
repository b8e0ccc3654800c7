package conformance_test

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// drawnShape is a way in which values of one column come one after the other.
type drawnShape struct {
	name string
	draw func(n int, span uint64, r *rand.Rand) []uint64 // values below span
}

// drawnShapes are all shapes. The first two, for which the library has most special ways, are drawn in a third of
// the draws.
var drawnShapes = []drawnShape{
	{"ascending", ascendingOf},
	{"descending", func(n int, span uint64, r *rand.Rand) []uint64 { return backwards(ascendingOf(n, span, r)) }},
	{"random", func(n int, span uint64, r *rand.Rand) []uint64 {
		return valuesOf(n, func(int) uint64 { return r.Uint64N(span) })
	}},
	{"ascending, a few exchanged", func(n int, span uint64, r *rand.Rand) []uint64 {
		return exchanged(ascendingOf(n, span, r), 1+r.IntN(8), r)
	}},
	{"descending, a few exchanged", func(n int, span uint64, r *rand.Rand) []uint64 {
		return exchanged(backwards(ascendingOf(n, span, r)), 1+r.IntN(8), r)
	}},
	{"ascending, one in 100 drawn anew", func(n int, span uint64, r *rand.Rand) []uint64 {
		return drawnAnew(ascendingOf(n, span, r), n/100, span, r)
	}},
	{"ascending, one in 8 drawn anew", func(n int, span uint64, r *rand.Rand) []uint64 {
		return drawnAnew(ascendingOf(n, span, r), n/8, span, r)
	}},
	{"ascending, the end drawn anew", func(n int, span uint64, r *rand.Rand) []uint64 {
		v := ascendingOf(n, span, r)
		drawnAnew(v[n-min(n, 1+n/(1+r.IntN(100))):], n, span, r)
		return v
	}},
	{"rotated", func(n int, span uint64, r *rand.Rand) []uint64 {
		k := r.IntN(n + 1)
		v := ascendingOf(n, span, r)
		return slices.Concat(v[k:], v[:k])
	}},
	{"runs", func(n int, span uint64, r *rand.Rand) []uint64 {
		v := valuesOf(n, func(int) uint64 { return r.Uint64N(span) })
		for rest, k := v, 1+r.IntN(n/2+2); len(rest) > 0; rest = rest[min(k, len(rest)):] {
			slices.Sort(rest[:min(k, len(rest))])
		}
		return v
	}},
	{"runs that follow each other", func(n int, span uint64, r *rand.Rand) []uint64 {
		v, k := ascendingOf(n, span, r), 1+r.IntN(n/2+2)
		runs := slices.Collect(slices.Chunk(v, k))
		r.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		return slices.Concat(runs...)
	}},
	{"sawtooth", func(n int, span uint64, r *rand.Rand) []uint64 {
		k := uint64(1 + r.IntN(n/2+2))
		return valuesOf(n, func(i int) uint64 { return uint64(i) % k % span })
	}},
	{"organ pipe", func(n int, span uint64, r *rand.Rand) []uint64 {
		v := ascendingOf(n, span, r)
		slices.Reverse(v[n/2:])
		return v
	}},
	{"jitter", func(n int, span uint64, r *rand.Rand) []uint64 {
		far := 1 + r.IntN(1<<r.IntN(10))
		return valuesOf(n, func(i int) uint64 { return min(span-1, uint64(i+r.IntN(far))) })
	}},
	{"lattice", func(n int, span uint64, r *rand.Rand) []uint64 {
		step := r.Uint64() | 1
		return valuesOf(n, func(i int) uint64 { return uint64(i) * step % span })
	}},
	{"zipf", func(n int, span uint64, r *rand.Rand) []uint64 {
		return valuesOf(n, func(int) uint64 { return uint64(float64(span-1) * math.Pow(r.Float64(), 12)) })
	}},
	{"one and others", func(n int, span uint64, r *rand.Rand) []uint64 {
		one := r.Uint64N(span)
		return drawnAnew(valuesOf(n, func(int) uint64 { return one }), 1+n/(1+r.IntN(1000)), span, r)
	}},
	{"falling within ties", func(n int, span uint64, r *rand.Rand) []uint64 {
		k := 1 + r.IntN(1<<r.IntN(12))
		return valuesOf(n, func(i int) uint64 { return uint64(k-1-i%k) % span })
	}},
	{"crowd at an end", func(n int, span uint64, r *rand.Rand) []uint64 {
		share, end := []float64{0.1, 0.5, 0.9}[r.IntN(3)], (span-1)*r.Uint64N(2)
		return valuesOf(n, func(int) uint64 {
			if r.Float64() < share {
				return end
			}
			return r.Uint64N(span)
		})
	}},
	{"few far from each other", func(n int, span uint64, r *rand.Rand) []uint64 {
		few := uint64(2 + r.IntN(4))
		return valuesOf(n, func(int) uint64 { return r.Uint64N(few) * (span / few) })
	}},
	{"few and one in 10 others", func(n int, span uint64, r *rand.Rand) []uint64 {
		few := uint64(1 + r.IntN(4))
		return drawnAnew(valuesOf(n, func(int) uint64 { return min(span-1, r.Uint64N(few)) }), n/10, span, r)
	}},
	{"ascending, strays", func(n int, span uint64, r *rand.Rand) []uint64 {
		return drawnAnew(ascendingOf(n, span, r), 1+n/2000, span, r)
	}},
	{"descending, strays", func(n int, span uint64, r *rand.Rand) []uint64 {
		return drawnAnew(backwards(ascendingOf(n, span, r)), 1+n/2000, span, r)
	}},
	{"constant", func(n int, span uint64, r *rand.Rand) []uint64 {
		one := r.Uint64N(span)
		return valuesOf(n, func(int) uint64 { return one })
	}},
	{"the ends", func(n int, span uint64, r *rand.Rand) []uint64 {
		return valuesOf(n, func(int) uint64 { return (span - 1) * r.Uint64N(2) })
	}},
}

// drawShape draws a shape, which may be composed of others, or follow the ties of a column before.
func drawShape(of columnDraw) drawnShape {
	switch r := of.Rand; {
	case of.tied != nil && r.IntN(4) == 0:
		return tiedShape(r.IntN(len(tiedShapes)), of.tied, r)
	case r.IntN(8) == 0:
		return joinedShape(plainShape(r), plainShape(r), r)
	default:
		return plainShape(r)
	}
}

func plainShape(r *rand.Rand) drawnShape {
	if r.IntN(3) == 0 {
		return drawnShapes[r.IntN(2)]
	}
	return drawnShapes[r.IntN(len(drawnShapes))]
}

// joinedShape has one shape after another, the first in the lower part of the values, in the upper one or in all of
// them, or row by row in turns.
func joinedShape(a, b drawnShape, r *rand.Rand) drawnShape {
	way := r.IntN(4)
	return drawnShape{"joined", func(n int, span uint64, r *rand.Rand) []uint64 {
		k, half := r.IntN(n+1), max(1, span/2)
		switch way {
		case 0:
			return slices.Concat(a.draw(k, half, r), moved(b.draw(n-k, half, r), span-half))
		case 1:
			return slices.Concat(moved(a.draw(k, half, r), span-half), b.draw(n-k, half, r))
		case 2:
			return slices.Concat(a.draw(k, span, r), b.draw(n-k, span, r))
		}
		each := 1 + r.IntN(1<<r.IntN(8))
		v, w := a.draw(n, span, r), b.draw(n, span, r)
		for i := range v {
			if i/each%2 > 0 {
				v[i] = w[i]
			}
		}
		return v
	}}
}

func moved(v []uint64, by uint64) []uint64 {
	for i := range v {
		v[i] += by
	}
	return v
}

var tiedShapes = []string{"rising within ties", "falling within ties of a column", "the same within ties", "the same within ties but one", "the column before", "the column before, falling", finerShape}

// finerShape has the order of the column before, and decides its ties by input order.
const finerShape = "the column before, finer"

// tiedShape depends on the ties of a column: it rises or falls within them, is the same for all, or for all but one.
func tiedShape(way int, tied []uint64, r *rand.Rand) drawnShape {
	return drawnShape{tiedShapes[way], func(n int, span uint64, r *rand.Rand) []uint64 {
		if tiedShapes[way] == finerShape {
			order, v := ascending(n), make([]uint64, n)
			slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(tied[a], tied[b]) })
			for i, value := range ascendingOf(n, span, r) {
				v[order[i]] = value
			}
			return v
		}
		seen, stray := map[uint64]uint64{}, r.IntN(max(n, 1))
		return valuesOf(n, func(i int) uint64 {
			t := tied[i]
			k := seen[t]
			seen[t]++
			switch way {
			case 0:
				return min(span-1, k)
			case 1:
				return span - 1 - min(span-1, k)
			case 4:
				return min(span-1, t)
			case 5:
				return span - 1 - min(span-1, t)
			}
			if way == 3 && i == stray {
				return r.Uint64N(span)
			}
			return t * 0x9e3779b97f4a7c15 >> 8 % span
		})
	}}
}

func valuesOf(n int, of func(i int) uint64) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = of(i)
	}
	return v
}

// ascendingOf has every value of span about equally often.
func ascendingOf(n int, span uint64, _ *rand.Rand) []uint64 {
	return valuesOf(n, func(i int) uint64 {
		hi, lo := bits.Mul64(uint64(i), span)
		quo, _ := bits.Div64(hi, lo, uint64(n))
		return quo
	})
}

func backwards(v []uint64) []uint64 {
	slices.Reverse(v)
	return v
}

func exchanged(v []uint64, times int, r *rand.Rand) []uint64 {
	for range min(times, len(v)) {
		i, j := r.IntN(len(v)), r.IntN(len(v))
		v[i], v[j] = v[j], v[i]
	}
	return v
}

func drawnAnew(v []uint64, times int, span uint64, r *rand.Rand) []uint64 {
	for range min(times, len(v)) {
		v[r.IntN(len(v))] = r.Uint64N(span)
	}
	return v
}

// drawSpan draws how many values a column of n rows has.
func drawSpan(n int, r *rand.Rand) uint64 {
	spans := []int{1, 2, 3, 5, 16, 100, 256, 1000, 65_536, n / 100, n / 10, n/3 + 1, n, n, n, 2 * n, 100 * n, math.MaxInt >> 8}
	return uint64(max(1, spans[r.IntN(len(spans))]))
}

// line is a way to place the values below span on the line of all values of some bits. All
// but the last keep their order.
type line struct {
	name string
	at   func(v, span, highest uint64) uint64
}

var lines = []line{
	{"lowest", func(v, _, highest uint64) uint64 { return min(v, highest) }},
	{"around the middle", func(v, span, highest uint64) uint64 {
		if span > highest {
			return v / (span/highest + 1)
		}
		return highest/2 - span/2 + v
	}},
	{"highest", func(v, span, highest uint64) uint64 { return highest - min(span-1-v, highest) }},
	{"everywhere", func(v, span, highest uint64) uint64 {
		if span > highest {
			return v / (span/highest + 1)
		}
		return v * (highest / span)
	}},
	{"everywhere", func(v, span, highest uint64) uint64 {
		return min(highest, v*max(1, highest/span)+v%3)
	}},
	{"powers of two", func(v, span, highest uint64) uint64 {
		width := uint64(bits.Len64(highest))
		return 1 << (v / (span/width + 1))
	}},
	{"two of the ends", func(v, span, highest uint64) uint64 {
		if v < span/2 {
			return v % 2
		}
		return highest - v%2
	}},
	{"hashed", func(v, _, highest uint64) uint64 {
		v = (v ^ v>>29) * 0xbf58476d1ce4e5b9
		return (v ^ v>>32) & highest
	}},
}

// thresholds are sizes at which the library changes its way, those of its constants among them. Draws
// take them, and sizes next to them.
var thresholds = []int{
	2, 4, 5, 8, 12, 16, 20, 24, 32, 48, 64, 100, 128, 192, 256, 320, 512, 768, 1000, 1024, 2000, 2048, 3000, 4096, 5000, 6144, 8192,
	10_000, 12_288, 16_384, 20_000, 24_576, 30_000, 32_768, 40_000, 49_152, 65_536, 100_000, 131_072,
	150_000, 200_000, 262_144, 300_000, 524_288, 1 << 20, 1_300_000, 1 << 21, 1 << 22,
}

// drawLargest draws about how many rows a case has at most: most cases have few, and are many.
func drawLargest(r *rand.Rand, largest int) int {
	switch r.IntN(50) {
	case 0:
		return largest
	case 1, 2, 3, 4, 5, 6, 7, 8:
		return min(largest, 20_000)
	}
	return min(largest, 6200)
}

// drawSize draws a number of rows up to about the largest: half of the draws are small.
func drawSize(r *rand.Rand, largest int) int {
	all := thresholds[:max(1, sizesUpTo(thresholds, largest))]
	switch r.IntN(8) {
	case 0:
		return r.IntN(21)
	case 1:
		return r.IntN(1 << r.IntN(1+bits.Len(uint(all[len(all)-1]))))
	case 2, 3:
		return near(all[len(all)-1-r.IntN(1+len(all)/5)], r)
	}
	return near(all[r.IntN(len(all))], r)
}

func sizesUpTo(all []int, largest int) int {
	n, _ := slices.BinarySearch(all, largest+1)
	return n
}

func near(n int, r *rand.Rand) int { return max(0, n-1+r.IntN(3)) }
