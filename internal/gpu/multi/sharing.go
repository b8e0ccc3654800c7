// Package multi sorts one job on several devices. That is a sample sort across them: each
// device takes a part of the list (extract), learns from samples of all parts which codes it
// is to sort, and fetches those from the others (exchange); the rest is a sort of its
// own. Every code crosses the host's bus once and the devices' links once. Merging
// sorted parts instead would bring all of them through one device or the CPU.
package multi

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/transfer"
)

// LeastN is from how many elements on devices share a sort. 2026-11, two H200 of one host,
// times as fast as one: orders of 2^24 codes 0.9, of 2^26 1.02 (32 bits) and 1.26 (64 bits),
// of 2^28 1.45 and 1.58; keys alone 1.04 to 1.10, 1.18 and 1.38, 1.43 and 1.49.
const LeastN = 1 << 25

// ErrCrowded reports a list that does not fit the devices in parts.
var ErrCrowded = errors.New("sorter: gpu: a part of the list is too long for a device")

// Shares reports whether so many devices are to share a job of least elements or more. Each
// of them has elements then. Ties are marked by one device: equal codes may lie in two
// parts, which begin in the middle of a word.
func Shares(job *engine.Job, devices, least int) bool {
	return devices > 1 && job.Algorithm != engine.Hybrid && job.Ties == nil && job.N >= least && (devices-1)*partLength(job.N, devices) < job.N
}

// partLength is how many elements of n each device is given, except the last.
func partLength(n, devices int) int { return transfer.Blocks((n + devices - 1) / devices) }

// sharing is one job that several devices share.
type sharing struct {
	job    *engine.Job
	wide   bool
	room   int // elements that each device has memory for before it knows how many it gets
	list   []*part
	failed transfer.Fault
}

// part is the share of one of the devices.
type part struct {
	*transfer.Session
	note   *note // pinned
	index  int
	lo, hi int // elements of the list that it is given
	codes  device.Block
	sample []codes.Key // of those elements, in order

	sends    device.Block // codes and positions by destination
	routed   routed
	receives device.Block
	received runs.Runs // codes and positions to be sorted

	n, place int // elements to be sorted, and where they come in the order
	found    codes.Finding
	result   cuda.Ptr // positions in order, or codes where the job takes those
}

// Order runs one job in a session on each device, or returns ErrCrowded before it has
// pulled any code.
func Order(job *engine.Job, sessions []*transfer.Session) error {
	p := newSharing(job, sessions)
	for _, stage := range []func() error{p.open, p.extract, p.exchange, p.sort, p.handBack} {
		if err := stage(); err != nil {
			return err
		}
	}
	p.report()
	return nil
}

func newSharing(job *engine.Job, sessions []*transfer.Session) *sharing {
	length := partLength(job.N, len(sessions))
	p := &sharing{job: job, wide: job.Bits > 32, room: length + length/roomShare + engine.Block}
	for i, s := range sessions {
		p.list = append(p.list, &part{Session: s, index: i, lo: i * length, hi: min((i+1)*length, job.N)})
	}
	return p
}

// roomShare is the part of a device's elements that it has room for beyond its
// share of them. A sample of 8192 of each part is off by a tenth of that.
const roomShare = 16

// input is a sort of n elements on one of the devices.
func (p *sharing) input(n int) codes.Input {
	return codes.Input{Wide: p.wide, N: n, Keys: transfer.TakesCodes(p.job)}
}

// each runs a step on all devices at once and waits for all of them, also when one
// fails: then nothing reads or writes memory of another device any more.
func (p *sharing) each(step func(q *part) error) error {
	if err := p.job.Loop.Err(); err != nil {
		return err
	}
	var failed transfer.Fault
	var wait sync.WaitGroup
	for _, q := range p.list {
		wait.Go(func() { failed.Set(step(q)) })
	}
	wait.Wait()
	return failed.Err()
}

// open takes the memory of the extraction, if the devices have memory for all steps.
func (p *sharing) open() error { return p.each(p.openPart) }

func (p *sharing) openPart(q *part) (err error) {
	want := p.bytes(q.Sorter)
	space, err := q.Space(want)
	if err != nil {
		return err
	}
	if want > space || p.room > q.Sorter.Most(p.job.Algorithm, p.input(p.room)) {
		return ErrCrowded
	}
	if err := q.Load(routeModules); err != nil {
		return err
	}
	if q.note, err = device.Pinned[note](q.Workspace); err != nil {
		return err
	}
	if err := q.Grow(max(2, transfer.SlotsFor(p.job)/len(p.list))); err != nil {
		return err
	}
	q.codes, err = q.Take(codes.Bytes(p.wide) * p.room)
	return err
}

// bytes is the device memory that a device takes.
func (p *sharing) bytes(s *dispatch.Sorter) int {
	in := p.input(p.room)
	own := (in.Size()+in.ResultSize())*in.N + routedBytes(in) + runs.Bytes(in)
	return device.WithWaste(own) + transfer.SortBytes(s, p.job.Algorithm, in)
}

// stage runs the tasks of all parts, in turns, so that all links are busy. There
// are at least as many tasks as pieces of grain elements, and a few more where
// parts end in shorter ones.
func (p *sharing) stage(name string, grain int, lists [][]transfer.Task) error {
	work := transfer.InTurns(lists...)
	calls := (p.job.N + grain - 1) / grain
	err := p.job.Stage(name, p.job.N, grain, func(worker, lo, _ int) {
		for k := lo / grain; k < len(work); k += calls {
			work[k](worker)
		}
	})
	return device.FirstError(p.failed.Err(), err)
}

// extract extracts the codes of all parts and uploads them.
func (p *sharing) extract() error {
	if p.wide {
		return uploadParts(p, p.job.Codes64)
	}
	return uploadParts(p, p.job.Codes32)
}

func uploadParts[W codes.Word](p *sharing, pull func(dst []W, lo int)) error {
	size := codes.Bytes(p.wide)
	grain := transfer.Grain(p.job.N/len(p.list), p.job, size)
	var lists [][]transfer.Task
	for _, q := range p.list {
		ring := transfer.NewRing(q.Slots())
		lists = append(lists, transfer.Pieces(q.lo, q.hi, grain, func(lo, hi int) transfer.Task {
			to := q.codes.At + cuda.Ptr((lo-q.lo)*size)
			return func(int) {
				ring.With(&p.failed, func(s *device.Slot) error {
					return transfer.Send(q.Workspace, s, q.Stream, p.job, to, lo, hi, pull)
				})
			}
		}))
	}
	return p.stage("extract", grain, lists)
}

// sort sorts on all devices.
func (p *sharing) sort() (failed error) {
	err := p.job.Stage("sort", 1, 1, func(_, _, _ int) { failed = p.each(p.sortPart) })
	return device.FirstError(failed, err)
}

// sortPart sorts the elements that a device has received, of which equal codes are in input
// order.
func (p *sharing) sortPart(q *part) error {
	q.Put(q.sends)
	if q.n == 0 {
		return nil
	}
	in := p.input(q.n)
	result, err := q.Take(in.ResultSize() * max(q.n, p.room))
	if err != nil {
		return err
	}
	in.Codes, q.result = q.received.Codes, result.At
	if q.found, err = q.Session.Sort(p.job.Algorithm, in, q.result); err != nil || in.Keys {
		return err
	}
	return q.orderOfList()
}

// orderOfList replaces the order of the elements that a device has received by that of the
// list: it takes the positions there in order.
func (q *part) orderOfList() error {
	order := q.result
	if q.result = q.received.Positions; q.found.InOrder() {
		return nil
	}
	b, err := q.Take(4 * q.n)
	if err != nil {
		return err
	}
	q.result = b.At
	if err := q.Load(runs.Modules); err != nil {
		return err
	}
	positions := codes.Input{Codes: q.received.Positions, N: q.n} // words are words
	if err := runs.Gather(q.Workspace, positions, order, 0, runs.Runs{Codes: q.result}); err != nil {
		return err
	}
	return q.SyncStream(q.Stream)
}

// handBack brings back the results that the job takes.
func (p *sharing) handBack() error {
	if !transfer.TakesCodes(p.job) {
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

// downloadParts downloads from all devices at once, each into its places.
func downloadParts[W codes.Word](p *sharing, emit func(lo int, words []W)) error {
	grain := transfer.Grain(p.job.N/len(p.list), p.job, int(unsafe.Sizeof(*new(W))))
	var lists [][]transfer.Task
	for _, q := range p.list {
		d := transfer.NewDownload(q.Workspace, q.n, grain, q.result, func(lo int, words []W) { emit(q.place+lo, words) })
		if err := d.Start(); err != nil {
			return err
		}
		lists = append(lists, transfer.Pieces(0, q.n, grain, func(_, _ int) transfer.Task {
			return func(int) {
				if p.failed.Err() == nil { // else the pieces that arrive are left to Workspace.Done
					d.Receive()
					p.failed.Set(d.Err())
				}
			}
		}))
	}
	return p.stage("download", grain, lists)
}

// report says what the devices did. The shape of the list is not known: each
// device has seen a part of it.
func (p *sharing) report() {
	var names, algorithms []string
	levels := 0
	for _, q := range p.list {
		names = append(names, q.Info.Name)
		if name := q.found.Algorithm.String(); q.n > 0 && !slices.Contains(algorithms, name) {
			algorithms = append(algorithms, name)
		}
		levels = max(levels, q.found.Levels)
	}
	p.job.Trace.Rounds = 1 + levels // the exchange is one
	p.job.Trace.Device, p.job.Trace.Algorithm = strings.Join(names, ", "), strings.Join(algorithms, ", ")
}
