package sorter

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// CPU returns the CPU engine, which is always there.
func CPU() Backend { return cpu.Engine{} }

// Backends returns the engines of this process: the CPU first, then every
// registered device in the order of registration. It opens no device. With
// SORTER_BACKEND=cpu in the environment it returns the CPU alone.
func Backends() []Backend {
	all := []Backend{CPU()}
	for _, b := range engine.Registered() {
		all = append(all, b)
	}
	return all
}

// run is one call: its options, its environment, and the choices made for it.
type run struct {
	engine.Env
	config
	n        int
	element  uintptr // size of an element
	start    time.Time
	numbered bool             // elements are row numbers
	needed   int64            // bytes of scratch memory besides an engine's own
	used     Stats            // notes of the planner for Report
	devices  []engine.Backend // registered engines that run the algorithm, where the caller names none
}

// maxLen is the largest number of elements of a call: positions are 32 bits, and an int
// that counts elements may pass the last of them by the elements that a worker takes at a time.
const maxLen = min(1<<32-1, math.MaxInt-1<<20)

// begin starts a call on n elements of the given size.
func begin(cfg config, n int, size uintptr) (*run, error) {
	r := &run{config: cfg, n: n, element: size}
	r.Loop.Ctx = cfg.ctx
	if r.Loop.Workers = cfg.workers; cfg.workers == 0 {
		r.Loop.Workers = runtime.GOMAXPROCS(0)
	}
	// More would have nothing to do, and count in the memory that a limit has to allow.
	r.Loop.Workers = min(r.Loop.Workers, n/cpu.LeastTurn+1)
	if cfg.progress != nil {
		r.Loop.Progress = func(stage string, done, total int) { cfg.progress(Progress{stage, done, total}) }
	}
	if cfg.stats != nil {
		r.start = time.Now()
	}
	if uint64(n) > maxLen {
		return r, tooLong(n)
	}
	if err := r.findDevices(); err != nil {
		return r, err
	}
	return r, r.Loop.Err()
}

// findDevices asks engines once which of them run the algorithm, since their answers
// may change while the sort goes on. It returns an error if none runs it.
func (r *run) findDevices() error {
	if r.backend != nil {
		if r.backend.Runs(r.algorithm) {
			return nil
		}
		return fmt.Errorf("%w that runs %v: %s does not", ErrNoDevice, r.algorithm, r.backend.Name())
	}
	r.devices = slices.DeleteFunc(engine.Registered(), func(b engine.Backend) bool { return !b.Runs(r.algorithm) })
	if len(r.devices) == 0 && !CPU().Runs(r.algorithm) {
		return fmt.Errorf("%w that runs %v", ErrNoDevice, r.algorithm)
	}
	return nil
}

// end reports and gives the scratch memory back.
func (r *run) end() {
	if r.stats != nil {
		st := &r.used
		st.Device, st.Shape, st.Rounds, st.Stages = r.Trace.Device, string(r.Trace.Shape), r.Trace.Rounds, stagesOf(r.Trace.Stages)
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

// moveBytes is the element size up to which elements move with their codes
// through the buckets; larger ones are gathered once through the finished
// index. It is two cache lines, beyond which a random read costs little more
// than a sequential one; BenchmarkElementSize compares both ways by size.
const moveBytes = 128

// algorithmFor decides how elements of the given size are sorted by lv.
func (r *run) algorithmFor(size uintptr) Algorithm {
	if r.algorithm == BucketRadix || r.algorithm == Auto && size <= moveBytes {
		return BucketRadix
	}
	return IndexGather
}

// sortRows sorts s by cols.
func sortRows(cols []column, s cpu.Payload, cfg config) error {
	r, err := begin(cfg, s.Len(), s.Size())
	defer r.end()
	if err != nil || s.Len() == 0 {
		return err
	}
	lv := levels(cols, cfg)
	if len(lv) == 0 {
		return nil
	}
	return sortLevels(r, s, lv)
}

// sortLevels sorts s by lv.
func sortLevels(r *run, s cpu.Payload, lv []level) error {
	size := s.Size()
	r.used.CodeBits = lv[0].bits
	algorithm := r.algorithmFor(size)
	switch fits, err := enough(r, algorithm, lv, size); {
	case err != nil:
		return err
	case !fits:
		return sortInPlace(r, s, lv)
	}
	b := orderer(r, algorithm, sliceRows(s), lv, size)
	if algorithm == BucketRadix && b == nil {
		r.used.Algorithm = BucketRadix.String()
		return moveRows(r, s, lv)
	}
	r.used.Algorithm = IndexGather.String()
	return gatherRows(r, b, s, lv)
}

// moveRows sorts s on the CPU and moves elements with their codes.
func moveRows(r *run, s cpu.Payload, lv []level) error {
	lv[0].open(sliceRows(s), &r.Env)
	if lv[0].bits <= 32 {
		return moveCodes(r, s, lv, source32(r, sliceRows(s), &lv[0]))
	}
	return moveCodes(r, s, lv, source64(r, sliceRows(s), &lv[0]))
}

func moveCodes[C code](r *run, s cpu.Payload, lv []level, src cpu.Source[C]) error {
	if decisive(lv) {
		return cpu.Move(&r.Env, s, src)
	}
	ties := newTies(&r.Env, sliceRows(s), lv)
	ties.watch = r.limit == 0 && r.fits(earlyBytes(r.n, lv))
	err := cpu.MoveRefined[C](&r.Env, s, src, refiner[C]{ties, r, src})
	if err == cpu.ErrTied {
		rest, src := ties.rest()
		err = moveCodes(r, s, rest, src)
		r.used.Ties = r.n
	}
	return err
}

// gatherRows sorts s through an index, which b makes: order first, then move.
func gatherRows(r *run, b Backend, s cpu.Payload, lv []level) error {
	n := s.Len()
	index, rows := scratch.Take[uint32](&r.Arena, n), sliceRows(s)
	if b != nil && b != CPU() {
		rows.aside = s.Take(&r.Arena, n)
		rows.carried = carriedElements(s, rows.aside, lv)
	}
	if err := orderOn(r, b, rows, lv, index); err != nil {
		return err
	}
	switch {
	case rows.carried.moved():
		return rows.carried.finish(r, index)
	case r.inOrder(index):
		return nil
	case rows.aside.Data() != nil:
		return gatherBack(r, s, rows.aside, index)
	}
	sorted := s.Take(&r.Arena, n)
	err := r.Stage("gather", n, r.piece(n), func(_, lo, hi int) { sorted.Part(lo, hi).Gather(s, index[lo:hi]) })
	if err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("write", n, r.piece(n), func(_, lo, hi int) { s.Part(lo, hi).Copy(sorted.Part(lo, hi)) })
}

// inOrder reports whether an order is that of the input.
func (r *run) inOrder(index []uint32) bool {
	n := len(index)
	if n == 0 || index[0] != 0 || index[n-1] != uint32(n-1) {
		return n == 0
	}
	var moved atomic.Bool
	err := r.Stage("detect", n, r.piece(n), func(_, lo, hi int) {
		for i := lo; i < hi && !moved.Load(); i += engine.Block {
			if part := index[i:min(i+engine.Block, hi)]; part[0] != uint32(i) || !inRow(part) {
				moved.Store(true)
			}
		}
	})
	return err == nil && !moved.Load()
}

// gatherBack writes the elements to s in order, from a copy that was made while
// their keys were extracted: then they were in the cache, and the workers were
// going to wait for a device. A gather into scratch would move them once more, when
// every worker waits for it.
func gatherBack(r *run, s, aside cpu.Payload, index []uint32) error {
	if err := r.Loop.Err(); err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("gather", s.Len(), r.piece(s.Len()), func(_, lo, hi int) {
		s.Part(lo, hi).GatherPast(aside, index[lo:hi])
	})
}

// piece returns the number of elements, of n, that a worker takes at a time in stages
// with random access.
func (r *run) piece(n int) int { return cpu.GatherPiece(&r.Env, n) }

// orderable reports whether the memory limit allows an order by lv that is not in place.
// It returns an error where the limit allows none in place either.
func orderable(r *run, lv []level) (fits bool, err error) {
	if len(lv) == 0 {
		return true, nil
	}
	if fits, err = enough(r, Auto, lv); err == nil && !fits {
		err = r.require(leastOrder(r, lv))
	}
	return fits, err
}

// orderRows writes the order of rows under lv to index, in place unless more fits.
func orderRows(r *run, rows rows, lv []level, index []uint32, fits bool) error {
	if len(lv) == 0 {
		for i := range index {
			index[i] = uint32(i)
		}
		return nil
	}
	if r.used.CodeBits = lv[0].bits; !fits {
		return orderInPlace(r, rows, lv, index)
	}
	return orderOn(r, orderer(r, Auto, rows, lv), rows, lv, index)
}

// orderCodes orders rows on the CPU by the codes of src, those of lv[0].
func orderCodes[C code](r *run, rows rows, lv []level, index []uint32, src cpu.Source[C]) error {
	if decisive(lv) {
		return cpu.Order(&r.Env, rows.n, src, nil, false, func(_, lo int, order []uint32, _ []C) { copy(index[lo:], order) })
	}
	ties := newTies(&r.Env, rows, lv)
	ties.watch = r.limit == 0 && r.fits(earlyBytes(r.n, lv))
	err := cpu.Order(&r.Env, rows.n, src, refiner[C]{ties, r, src}, true, func(worker, lo int, order []uint32, codes []C) {
		final := index[lo : lo+len(order)]
		copy(final, order)
		refine(ties, worker, final, codes, place{})
	})
	if err == cpu.ErrTied {
		rest, src := ties.rest()
		err = orderCodes(r, rows, rest, index, src)
		r.used.Ties = r.n
		return err
	}
	return ties.finish(r, err)
}

// source32 and source64 extract the codes of l, the first level, except those that
// a sample has extracted already.
func source32(r *run, rows rows, l *level) cpu.Source[uint32] {
	return sourceOf(r, rows, l, l.codes32)
}

func source64(r *run, rows rows, l *level) cpu.Source[uint64] {
	return sourceOf(r, rows, l, l.codes)
}

// sourceOf is not copied to where it is called: its function would be compiled for each
// of these places and for each type of elements.
//
//go:noinline
func sourceOf[C code](r *run, rows rows, l *level, codes func(dst []C, b batch)) cpu.Source[C] {
	return func(dst []C, lo int) {
		rows.block(l, lo, lo+len(dst), func(b batch) {
			known, i, j := l.glanced.known(lo, lo+len(dst))
			if i > 0 {
				codes(dst[:i], b.part(0, i))
			}
			for k, c := range known {
				dst[i+k] = C(c)
			}
			if j < len(dst) {
				codes(dst[j:], b.part(j, len(dst)))
			}
		})
	}
}

// orderer returns the engine that orders codes of lv, nil for the CPU engine in
// its own way. Elements of the given sizes are moved by a; Auto stands for none. It
// is called once in a sort: measurements made meanwhile may change the choice. Rows
// whose sample is in order are for the CPU engine, which only reads them.
func orderer(r *run, a Algorithm, rows rows, lv []level, sizes ...uintptr) Backend {
	w := engine.Work{Bits: lv[0].bits}
	if a == BucketRadix {
		w.Payload, a = sum(sizes), IndexGather // that of the CPU engine, or else through an index
	}
	b := r.device(w)
	if b == nil {
		return nil
	}
	if !r.mayFinish(b) {
		r.needed = needAlone(r, a, lv, sizes...)
		return b
	}
	r.needed = needOn(r, a, lv, sizes...)
	switch {
	case !r.fits(r.needed), !r.algorithm.OrdersCodes() && glanceAt(r, rows, &lv[0]):
		return nil
	}
	return b
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
	w.N, w.Workers = r.n, r.Loop.Workers
	for _, b := range r.devices {
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
	return r.devices[0] // see findDevices
}

// orderOn orders rows on a backend, nil for the CPU engine in its own way. If it
// fails and the caller did not insist on it, the CPU finishes.
func orderOn(r *run, b Backend, rows rows, lv []level, index []uint32) error {
	lv[0].open(rows, &r.Env)
	if lv[0].bits <= 32 {
		return orderCodesOn(r, b, rows, lv, index, source32(r, rows, &lv[0]))
	}
	return orderCodesOn(r, b, rows, lv, index, source64(r, rows, &lv[0]))
}

func orderCodesOn[C code](r *run, b Backend, rows rows, lv []level, index []uint32, src cpu.Source[C]) error {
	if b == nil {
		return orderCodes(r, rows, lv, index, src)
	}
	if r.mayFinish(b) && !lv[0].given {
		src = once(r, src)
	}
	job := &engine.Job{N: rows.n, Bits: lv[0].bits, Algorithm: r.algorithm, Env: &r.Env,
		Emit: func(lo int, order []uint32) { copy(index[lo:], order) },
		Room: r.room,
	}
	exchange[C](job, touching(index, src), nil)
	if !decisive(lv) {
		job.Ties = scratch.Take[uint32](&r.Arena, engine.TieWords(rows.n))
		clear(job.Ties)
	}
	settled := false
	settle := func() error {
		if settled = true; job.Ties == nil {
			return nil
		}
		return refineTied(r, rows, lv, index, job.Ties)
	}
	rows.carried.offer(job, settle)
	done, err := r.orderedBy(b, job)
	if !done {
		rows.carried.restore(r)
	}
	switch {
	case err != nil:
		return err
	case !done && r.algorithm.OrdersCodes():
		return orderCodesOn(r, CPU(), rows, lv, index, src)
	case !done:
		return orderCodes(r, rows, lv, index, src)
	case settled:
		return nil
	}
	return settle()
}

// touching makes a source that writes to the pages of the result where it has
// the codes for. Fresh pages of a large result take the system as long to clear
// as codes take to reach the device. Meanwhile workers wait for slots; later the order would
// wait for the pages.
func touching[C code](index []uint32, src cpu.Source[C]) cpu.Source[C] {
	const page = 4 << 10 / 4 // numbers on the smallest of pages
	return func(dst []C, lo int) {
		for i := lo; i < lo+len(dst); i += page {
			index[i] = 0
		}
		src(dst, lo)
	}
}

// insists reports whether the caller asked for a device, or for an algorithm that
// only devices have.
func (r *run) insists() bool {
	return r.backend != nil && r.backend != CPU() || !CPU().Runs(r.algorithm)
}

// room returns an error unless a call may take so many bytes besides those that it needs.
func (r *run) room(bytes int64) error { return r.require(r.needed + bytes) }

// mayFinish reports whether the CPU finishes a sort in which b fails.
func (r *run) mayFinish(b Backend) bool { return b != CPU() && !r.insists() }

// orderedBy has b do the job. If b fails and the caller did not insist on it,
// the job is not done and the CPU has to finish.
func (r *run) orderedBy(b Backend, job *engine.Job) (done bool, err error) {
	r.used.Engine = b.Name()
	if err = b.Order(r.context(), job); err == nil {
		return true, nil
	}
	r.Revoke()
	if ctx := r.Loop.Err(); ctx != nil {
		return false, ctx
	}
	if !r.mayFinish(b) {
		return false, err
	}
	r.used.Fallback = err
	r.used.Engine = CPU().Name()
	r.Trace = engine.Trace{Stages: r.Trace.Stages}
	return false, nil
}

// once keeps the codes that src extracts, for the CPU to pull them again: a key function
// is called once.
func once[C code](r *run, src cpu.Source[C]) cpu.Source[C] {
	kept := scratch.Take[C](&r.Arena, r.n)
	have := make([]bool, (r.n+engine.Block-1)/engine.Block)
	return func(dst []C, lo int) {
		if done := &have[lo/engine.Block]; !*done {
			src(dst, lo)
			stream.CopyPast(kept, lo, dst)
			*done = true
			return
		}
		copy(dst, kept[lo:])
	}
}

func (r *run) context() context.Context {
	if r.ctx != nil {
		return r.ctx
	}
	return context.Background()
}
