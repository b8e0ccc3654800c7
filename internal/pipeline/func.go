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
	if IsSmall(o, len(s)) && !o.Monitored() {
		comparison.Small(s, compare)
		return nil
	}
	if len(s) <= fewChecked && !o.Monitored() && o.Free() && o.Progress == nil && comparison.InOrder(s, compare) {
		return nil
	}
	r, err := Begin(*o, len(s))
	defer r.End()
	if err == nil && r.N > 1 {
		err = sortFunc(r, s, compare)
	}
	return err
}

// sortFunc sorts s with the memory that the limit allows.
func sortFunc[E any](r *Request, s []E, compare func(a, b E) int) error {
	p := cpu.PayloadOf(s)
	if err := planFunc(r, p); err != nil {
		return err
	}
	job := comparison.New(&r.Env, r.N, compare)
	direction, err := job.Direction(s)
	switch {
	case err != nil:
		return err
	case direction != 0:
		foundDirection(r, direction)
		if direction < 0 {
			reverse(r, p)
		}
		return nil
	case r.Plan.Movement == withElements:
		return sortElements(r, job, s)
	}
	index := scratch.Take[uint32](&r.Arena, r.N)
	if err := orderByNumbers(r, index, s, compare); err != nil {
		return err
	}
	if r.Plan.Movement == InPlace {
		return r.apply(index, p)
	}
	return gatherThrough(r, index, gathered{p, p.Take(&r.Arena, r.N)})
}

// sortElements sorts elements, which move with each step.
func sortElements[E any](r *Request, job *comparison.Job[E], s []E) error {
	memory := scratch.Take[E](&r.Arena, 2*r.N) // at once: then calls of about as many elements find it again
	arrays := [...][]E{s, memory[:r.N], memory[r.N:]}
	job.Set(arrays)
	at, err := job.Sort(comparison.Input)
	if err != nil || at == comparison.Input {
		return err
	}
	r.Commit() // from here on the sort finishes
	to, sorted := cpu.PayloadOf(s), cpu.PayloadOf(arrays[at])
	return r.Stage("write", r.N, r.piece(r.N), func(_, lo, hi int) { to.CopyPast(lo, sorted.Part(lo, hi)) })
}

// OrderFunc returns the order of s by a comparison.
func OrderFunc[E any](s []E, compare func(a, b E) int, o *call.Options) (perm.Perm, error) {
	checkMarks(o.Marks)
	if o.Descending {
		compare = comparison.Falling(compare)
	}
	raw := cpu.PayloadOf(s).Raw()
	if IsSmall(o, len(s)) && !o.Monitored() && o.Marks == nil {
		p := column.Result(raw, len(s), o.Into, column.SpecList{})
		comparison.SmallOrder(p, s, compare)
		return p, nil
	}
	r, err := Begin(*o, len(s))
	defer r.End()
	if err != nil {
		return nil, err
	}
	if err := planOrderFunc(r); err != nil {
		return nil, err
	}
	p := column.Result(raw, r.N, o.Into, column.SpecList{})
	if err := orderFunc(r, p, s, compare); err != nil {
		return nil, err
	}
	return p, nil
}

// orderFunc fills p with the order of s, and delivers the runs that are asked for.
func orderFunc[E any](r *Request, p perm.Perm, s []E, compare func(a, b E) int) error {
	job := comparison.New(&r.Env, r.N, compare)
	switch direction, err := job.Direction(s); {
	case err != nil:
		return err
	case direction != 0:
		foundDirection(r, direction)
		if err := number(r, p, direction < 0); err != nil {
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
func orderByNumbers[E any](r *Request, index []uint32, s []E, compare func(a, b E) int) error {
	if err := number(r, index, false); err != nil {
		return err
	}
	arrays := [...][]uint32{nil, index, scratch.Take[uint32](&r.Arena, r.N)}
	job := comparison.New(&r.Env, r.N, comparison.ByNumber(s, compare))
	job.Set(arrays)
	at, err := job.Sort(comparison.First)
	if err != nil || at == comparison.First {
		return err
	}
	return r.Stage("write", r.N, r.piece(r.N), func(_, lo, hi int) { copy(index[lo:hi], arrays[at][lo:hi]) })
}

// number fills index with 0 … n-1, or from n-1 down.
func number(r *Request, index []uint32, falling bool) error {
	return r.Stage("number", r.N, r.piece(r.N), func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if index[i] = uint32(i); falling {
				index[i] = uint32(r.N - 1 - i)
			}
		}
	})
}

// withElementsBytes is the size of elements up to which they move with each step of a sort by a
// comparison. Larger ones are ordered by their numbers first.
const withElementsBytes = 128

// planFunc plans a sort of p by a comparison.
func planFunc(r *Request, p cpu.Payload) error {
	r.Env.Ran(byComparison)
	index := 2 * scratch.Size(r.N, 4)
	plans := []plan{
		{Movement: withElements, bytes: scratch.Size(2*r.N, p.Size())},
		{Movement: throughIndex, bytes: index + scratch.Size(r.N, p.Size())},
		{Movement: InPlace, bytes: index + p.ApplyBytes()},
	}
	switch {
	case r.N > r.Most:
		plans = plans[:1]
	case p.Size() > withElementsBytes:
		plans = plans[1:]
	}
	for _, r.Plan = range plans {
		r.Plan.engine, r.Plan.bytes = cpu.Host, r.Plan.bytes+comparison.Bytes(&r.Env, r.N)
		if r.Env.Fits(r.Plan.bytes) {
			return nil
		}
	}
	return required(r.N, r.Env.Limit, r.Env.Held+r.Plan.bytes)
}

// planOrderFunc plans an order by a comparison.
func planOrderFunc(r *Request) error {
	r.Env.Ran(byComparison)
	if r.N > r.Most {
		return TooLong(r.N)
	}
	r.Plan = plan{engine: cpu.Host, Movement: toIndex, bytes: scratch.Size(r.N, 4) + comparison.Bytes(&r.Env, r.N)}
	return required(r.N, r.Env.Limit, r.Env.Held+r.Plan.bytes)
}

// foundDirection records that the input was in order, or strictly fell.
func foundDirection(r *Request, direction int) {
	if direction > 0 {
		r.Env.Found(engine.Sorted)
	} else {
		r.Env.Found(engine.Reversed)
	}
}

// reverse reverses s in place.
func reverse(r *Request, s cpu.Payload) {
	r.Commit()
	half := r.N / 2
	_ = r.Stage("reverse", half, r.piece(half), func(_, lo, hi int) { // nothing can end it
		s.Part(lo, hi).Exchange(s.Part(r.N-hi, r.N-lo))
	})
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
func putRunsFunc[E any](r *Request, job *comparison.Job[E], p perm.Perm, s []E) error {
	if r.Marks == nil {
		return nil
	}
	starts := make([]uint32, engine.TieWords(r.N))
	if err := job.Starts(starts, p, s); err != nil {
		return err
	}
	for m := r.Marks; m != nil; m = m.Next {
		if m.Columns == 0 {
			*m.Runs = perm.RunsAt([]int{0, r.N})
		} else {
			*m.Runs = perm.RunsOf(r.N, starts)
		}
	}
	return nil
}
