package selection

import (
	"math"

	"example.com/sorter/kernels"
)

// plan is the levels of a selection.
type plan struct {
	capacity []int // elements that each level may keep
	ranked   bool  // few are left in the end: each is compared with every other
}

// Of elements that are kept, by expectation: up to rankedMost are compared with each other, 15 µs
// for 8192 on an H200 and four times that for twice as many; a sort of more takes 200 µs. A level that keeps more than half is
// not taken, and none if more than a quarter of all would be left.
const (
	rankedMost = 3 * kernels.RankedMost
	worthwhile = 2
	fewOfAll   = 4
)

// sortedLeast is the number of elements from which on two sorts of what is left take less time than one of all. Tests
// lower it.
var sortedLeast = 1 << 23

// planFor returns the levels by which the elements of count ranks from first on are found among n, none
// if an order of all is better.
func planFor(n, first, count int) plan {
	if n <= kernels.RankedMost {
		return plan{[]int{n}, true} // the level keeps all
	}
	var p plan
	left, most, from := float64(n), float64(n), float64(first) // expected, at most, first rank of those expected
	for left > kernels.RankedMost && len(p.capacity) < kernels.SelectLevels {
		low, high := bounds(left, from, float64(count))
		share := (high - low) / kernels.SelectSamples
		if share > 1./worthwhile {
			break
		}
		most = min(most, capacityFor(most, from, float64(count), len(p.capacity) > 0))
		p.capacity = append(p.capacity, int(most))
		from -= low / kernels.SelectSamples * left
		left *= share
	}
	p.ranked = left <= rankedMost
	if left > float64(n)/fewOfAll || !p.ranked && n < sortedLeast {
		return plan{}
	}
	return p
}

// bounds returns the places in the sample of n elements between which ranks lie, as find_bounds of
// selection.cuh does.
func bounds(n, first, count float64) (low, high float64) {
	low, high = first/n*kernels.SelectSamples, (first+count)/n*kernels.SelectSamples
	return max(0, low-slack(low)), min(kernels.SelectSamples, high+slack(high))
}

// slack returns how far from its mean a place in the sample may be.
func slack(mean float64) float64 {
	return 4.5*math.Sqrt(max(0, mean*(1-mean/kernels.SelectSamples))) + 9
}

// capacityFor returns how many of up to n elements a level may keep: all, where they turn out to be few. After the first
// level, the first rank is not known unless it is 0.
func capacityFor(n, first, count float64, later bool) float64 {
	if later && first > 0 {
		first = (n - count) / 2 // where the slack is greatest
	}
	low, high := bounds(n, first, count)
	width := high - low + slack(low) + slack(high)
	return math.Ceil(min(n, max(kernels.RankedMost, width/kernels.SelectSamples*n)))
}
