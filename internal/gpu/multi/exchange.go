package multi

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/transfer"
)

// exchange moves every element to the device that sorts it.
func (p *sharing) exchange() (failed error) {
	err := p.job.Stage("exchange", 1, 1, func(_, _, _ int) { failed = p.exchangeParts() })
	return device.FirstError(failed, err)
}

func (p *sharing) exchangeParts() error {
	if err := p.each(p.samplePart); err != nil {
		return err
	}
	splitters := p.splitters()
	if err := p.each(func(q *part) error { return p.route(q, splitters) }); err != nil {
		return err
	}
	p.place()
	return p.each(p.receive)
}

// place computes how many elements each device receives and their place in the order.
func (p *sharing) place() {
	place := 0
	for _, q := range p.list {
		q.place = place
		for _, sender := range p.list {
			n, _ := sender.goesTo(q.index)
			q.n += n
		}
		place += q.n
	}
}

// receive fetches the elements that a device sorts, in the order of their senders, so equal
// codes are in input order. Each device starts with the next device, so that no two fetch from
// the same one. It waits for its copies even if one fails, so that senders may free their
// memory afterwards.
func (p *sharing) receive(q *part) (err error) {
	if most := q.Sorter.MaxN(p.job.Algorithm, p.input(q.n)); q.n > most { // codes that mislead the sample
		return cuda.Shortage(q.Info.Ordinal, "%d of %d elements fall to it, which sorts %d", q.n, p.job.N, most)
	}
	in := p.input(max(q.n, p.capacity))
	if q.receives, err = q.Take(runs.Bytes(in)); err != nil {
		return err
	}
	q.received = runs.LayOut(&device.Area{At: q.receives.At}, in)
	at := make([]int, len(p.list)+1)
	for i, sender := range p.list {
		n, _ := sender.goesTo(q.index)
		at[i+1] = at[i] + n
	}
	f := fetch{part: q}
	for i := range p.list {
		sender := p.list[(q.index+1+i)%len(p.list)]
		n, from := sender.goesTo(q.index)
		to, size := at[sender.index], codes.Bytes(p.wide)
		f.words(sender, q.received.Codes+cuda.Ptr(size*to), sender.routed.Codes+cuda.Ptr(size*from), size*n)
		if !transfer.TakesCodes(p.job) {
			f.words(sender, q.received.Positions+cuda.Ptr(4*to), sender.routed.Positions+cuda.Ptr(4*from), 4*n)
		}
	}
	return device.FirstError(f.err, q.SyncStream(q.Stream))
}

// fetchPatience is how many bytes a device fetches before the context is checked: 2 ms by
// NVLink, and about 25 ms through the host.
const fetchPatience = 256 << 20

// fetch is a sequence of copies to one device, up to the first error.
type fetch struct {
	*part
	given int // bytes since the last wait
	err   error
}

// words fetches bytes from memory of sender, which may be the receiving device.
func (f *fetch) words(sender *part, to, from cuda.Ptr, bytes int) {
	for bytes > 0 && f.err == nil {
		n := min(bytes, fetchPatience-f.given)
		if sender == f.part {
			f.err = f.CopyOnDevice(to, from, n, f.Stream)
		} else {
			f.err = f.CopyFromPeer(to, sender.Context, from, n, f.Stream)
		}
		to, from, bytes, f.given = to+cuda.Ptr(n), from+cuda.Ptr(n), bytes-n, f.given+n
		if f.given == fetchPatience && f.err == nil {
			f.given = 0
			f.err = device.FirstError(f.SyncStream(f.Stream), f.Workspace.Err())
		}
	}
}
