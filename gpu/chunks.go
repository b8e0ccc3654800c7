package gpu

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// orderInChunks runs one job chunk by chunk.
func (w *workspace) orderInChunks(e *Engine, job *engine.Job, c chunking) error {
	if c.wide {
		return orderChunks(w, e, job, c, job.Codes64)
	}
	return orderChunks(w, e, job, c, job.Codes32)
}

func orderChunks[W word](w *workspace, e *Engine, job *engine.Job, c chunking, pull func(dst []W, lo int)) error {
	if err := first(
		func() error { return w.load(mergeModules) },
		func() error { return w.grow(max(2, slotsFor(job))) },
	); err != nil {
		return err
	}
	p := &chunks[W]{workspace: w, engine: e, job: job, chunking: c, pull: pull}
	if err := p.open(); err != nil {
		return err
	}
	if job.Room != nil && !c.onDevice {
		if err := job.Room(p.hostBytes()); err != nil {
			return err
		}
	}
	work := p.schedule()
	err := job.Stage("chunks", len(work), 1, func(worker, i, _ int) { work[i](worker) })
	if err := firstError(p.failed.get(), err); err != nil {
		return err
	}
	if err := p.mergeAll(); err != nil {
		return err
	}
	job.Trace.Device, job.Trace.Algorithm = w.info.Name, p.found.algorithm.String()
	if job.Algorithm == engine.Hybrid {
		job.Trace.Algorithm = job.Algorithm.String()
	}
	if len(p.list) == 1 {
		job.Trace.Found(p.found.shape)
	}
	job.Trace.Rounds = p.found.levels + mergeRounds(c.n, c.length)
	return nil
}

// chunks is one job on its way. Its work is a list of tasks for the workers,
// each of which may wait for tasks before it, and for those only: so somebody is
// at work on whatever others wait for.
type chunks[W word] struct {
	*workspace
	engine *Engine
	job    *engine.Job
	chunking
	pull func(dst []W, lo int)

	list    []chunk[W]
	codes   [2]cuda.Ptr  // of the chunk that is sorted and of the one that is uploaded
	own     block        // that these are in
	runs    runs         // of all chunks, if they stay; else of one
	ups     chan *slot   // for uploads
	downs   chan *slot   // for downloads
	groups  []*group[W]  // on the host
	mergers []*merger[W] // by worker
	failed  fault
	found   finding // of the last chunk
}

// chunk is elements [lo, hi).
type chunk[W word] struct {
	lo, hi   int
	host     hostRun[W]
	uploaded sync.WaitGroup // pieces
	sorted   sync.WaitGroup
	arrived  sync.WaitGroup // pieces, of a run that goes to the host
}

// open takes memory.
func (p *chunks[W]) open() error {
	bytes, kept := codeBytes(p.wide)*p.length, p.length
	if p.onDevice {
		kept = p.n
	}
	held, err := p.take(runsBytes(p.input(kept)))
	if err != nil {
		return err
	}
	if p.own, err = p.take(2 * (bytes + 256)); err != nil {
		return err
	}
	p.runs = (&area{held.at}).runs(p.input(kept))
	space := area{p.own.at}
	p.codes = [2]cuda.Ptr{space.take(bytes), space.take(bytes)}
	p.list = make([]chunk[W], p.chunks())
	for k := range p.list {
		p.list[k].lo, p.list[k].hi = k*p.length, min((k+1)*p.length, p.n)
	}
	p.mergers = make([]*merger[W], max(1, p.job.Loop.Workers))
	if !p.onDevice {
		p.groups = grouped(p.list)
	}
	p.ups, p.downs = make(chan *slot, len(p.slots)), make(chan *slot, len(p.slots))
	for i, s := range p.slots {
		if p.onDevice || i%2 == 0 {
			p.ups <- s
		} else {
			p.downs <- s
		}
	}
	return nil
}

// task is done by one worker.
type task = func(worker int)

// schedule lists the tasks: while a chunk is sorted and its run comes down, the
// next one goes up, and earlier runs are merged.
func (p *chunks[W]) schedule() (work []task) {
	for k := range len(p.list) + 1 {
		var up, down, merge []task
		if k < len(p.list) {
			up = p.uploads(k)
		}
		if k > 0 {
			p.list[k-1].sorted.Add(1)
			work = append(work, func(int) { p.sort(k - 1) })
			if !p.onDevice {
				down = p.downloads(k - 1)
			}
		}
		for _, g := range p.groups {
			if g.last == k-2 {
				merge = p.groupMerges(g)
			}
		}
		ahead := up[:len(up)/4] // something to do while the device sorts
		work = append(append(work, ahead...), inTurns(up[len(ahead):], down, merge)...)
	}
	return work
}

// inTurns mixes lists.
func inTurns(lists ...[]task) (work []task) {
	for i, more := 0, true; more; i++ {
		more = false
		for _, l := range lists {
			if i < len(l) {
				work, more = append(work, l[i]), true
			}
		}
	}
	return work
}

// pieces cuts [lo, hi) into pieces of grain elements.
func pieces(lo, hi, grain int, piece func(lo, hi int) task) (work []task) {
	for ; lo < hi; lo += grain {
		work = append(work, piece(lo, min(lo+grain, hi)))
	}
	return work
}

// uploads extracts and uploads chunk k once the one before the last is sorted,
// whose memory it takes.
func (p *chunks[W]) uploads(k int) []task {
	c, size := &p.list[k], codeBytes(p.wide)
	work := pieces(c.lo, c.hi, grain(p.length, p.job, size), func(lo, hi int) task {
		return func(int) {
			defer c.uploaded.Done()
			if k >= 2 {
				p.list[k-2].sorted.Wait()
			}
			p.failed.with(p.ups, func(s *slot) error {
				return send(p.workspace, s, p.up, p.job, p.codes[k%2]+cuda.Ptr((lo-c.lo)*size), lo, hi, p.pull)
			})
		}
	})
	c.uploaded.Add(len(work))
	return work
}

// with runs do with a slot, unless something has failed.
func (f *fault) with(ring chan *slot, do func(*slot) error) {
	s := <-ring
	defer func() { ring <- s }() // somebody may wait for it, also when a key function panics
	if f.get() == nil {
		f.set(do(s))
	}
}

// sort makes a run of chunk k when it is there and the memory that the run
// before was downloaded from is free.
func (p *chunks[W]) sort(k int) {
	c := &p.list[k]
	defer c.sorted.Done()
	c.uploaded.Wait()
	if k > 0 {
		p.list[k-1].sorted.Wait()
		p.list[k-1].arrived.Wait()
	}
	if p.failed.get() == nil {
		p.failed.set(first(p.job.Loop.Err, func() error { return p.sortChunk(k) }))
	}
}

func (p *chunks[W]) sortChunk(k int) error {
	c := &p.list[k]
	in := p.input(c.hi - c.lo)
	in.codes = p.codes[k%2]
	run := p.runs
	if p.onDevice {
		run.codes += cuda.Ptr(codeBytes(p.wide) * c.lo)
		if !p.keys {
			run.positions += cuda.Ptr(4 * c.lo)
		}
	} else {
		c.host = takeRun[W](p.job, in.n)
	}
	to := p.result(run)
	return first(
		func() error { return p.Record(p.split, p.up) },
		func() error { return p.WaitEvent(p.stream, p.split) },
		func() error {
			var err error
			p.found, err = p.workspace.sort(p.algorithm, in, to)
			return err
		},
		func() error {
			if !p.engine.verify {
				return nil
			}
			return p.check(in, to)
		},
		func() error {
			if p.keys {
				return nil
			}
			return p.gatherRun(in, to, c.lo, run)
		},
		func() error { return p.SyncStream(p.stream) },
	)
}

// result is what of a run the job takes.
func (p *chunks[W]) result(r runs) cuda.Ptr {
	if p.keys {
		return r.codes
	}
	return r.positions
}

// downloads brings the run of chunk k to the host.
func (p *chunks[W]) downloads(k int) []task {
	c, size := &p.list[k], codeBytes(p.wide)
	work := pieces(c.lo, c.hi, grain(p.length, p.job, size+4), func(lo, hi int) task {
		return func(int) {
			defer c.arrived.Done()
			c.sorted.Wait()
			p.failed.with(p.downs, func(s *slot) error { return p.fetch(s, c.host, lo-c.lo, hi-c.lo) })
		}
	})
	c.arrived.Add(len(work))
	return work
}

// fetch brings elements [lo, hi) of a run to the host.
func (p *chunks[W]) fetch(s *slot, to hostRun[W], lo, hi int) error {
	n, size := hi-lo, codeBytes(p.wide)
	positions := unsafe.Add(s.memory, n*size)
	err := first(
		func() error { return p.CopyToHost(s.memory, p.runs.codes+cuda.Ptr(lo*size), n*size, p.stream) },
		func() error {
			if p.keys {
				return nil
			}
			return p.CopyToHost(positions, p.runs.positions+cuda.Ptr(4*lo), 4*n, p.stream)
		},
		func() error { return p.mark(s, p.stream) },
		func() error { return p.wait(s) },
	)
	if err == nil {
		copy(to.codes[lo:hi], at[W](s.memory, n))
		if !p.keys {
			copy(to.positions[lo:hi], at[uint32](positions, n))
		}
	}
	return err
}

// mergeAll merges the runs and hands the order over.
func (p *chunks[W]) mergeAll() error {
	if !p.onDevice {
		return p.mergeOnHost()
	}
	var run mergedRun
	var failed error
	err := p.job.Stage("merge", 1, 1, func(_, _, _ int) { run, failed = p.mergeOnDevice() })
	if err := firstError(failed, err); err != nil {
		return err
	}
	return p.handBack(p.job, result{ties: run.ties}, p.result(run.runs), nil)
}

// mergedRun is the run that is left, and the ties of its codes.
type mergedRun struct {
	runs
	ties cuda.Ptr // marked if the job takes them
}

func (p *chunks[W]) mergeOnDevice() (run mergedRun, err error) {
	p.put(p.own)
	if err := p.drop(all); err != nil {
		return run, err
	}
	spare, err := p.take(runsBytes(p.input(p.n)) + mergeBytes(p.n, p.length))
	if err != nil {
		return run, err
	}
	space := area{spare.at}
	beside := space.take(mergeBytes(p.n, p.length))
	ties := p.job.Ties != nil
	run.runs, err = p.merge(p.input(p.n), p.length, p.runs, space.runs(p.input(p.n)), beside, ties || p.keys)
	if ties && err == nil {
		run.ties = beside // nobody needs paths any more
		err = p.markTies(input{codes: run.codes, wide: p.wide, n: p.n}, 0, run.ties)
	}
	return run, firstError(err, p.SyncStream(p.stream))
}
