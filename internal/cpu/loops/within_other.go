//go:build !amd64

package loops

// Within writes the codes from least to most to dst, in input order, and counts those below least, and those written.
func Within[C Code](dst, codes []C, least, most C) (below, within int) {
	for _, c := range codes {
		switch {
		case c < least:
			below++
		case c <= most:
			dst[within] = c
			within++
		}
	}
	return below, within
}
