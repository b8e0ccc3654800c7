package multi

import (
	"slices"
	"strings"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/transfer"
)

// Order runs one job in a session on each device, or returns ErrCrowded before it has
// pulled any code.
func Order(job *engine.Job, sessions []transfer.Session) error {
	p := newSharing(job, sessions)
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
func (p *sharing) open() error { return p.each(p.openPart) }

func (p *sharing) openPart(q *part) (err error) {
	want := p.bytes(q.Sorter)
	space, err := q.Space(want)
	if err != nil {
		return err
	}
	if want > space || p.capacity > q.Sorter.MaxN(p.job.Algorithm, p.input(p.capacity)) {
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
	q.codes, err = q.Take(codes.Bytes(p.wide) * p.capacity)
	return err
}

// bytes returns the device memory that a device takes.
func (p *sharing) bytes(s *dispatch.Sorter) int {
	in := p.input(p.capacity)
	own := (in.Size()+in.ResultSize())*in.N + routedBytes(in) + runs.Bytes(in)
	return device.WithWaste(own) + transfer.SortBytes(s, p.job.Algorithm, in)
}

// sort sorts on all devices.
func (p *sharing) sort() (failed error) {
	err := p.job.Stage("sort", 1, 1, func(_, _, _ int) { failed = p.each(p.sortPart) })
	return device.FirstError(failed, err)
}

// sortPart sorts the elements that a device has received; equal codes are in input order.
func (p *sharing) sortPart(q *part) error {
	q.Put(q.sends)
	if q.n == 0 {
		return nil
	}
	in := p.input(q.n)
	result, err := q.Take(in.ResultSize() * max(q.n, p.capacity))
	if err != nil {
		return err
	}
	in.Codes, q.result = q.received.Codes, result.At
	if q.found, err = q.Session.Sort(p.job.Algorithm, in, q.result); err != nil || in.Keys {
		return err
	}
	return q.orderOfList()
}

// orderOfList converts the order of received elements to positions in the list, by a gather.
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
	positions := codes.Input{Codes: q.received.Positions, N: q.n} // positions are 32-bit words, like codes
	if err := runs.Gather(q.Workspace, positions, order, 0, runs.Runs{Codes: q.result}); err != nil {
		return err
	}
	return q.SyncStream(q.Stream)
}

// report records the work of the devices. It records no shape: each device has seen a part of
// the list.
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
	p.job.Trace.Rounds = 1 + levels // the exchange counts as one
	p.job.Trace.Device, p.job.Trace.Algorithm = strings.Join(names, ", "), strings.Join(algorithms, ", ")
}
