package conformance_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// BenchmarkTop selects the first k of 24-byte structs, and of the rows of a column, beside a bounded
// heap written by hand for the type, whose loop calls no function. Both take turns; times are medians,
// and "heap/sorter" is what must reach 1. Choose by name, and give a number of repetitions:
//
//	go test -run - -bench 'Top/^key$/n=1000000/k=100/' -benchtime 31x ./internal/conformance
func BenchmarkTop(b *testing.B) {
	sizes, counts := []int{1e3, 1e5, 1e6, 1e7}, []int{1, 10, 100, 1000}
	if !testkit.Long() {
		sizes, counts = []int{1e3, 2e4}, counts[2:3]
	}
	for _, v := range topVerbs {
		for _, n := range sizes {
			for _, k := range counts {
				for _, shape := range topShapes {
					for _, workers := range []int{1, 2} {
						if k >= n || n == 1000 && workers > 1 {
							continue
						}
						b.Run(fmt.Sprintf("%s/n=%d/k=%d/%s/workers=%d", v.name, n, k, shape, workers), func(b *testing.B) {
							r := v.on(dist.Named(shape).Draw(n, dist.Rand(1)), k, sorter.Workers(workers))
							r.measure(b, n)
						})
					}
				}
			}
		}
	}
}

var topShapes = []string{"uniform", "sorted", "reversed", "16 values", "zipf", "gauss", "log", "nearly sorted"}

// topRace is a selection beside its peer. fresh, unless nil, is called before either, and is not
// measured.
type topRace struct {
	fresh        func()
	sorter, heap func()
}

func (r topRace) measure(b *testing.B, n int) {
	const all = 50_000 // elements per measurement, at least
	times := [2][]float64{}
	passes := 1
	if r.fresh == nil {
		passes = max(1, all/n)
	}
	for range 3 {
		r.turn(n, passes)
	}
	for b.Loop() {
		took := r.turn(n, passes)
		for i := range took {
			times[i] = append(times[i], took[i])
		}
	}
	var median [2]float64
	for i := range median {
		slices.Sort(times[i])
		median[i] = times[i][len(times[i])/2]
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median[0], "ns/element")
	b.ReportMetric(median[1], "heap-ns/element")
	b.ReportMetric(median[1]/median[0], "heap/sorter")
}

// turn returns the times per element of both.
func (r topRace) turn(n, passes int) (took [2]float64) {
	for i, f := range [2]func(){r.sorter, r.heap} {
		if r.fresh != nil {
			r.fresh()
		}
		start := time.Now()
		for range passes {
			f()
		}
		took[i] = float64(time.Since(start)) / float64(n*passes)
	}
	return took
}

// topRow is an element of [BenchmarkTop].
type topRow struct {
	Key  float32
	ID   uint32
	A, B float64
}

var topVerbs = []struct {
	name string
	on   func(values []uint64, k int, o sorter.Option) topRace
}{
	{"key", func(values []uint64, k int, o sorter.Option) topRace {
		s := topRows(values)
		return topRace{
			sorter: func() { _, _ = sorter.By(sorter.Asc(func(r topRow) float32 { return r.Key })).TopOrder(s, k, o) },
			heap:   func() { topHeap(s, k) },
		}
	}},
	{"field", func(values []uint64, k int, o sorter.Option) topRace {
		s, by := topRows(values), sorter.By(sorter.Asc(func(r topRow) float32 { return r.Key }))
		if fields, err := sorter.ByFields[topRow]("Key"); err == nil {
			by = fields
		}
		return topRace{sorter: func() { _, _ = by.TopOrder(s, k, o) }, heap: func() { topHeap(s, k) }}
	}},
	{"TopK", func(values []uint64, k int, o sorter.Option) topRace {
		s := topRows(values)
		own := make([]topRow, len(s))
		return topRace{
			fresh:  func() { copy(own, s) },
			sorter: func() { _ = sorter.TopK(own, k, func(r topRow) float32 { return r.Key }, o) },
			heap:   func() { topHeapInPlace(own, k) },
		}
	}},
	{"float32 column", func(values []uint64, k int, o sorter.Option) topRace {
		return topOfColumn(topKeys(values, topFloat), k, o)
	}},
	{"int64 column", func(values []uint64, k int, o sorter.Option) topRace {
		return topOfColumn(topKeys(values, func(v uint64) int64 { return int64(v ^ 1<<63) }), k, o)
	}},
}

// topFloat is monotonic.
func topFloat(v uint64) float32 { return float32(int64(v ^ 1<<63)) }

func topKeys[K any](values []uint64, key func(uint64) K) []K {
	keys := make([]K, len(values))
	for i, v := range values {
		keys[i] = key(v)
	}
	return keys
}

func topRows(values []uint64) []topRow {
	s := make([]topRow, len(values))
	for i, v := range values {
		s[i] = topRow{Key: topFloat(v), ID: uint32(i), A: float64(i)}
	}
	return s
}

func topOfColumn[K float32 | int64](keys []K, k int, o sorter.Option) topRace {
	cols := []sorter.Column[int]{sorter.AscOf(keys)}
	return topRace{
		sorter: func() { _, _ = sorter.RowsBy(len(keys), cols...).Top(k, o) },
		heap: func() {
			heap := make([]heldKey[K], 0, k)
			for i, key := range keys[:k] {
				heap = append(heap, heldKey[K]{key, uint32(i)})
			}
			heapify(heap)
			for i, key := range keys[k:] {
				if key < heap[0].key {
					heap[0] = heldKey[K]{key, uint32(k + i)}
					sink(heap, 0)
				}
			}
			inOrder(heap)
		},
	}
}

// heldKey is an element of a heap whose largest is in front.
type heldKey[K cmp.Ordered] struct {
	key K
	at  uint32
}

// topHeap returns the positions of the first k rows.
func topHeap(s []topRow, k int) []uint32 {
	heap := make([]heldKey[float32], 0, k)
	for i := range s[:k] {
		heap = append(heap, heldKey[float32]{s[i].Key, uint32(i)})
	}
	heapify(heap)
	for i := k; i < len(s); i++ {
		if s[i].Key < heap[0].key {
			heap[0] = heldKey[float32]{s[i].Key, uint32(i)}
			sink(heap, 0)
		}
	}
	return inOrder(heap)
}

func heapify[K cmp.Ordered](heap []heldKey[K]) {
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sink(heap, i)
	}
}

func sink[K cmp.Ordered](heap []heldKey[K], i int) {
	held := heap[i]
	for child := 2*i + 1; child < len(heap); child = 2*i + 1 {
		if next := child + 1; next < len(heap) && heap[child].key < heap[next].key {
			child = next
		}
		if held.key >= heap[child].key {
			break
		}
		heap[i] = heap[child]
		i = child
	}
	heap[i] = held
}

func inOrder[K cmp.Ordered](heap []heldKey[K]) []uint32 {
	slices.SortFunc(heap, func(a, b heldKey[K]) int { return cmp.Compare(a.key, b.key) })
	at := make([]uint32, len(heap))
	for i := range heap {
		at[i] = heap[i].at
	}
	return at
}

// topHeapInPlace moves the first k rows to the front.
func topHeapInPlace(s []topRow, k int) {
	heap := s[:k]
	for i := k/2 - 1; i >= 0; i-- {
		sinkRow(heap, i)
	}
	for i := k; i < len(s); i++ {
		if s[i].Key < heap[0].Key {
			s[i], heap[0] = heap[0], s[i]
			sinkRow(heap, 0)
		}
	}
	slices.SortFunc(heap, func(a, b topRow) int { return cmp.Compare(a.Key, b.Key) })
}

func sinkRow(heap []topRow, i int) {
	for child := 2*i + 1; child < len(heap); child = 2*i + 1 {
		if next := child + 1; next < len(heap) && heap[child].Key < heap[next].Key {
			child = next
		}
		if heap[i].Key >= heap[child].Key {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}
