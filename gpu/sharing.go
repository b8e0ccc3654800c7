package gpu

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// A sort on several devices is a sample sort across them: each device takes a part
// of the list (extract), learns from samples of all parts which codes it is to
// sort, and fetches those from the others (exchange); the rest is a sort of its
// own. Every code crosses the host's bus once and the devices' links once. Merging
// sorted parts instead would bring all of them through one device or the CPU.

// splitN is from how many elements on devices share a sort. Measured on two H200 of
// one host, times as fast as one of them: orders of 2^24 codes of 32 bits 0.92 and
// of 64 bits 0.88, keys alone 1.10 and 1.04; of 2^26 codes 1.02 and 1.26, 1.18 and
// 1.38; of 2^28 codes 1.45 and 1.58, 1.43 and 1.49.
const splitN = 1 << 25

// errCrowded reports a list that does not fit the devices in parts. It does not
// leave the package.
var errCrowded = errors.New("sorter: gpu: a part of the list is too long for a device")

// shares reports whether the devices are to share a job. Each of them has elements
// then. Ties are marked by one device: equal codes may lie in two parts, which begin
// in the middle of a word. Elements that travel, which is faster than through any order,
// go to one device.
func (e *Engine) shares(job *engine.Job) bool {
	devices, least := len(e.chosen()), e.splits
	if least == 0 {
		least = splitN
	}
	return devices > 1 && job.Algorithm != engine.Hybrid && job.Ties == nil && job.N >= least && (devices-1)*partLength(job.N, devices) < job.N
}

// partLength is how many elements of n each device is given, but for the last.
func partLength(n, devices int) int { return blocks((n + devices - 1) / devices) }

// sharing is one job that several devices share.
type sharing struct {
	engine *Engine
	job    *engine.Job
	wide   bool
	room   int // elements that each device has memory for before it knows how many it gets
	list   []*part
	failed fault
}

// part is what one of the devices has of the job.
type part struct {
	*workspace
	index  int
	lo, hi int // elements of the list that it is given
	codes  block
	sample []key // of those elements, in order

	sends    block // codes and positions by destination
	routed   routed
	receives block
	received runs // codes and positions to be sorted

	n, place int // elements to be sorted, and where they come in the order
	found    finding
	result   cuda.Ptr // positions in order, or codes where the job takes those
}

// orderShared runs one job on a workspace of each device, or returns errCrowded before it
// has pulled any code.
func orderShared(e *Engine, job *engine.Job, workspaces []*workspace) error {
	p := newSharing(e, job, workspaces)
	err := first(
		func() error { return p.each(p.open) },
		p.extract,
		p.exchange,
		p.sort,
		p.handBack,
	)
	if err == nil {
		p.report()
	}
	return err
}

func newSharing(e *Engine, job *engine.Job, workspaces []*workspace) *sharing {
	length := partLength(job.N, len(workspaces))
	p := &sharing{engine: e, job: job, wide: job.Bits > 32, room: length + length/roomShare + engine.Block}
	for i, w := range workspaces {
		p.list = append(p.list, &part{workspace: w, index: i, lo: i * length, hi: min((i+1)*length, job.N)})
	}
	return p
}

// roomShare is the part of a device's elements that it has room for beyond its
// share of them. A sample of 8192 of each part is off by a tenth of that.
const roomShare = 16

// input is what a sort of n elements on one of the devices is given.
func (p *sharing) input(n int) input { return input{wide: p.wide, n: n, keys: takesCodes(p.job)} }

// each runs a step on all devices at once and waits for all of them, also when one
// fails: then nothing reads or writes memory of another device any more.
func (p *sharing) each(step func(q *part) error) error {
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	var failed fault
	var wait sync.WaitGroup
	for _, q := range p.list {
		wait.Go(func() { failed.set(step(q)) })
	}
	wait.Wait()
	return failed.get()
}

// open takes what the extraction needs, if the device has memory for all steps.
func (p *sharing) open(q *part) error {
	want := p.bytes(q.device)
	space, err := q.space(want)
	if err != nil {
		return err
	}
	if want > space || p.room > q.algorithms.demanding(p.job.Algorithm, p.input(p.room)).most {
		return errCrowded
	}
	return first(
		func() error { return q.load(routeModules) },
		func() error { return q.grow(max(2, slotsFor(p.job)/len(p.list))) },
		func() error { q.codes, err = q.take(codeBytes(p.wide) * p.room); return err },
	)
}

// bytes is the device memory that a device takes.
func (p *sharing) bytes(d *device) int {
	in := p.input(p.room)
	own := (in.size()+in.resultSize())*in.n + routedBytes(in) + runsBytes(in)
	c := chunking{device: d, algorithm: p.job.Algorithm, wide: in.wide, keys: in.keys}
	return own + own/tightWaste + c.sortBytes(p.room)
}

// stage runs the tasks of all parts, in turns, so that all links are busy. There
// are at least as many tasks as pieces of grain elements, and a few more where
// parts end in shorter ones.
func (p *sharing) stage(name string, grain int, lists [][]task) error {
	work := inTurns(lists...)
	calls := (p.job.N + grain - 1) / grain
	err := p.job.Stage(name, p.job.N, grain, func(worker, lo, _ int) {
		for k := lo / grain; k < len(work); k += calls {
			work[k](worker)
		}
	})
	return firstError(p.failed.get(), err)
}

// extract extracts the codes of all parts and uploads them.
func (p *sharing) extract() error {
	if p.wide {
		return uploadParts(p, p.job.Codes64)
	}
	return uploadParts(p, p.job.Codes32)
}

func uploadParts[W word](p *sharing, pull func(dst []W, lo int)) error {
	size := codeBytes(p.wide)
	grain := grain(p.job.N/len(p.list), p.job, size)
	var lists [][]task
	for _, q := range p.list {
		ring := make(chan *slot, len(q.slots))
		for _, s := range q.slots {
			ring <- s
		}
		lists = append(lists, pieces(q.lo, q.hi, grain, func(lo, hi int) task {
			to := q.codes.at + cuda.Ptr((lo-q.lo)*size)
			return func(int) {
				p.failed.with(ring, func(s *slot) error { return send(q.workspace, s, q.stream, p.job, to, lo, hi, pull) })
			}
		}))
	}
	return p.stage("extract", grain, lists)
}

// sort sorts on all devices.
func (p *sharing) sort() (failed error) {
	err := p.job.Stage("sort", 1, 1, func(_, _, _ int) { failed = p.each(p.sortPart) })
	return firstError(failed, err)
}

// sortPart sorts what a device has received, of which equal codes are in input order.
func (p *sharing) sortPart(q *part) error {
	q.put(q.sends)
	if q.n == 0 {
		return nil
	}
	in := p.input(q.n)
	result, err := q.take(in.resultSize() * max(q.n, p.room))
	if err != nil {
		return err
	}
	in.codes, q.result = q.received.codes, result.at
	if q.found, err = q.workspace.sort(p.job.Algorithm, in, q.result); err != nil {
		return err
	}
	if p.engine.verify {
		if err := q.check(in, q.result); err != nil {
			return err
		}
	}
	if in.keys {
		return nil
	}
	return q.orderOfList()
}

// orderOfList replaces the order of what a device has received by that of the list:
// it takes the positions there in order.
func (q *part) orderOfList() error {
	order := q.result
	if q.result = q.received.positions; q.found.inOrder() {
		return nil
	}
	b, err := q.take(4 * q.n)
	if err != nil {
		return err
	}
	q.result = b.at
	return first(
		func() error { return q.load(mergeModules) },
		func() error {
			return q.gatherRun(input{codes: q.received.positions, n: q.n}, order, 0, runs{codes: q.result}) // words are words
		},
		func() error { return q.SyncStream(q.stream) },
	)
}

// handBack brings back what the job takes, like workspace.handBack.
func (p *sharing) handBack() error {
	if !takesCodes(p.job) {
		return downloadParts(p, p.job.Emit)
	}
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	p.job.Commit() // keys are written: this is finished
	if p.job.EmitCodes64 != nil {
		return downloadParts(p, p.job.EmitCodes64)
	}
	return downloadParts(p, p.job.EmitCodes32)
}

// downloadParts is download from all devices at once, each into its places.
func downloadParts[W word](p *sharing, emit func(lo int, words []W)) error {
	grain := grain(p.job.N/len(p.list), p.job, int(unsafe.Sizeof(*new(W))))
	var lists [][]task
	for _, q := range p.list {
		d := downloadsOf(q.workspace, q.n, grain, q.result, func(lo int, words []W) { emit(q.place+lo, words) })
		if err := d.start(); err != nil {
			return err
		}
		lists = append(lists, pieces(0, q.n, grain, func(_, _ int) task {
			return func(int) {
				if p.failed.get() == nil { // else what arrives is left to workspace.done
					d.receive()
					p.failed.set(d.failed.get())
				}
			}
		}))
	}
	return p.stage("download", grain, lists)
}

// report tells what the devices did. The shape of the list is not known: each
// device has seen a part of it.
func (p *sharing) report() {
	var names, algorithms []string
	levels := 0
	for _, q := range p.list {
		names = append(names, q.info.Name)
		if name := q.found.algorithm.String(); q.n > 0 && !slices.Contains(algorithms, name) {
			algorithms = append(algorithms, name)
		}
		levels = max(levels, q.found.levels)
	}
	p.job.Trace.Rounds = 1 + levels // the exchange is one
	p.job.Trace.Device, p.job.Trace.Algorithm = strings.Join(names, ", "), strings.Join(algorithms, ", ")
}
