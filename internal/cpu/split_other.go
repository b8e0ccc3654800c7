//go:build !amd64

package cpu

// splits is false: without vectors, radix passes are faster.
func splits() bool { return false }

// splitVectors moves codes below pivot to the front of codes and those above it to above, both in input
// order, and counts them.
func splitVectors[C Code](codes, above []C, pivot C) (less, more int) {
	for _, c := range codes {
		switch {
		case c < pivot:
			codes[less] = c
			less++
		case c > pivot:
			above[more] = c
			more++
		}
	}
	return less, more
}

// sortShort sorts codes that fit in shortest.
func sortShort[C Code](codes []C) { insertion(codes) }
