// Package dist makes the inputs that tests, fuzz targets and benchmarks share:
// named distributions over the 64-bit line, to be mapped monotonically to any
// key type, and codes of keys as programs have them.
package dist

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Dist is a named way to draw n values; the same n and r give the same values.
type Dist struct {
	Name string
	Draw func(n int, r *rand.Rand) []uint64
}

// All lists every distribution, uniform first.
var All = []Dist{
	{"uniform", uniform},
	{"sorted", sorted},
	{"reversed", reversed},
	{"nearly sorted", nearly},
	{"appended", appended},
	{"16 values", few(16)},
	{"zipf", zipf},
	{"equal", few(1)},
	{"gauss", gauss},
	{"log", logarithmic},
	{"low bits", func(n int, r *rand.Rand) []uint64 { return mask(uniform(n, r), 1<<20-1) }},
	{"two outliers", outliers},
	{"sawtooth", sawtooth},
	{"organ pipe", organPipe},
}

// Named returns the distribution of that name; it panics if there is none.
func Named(name string) Dist {
	i := slices.IndexFunc(All, func(d Dist) bool { return d.Name == name })
	return All[i]
}

// Rand returns a generator for seed.
func Rand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x5eed)) }

func draw(n int, f func(i int) uint64) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		v[i] = f(i)
	}
	return v
}

func uniform(n int, r *rand.Rand) []uint64 { return draw(n, func(int) uint64 { return r.Uint64() }) }

func sorted(n int, r *rand.Rand) []uint64 {
	v := uniform(n, r)
	slices.Sort(v)
	return v
}

// reversed is strictly descending for n below 2^32.
func reversed(n int, _ *rand.Rand) []uint64 {
	step := math.MaxUint64 / uint64(max(n, 1))
	return draw(n, func(i int) uint64 { return uint64(n-i) * step })
}

// nearly is sorted except for 1 % of the elements, which were swapped at random.
func nearly(n int, r *rand.Rand) []uint64 {
	v := sorted(n, r)
	for range n / 200 {
		i, j := r.IntN(n), r.IntN(n)
		v[i], v[j] = v[j], v[i]
	}
	return v
}

// appended is sorted except for its last 1 %.
func appended(n int, r *rand.Rand) []uint64 {
	return append(sorted(n-n/100, r), uniform(n/100, r)...)
}

// few draws from k values spread over the line.
func few(k uint64) func(n int, r *rand.Rand) []uint64 {
	return func(n int, r *rand.Rand) []uint64 {
		return draw(n, func(int) uint64 { return (r.Uint64N(k) + 1) * (math.MaxUint64 / (k + 1)) })
	}
}

// zipf draws ranks of about a million with exponent 1.1 and scatters them over the line.
func zipf(n int, r *rand.Rand) []uint64 {
	z := rand.NewZipf(r, 1.1, 1, 1<<20)
	return draw(n, func(int) uint64 { return z.Uint64() * 0x9e3779b97f4a7c15 })
}

func gauss(n int, r *rand.Rand) []uint64 {
	return draw(n, func(int) uint64 {
		x := min(max(r.NormFloat64()/12+0.5, 0), 0.999999)
		return uint64(x*(1<<53))<<11 | r.Uint64N(1<<11)
	})
}

// logarithmic has as many values in [2^k, 2^k+1) for every k.
func logarithmic(n int, r *rand.Rand) []uint64 {
	return draw(n, func(int) uint64 { return r.Uint64() >> r.IntN(64) })
}

// outliers is narrow except for one value at either end of the line.
func outliers(n int, r *rand.Rand) []uint64 {
	v := draw(n, func(int) uint64 { return 1<<63 + r.Uint64N(1<<24) })
	if n > 1 {
		v[n/3], v[n/2] = 0, math.MaxUint64
	}
	return v
}

func sawtooth(n int, _ *rand.Rand) []uint64 {
	tooth := uint64(math.Sqrt(float64(n)) + 1)
	return draw(n, func(i int) uint64 { return uint64(i) % tooth * (math.MaxUint64 / tooth) })
}

func organPipe(n int, _ *rand.Rand) []uint64 {
	return draw(n, func(i int) uint64 { return uint64(min(i, n-1-i)) * (math.MaxUint64 / uint64(n)) })
}

func mask(v []uint64, m uint64) []uint64 {
	for i := range v {
		v[i] &= m
	}
	return v
}
