// Package bucket is the bucket sort on a device. One or two splits by slices of the value
// range, chosen from a sample, bring the elements into buckets of up to 1024. A warp sorts
// each bucket by a bitonic network. Codes that are too skewed are left to another sort.
package bucket

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/kernels"
)

// Worth reports whether the bucket sort with the given spreading is expected to be faster than
// another algorithm, for codes with sample s. strided means that a tile of the first split
// gets codes from all over the list.
type Worth func(in codes.Input, way Spreading, s *sample.Note, strided bool) bool

// Few reports whether another algorithm is expected to be faster for unordered codes with the
// given number of values, which differ in no other than the given bits.
type Few func(in codes.Input, values int, differ uint64) bool

// FewValues is the error for codes that are left to an algorithm for few values.
type FewValues struct{ Values int } // as a sample suggests

func (e FewValues) Error() string {
	return fmt.Sprintf("sorter: gpu: about %d distinct values", e.Values)
}

// Sort orders codes, or returns ErrUneven.
func (s *Sorter) Sort(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	return s.SortIf(w, func(codes.Input, Spreading, *sample.Note, bool) bool { return true }, nil, in, to)
}

// SortIf is [Sorter.Sort] with only those spreadings for which worth holds. It returns FewValues
// for unordered codes for which few holds, unless that is nil. A sample may mislead: after
// an attempt fails it tries the next spreading, which assumes less.
func (s *Sorter) SortIf(w *device.Workspace, worth Worth, few Few, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	if in.N < 2 {
		return codes.Outcome{Shape: engine.Sorted}, codes.Identity(w, in, to)
	}
	note, err := device.Pinned[note](w)
	if err != nil {
		return codes.Outcome{}, err
	}
	first, err := w.Take(codes.HeadBytes)
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(first)
	c := call{Sorter: s, w: w, note: note, in: in, to: to, memory: head(&device.Area{At: first.At})}
	if err := c.takeSamples(few); err != nil {
		return codes.Outcome{}, err
	}
	if f, err := c.presorted(); f.Shape != "" || err != nil {
		return f, err
	}
	if values := note.sample.Values(); few != nil && few(in, values, note.sample.Differ) {
		return codes.Outcome{}, FewValues{values}
	}
	for way := c.firstWay(); way <= Quantiles && worth(in, way, &note.sample, c.strides(way)); way++ {
		f, err := c.attempt(way)
		uneven := errors.Is(err, ErrUneven)
		if s.Attempts.count(way, uneven); !uneven {
			return f, err
		}
	}
	return codes.Outcome{}, ErrUneven
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

// sampleGrid returns the number of blocks of the second sample. It is small, since each block
// adds its counts to global ones and needs enough samples to pay for that.
func (c *call) sampleGrid() int {
	return max(1, min(2*c.w.Info.SMs, samples(c.in)/(4*kernels.SampleThreads)))
}

// patience is how long a sort polls for the sample before it waits in the driver, which takes
// a few µs more.
const patience = 100 * time.Microsecond

// takeSamples samples the codes. It returns FewValues at once for so few that the second sample is not
// needed, if few holds for these.
func (c *call) takeSamples(few Few) error {
	s, in := &c.note.sample, c.in
	s.Ready.Store(0)
	s.Few.Store(0)
	q := c.w.Queue()
	sample.First(&q, in, c.sample, c.status, device.Mapped(&s.Few), c.soonest(few))
	q.Run("sample_segments"+codes.Width(in.Wide), 1+c.sampleGrid(), kernels.SampleThreads, kernels.SegmentsShared,
		uint64(in.Codes), uint64(in.N), uint64(sampleBits(in)), uint64(in.IndexBits()), uint64(c.sample), device.Mapped(s))
	if q.Err() == nil && !device.Await(time.Now().Add(patience), &s.Ready, &s.Few) {
		q.Sync()
	}
	if err := q.Err(); err != nil {
		return err
	}
	if values := int(s.Few.Load()); values != 0 {
		return FewValues{values}
	}
	return nil
}

// presorted ends the sort if the sample is sorted or reversed and all codes are.
func (c *call) presorted() (codes.Outcome, error) {
	s, in := &c.note.sample, c.in
	if c.Blind || s.Ascents > 0 && s.Descents > 0 {
		return codes.Outcome{}, nil
	}
	q := c.w.Queue()
	codes.CountDescents(&q, codes.Grid(c.w, in.N), in, in.Codes, c.status)
	q.ToHost(unsafe.Pointer(&c.note.status), c.status, 4*kernels.StatusWords)
	if err := q.Sync(); err != nil {
		return codes.Outcome{}, err
	}
	switch descents := int(c.note.status[kernels.StatusDescents]); {
	case descents == 0 && s.Low == s.High:
		return codes.Outcome{Shape: engine.Flat}, codes.Identity(c.w, in, c.to)
	case descents == 0:
		return codes.Outcome{Shape: engine.Sorted}, codes.Identity(c.w, in, c.to)
	case descents == in.N-1:
		return codes.Outcome{Shape: engine.Reversed}, codes.Reversal(c.w, in, c.to)
	}
	return codes.Outcome{}, nil
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

// attempt sorts by one spreading.
func (c *call) attempt(way Spreading) (codes.Outcome, error) {
	p, err := c.plan(way)
	if err != nil {
		return codes.Outcome{}, err
	}
	p.keys, p.strided = c.in.Keys, c.strides(way) && !p.numbers
	if err := c.w.Load(p.modules()); err != nil {
		return codes.Outcome{}, err
	}
	block, err := c.w.Take(bodyBytes(p))
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

// plan makes the plan of an attempt and sends its table, if any, to the device. Keys alone
// have no plan with octaves or a table, since these separate equal codes by their positions.
func (c *call) plan(way Spreading) (*plan, error) {
	s, in := &c.note.sample, c.in
	if in.Keys && (way >= Octaves || crowded(in, s)) {
		return nil, ErrUneven
	}
	lay := c.layout(way, unevenMargin)
	switch way {
	case Linear:
		lay := c.layout(way, evenMargin)
		return evenPlan(in.Wide, lay, lay.evenMean(c.mean(in.N, evenSlice), s.Low, s.High)).fitting()
	case Sections:
		return sectionsPlan(in.Wide, lay, lay.ends(in.Range()), s.Parts[:], samples(in), c.mean(in.N, sectionSlice), &c.note.bounds)
	case Octaves:
		if !c.byOctaves() && (c.Spread != Octaves || !c.octaves.whole) {
			return nil, ErrUneven
		}
		return octavesPlan(in.Wide, lay, c.octaves.parts[:], samples(in), c.mean(in.N, sectionSlice), &c.note.bounds)
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
	p, err := mappedPlan(lay, t, c.note.count[:], samples(c.in), c.mean(c.in.N, fullSlice)).fitting()
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
	q.Fill(c.count, 0, kernels.Segments)
	q.Run("sample_map"+codes.Width(in.Wide), c.sampleGrid(), kernels.SampleThreads, shared,
		uint64(in.Codes), uint64(in.N), uint64(sampleBits(in)), uint64(in.IndexBits()), uint64(c.table), uint64(c.sample), uint64(c.count))
	q.ToHost(unsafe.Pointer(&c.note.count), c.count, 4*kernels.Segments)
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
