package main

import (
	"cmp"
	"fmt"
	"slices"

	"example.com/sorter"
)

// streamBatch is the number of elements that a stream yields at a time.
const streamBatch = 1024

// buildStream returns the cases of the first k of a stream. Both of our rows are by a field, as the heap is, on one
// goroutine; the row by a key function has what a call for each element costs.
func buildStream(k int) func(values []uint64, n int) *workload {
	return func(values []uint64, n int) *workload {
		d := newData(values, n, newRec24)
		results := make([][]rec24, len(values)/n)
		byField, err := sorter.ByFields[rec24]("Key")
		must(err)
		bySelf := sorter.By(sorter.Asc(rec24Key))
		top := func(o sorter.Ordering[rec24]) func(run int) {
			return func(run int) {
				t := sorter.NewTop(o, k)
				for batch := range slices.Chunk(d.run(run), streamBatch) {
					t.Push(batch...)
				}
				results[run] = t.Result()
			}
		}
		heap := func(push func(h []rec24, k int, batch []rec24) []rec24) func(run int) {
			return func(run int) {
				var h []rec24
				for batch := range slices.Chunk(d.run(run), streamBatch) {
					h = push(h, k, batch)
				}
				slices.SortFunc(h, compareRec24)
				results[run] = h
			}
		}
		w := d.workload(compareRec24,
			contender{Name: ours, Kind: own, Sort: top(byField)},
			contender{Name: oursSerial, Kind: own, Sort: top(byField)},
			contender{Name: topByName, Kind: own, Sort: top(bySelf)},
			other(heapName, heap(heapPush)),
			other(heapByName, heap(heapPushBy)),
		)
		restore := w.Restore
		w.Restore = func() { restore(); clear(results) }
		w.Check = func() error {
			for run, first := range results {
				if err := checkStream(d.master[run*n:(run+1)*n], first, k); err != nil {
					return err
				}
			}
			return nil
		}
		return w
	}
}

// checkStream compares the keys of a result with those of a sort.
func checkStream(s, first []rec24, k int) error {
	sorted := slices.Clone(s)
	slices.SortFunc(sorted, compareRec24)
	if !slices.EqualFunc(first, sorted[:min(k, len(s))], func(a, b rec24) bool { return a.Key == b.Key }) {
		return fmt.Errorf("not the first %d of %d elements", k, len(s))
	}
	return nil
}

// heapPush adds a batch to the k smallest, in a heap with the largest on top: written by hand for one type.
func heapPush(heap []rec24, k int, batch []rec24) []rec24 {
	if n := min(k-len(heap), len(batch)); n > 0 {
		heap, batch = append(heap, batch[:n]...), batch[n:]
		if len(heap) < k {
			return heap
		}
		for i := k/2 - 1; i >= 0; i-- {
			siftDown(heap, i)
		}
	}
	for i := range batch {
		if batch[i].Key < heap[0].Key {
			heap[0] = batch[i]
			siftDown(heap, 0)
		}
	}
	return heap
}

// heapPushBy is heapPush for any type and key, see [heapTopBy].
func heapPushBy(heap []rec24, k int, batch []rec24) []rec24 {
	return heapPushOf(heap, k, batch, rec24Key)
}

//go:noinline
func heapPushOf[E any, K cmp.Ordered](heap []E, k int, batch []E, key func(E) K) []E {
	if n := min(k-len(heap), len(batch)); n > 0 {
		heap, batch = append(heap, batch[:n]...), batch[n:]
		if len(heap) < k {
			return heap
		}
		for i := k/2 - 1; i >= 0; i-- {
			siftDownBy(heap, i, key)
		}
	}
	last := key(heap[0])
	for i := range batch {
		if key(batch[i]) < last {
			heap[0] = batch[i]
			siftDownBy(heap, 0, key)
			last = key(heap[0])
		}
	}
	return heap
}
