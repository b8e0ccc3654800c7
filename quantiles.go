package sorter

import (
	"fmt"
	"math"

	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/pipeline/ranked"
	"golang.org/x/exp/constraints"
)

// Quantiles returns the quantiles qs, in [0, 1], of keys, which are left alone. The quantile q is at
// place q*(len(keys)-1) of the order, from 0, and between two keys linear by the distance from them:
// the default of NumPy, R, Arrow and Excel, and SQL's percentile_cont. The median is 0.5.
//
// Keys are converted to float64 first. A quantile at a NaN, between one and a key, or between both infinities is
// NaN; one between an infinity and a key is the infinity. NaNs
// come first in the order, or where [NaNsLast] and [NaNsFirst] say. With [Descending], q counts
// from the largest key. There is no quantile of no keys: all are NaN.
//
// It takes the time and the scratch of [Rows.Nth] for two places of each quantile. More than 256
// quantiles, and those of up to 65536 keys or of keys of few values, are read from a sorted copy of
// keys. It panics if a q is not in [0, 1]. Everything else said of [Rows.Nth] holds.
func Quantiles[K constraints.Integer | constraints.Float](keys []K, qs []float64, opts ...Option) ([]float64, error) {
	ks := make([]int, 0, 2*len(qs))
	for _, q := range qs {
		checkQuantile(q)
		lo, hi := placesOf(q, len(keys))
		ks = append(ks, lo, hi)
	}
	all := make([]float64, len(qs))
	var o config
	apply(&o, opts)
	if len(keys) == 0 {
		for i := range all {
			all[i] = math.NaN()
		}
		if err := pipeline.Nothing(0, &o); err != nil {
			return nil, err
		}
		return all, nil
	}
	keys, err := ranked.KeysAt(keys, ks, &o)
	if err != nil {
		return nil, err
	}
	for i, q := range qs {
		all[i] = quantileOf(float64(keys[ks[2*i]]), float64(keys[ks[2*i+1]]), q, len(keys))
	}
	return all, nil
}

// placesOf returns the places of n keys between which the quantile q lies.
func placesOf(q float64, n int) (lo, hi int) {
	lo = int(q * float64(n-1))
	return lo, min(lo+1, n-1)
}

// quantileOf returns the quantile q of n keys, which lies between those at [placesOf].
func quantileOf(lo, hi, q float64, n int) float64 {
	h := q * float64(n-1)
	return between(lo, hi, h-math.Floor(h))
}

// between returns the point at a share of the way from a to b.
func between(a, b, share float64) float64 {
	switch {
	case a == b || share == 0 || math.IsInf(a, 0) && b-b == 0: // b is finite
		return a
	case math.Signbit(a) != math.Signbit(b): // the distance may be more than a float64 holds
		return a*(1-share) + b*share
	}
	return a + (b-a)*share
}

func checkQuantile(q float64) {
	if !(q >= 0 && q <= 1) { // false for NaN
		panic(fmt.Sprintf("sorter: quantile %v, which is not in [0, 1]", q))
	}
}
