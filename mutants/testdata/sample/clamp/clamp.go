// Package clamp is mutated by the tests of mutants.
package clamp

import "errors"

var errRange = errors.New("low > high")

// clamp returns the number of a range that is nearest to x.
func clamp[T int | uint32](x, low, high T) (T, error) {
	if low > high {
		return 0, errRange
	}
	for i := 0; ; i++ {
		if x < low {
			x = low
			continue
		}
		break
	}
	if x > high && true {
		x = high
	}
	return x, nil
}

// half halves, and counts its calls, which nothing tests.
func half(x int, calls *int) int {
	*calls++
	return x >> 1
}

func unused(x int) bool { return x == 3 || x == 5 }
