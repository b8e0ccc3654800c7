package conformance_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/engine"
	"example.com/sorter/perm"
)

// optionsDrawn are the options of one call, and its expectations.
type optionsDrawn struct {
	order   oracle.Order
	list    []sorter.Option
	names   []string
	stable  bool // Stable is given
	limited bool // by MemoryLimit: ErrMemoryLimit is an answer
	into    perm.Perm
	marks   []marks
	report  *sorter.Stats
	busy    atomic.Int32 // calls of OnProgress
	wrong   atomic.Value // the first wrong call of OnProgress
}

// marks are runs that a call marks.
type marks struct {
	cols int // -1: all
	runs *perm.Runs
}

func (o *optionsDrawn) add(name string, opt sorter.Option) {
	o.list, o.names = append(o.list, opt), append(o.names, name)
}

// drawOptions draws the options of a call that orders n rows by the number of columns given.
func (c *drawnCase) drawOptions(n, cols int) *optionsDrawn {
	o := &optionsDrawn{}
	c.drawOrder(o)
	onDevice := c.device != nil && c.IntN(3) > 0
	if o.stable = onDevice || c.IntN(2) == 0; o.stable {
		o.add("Stable", sorter.Stable())
	}
	if c.IntN(2) == 0 {
		workers := 1 + c.IntN(4)
		o.add(fmt.Sprintf("Workers(%d)", workers), sorter.Workers(workers))
	}
	switch {
	case onDevice:
		c.drawAlgorithm(o, c.device)
	case c.IntN(4) == 0:
		c.drawAlgorithm(o, sorter.CPU())
	}
	if c.IntN(6) == 0 {
		bytes := 1 + c.Int64N(int64(1+n)*(1+c.Int64N(100)))
		o.limited = true
		o.add(fmt.Sprintf("MemoryLimit(%d)", bytes), sorter.MemoryLimit(bytes))
	}
	c.drawOutputs(o, n, cols)
	return o
}

// drawOrder draws options of the order.
func (c *drawnCase) drawOrder(o *optionsDrawn) {
	if c.IntN(2) == 0 {
		o.order.Desc = true
		o.add("Descending", sorter.Descending())
	}
	for range max(0, c.IntN(4)-1) { // the last wins
		o.order.NaNs = 1 + oracle.NaNs(c.IntN(3))
		o.add([]string{"NaNsFirst", "NaNsLast", "TotalOrder"}[o.order.NaNs-1],
			[]func() sorter.Option{sorter.NaNsFirst, sorter.NaNsLast, sorter.TotalOrder}[o.order.NaNs-1]())
	}
}

// drawAlgorithm draws an algorithm of an engine.
func (c *drawnCase) drawAlgorithm(o *optionsDrawn, b sorter.Backend) {
	if b == c.device || c.IntN(4) == 0 {
		o.add("On("+b.Name()+")", sorter.On(b))
	}
	if a := sorter.Algorithm(c.IntN(int(engine.Algorithms))); b.Runs(a) {
		o.add(fmt.Sprintf("Use(%v)", a), sorter.Use(a))
	}
}

// drawOutputs draws options that show a call, and where results go.
func (c *drawnCase) drawOutputs(o *optionsDrawn, n, cols int) {
	if c.IntN(5) == 0 {
		o.add("WithContext", sorter.WithContext(neverCancelled))
	}
	if c.IntN(4) == 0 {
		o.report = &sorter.Stats{}
		o.add("Report", sorter.Report(o.report))
	}
	if c.IntN(8) == 0 {
		o.add("OnProgress", sorter.OnProgress(o.progress))
	}
	if c.IntN(4) == 0 {
		o.into = make(perm.Perm, max(0, n-1+c.IntN(4)))
		o.add(fmt.Sprintf("Into(%d)", len(o.into)), sorter.Into(o.into[:c.IntN(len(o.into)+1)]))
	}
	for c.IntN(4) == 0 {
		m := marks{c.IntN(cols+2) - 1, &perm.Runs{}}
		o.marks = append(o.marks, m)
		if m.cols < 0 {
			o.add("MarkRuns", sorter.MarkRuns(m.runs))
			continue
		}
		o.add(fmt.Sprintf("MarkRunsBy(%d)", m.cols), sorter.MarkRunsBy(m.cols, m.runs))
	}
}

func (o *optionsDrawn) progress(p sorter.Progress) {
	if o.busy.Add(1) > 1 {
		o.wrong.Store("two calls of OnProgress at a time")
	}
	if p.Done < 0 || p.Done > p.Total {
		o.wrong.Store(fmt.Sprintf("progress %+v", p))
	}
	o.busy.Add(-1)
}

// failed reports whether a call returned an error, and notes one that it may not return.
func (x *drawnCall) failed(err error) bool {
	if wrong := x.wrong.Load(); wrong != nil {
		x.fail("%v", wrong)
	}
	switch {
	case err == nil:
		return false
	case !x.limited || !errors.Is(err, sorter.ErrMemoryLimit):
		x.fail("unexpected error: %v", err)
	}
	return true
}

// checkPerm holds an order of n rows, whose places compares takes, to want, and what options ask of it.
func (x *drawnCall) checkPerm(p perm.Perm, err error, want []int, compares []func(a, b int) int) {
	if x.failed(err) {
		if p != nil {
			x.fail("an error and a result")
		}
		return
	}
	x.same("", mapped(p, func(i uint32) int { return int(i) }), want)
	if n := len(want); n > 0 && cap(x.into) >= n && &p[0] != &x.into[:1][0] {
		x.fail("Into: the result is elsewhere")
	}
	x.checkMarks(want, compares, nil)
}

// checkMarks holds marked runs of rows to a comparison of neighbours. Segments end at ends.
func (x *drawnCall) checkMarks(rows []int, compares []func(a, b int) int, ends []int) {
	for _, m := range x.marks {
		k := m.cols
		if k < 0 {
			k = len(compares)
		}
		by := compareInTurn(compares[:k])
		starts := offsetsOf(len(rows), func(i int) bool {
			_, isEnd := slices.BinarySearch(ends, i)
			return isEnd || by(rows[i-1], rows[i]) != 0
		})
		x.same(fmt.Sprintf("runs by %d columns", m.cols), m.runs.Offsets(), starts)
	}
}

// offsetsOf returns where runs of n rows begin, and n.
func offsetsOf(n int, begins func(i int) bool) []int {
	offsets := []int{0}
	for i := 1; i < n; i++ {
		if begins(i) {
			offsets = append(offsets, i)
		}
	}
	if n > 0 {
		offsets = append(offsets, n)
	}
	return offsets
}

// compareInTurn compares by one comparison after the other.
func compareInTurn(compares []func(a, b int) int) func(a, b int) int {
	if len(compares) == 1 {
		return compares[0]
	}
	return func(a, b int) int {
		for _, compare := range compares {
			if c := compare(a, b); c != 0 {
				return c
			}
		}
		return 0
	}
}
