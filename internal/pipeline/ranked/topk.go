package ranked

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Front moves the elements numbered by an order to the front of a slice, in order, each by an
// exchange with the element in its place. It changes the order.
type Front func(order []uint32)

// TopK moves the first n elements of s by the keys, of a given kind, of a getter to the
// front, by front. Elements are keys if get is nil.
func TopK(k sortkey.Kind, s cpu.Payload, n int, get column.Getter, o *call.Options, front func(order []uint32)) error {
	if get == nil && selection.FirstKeys(k, s, n, o) {
		return nil
	}
	if n > 0 && pipeline.IsSmall(o, s.Len()) {
		if selection.FirstFew(k, s, n, get, o, front) {
			return nil
		}
		return small.TopWith(k, s, n, get, o, front)
	}
	return topRows([]extract.Column{extract.ColumnAs(k, get)}, s, n, *o, front)
}

// TopKByColumns is TopK by the columns of an ordering.
func TopKByColumns(by *small.Ordering, s cpu.Payload, k int, o *call.Options, front func(order []uint32)) error {
	if k > 0 && by.Len() > 0 && pipeline.IsSmall(o, s.Len()) {
		if selection.FirstFewBy(by.Columns(), s.Len(), k, extract.Batch{Block: s.Raw()}, o, front) {
			return nil
		}
		return by.Top(s, k, o, front)
	}
	return topRows(by.Columns(), s, k, *o, front)
}

// topRows moves the first k elements of s under cols to the front, by front.
func topRows(cols []extract.Column, s cpu.Payload, k int, o call.Options, front Front) error {
	if k < 0 {
		panic(fmt.Sprintf("sorter: TopK of %d elements", k))
	}
	if k >= s.Len() {
		return pipeline.SortRows(cols, s, o)
	}
	r, err := pipeline.Begin(o, s.Len())
	defer r.End()
	words := extract.Words(cols, o.Order())
	if err != nil || k == 0 || len(words) == 0 {
		return err
	}
	if r.N > r.Most {
		return topOfChunks(r, s, k, words)
	}
	first, err := firstRows(r, extract.InputOf(s), k, words)
	if err == nil {
		front(first)
	}
	return err
}

// firstRows returns the numbers of the first k rows, in order, in memory of r.
func firstRows(r *pipeline.Request, rows extract.Input, k int, words []extract.Word) ([]uint32, error) {
	err := r.Decide(pipeline.Facts{Verb: pipeline.ToSelect, K: k, Words: words, Sizes: []uintptr{rows.Slice.Size()}, Numbered: rows.Numbered,
		Sampled: r.Sampled(rows, words)})
	switch {
	case err != nil:
		return nil, err
	case r.Plan.Movement != pipeline.Selected:
		index := scratch.Take[uint32](&r.Arena, r.N)
		return index[:k], pipeline.OrderTo(r, rows, words, index)
	}
	return selection.First(&r.Env, rows, words, k)
}

// topOfChunks is topRows of a slice that is longer than positions number. It selects from each
// chunk, and then from these and the first of the chunks before. If k is large it sorts s.
func topOfChunks(r *pipeline.Request, s cpu.Payload, k int, words []extract.Word) error {
	if k > pipeline.MostSelected(r.N, r.Loop.Workers) || k > r.Most/2 {
		return pipeline.SortWords(r, s, words)
	}
	if err := r.Allow(candidateBytes(s.Size(), 2*k)); err != nil {
		return err
	}
	best := newCandidates(r, s, 2*k)
	err := r.InChunks(func(own *pipeline.Request, lo, hi int) error {
		chunk := s.Part(lo, hi)
		first, err := firstRows(own, extract.InputOf(chunk), min(k, chunk.Len()), extract.Fresh(words))
		if err != nil {
			return err
		}
		best.add(chunk, lo, first)
		return best.cut(own, k, words)
	})
	if err == nil {
		frontOf(s, best.at[:best.n])
	}
	return err
}

// candidates are copies of elements that may be among the first, in the order of the input
// wherever they tie.
type candidates struct {
	n        int
	elements cpu.Payload
	at       []int // where the elements are
	spare    cpu.Payload
	moved    []int
}

// newCandidates returns memory for a number of elements of the type of s.
func newCandidates(r *pipeline.Request, s cpu.Payload, most int) *candidates {
	return &candidates{
		elements: s.Take(&r.Arena, most), at: scratch.Take[int](&r.Arena, most),
		spare: s.Take(&r.Arena, most), moved: scratch.Take[int](&r.Arena, most),
	}
}

// candidateBytes bounds the memory, in bytes, of newCandidates for elements of a size.
func candidateBytes(size uintptr, most int) int64 {
	return 2 * (scratch.Size(most, size) + scratch.Size(most, unsafe.Sizeof(0)))
}

// add adds the elements of a chunk, which begins at place lo of the input, that first numbers.
func (b *candidates) add(chunk cpu.Payload, lo int, first []uint32) {
	b.elements.Part(b.n, b.n+len(first)).Gather(chunk, first)
	for i, x := range first {
		b.at[b.n+i] = lo + int(x)
	}
	b.n += len(first)
}

// cut drops all candidates except the first k, and puts these in order.
func (b *candidates) cut(r *pipeline.Request, k int, words []extract.Word) error {
	k = min(k, b.n)
	return r.Nest(b.n, func(own *pipeline.Request) error {
		own.OnHost()
		first, err := firstRows(own, extract.InputOf(b.elements.First(b.n)), k, extract.Fresh(words))
		if err != nil {
			return err
		}
		b.spare.First(k).Gather(b.elements.First(b.n), first)
		for i, x := range first {
			b.moved[i] = b.at[x]
		}
		b.elements, b.spare, b.at, b.moved, b.n = b.spare, b.elements, b.moved, b.at, k
		return nil
	})
}

// FrontOf returns the [Front] of s.
func FrontOf[E any](s []E) Front {
	return func(order []uint32) {
		exchanges(order)
		for i, at := range order {
			s[i], s[at] = s[at], s[i]
		}
	}
}

// frontOf moves the elements at the given places to the front of s. It changes order.
func frontOf(s cpu.Payload, order []int) {
	exchanges(order)
	for i, at := range order {
		s.Swap(i, at)
	}
}

// exchanges replaces the places of the elements that are to come i-th by where they are after
// the exchanges before i, each of an element with the one in its place.
func exchanges[I uint32 | int](order []I) {
	for i, at := range order {
		// The element of a place p < i moved to order[p], from where the exchange took the
		// new element. Each exchange moves one such element on, so all searches together
		// take at most as many steps as there are exchanges.
		for int(at) < i {
			at = order[at]
		}
		order[i] = at
	}
}

// First rows of an order as numbers: nothing moves.

// FirstByColumns returns the numbers of the first k elements of s by the columns of an ordering.
func FirstByColumns(by *small.Ordering, s cpu.Payload, k int, o *call.Options) ([]uint32, error) {
	if k > 0 && by.Len() > 0 && pipeline.IsSmall(o, s.Len()) {
		return firstFew(by.Columns(), s.Len(), k, extract.Batch{Block: s.Raw()}, o, func() (perm.Perm, error) {
			own := alone(o)
			return by.Order(s, &own)
		})
	}
	return firstOf(by.Columns(), extract.InputOf(s), k, *o)
}

// FirstRows returns the first k of the rows 0 … n-1 by columns of row numbers, which it changes.
func FirstRows(cols []extract.Column, n, k int, o *call.Options) ([]uint32, error) {
	extract.ForRows(cols, n)
	if k > 0 && len(cols) > 0 && pipeline.IsSmall(o, n) {
		return firstFew(cols, n, k, extract.Batch{}, o, func() (perm.Perm, error) {
			own := alone(o)
			return small.OrderRows(cols, n, &own)
		})
	}
	return firstOf(cols, extract.RowNumbers(n), k, *o)
}

// firstFew returns the first k rows of a small call, which are selected, or copied from an order without the memory of the others.
func firstFew(cols []extract.Column, n, k int, b extract.Batch, o *call.Options, order func() (perm.Perm, error)) (first []uint32, err error) {
	if selection.FirstFewBy(cols, n, k, b, o, func(rows []uint32) { first = append(make([]uint32, 0, len(rows)), rows...) }) {
		return first, nil
	}
	p, err := order()
	if err != nil || k >= len(p) {
		return p, err
	}
	return append(make([]uint32, 0, k), p[:k]...), nil
}

// firstOf returns the numbers of the first k rows.
func firstOf(cols []extract.Column, rows extract.Input, k int, o call.Options) ([]uint32, error) {
	r, err := pipeline.Begin(o, rows.Len)
	defer r.End()
	if err == nil && rows.Len > pipeline.MaxPositions {
		err = pipeline.TooLong(rows.Len)
	}
	if err != nil {
		return nil, err
	}
	r.SpareCodes(rows, cols)
	words := extract.Words(cols, o.Order())
	k, r.Most, rows.Arena = min(k, rows.Len), 0, &r.Arena
	if err := pipeline.Addressable(k, 4); err != nil {
		return nil, err
	}
	all := make([]uint32, k)
	if len(words) == 0 || k == 0 {
		return all, pipeline.OrderTo(r, rows, nil, all)
	}
	first, err := firstRows(r, rows, k, words)
	if err != nil {
		return nil, err
	}
	copy(all, first)
	return all, nil
}
