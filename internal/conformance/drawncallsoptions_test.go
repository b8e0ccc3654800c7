package conformance_test

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// optionsDrawn are the options of one call, and its expectations.
type optionsDrawn struct {
	order    oracle.Order
	list     []sorter.Option
	names    []string
	offered  int // options drawn so far, dropped ones included
	stable   bool
	limited  bool // by MemoryLimit: ErrMemoryLimit is an answer
	excluded bool // options exclude each other: ErrNoDevice is the answer
	engine   string
	into     perm.Perm
	marks    []marks
	report   *sorter.Stats
	busy     atomic.Int32 // calls of OnProgress
	wrong    atomic.Value // the first wrong call of OnProgress
	off      ways.Set     // ways that are off
	offName  string
	vectors  string    // instructions that are left, as SORTER_VECTORS has them; "": all
	fault    *keyFault // nil: none
	poll     *pollFault
}

// marks are runs that a call marks.
type marks struct {
	cols int // -1: all
	runs *perm.Runs
}

// offers reports whether an option that was drawn is given: the minimiser leaves some out.
func (x *drawnCall) offers(o *optionsDrawn, format string, args ...any) bool {
	o.offered++
	if x.drops>>(o.offered-1)&1 != 0 {
		return false
	}
	o.names = append(o.names, fmt.Sprintf(format, args...))
	return true
}

func (o *optionsDrawn) add(opt sorter.Option) { o.list = append(o.list, opt) }

// drawOptions draws the options of a call that orders n rows by the number of columns given.
func (x *drawnCall) drawOptions(n, cols int) *optionsDrawn {
	o := &optionsDrawn{engine: "chosen"}
	x.drawOrder(o)
	onDevice := x.device != nil && !x.onCPU && x.IntN(3) > 0
	if stable := onDevice || x.sought.draws(2, x.Rand, "Stable"); stable && (onDevice || x.offers(o, "Stable()")) {
		o.stable = true
		o.add(sorter.Stable())
	}
	if workers := 1 + x.IntN(4); x.sought.draws(2, x.Rand, "Workers") && x.offers(o, "Workers(%d)", workers) {
		o.add(sorter.Workers(workers))
	}
	switch {
	case x.sought.has("engine"):
		x.wantedEngine(o)
	case onDevice:
		x.drawAlgorithm(o, x.device)
	case x.sought.draws(4, x.Rand):
		x.drawAlgorithm(o, sorter.CPU())
	}
	if x.sought.draws(6, x.Rand, "MemoryLimit") {
		if bytes := 1 + x.Int64N(int64(1+n)*(1+x.Int64N(100))); x.offers(o, "MemoryLimit(%d)", bytes) {
			o.limited = true
			o.add(sorter.MemoryLimit(bytes))
		}
	}
	x.drawOutputs(o, n, cols)
	x.drawMeans(o)
	if ctx := x.drawFault(o, n, cols); ctx != nil {
		o.add(sorter.WithContext(ctx))
	}
	return o
}

// drawOrder draws options of the order.
func (x *drawnCall) drawOrder(o *optionsDrawn) {
	if x.sought.draws(2, x.Rand, "Descending") && x.offers(o, "Descending()") {
		o.order.Desc = true
		o.add(sorter.Descending())
	}
	nansOptions := []string{"NaNsFirst", "NaNsLast", "TotalOrder"}
	times := max(0, x.IntN(4)-1)
	if x.sought.has("option", nansOptions...) {
		times = 5
	}
	for range times { // the last wins
		nans := 1 + oracle.NaNs(x.IntN(3))
		if x.offers(o, "%s()", nansOptions[nans-1]) {
			o.order.NaNs = nans
			o.add([]func() sorter.Option{sorter.NaNsFirst, sorter.NaNsLast, sorter.TotalOrder}[nans-1]())
		}
	}
}

// drawAlgorithm draws an algorithm of an engine, at times one that it lacks.
func (x *drawnCall) drawAlgorithm(o *optionsDrawn, b sorter.Backend) {
	on := b == x.device || x.IntN(4) == 0
	if on {
		on = x.offers(o, "On(%s)", b.Name())
	}
	if on {
		o.engine = b.Name()
		o.add(sorter.On(b))
	}
	if on && x.IntN(4) == 0 {
		return
	}
	a := sorter.Algorithm(x.IntN(int(engine.Algorithms)))
	if b == x.device && (x.IntN(4) == 0 || x.aim != nil && x.aim.how == "ends" && x.IntN(2) == 0) {
		a = sorter.BucketBitonic
	}
	lacks := !b.Runs(a)
	if lacks && (x.device != nil || x.IntN(4) > 0) {
		return
	}
	x.use(o, b, a)
}

// use offers an algorithm of an engine.
func (x *drawnCall) use(o *optionsDrawn, b sorter.Backend, a sorter.Algorithm) {
	if !x.offers(o, "Use(%v)", a) {
		return
	}
	if o.excluded = !b.Runs(a); o.excluded {
		o.engine = "without the algorithm"
	} else {
		o.engine = b.Name() + " by " + a.String()
	}
	o.add(sorter.Use(a))
}

// drawOutputs draws options that show a call, and where results go.
func (x *drawnCall) drawOutputs(o *optionsDrawn, n, cols int) {
	if x.sought.draws(4, x.Rand, "Report") && x.offers(o, "Report(new(sorter.Stats))") {
		o.report = &sorter.Stats{}
		o.add(sorter.Report(o.report))
	}
	if x.sought.draws(8, x.Rand, "OnProgress") && x.offers(o, "OnProgress(func(sorter.Progress) {})") {
		o.add(sorter.OnProgress(o.progress))
	}
	if x.sought.draws(4, x.Rand, "Into") {
		into := make(perm.Perm, max(0, n-1+x.IntN(4)))
		if length := x.IntN(len(into) + 1); x.offers(o, "Into(make(perm.Perm, %d, %d))", length, len(into)) {
			o.into = into
			o.add(sorter.Into(into[:length]))
		}
	}
	for x.sought.draws(4, x.Rand, "MarkRuns", "MarkRunsBy") && len(o.marks) < 5 {
		m := marks{x.IntN(cols+2) - 1, &perm.Runs{}}
		if m.cols < 0 && x.offers(o, "MarkRuns(new(perm.Runs))") {
			o.marks = append(o.marks, m)
			o.add(sorter.MarkRuns(m.runs))
		} else if m.cols >= 0 && x.offers(o, "MarkRunsBy(%d, new(perm.Runs))", m.cols) {
			o.marks = append(o.marks, m)
			o.add(sorter.MarkRunsBy(m.cols, m.runs))
		}
	}
}

// drawMeans draws ways and vector instructions that are withheld. No result depends on them.
func (x *drawnCall) drawMeans(o *optionsDrawn) {
	off, name := ways.Set(0), ""
	switch x.IntN(12) {
	case 0:
		off, name = ways.All, "all"
	case 1:
		off, name = ways.Set(x.Uint32())&ways.All, "some"
	case 2, 3, 4:
		w := ways.Way(x.IntN(ways.Ways))
		off, name = ways.Of(w), w.String()
	}
	if x.sought != nil {
		off, name = x.wantedOff(off, name)
	}
	if off != 0 && x.offers(o, "off %v", off) {
		o.off, o.offName = off, name
	}
	if x.sought.draws(4, x.Rand) || x.sought.has("vectors") || x.sought.has("taken") {
		vectors := []string{"none", "avx2"}[x.IntN(2)]
		if x.sought != nil {
			vectors = x.wantedVectors()
		}
		if vectors != "all" && x.offers(o, "vectors %s", vectors) {
			o.vectors = vectors
		}
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

// failed reports whether a call returned an error, and notes one that it may not return, or lacks.
func (x *drawnCall) failed(err error) bool {
	if wrong := x.wrong.Load(); wrong != nil {
		x.fail("%v", wrong)
	}
	switch {
	case err == nil && x.excluded:
		x.fail("no error of options that exclude each other")
		return false
	case err == nil:
		return false
	case x.excluded && errors.Is(err, sorter.ErrNoDevice):
	case x.limited && errors.Is(err, sorter.ErrMemoryLimit):
	case x.faulted(err):
	default:
		x.fail("unexpected error: %v", err)
	}
	for _, m := range x.marks {
		if x.times == 1 && m.runs.Rows() != 0 {
			x.fail("an error, and runs of %d rows", m.runs.Rows())
		}
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
