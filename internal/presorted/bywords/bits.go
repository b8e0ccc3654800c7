package bywords

import (
	"math"
	"math/bits"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
)

// Where many codes of a block tie, steps are compared as bits: the codes of later words are extracted for all
// of the block, and no loop has a branch on codes.

// leastTiedBlock is the share of a block, 1/leastTiedBlock, that ties at least for the codes of the next word
// to be extracted for all of it.
const leastTiedBlock = 8

// tiedSet has a bit for each step in a block: bit i is for the step to element i+1 of the codes.
type tiedSet struct {
	steps int
	tied  [engine.Block / 64]uint64
}

// narrow counts the steps that rise and fall by codes, and leaves the others in the set.
func narrow[C sortkey.Code](s *tiedSet, codes []C) (seen presorted.Steps) {
	var rises, falls [engine.Block / 64]uint64
	presorted.StepBits(rises[:], falls[:], codes)
	for i := range (s.steps + 63) / 64 {
		up, down := rises[i]&s.tied[i], falls[i]&s.tied[i]
		seen.Rises += bits.OnesCount64(up)
		seen.Falls += bits.OnesCount64(down)
		s.tied[i] &^= up | down
	}
	return seen
}

// followBits is follow of codes of the first word, which hold whole keys. seen are their steps.
func (t *Steps[C]) followBits(w *worker, codes []C, lo int, seen presorted.Steps) presorted.Steps {
	set := tiedSet{steps: len(codes) - 1}
	for i := range (set.steps + 63) / 64 {
		set.tied[i] = math.MaxUint64 >> max(0, 64*(i+1)-set.steps)
	}
	narrow(&set, codes)
	ties, word := seen.Ties, 0
	for seen.Ties = 0; t.Words[word].Whole(); {
		if word++; word == len(t.Words) {
			return w.ofTies(set.list(w.tied, lo), seen)
		}
		if ties*leastTiedBlock < len(codes) {
			return t.followWord(w, set.list(w.tied, lo), word, seen)
		}
		t.Open(word, true)
		steps := narrow(&set, t.ReadRange(word, lo, len(codes)))
		if t.Env.Loop.Err() != nil {
			return seen // and codes are left out
		}
		seen, ties = seen.Plus(steps), ties-steps.Rises-steps.Falls
		if ties == 0 {
			return seen
		}
	}
	return t.followTied(w, set.list(w.tied, lo), word, seen)
}

// list writes the elements that tie with their predecessors to out; lo is the number of the first one of the
// block.
func (s *tiedSet) list(out []uint32, lo int) []uint32 {
	n := 0
	for i := range (s.steps + 63) / 64 {
		for set := s.tied[i]; set != 0; set &= set - 1 {
			out[n] = uint32(lo + 1 + 64*i + bits.TrailingZeros64(set))
			n++
		}
	}
	return out[:n]
}
