package dist

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Users are codes of keys that programs have.
var Users = slices.Concat(numbers, timestamps(), references, mixtures, addresses)

var numbers = []Codes{
	float("prices", Both, price),
	float("percentages", Both, func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(1001)) / 10 }),
	float("longitudes", Both, func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(36_000_001)-18_000_000) / 1e5 }),
	float("latitudes", Both, func(r *rand.Rand, i, n int) float64 { return math.Asin(2*r.Float64()-1) * 180 / math.Pi }),
	float("uniform", Both, func(r *rand.Rand, i, n int) float64 { return r.Float64() }),
	float("symmetric", Both, func(r *rand.Rand, i, n int) float64 { return 2*r.Float64() - 1 }),
	float("normal", Both, func(r *rand.Rand, i, n int) float64 { return r.NormFloat64() }),
	float("exponential", Both, func(r *rand.Rand, i, n int) float64 { return r.ExpFloat64() }),
	float("lognormal", Both, func(r *rand.Rand, i, n int) float64 { return math.Exp(r.NormFloat64()) }),
	float("integers", Both, func(r *rand.Rand, i, n int) float64 { return float64(r.IntN(1e6)) }),
	float("offset", Both, func(r *rand.Rand, i, n int) float64 { return 1000 + 10*r.NormFloat64() }),
	float("sensor", Both, func(r *rand.Rand, i, n int) float64 { // steps of a sixteenth, a slow drift
		return math.Round(16*(20+5*math.Sin(7*float64(i)/float64(n))+0.3*r.NormFloat64())) / 16
	}),
	signed("quantities", Both, func(r *rand.Rand, i, n int) int64 { return 1 + int64(rank(r, 1000)) }),
}

// price has two decimals.
func price(r *rand.Rand, i, n int) float64 {
	return math.Round(100*math.Exp(4+r.NormFloat64())) / 100
}

// Timestamps count units since 1970, from epoch seconds on.
const epoch = 1_700_000_000

const day = 86400 // seconds

// unit is the resolution of timestamps.
type unit struct {
	name string
	each uint64 // of a second
	Widths
}

var (
	seconds      = unit{"seconds", 1, Both}
	milliseconds = unit{"milliseconds", 1e3, Wide}
	microseconds = unit{"microseconds", 1e6, Wide}
	nanoseconds  = unit{"nanoseconds", 1e9, Wide}
)

// stamps returns timestamps of a span of seconds in which at draws times.
func stamps(u unit, span string, how string, times uint64, at func(r *rand.Rand, i, n int, span, each uint64) uint64) Codes {
	return signed(u.name+" of a "+span+how, u.Widths, func(r *rand.Rand, i, n int) int64 {
		return int64(epoch*u.each + at(r, i, n, times*u.each, u.each))
	})
}

// timestamps are at random times, or nearly in order: as they arrive, some units or up to a minute late.
func timestamps() (all []Codes) {
	units := []unit{seconds, milliseconds, nanoseconds}
	for i, u := range units {
		for k, s := range []string{"day", "month", "year"} {
			span := []uint64{day, 30 * day, 364 * day}[k]
			all = append(all, stamps(u, s, "", span, anyTime), stamps(u, s, " with jitter", span, unitsLate))
			if i > 0 {
				all = append(all, stamps(u, s, " a minute late", span, minuteLate))
			}
			if i == k || k == 2 {
				all = append(all, stamps(u, s, " with gaps", span, openTime))
			}
			if k > 0 && i != 1 {
				all = append(all, stamps(u, s, " with gaps and jitter", span, openTimeLate))
			}
		}
	}
	return all
}

func anyTime(r *rand.Rand, _, _ int, span, _ uint64) uint64 { return r.Uint64N(span) }

func unitsLate(r *rand.Rand, i, n int, span, _ uint64) uint64 {
	return part(i, n, span) + r.Uint64N(61)
}

func minuteLate(r *rand.Rand, i, n int, span, each uint64) uint64 {
	return part(i, n, span) + r.Uint64N(60*each+1)
}

func openTime(r *rand.Rand, _, _ int, span, each uint64) uint64 {
	return open(r.Uint64N(openSpan(span, each)), each)
}

func openTimeLate(r *rand.Rand, i, n int, span, each uint64) uint64 {
	return open(part(i, n, openSpan(span, each)), each) + r.Uint64N(61)
}

// openHours of a day are without a night, and two days of a week without any.
const openHours = 10 * 3600

// openSpan is the open part of a span.
func openSpan(span, each uint64) uint64 {
	days := span / (day * each)
	return max(days*5/7, 1) * openHours * each
}

// open returns the time after an amount of open time.
func open(t, each uint64) uint64 {
	days, rest := t/(openHours*each), t%(openHours*each)
	return (days/5*7+days%5)*day*each + 8*3600*each + rest
}

// references are keys of other tables, and codes of dictionaries.
var references = slices.Concat(foreignKeys(false), foreignKeys(true), []Codes{
	foreign("sequential keys of 10^4 equal", func(r *rand.Rand) uint64 { return 1 + r.Uint64N(1e4) }),
	foreign("sequential keys of 10^4 zipf", func(r *rand.Rand) uint64 { return 1 + rank(r, 1e4) }),
	foreign("sequential keys of 10^7 equal", func(r *rand.Rand) uint64 { return 1 + r.Uint64N(1e7) }),
	foreign("sequential keys of 10^7 zipf", func(r *rand.Rand) uint64 { return 1 + rank(r, 1e7) }),
	foreign("dictionary codes", func(r *rand.Rand) uint64 { return rank(r, 50_000) }),
})

// foreignKeys are hashed ones, of equal or of Zipf's shares.
func foreignKeys(zipf bool) (all []Codes) {
	for power := 2; power <= 7; power++ {
		count := math.Pow10(power)
		name := fmt.Sprintf("hashed keys of 10^%d ", power)
		if zipf {
			all = append(all, hashed(name+"zipf", func(r *rand.Rand) uint64 { return rank(r, count) }))
		} else {
			all = append(all, hashed(name+"equal", func(r *rand.Rand) uint64 { return r.Uint64N(uint64(count)) }))
		}
	}
	return all
}

func foreign(name string, at func(r *rand.Rand) uint64) Codes {
	return unsigned(name, Both, func(r *rand.Rand, _, _, _ int) uint64 { return at(r) })
}

func hashed(name string, at func(r *rand.Rand) uint64) Codes {
	return unsigned(name, Both, func(r *rand.Rand, _, _, bits int) uint64 { return Scatter(at(r), bits) })
}

// mixtures have three keys in ten that are zero or null.
var mixtures = []Codes{
	float("zeros and lognormal", Both, func(r *rand.Rand, i, n int) float64 {
		if r.IntN(10) < 3 {
			return 0
		}
		return math.Exp(r.NormFloat64())
	}),
	float("zeros and normal", Both, func(r *rand.Rand, i, n int) float64 {
		if r.IntN(10) < 3 {
			return 0
		}
		return r.NormFloat64()
	}),
	float("nulls and prices", Both, func(r *rand.Rand, i, n int) float64 {
		if r.IntN(10) < 3 {
			return math.NaN()
		}
		return price(r, i, n)
	}),
	unsigned("nulls and uniform", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if r.IntN(10) < 3 {
			return math.MaxUint64 >> (64 - bits)
		}
		return r.Uint64() >> (65 - bits)
	}),
	unsigned("nulls and quantities", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if r.IntN(10) < 3 {
			return math.MaxUint64 >> (64 - bits)
		}
		return 1 + rank(r, 1000)
	}),
}

var addresses = []Codes{
	// 5000 networks of unequal shares, and a fifth in a private network.
	unsigned("IPv4 addresses", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if r.IntN(5) == 0 {
			return 10<<24 | rank(r, 1<<16)
		}
		return (1+Scatter(rank(r, 5000), 24)%(223<<16))<<8 | (1 + r.Uint64N(254))
	}),
	unsigned("random UUIDs", Wide, func(r *rand.Rand, i, n, bits int) uint64 { return r.Uint64()&^0xf000 | 0x4000 }),
	// Of several hosts within a day, up to 5 ms late.
	unsigned("UUIDs by time", Wide, func(r *rand.Rand, i, n, bits int) uint64 {
		return (epoch*1000+part(i, n, day*1000)+r.Uint64N(6))<<16 | 0x7000 | r.Uint64N(1<<12)
	}),
	// The second and the process: the counter is in another word.
	unsigned("object ids", Wide, func(r *rand.Rand, i, n, bits int) uint64 {
		return (epoch+part(i, n, 7*day))<<32 | Scatter(r.Uint64N(16), 32)
	}),
}
