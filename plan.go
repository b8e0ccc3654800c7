package sorter

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"time"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// CPU returns the CPU engine, which is always there.
func CPU() Backend { return cpu.Engine{} }

// Backends returns the engines of this process: the CPU first, then every
// registered device in the order of registration. It opens no device. With
// SORTER_BACKEND=cpu in the environment it returns the CPU alone.
func Backends() []Backend { return append([]Backend{CPU()}, engine.Registered()...) }

// run is one call: its options, its environment, and the choices made for it.
type run struct {
	engine.Env
	config
	n     int
	start time.Time
	used  Stats // what the planner notes for Report
}

// begin starts a call on n elements.
func begin(cfg config, n int) (*run, error) {
	r := &run{config: cfg, n: n}
	r.Loop.Ctx = cfg.ctx
	if r.Loop.Workers = cfg.workers; cfg.workers == 0 {
		r.Loop.Workers = runtime.GOMAXPROCS(0)
	}
	if cfg.progress != nil {
		r.Loop.Progress = func(stage string, done, total int) { cfg.progress(Progress{stage, done, total}) }
	}
	if cfg.stats != nil {
		r.start = time.Now()
	}
	if uint64(n) > 1<<32-1 {
		return r, fmt.Errorf("%w: %d elements", ErrTooLong, n)
	}
	if err := cfg.runnable(); err != nil {
		return r, err
	}
	return r, r.Loop.Err()
}

// runnable reports an algorithm that no engine at hand runs.
func (c config) runnable() error {
	switch {
	case c.backend != nil && !c.backend.Runs(c.algorithm):
		return fmt.Errorf("%w that runs %v: %s does not", ErrNoDevice, c.algorithm, c.backend.Name())
	case c.backend == nil && !slices.ContainsFunc(Backends(), func(b Backend) bool { return b.Runs(c.algorithm) }):
		return fmt.Errorf("%w that runs %v", ErrNoDevice, c.algorithm)
	}
	return nil
}

// end reports and gives the scratch memory back.
func (r *run) end() {
	if r.stats != nil {
		st := &r.used
		st.Device, st.Shape, st.Rounds, st.Stages = r.Trace.Device, r.Trace.Shape, r.Trace.Rounds, r.Trace.Stages
		st.Elements, st.Workers, st.Scratch = r.n, r.Loop.Workers, r.Arena.Peak()
		if st.Engine == "" {
			st.Engine = CPU().Name()
		}
		if r.Trace.Algorithm != "" {
			st.Algorithm = r.Trace.Algorithm
		}
		st.Total = time.Since(r.start)
		*r.stats = *st
	}
	r.Arena.Release(r.Loop.Workers)
}

// moveBytes is the element size up to which elements travel with their codes
// through the buckets; larger ones are gathered once through the finished
// index. It is two cache lines, behind which a random read costs little more
// than a sequential one; BenchmarkElementSize compares both ways by size.
const moveBytes = 128

// algorithmFor decides how elements of the given size are sorted by lv.
func (r *run) algorithmFor(size uintptr) Algorithm {
	switch {
	case r.algorithm == BucketRadix || r.algorithm == Auto && size <= moveBytes:
		return BucketRadix
	}
	return IndexGather
}

// sortRows sorts s by cols.
func sortRows[E any](cols []Column[E], s []E, cfg config) error {
	r, err := begin(cfg, len(s))
	defer r.end()
	if err != nil || len(s) == 0 {
		return err
	}
	lv := levels(cols, cfg)
	if len(lv) == 0 {
		return nil
	}
	return sortLevels(r, s, lv)
}

// sortLevels sorts s by lv.
func sortLevels[E any](r *run, s []E, lv []level[E]) error {
	var e E
	size := unsafe.Sizeof(e)
	r.used.CodeBits = lv[0].bits
	algorithm := r.algorithmFor(size)
	if !r.fits(need(algorithm, lv, r.n, r.Loop.Workers, size)) {
		return sortInPlace(r, s, lv)
	}
	if algorithm == BucketRadix && r.device(engine.Work{Bits: lv[0].bits, Payload: size}) == nil {
		r.used.Algorithm = BucketRadix.String()
		return moveRows(r, s, lv)
	}
	r.used.Algorithm = IndexGather.String()
	return gatherRows(r, s, lv)
}

// moveRows sorts s on the CPU, elements travelling with their codes.
func moveRows[E any](r *run, s []E, lv []level[E]) error {
	lv[0].open(sliceRows(s), &r.Arena)
	if lv[0].bits <= 32 {
		return moveCodes(r, s, lv, source32(r, sliceRows(s), &lv[0]))
	}
	return moveCodes(r, s, lv, source64(r, sliceRows(s), &lv[0]))
}

func moveCodes[E any, C code](r *run, s []E, lv []level[E], src cpu.Source[C]) error {
	if len(lv) == 1 && lv[0].exact() {
		return cpu.Move(&r.Env, s, src)
	}
	ties := newTies(&r.Env, sliceRows(s), lv)
	ties.watch = r.limit == 0
	return cpu.MoveRefined(&r.Env, s, src, refiner[E, C]{ties, r})
}

// gatherRows sorts s through an index: order first, then move.
func gatherRows[E any](r *run, s []E, lv []level[E]) error {
	index, rows := scratch.Take[uint32](&r.Arena, len(s)), sliceRows(s)
	if b := r.device(engine.Work{Bits: lv[0].bits}); b != nil && b != CPU() {
		rows.aside = scratch.Take[E](&r.Arena, len(s))
	}
	if err := orderRows(r, rows, lv, index); err != nil {
		return err
	}
	if inOrder := r.Trace.Shape == "sorted" || r.Trace.Shape == "flat"; inOrder && r.used.Ties == 0 {
		return nil
	}
	if rows.aside != nil {
		return gatherBack(r, s, rows.aside, index)
	}
	sorted := scratch.Take[E](&r.Arena, len(s))
	err := r.Stage("gather", len(s), gatherPiece, func(_, lo, hi int) {
		perm.Gather(sorted[lo:hi], s, index[lo:hi], 1)
	})
	if err != nil {
		return err
	}
	r.Loop.Ctx = nil // from here on the sort finishes
	return r.Stage("write", len(s), gatherPiece, func(_, lo, hi int) { copy(s[lo:hi], sorted[lo:hi]) })
}

// gatherBack writes the elements to s in order, from a copy that was made while
// their keys were extracted: then they were in the cache, and the workers were
// going to wait for a device. A gather that is written back behind it moves them
// once more when everybody waits for it.
func gatherBack[E any](r *run, s, aside []E, index []uint32) error {
	if err := r.Loop.Err(); err != nil {
		return err
	}
	r.Loop.Ctx = nil // from here on the sort finishes
	return r.Stage("gather", len(s), gatherPiece, func(_, lo, hi int) {
		perm.Gather(s[lo:hi], aside, index[lo:hi], 1)
	})
}

const gatherPiece = 1 << 15

// orderRows writes the order of rows under lv to index.
func orderRows[E any](r *run, rows rows[E], lv []level[E], index []uint32) error {
	if len(lv) == 0 {
		copy(index, perm.Identity(rows.n))
		return nil
	}
	r.used.CodeBits = lv[0].bits
	if !r.fits(need(Auto, lv, rows.n, r.Loop.Workers, 0)) {
		return orderInPlace(r, rows, lv, index)
	}
	if b := r.device(engine.Work{Bits: lv[0].bits}); b != nil && (r.backend != nil || r.fits(needOn(lv, rows.n, r.Loop.Workers))) {
		return orderOn(r, b, rows, lv, index)
	}
	lv[0].open(rows, &r.Arena)
	if lv[0].bits <= 32 {
		return orderCodes(r, rows, lv, index, source32(r, rows, &lv[0]))
	}
	return orderCodes(r, rows, lv, index, source64(r, rows, &lv[0]))
}

// orderCodes orders rows on the CPU by the codes of src, those of lv[0].
func orderCodes[E any, C code](r *run, rows rows[E], lv []level[E], index []uint32, src cpu.Source[C]) error {
	exact := len(lv) == 1 && lv[0].exact()
	ties := newTies(&r.Env, rows, lv)
	ties.watch = r.limit == 0
	var watch cpu.Watch[C]
	if !exact {
		watch = func(lo int, codes []C) cpu.Steps { return follow(ties, lo, codes) }
	}
	err := cpu.Order(&r.Env, rows.n, src, watch, !exact, func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		refine(ties, worker, final, codes, place{})
	})
	return ties.finish(r, err)
}

// source32 and source64 extract the codes of l, the first level.
func source32[E any](r *run, rows rows[E], l *level[E]) cpu.Source[uint32] {
	return paced(r, func(dst []uint32, lo int) {
		rows.block(lo, lo+len(dst), func(block []E) { l.codes32(dst, block) })
	})
}

func source64[E any](r *run, rows rows[E], l *level[E]) cpu.Source[uint64] {
	return paced(r, func(dst []uint64, lo int) {
		rows.block(lo, lo+len(dst), func(block []E) { l.codes(dst, block, lo, nil) })
	})
}

// paced makes a source that can be cancelled between the key function calls of
// a block, however slow they are: it extracts a few elements and then more and
// more at a time, as long as that is quick. What it leaves out does not matter:
// engines look at the context between blocks.
func paced[C code](r *run, src cpu.Source[C]) cpu.Source[C] {
	if r.Loop.Ctx == nil {
		return src
	}
	return func(dst []C, lo int) {
		start, size := time.Now(), 8
		for len(dst) > 0 && r.Loop.Err() == nil {
			n := min(size, len(dst))
			src(dst[:n], lo)
			dst, lo = dst[n:], lo+n
			now := time.Now()
			switch took := now.Sub(start); {
			case took < time.Millisecond:
				size *= 2
			case took > 10*time.Millisecond:
				size = max(1, size/2)
			}
			start = now
		}
	}
}

// device returns the engine that does the work, whose number of elements and
// workers are the run's; nil for the CPU engine in its own way.
func (r *run) device(w engine.Work) Backend {
	if r.backend == CPU() && !r.algorithm.OrdersCodes() {
		return nil
	}
	if r.backend != nil {
		return r.backend
	}
	devices := slices.DeleteFunc(engine.Registered(), func(b Backend) bool { return !b.Runs(r.algorithm) })
	w.N, w.Workers = r.n, r.Loop.Workers
	for _, b := range devices {
		worth := b.Worth(w)
		if c, ok := b.(engine.Calibrated); ok && r.stats != nil {
			r.used.Calibration = c.Calibration()
		}
		if worth {
			return b
		}
	}
	switch {
	case !r.algorithm.OrdersCodes():
		return nil
	case CPU().Runs(r.algorithm):
		return CPU()
	}
	return devices[0] // see runnable
}

// orderOn orders rows on a backend. If it fails and the caller did not insist
// on it, the CPU finishes.
func orderOn[E any](r *run, b Backend, rows rows[E], lv []level[E], index []uint32) error {
	lv[0].open(rows, &r.Arena)
	job := &engine.Job{N: rows.n, Bits: lv[0].bits, Algorithm: r.algorithm, Env: &r.Env,
		Emit: func(lo int, order []uint32) { copy(index[lo:], order) },
	}
	if lv[0].bits <= 32 {
		c := newCodes(r, lv, source32(r, rows, &lv[0]))
		job.Codes32 = touching(index, c.src)
		return orderCodesOn(r, b, job, rows, lv, index, c)
	}
	c := newCodes(r, lv, source64(r, rows, &lv[0]))
	job.Codes64 = touching(index, c.src)
	return orderCodesOn(r, b, job, rows, lv, index, c)
}

// touching makes a source that writes to the pages of the result where it has
// the codes for. Fresh pages of a large result take the system as long to clear
// as codes take to travel; meanwhile workers wait for slots, and later the order
// would wait for the pages.
func touching[C code](index []uint32, src cpu.Source[C]) cpu.Source[C] {
	const page = 4 << 10 / 4 // numbers on the smallest of pages
	return func(dst []C, lo int) {
		for i := lo; i < lo+len(dst); i += page {
			index[i] = 0
		}
		src(dst, lo)
	}
}

func orderCodesOn[E any, C code](r *run, b Backend, job *engine.Job, rows rows[E], lv []level[E], index []uint32, c codes[C]) error {
	switch done, err := r.orderedBy(b, job); {
	case err != nil:
		return err
	case !done:
		return orderCodes(r, rows, lv, index, c.src)
	case len(lv) == 1 && lv[0].exact():
		return nil
	}
	buffers := make([][]C, max(1, r.Loop.Workers))
	return refineSorted(r, rows, lv, index, func(worker, lo, hi int) []C {
		if buffers[worker] == nil {
			buffers[worker] = scratch.Take[C](&r.Arena, min(2*gatherPiece, rows.n))
		}
		sorted := buffers[worker][:hi-lo]
		perm.Gather(sorted, c.kept, index[lo:hi], 1)
		return sorted
	})
}

// orderedBy has b do the job. If b fails and the caller did not insist on it,
// the job is not done and the CPU has to finish.
func (r *run) orderedBy(b Backend, job *engine.Job) (done bool, err error) {
	r.used.Engine = b.Name()
	if err = b.Order(r.context(), job); err == nil {
		return true, nil
	}
	r.Loop.Ctx = r.ctx
	if ctx := r.Loop.Err(); ctx != nil {
		return false, ctx
	}
	if r.backend != nil {
		return false, err
	}
	r.used.Fallback = err
	r.used.Engine = CPU().Name()
	r.Trace = engine.Trace{Stages: r.Trace.Stages}
	return false, nil
}

// codes are the codes of a first level on their way to an engine.
type codes[C code] struct {
	src  cpu.Source[C]
	kept []C // what src has extracted, nil if nobody will ask for it
}

// newCodes keeps what src extracts if it is needed again: for ties, or for the
// CPU, should the engine fail. A key function is called once, but what is a
// key itself can be encoded twice.
func newCodes[E any, C code](r *run, lv []level[E], src cpu.Source[C]) codes[C] {
	exact := len(lv) == 1 && lv[0].exact()
	if exact && (r.backend != nil || lv[0].repeatable()) {
		return codes[C]{src: src}
	}
	c := codes[C]{kept: scratch.Take[C](&r.Arena, r.n)}
	have := make([]bool, (r.n+engine.Block-1)/engine.Block)
	c.src = func(dst []C, lo int) {
		block := c.kept[lo : lo+len(dst)]
		if done := &have[lo/engine.Block]; !*done {
			src(block, lo)
			*done = true
		}
		copy(dst, block)
	}
	return c
}

func (r *run) context() context.Context {
	if r.ctx != nil {
		return r.ctx
	}
	return context.Background()
}

// refineSorted refines the ties of a finished order. codes returns the codes of
// lv[0] at up to 2*gatherPiece places [lo, hi) of that order.
func refineSorted[E any, C code](r *run, rows rows[E], lv []level[E], index []uint32, codes func(worker, lo, hi int) []C) error {
	bounds := tieBounds(len(index), func(i int) C { return codes(0, i, i+1)[0] })
	ties := newTies(&r.Env, rows, lv)
	err := r.Stage("ties", len(bounds)-1, 1, func(worker, i, _ int) {
		lo, hi := bounds[i], bounds[i+1]
		if hi-lo > 2*gatherPiece {
			ties.note(worker, index[lo:hi], uint64(codes(worker, lo, lo+1)[0]), place{})
			return
		}
		refine(ties, worker, index[lo:hi], codes(worker, lo, hi), place{})
	})
	return ties.finish(r, err)
}

// tieBounds cuts an order of n elements between different codes, into pieces of
// at most 2*gatherPiece elements, but for runs of equal codes longer than that.
func tieBounds[C code](n int, at func(i int) C) []int {
	bounds := []int{0}
	for lo := 0; lo < n; {
		hi := min(lo+gatherPiece, n)
		if c := at(hi - 1); hi < n && at(hi) == c {
			from := lo + sort.Search(hi-lo, func(i int) bool { return at(lo+i) == c })
			hi += sort.Search(n-hi, func(i int) bool { return at(hi+i) != c })
			if from > lo && hi-lo > 2*gatherPiece {
				hi = from
			}
		}
		bounds = append(bounds, hi)
		lo = hi
	}
	return bounds
}
