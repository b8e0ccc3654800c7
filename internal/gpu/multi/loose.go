package multi

import (
	"math"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// Elements that are codes alone, or words, may come in any order to the device that sorts them. So they
// are moved without being counted before: each part has a region of memory for each group, as large
// as its sample suggests, where blocks claim places. Then elements from the ends of regions fill the
// gaps.

const (
	// mostLoose is the number of parts up to which elements are moved without counts: more regions
	// leave more memory unused.
	mostLoose = 4

	// regionErrors is by how many standard errors of the sample a region exceeds the expected number
	// of elements. One in 1500 is too small.
	regionErrors = 3.2
)

// region is the memory for the elements of a part in a group: received elements [at, at+capacity),
// of which n are there.
type region struct{ at, capacity, n int }

// loose reports whether elements are moved without counts: if kernels reach all devices.
func (p *sharing) loose() bool {
	return p.unordered && p.moved(0).Keys && len(p.list) <= mostLoose && p.allReach()
}

// moveLoosely moves all elements without counts. Where a region turns out to be too small, all are
// moved again, to regions of the size then known.
func (p *sharing) moveLoosely() error {
	for _, q := range p.list {
		q.regions = make([]region, p.groups())
		for group := range q.regions {
			q.regions[group].capacity = p.expected(q, group)
		}
	}
	for {
		if err := p.each(p.openRegions); err != nil {
			return err
		}
		if err := p.each(p.claim); err != nil {
			return err
		}
		p.place()
		if p.fit() {
			return p.each(p.closeGaps)
		}
		for _, q := range p.list {
			q.Put(q.receives)
		}
	}
}

// expected returns about how many elements of a part are in a group, and some more.
func (p *sharing) expected(q *part, group int) int {
	n, m := float64(q.hi-q.lo), float64(len(q.sample))
	if n == 0 {
		return 0
	}
	before := func(i int) float64 { // of the sample, before splitter i
		if i == len(p.splitters) {
			return m
		}
		k, _ := slices.BinarySearchFunc(q.sample, p.splitters[i], compareMarks)
		return float64(k)
	}
	share := before(group) / m
	if group > 0 {
		share -= before(group-1) / m
	}
	most := share + regionErrors*math.Sqrt(share*(1-share)/m) + 4/m
	return int(min(n, math.Ceil(n*most)))
}

// openRegions takes the memory of received elements, and lays out the regions of all parts in it.
func (p *sharing) openRegions(q *part) (err error) {
	at := 0
	first, end := p.groupsOf(q)
	for group := first; group < end; group++ {
		for _, s := range p.list {
			s.regions[group].at = at
			at += s.regions[group].capacity
		}
	}
	if q.receives, err = q.Take(p.moved(0).Size() * max(at, q.capacity)); err == nil {
		q.received.Codes = q.receives.At
	}
	return err
}

// claim moves the elements of a part to its regions, and counts them.
func (p *sharing) claim(q *part) error {
	clear(q.note.totals[:])
	if q.hi == q.lo {
		return nil
	}
	size := p.moved(0).Size()
	for group, r := range q.regions {
		q.note.regions[group].codes = uint64(p.sorterOf(group).received.Codes) + uint64(size*r.at)
		q.note.regions[group].capacity = uint64(r.capacity)
	}
	kernel, shared := p.router("route_loose", "route_loose_words")
	queue := q.Queue()
	p.sendSplitters(&queue, q)
	queue.ToDevice(q.routed.targets, unsafe.Pointer(&q.note.regions), kernels.RegionBytes*p.groups())
	queue.Fill(q.routed.totals, 0, p.groups())
	queue.Run(kernel, routeTiles(q.hi-q.lo), kernels.RouteThreads, shared,
		append(p.routes(q), uint64(q.routed.totals), uint64(q.routed.targets))...)
	queue.ToHost(unsafe.Pointer(&q.note.totals), q.routed.totals, 4*p.groups())
	return queue.Sync()
}

// fit reports whether all elements have found place in their regions, and makes those as large as
// they have to be.
func (p *sharing) fit() bool {
	fit := true
	for _, q := range p.list {
		for group := range q.regions {
			r := &q.regions[group]
			r.n, _ = q.goesTo(group)
			fit = fit && r.n <= r.capacity
			r.capacity = max(r.capacity, r.n)
		}
	}
	return fit
}

// closeGaps moves received elements so that they are next to each other: those of the window
// after the sure ones.
func (p *sharing) closeGaps(q *part) error {
	if most := q.Sorter.MaxN(p.algorithm, p.moved(q.n)); q.n > most { // codes that mislead the sample
		return cuda.Shortage(q.Info.Ordinal, "%d of %d elements fall to it, which sorts %d", q.n, p.size(), most)
	}
	size, to := p.moved(0).Size(), 0
	queue := q.Queue()
	first, end := p.groupsOf(q)
	for group := first; group < end; group++ {
		var own []region
		for _, s := range p.list {
			own = append(own, s.regions[group])
		}
		for _, m := range compact(own, to) {
			queue.Copy(q.received.Codes+cuda.Ptr(size*m.to), q.received.Codes+cuda.Ptr(size*m.from), size*m.n)
		}
		to = q.sure
	}
	return queue.Sync()
}

// move is a copy of n elements.
type move struct{ to, from, n int }

// compact returns the copies after which the elements of regions are those from place to on. Regions
// ascend, and none begins before to. No copy reads what another writes.
func compact(list []region, to int) (moves []move) {
	end := to
	for _, r := range list {
		end += r.n
	}
	var beyond []region // elements after the end
	for _, r := range list {
		if from := max(r.at, end); from < r.at+r.n {
			beyond = append(beyond, region{at: from, n: r.at + r.n - from})
		}
	}
	for _, r := range append(list, region{at: end}) {
		for until := min(r.at, end); to < until; {
			last := &beyond[len(beyond)-1]
			n := min(until-to, last.n)
			last.n -= n
			moves = append(moves, move{to, last.at + last.n, n})
			if to += n; last.n == 0 {
				beyond = beyond[:len(beyond)-1]
			}
		}
		to = max(to, min(r.at+r.n, end))
	}
	return moves
}
