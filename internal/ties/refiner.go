package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
)

// Refiner is t as the refiner of cpu.MoveRefined.
type Refiner[C sortkey.Code] struct {
	Breaker *Breaker
	Src     cpu.Source[C]
}

func (f Refiner[C]) Follow(codes []C, lo, fresh int, ties engine.Ties) presorted.Steps {
	return follow(f.Breaker, f.Src, codes, lo, fresh, ties)
}

func (f Refiner[C]) Compare(i, j uint32) int { return f.Breaker.compare(i, j) }

// Concurrent reports whether there is one word: then Compare extracts nothing.
func (f Refiner[C]) Concurrent() bool { return len(f.Breaker.Words) == 1 }

// Finer returns the codes of texts after the bytes that all of them share.
func (f Refiner[C]) Finer(codes []C, least, most C) cpu.Source[C] {
	t := f.Breaker
	l := &t.Words[0]
	if wide, ok := any(codes).([]uint64); !ok || !l.SkipShared(t.Env, wide, uint64(least), uint64(most)) {
		return nil
	}
	return func(dst []C, lo int) { l.Again(sortkey.As[uint64](dst), lo) }
}

// Along moves full keys and early codes by the same partition as the elements.
func (f Refiner[C]) Along(p *cpu.Placement[C]) (err error) {
	for i := range f.Breaker.Words {
		l := &f.Breaker.Words[i]
		if l.Full != nil && err == nil {
			err = l.Full.Along(f.Breaker.Env, p)
		}
		if err == nil {
			err = earlyAlong(f.Breaker.Env, &l.Early, p)
		}
	}
	return err
}

// Moved renumbers the rows, and full keys that are the elements or lie in them.
func (f Refiner[C]) Moved(payload cpu.Payload) {
	f.Breaker.Input = extract.InputOf(payload)
	for i := range f.Breaker.Words {
		if full := f.Breaker.Words[i].Full; full != nil {
			full.Moved(payload)
		}
	}
}

func (f Refiner[C]) Refine(worker int, order []uint32, codes []C) {
	Refine(f.Breaker, worker, order, codes, extract.Level{})
}

func (f Refiner[C]) Finish(err error) error { return f.Breaker.Finish(err) }
