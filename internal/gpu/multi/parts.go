package multi

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/kernels"
)

// Part is the codes that lie on one device, and the memory there for its share of the result.
type Part struct {
	Codes   cuda.Ptr
	N       int
	Result  cuda.Ptr
	Results int // of all parts together as many as codes
	After   []cuda.Stream
}

// onDevices is a sort of parts that lie on the devices.
type onDevices struct {
	sharing
	parts  []Part
	starts []int      // place in the order of the first result of each part, and their number
	edges  []cuda.Ptr // results of each device, from its first, that other devices have
}

// Sort sorts parts, one on the device of each session, and writes results[i] results to each of
// them: sorted codes, or words with the part of an element above its position there.
func Sort(a engine.Algorithm, wide, keys bool, parts []Part, sessions []transfer.Session) error {
	return newOnDevices(a, wide, keys, parts, sessions).sort()
}

func (p *onDevices) sort() error {
	if err := p.each(p.begin); err != nil {
		return err
	}
	if err := p.exchange(); err != nil {
		return err
	}
	for _, step := range []func(*part) error{p.finish, p.fetchEdges} {
		if err := p.each(step); err != nil {
			return err
		}
	}
	for _, q := range p.list {
		q.Quiet()
	}
	return nil
}

func newOnDevices(a engine.Algorithm, wide, keys bool, parts []Part, sessions []transfer.Session) *onDevices {
	p := &onDevices{parts: parts, starts: make([]int, len(parts)+1), edges: make([]cuda.Ptr, len(parts))}
	p.sharing = sharing{algorithm: a, wide: wide, keys: keys, stopped: func() error { return sessions[0].Err() }}
	for i, in := range parts {
		p.starts[i+1] = p.starts[i] + in.Results
	}
	p.inList = p.starts[len(parts)] <= codes.MaxPositions
	lo := 0
	for i, in := range parts {
		p.list = append(p.list, &part{
			Session: &sessions[i], index: i, lo: lo, hi: lo + in.N, codes: in.Codes,
			want: in.Results, capacity: capacityFor(in.Results),
		})
		if p.inList {
			lo += in.N
		}
	}
	p.unordered = true
	p.windows = keys && len(parts) > 1 && 2*len(parts)-1 <= kernels.MaxDestinations
	return p
}

// begin makes the device wait for the caller's streams.
func (p *onDevices) begin(q *part) error {
	for _, stream := range p.parts[q.index].After {
		if err := q.After(q.Stream, stream); err != nil {
			return err
		}
	}
	return q.Load(routeModules)
}

// finish sorts what a device has received, and writes its results: those of its own part to
// their places, and others to where their devices fetch them.
func (p *onDevices) finish(q *part) error {
	if p.windows && p.atPlaces(q) {
		return p.finishWindow(q)
	}
	out := p.parts[q.index]
	whole := q.place == p.starts[q.index] && q.n == out.Results
	to := cuda.Ptr(0)
	if p.keys && whole {
		to = out.Result
	}
	if err := p.sortPart(q, to); err != nil || q.n == 0 {
		return err
	}
	if p.edges[q.index] = q.sorted; p.keys {
		if lo, hi := p.common(q, q); lo < hi && !whole {
			size := codes.Bytes(p.wide)
			queue := q.Queue()
			queue.Copy(p.resultAt(q, lo), q.sorted+cuda.Ptr(size*(lo-q.place)), size*(hi-lo))
			return queue.Sync()
		}
		return nil
	}
	return p.writePlaces(q)
}

// atPlaces reports whether the sure elements of a device are results of its own part.
func (p *onDevices) atPlaces(q *part) bool {
	return p.starts[q.index] <= q.place && q.place+q.sure <= p.starts[q.index+1]
}

// finishWindow sorts the sure elements of a device to their places, and those of its window by
// themselves. The next device fetches its results from there.
func (p *onDevices) finishWindow(q *part) error {
	group, end := p.groupsOf(q)
	if err := p.sortGroup(q, group, 0, q.sure, p.resultAt(q, q.place)); err != nil || q.n == q.sure {
		return err
	}
	size := codes.Bytes(p.wide)
	b, err := q.Take(size * (q.n - q.sure))
	if err != nil {
		return err
	}
	p.edges[q.index] = b.At - cuda.Ptr(size*q.sure)
	if err := p.sortGroup(q, end-1, q.sure, q.n-q.sure, b.At); err != nil {
		return err
	}
	first, last := p.common(q, q)
	if first = max(first, q.place+q.sure); first >= last {
		return nil
	}
	queue := q.Queue()
	queue.Copy(p.resultAt(q, first), p.edges[q.index]+cuda.Ptr(size*(first-q.place)), size*(last-first))
	return queue.Sync()
}

// sortGroup sorts n received keys of a group, from the given one on.
func (p *onDevices) sortGroup(q *part, group, from, n int, to cuda.Ptr) error {
	if n == 0 {
		return nil
	}
	in := p.moved(n)
	in.Codes = q.received.Codes + cuda.Ptr(in.Size()*from)
	in.Least, in.Most = p.rangeOf(group, group+1)
	_, err := q.Session.Sort(p.algorithm, in, to)
	return err
}

// writePlaces writes where the elements of a device's order lie.
func (p *onDevices) writePlaces(q *part) error {
	queue := q.Queue()
	if len(p.list) > 1 {
		for i, s := range p.list {
			first := p.arrives(s, q.index)
			if q.found.Numbers {
				first = s.lo
			}
			q.note.origins[i].first, q.note.origins[i].position = uint64(first), uint64(s.lo)
		}
		queue.ToDevice(q.routed.origins, unsafe.Pointer(&q.note.origins), kernels.OriginBytes*len(p.list))
	}
	lo, hi := p.common(q, q)
	if foreign := q.n - (hi - lo); foreign > 0 {
		b, err := q.Take(placeBytes * foreign)
		if err != nil {
			return err
		}
		p.edges[q.index] = b.At
	}
	p.placesOf(&queue, q, lo, hi, p.resultAt(q, lo))
	p.placesOf(&queue, q, q.place, lo, p.edges[q.index])
	p.placesOf(&queue, q, hi, q.place+q.n, p.edges[q.index]+cuda.Ptr(placeBytes*(lo-q.place)))
	return queue.Sync()
}

// placeBytes is the size of a part and a position.
const placeBytes = 8

// placesOf writes where the elements lie that have places [lo, hi) of the whole order.
func (p *onDevices) placesOf(queue *device.Queue, q *part, lo, hi int, to cuda.Ptr) {
	if lo == hi {
		return
	}
	from := uint64(q.sorted) + uint64(p.moved(0).ResultSize()*(lo-q.place))
	kernel, args := "route_places", []uint64{from, uint64(hi - lo), uint64(q.received.Positions)}
	switch {
	case p.words:
		kernel, args = "word_places", args[:2]
	case q.found.Numbers:
		args[2] = 0
	}
	queue.Run(kernel, placeGrid(q, hi-lo), kernels.PlaceThreads, kernels.RoutePlacesShared,
		append(args, uint64(q.routed.origins), uint64(len(p.list)), uint64(to))...)
}

// placeGrid returns the number of blocks that write n positions or places.
func placeGrid(q *part, n int) int {
	return min(32*q.Info.SMs, (n+kernels.PlaceThreads-1)/kernels.PlaceThreads)
}

// resultAt returns where a part's result with a place in the whole order is.
func (p *onDevices) resultAt(q *part, place int) cuda.Ptr {
	return p.parts[q.index].Result + cuda.Ptr(p.resultSize()*(place-p.starts[q.index]))
}

func (p *onDevices) resultSize() int {
	if p.keys {
		return codes.Bytes(p.wide)
	}
	return placeBytes
}

// common returns the places in the whole order of results of part d that device s has sorted. If
// there are none, both are a place at an end of what s has.
func (p *onDevices) common(s, d *part) (lo, hi int) {
	lo = min(max(s.place, p.starts[d.index]), s.place+s.n)
	hi = min(s.place+s.n, p.starts[d.index+1])
	return lo, max(lo, hi)
}

// fetchEdges fetches the results of a part that other devices have sorted: few, because each
// sorts about as many elements as its part has results.
func (p *onDevices) fetchEdges(q *part) error {
	size := p.resultSize()
	f := fetch{part: q, stream: q.Stream, patient: true}
	for s := range p.others(q) {
		lo, hi := p.common(s, q)
		skipped := lo - s.place
		if own, end := p.common(s, s); !p.keys && lo >= end {
			skipped -= end - own // its own results are not among the edges
		}
		f.words(s, p.resultAt(q, lo), p.edges[s.index]+cuda.Ptr(size*skipped), size*(hi-lo))
	}
	return device.FirstError(f.err, q.SyncStream(q.Stream))
}
