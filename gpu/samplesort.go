package gpu

import (
	"fmt"
	"slices"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// sampleSortModule is deterministic sample sort, besides its networks.
var sampleSortModule = &module{kernels.SampleSort, map[string]int{
	"sample_tiles_u32": kernels.WordShared, "sample_tiles_u64": kernels.WordShared, "sample_tiles_pair": kernels.PairShared,
	"sample_inplace_word": kernels.WordShared, "sample_inplace_pair": kernels.PairShared,
	"cut_tiles_word": kernels.CutShared, "cut_tiles_pair": kernels.CutShared,
	"move_runs_word": kernels.MoveShared, "move_runs_pair": kernels.MoveShared,
	"sort_buckets_word": kernels.WordShared, "sort_buckets_pair": kernels.PairShared,
	"sum_tiles": kernels.ScanShared, "scan_tiles": kernels.ScanShared,
	"split_buckets": 0, "pack_buckets": 0,
}}

// leastSamples is the fewest samples per tile that [Samples] allows.
const leastSamples = 16

// Samples sets the number of samples that [sorter.SampleSort] takes of each tile of 8192
// elements. That is also the number of buckets into which it splits the input, and each
// bucket that is still too large. Range: 16 to 512. Default: the fewest that need the least
// levels of buckets, 256 for 2^26 elements. Fewer samples are sorted sooner, but leave more
// levels.
func Samples(perTile int) Option {
	return func(e *Engine) error {
		if perTile < leastSamples || perTile > kernels.MostSamples {
			return fmt.Errorf("sorter: gpu: %d samples of a tile: at least %d, at most %d", perTile, leastSamples, kernels.MostSamples)
		}
		e.samples = perTile
		return nil
	}
}

// split is how a level splits buckets.
type split struct {
	samples int // of a tile, and new buckets of a bucket
	buckets int // before
	largest int // elements that a new bucket has at most
}

// tiles is the most tiles that the level can have.
func (s *split) tiles(n int) int { return tilesOf(n) + s.buckets }

// splits are the levels for n elements, with at most so many samples of a tile:
// at the end two buckets fit a tile.
func splits(n, samples int) (levels []split) {
	const fit = bitonicTile / 2
	for buckets, largest := 1, n; largest > fit; {
		tiles := tilesOf(largest)
		s := min(samples, (2*(largest+tiles)+fit-1)/fit)
		largest = 2 * (largest + tiles - 1) / s // the bound in samplesort.cuh, for tiles that differ by one element
		levels = append(levels, split{s, buckets, largest})
		buckets *= s
	}
	return levels
}

// fewestSplits are those with the least levels, and of them the least samples.
func fewestSplits(n int) []split {
	least := len(splits(n, kernels.MostSamples))
	for samples := leastSamples; ; samples += leastSamples {
		if levels := splits(n, samples); len(levels) == least {
			return levels
		}
	}
}

// sampleSort orders codes by deterministic sample sort, or those of a tile by the
// network.
func (w *workspace) sampleSort(in input, order cuda.Ptr) (finding, error) {
	if in.n <= bitonicTile {
		return w.bitonic(in, order)
	}
	return w.sampleSortBy(w.levels(in.n), in, order)
}

// levels are those for n elements.
func (d *device) levels(n int) []split {
	if d.samples > 0 {
		return splits(n, d.samples)
	}
	return fewestSplits(n)
}

// sampleSortBytes is the device memory of a sample sort besides codes and order.
func sampleSortBytes(d *device, in input) int {
	head := bitonicBytes(d, input{wide: in.wide, n: min(in.n, bitonicTile)})
	b := buckets{elements: elements{size: kernels.WordBytes}, n: in.n}
	if in.wide {
		b.size = kernels.PairBytes
	}
	var size area
	b.layOut(&size, d.levels(in.n))
	return head + int(size.at)
}

// sampleSortBy splits by the given levels, of which there is at least one.
func (w *workspace) sampleSortBy(levels []split, in input, order cuda.Ptr) (finding, error) {
	e, err := w.elementsFor(in)
	if err != nil {
		return finding{}, err
	}
	b := buckets{workspace: w, elements: e, n: in.n}
	var size area
	b.layOut(&size, levels)
	block, err := w.take(int(size.at))
	if err != nil {
		return finding{}, err
	}
	defer w.put(block)
	b.layOut(&area{block.at}, levels)
	return finding{levels: len(levels)}, first(
		func() error { return b.split(in, levels) },
		func() error { return b.sort(levels[len(levels)-1].largest, order) },
		func() error { return w.SyncStream(w.stream) },
	)
}

// buckets is a sample sort on its way: elements, and the buckets that they are in.
type buckets struct {
	*workspace
	elements
	n       int
	count   int      // buckets
	at, to  cuda.Ptr // elements, and where they move
	now     tiling   // the buckets
	next    tiling   // those that they are split into
	samples cuda.Ptr
	cuts    cuda.Ptr // where the runs of each tile begin there
	places  cuda.Ptr // where they go
	sums    cuda.Ptr // of a scan
	windows cuda.Ptr
}

// tiling is where buckets begin, and the first tile of each.
type tiling struct{ starts, tiles cuda.Ptr }

// layOut gives everything its memory.
func (b *buckets) layOut(a *area, levels []split) {
	runs, most := 0, 1
	for _, s := range levels {
		runs, most = max(runs, s.tiles(b.n)*s.samples), s.buckets*s.samples
	}
	b.at, b.to = a.take(b.size*b.n), a.take(b.size*b.n)
	for _, t := range []*tiling{&b.now, &b.next} {
		t.starts, t.tiles = a.take(4*(most+1)), a.take(4*(most+1))
	}
	b.samples, b.cuts, b.places = a.take(b.size*runs), a.take(2*runs), a.take(4*(runs+1))
	b.sums = a.take(4 * scanTiles(max(runs, most)))
	b.windows = a.take(4 * (2*tilesOf(b.n) + 1))
}

// split makes elements of codes and brings them into the buckets of all levels.
func (b *buckets) split(in input, levels []split) error {
	b.count = 1
	set := func(p cuda.Ptr, v int) func() error {
		return func() error { return b.Memset32(p, uint32(v), 1, b.stream) }
	}
	err := first(set(b.now.starts, 0), set(b.now.starts+4, b.n), set(b.now.tiles, 0), set(b.now.tiles+4, tilesOf(b.n)))
	kernel, args := "sample_tiles"+b.source, b.args(in)
	for _, s := range levels {
		if err == nil {
			err = b.level(s, kernel, args)
		}
		kernel, args = "sample_inplace"+b.kind, nil
	}
	return err
}

// level splits all buckets, from whose tiles a kernel takes samples.
func (b *buckets) level(s split, sample string, source []uint64) error {
	grid, runs := s.tiles(b.n), s.tiles(b.n)*s.samples
	level := []uint64{uint64(b.now.starts), uint64(b.now.tiles), uint64(b.count), uint64(s.samples)}
	with := func(args ...uint64) []uint64 { return append(slices.Clone(level), args...) }
	at, n := uint64(b.at), uint64(b.n)
	return first(
		func() error {
			return b.runTiles(sample, grid, b.threads, b.shared, append(source, with(at, n, uint64(b.samples))...)...)
		},
		(&network{b.workspace, b.elements, b.samples, runs, kernels.BitonicRows}).sort,
		func() error {
			return b.runTiles("cut_tiles"+b.kind, grid, kernels.RunsThreads, kernels.CutShared, with(at, n, uint64(b.samples), uint64(b.cuts), uint64(b.places))...)
		},
		func() error { return b.scan(b.places, runs) },
		func() error {
			return b.runTiles("move_runs"+b.kind, grid, kernels.RunsThreads, kernels.MoveShared, with(at, n, uint64(b.cuts), uint64(b.places), uint64(b.to))...)
		},
		func() error {
			return b.run("split_buckets", b.gridFor(b.count*s.samples), kernels.ScanThreads, 0, with(uint64(b.places), uint64(b.next.starts), uint64(b.next.tiles))...)
		},
		func() error {
			b.at, b.to, b.now, b.next = b.to, b.at, b.next, b.now
			b.count *= s.samples
			return b.scan(b.now.tiles, b.count)
		},
	)
}

// scan replaces n values in device memory by the sums of those before, and writes
// the sum of all behind them.
func (b *buckets) scan(values cuda.Ptr, n int) error {
	scan := func(kernel string) func() error {
		return func() error {
			return b.run(kernel, scanTiles(n), kernels.ScanThreads, kernels.ScanShared, uint64(values), uint64(n), uint64(b.sums))
		}
	}
	return first(scan("sum_tiles"), scan("scan_tiles"))
}

// scanTiles is the number of blocks of a scan of n values.
func scanTiles(n int) int { return n/kernels.ScanTile + 1 }

// sort sorts the buckets, the largest of which has at most so many elements.
func (b *buckets) sort(largest int, order cuda.Ptr) error {
	window := bitonicTile - largest // a bucket that begins in it ends within a tile
	count := (b.n + window - 1) / window
	return first(
		func() error {
			return b.run("pack_buckets", b.gridFor(b.count), kernels.ScanThreads, 0,
				uint64(b.now.starts), uint64(b.count), uint64(window), uint64(count), uint64(b.windows))
		},
		func() error {
			return b.runTiles("sort_buckets"+b.kind, count, b.threads, b.shared, uint64(b.at), uint64(b.n), uint64(b.windows), b.mask(), uint64(order))
		},
	)
}
