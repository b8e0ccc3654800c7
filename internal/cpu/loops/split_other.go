//go:build !amd64

package loops

// SplitBelow moves codes below pivot to the front of codes and those above it to other, both in input order, and counts
// them. SplitAbove is the same for those above it and those below it.
func SplitBelow[C Code](codes, other []C, pivot C) (below, above int) {
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

func SplitAbove[C Code](codes, other []C, pivot C) (above, below int) {
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

// SplitInPlace moves codes below pivot to the front, in any sequence, and counts them.
func SplitInPlace[C Code](codes []C, pivot C) (below int) {
	for i, c := range codes {
		if c < pivot {
			codes[i], codes[below] = codes[below], c
			below++
		}
	}
	return below
}
