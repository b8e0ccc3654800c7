package multi

import (
	"slices"
	"strings"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/kernels"
)

// Shareable reports whether devices can share a job. One that takes ties runs on one device: equal
// codes may lie in two parts, whose boundary may lie inside a word of the bitmap.
func Shareable(job *engine.Job) bool { return job.Algorithm != engine.Hybrid && job.Ties == nil }

// Divides reports whether each of the devices gets some of n elements.
func Divides(n, devices int) bool { return (devices-1)*partLength(n, devices) < n }

// partLength returns the number of elements of n that each device uploads, except the last.
func partLength(n, devices int) int { return transfer.Blocks((n + devices - 1) / devices) }

// fromHost is a job that several devices share.
type fromHost struct {
	sharing
	job    *engine.Job
	blocks []device.Block // of the codes of each part
	failed transfer.Fault
}

func newFromHost(job *engine.Job, sessions []transfer.Session) *fromHost {
	length := partLength(job.N, len(sessions))
	p := &fromHost{job: job, blocks: make([]device.Block, len(sessions))}
	p.sharing = sharing{algorithm: job.Algorithm, wide: job.Bits > 32, keys: transfer.TakesCodes(job), inList: true, stopped: job.Loop.Err}
	for i := range sessions {
		q := &part{Session: &sessions[i], index: i, lo: i * length, hi: min((i+1)*length, job.N), capacity: capacityFor(length)}
		q.want = q.hi - q.lo
		p.list = append(p.list, q)
	}
	return p
}

// Order runs one job in a session on each device, or returns ErrCrowded before it has
// pulled any code.
func Order(job *engine.Job, sessions []transfer.Session) error {
	p := newFromHost(job, sessions)
	for _, stage := range []func() error{p.open, p.extract, p.exchange, p.sort, p.downloadResults} {
		if err := stage(); err != nil {
			return err
		}
	}
	p.report()
	return nil
}

// open takes the memory of the extraction, and checks that the devices have memory for all
// steps.
func (p *fromHost) open() error { return p.each(p.openUpload) }

func (p *fromHost) openUpload(q *part) (err error) {
	want := p.bytes(q)
	space, err := q.Space(want)
	if err != nil {
		return err
	}
	if want > space || q.capacity > q.Sorter.MaxN(p.algorithm, p.moved(q.capacity)) {
		return ErrCrowded
	}
	if err := q.Load(routeModules); err != nil {
		return err
	}
	if err := q.Grow(max(2, transfer.SlotsFor(p.job)/len(p.list))); err != nil {
		return err
	}
	b, err := q.Take(codes.Bytes(p.wide) * q.capacity)
	p.blocks[q.index], q.codes = b, b.At
	return err
}

// bytes bounds the device memory that a device takes: for codes, their result, routing, elements
// that are fetched and received, and the sort; those of 32-bit codes may be words.
func (p *fromHost) bytes(q *part) int {
	own := codes.Input{Wide: p.wide, Keys: p.keys, N: q.capacity}
	of := func(in codes.Input) int {
		bytes := (own.Size()+in.ResultSize())*in.N + routedBytes(in.N) + 2*runs.Bytes(in)
		return device.WithWaste(bytes) + transfer.SortBytes(q.Sorter, p.algorithm, in)
	}
	if p.wide || p.keys {
		return of(own)
	}
	words := codes.Input{Wide: true, Keys: true, N: own.N}
	return max(of(own), of(words)+device.WithWaste(own.ResultSize()*own.N))
}

// exchange is a stage of its own.
func (p *fromHost) exchange() (failed error) {
	err := p.job.Stage("exchange", 1, 1, func(_, _, _ int) { failed = p.sharing.exchange() })
	for i, q := range p.list {
		q.Put(p.blocks[i])
	}
	return device.FirstError(failed, err)
}

// sort sorts on all devices.
func (p *fromHost) sort() (failed error) {
	err := p.job.Stage("sort", 1, 1, func(_, _, _ int) {
		failed = p.each(func(q *part) error {
			if err := p.sortPart(q, 0); err != nil || p.keys || q.n == 0 {
				return err
			}
			if p.words {
				return q.positionsOfWords()
			}
			return q.orderOfList()
		})
	})
	return device.FirstError(failed, err)
}

// orderOfList converts the order of received elements to positions in the list, by a gather.
func (q *part) orderOfList() error {
	order := q.sorted
	if q.sorted = q.received.Positions; q.found.InOrder() {
		return q.SyncStream(q.Stream)
	}
	b, err := q.Take(4 * q.n)
	if err != nil {
		return err
	}
	q.sorted = b.At
	if err := q.Load(runs.Modules); err != nil {
		return err
	}
	positions := codes.Input{Codes: q.received.Positions, N: q.n} // positions are 32-bit words, like codes
	if err := runs.Gather(q.Workspace, positions, order, 0, runs.Runs{Codes: q.sorted}); err != nil {
		return err
	}
	return q.SyncStream(q.Stream)
}

// positionsOfWords takes the positions from sorted words.
func (q *part) positionsOfWords() error {
	b, err := q.Take(4 * max(q.n, q.capacity))
	if err != nil {
		return err
	}
	queue := q.Queue()
	queue.Run("word_positions", placeGrid(q, q.n), kernels.PlaceThreads, 0, uint64(q.sorted), uint64(q.n), uint64(b.At))
	q.sorted = b.At
	return queue.Sync()
}

// report records the work of the devices. It records no shape: each device has seen a part of
// the list.
func (p *fromHost) report() {
	var names, algorithms []string
	levels := 0
	for _, q := range p.list {
		names = append(names, q.Info.Name)
		if name := q.found.Algorithm.String(); q.n > 0 && !slices.Contains(algorithms, name) {
			algorithms = append(algorithms, name)
		}
		levels = max(levels, q.found.Levels)
	}
	p.job.Trace.Rounds = 1 + levels // the exchange counts as one
	p.job.Trace.Device, p.job.Trace.Algorithm = strings.Join(names, ", "), strings.Join(algorithms, ", ")
}
