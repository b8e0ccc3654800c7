package dist

import (
	"math"
	"math/rand/v2"
)

// HeldBack are codes like those of [Users] by which nothing is tuned.
var HeldBack = untuned("held back", []Codes{
	float("salaries", Both, func(r *rand.Rand, i, n int) float64 { return 50 * math.Round(math.Exp(10.8+0.5*r.NormFloat64())/50) }),
	float("temperatures", Both, func(r *rand.Rand, i, n int) float64 { return math.Round(10*(12+9*r.NormFloat64())) / 10 }),
	float("prices below the next", Both, func(r *rand.Rand, i, n int) float64 { // 19.99, 4.49
		cents := 0.99
		if r.IntN(5) == 0 {
			cents = 0.49
		}
		return math.Floor(math.Exp(3+r.NormFloat64())) + cents
	}),
	float("near cities", Both, func(r *rand.Rand, i, n int) float64 { // 1000 longitudes of unequal shares
		return float64(Scatter(rank(r, 1000), 32))*(360/math.Exp2(32)) - 180 + 0.05*r.NormFloat64()
	}),
	float("32 bits widened", Wide, func(r *rand.Rand, i, n int) float64 { return float64(float32(r.NormFloat64())) }),
	float("ratios", Both, func(r *rand.Rand, i, n int) float64 { return float64(1+r.IntN(100)) / float64(1+r.IntN(100)) }),
	float("zeros and nulls and percentages", Both, func(r *rand.Rand, i, n int) float64 {
		switch p := r.IntN(10); {
		case p < 2:
			return 0
		case p < 3:
			return math.NaN()
		}
		return float64(r.IntN(10_001)) / 100
	}),
	signed("file sizes", Both, func(r *rand.Rand, i, n int) int64 {
		return int64(min(math.Exp(9+2.5*r.NormFloat64()), math.MaxInt32))
	}),
	signed("ages", Both, func(r *rand.Rand, i, n int) int64 { return int64(min(max(40+18*r.NormFloat64(), 0), 110)) }),
	signed("dates in nanoseconds", Wide, func(r *rand.Rand, i, n int) int64 { return (epoch + int64(r.IntN(3650))*day) * 1e9 }),
	signed("minutes in milliseconds", Wide, func(r *rand.Rand, i, n int) int64 { return (epoch + 60*int64(r.IntN(365*1440))) * 1e3 }),
	stamps(microseconds, "week", " with jitter of 5 ms", 7*day, func(r *rand.Rand, i, n int, span, _ uint64) uint64 {
		return part(i, n, span) + r.Uint64N(5001)
	}),
	stamps(milliseconds, "day", " in 64 runs", day, func(r *rand.Rand, i, n int, span, _ uint64) uint64 { // logs, one after another
		return part(i%(n/64+1), n/64+1, span) + r.Uint64N(3)
	}),
	hashed("hashed keys of 20000 equal", func(r *rand.Rand) uint64 { return r.Uint64N(20_000) }),
	hashed("hashed keys of 300000 zipf", func(r *rand.Rand) uint64 { return rank(r, 300_000) }),
	hashed("hashed keys of 3000000 equal", func(r *rand.Rand) uint64 { return r.Uint64N(3_000_000) }),
	// 41 bits of milliseconds, 10 of a host, 12 of a counter.
	unsigned("snowflake ids", Wide, func(r *rand.Rand, i, n, bits int) uint64 {
		return (part(i, n, 30*day*1000)+r.Uint64N(4))<<22 | r.Uint64N(20)<<12 | rank(r, 64)
	}),
	// 300 area codes of unequal shares, and seven digits.
	unsigned("telephone numbers", Wide, func(r *rand.Rand, i, n, bits int) uint64 {
		return (200+Scatter(rank(r, 300), 64)%800)*1e7 + r.Uint64N(1e7)
	}),
})

// untuned returns codes with the name of their list.
func untuned(list string, all []Codes) []Codes {
	for i := range all {
		all[i].Untuned = list
	}
	return all
}
