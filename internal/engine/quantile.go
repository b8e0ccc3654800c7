package engine

import "math"

// QuantileRank returns the rank of the quantile q of n elements, one at least, by the nearest rank: so a quantile is the same
// element on every engine.
func QuantileRank(q float64, n int) int { return min(max(int(math.Ceil(q*float64(n)))-1, 0), n-1) }
