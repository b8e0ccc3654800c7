package loops

import "unsafe"

// KeySpan is the codes from Least to Most. A code is that of a key's bits: those with a top bit, negative floats, have the bits of Negative
// flipped, and Plus is added to all.
type KeySpan[C Code] struct{ Negative, Plus, Least, Most C }

// Of returns the code of a key.
func (s *KeySpan[C]) Of(key C) C {
	top := 8*unsafe.Sizeof(key) - 1
	return (key ^ -(key>>top)&s.Negative) + s.Plus
}

// keysWithin is [KeysWithin] without vector instructions.
func keysWithin[C Code](dst []C, masks []uint64, keys []C, s KeySpan[C]) (below, within int) {
	clear(masks[:(len(keys)+63)/64])
	for i, key := range keys {
		switch c := s.Of(key); {
		case c < s.Least:
			below++
		case c <= s.Most:
			dst[within] = c - s.Least
			masks[i/64] |= 1 << (i % 64)
			within++
		}
	}
	return below, within
}
