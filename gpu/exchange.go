package gpu

import (
	"example.com/sorter/internal/cuda"
)

// exchange brings every element to the device that sorts it.
func (p *sharing) exchange() (failed error) {
	err := p.job.Stage("exchange", 1, 1, func(_, _, _ int) {
		failed = first(
			func() error { return p.each(p.samplePart) },
			func() error {
				splitters := p.splitters()
				return p.each(func(q *part) error { return p.route(q, splitters) })
			},
			func() error { p.place(); return p.each(p.receive) },
		)
	})
	return firstError(failed, err)
}

// place finds how many elements each device gets, and where they come in the order.
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

// receive fetches what a device sorts. Elements come in the order of their senders,
// so equal codes are in input order; but every device fetches from the next one
// first, so that no two fetch from the same. It waits for its copies also when one
// fails: the senders' memory is free when all devices are here.
func (p *sharing) receive(q *part) (err error) {
	if most := q.algorithms.demanding(p.job.Algorithm, p.input(q.n)).most; q.n > most { // codes made for the sample
		return cuda.Shortage(q.info.Ordinal, "%d of %d elements fall to it, which sorts %d", q.n, p.job.N, most)
	}
	in := p.input(max(q.n, p.room))
	if q.receives, err = q.take(runsBytes(in)); err != nil {
		return err
	}
	q.received = (&area{q.receives.at}).runs(in)
	at := make([]int, len(p.list)+1)
	for i, sender := range p.list {
		n, _ := sender.goesTo(q.index)
		at[i+1] = at[i] + n
	}
	f := fetch{part: q}
	for i := range p.list {
		sender := p.list[(q.index+1+i)%len(p.list)]
		n, from := sender.goesTo(q.index)
		to, size := at[sender.index], codeBytes(p.wide)
		f.words(sender, q.received.codes+cuda.Ptr(size*to), sender.routed.codes+cuda.Ptr(size*from), size*n)
		if !takesCodes(p.job) {
			f.words(sender, q.received.positions+cuda.Ptr(4*to), sender.routed.positions+cuda.Ptr(4*from), 4*n)
		}
	}
	return firstError(f.err, q.SyncStream(q.stream))
}

// fetchPatience is how many bytes a device fetches before the context is asked
// again: 2 ms by NVLink, and some 25 ms where they go through the host.
const fetchPatience = 256 << 20

// fetch is copies to one device, up to the first that fails.
type fetch struct {
	*part
	given int // bytes since the last wait
	err   error
}

// words fetches bytes from memory of sender, which may be the device itself.
func (f *fetch) words(sender *part, to, from cuda.Ptr, bytes int) {
	for bytes > 0 && f.err == nil {
		n := min(bytes, fetchPatience-f.given)
		if sender == f.part {
			f.err = f.CopyOnDevice(to, from, n, f.stream)
		} else {
			f.err = f.CopyFromPeer(to, sender.Context, from, n, f.stream)
		}
		to, from, bytes, f.given = to+cuda.Ptr(n), from+cuda.Ptr(n), bytes-n, f.given+n
		if f.given == fetchPatience && f.err == nil {
			f.given = 0
			f.err = firstError(f.SyncStream(f.stream), f.ctx.Err())
		}
	}
}
