package pipeline

import (
	"fmt"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/comparison"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// fewChecked is the number of elements up to which they are checked for order before all else: a call
// on more takes longer to begin.
const fewChecked = 1 << 15

// SortFunc sorts s by a comparison.
func SortFunc[E any](s []E, compare func(a, b E) int, o *call.Options) error {
	if o.Descending {
		compare = comparison.Falling(compare)
	}
	if isSmall(o, len(s)) && !o.Monitored() {
		comparison.Small(s, compare)
		return nil
	}
	if len(s) <= fewChecked && !o.Monitored() && o.Free() && o.Progress == nil && comparison.InOrder(s, compare) {
		return nil
	}
	r, err := begin(*o, len(s))
	defer r.end()
	if err == nil && r.n > 1 {
		err = sortFunc(r, s, compare)
	}
	return err
}

// sortFunc sorts s with the memory that the limit allows.
func sortFunc[E any](r *request, s []E, compare func(a, b E) int) error {
	p := cpu.PayloadOf(s)
	if err := r.planFunc(p); err != nil {
		return err
	}
	job := comparison.New(&r.Env, r.n, compare)
	direction, err := job.Direction(s)
	switch {
	case err != nil:
		return err
	case direction != 0:
		r.foundDirection(direction)
		if direction < 0 {
			r.reverse(p)
		}
		return nil
	case r.plan.movement == withElements:
		return sortElements(r, job, s)
	}
	index := scratch.Take[uint32](&r.Arena, r.n)
	if err := orderByNumbers(r, index, s, compare); err != nil {
		return err
	}
	return r.moveByIndex(p, index)
}

// sortElements sorts elements, which move with each step.
func sortElements[E any](r *request, job *comparison.Job[E], s []E) error {
	memory := scratch.Take[E](&r.Arena, 2*r.n) // at once: then calls of about as many elements find it again
	arrays := [...][]E{s, memory[:r.n], memory[r.n:]}
	job.Set(arrays)
	at, err := job.Sort(comparison.Input)
	if err != nil || at == comparison.Input {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.writeFrom(cpu.PayloadOf(s), cpu.PayloadOf(arrays[at]))
}

// OrderFunc returns the order of s by a comparison.
func OrderFunc[E any](s []E, compare func(a, b E) int, o *call.Options) (perm.Perm, error) {
	checkMarks(o.Marks)
	if o.Descending {
		compare = comparison.Falling(compare)
	}
	raw := cpu.PayloadOf(s).Raw()
	if isSmall(o, len(s)) && !o.Monitored() && o.Marks == nil {
		p := column.Result(raw, len(s), o.Into, column.SpecList{})
		comparison.SmallOrder(p, s, compare)
		return p, nil
	}
	r, err := begin(*o, len(s))
	defer r.end()
	if err != nil {
		return nil, err
	}
	if err := r.planOrderFunc(); err != nil {
		return nil, err
	}
	p := column.Result(raw, r.n, o.Into, column.SpecList{})
	if err := orderFunc(r, p, s, compare); err != nil {
		return nil, err
	}
	return p, nil
}

// orderFunc fills p with the order of s, and delivers the runs that are asked for.
func orderFunc[E any](r *request, p perm.Perm, s []E, compare func(a, b E) int) error {
	job := comparison.New(&r.Env, r.n, compare)
	switch direction, err := job.Direction(s); {
	case err != nil:
		return err
	case direction != 0:
		r.foundDirection(direction)
		if err := r.number(p, direction < 0); err != nil {
			return err
		}
	default:
		if err := orderByNumbers(r, p, s, compare); err != nil {
			return err
		}
	}
	return putRunsFunc(r, job, p, s)
}

// orderByNumbers fills index with the order of s, whose elements stay where they are.
func orderByNumbers[E any](r *request, index []uint32, s []E, compare func(a, b E) int) error {
	if err := r.number(index, false); err != nil {
		return err
	}
	arrays := [...][]uint32{nil, index, scratch.Take[uint32](&r.Arena, r.n)}
	job := comparison.New(&r.Env, r.n, comparison.ByNumber(s, compare))
	job.Set(arrays)
	at, err := job.Sort(comparison.First)
	if err != nil || at == comparison.First {
		return err
	}
	return r.Stage("write", r.n, r.piece(r.n), func(_, lo, hi int) { copy(index[lo:hi], arrays[at][lo:hi]) })
}

// number fills index with 0 … n-1, or from n-1 down.
func (r *request) number(index []uint32, falling bool) error {
	return r.Stage("number", r.n, r.piece(r.n), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if index[i] = uint32(i); falling {
				index[i] = uint32(r.n - 1 - i)
			}
		}
	})
}

// withElementsBytes is the size of elements up to which they move with each step of a sort by a
// comparison. Larger ones are ordered by their numbers first.
const withElementsBytes = 128

// planFunc plans a sort of p by a comparison.
func (r *request) planFunc(p cpu.Payload) error {
	r.Env.Ran(byComparison)
	index := 2 * scratch.Size(r.n, 4)
	plans := []plan{
		{movement: withElements, bytes: scratch.Size(2*r.n, p.Size())},
		{movement: throughIndex, bytes: index + scratch.Size(r.n, p.Size())},
		{movement: inPlace, bytes: index + p.ApplyBytes()},
	}
	switch {
	case r.n > r.most:
		plans = plans[:1]
	case p.Size() > withElementsBytes:
		plans = plans[1:]
	}
	for _, r.plan = range plans {
		r.plan.engine, r.plan.bytes = cpu.Host, r.plan.bytes+comparison.Bytes(&r.Env, r.n)
		if r.Env.Fits(r.plan.bytes) {
			return nil
		}
	}
	return required(r.n, r.Env.Limit, r.Env.Held+r.plan.bytes)
}

// planOrderFunc plans an order by a comparison.
func (r *request) planOrderFunc() error {
	r.Env.Ran(byComparison)
	if r.n > r.most {
		return tooLong(r.n)
	}
	r.plan = plan{engine: cpu.Host, movement: toIndex, bytes: scratch.Size(r.n, 4) + comparison.Bytes(&r.Env, r.n)}
	return required(r.n, r.Env.Limit, r.Env.Held+r.plan.bytes)
}

// foundDirection records that the input was in order, or strictly fell.
func (r *request) foundDirection(direction int) {
	if direction > 0 {
		r.Env.Found(engine.Sorted)
	} else {
		r.Env.Found(engine.Reversed)
	}
}

// reverse reverses s in place.
func (r *request) reverse(s cpu.Payload) {
	r.Commit()
	half := r.n / 2
	_ = r.Stage("reverse", half, r.piece(half), func(_, lo, hi int) { // nothing can end it
		s.Part(lo, hi).Exchange(s.Part(r.n-hi, r.n-lo))
	})
}

// writeFrom copies sorted to s.
func (r *request) writeFrom(s, sorted cpu.Payload) error {
	return r.Stage("write", r.n, r.piece(r.n), func(_, lo, hi int) { s.CopyPast(lo, sorted.Part(lo, hi)) })
}

// moveByIndex moves the elements of s to the places that index says.
func (r *request) moveByIndex(s cpu.Payload, index []uint32) error {
	if r.plan.movement == inPlace {
		r.Arena.Hold(s.ApplyBytes())
		r.Commit()
		return r.Stage("apply", 1, 1, func(int, int, int) { s.Apply(index, r.Loop.Workers) })
	}
	sorted := s.Take(&r.Arena, r.n)
	err := r.Stage("gather", r.n, r.piece(r.n), func(_, lo, hi int) { sorted.Part(lo, hi).Gather(s, index[lo:hi]) })
	if err != nil {
		return err
	}
	r.Commit()
	return r.writeFrom(s, sorted)
}

// checkMarks panics if runs by more columns than one are asked for: a comparison stands for one.
func checkMarks(asked *call.Marks) {
	for m := asked; m != nil; m = m.Next {
		if m.Columns > 1 {
			panic(fmt.Sprintf("sorter: runs by %d columns of an order by 1", m.Columns))
		}
	}
}

// putRunsFunc delivers the runs that are asked for: of elements that the comparison finds equal.
func putRunsFunc[E any](r *request, job *comparison.Job[E], p perm.Perm, s []E) error {
	if r.Marks == nil {
		return nil
	}
	starts := make([]uint32, engine.TieWords(r.n))
	if err := job.Starts(starts, p, s); err != nil {
		return err
	}
	for m := r.Marks; m != nil; m = m.Next {
		if m.Columns == 0 {
			*m.Runs = perm.RunsAt([]int{0, r.n})
		} else {
			*m.Runs = perm.RunsOf(r.n, starts)
		}
	}
	return nil
}
