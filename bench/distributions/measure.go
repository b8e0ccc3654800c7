package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// calls are the names of what is measured.
var calls = []string{"keys", "order", "24 bytes"}

// groupOf is the number of distributions that take turns with uniform keys.
const groupOf = 8

// keyType measures keys of one type.
type keyType struct {
	of      dist.Meaning
	bits    int
	measure func(s settings, group []dist.Codes, n int) ([]result, error)
}

var types = []keyType{
	{dist.Unsigned, 32, measureIn[uint32]("uint32", "uniform")},
	{dist.Signed, 32, measureIn[int32]("int32", "uniform")},
	{dist.Float, 32, measureIn[float32]("float32", "float uniform")},
	{dist.Unsigned, 64, measureIn[uint64]("uint64", "uniform")},
	{dist.Signed, 64, measureIn[int64]("int64", "uniform")},
	{dist.Float, 64, measureIn[float64]("float64", "float uniform")},
}

type ordered interface {
	sorter.Key
	~uint32 | ~int32 | ~float32 | ~uint64 | ~int64 | ~float64
}

// row24 is an element of 24 bytes.
type row24[K ordered] struct {
	key   K
	at, _ uint64
}

// input is keys of one distribution.
type input[K ordered] struct {
	dist.Codes
	keys []K
	took []float64 // least times of all columns
}

// buffers has the memory of all sorts of a group.
type buffers[K ordered] struct {
	keys      []K
	order     perm.Perm
	rows      []row24[K]
	processor bool
}

var begin = time.Now()

// measureIn returns a measurement of keys of a type, beside uniform ones of that name.
func measureIn[K ordered](name, uniform string) func(s settings, group []dist.Codes, n int) ([]result, error) {
	return func(s settings, group []dist.Codes, n int) (rows []result, err error) {
		columns := s.columns()
		var inputs []input[K]
		for _, d := range append([]dist.Codes{dist.CodesNamed(uniform)}, group...) {
			took := make([]float64, len(columns))
			for i := range took {
				took[i] = math.Inf(1)
			}
			inputs = append(inputs, input[K]{d, dist.Keys[K](d, n, 1), took})
		}
		m := buffers[K]{make([]K, n), make(perm.Perm, n), make([]row24[K], n), s.processor}
		for i, c := range columns {
			if err := m.column(s, inputs, i, c); err != nil {
				return nil, fmt.Errorf("%s of %s: %w", c.call, name, err)
			}
		}
		for _, in := range inputs[1:] {
			rows = append(rows, result{name, in.Name, n, in.took, inputs[0].took})
		}
		return rows, nil
	}
}

// column measures all inputs in turns, and again those above the bound.
func (m *buffers[K]) column(s settings, inputs []input[K], i int, c column) error {
	for round := range s.again + 1 {
		for rep := range s.reps + 1 {
			runtime.GC()
			for k, in := range inputs {
				if round > 0 && k > 0 && in.took[i] <= s.bound*inputs[0].took[i] {
					continue
				}
				took, err := m.time(c, in.keys, round+rep == 0)
				if err != nil {
					return fmt.Errorf("%s: %w", in.Name, err)
				}
				if rep > 0 { // the first warms up
					in.took[i] = min(in.took[i], took)
				}
			}
		}
	}
	return nil
}

// time returns the ns per element of one sort.
func (m *buffers[K]) time(c column, keys []K, check bool) (float64, error) {
	opts := []sorter.Option{sorter.On(sorter.CPU()), sorter.Workers(c.workers)}
	now := func() time.Duration { return time.Since(begin) }
	if m.processor {
		now = testkit.CPUTime
	}
	var err error
	var start, took time.Duration
	switch c.call {
	case "keys":
		list.Copy(m.keys, keys)
		start = now()
		err = sorter.SortKeys(m.keys, opts...)
		took = now() - start
		if check {
			err = errors.Join(err, list.InOrder(m.keys, cmp.Compare[K]), same(m.keys, keys))
		}
	case "order":
		start = now()
		_, err = sorter.OrderKeys(keys, append(opts, sorter.Into(m.order))...)
		took = now() - start
		if check {
			err = errors.Join(err, m.order.Valid(), list.InOrder(m.order, func(i, j uint32) int { return cmp.Compare(keys[i], keys[j]) }))
		}
	default:
		list.InParallel(len(keys), func(lo, hi int) {
			for i := lo; i < hi; i++ {
				m.rows[i] = row24[K]{key: keys[i], at: uint64(i)}
			}
		})
		start = now()
		err = sorter.Sort(m.rows, func(r row24[K]) K { return r.key }, opts...)
		took = now() - start
		if check {
			err = errors.Join(err, m.checkRows(keys))
		}
	}
	return float64(took.Nanoseconds()) / float64(len(keys)), err
}

// same reports keys that others do not have, NaNs among them.
func same[K ordered](a, b []K) error {
	number := func(s []K) (sum uint64) {
		for _, k := range s {
			if k == k {
				sum += uint64(dist.Scatter(math.Float64bits(float64(k)), 64))
			} else {
				sum++
			}
		}
		return sum
	}
	if number(a) != number(b) {
		return errors.New("other keys than before")
	}
	return nil
}

// checkRows finds rows that are out of order, changed, or not there once.
func (m *buffers[K]) checkRows(keys []K) error {
	for i, r := range m.rows {
		if cmp.Compare(keys[r.at], r.key) != 0 {
			return fmt.Errorf("row %d has another key than before", i)
		}
		m.order[i] = uint32(r.at)
	}
	return errors.Join(m.order.Valid(), list.InOrder(m.rows, func(a, b row24[K]) int { return cmp.Compare(a.key, b.key) }))
}
