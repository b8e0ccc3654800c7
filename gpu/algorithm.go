package gpu

import (
	"errors"
	"maps"
	"math"
	"slices"

	"example.com/sorter"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// algorithm is one way to order codes on the device.
type algorithm struct {
	modules []*module // loaded when it first runs
	order   func(w *workspace, in input, to cuda.Ptr) (finding, error)
	keys    bool                          // order does sorts of keys alone, too
	most    int                           // elements it can order
	bytes   func(d *device, in input) int // memory at most, besides codes and what they become
}

// input is the codes of one sort.
type input struct {
	codes    cuda.Ptr
	wide     bool
	n        int
	keys     bool // they are all there is: they become sorted codes, not an order
	shuffled bool // known not to be in order
}

// size is the bytes of a code.
func (in input) size() int { return codeBytes(in.wide) }

// resultSize is the bytes of a position, or of a sorted code.
func (in input) resultSize() int {
	if in.keys {
		return in.size()
	}
	return 4
}

// kind is the suffix of the kernels that see codes.
func (in input) kind() string {
	if in.keys {
		return "_keys" + width(in.wide)
	}
	return width(in.wide)
}

// tiesOf returns device memory where the ties of an order are marked, as
// engine.Job has them.
func (w *workspace) tiesOf(in input, order cuda.Ptr) (cuda.Ptr, error) {
	ties, err := w.take(tiesBytes(in.n))
	if err != nil {
		return 0, err
	}
	return ties.at, w.markTies(in, order, ties.at)
}

func tiesBytes(n int) int { return 4 * engine.TieWords(n) }

// markTies marks the ties of an order, 0 for that of codes in order.
func (w *workspace) markTies(in input, order, ties cuda.Ptr) error {
	return w.run("mark_ties"+width(in.wide), w.gridFor(in.n), kernels.SampleThreads, 0, uint64(in.codes), uint64(order), uint64(in.n), uint64(ties))
}

// finding is the outcome of one sort.
type finding struct {
	algorithm engine.Algorithm
	shape     engine.Shape // "sorted", "reversed", "flat", "nearly sorted" or ""
	levels    int          // of partition, passes, or rounds of merging
}

// inOrder reports whether the codes were in order.
func (f finding) inOrder() bool { return f.shape == "sorted" || f.shape == "flat" }

// repertoire is the algorithms that a device runs.
type repertoire map[engine.Algorithm]algorithm

// algorithms are those of a device with enough shared memory for all of them.
var algorithms = repertoire{
	engine.BucketBitonic: {bucketModules, (*workspace).argsort, true, maxN, bucketBytes},
	engine.Bitonic:       {[]*module{bitonicModule}, (*workspace).bitonic, false, maxN, bitonicBytes},
	engine.SampleSort:    {[]*module{bitonicModule, sampleSortModule}, (*workspace).sampleSort, false, maxN, sampleSortBytes},
	engine.Radix:         largeRadix.algorithm(),
	engine.MergeSort:     {mergeModules, (*workspace).mergeSort, true, mostPositions, mergeSortBytes},
}

// mostPositions is how many elements 32 bits number, and count: positions and merge
// paths have as many.
const mostPositions = math.MaxUint32 & math.MaxInt

// lastResort orders what another algorithm finds too uneven. Every device has it.
const lastResort = engine.Radix

// repertoireWithin is what a device runs whose blocks have so much shared memory.
func repertoireWithin(shared int) repertoire {
	r := maps.Clone(algorithms)
	maps.DeleteFunc(r, func(_ engine.Algorithm, way algorithm) bool { return way.shared() > shared })
	if !r.has(lastResort) {
		r[lastResort] = smallRadix.algorithm()
	}
	return r
}

// shared is the most shared memory that a block of its kernels takes.
func (way algorithm) shared() (most int) {
	for _, m := range way.modules {
		for _, shared := range m.kernels {
			most = max(most, shared)
		}
	}
	return most
}

func (r repertoire) has(a engine.Algorithm) bool { _, ok := r[a]; return ok }

// Runs reports whether the engine has an algorithm, see [sorter.Backend]. It opens no
// device. Until the devices are open, the answer is that of devices with enough shared
// memory; a sort by an algorithm that they lack then fails.
func (e *Engine) Runs(a sorter.Algorithm) bool {
	if choosesOwn(a) {
		return true // the question of every sort, however small: no lock
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened == nil || !isClosed(e.opened) || e.failed != nil {
		return algorithms.has(a)
	}
	return e.runs(a)
}

// choosesOwn reports whether a leaves the choice to the device.
func choosesOwn(a engine.Algorithm) bool {
	return a == engine.Auto || a == engine.IndexGather || a == engine.Hybrid
}

// runs reports whether all devices, which are open, have a. A long list may come to any.
func (e *Engine) runs(a engine.Algorithm) bool {
	return choosesOwn(a) || !slices.ContainsFunc(e.devs, func(d *device) bool { return !d.algorithms.has(a) })
}

// choiceFor is what orders codes, or how they are ordered at first, where a may leave
// the choice to the engine: short lists by the merge sort or the radix sort without a
// look at a sample, and long ones by this where there is nothing else.
func (r repertoire) choiceFor(a engine.Algorithm, in input) engine.Algorithm {
	switch {
	case a.OrdersCodes():
		return a
	case in.n < in.mergeBelow():
		return engine.MergeSort
	case in.n < in.radixBelow() || !r.has(engine.BucketBitonic):
		return engine.Radix
	}
	return engine.BucketBitonic
}

// demanding is what may take most where codes are sorted by a, which may leave the
// choice to the engine; nothing where the device alone does not have a.
func (r repertoire) demanding(a engine.Algorithm, in input) algorithm { return r[r.choiceFor(a, in)] }

// sort writes the stable order of codes, or the sorted codes, both in device memory.
// It returns when the device is done. The finding names the algorithm that did it.
func (w *workspace) sort(a engine.Algorithm, in input, to cuda.Ptr) (finding, error) {
	var f finding
	var err error
	switch {
	case a.OrdersCodes():
		f, err = w.sortBy(a, in, to)
	default:
		if choice := w.algorithms.choiceFor(a, in); choice != engine.BucketBitonic {
			return w.sortBy(choice, in, to)
		}
		f, err = w.argsortIf(w.worth, in.fewByRadix(), in, to)
		f.algorithm = engine.BucketBitonic
	}
	if errors.Is(err, errUneven) {
		in.shuffled = !w.parts.blind
		return w.sortBy(lastResort, in, to)
	}
	return f, err
}

func (w *workspace) sortBy(a engine.Algorithm, in input, to cuda.Ptr) (finding, error) {
	way := w.algorithms[a]
	if err := w.load(way.modules); err != nil {
		return finding{}, err
	}
	order := way.order
	if in.keys && !way.keys {
		order = way.gathered
	}
	f, err := order(w, in, to)
	f.algorithm = a
	return f, err
}

// gathered sorts keys alone through their order.
func (way algorithm) gathered(w *workspace, in input, sorted cuda.Ptr) (finding, error) {
	order, err := w.take(orderBytes(in.n))
	if err != nil {
		return finding{}, err
	}
	defer w.put(order)
	f, err := way.order(w, input{codes: in.codes, wide: in.wide, n: in.n}, order.at)
	return f, first(
		func() error { return err },
		func() error { return w.load(mergeModules) },
		func() error { return w.gatherRun(in, order.at, 0, runs{codes: sorted}) },
		func() error { return w.SyncStream(w.stream) },
	)
}

// needs bounds the device memory of a sort, besides codes and what they become.
func (way algorithm) needs(d *device, in input) int {
	bytes := way.bytes(d, in)
	if in.keys && !way.keys {
		bytes += orderBytes(in.n)
	}
	return bytes
}

func orderBytes(n int) int { return 4*n + 256 }

// orderModules are the kernels of the first sample, of sorted and reversed codes, of
// ties and of the checks.
var orderModules = []*module{{kernels.Order, orderKernels()}}

func orderKernels() map[string]int {
	k := map[string]int{"write_identity": 0, "count_missing": 0}
	for _, wide := range []bool{false, true} {
		width := width(wide)
		k["sample_range"+width] = kernels.SampleShared
		k["count_descents"+width], k["mark_order"+width], k["mark_ties"+width] = 0, 0, 0
		k["reverse_codes"+width], k["sum_codes"+width] = 0, 0
	}
	return k
}

// bucketModules are the kernels of the bucket sort.
var bucketModules = []*module{
	{kernels.Bucket, bucketKernels()},
	{kernels.BucketU32, widthKernels(false, kernels.MapSharedU32)},
	{kernels.BucketU64, widthKernels(true, kernels.MapSharedU64)},
}

// keyModules are those of the bucket sort of keys alone, besides.
var keyModules = []*module{{kernels.Keys, keyKernels()}}

// stridedModules are the first partition of nearly sorted codes, where that is another.
var stridedModules = []*module{{kernels.Strided, stridedKernels()}}

func stridedKernels() map[string]int {
	k := map[string]int{}
	for _, p := range []*plan{{}, {wide: true}, {keys: true}, {wide: true, keys: true}} {
		for _, d := range digitKernels {
			k["split_strided"+d.suffix+p.kind()] = d.split(p)
		}
	}
	return k
}

func keyKernels() map[string]int {
	k := map[string]int{}
	for _, wide := range []bool{false, true} {
		p := &plan{wide: wide, keys: true}
		k["local_sort"+p.kind()], k["oversize_sort"+p.kind()] = p.localShared(), kernels.OversizeShared
		for _, d := range digitKernels {
			k["split_codes"+d.suffix+p.kind()], k["split_sections"+d.suffix+p.kind()] = d.split(p), d.section(p)
			if !wide {
				k["split_elements"+d.suffix+p.kind()] = d.split(p)
			}
		}
	}
	return k
}

func bucketKernels() map[string]int {
	k := map[string]int{
		"open_rooms": 0, "plan_rooms": kernels.RoomsShared, "room_starts": kernels.StartsShared, "bucket_starts": kernels.StartsShared,
	}
	for _, d := range digitKernels {
		k["split_elements"+d.suffix] = d.shared
	}
	return k
}

func widthKernels(wide bool, mapShared int) map[string]int {
	width := width(wide)
	k := map[string]int{
		"sample_segments" + width: kernels.SegmentsShared, "sample_map" + width: mapShared,
		"local_sort" + width: kernels.LocalShared, "oversize_sort" + width: kernels.OversizeShared,
	}
	for _, d := range digitKernels {
		k["split_codes"+d.suffix+width] = d.shared
		k["split_sections"+d.suffix+width] = d.sections
		k["split_mapped"+d.suffix+width] = d.mapped(wide)
	}
	return k
}
