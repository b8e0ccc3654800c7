package transfer

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
)

// orderInChunks runs one job chunk by chunk.
func (s *Session) orderInChunks(job *engine.Job, c chunking) error {
	if c.wide {
		return orderChunks(s, job, c, job.Codes64)
	}
	return orderChunks(s, job, c, job.Codes32)
}

func orderChunks[W codes.Word](s *Session, job *engine.Job, c chunking, pull func(dst []W, lo int)) error {
	if err := s.Load(runs.Modules); err != nil {
		return err
	}
	if err := s.Grow(max(2, SlotsFor(job))); err != nil {
		return err
	}
	p := &chunks[W]{Session: s, job: job, chunking: c, pull: pull}
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
	if err := device.FirstError(p.failed.Err(), err); err != nil {
		return err
	}
	if err := p.mergeAll(); err != nil {
		return err
	}
	p.report()
	return nil
}

// report records the work of the device.
func (p *chunks[W]) report() {
	trace := &p.job.Trace
	trace.Device, trace.Algorithm = p.Info.Name, p.found.Algorithm.String()
	if p.job.Algorithm == engine.Hybrid {
		trace.Algorithm = p.job.Algorithm.String()
	}
	if len(p.list) == 1 {
		p.job.Found(p.found.Shape)
	}
	trace.Rounds = p.found.Levels + runs.Rounds(p.n, p.length)
}

// open takes memory.
func (p *chunks[W]) open() error {
	bytes, elements := codes.Bytes(p.wide)*p.length, p.length
	if p.onDevice {
		elements = p.n
	}
	held, err := p.Take(runs.Bytes(p.input(elements)))
	if err != nil {
		return err
	}
	if p.own, err = p.Take(2 * (bytes + 256)); err != nil {
		return err
	}
	p.runs = runs.LayOut(&device.Area{At: held.At}, p.input(elements))
	space := device.Area{At: p.own.At}
	p.codes = [2]cuda.Ptr{space.Take(bytes), space.Take(bytes)}
	p.list = make([]chunk[W], p.chunks())
	for k := range p.list {
		p.list[k].lo, p.list[k].hi = k*p.length, min((k+1)*p.length, p.n)
	}
	p.mergers = make([]*merger[W], max(1, p.job.Loop.Workers))
	p.divideSlots()
	return nil
}

// divideSlots gives uploads all slots, or every other slot to downloads if runs go to the
// host.
func (p *chunks[W]) divideSlots() {
	all := p.Slots()
	if p.onDevice {
		p.ups = NewRing(all)
		return
	}
	p.groups = grouped(p.list)
	p.ups, p.downs = make(Ring, len(all)), make(Ring, len(all))
	for i, s := range all {
		ring := p.downs
		if i%2 == 0 {
			ring = p.ups
		}
		ring <- s
	}
}

// schedule lists the tasks: while a chunk is sorted and its run is downloaded, the next chunk
// is uploaded and earlier runs are merged.
func (p *chunks[W]) schedule() (work []Task) {
	for k := range len(p.list) + 1 {
		var up, down, merge []Task
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
		ahead := up[:len(up)/4] // work for the workers while the device sorts
		work = append(append(work, ahead...), InTurns(up[len(ahead):], down, merge)...)
	}
	return work
}

// uploads extracts and uploads chunk k. It first waits until chunk k-2, whose memory it takes,
// is sorted.
func (p *chunks[W]) uploads(k int) []Task {
	c, size := &p.list[k], codes.Bytes(p.wide)
	work := Pieces(c.lo, c.hi, Grain(p.length, p.job, size), func(lo, hi int) Task {
		return func(int) {
			defer c.uploaded.Done()
			if k >= 2 {
				p.list[k-2].sorted.Wait()
			}
			p.ups.With(&p.failed, func(s *device.Slot) error {
				return Send(p.Workspace, s, p.Up, p.job, p.codes[k%2]+cuda.Ptr((lo-c.lo)*size), lo, hi, p.pull)
			})
		}
	})
	c.uploaded.Add(len(work))
	return work
}

// sort makes a run of chunk k. It waits until the chunk is uploaded, and until the run before
// is sorted and downloaded, since both use the same memory.
func (p *chunks[W]) sort(k int) {
	c := &p.list[k]
	defer c.sorted.Done()
	c.uploaded.Wait()
	if k > 0 {
		p.list[k-1].sorted.Wait()
		p.list[k-1].arrived.Wait()
	}
	if p.failed.Err() == nil {
		p.failed.Set(p.sortChunk(k))
	}
}

func (p *chunks[W]) sortChunk(k int) error {
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	c := &p.list[k]
	in := p.input(c.hi - c.lo)
	in.Codes = p.codes[k%2]
	run := p.place(c)
	if err := p.After(p.Stream, p.Up); err != nil {
		return err
	}
	var err error
	if p.found, err = p.Session.Sort(p.algorithm, in, p.result(run)); err != nil {
		return err
	}
	if !p.keys {
		if err := runs.Gather(p.Workspace, in, p.result(run), c.lo, run); err != nil {
			return err
		}
	}
	return p.SyncStream(p.Stream)
}

// place returns the device memory of a chunk's run. If the run goes to the host it takes
// memory there.
func (p *chunks[W]) place(c *chunk[W]) runs.Runs {
	run := p.runs
	if !p.onDevice {
		c.host = takeRun[W](p.job, c.hi-c.lo)
		return run
	}
	run.Codes += cuda.Ptr(codes.Bytes(p.wide) * c.lo)
	if !p.keys {
		run.Positions += cuda.Ptr(4 * c.lo)
	}
	return run
}

// result returns the part of a run that the job takes.
func (p *chunks[W]) result(r runs.Runs) cuda.Ptr {
	if p.keys {
		return r.Codes
	}
	return r.Positions
}

// downloads downloads the run of chunk k.
func (p *chunks[W]) downloads(k int) []Task {
	c, size := &p.list[k], codes.Bytes(p.wide)
	work := Pieces(c.lo, c.hi, Grain(p.length, p.job, size+4), func(lo, hi int) Task {
		return func(int) {
			defer c.arrived.Done()
			c.sorted.Wait()
			p.downs.With(&p.failed, func(s *device.Slot) error { return p.fetch(s, c.host, lo-c.lo, hi-c.lo) })
		}
	})
	c.arrived.Add(len(work))
	return work
}

// fetch downloads elements [lo, hi) of a run.
func (p *chunks[W]) fetch(s *device.Slot, to hostRun[W], lo, hi int) error {
	n, size := hi-lo, codes.Bytes(p.wide)
	positions := unsafe.Add(s.Memory, n*size)
	if err := p.CopyToHost(s.Memory, p.runs.Codes+cuda.Ptr(lo*size), n*size, p.Stream); err != nil {
		return err
	}
	if !p.keys {
		if err := p.CopyToHost(positions, p.runs.Positions+cuda.Ptr(4*lo), 4*n, p.Stream); err != nil {
			return err
		}
	}
	if err := p.Mark(s, p.Stream); err != nil {
		return err
	}
	if err := p.Wait(s); err != nil {
		return err
	}
	copy(to.codes[lo:hi], words[W](s.Memory, n))
	if !p.keys {
		copy(to.positions[lo:hi], words[uint32](positions, n))
	}
	return nil
}

// mergeAll merges the runs and downloads the order.
func (p *chunks[W]) mergeAll() error {
	if !p.onDevice {
		return p.mergeOnHost()
	}
	var run mergedRun
	var failed error
	err := p.job.Stage("merge", 1, 1, func(_, _, _ int) { run, failed = p.mergeOnDevice() })
	if err := device.FirstError(failed, err); err != nil {
		return err
	}
	return p.downloadResults(p.job, result{ties: run.ties}, p.result(run.Runs), nil)
}

// mergedRun is the last run, and the ties of its codes.
type mergedRun struct {
	runs.Runs
	ties cuda.Ptr // set if the job takes ties
}

func (p *chunks[W]) mergeOnDevice() (run mergedRun, err error) {
	p.Put(p.own)
	if err := p.Drop(); err != nil {
		return run, err
	}
	in := p.input(p.n)
	spare, err := p.Take(runs.Bytes(in) + runs.MergeBytes(p.n, p.length))
	if err != nil {
		return run, err
	}
	space := device.Area{At: spare.At}
	beside := space.Take(runs.MergeBytes(p.n, p.length))
	ties := p.job.Ties != nil
	run.Runs, err = runs.Merge(p.Workspace, in, p.length, p.runs, runs.LayOut(&space, in), beside, ties || p.keys)
	if ties && err == nil {
		run.ties = beside // reuses the memory of paths, which are no longer needed
		in.Codes = run.Codes
		err = codes.MarkTies(p.Workspace, in, 0, run.ties)
	}
	return run, device.FirstError(err, p.SyncStream(p.Stream))
}
