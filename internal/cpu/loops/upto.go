package loops

import "math/bits"

// UpTo sets bit i%64 of masks[i/64] for each code i <= most, and clears the other bits of these
// words. It returns how many it set. 64*len(masks) >= len(codes).
func UpTo[C Code](masks []uint64, codes []C, most C) (count int) {
	n := upToVectors(masks, codes, most)
	for i := n; i < len(codes); i += 64 {
		masks[i/64] = upTo64(codes[i:min(i+64, len(codes))], most)
	}
	for _, m := range masks[:(len(codes)+63)/64] {
		count += bits.OnesCount64(m)
	}
	return count
}

// upTo64 returns the bits of at most 64 codes.
func upTo64[C Code](codes []C, most C) (mask uint64) {
	for i, c := range codes {
		bit := uint64(0)
		if c <= most { // no branch: which codes pass cannot be predicted
			bit = 1
		}
		mask |= bit << (i & 63)
	}
	return mask
}
