//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// call is one of a package, under a memory limit.
type call struct {
	name   string
	beside func(limit int64) int64            // bytes that the package grants itself beside the limit
	make   func(t task) (func() error, error) // makes the input, and returns the call, which checks its result
	tool   bool                               // in a process of its own
}

var calls = slices.Concat(inMemory, streams, files)

func callOf(name string) *call {
	return &calls[slices.IndexFunc(calls, func(c call) bool { return c.name == name })]
}

// The runtime: stacks, its own structures, and garbage that was not collected yet.
const base = 8 << 20

func little(limit int64) int64 { return base + limit/32 }

// row is an element of 24 bytes.
type row struct {
	key  uint64
	at   int64
	more float64
}

var byKey = sorter.By(sorter.Asc(func(e row) uint64 { return e.key }))

func compareKeys(a, b row) int { return cmp.Compare(a.key, b.key) }

func same(e row) row { return e }

func drawRow(r *rand.Rand, i int) row { return row{r.Uint64(), int64(i), 1} }

func drawText(r *rand.Rand) string { return fmt.Sprintf("%016x%.*s", r.Uint64(), r.IntN(80), spaces) }

const spaces = "                                                                                "

var errOrder = errors.New("wrong order")

// inOrder counts elements of batches, which are in order. Batches are valid until the next: own copies an element.
func inOrder[E any](batches iter.Seq2[[]E, error], compare func(a, b E) int, own func(e E) E, want int) error {
	var last E
	n := 0
	for batch, err := range batches {
		if err != nil {
			return err
		}
		for _, e := range batch {
			if n > 0 && compare(last, e) > 0 {
				return errOrder
			}
			last = e
			n++
		}
		last = own(last)
	}
	if n != want {
		return fmt.Errorf("%d elements of %d", n, want)
	}
	return nil
}

// As much of an input in memory as the limit has: 1.4 million rows with 32 MiB.
var inMemory = []call{
	{name: "Sort, 24 bytes", beside: little, make: func(t task) (func() error, error) {
		rows := drawRows(t)
		return func() error {
			err := sorter.Sort(rows, func(e row) uint64 { return e.key }, sorter.MemoryLimit(t.Memory))
			return cmp.Or(err, sorted(rows, compareKeys))
		}, nil
	}},
	{name: "Ordering.Sort, 24 bytes by two columns", beside: little, make: func(t task) (func() error, error) {
		rows := drawRows(t)
		by := sorter.By(sorter.Asc(func(e row) uint8 { return uint8(e.key) }), sorter.Desc(func(e row) int64 { return e.at }))
		return func() error {
			err := by.Sort(rows, sorter.MemoryLimit(t.Memory))
			return cmp.Or(err, sorted(rows, func(a, b row) int { return cmp.Or(cmp.Compare(uint8(a.key), uint8(b.key)), cmp.Compare(b.at, a.at)) }))
		}, nil
	}},
	{name: "SortFunc, 24 bytes", beside: little, make: func(t task) (func() error, error) {
		rows := drawRows(t)
		return func() error {
			return cmp.Or(sorter.SortFunc(rows, compareKeys, sorter.MemoryLimit(t.Memory)), sorted(rows, compareKeys))
		}, nil
	}},
	{name: "SortKeys, strings", beside: little, make: func(t task) (func() error, error) {
		texts := drawTexts(t)
		return func() error {
			return cmp.Or(sorter.SortKeys(texts, sorter.MemoryLimit(t.Memory)), sorted(texts, cmp.Compare[string]))
		}, nil
	}},
	{name: "Rows.Order, two columns", beside: little, make: func(t task) (func() error, error) {
		n := int(t.Memory / 24)
		first, second := make([]int32, n), make([]float64, n)
		into := make([]uint32, n)
		r := rand.New(rand.NewPCG(3, 4))
		for i := range n {
			first[i], second[i] = r.Int32N(1000), r.NormFloat64()
			into[i] = uint32(i)
		}
		rows := sorter.RowsBy(n, sorter.AscOf(first), sorter.DescOf(second))
		return func() error {
			p, err := rows.Order(sorter.Into(into), sorter.MemoryLimit(t.Memory))
			return cmp.Or(err, sorted(p, func(a, b uint32) int {
				return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(second[b], second[a]))
			}))
		}, nil
	}},
}

func drawRows(t task) []row {
	rows := make([]row, t.Memory/24)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range rows {
		rows[i] = drawRow(r, i)
	}
	return rows
}

func drawTexts(t task) []string {
	var texts []string
	r := rand.New(rand.NewPCG(5, 6))
	for bytes := int64(0); bytes < t.Memory; bytes += int64(len(texts[len(texts)-1])) + 16 {
		texts = append(texts, drawText(r))
	}
	return texts
}

func sorted[E any](s []E, compare func(a, b E) int) error {
	if !slices.IsSortedFunc(s, compare) {
		return errOrder
	}
	return nil
}

// options are those of package extsort.
func (t task) options() []extsort.Option {
	return []extsort.Option{extsort.MemoryLimit(t.Memory), extsort.TempDir(t.Dir)}
}

var streams = []call{
	{name: "extsort.New, 24 bytes", beside: little, make: func(t task) (func() error, error) {
		return func() error {
			s, err := extsort.New(byKey, t.options()...)
			return sortedBy(s, err, int(t.Input/24), drawRow, compareKeys, same)
		}, nil
	}},
	{name: "extsort.NewCoded, strings", beside: little, make: func(t task) (func() error, error) {
		by := sorter.By(sorter.Asc(func(s string) string { return s }))
		return func() error {
			s, err := extsort.NewCoded(by, extsort.Strings(), t.options()...)
			return sortedBy(s, err, int(t.Input/60), func(r *rand.Rand, _ int) string { return drawText(r) }, cmp.Compare[string], strings.Clone)
		}, nil
	}},
	{name: "extsort.NewStruct, a text and a number", beside: collected, make: func(t task) (func() error, error) {
		by := sorter.By(sorter.Asc(func(e named) string { return e.Name }))
		return func() error {
			s, err := extsort.NewStruct(by, t.options()...)
			return sortedBy(s, err, int(t.Input/70), func(r *rand.Rand, i int) named { return named{drawText(r), int64(i)} },
				func(a, b named) int { return cmp.Compare(a.Name, b.Name) }, func(e named) named { return named{strings.Clone(e.Name), e.N} })
		}, nil
	}},
	{name: "extsort.Merge of 100, 24 bytes", beside: little, make: func(t task) (func() error, error) {
		const k = 100
		each := int(t.Input / 24 / k)
		sources := make([]iter.Seq2[[]row, error], k)
		for i := range sources {
			sources[i] = func(yield func([]row, error) bool) {
				for lo := 0; lo < each; lo += 500 {
					batch := make([]row, min(500, each-lo))
					for j := range batch {
						batch[j].key = uint64(lo + j)
					}
					if !yield(batch, nil) {
						return
					}
				}
			}
		}
		return func() error {
			return inOrder(extsort.Merge(byKey, sources, extsort.MemoryLimit(t.Memory)), compareKeys, same, k*each)
		}, nil
	}},
}

type named struct {
	Name string
	N    int64
}

// sortedBy sorts n elements that are drawn one by one.
func sortedBy[E any](s *extsort.Sorter[E], err error, n int, draw func(r *rand.Rand, i int) E, compare func(a, b E) int, own func(e E) E) error {
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(7, 8))
	for i := range n {
		if err := s.Append(draw(r, i)); err != nil {
			return err
		}
	}
	return errors.Join(inOrder(s.Batches(), compare, own, n), s.Close())
}
