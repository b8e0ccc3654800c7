package sorter

import (
	"fmt"
	"slices"

	"example.com/sorter/perm"
)

// TopPer keeps the first k elements of each partition of a stream: SQL's ROW_NUMBER() OVER (PARTITION BY …) <= k.
//
// The result is that of a stable sort of the stream by partition and order, of which the first k of each
// partition remain. Elements are of one partition if they tie in all columns of the first [Ordering].
//
// Elements are collected in a block. When it is full, a sort of it and of what is held leaves the first k of each
// partition. So an element takes about three times as long as in a sort. It holds k elements of each partition,
// fewer where a partition has fewer, and a block: half as many, at least 4096. While a block is sorted, that and
// the scratch of the sort are taken twice.
//
// Key functions are called when a block is full, once per element in it and once more per element that is held.
// Several goroutines call them at a time where there are more than 8192. A panic of one reaches the caller, and
// the TopPer is as it was before the call. No call fails. A TopPer is not safe for concurrent use.
type TopPer[E any] struct {
	by      Ordering[E] // the partition, then the order within it
	columns int         // of the partition
	k       int
	options []Option
	held    []E // in order, and after the first sorted ones as they were pushed
	sorted  int
}

// leastBlock is the least number of elements of a TopPer's block.
const leastBlock = 4096

// NewTopPer returns an empty TopPer of the first k elements of an order in each partition.
//
// Of opts it takes those that change the order, which [Descending] reverses for partitions, too, and [Workers].
// Others have no effect. It panics if k is negative.
func NewTopPer[E any](partition, order Ordering[E], k int, opts ...Option) *TopPer[E] {
	if k < 0 {
		panic(fmt.Sprintf("sorter: NewTopPer of %d elements", k))
	}
	var given config
	apply(&given, opts)
	options := []Option{func(c *config) {
		c.Stable, c.Descending, c.NaNs, c.Workers = true, given.Descending, given.NaNs, given.Workers
	}}
	return &TopPer[E]{by: Ordering[E]{partition.own.Join(order.own)}, columns: partition.own.Len(), k: k, options: options}
}

// Push adds the elements of s to the stream. s is not kept.
func (t *TopPer[E]) Push(s ...E) {
	if t.k == 0 {
		return
	}
	held, sorted := t.held, t.sorted // elements after those of t.held are none of t's until the end
	for len(s) > 0 {
		room := max(leastBlock, sorted/2) - (len(held) - sorted)
		if room == 0 {
			held, _ = t.cut(held)
			sorted = len(held)
			continue
		}
		n := min(room, len(s))
		held, s = append(held, s[:n]...), s[n:]
	}
	t.held, t.sorted = held, sorted
}

// Result returns the first k elements of each partition pushed so far, in order, and where partitions begin among
// them. t goes on.
//
// Partitions come in their order. perm.Runs.All loops over them. Both results are in new memory. It takes a sort
// of what is held. It panics with [ErrTooLong] if that is more than 2^32-1 elements.
func (t *TopPer[E]) Result() (rows []E, parts perm.Runs) {
	held, parts := t.cut(t.held)
	t.held, t.sorted = held, len(held)
	return slices.Clone(held), parts
}

// cut returns the first k elements of each partition, in order and in new memory with room for a block, and the
// runs of partitions among them.
func (t *TopPer[E]) cut(all []E) (first []E, parts perm.Runs) {
	var runs perm.Runs
	order, err := t.by.Order(all, append(t.options, MarkRunsBy(t.columns, &runs))...)
	if err != nil {
		panic(err)
	}
	kept, offsets := order[:0], []int{0}
	for from, end := range runs.All() {
		kept = append(kept, order[from:from+min(t.k, end-from)]...)
		offsets = append(offsets, len(kept))
	}
	first = make([]E, len(kept), len(kept)+max(leastBlock, len(kept)/2))
	perm.Gather(first, all, kept, 1)
	return first, perm.RunsAt(offsets)
}
