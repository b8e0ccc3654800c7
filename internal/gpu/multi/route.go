package multi

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// routeModules has the kernels that divide a part among devices.
var routeModules = []*device.Module{{Image: kernels.Route, Kernels: map[string]int{
	"route_counts_u32": kernels.RouteCountShared, "route_counts_u64": kernels.RouteCountShared,
	"route_starts":    kernels.RouteStartShared,
	"route_codes_u32": kernels.RouteSharedU32, "route_codes_u64": kernels.RouteSharedU64,
}}}

func layOutRouted(a *device.Area, in codes.Input) routed {
	return routed{
		splitters: a.Take(kernels.SplitterBytes * kernels.MaxDestinations),
		totals:    a.Take(4 * kernels.MaxDestinations),
		counts:    a.Take(4 * kernels.MaxDestinations * routeTiles(in.N)),
		Runs:      runs.LayOut(a, in),
	}
}

// routedBytes returns the device memory that layOutRouted takes.
func routedBytes(in codes.Input) int {
	var size device.Area
	layOutRouted(&size, in)
	return int(size.At)
}

func routeTiles(n int) int { return (n + kernels.RouteTile - 1) / kernels.RouteTile }

// sampleThinning is how many keys of a sorted sample each key used for splitters stands for.
// So few are sorted on the host, and each quantile is accurate to 1/1024.
const sampleThinning = 8

// samplePart samples a part: one key from each of equal pieces.
func (p *sharing) samplePart(q *part) error {
	b, err := q.Take(codes.HeadBytes)
	if err != nil {
		return err
	}
	defer q.Put(b)
	space, queue := device.Area{At: b.At}, q.Queue()
	at, status := space.Take(kernels.SampleBytes), space.Take(4*kernels.StatusWords)
	sample.First(&queue, codes.Input{Codes: q.codes.At, Wide: p.wide, N: q.hi - q.lo}, at, status, 0, 0)
	q.note.sample.Fetch(&queue, at)
	if err := queue.Sync(); err != nil {
		return err
	}
	for i, k := range q.note.sample.Sorted(1) {
		if i%sampleThinning == sampleThinning/2 {
			q.sample = append(q.sample, codes.Key{Code: k.Code, Position: k.Position + uint32(q.lo)})
		}
	}
	return nil
}

// splitters cuts the samples, which stand for equally many elements each, into one share per
// device.
func (p *sharing) splitters() (cuts []codes.Key) {
	var all []codes.Key
	for _, q := range p.list {
		all = append(all, q.sample...)
	}
	slices.SortFunc(all, codes.CompareKeys)
	for d := 1; d < len(p.list); d++ {
		cuts = append(cuts, all[len(all)*d/len(p.list)])
	}
	return cuts
}

// route divides a part by the splitters. It returns when all of its elements are where others
// may fetch them and the note has their counts.
func (p *sharing) route(q *part, splitters []codes.Key) (err error) {
	if q.sends, err = q.Take(routedBytes(p.input(p.capacity))); err != nil {
		return err
	}
	q.routed = layOutRouted(&device.Area{At: q.sends.At}, p.input(p.capacity))
	for i, s := range splitters {
		q.note.splitters[i].code, q.note.splitters[i].position = s.Code, uint64(s.Position)
	}
	queue := q.Queue()
	queue.ToDevice(q.routed.splitters, unsafe.Pointer(&q.note.splitters), kernels.SplitterBytes*len(splitters))
	p.launchRoute(&queue, q)
	queue.ToHost(unsafe.Pointer(&q.note.totals), q.routed.totals, 4*len(p.list))
	err = queue.Sync()
	q.Put(q.codes)
	return err
}

// launchRoute counts the elements for each destination and groups them.
func (p *sharing) launchRoute(queue *device.Queue, q *part) {
	n, r := q.hi-q.lo, q.routed
	tiles, shared := routeTiles(n), kernels.RouteSharedU32
	if p.wide {
		shared = kernels.RouteSharedU64
	}
	from := []uint64{uint64(q.codes.At), uint64(n), uint64(q.lo), uint64(r.splitters), uint64(len(p.list))}
	queue.Run("route_counts"+codes.Width(p.wide), tiles, kernels.RouteThreads, kernels.RouteCountShared, append(from, uint64(r.counts))...)
	queue.Run("route_starts", len(p.list), kernels.RouteStartThreads, kernels.RouteStartShared, uint64(r.counts), uint64(tiles), uint64(r.totals))
	queue.Run("route_codes"+codes.Width(p.wide), tiles, kernels.RouteThreads, shared,
		append(from, uint64(r.counts), uint64(r.totals), uint64(r.Codes), uint64(r.Positions))...)
}

// goesTo returns how many elements of a part go to device d, and how many precede them.
func (q *part) goesTo(d int) (n, before int) {
	for _, t := range q.note.totals[:d] {
		before += int(t)
	}
	return int(q.note.totals[d]), before
}
