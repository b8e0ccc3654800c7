package main

import (
	"container/heap"
	"strings"

	"github.com/bboreham/go-loser"
)

// cursor reads the batches of a source.
type cursor[E any] struct {
	batches [][]E
	rest    []E
	now     E
}

func newCursors[E any](in [][][]E) []*cursor[E] {
	all := make([]*cursor[E], len(in))
	for i, b := range in {
		all[i] = &cursor[E]{batches: b}
	}
	return all
}

func (c *cursor[E]) Next() bool {
	for len(c.rest) == 0 {
		if len(c.batches) == 0 {
			return false
		}
		c.rest, c.batches = c.batches[0], c.batches[1:]
	}
	c.now, c.rest = c.rest[0], c.rest[1:]
	return true
}

// keyed is a cursor of records for go-loser, whose values are keys.
type keyed struct{ *cursor[record] }

func (c keyed) At() uint64 { return c.now.Key }

// itself is a cursor of strings.
type itself struct{ *cursor[string] }

func (c itself) At() string { return c.now }

// writer collects a result in batches.
type writer[E any] struct {
	out []E
	use func([]E)
}

func newWriter[E any](use func([]E)) *writer[E] { return &writer[E]{make([]E, 0, 1024), use} }

func (w *writer[E]) put(e E) {
	if len(w.out) == cap(w.out) {
		w.flush()
	}
	w.out = append(w.out, e)
}

func (w *writer[E]) flush() {
	if len(w.out) > 0 {
		w.use(w.out)
		w.out = w.out[:0]
	}
}

func goLoserRecords(in [][][]record, use func([]record)) {
	var all []keyed
	for _, c := range newCursors(in) {
		all = append(all, keyed{c})
	}
	w := newWriter(use)
	for t := loser.New(all, ^uint64(0)); t.Next(); {
		w.put(t.Winner().now)
	}
	w.flush()
}

func goLoserStrings(in [][][]string, use func([]string)) {
	var all []itself
	for _, c := range newCursors(in) {
		all = append(all, itself{c})
	}
	w := newWriter(use)
	for t := loser.New(all, strings.Repeat("\xff", 101)); t.Next(); {
		w.put(t.Winner().now)
	}
	w.flush()
}

// mergeRecords is a stable loser tree for records, with keys in its nodes.
func mergeRecords(in [][][]record, use func([]record)) {
	type node struct {
		key    uint64
		source int // len(in): none is left
	}
	all, w := newCursors(in), newWriter(use)
	k := len(all)
	tree := make([]node, k)
	next := func(i int) node {
		if all[i].Next() {
			return node{all[i].now.Key, i}
		}
		return node{^uint64(0), k + i}
	}
	less := func(a, b node) bool { return a.key < b.key || a.key == b.key && a.source < b.source }
	winners := make([]node, 2*k)
	for i := range k {
		winners[k+i] = next(i)
	}
	for i := k - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if less(b, a) {
			a, b = b, a
		}
		winners[i], tree[i] = a, b
	}
	for now := winners[1]; now.source < k; {
		i := now.source
		w.put(all[i].now)
		now = next(i)
		for p := (k + i) / 2; p > 0; p /= 2 {
			if t := tree[p]; t.key < now.key || t.key == now.key && t.source < now.source {
				tree[p], now = now, t
			}
		}
	}
	w.flush()
}

// mergeStrings is a stable loser tree for strings.
func mergeStrings(in [][][]string, use func([]string)) {
	all, w := newCursors(in), newWriter(use)
	k := len(all)
	tree, ended := make([]int, k), make([]bool, k)
	less := func(a, b int) bool {
		if ended[a] || ended[b] {
			return !ended[a] || ended[b] && a < b
		}
		c := strings.Compare(all[a].now, all[b].now)
		return c < 0 || c == 0 && a < b
	}
	winners := make([]int, 2*k)
	for i := range k {
		winners[k+i], ended[i] = i, !all[i].Next()
	}
	for i := k - 1; i > 0; i-- {
		a, b := winners[2*i], winners[2*i+1]
		if less(b, a) {
			a, b = b, a
		}
		winners[i], tree[i] = a, b
	}
	for now := winners[1]; !ended[now]; {
		w.put(all[now].now)
		ended[now] = !all[now].Next()
		for p := (k + now) / 2; p > 0; p /= 2 {
			if less(tree[p], now) {
				tree[p], now = now, tree[p]
			}
		}
	}
	w.flush()
}

// sources is a container/heap of cursors.
type sources[E any] struct {
	all  []*cursor[E]
	less func(a, b E) bool
}

func (s *sources[E]) Len() int           { return len(s.all) }
func (s *sources[E]) Less(i, j int) bool { return s.less(s.all[i].now, s.all[j].now) }
func (s *sources[E]) Swap(i, j int)      { s.all[i], s.all[j] = s.all[j], s.all[i] }
func (s *sources[E]) Push(any)           {}
func (s *sources[E]) Pop() any {
	last := len(s.all) - 1
	c := s.all[last]
	s.all = s.all[:last]
	return c
}

// mergeByHeap merges by container/heap. It is not stable.
func mergeByHeap[E any](in [][][]E, less func(a, b E) bool, use func([]E)) {
	s, w := &sources[E]{less: less}, newWriter(use)
	for _, c := range newCursors(in) {
		if c.Next() {
			s.all = append(s.all, c)
		}
	}
	heap.Init(s)
	for len(s.all) > 0 {
		w.put(s.all[0].now)
		if s.all[0].Next() {
			heap.Fix(s, 0)
		} else {
			heap.Pop(s)
		}
	}
	w.flush()
}
