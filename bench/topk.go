package main

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
)

// topCount is the k of the top-k case.
const topCount = 100

func buildTop(values []uint64, n int) *workload {
	d := newData(values, n, newRec24)
	rows := owned(func(run int, opts ...sorter.Option) error {
		return sorter.TopK(d.run(run), topCount, rec24Key, opts...)
	})
	rows = append(rows,
		std(sortFunc, func(run int) { slices.SortFunc(d.run(run), compareRec24) }),
		std(sortSlice, func(run int) {
			s := d.run(run)
			sort.Slice(s, func(i, j int) bool { return s[i].Key < s[j].Key })
		}),
		other(heapName, func(run int) { heapTop(d.run(run), topCount) }),
		other(heapByName, func(run int) { heapTopBy(d.run(run), topCount, rec24Key) }),
		other(sortyName, func(run int) { sortyRec24(d.run(run)) }),
	)
	w := d.workload(compareRec24, append(rows, topPeers(d)...)...)
	w.Check = func() error {
		for i := range w.Count {
			if err := checkTop(d.run(i), topCount); err != nil {
				return err
			}
		}
		return d.complete()
	}
	return w
}

func checkTop(s []rec24, k int) error {
	k = min(k, len(s))
	if err := list.InOrder(s[:k], compareRec24); err != nil {
		return err
	}
	for i, e := range s[k:] {
		if e.Key < s[k-1].Key {
			return fmt.Errorf("element %d belongs before element %d", k+i, k-1)
		}
	}
	return nil
}

// heapTop keeps the k smallest in a heap with the largest on top: what one
// writes by hand instead of sorting everything.
func heapTop(s []rec24, k int) {
	k = min(k, len(s))
	heap := s[:k]
	for i := k/2 - 1; i >= 0; i-- {
		siftDown(heap, i)
	}
	for i := k; i < len(s); i++ {
		if s[i].Key < heap[0].Key {
			s[i], heap[0] = heap[0], s[i]
			siftDown(heap, 0)
		}
	}
	slices.SortFunc(heap, compareRec24)
}

func siftDown(heap []rec24, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && heap[child].Key < heap[child+1].Key {
			child++
		}
		if heap[i].Key >= heap[child].Key {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// heapTopBy is heapTop for any type and key: its key function is called, where heapTop reads a field.
// It is not inlined, as a heap of a library would not be.
//
//go:noinline
func heapTopBy[E any, K cmp.Ordered](s []E, k int, key func(E) K) {
	k = min(k, len(s))
	heap := s[:k]
	for i := k/2 - 1; i >= 0; i-- {
		siftDownBy(heap, i, key)
	}
	last := key(heap[0])
	for i := k; i < len(s); i++ {
		if key(s[i]) < last {
			s[i], heap[0] = heap[0], s[i]
			siftDownBy(heap, 0, key)
			last = key(heap[0])
		}
	}
	slices.SortFunc(heap, func(a, b E) int { return cmp.Compare(key(a), key(b)) })
}

func siftDownBy[E any, K cmp.Ordered](heap []E, i int, key func(E) K) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && key(heap[child]) < key(heap[child+1]) {
			child++
		}
		if key(heap[i]) >= key(heap[child]) {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
