// Package samplesort is the deterministic sample sort on a device.
package samplesort

import (
	"slices"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/bitonic"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Modules has the kernels of the sort and of its networks.
var Modules = append([]*device.Module{{Image: kernels.SampleSort, Kernels: map[string]int{
	"sample_tiles_u32": kernels.WordShared, "sample_tiles_u64": kernels.WordShared, "sample_tiles_pair": kernels.PairShared,
	"sample_inplace_word": kernels.WordShared, "sample_inplace_pair": kernels.PairShared,
	"cut_tiles_word": kernels.CutShared, "cut_tiles_pair": kernels.CutShared,
	"move_runs_word": kernels.MoveShared, "move_runs_pair": kernels.MoveShared,
	"sort_buckets_word": kernels.WordShared, "sort_buckets_pair": kernels.PairShared,
	"sum_tiles": kernels.ScanShared, "scan_tiles": kernels.ScanShared,
	"split_buckets": 0, "pack_buckets": 0,
}}}, bitonic.Modules...)

// MinSamples is the least number of samples per tile of [Sorter].
const MinSamples = 16

// Sorter is the deterministic sample sort; codes of one tile go through the network.
type Sorter struct {
	// Samples is the number of samples of each tile, MinSamples to kernels.MaxSamples. It
	// is also the number of buckets into which the input is split, and each bucket that is
	// still too large. 0: the smallest number with the fewest levels.
	Samples int
}

// split is one level of buckets.
type split struct {
	samples int // samples of a tile, and new buckets per bucket
	buckets int // buckets before
	largest int // largest new bucket, in elements
}

// tiles bounds the number of tiles of the level.
func (s *split) tiles(n int) int { return bitonic.Tiles(n) + s.buckets }

// splits returns the levels for n elements with at most the given number of samples per tile.
// After the last, two buckets fit a tile.
func splits(n, samples int) (levels []split) {
	const fit = bitonic.Tile / 2
	for buckets, largest := 1, n; largest > fit; {
		tiles := bitonic.Tiles(largest)
		s := min(samples, (2*(largest+tiles)+fit-1)/fit)
		largest = 2 * (largest + tiles - 1) / s // the bound in samplesort.cuh, for tiles that differ by one element
		levels = append(levels, split{s, buckets, largest})
		buckets *= s
	}
	return levels
}

// fewestSplits returns the fewest levels, with the fewest samples among those.
func fewestSplits(n int) []split {
	least := len(splits(n, kernels.MaxSamples))
	for samples := MinSamples; ; samples += MinSamples {
		if levels := splits(n, samples); len(levels) == least {
			return levels
		}
	}
}

// Sort orders codes.
func (s Sorter) Sort(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
	if in.N <= bitonic.Tile {
		return bitonic.Sort(w, in, order)
	}
	return sortBy(w, s.levels(in.N), in, order)
}

// levels returns the levels for n elements.
func (s Sorter) levels(n int) []split {
	if s.Samples > 0 {
		return splits(n, s.Samples)
	}
	return fewestSplits(n)
}

// Bytes returns the device memory of a sample sort besides codes and order.
func (s Sorter) Bytes(in codes.Input) int {
	head := bitonic.Bytes(codes.Input{Wide: in.Wide, N: min(in.N, bitonic.Tile)})
	b := buckets{Elements: bitonic.Elements{Size: bitonic.MaxElementBytes(in.Wide)}, n: in.N}
	var size device.Area
	b.layOut(&size, s.levels(in.N))
	return head + int(size.At)
}

// sortBy sorts by the given levels; there is at least one.
func sortBy(w *device.Workspace, levels []split, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
	e, err := bitonic.ElementsFor(w, in)
	if err != nil {
		return codes.Outcome{}, err
	}
	b := buckets{w: w, Elements: e, n: in.N}
	var size device.Area
	b.layOut(&size, levels)
	block, err := w.Take(int(size.At))
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(block)
	b.layOut(&device.Area{At: block.At}, levels)
	q := w.Queue()
	b.split(&q, in, levels)
	b.sort(&q, levels[len(levels)-1].largest, order)
	return codes.Outcome{Levels: len(levels)}, q.Sync()
}

// buckets is a sample sort under way: the elements and their buckets.
type buckets struct {
	w *device.Workspace
	bitonic.Elements
	n       int
	count   int      // buckets
	at, to  cuda.Ptr // elements, and their destination
	now     tiling   // the buckets
	next    tiling   // the buckets of the next level
	samples cuda.Ptr
	cuts    cuda.Ptr // by tile: start of each new bucket's run
	places  cuda.Ptr // destinations of these runs
	sums    cuda.Ptr // of a scan
	windows cuda.Ptr
}

// tiling is the start of each bucket, and its first tile.
type tiling struct{ starts, tiles cuda.Ptr }

// layOut lays out the memory of all fields.
func (b *buckets) layOut(a *device.Area, levels []split) {
	runs, most := 0, 1
	for _, s := range levels {
		runs, most = max(runs, s.tiles(b.n)*s.samples), s.buckets*s.samples
	}
	b.at, b.to = a.Take(b.Size*b.n), a.Take(b.Size*b.n)
	for _, t := range []*tiling{&b.now, &b.next} {
		t.starts, t.tiles = a.Take(4*(most+1)), a.Take(4*(most+1))
	}
	b.samples, b.cuts, b.places = a.Take(b.Size*runs), a.Take(2*runs), a.Take(4*(runs+1))
	b.sums = a.Take(4 * scanTiles(max(runs, most)))
	b.windows = a.Take(4 * (2*bitonic.Tiles(b.n) + 1))
}

// split makes elements of codes and moves them through the buckets of all levels.
func (b *buckets) split(q *device.Queue, in codes.Input, levels []split) {
	b.count = 1
	q.Fill(b.now.starts, 0, 1)
	q.Fill(b.now.starts+4, uint32(b.n), 1)
	q.Fill(b.now.tiles, 0, 1)
	q.Fill(b.now.tiles+4, uint32(bitonic.Tiles(b.n)), 1)
	kernel, args := "sample_tiles"+b.Source, b.Args(in)
	for _, s := range levels {
		b.level(q, s, kernel, args)
		kernel, args = "sample_inplace"+b.Kind, nil
	}
}

// level splits all buckets. sample is the kernel that samples their tiles.
func (b *buckets) level(q *device.Queue, s split, sample string, source []uint64) {
	grid, runs := s.tiles(b.n), s.tiles(b.n)*s.samples
	level := []uint64{uint64(b.now.starts), uint64(b.now.tiles), uint64(b.count), uint64(s.samples)}
	with := func(args ...uint64) []uint64 { return append(slices.Clone(level), args...) }
	at, n := uint64(b.at), uint64(b.n)
	q.RunTiles(sample, grid, b.Threads, b.Shared, append(source, with(at, n, uint64(b.samples))...)...)
	q.Then(func() error { return bitonic.SortElements(b.w, b.Elements, b.samples, runs) })
	q.RunTiles("cut_tiles"+b.Kind, grid, kernels.RunsThreads, kernels.CutShared, with(at, n, uint64(b.samples), uint64(b.cuts), uint64(b.places))...)
	b.scan(q, b.places, runs)
	q.RunTiles("move_runs"+b.Kind, grid, kernels.RunsThreads, kernels.MoveShared, with(at, n, uint64(b.cuts), uint64(b.places), uint64(b.to))...)
	q.Run("split_buckets", codes.Grid(b.w, b.count*s.samples), kernels.ScanThreads, 0, with(uint64(b.places), uint64(b.next.starts), uint64(b.next.tiles))...)
	b.at, b.to, b.now, b.next = b.to, b.at, b.next, b.now
	b.count *= s.samples
	b.scan(q, b.now.tiles, b.count)
}

// scan replaces n values in device memory by their exclusive prefix sums, and writes the total
// after them.
func (b *buckets) scan(q *device.Queue, values cuda.Ptr, n int) {
	for _, kernel := range []string{"sum_tiles", "scan_tiles"} {
		q.Run(kernel, scanTiles(n), kernels.ScanThreads, kernels.ScanShared, uint64(values), uint64(n), uint64(b.sums))
	}
}

// scanTiles returns the number of blocks of a scan of n values.
func scanTiles(n int) int { return n/kernels.ScanTile + 1 }

// sort sorts the buckets; largest bounds their size.
func (b *buckets) sort(q *device.Queue, largest int, order cuda.Ptr) {
	window := bitonic.Tile - largest // a bucket that begins in it ends within a tile
	count := (b.n + window - 1) / window
	q.Run("pack_buckets", codes.Grid(b.w, b.count), kernels.ScanThreads, 0,
		uint64(b.now.starts), uint64(b.count), uint64(window), uint64(count), uint64(b.windows))
	q.RunTiles("sort_buckets"+b.Kind, count, b.Threads, b.Shared, uint64(b.at), uint64(b.n), uint64(b.windows), b.Mask(), uint64(order))
}
