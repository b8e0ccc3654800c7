package multi

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/kernels"
)

// exchange moves the codes of every element to the device that sorts it.
func (p *sharing) exchange() error {
	if len(p.list) == 1 {
		q := p.list[0]
		q.n, q.received.Codes = q.hi-q.lo, q.codes
		return nil
	}
	if err := p.each(p.samplePart); err != nil {
		return err
	}
	if p.split(); p.loose() {
		return p.moveLoosely()
	}
	if err := p.each(p.countPart); err != nil {
		return err
	}
	p.place()
	for _, step := range []func(*part) error{p.openPart, p.routePart, p.fetchPart} {
		if err := p.each(step); err != nil {
			return err
		}
	}
	return nil
}

// place computes how many elements each device receives and their place in the order.
func (p *sharing) place() {
	place := 0
	for _, q := range p.list {
		q.place, q.n = place, 0
		first, end := p.groupsOf(q)
		for group := first; group < end; group++ {
			for _, sender := range p.list {
				n, _ := sender.goesTo(group)
				q.n += n
			}
			if group == first {
				q.sure = q.n
			}
		}
		place += q.n
	}
}

// openPart takes the memory of received elements, and of those that others fetch.
func (p *sharing) openPart(q *part) (err error) {
	if most := q.Sorter.MaxN(p.algorithm, p.moved(q.n)); q.n > most { // codes that mislead the sample
		return cuda.Shortage(q.Info.Ordinal, "%d of %d elements fall to it, which sorts %d", q.n, p.size(), most)
	}
	in := p.moved(max(q.n, q.capacity))
	if q.receives, err = q.Take(runs.Bytes(in)); err != nil {
		return err
	}
	q.received = runs.LayOut(&device.Area{At: q.receives.At}, in)
	size, own := 0, q.hi-q.lo
	if p.stagesCodes(q) {
		size += in.Size() * own
	}
	at := cuda.Ptr(size)
	if !in.Keys && !p.numbers {
		size += 4 * own
	}
	if size == 0 {
		return nil
	}
	if q.stage, err = q.Take(size); err == nil {
		q.staged = runs.Runs{Codes: q.stage.At, Positions: q.stage.At + at}
	}
	return err
}

// allReach reports whether kernels of every device reach the memory of all.
func (p *sharing) allReach() bool { return !slices.ContainsFunc(p.list, p.stagesCodes) }

// stagesCodes reports whether others fetch codes of a part.
func (p *sharing) stagesCodes(q *part) bool {
	return slices.ContainsFunc(p.list, func(d *part) bool { return !p.direct(q, d) })
}

// fetchPart fetches the codes that a device sorts from devices whose kernels do not reach it,
// and their positions: all that takes the way through the host.
func (p *sharing) fetchPart(q *part) error {
	f := fetch{part: q, stream: q.Stream, patient: true}
	size := p.moved(0).Size()
	first, end := p.groupsOf(q)
	for s := range p.others(q) {
		for group := first; group < end && !p.direct(s, q); group++ {
			n, from := s.goesTo(group)
			at := p.arrives(s, group)
			f.words(s, q.received.Codes+cuda.Ptr(size*at), s.staged.Codes+cuda.Ptr(size*from), size*n)
			if !p.moved(0).Keys {
				f.words(s, q.received.Positions+cuda.Ptr(4*at), s.staged.Positions+cuda.Ptr(4*from), 4*n)
			}
		}
	}
	return device.FirstError(f.err, q.SyncStream(q.Stream))
}

// fetchPositions begins to fetch the positions of the other elements, on the stream Up.
func (p *sharing) fetchPositions(q *part) error {
	f := fetch{part: q, stream: q.Up}
	for s := range p.others(q) {
		if n, from := s.goesTo(q.index); p.direct(s, q) {
			f.words(s, q.received.Positions+cuda.Ptr(4*p.arrives(s, q.index)), s.staged.Positions+cuda.Ptr(4*from), 4*n)
		}
	}
	return f.err
}

// others iterates over the other devices. Each device starts with the next one, so that no two
// fetch from the same.
func (p *sharing) others(q *part) func(yield func(s *part) bool) {
	return func(yield func(s *part) bool) {
		for i := 1; i < len(p.list); i++ {
			if !yield(p.list[(q.index+i)%len(p.list)]) {
				return
			}
		}
	}
}

// fetchPatience is how many bytes a device fetches before the context is checked: some 25 ms
// through the host.
const fetchPatience = 256 << 20

// fetch is a sequence of copies to one device, up to the first error.
type fetch struct {
	*part
	stream  cuda.Stream
	patient bool // copies take long, so it waits for them now and then
	given   int  // bytes since the last wait
	err     error
}

// words fetches bytes from memory of sender.
func (f *fetch) words(sender *part, to, from cuda.Ptr, bytes int) {
	for bytes > 0 && f.err == nil {
		n := bytes
		if f.patient {
			n = min(bytes, fetchPatience-f.given)
		}
		f.err = f.CopyFromPeer(to, sender.Context, from, n, f.stream)
		to, from, bytes, f.given = to+cuda.Ptr(n), from+cuda.Ptr(n), bytes-n, f.given+n
		if f.patient && f.given == fetchPatience && f.err == nil {
			f.given = 0
			f.err = device.FirstError(f.SyncStream(f.stream), f.Workspace.Err())
		}
	}
}

// sendLists sends a device the addresses of the codes of all parts.
func (p *sharing) sendLists(q *part) error {
	q.note.lists.count = uint64(len(p.list))
	for i, s := range p.list {
		q.note.lists.list[i].first, q.note.lists.list[i].codes = uint64(s.lo), uint64(s.codes)
	}
	queue := q.Queue()
	queue.ToDevice(q.routed.lists, unsafe.Pointer(&q.note.lists), kernels.ListsBytes)
	return queue.Err()
}

// sortPart sorts the codes or words that a device has received, to a place in its memory, or to
// memory that it takes if that is 0. Equal codes are in input order. Afterwards the device's stream has
// the positions, too.
func (p *sharing) sortPart(q *part, to cuda.Ptr) error {
	if q.n == 0 {
		return nil
	}
	in := p.moved(q.n)
	in.Codes = q.received.Codes
	in.Least, in.Most = p.rangeOf(p.groupsOf(q))
	switch {
	case p.numbers:
		in.Numbers, in.Lists, in.Total = q.received.Positions, q.routed.lists, p.size()
		if err := p.sendLists(q); err != nil {
			return err
		}
	case !in.Keys:
		if err := p.fetchPositions(q); err != nil {
			return err
		}
	}
	if q.sorted = to; to == 0 {
		b, err := q.Take(in.ResultSize() * max(q.n, q.capacity))
		if err != nil {
			return err
		}
		q.sorted = b.At
	}
	found, err := q.Session.Sort(p.algorithm, in, q.sorted)
	if q.found = found; err != nil || in.Keys {
		return err
	}
	return q.After(q.Stream, q.Up)
}
