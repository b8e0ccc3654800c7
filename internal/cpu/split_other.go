//go:build !amd64

package cpu

// splits is false: without vectors, radix passes are faster.
func splits() bool { return false }

// splitBelow moves codes below pivot to the front of codes and those above it to other, both in input order, and counts
// them. splitAbove is the same for those above it and those below it.
func splitBelow[C Code](codes, other []C, pivot C) (below, above int) {
	for _, c := range codes {
		switch {
		case c < pivot:
			codes[below] = c
			below++
		case c > pivot:
			other[above] = c
			above++
		}
	}
	return below, above
}

func splitAbove[C Code](codes, other []C, pivot C) (above, below int) {
	for _, c := range codes {
		switch {
		case c > pivot:
			codes[above] = c
			above++
		case c < pivot:
			other[below] = c
			below++
		}
	}
	return above, below
}
