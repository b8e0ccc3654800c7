package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// The certification matrix of J. L. Bentley and M. D. McIlroy, "Engineering a
// sort function", Software: Practice and Experience 23 (1993), section
// "Certification": five distributions of period or spread m under six changes.

var matrixDraws = []struct {
	name string
	at   func(i, n, m int, r *rand.Rand) int
}{
	{"sawtooth", func(i, _, m int, _ *rand.Rand) int { return i % m }},
	{"rand", func(_, _, m int, r *rand.Rand) int { return r.IntN(m) }},
	{"stagger", func(i, n, m int, _ *rand.Rand) int { return (i*m + i) % n }},
	{"plateau", func(i, _, m int, _ *rand.Rand) int { return min(i, m) }},
	{"shuffle", nil}, // needs a memory: see drawMatrix
}

func drawMatrix(name string, at func(i, n, m int, r *rand.Rand) int, n, m int) []int {
	r := dist.Rand(uint64(n*1000003 + m))
	x := make([]int, n)
	even, odd := 0, 1
	for i := range x {
		switch {
		case name != "shuffle":
			x[i] = at(i, n, m, r)
		case r.IntN(m) != 0:
			even += 2
			x[i] = even
		default:
			odd += 2
			x[i] = odd
		}
	}
	return x
}

var matrixChanges = []struct {
	name   string
	change func(x []int)
}{
	{"copy", func([]int) {}},
	{"reverse", slices.Reverse[[]int]},
	{"reverse front half", func(x []int) { slices.Reverse(x[:len(x)/2]) }},
	{"reverse back half", func(x []int) { slices.Reverse(x[len(x)/2:]) }},
	{"sorted", slices.Sort[[]int]},
	{"dither", func(x []int) {
		for i := range x {
			x[i] += i % 5
		}
	}},
}

func TestBentleyMcIlroy(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	for _, n := range []int{100, 1023, 1024, 1025, 20_011} {
		for _, d := range matrixDraws {
			step := 2
			if n > 2000 {
				step = testkit.Pick(0, 16)
			}
			for m := 1; m < 2*n; m *= step {
				x := drawMatrix(d.name, d.at, n, m)
				for i, c := range matrixChanges {
					x := slices.Clone(x)
					c.change(x)
					checkMatrix(t, fmt.Sprintf("n=%d, %s, m=%d, %s", n, d.name, m, c.name), x, modes[(i+m+n)%len(modes)])
				}
			}
		}
	}
}

// checkMatrix sorts x as narrow, wide and floating keys and as strings.
func checkMatrix(t *testing.T, name string, x []int, m mode) {
	t.Helper()
	sets := []keySet{
		keyKind[int]{order: oracle.Ordered[int]}.set(x),
		keyKind[int32]{order: oracle.Ordered[int32]}.set(mapped(x, func(v int) int32 { return int32(-v) })),
		keyKind[float64]{order: oracle.Ordered[float64]}.set(mapped(x, func(v int) float64 { return float64(v) - 50.5 })),
		keyKind[string]{order: oracle.Ordered[string]}.set(mapped(x, func(v int) string { return decimal(uint64(v)) })),
	}
	if len(x) > 2000 {
		sets = sets[:1]
	}
	for i, set := range sets {
		ref := newReference([]string{"int", "int32", "float64", "string"}[i]+", "+name, set)
		ref.checkSort(t, m)
		ref.checkSortKeys(t, m)
	}
}
