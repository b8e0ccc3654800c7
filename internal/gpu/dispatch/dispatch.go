// Package dispatch sorts on one device. It has the algorithms that the device runs and chooses
// among them if the caller does not.
package dispatch

import (
	"errors"
	"maps"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bitonic"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/columns"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/radix"
	"example.com/sorter/internal/gpu/runs"
	"example.com/sorter/internal/gpu/samplesort"
	"example.com/sorter/internal/gpu/segments"
	"example.com/sorter/internal/gpu/selection"
	"example.com/sorter/internal/gpu/values"
)

// Options are the options of the algorithms that have any.
type Options struct {
	Bucket  bucket.Options
	Samples int // of samplesort.Sorter
}

// algorithm is one way to order codes on a device.
type algorithm struct {
	modules []*device.Module // loaded when it first runs
	order   func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error)
	keys    bool                               // order also sorts keys alone
	most    int                                // elements it can order
	bytes   func(in codes.Input) int           // bound of the memory besides codes and result
	radix   func(in codes.Input) *radix.Sorter // of engine.Radix
}

// repertoire is the algorithms that a device runs.
type repertoire map[engine.Algorithm]algorithm

// Sorter sorts on one device.
type Sorter struct {
	*device.Device
	algorithms repertoire
	bucket     *bucket.Sorter
	few        bucket.Few
	counts     func(in codes.Input) bool // digits are counted before the samples say whether that is needed
	values     bool                      // the device runs the sort of few values
}

// New returns the sorter of a device and loads the kernels of long sorts.
func New(d *device.Device, o Options) (*Sorter, error) {
	b := &bucket.Sorter{Options: o.Bucket}
	s := &Sorter{Device: d, algorithms: within(d.Info.SharedPerBlock, all(b, o)), bucket: b, few: fewByRadix, counts: counts}
	if s.values = device.Shared(values.Modules) <= d.Info.SharedPerBlock; s.values {
		s.few = few
	}
	long, _ := s.algorithms.demanding(engine.Auto, codes.Input{N: MaxNByBuckets})
	if err := d.Load(codes.Modules); err != nil {
		return nil, err
	}
	return s, d.Load(long.modules)
}

// MaxNByBuckets is the number of elements that most algorithms accept.
const MaxNByBuckets = bucket.MaxN

const _ = uint(radix.MaxN - MaxNByBuckets)

// all returns the algorithms of a device with enough shared memory.
func all(b *bucket.Sorter, o Options) repertoire {
	s := samplesort.Sorter{Samples: o.Samples}
	return repertoire{
		engine.BucketBitonic: {
			modules: bucket.Modules, order: b.Sort, keys: true, most: bucket.MaxN,
			bytes: func(in codes.Input) int {
				bytes := b.Bytes(in, max(radixFor(in).Bytes(in), values.Bytes(in)))
				in.N = min(in.N, mostCounted(in))
				return bytes + radix.Small.CountBytes(in) // which has more than larger tiles
			},
		},
		engine.Bitonic:    {modules: bitonic.Modules, order: bitonic.Sort, most: MaxNByBuckets, bytes: bitonic.Bytes},
		engine.SampleSort: {modules: samplesort.Modules, order: s.Sort, most: MaxNByBuckets, bytes: s.Bytes},
		engine.Radix:      byRadix(radix.Large, radixFor),
		engine.MergeSort:  {modules: runs.Modules, order: runs.Sort, keys: true, most: codes.MaxPositions, bytes: runs.SortBytes},
	}
}

// byRadix is the radix sort with the tiles that choose returns for codes; usual is those of long lists.
func byRadix(usual *radix.Sorter, choose func(in codes.Input) *radix.Sorter) algorithm {
	return algorithm{modules: usual.Modules(), keys: true, most: MaxNByBuckets,
		order: func(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
			r := choose(in)
			if err := w.Load(r.Modules()); err != nil {
				return codes.Outcome{}, err
			}
			return r.Sort(w, in, to)
		},
		bytes: func(in codes.Input) int { return choose(in).Bytes(in) },
		radix: choose,
	}
}

// radixFor returns the radix sort for codes: with small tiles for short lists, whose large tiles would be fewer than the
// multiprocessors.
func radixFor(in codes.Input) *radix.Sorter {
	if in.N <= mostSmallTiles {
		return radix.Small
	}
	return radix.Large
}

func withSmallTiles(codes.Input) *radix.Sorter { return radix.Small }

// lastResort orders codes that are too skewed for another algorithm. Every device runs it.
const lastResort = engine.Radix

// within returns the algorithms of r whose blocks fit the given shared memory.
func within(shared int, r repertoire) repertoire {
	maps.DeleteFunc(r, func(_ engine.Algorithm, a algorithm) bool { return device.Shared(a.modules) > shared })
	if !r.has(lastResort) {
		r[lastResort] = byRadix(radix.Small, withSmallTiles)
	}
	return r
}

func (r repertoire) has(a engine.Algorithm) bool { _, ok := r[a]; return ok }

// standard is the algorithms assumed for a device that is not open yet.
var standard = all(&bucket.Sorter{}, Options{})

// Has reports whether devices with enough shared memory run a.
func Has(a engine.Algorithm) bool { return ChoosesOwn(a) || standard.has(a) }

// MaxN returns the number of elements that a accepts on devices with enough shared memory; ok
// is false if there is no such algorithm.
func MaxN(a engine.Algorithm, in codes.Input) (most int, ok bool) {
	found, ok := standard.demanding(a, in)
	return found.most, ok
}

// Runs reports whether the device runs a.
func (s *Sorter) Runs(a engine.Algorithm) bool { return ChoosesOwn(a) || s.algorithms.has(a) }

// ChoosesOwn reports whether a leaves the choice to the device.
func ChoosesOwn(a engine.Algorithm) bool {
	return a == engine.Auto || a == engine.IndexGather || a == engine.Hybrid
}

// MaxN returns the number of elements that a accepts; a may leave the choice to the device.
func (s *Sorter) MaxN(a engine.Algorithm, in codes.Input) int {
	found, _ := s.algorithms.demanding(a, in)
	return found.most
}

// Bytes bounds the device memory of a sort by a, besides codes and their result.
func (s *Sorter) Bytes(a engine.Algorithm, in codes.Input) int {
	found, _ := s.algorithms.demanding(a, in)
	bytes := found.bytes(in)
	if in.Keys && !found.keys {
		bytes += orderBytes(in.N)
	}
	return bytes
}

func orderBytes(n int) int { return 4*n + 256 }

// demanding returns the algorithm that may need most memory when codes are sorted by a; ok is
// false if the device does not have a.
func (r repertoire) demanding(a engine.Algorithm, in codes.Input) (found algorithm, ok bool) {
	found, ok = r[r.choiceFor(a, in)]
	return found, ok
}

// Sort writes the stable order of codes, or the sorted codes, to device memory. It returns
// when the device is done. The outcome names the algorithm that ran.
func (s *Sorter) Sort(w *device.Workspace, a engine.Algorithm, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	choice := s.algorithms.choiceFor(a, in)
	if engine.OrdersCodes(a) || choice != engine.BucketBitonic {
		return s.sortBy(w, choice, in, to)
	}
	return s.sortBySample(w, in, to)
}

// sortBySample sorts by buckets, or as codes of few values, or by lastResort, as samples suggest.
func (s *Sorter) sortBySample(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	var counted *radix.Counted
	p := bucket.Policy{Worth: worth, Few: s.few, Leave: leave}
	if !s.bucket.Blind {
		p.Beside = func(left bool) (err error) {
			if left || s.counts(in) {
				counted, err = s.count(w, in, to)
			}
			return err
		}
	}
	f, err := s.bucket.SortIf(w, p, in, to)
	f.Algorithm = engine.BucketBitonic
	var found bucket.FewValues
	if errors.As(err, &found) {
		f, err = s.sortValues(w, found.Values, in, to)
	}
	switch {
	case counted == nil:
		return s.resort(w, in, to, f, err)
	case errors.Is(err, bucket.ErrUneven):
		f, err = counted.Sort()
		f.Algorithm = lastResort
		return f, err
	}
	return f, device.FirstError(err, counted.Drop())
}

// count begins the sort by lastResort, beside the samples.
func (s *Sorter) count(w *device.Workspace, in codes.Input, to cuda.Ptr) (*radix.Counted, error) {
	r := s.algorithms[lastResort].radix(in)
	if err := w.Load(r.Modules()); err != nil {
		return nil, err
	}
	in.Shuffled = true
	return r.Count(w, in, to)
}

// SortSegments sorts each segment of a list by itself, see [segments.Sort].
func (s *Sorter) SortSegments(w *device.Workspace, in segments.Input, to cuda.Ptr) error {
	return segments.Sort(w, in, s.whole, to)
}

// Select finds the elements of some ranks, see [selection.Select].
func (s *Sorter) Select(w *device.Workspace, in selection.Input, to selection.Result) error {
	in.Salt = s.bucket.Salt
	return selection.Select(w, in, s.whole, to)
}

// SelectRanks finds the elements of each of ranks, see [selection.Ranks].
func (s *Sorter) SelectRanks(w *device.Workspace, in selection.Input, ranks []int, to selection.Result) error {
	in.Salt = s.bucket.Salt
	return selection.Ranks(w, in, ranks, s.whole, to)
}

// SelectWithin finds the lowest elements of each segment of a list, see [selection.Within].
func (s *Sorter) SelectWithin(w *device.Workspace, in selection.WithinInput, to selection.Result) error {
	return selection.Within(w, in, s.whole, to)
}

// SelectRanksWithin finds the elements of some ranks of each segment of a list, see [selection.RanksWithin].
func (s *Sorter) SelectRanksWithin(w *device.Workspace, in segments.Input, ranks []uint64, quantiles bool, to selection.Result) error {
	return selection.RanksWithin(w, in, ranks, quantiles, s.whole, to)
}

// OrderColumns orders rows by several columns, see [columns.Order].
func (s *Sorter) OrderColumns(w *device.Workspace, cols []columns.Column, n int, to columns.Result) error {
	return columns.Order(w, cols, n, s.whole, to)
}

// whole is a codes.Whole.
func (s *Sorter) whole(w *device.Workspace, in codes.Input, to cuda.Ptr) error {
	_, err := s.Sort(w, engine.Auto, in, to)
	return err
}

// sortValues sorts codes that have about count values according to a sample, or by buckets
// if they have too many; or it returns bucket.ErrUneven.
func (s *Sorter) sortValues(w *device.Workspace, count int, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	if !s.values {
		return codes.Outcome{}, bucket.ErrUneven
	}
	if err := w.Load(values.Modules); err != nil {
		return codes.Outcome{}, err
	}
	f, err := values.Sort(w, in, count, to)
	f.Algorithm = engine.Radix
	if !errors.Is(err, values.ErrMany) {
		return f, err
	}
	f, err = s.bucket.SortIf(w, bucket.Policy{Worth: worth}, in, to)
	f.Algorithm = engine.BucketBitonic
	return f, err
}

// sortBy sorts by one algorithm.
func (s *Sorter) sortBy(w *device.Workspace, a engine.Algorithm, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	by := s.algorithms[a]
	if err := w.Load(by.modules); err != nil {
		return codes.Outcome{}, err
	}
	order := by.order
	if in.Keys && !by.keys {
		order = by.gathered
	}
	f, err := order(w, in, to)
	f.Algorithm = a
	return s.resort(w, in, to, f, err)
}

// resort sorts codes that were too skewed by lastResort, and returns other results as they
// are.
func (s *Sorter) resort(w *device.Workspace, in codes.Input, to cuda.Ptr, f codes.Outcome, err error) (codes.Outcome, error) {
	if !errors.Is(err, bucket.ErrUneven) {
		return f, err
	}
	in.Shuffled = !s.bucket.Blind
	return s.sortBy(w, lastResort, in, to)
}

// gathered sorts keys alone by an order and a gather.
func (a algorithm) gathered(w *device.Workspace, in codes.Input, sorted cuda.Ptr) (codes.Outcome, error) {
	order, err := w.Take(orderBytes(in.N))
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(order)
	f, err := a.order(w, codes.Input{Codes: in.Codes, Wide: in.Wide, N: in.N}, order.At)
	if err != nil {
		return f, err
	}
	q := w.Queue()
	q.Load(runs.Modules)
	q.Then(func() error { return runs.Gather(w, in, order.At, 0, runs.Runs{Codes: sorted}) })
	return f, q.Sync()
}

// choiceFor returns the algorithm to try first if a leaves the choice to the device: merge
// sort or radix sort for short lists, without a sample; for long ones radix sort if there is
// nothing else.
func (r repertoire) choiceFor(a engine.Algorithm, in codes.Input) engine.Algorithm {
	switch {
	case engine.OrdersCodes(a):
		return a
	case in.N < mergeBelow(in):
		return engine.MergeSort
	case in.N < radixBelow(in) || !r.has(engine.BucketBitonic):
		return engine.Radix
	}
	return engine.BucketBitonic
}
