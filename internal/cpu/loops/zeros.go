package loops

import "math/bits"

// ZeroPlaces writes lo+i for each bit i < n of a set that is 0 to places, which has room for no others, and
// returns their number. 64*len(set) >= n. It may overwrite the rest of places.
func ZeroPlaces(places []uint32, set []uint64, n int, lo uint32) (k int) {
	k, done := zeroVectors(places, set[:n/64], lo)
	for i := 64 * done; i < n; i += 64 {
		zeros := ^set[i/64]
		if left := n - i; left < 64 {
			zeros &= 1<<left - 1
		}
		k += onePlaces(places[k:], zeros, lo+uint32(i))
	}
	return k
}

// onePlaces writes lo+i for the bits i that are set in word to places, in memory for no more, and
// returns their number.
func onePlaces(places []uint32, word uint64, lo uint32) (k int) {
	if len(places) < 64 {
		for ; word != 0; word &= word - 1 {
			places[k] = lo + uint32(bits.TrailingZeros64(word))
			k++
		}
		return k
	}
	for ; word != 0; word >>= 8 {
		to, some := (*[8]uint32)(places[k:]), bitPlaces[uint8(word)]
		to[0], to[1] = lo+uint32(some&7), lo+uint32(some>>8&7)
		to[2], to[3] = lo+uint32(some>>16&7), lo+uint32(some>>24&7)
		to[4], to[5] = lo+uint32(some>>32&7), lo+uint32(some>>40&7)
		to[6], to[7] = lo+uint32(some>>48&7), lo+uint32(some>>56)
		k += bits.OnesCount8(uint8(word))
		lo += 8
	}
	return k
}

// bitPlaces has the places of the bits that are set in a byte, the first in the lowest byte.
var bitPlaces = func() (all [256]uint64) {
	for b := range all {
		n := 0
		for i := range 8 {
			if b>>i&1 != 0 {
				all[b] |= uint64(i) << (8 * n)
				n++
			}
		}
	}
	return all
}()
