package beamsort

import (
	"bytes"
	"context"
	"math"
	"sort"
)

// routeFn cuts blocks at the splitters, and emits each piece with the number of its part.
type routeFn[T any] struct {
	Config config

	order *Ordering[T]
	raw   []byte // the message that plan was read from
	plan  *plan[T]
	view  blockView[T]
}

// ProcessElement emits the pieces of a block. An empty block begins all parts.
func (f *routeFn[T]) ProcessElement(ctx context.Context, block, message []byte, emit func(int64, []byte)) error {
	if err := f.usePlan(message); err != nil {
		return f.Config.fail("route", err)
	}
	if len(block) == 0 {
		for part := range f.plan.parts {
			emit(part, []byte{})
		}
		return nil
	}
	if err := f.view.read(block); err != nil {
		return f.Config.fail("route", err)
	}
	n, err := f.cut(emit)
	pieces.Inc(ctx, n)
	return f.Config.fail("route", err)
}

// usePlan decodes the plan unless it is the one in use: Beam hands it over with every element.
func (f *routeFn[T]) usePlan(message []byte) (err error) {
	if f.plan != nil && len(message) == len(f.raw) && (len(message) == 0 || &message[0] == &f.raw[0] || bytes.Equal(message, f.raw)) {
		return nil
	}
	f.plan, err = readPlan(f.order, message)
	f.raw = message
	return err
}

// cut emits the pieces of the block in view, and returns how many there are.
func (f *routeFn[T]) cut(emit func(int64, []byte)) (count int64, err error) {
	n := f.view.len()
	splitters := f.plan.splitters
	from := 0
	piece := func(part int64, end int) {
		if end > from {
			emit(part, f.view.bytes(from, end))
			count++
			from = end
		}
	}
	first, err := f.view.element(0)
	if err != nil {
		return 0, err
	}
	compare := f.order.order.Compare
	at := sort.Search(len(splitters), func(i int) bool { return compare(splitters[i].element, first) >= 0 })
	turn := phase(f.view.block)
	for ; at < len(splitters) && from < n; at++ {
		s := &splitters[at]
		lo, hi, err := f.ties(from, s.element)
		if err != nil {
			return count, err
		}
		piece(s.below, lo)
		for i, x := range s.shares {
			// Of c elements that tie, the j-th is at share (j+turn)/c of all that tie, so that
			// in the mean each part gets its share, also where blocks have one of them.
			end := lo + int(math.Ceil(x*float64(hi-lo)-turn))
			piece(s.below+int64(i), min(max(end, lo), hi))
		}
		piece(s.below+int64(len(s.shares)), hi)
	}
	part := f.plan.parts - 1
	if at < len(splitters) {
		part = splitters[at].below
	}
	piece(part, n)
	return count, nil
}

// ties returns the range of elements from on that tie with e.
func (f *routeFn[T]) ties(from int, e T) (lo, hi int, err error) {
	n := f.view.len()
	search := func(from, most int) int {
		return from + sort.Search(n-from, func(i int) bool {
			x, failed := f.view.element(from + i)
			if failed != nil {
				err = failed
			}
			return f.order.order.Compare(x, e) > most
		})
	}
	lo = search(from, -1)
	if lo == n {
		return n, n, err
	}
	hi = search(lo, 0)
	return lo, hi, err
}
