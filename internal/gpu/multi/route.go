package multi

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// routeModules has the kernels that divide a part among devices.
var routeModules = []*device.Module{{Image: kernels.Route, Kernels: map[string]int{
	"route_counts_u32": kernels.RouteCountShared, "route_counts_u64": kernels.RouteCountShared,
	"route_starts":    kernels.RouteStartShared,
	"route_codes_u32": kernels.RouteSharedU32, "route_codes_u64": kernels.RouteSharedU64,
	"route_loose_u32": kernels.RouteSharedU32, "route_loose_u64": kernels.RouteSharedU64,
	"route_words": kernels.RouteSharedU32, "route_loose_words": kernels.RouteSharedU32,
	"route_places": kernels.RoutePlacesShared, "word_places": kernels.RoutePlacesShared, "word_positions": 0,
}}}

func layOutRouted(a *device.Area, n int) routed {
	return routed{
		splitters: a.Take(kernels.SplitterBytes * kernels.MaxDestinations),
		targets:   a.Take(kernels.TargetBytes * kernels.MaxDestinations),
		totals:    a.Take(4 * kernels.MaxDestinations),
		origins:   a.Take(kernels.OriginBytes * kernels.MaxDestinations),
		lists:     a.Take(kernels.ListsBytes),
		counts:    a.Take(4 * kernels.MaxDestinations * routeTiles(n)),
	}
}

// routedBytes returns the device memory that layOutRouted takes.
func routedBytes(n int) int {
	var size device.Area
	layOutRouted(&size, n)
	return int(size.At)
}

func routeTiles(n int) int { return (n + kernels.RouteTile - 1) / kernels.RouteTile }

// mark is a place between the elements of all parts in order: before the element with this
// code, part and position.
type mark struct {
	code     uint64
	part     int
	position uint32
}

func compareMarks(a, b mark) int {
	return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.part, b.part), cmp.Compare(a.position, b.position))
}

// from returns the position of the first element of q that has the mark's code and is not
// before the mark.
func (m mark) from(q *part) uint64 {
	switch {
	case q.index < m.part:
		return uint64(q.hi)
	case q.index > m.part:
		return uint64(q.lo)
	}
	return uint64(m.position)
}

// sampleThinning is how many keys of a sorted sample each key used for splitters stands for.
// So few of all parts are sorted on the host, and each quantile is accurate to 1/256: each device gets
// about that much more or less of a part than it should.
const sampleThinning = 32

// fewValues is how many times each value comes in the samples, on average, from which on codes
// have few values. Then an order of codes is faster than a sort of words: there is a sort for few
// values, and a gather of positions reads places close to each other.
const fewValues = 4

// samplePart takes the memory of routing and samples a part: one key from each of equal pieces.
func (p *sharing) samplePart(q *part) (err error) {
	if q.note, err = device.Pinned[note](q.Workspace); err != nil {
		return err
	}
	if q.block, err = q.Take(routedBytes(q.hi - q.lo)); err != nil {
		return err
	}
	q.routed = layOutRouted(&device.Area{At: q.block.At}, q.hi-q.lo)
	b, err := q.Take(codes.HeadBytes)
	if err != nil {
		return err
	}
	defer q.Put(b)
	space, queue := device.Area{At: b.At}, q.Queue()
	at := space.Take(kernels.SampleBytes)
	if q.hi == q.lo {
		return queue.Sync()
	}
	sample.First(&queue, codes.Input{Codes: q.codes, Wide: p.wide, N: q.hi - q.lo}, 0, at)
	q.note.sample.Fetch(&queue, at)
	if err := queue.Sync(); err != nil {
		return err
	}
	q.sample = make([]mark, 0, kernels.RangeSamples)
	for _, k := range q.note.sample.Sorted(1) {
		q.sample = append(q.sample, mark{k.Code, q.index, k.Position + uint32(q.lo)})
	}
	return nil
}

// windowErrors is half the width of a window, in standard errors of the sample's quantiles. A border
// lies outside in one case of 80: then results are copied to their places.
const windowErrors = 2.5

// split divides the order into groups, by the samples of all parts, and chooses the elements that
// are sorted.
func (p *sharing) split() {
	var all []mark
	for _, q := range p.list {
		for i := sampleThinning / 2; i < len(q.sample); i += sampleThinning {
			all = append(all, q.sample[i])
		}
	}
	slices.SortFunc(all, compareMarks)
	p.chooseElements(all)
	p.chooseSplitters(all)
}

// chooseElements decides, by a sorted sample, whether words are sorted, or codes with numbers.
func (p *sharing) chooseElements(sample []mark) {
	values := 0
	for i, m := range sample {
		if i == 0 || m.code != sample[i-1].code {
			values++
		}
	}
	if p.keys || !p.inList || values*fewValues <= len(sample) {
		return
	}
	ownChoice := dispatch.ChoosesOwn(p.algorithm)
	p.words = !p.wide && ownChoice
	p.numbers = p.wide && p.unordered && (ownChoice || p.algorithm == engine.BucketBitonic) && p.allReach()
}

// chooseSplitters chooses the splitters from a sorted sample, so that each device gets about as many
// elements as it is to sort. Each key of a part's sample stands for the same number of its elements.
func (p *sharing) chooseSplitters(all []mark) {
	i, before, want, last := 0, 0., 0, -1 // last: the end of the last window
	for _, q := range p.list[1:] {
		want += p.list[q.index-1].want
		for i < len(all) && before < float64(want) {
			of := p.list[all[i].part]
			before += sampleThinning * float64(of.hi-of.lo) / float64(len(of.sample))
			i++
		}
		at := func(i int) mark {
			switch {
			case i < 0 || want == 0:
				return mark{}
			case i >= len(all):
				return p.end()
			}
			return all[i]
		}
		if !p.windows {
			p.splitters = append(p.splitters, at(i))
			continue
		}
		share := float64(want) / float64(p.size())
		half := int(windowErrors*math.Sqrt(share*(1-share)*float64(len(all))/sampleThinning)) + 1
		begin := max(i-half, last)
		if last = max(i+half, begin); want == 0 {
			last = -1
		}
		p.splitters = append(p.splitters, at(begin), at(last))
	}
}

// end is the mark after all elements.
func (p *sharing) end() mark {
	return mark{code: codes.Top(p.wide), part: len(p.list), position: math.MaxUint32}
}

// rangeOf returns the range of the codes or words of groups.
func (p *sharing) rangeOf(first, end int) (least, most uint64) {
	from, to := mark{}, p.end()
	if first > 0 {
		from = p.splitters[first-1]
	}
	if end <= len(p.splitters) {
		to = p.splitters[end-1]
	}
	if p.words {
		return from.code<<32 | uint64(from.position), to.code<<32 | uint64(to.position)
	}
	return from.code, to.code
}

// countPart counts the elements of a part for each destination.
func (p *sharing) countPart(q *part) error {
	clear(q.note.totals[:])
	if q.hi == q.lo {
		return nil
	}
	queue, tiles := q.Queue(), routeTiles(q.hi-q.lo)
	p.sendSplitters(&queue, q)
	queue.Run("route_counts"+codes.Width(p.wide), tiles, kernels.RouteThreads, kernels.RouteCountShared,
		append(p.routes(q), uint64(q.routed.counts))...)
	queue.Run("route_starts", p.groups(), kernels.RouteStartThreads, kernels.RouteStartShared,
		uint64(q.routed.counts), uint64(tiles), uint64(q.routed.totals))
	queue.ToHost(unsafe.Pointer(&q.note.totals), q.routed.totals, 4*p.groups())
	return queue.Sync()
}

func (p *sharing) sendSplitters(queue *device.Queue, q *part) {
	for i, s := range p.splitters {
		q.note.splitters[i].code, q.note.splitters[i].position = s.code, s.from(q)
	}
	queue.ToDevice(q.routed.splitters, unsafe.Pointer(&q.note.splitters), kernels.SplitterBytes*len(p.splitters))
}

// routes are the first arguments of the kernels, struct Routes of route.cuh.
func (p *sharing) routes(q *part) []uint64 {
	return []uint64{uint64(q.codes), uint64(q.hi - q.lo), uint64(q.lo), uint64(q.routed.splitters), uint64(p.groups())}
}

// goesTo returns how many elements of a part are in a group, and how many precede them.
func (q *part) goesTo(group int) (n, before int) {
	for _, t := range q.note.totals[:group] {
		before += int(t)
	}
	return int(q.note.totals[group]), before
}

// routePart moves the elements of a part to the devices that sort them, or to memory of its own
// from where these fetch them.
func (p *sharing) routePart(q *part) error {
	if q.hi == q.lo {
		return nil
	}
	for group := range p.groups() {
		codes, positions := p.target(q, group)
		q.note.targets[group].codes, q.note.targets[group].positions = uint64(codes), uint64(positions)
	}
	kernel, shared := p.router("route_codes", "route_words")
	queue := q.Queue()
	queue.ToDevice(q.routed.targets, unsafe.Pointer(&q.note.targets), kernels.TargetBytes*p.groups())
	queue.Run(kernel, routeTiles(q.hi-q.lo), kernels.RouteThreads, shared,
		append(p.routes(q), uint64(q.routed.counts), uint64(q.routed.targets))...)
	return queue.Sync()
}

// router returns the kernel that moves codes, without their width, or words, and its shared memory.
func (p *sharing) router(ofCodes, ofWords string) (kernel string, shared int) {
	switch {
	case p.words:
		return ofWords, kernels.RouteSharedU32
	case p.wide:
		shared = kernels.RouteSharedU64
	default:
		shared = kernels.RouteSharedU32
	}
	return ofCodes + codes.Width(p.wide), shared
}

// target returns where elements of a part go that are in a group. Codes go to the memory of the
// group's device if kernels reach it. Positions for other devices are fetched later, while codes are
// sorted, unless they are sorted, too.
func (p *sharing) target(q *part, group int) (code, position cuda.Ptr) {
	d := p.sorterOf(group)
	_, before := q.goesTo(group)
	at, size := p.arrives(q, group), p.moved(0).Size()
	code, position = q.staged.Codes+cuda.Ptr(size*before), q.staged.Positions+cuda.Ptr(4*before)
	if p.direct(q, d) {
		code = d.received.Codes + cuda.Ptr(size*at)
	}
	switch {
	case p.moved(0).Keys:
		position = 0
	case q == d || p.numbers:
		position = d.received.Positions + cuda.Ptr(4*at)
	}
	return code, position
}

// direct reports whether a part's codes for device d go to its memory without a copy.
func (p *sharing) direct(q, d *part) bool {
	return q == d || !q.Staged && q.Reaches(d.Device)
}

// arrives returns which of the received elements of a group's device is the first of the group from
// part q: parts follow each other, so equal codes keep their order.
func (p *sharing) arrives(q *part, group int) (at int) {
	if d := p.sorterOf(group); p.windows && group > 2*d.index {
		at = d.sure
	}
	for _, s := range p.list[:q.index] {
		n, _ := s.goesTo(group)
		at += n
	}
	return at
}
