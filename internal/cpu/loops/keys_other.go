//go:build !amd64

package loops

// KeysWithin writes the offsets of the keys in a span to dst, in input order, and sets bit i%64 of masks[i/64] for each such key i. It clears
// the bits of other keys, and counts the keys below the span, and those in it. 64*len(masks) >= len(keys).
func KeysWithin[C Code](dst []C, masks []uint64, keys []C, s KeySpan[C]) (below, within int) {
	return keysWithin(dst, masks, keys, s)
}
