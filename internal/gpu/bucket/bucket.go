// Package bucket is the bucket sort on a device. One or two splits by slices of the value
// range, chosen from a sample, bring the elements into buckets of up to 1024. A warp sorts
// each bucket by a bitonic network. Codes that are too skewed are left to another sort.
package bucket

import (
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync/atomic"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// Worth reports whether an attempt is expected to be faster than another algorithm, for codes with
// sample s.
type Worth func(in codes.Input, a Attempt, s *sample.Note) bool

// Attempt is an attempt at the sort.
type Attempt struct {
	Way     Spreading
	Mean    int     // size of buckets, before chance
	Ties    float64 // other elements that a warp cannot tell from an element at once, on average
	Full    bool    // some buckets would have far more elements than those beside them
	Whole   bool    // elements have whole codes
	Strided bool    // a tile of the first split gets codes from all over the list
}

// Few reports whether another algorithm is expected to be faster for unordered codes with the
// given number of values, which differ in no other than the given bits.
type Few func(in codes.Input, values int, differ uint64) bool

// Leave returns which codes another algorithm is expected to sort at least as fast, by a first sample
// alone.
type Leave func(in codes.Input) sample.Leave

// Policy is which codes are sorted by buckets. The zero Few and Leave leave none to others.
type Policy struct {
	Worth Worth
	Few   Few
	Leave Leave

	// Beside, unless nil, begins to sort in another way after an early report, on the side stream, which does not wait for the samples. left:
	// codes are left to that; otherwise the report says nothing, and more samples come.
	Beside func(left bool) error
}

// FewValues is the error for codes that are left to an algorithm for few values.
type FewValues struct{ Values int } // as a sample suggests

func (e FewValues) Error() string {
	return fmt.Sprintf("sorter: gpu: about %d distinct values", e.Values)
}

// Sort orders codes, or returns ErrUneven.
func (s *Sorter) Sort(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	always := func(codes.Input, Attempt, *sample.Note) bool { return true }
	return s.sort(w, Policy{Worth: always}, 2, in, to)
}

// SortIf is [Sorter.Sort] for codes that p does not leave to others. It returns FewValues for few
// values. A sample may mislead: if the attempt at the sort fails, there is no other.
func (s *Sorter) SortIf(w *device.Workspace, p Policy, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	return s.sort(w, p, 1, in, to)
}

// sort makes some attempts, each by a spreading that assumes less than the one before.
func (s *Sorter) sort(w *device.Workspace, by Policy, attempts int, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	if in.N < 2 {
		return codes.Outcome{Shape: engine.Sorted}, codes.Identity(w, in, to)
	}
	note, err := device.Pinned[note](w)
	if err != nil {
		return codes.Outcome{}, err
	}
	first, err := w.Take(headBytes(in))
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(first)
	c := call{Sorter: s, w: w, note: note, in: in, to: to, salt: s.salt(), memory: head(&device.Area{At: first.At}, in)}
	if f, err := c.takeSamples(by); f.Shape != "" || err != nil {
		return f, err
	}
	if values := note.sample.Values(); by.Few != nil && by.Few(in, values, note.sample.Differ) {
		return codes.Outcome{}, FewValues{values}
	}
	for way := c.firstWay(); way <= Quantiles && attempts > 0; way++ {
		if !by.Worth(in, Attempt{Way: way, Mean: evenSlice, Strided: c.strides(way)}, &note.sample) {
			break // not even at best
		}
		a, err := c.planned(way)
		if err != nil && way == Sections && by.Leave != nil {
			break // of codes that crowd inside parts of their range, the others know no more
		}
		if err != nil {
			continue
		}
		if !by.Worth(in, a, &note.sample) {
			break
		}
		f, err := c.attempt(a)
		uneven := errors.Is(err, ErrUneven)
		if s.Attempts.count(way, uneven); !uneven {
			return f, err
		}
		attempts--
	}
	return codes.Outcome{}, ErrUneven
}

func (s *Sorter) salt() uint64 {
	if s.Salt != nil {
		return *s.Salt
	}
	return rand.Uint64()
}

// planned returns the attempt by one spreading, or ErrUneven if the sample is against it. Keys alone have
// none by octaves or quantiles, since these separate equal codes by their positions. The mean of
// Quantiles is that of codes without ties, until there is a map.
func (c *call) planned(way Spreading) (a Attempt, err error) {
	s := &c.note.sample
	standard, tied := evenSlice, 0.0
	switch way {
	case Linear:
		tied = c.linearTies()
	case Sections:
		standard, tied = sectionSlice, c.linearTies()
	case Octaves:
		standard, tied = sectionSlice, c.codeTies()
	case Quantiles:
		standard, tied = mappedMean(c.in), max(c.codeTies(), c.valueTies())
	}
	if c.in.Keys && way >= Octaves || way == Quantiles && jagged(s.Parts[:]) {
		return a, ErrUneven
	}
	lay := layoutFor(c.in.N, c.in.Wide, s.Low, s.High, unevenMargin)
	local := c.localTies()
	if way >= Octaves { // whose words are others
		local = c.codeTies()
	}
	a = Attempt{Way: way, Ties: local, Full: c.fullParts(&lay, way) > mostFull(way), Whole: way != Quantiles && lay.exact(), Strided: c.strides(way)}
	a.Mean, err = c.meanFor(c.in, standard, tied)
	return a, err
}

// VeryFew is the number of values that is few for any way to sort them.
const VeryFew = 90

// soonest returns the largest number of values for which few holds at once, before the second
// sample.
func (c *call) soonest(few Few) int {
	if few != nil {
		for _, values := range []int{kernels.MaxEarlyValues, kernels.RadixDigits, VeryFew} {
			if few(c.in, values, codes.Top(c.in.Wide)) {
				return values
			}
		}
	}
	return 0
}

// early returns the reports that the first sample makes.
func (c *call) early(by Policy) (e sample.Early) {
	if by.Few == nil && by.Leave == nil {
		return e
	}
	e.At, e.Most = device.Mapped(&c.note.sample.Few), c.soonest(by.Few)
	if by.Leave != nil {
		e.Leave = by.Leave(c.in)
	}
	return e
}

// sampleGrid returns the number of blocks of the second sample, a power of two. It is small, since each block
// reads the first sample and adds its counts to global ones, and needs enough samples to pay for that: 2^20 samples of 2^26
// codes take 57 µs with 61 blocks, 63 with 122, and 75 with 256, for which an H200 needs two turns (2026-12-01).
func (c *call) sampleGrid() int {
	return max(1, min(1<<(bits.Len(uint(max(c.w.Info.SMs/2, 1)))-1), samples(c.in)/(kernels.SampleLoads*kernels.SampleThreads)))
}

// patience is how long a sort polls for the sample before it waits in the driver, which takes
// a few µs more.
const patience = 100 * time.Microsecond

// takeSamples samples the codes. It ends the sort if all codes are in order, and returns
// FewValues or ErrUneven where an early report suffices.
func (c *call) takeSamples(by Policy) (codes.Outcome, error) {
	s, early, found := &c.note.sample, c.early(by), uint32(kernels.SeemsOpen)
	q := c.w.Queue()
	if by.Beside != nil {
		q.Then(func() error { return c.w.Record(c.w.Split, c.w.Stream) })
	}
	c.begin(&q, early)
	if early.At != 0 {
		c.await(&q, &s.Few)
		found = s.Few.Load()
	}
	shape, seems := seeming[found]
	switch seems = seems && !c.Blind; {
	case q.Err() != nil:
		return codes.Outcome{}, q.Err()
	case found == kernels.SeemsLeft:
		c.beside(&q, by, true)
		return codes.Outcome{}, device.FirstError(q.Err(), ErrUneven)
	case seems:
		if f, err := c.presorted(shape); f.Shape != "" || err != nil {
			return f, err
		}
	case found != kernels.SeemsOpen && shape == "":
		return codes.Outcome{}, FewValues{int(found)}
	}
	if found == kernels.SeemsOpen {
		c.beside(&q, by, false)
	}
	if c.await(&q, &s.Ready); q.Err() == nil && !seems && !c.Blind && (s.Ascents == 0 || s.Descents == 0) {
		return c.presorted(shapeOf(s))
	}
	return codes.Outcome{}, q.Err()
}

// begin takes the samples, and clears the counters after.
func (c *call) begin(q *device.Queue, early sample.Early) {
	s, in := &c.note.sample, c.in
	s.Few.Store(0)
	s.Ready.Store(0)
	counts, cells, err := c.note.counters.take(c.w, in)
	q.Then(func() error { return err })
	if c.Salt != nil { // or elements of the last sort with this salt would be found again
		q.Fill(c.ties, 0, 1<<tieBits(in))
	}
	q.Run("sample_codes"+codes.Width(in.Wide), kernels.SampleBlocks+c.sampleGrid(), kernels.SampleThreads, kernels.SampleShared,
		uint64(in.Codes), uint64(in.N), uint64(sampleBits(in)), uint64(in.IndexBits()), uint64(c.sample), uint64(counts), uint64(c.ties), uint64(tieBits(in)), c.salt,
		uint64(cells), uint64(evenCells(in)), uint64(cellMost(in, c.sampleGrid())),
		uint64(c.status), early.At, uint64(early.Most), uint64(early.Digits), uint64(early.Share), uint64(early.Repeats), uint64(early.Heavy), device.Mapped(s))
	c.note.counters.empty(q, in)
}

// beside begins to sort in another way, once the side stream has waited for all work before the samples.
func (c *call) beside(q *device.Queue, by Policy, left bool) {
	if by.Beside != nil {
		q.Then(func() error { return c.w.WaitEvent(c.w.Side, c.w.Split) })
		q.Then(func() error { return by.Beside(left) })
	}
}

// await waits for a kernel to write a word.
func (c *call) await(q *device.Queue, word *atomic.Uint32) {
	if q.Err() == nil && !device.Await(time.Now().Add(patience), word) {
		q.Sync()
	}
}

// seeming is the shape of codes that the first sample reports.
var seeming = map[uint32]engine.Shape{kernels.SeemsSorted: engine.Sorted, kernels.SeemsFlat: engine.Flat, kernels.SeemsReversed: engine.Reversed}

// shapeOf returns the shape of codes of which neighbours in a sample only rise, or only fall.
func shapeOf(s *sample.Note) engine.Shape {
	switch {
	case s.Descents > 0:
		return engine.Reversed
	case s.Low == s.High:
		return engine.Flat
	}
	return engine.Sorted
}

// presorted ends the sort if all codes have the shape of a sample.
func (c *call) presorted(shape engine.Shape) (codes.Outcome, error) {
	if c.Blind {
		return codes.Outcome{}, nil
	}
	q := c.w.Queue()
	codes.Ordered(&q, c.w, c.in, shape == engine.Reversed, c.to, c.status)
	q.ToHost(unsafe.Pointer(&c.note.status), c.status, 4*kernels.StatusWords)
	if err := q.Sync(); err != nil || c.note.status[kernels.StatusDescents] != 0 {
		return codes.Outcome{}, err
	}
	return codes.Outcome{Shape: shape}, nil
}

// firstWay returns the first spreading to try: that of the options, or by the sample.
func (c *call) firstWay() Spreading {
	if c.Spread != BySample {
		return c.Spread
	}
	s, in := &c.note.sample, c.in
	lay := layoutFor(in.N, in.Wide, s.Low, s.High, unevenMargin)
	switch {
	case lay.even(s.Parts[:], samples(in), s.Low, s.High):
		return Linear
	case lay.ends(in.Range()).smooth(s.Parts[:]) && in.N >= kernels.Segments:
		return Sections
	case !in.Keys && in.N >= kernels.Segments && c.byOctaves():
		return Octaves
	}
	return Quantiles
}

// byOctaves reports whether the sample is of codes spread by octaves.
func (c *call) byOctaves() bool {
	if c.octaves == nil {
		s := &c.note.sample
		lay := layoutFor(c.in.N, c.in.Wide, s.Low, s.High, unevenMargin)
		c.octaves = countOctaves(c.in.Wide, &lay, s)
	}
	return c.octaves.smooth
}

// Strides reports whether the first split is the one for nearly sorted codes, by their
// sample.
func (s *Sorter) Strides(in codes.Input, way Spreading, found *sample.Note) bool {
	below := NearlyBelow(in)
	if s.Nearly != nil {
		below = *s.Nearly
	}
	return way == Linear && found.Degree(in.N) < below
}

func (c *call) strides(way Spreading) bool { return c.Strides(c.in, way, &c.note.sample) }

// NearlyBelow returns the degree of disorder below which a tile gets codes from all over the
// list. 2026-11-22, H200: 32-bit codes with 1 % swapped, of degree n/75, take 0.91 to 1.00 of
// the time; unordered codes, of degree n/3, 1.05. Fewer 64-bit codes share a sector; for them
// the gain ends at 2^26. Table: bench/results/h200/parts.md.
func NearlyBelow(in codes.Input) float64 {
	if in.Wide || in.Keys {
		return 0
	}
	return float64(in.N) / 16
}

// attempt sorts by one spreading. Small buckets, for codes with ties, may take more memory than
// Bytes has promised. If there is no more, codes are too uneven.
func (c *call) attempt(a Attempt) (codes.Outcome, error) {
	p, err := c.plan(a)
	if err != nil {
		return codes.Outcome{}, err
	}
	p.keys, p.strided = c.in.Keys, a.Strided && !p.numbers
	if err := c.w.Load(p.modules()); err != nil {
		return codes.Outcome{}, err
	}
	bytes := bodyBytes(p)
	block, err := c.w.Take(bytes)
	if errors.Is(err, cuda.OutOfMemory) && headBytes(c.in)+bytes > c.Bytes(c.in, 0) {
		return codes.Outcome{}, ErrUneven
	}
	if err != nil {
		return codes.Outcome{}, err
	}
	defer c.w.Put(block)
	c.body(&device.Area{At: block.At}, p)
	q := c.w.Queue()
	c.launch(&q, p)
	if err := q.Sync(); err != nil {
		return codes.Outcome{}, err
	}
	return c.outcome(p)
}

// outcome returns the result of a sort that has ended.
func (c *call) outcome(p *plan) (codes.Outcome, error) {
	if c.note.status[kernels.StatusLost] != 0 {
		return codes.Outcome{}, ErrUneven
	}
	f := codes.Outcome{Levels: 1, Numbers: p.numbers}
	if p.twice {
		f.Levels = 2
	}
	if p.strided {
		f.Shape = engine.NearlySorted
	}
	return f, nil
}

// layout returns the layout of an attempt.
func (c *call) layout(way Spreading, margin uint64) layout {
	s, in := &c.note.sample, c.in
	l := layoutFor(in.N, in.Wide, s.Low, s.High, margin)
	if in.Numbers != 0 && way <= Sections {
		return l.numbered(in.Total)
	}
	return l
}

// plan makes the plan of an attempt and sends its table, if any, to the device.
func (c *call) plan(a Attempt) (*plan, error) {
	s, in, way := &c.note.sample, c.in, a.Way
	if in.Keys && crowded(in, s) {
		return nil, ErrUneven
	}
	lay := c.layout(way, unevenMargin)
	switch way {
	case Linear:
		lay := c.layout(way, evenMargin)
		return evenPlan(in.Wide, lay, lay.evenMean(a.Mean, s.Low, s.High)).fitting()
	case Sections:
		return sectionsPlan(in.Wide, lay, lay.ends(in.Range()), s.Parts[:], samples(in), a.Mean, &c.note.bounds)
	case Octaves:
		if !c.byOctaves() && (c.Spread != Octaves || !c.octaves.whole) {
			return nil, ErrUneven
		}
		return octavesPlan(in.Wide, lay, c.octaves.parts[:], samples(in), a.Mean, &c.note.bounds)
	}
	return c.mappedPlan(lay)
}

// mappedPlan makes the plan by a table of the sample's quantiles.
func (c *call) mappedPlan(lay layout) (*plan, error) {
	q := c.w.Queue()
	c.note.sample.Fetch(&q, c.sample)
	if err := q.Sync(); err != nil {
		return nil, err
	}
	t := quantilesTable(c.in.Wide, &lay, c.note.sample.Sorted(lay.stretch()))
	if err := c.countSegments(t); err != nil {
		return nil, err
	}
	mean, err := c.meanFor(c.in, mappedMean(c.in), c.mappedTies(t))
	if err != nil {
		return nil, err
	}
	p, err := mappedPlan(lay, t, c.note.count[:], samples(c.in), mean).fitting()
	if err != nil {
		return nil, err
	}
	q = c.w.Queue()
	c.send(&q, t)
	return p, q.Err()
}

// countSegments counts the second sample by segments of t.
func (c *call) countSegments(t *table) error {
	in, shared := c.in, kernels.MapSharedU32
	if in.Wide {
		shared = kernels.MapSharedU64
	}
	q := c.w.Queue()
	c.send(&q, t)
	_, cells, err := c.note.counters.take(c.w, in)
	if err != nil {
		return err
	}
	q.Fill(c.count, 0, kernels.Segments)
	q.Fill(c.pairs, 0, 2)
	q.Run("sample_map"+codes.Width(in.Wide), c.sampleGrid(), kernels.SampleThreads, shared,
		uint64(in.Codes), uint64(in.N), uint64(sampleBits(in)), c.salt, uint64(in.IndexBits()), uint64(c.table), uint64(c.sample), uint64(cells), uint64(cellBits(in)), uint64(c.count), uint64(c.pairs))
	c.note.counters.empty(&q, in)
	q.ToHost(unsafe.Pointer(&c.note.count), c.count, 4*kernels.Segments)
	q.ToHost(unsafe.Pointer(&c.note.pairs), c.pairs, 8)
	return q.Sync()
}

// send copies a table to the device.
func (c *call) send(q *device.Queue, t *table) {
	if t.wide {
		put(t, &c.note.u64)
		q.ToDevice(c.table, unsafe.Pointer(&c.note.u64), kernels.MapBytesU64)
		return
	}
	put(t, &c.note.u32)
	q.ToDevice(c.table, unsafe.Pointer(&c.note.u32), kernels.MapBytesU32)
}
