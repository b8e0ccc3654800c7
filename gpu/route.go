package gpu

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// routeModules are the kernels that divide a part among devices.
var routeModules = []*module{{kernels.Route, map[string]int{
	"route_counts_u32": kernels.RouteCountShared, "route_counts_u64": kernels.RouteCountShared,
	"route_starts":    kernels.RouteStartShared,
	"route_codes_u32": kernels.RouteSharedU32, "route_codes_u64": kernels.RouteSharedU64,
}}}

// routeNote is what routing has in pinned memory: struct Splitter of route.cuh, and
// how many elements go to each destination.
type routeNote struct {
	splitters [kernels.MostDestinations]struct{ code, position uint64 }
	totals    [kernels.MostDestinations]uint32
}

// routed is a part divided among devices, in device memory.
type routed struct {
	runs                      // codes beside their positions in the whole list, unless they are keys alone, by destination
	splitters, totals, counts cuda.Ptr
}

func (a *area) routed(in input) routed {
	return routed{
		splitters: a.take(kernels.SplitterBytes * kernels.MostDestinations),
		totals:    a.take(4 * kernels.MostDestinations),
		counts:    a.take(4 * kernels.MostDestinations * routeTiles(in.n)),
		runs:      a.runs(in),
	}
}

// routedBytes is the device memory that area.routed takes.
func routedBytes(in input) int {
	var size area
	size.routed(in)
	return int(size.at)
}

func routeTiles(n int) int { return (n + kernels.RouteTile - 1) / kernels.RouteTile }

// sampleThinning is how many keys of a sorted sample one stands for when splitters
// are chosen: few are sorted on the host, and each quantile is as good to 1/1024.
const sampleThinning = 8

// samplePart takes a sample of a part, one key out of each of equally long pieces.
func (p *sharing) samplePart(q *part) error {
	b, err := q.take(headBytes)
	if err != nil {
		return err
	}
	defer q.put(b)
	m, s := head(&area{b.at}), &q.note.sample
	err = first(
		func() error { return q.sampleRange(m, input{codes: q.codes.at, wide: p.wide, n: q.hi - q.lo}, 0) },
		func() error {
			return q.CopyToHost(unsafe.Pointer(&s.code), m.sample+kernels.SampleCodesAt, 12*kernels.RangeSamples, q.stream)
		},
		func() error { return q.SyncStream(q.stream) },
	)
	if err != nil {
		return err
	}
	for i, k := range sortedSample(s, 1) {
		if i%sampleThinning == sampleThinning/2 {
			q.sample = append(q.sample, key{k.code, k.position + uint32(q.lo)})
		}
	}
	return nil
}

// splitters cut the samples, which stand for equally many elements each, into as
// many shares as there are devices.
func (p *sharing) splitters() (cuts []key) {
	var all []key
	for _, q := range p.list {
		all = append(all, q.sample...)
	}
	slices.SortFunc(all, compareKeys)
	for d := 1; d < len(p.list); d++ {
		cuts = append(cuts, all[len(all)*d/len(p.list)])
	}
	return cuts
}

// route divides a part by the splitters. It returns when all of its elements are
// where others may fetch them, and the note says how many there are.
func (p *sharing) route(q *part, splitters []key) error {
	n := q.hi - q.lo
	var err error
	if q.sends, err = q.take(routedBytes(p.input(p.room))); err != nil {
		return err
	}
	q.routed = (&area{q.sends.at}).routed(p.input(p.room))
	r, note, tiles := q.routed, &q.note.route, routeTiles(n)
	for i, s := range splitters {
		note.splitters[i].code, note.splitters[i].position = s.code, uint64(s.position)
	}
	from := []uint64{uint64(q.codes.at), uint64(n), uint64(q.lo), uint64(r.splitters), uint64(len(p.list))}
	shared := kernels.RouteSharedU32
	if p.wide {
		shared = kernels.RouteSharedU64
	}
	err = first(
		func() error {
			return q.CopyToDevice(r.splitters, unsafe.Pointer(&note.splitters), kernels.SplitterBytes*len(splitters), q.stream)
		},
		func() error {
			return q.run("route_counts"+width(p.wide), tiles, kernels.RouteThreads, kernels.RouteCountShared, append(from, uint64(r.counts))...)
		},
		func() error {
			return q.run("route_starts", len(p.list), kernels.RouteStartThreads, kernels.RouteStartShared, uint64(r.counts), uint64(tiles), uint64(r.totals))
		},
		func() error {
			return q.run("route_codes"+width(p.wide), tiles, kernels.RouteThreads, shared,
				append(from, uint64(r.counts), uint64(r.totals), uint64(r.codes), uint64(r.positions))...)
		},
		func() error {
			return q.CopyToHost(unsafe.Pointer(&note.totals), r.totals, 4*len(p.list), q.stream)
		},
		func() error { return q.SyncStream(q.stream) },
	)
	q.put(q.codes)
	return err
}

// goesTo returns how many elements of a part device d gets, and how many come
// before those.
func (q *part) goesTo(d int) (n, before int) {
	for _, t := range q.note.route.totals[:d] {
		before += int(t)
	}
	return int(q.note.route.totals[d]), before
}
