package ties

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/sortkey"
)

// Refiner is a breaker as the refiner of [cpu.MoveRefined], with the steps of its keys.
type Refiner[C sortkey.Code] struct {
	bywords.Steps[C]
	Breaker *Breaker
}

// Along moves full keys and early codes by the same partition as the elements.
func (f *Refiner[C]) Along(p *cpu.Placement[C]) error { return extract.Along(&f.Breaker.Keys, p) }

func (f *Refiner[C]) Refine(worker int, order []uint32, codes []C) {
	Refine(f.Breaker, worker, order, codes, extract.Level{})
}

func (f *Refiner[C]) Finish(err error) error { return f.Breaker.Finish(err) }
