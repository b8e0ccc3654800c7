package gpu

import (
	"errors"
	"math"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// algorithm is one way to order codes on the device.
type algorithm struct {
	modules []*module // loaded when it first runs
	order   func(l *lane, in input, order cuda.Ptr) (finding, error)
	most    int                                   // elements it can order
	bytes   func(d *device, wide bool, n int) int // memory at most, besides codes and order
}

// input is the codes of one sort.
type input struct {
	codes    cuda.Ptr
	wide     bool
	n        int
	shuffled bool // known not to be in order
}

// size is the bytes of a code.
func (in input) size() int { return codeBytes(in.wide) }

// sortedCodes returns device memory with the codes of in by their order.
func (l *lane) sortedCodes(in input, order cuda.Ptr) (cuda.Ptr, error) {
	sorted, err := l.take(in.size() * in.n)
	if err != nil {
		return 0, err
	}
	return sorted.at, first(
		func() error {
			return l.run("gather_codes"+width(in.wide), l.gridFor(in.n), kernels.SampleThreads, 0, uint64(in.codes), uint64(order), uint64(in.n), uint64(sorted.at))
		},
		func() error { return l.SyncStream(l.stream) },
	)
}

// tiesOf returns device memory where the ties of an order are marked, as
// engine.Job has them.
func (l *lane) tiesOf(in input, order cuda.Ptr) (cuda.Ptr, error) {
	ties, err := l.take(tiesBytes(in.n))
	if err != nil {
		return 0, err
	}
	return ties.at, l.markTies(in, order, ties.at)
}

func tiesBytes(n int) int { return 4 * engine.TieWords(n) }

// markTies marks the ties of an order, 0 for that of codes in order.
func (l *lane) markTies(in input, order, ties cuda.Ptr) error {
	return l.run("mark_ties"+width(in.wide), l.gridFor(in.n), kernels.SampleThreads, 0, uint64(in.codes), uint64(order), uint64(in.n), uint64(ties))
}

// finding is the outcome of one sort.
type finding struct {
	algorithm engine.Algorithm
	shape     string // "sorted", "reversed", "flat" or ""
	levels    int    // of partition, passes, or rounds of merging
}

// inOrder reports whether the codes were in order.
func (f finding) inOrder() bool { return f.shape == "sorted" || f.shape == "flat" }

var algorithms = map[engine.Algorithm]algorithm{
	engine.BucketBitonic: {bucketModules, (*lane).argsort, maxN, bucketBytes},
	engine.Bitonic:       {[]*module{bitonicModule}, (*lane).bitonic, maxN, bitonicBytes},
	engine.SampleSort:    {[]*module{bitonicModule, sampleSortModule}, (*lane).sampleSort, maxN, sampleSortBytes},
	engine.Radix:         {radixModules, (*lane).radixSort, maxN, radixBytes},
	engine.MergeSort:     {mergeModules, (*lane).mergeSort, math.MaxInt, mergeSortBytes},
}

// lastResort orders what another algorithm finds too uneven.
const lastResort = engine.Radix

// Runs implements the engine's side of sorter.Backend.
func (e *Engine) Runs(a engine.Algorithm) bool {
	_, ok := algorithms[a]
	return ok || a == engine.Auto || a == engine.IndexGather || a == engine.Hybrid
}

// demanding is what may take most where n codes are sorted by a, which may leave
// the choice to the engine; nothing where the device alone does not have a.
func demanding(a engine.Algorithm, wide bool, n int) algorithm {
	switch {
	case a.OrdersCodes():
		return algorithms[a]
	case n < radixBelow(wide):
		return algorithms[engine.Radix]
	}
	return algorithms[engine.BucketBitonic]
}

// sort writes the stable order of n codes to order, both in device memory. It
// returns when the device is done. The finding names the algorithm that made the
// order.
func (l *lane) sort(a engine.Algorithm, in input, order cuda.Ptr) (finding, error) {
	var f finding
	var err error
	switch {
	case a.OrdersCodes():
		f, err = l.sortBy(a, in, order)
	case in.n < radixBelow(in.wide):
		return l.sortBy(engine.Radix, in, order)
	default:
		f, err = l.argsortIf(func(way Spreading) bool {
			return in.bucketTime(way, l.note.sample.nearlyOrdered()) < in.radixTime(l.note.sample.differ)
		}, in, order)
		f.algorithm = engine.BucketBitonic
	}
	if errors.Is(err, errUneven) {
		in.shuffled = !l.parts.blind
		return l.sortBy(lastResort, in, order)
	}
	return f, err
}

func (l *lane) sortBy(a engine.Algorithm, in input, order cuda.Ptr) (finding, error) {
	way := algorithms[a]
	if err := l.load(way.modules); err != nil {
		return finding{}, err
	}
	f, err := way.order(l, in, order)
	f.algorithm = a
	return f, err
}

// bucketModules are the kernels of the bucket sort, of the sample, of sorted and
// reversed codes, and of the check.
var bucketModules = []*module{
	{kernels.Bucket, bucketKernels()},
	{kernels.BucketU32, widthKernels(false, kernels.MapSharedU32)},
	{kernels.BucketU64, widthKernels(true, kernels.MapSharedU64)},
}

func bucketKernels() map[string]int {
	k := map[string]int{
		"open_rooms": 0, "plan_rooms": kernels.RoomsShared, "room_starts": kernels.StartsShared, "bucket_starts": kernels.StartsShared,
		"write_identity": 0, "count_missing": 0,
	}
	for _, d := range digitKernels {
		k["split_elements"+d.suffix] = d.shared
	}
	return k
}

func widthKernels(wide bool, mapShared int) map[string]int {
	width := width(wide)
	k := map[string]int{
		"sample_range" + width: kernels.SampleShared, "sample_segments" + width: kernels.SegmentsShared, "sample_map" + width: mapShared,
		"count_descents" + width: 0, "local_sort" + width: kernels.LocalShared, "oversize_sort" + width: kernels.OversizeShared, "mark_order" + width: 0, "gather_codes" + width: 0,
		"mark_ties" + width: 0,
	}
	for _, d := range digitKernels {
		k["split_codes"+d.suffix+width] = d.shared
		k["split_sections"+d.suffix+width] = d.sections
		k["split_mapped"+d.suffix+width] = d.mapped(wide)
	}
	return k
}
