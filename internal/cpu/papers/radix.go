package papers

import (
	"math/bits"
	"slices"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// radix sorts by one digit after the other, least significant first, in stable passes: the LSD
// radix sort of Hwu, Kirk and El Hajj, "Programming Massively Parallel Processors" (2022),
// 13.2 to 13.6. A worker's stripe takes the role of the thread block, as coarse as 13.6
// advises, and cache lines take the role of shared memory in combining writes (13.4). Digits
// that all codes share are skipped.
func radix[C engine.Code](env *engine.Env, pairs []pair[C]) ([]pair[C], error) {
	n := uint32(len(pairs))
	lowest, highest, err := codeRange(env, pairs)
	if err != nil {
		return nil, err
	}
	s, spare := newPass[C](env, len(pairs)), takePairs[C](env, len(pairs))
	width, ends := bits.Len64(uint64(highest-lowest)), scratch.In[uint32](&env.Arena, sizeEnds(nil))
	for shift := 0; shift < width; shift += digitBits {
		if err := s.count(env, pairs, digit[C]{lowest, shift}, ends); err != nil {
			return nil, err
		}
		if first := slices.IndexFunc(ends, func(end uint32) bool { return end > 0 }); ends[first] == n {
			continue
		}
		if err := s.move(env, spare, pairs); err != nil {
			return nil, err
		}
		env.Trace.Rounds++
		pairs, spare = spare, pairs
	}
	return pairs, nil
}
