// Package ranges merges sorted runs. It cuts them at common keys and sorts each range of keys
// again, in the cache of one worker.
//
// A tournament of the runs takes time proportional to log k per element and mispredicts its
// branches. A radix sort of a range does not depend on k, and ranges are independent of each
// other. See DuckDB's sorted run merger (pull request 17584, 2025) and the range splitter of
// TiDB's global sort for the same idea.
package ranges

import (
	"iter"
	"math/bits"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/fetch"
	"example.com/sorter/internal/scratch"
)

// Runs are sorted runs, known by the codes of their elements.
type Runs[C cpu.Code] struct {
	Codes []C   // of all elements, run after run
	Ends  []int // where each run ends in Codes

	// Compare compares two elements whose codes are equal, by their places in Codes. It is nil
	// if codes decide.
	Compare func(i, j uint32) int

	// Later are codes by which elements are ordered whose codes are equal, as Compare orders them. They
	// are nil unless one code of an element does that.
	Later []C
}

// bounds returns the places [lo, hi) of run r of those that end where ends say.
func bounds(ends []int, r int) (lo, hi int) {
	if r > 0 {
		lo = ends[r-1]
	}
	return lo, ends[r]
}

// Grain is the size of the ranges of a merge.
type Grain struct {
	every int // elements of a run to a sample
	cut   int // samples of all runs to a range
	most  int // elements of a range, if the runs are sorted
}

// GrainOf returns the grain of a merge of n elements in k runs, with ranges of about the given
// number of elements.
//
// A range has cut samples, which stand for every elements each, and in each run fewer than
// every elements after the last of these. So most bounds the elements, however skewed the keys
// are: ties are cut by run and position.
func GrainOf(n, k, target int) Grain {
	g := Grain{every: max(1, target/(2*k))}
	g.cut = max(1, target/g.every)
	g.most = min(n, g.cut*g.every+k*(g.every-1))
	return g
}

const (
	// MostRuns is the largest number of runs of a merge: a range has samples of all of them.
	MostRuns = 1 << 12

	// target is the number of elements of a range: their words, and the part read of the
	// elements, stay in a second-level cache of 1 MiB. Ranges of many runs are larger, for
	// fewer and longer slices of each.
	target = 1 << 14

	// leastTarget is the smallest number of elements of a range under a memory limit.
	leastTarget = 1 << 10
)

// Grains returns the grains of a merge of n elements in k <= MostRuns runs, from the fastest
// on to the one that takes the least memory.
func Grains(n, k int) iter.Seq[Grain] {
	return func(yield func(Grain) bool) {
		most := max(target, min(32*k, 40<<10))
		for t := most; t >= max(leastTarget, k) || t == most; t /= 2 {
			if !yield(GrainOf(n, k, t)) {
				return
			}
		}
	}
}

// ranges bounds the number of ranges of n elements.
func (g Grain) ranges(n int) int { return n/(g.cut*g.every) + 1 }

// Bytes bounds the memory, in bytes, of a merge of n elements in k runs besides their codes,
// which have the given size.
func (g Grain) Bytes(n, k, workers int, code uintptr) int64 {
	var a scratch.Area
	sizeCuts(&a, g, n, k)
	a.Either(
		func() {
			sizeSamples(&a, g.Samples(n), k)
			a.Hold(cpu.OrderBytes(g.Samples(n), workers, code))
		},
		func() {
			workers := min(workers, g.ranges(n))
			a.Times(workers, func() { sizeWorker(&a, k) })
			bucket.SizeLists(&a, workers, g.most, code)
		},
	)
	return a.Bytes()
}

// CutBytes bounds the memory, in bytes, in which a [Cutter] cuts n elements in k runs, besides that of its Sort.
func (g Grain) CutBytes(n, k int) int64 {
	var a scratch.Area
	sizeCuts(&a, g, n, k)
	sizeSamples(&a, g.Samples(n), k)
	return a.Bytes()
}

// sizeCuts sizes the places at which ranges begin, and the splitters.
func sizeCuts(a *scratch.Area, g Grain, n, k int) (places, splitters scratch.Memory) {
	ranges := g.ranges(n)
	return a.Memory((ranges+1)*k, unsafe.Sizeof(0)), a.Memory(ranges, unsafe.Sizeof(splitter{}))
}

// sizeSamples sizes the places of samples, their runs and order, and a number for each of
// k runs.
func sizeSamples(a *scratch.Area, samples, k int) (places, numbers, ends scratch.Memory) {
	return a.Memory(samples, unsafe.Sizeof(0)), a.MemoryEach(2, samples, 4), a.Memory(k, unsafe.Sizeof(0))
}

// Samples returns the number of samples of a run of n elements, and bounds that of runs of n together.
func (g Grain) Samples(n int) int { return n / g.every }

// Cuts are the places at which ranges begin, by range and run.
type Cuts struct {
	k  int
	at []int // k to a range, and the ends of all runs
}

// Len returns the number of ranges.
func (c *Cuts) Len() int { return len(c.at)/c.k - 1 }

// Row returns the places at which range i begins, in each run.
func (c *Cuts) Row(i int) []int { return c.at[i*c.k : (i+1)*c.k] }

// splitter is an element at which a range ends: it is the last of the range.
type splitter struct{ run, at int }

// Cut cuts the runs into ranges of grain g.
func (s *Runs[C]) Cut(env *engine.Env, g Grain) (Cuts, error) {
	c := Cutter{Ends: s.Ends, After: s.after, Sort: s.sortSamples, Fetch: s.fetch}
	return c.Cut(env, g)
}

// Cutter cuts sorted runs of elements that are numbered run after run.
type Cutter struct {
	Ends  []int                                                 // of the runs
	After func(i, j int, earlier bool) bool                     // element i comes after element j; its run is an earlier one, or a later one
	Sort  func(env *engine.Env, at []int, order []uint32) error // writes the stable order of the elements at ascending places
	Fetch func(i int)                                           // prefetches what After reads of element i, also of one past the end; nil: nothing
}

// Cut cuts the runs into ranges of grain g.
func (s *Cutter) Cut(env *engine.Env, g Grain) (Cuts, error) {
	k := len(s.Ends)
	places, _ := sizeCuts(nil, g, s.Ends[k-1], k)
	c := Cuts{k, scratch.In[int](&env.Arena, places)}
	for r := range k {
		c.at[r], _ = bounds(s.Ends, r)
	}
	splitters, err := s.split(env, g, &c)
	if err != nil {
		return c, err
	}
	c.at = c.at[:(len(splitters)+2)*k]
	copy(c.Row(len(splitters)+1), s.Ends)
	if len(splitters) == 0 {
		return c, nil
	}
	err = env.Stage("cut", len(splitters), 1, func(_, i, _ int) { s.place(splitters[i], g, c.Row(i+1)) })
	for i := k; i < len(c.at); i++ { // in runs that are not sorted, a search may end anywhere
		c.at[i] = max(c.at[i], c.at[i-k])
	}
	return c, err
}

// split returns the last elements of all ranges except the last, and writes the places after
// the last samples before them to the rows of c.
func (s *Cutter) split(env *engine.Env, g Grain, c *Cuts) (all []splitter, err error) {
	n := 0
	for r := range c.k {
		lo, hi := bounds(s.Ends, r)
		n += g.Samples(hi - lo)
	}
	if n <= g.cut {
		return nil, nil
	}
	_, splitters := sizeCuts(nil, g, s.Ends[c.k-1], c.k)
	all = scratch.In[splitter](&env.Arena, splitters)[:0]
	return all, env.Scoped(func(env *engine.Env) error {
		at, run, order := s.sampled(env, g, n)
		if err := s.Sort(env, at, order); err != nil {
			return err
		}
		_, _, each := sizeSamples(nil, 0, c.k)
		passed := scratch.In[int](&env.Arena, each) // samples of each run
		clear(passed)
		for i, x := range order[:n-1] {
			passed[run[x]]++
			if (i+1)%g.cut == 0 {
				all = append(all, splitter{int(run[x]), at[x]})
				s.afterSamples(c.Row(len(all)), passed, g)
			}
		}
		return nil
	})
}

// afterSamples writes the places after the given number of samples of each run.
func (s *Cutter) afterSamples(row, passed []int, g Grain) {
	for r := range row {
		lo, _ := bounds(s.Ends, r)
		row[r] = lo + passed[r]*g.every
	}
}

// sampled returns the places of n samples, their runs, and memory for their order.
func (s *Cutter) sampled(env *engine.Env, g Grain, n int) (at []int, run, order []uint32) {
	places, numbers, _ := sizeSamples(nil, n, 0)
	at, run, order = scratch.In[int](&env.Arena, places), scratch.In[uint32](&env.Arena, numbers), scratch.In[uint32](&env.Arena, numbers)
	i := 0
	for r := range s.Ends {
		lo, hi := bounds(s.Ends, r)
		for x := lo + g.every; x <= hi; x += g.every {
			at[i], run[i] = x-1, uint32(r)
			i++
		}
	}
	return at, run, order
}

// sortSamples writes the order of the samples at the given places, ties by run and position.
func (s *Runs[C]) sortSamples(env *engine.Env, at []int, order []uint32) error {
	source := func(dst []C, lo int) {
		for i := range dst {
			dst[i] = s.Codes[at[lo+i]]
		}
	}
	if len(at) <= cpu.SmallLen {
		w := cpu.GetSmall[C]()
		source(w.Codes[:len(at)], 0)
		w.Order(order)
		w.Put()
	} else if err := cpu.Order(env, len(at), source, false, func(_, lo int, part []uint32, _ []C) { copy(order[lo:], part) }); err != nil {
		return err
	}
	if s.Compare != nil {
		s.sortTiedSamples(at, order)
	}
	return nil
}

// sortTiedSamples orders the runs of samples whose codes are equal.
func (s *Runs[C]) sortTiedSamples(at []int, order []uint32) {
	code := func(i int) C { return s.Codes[at[order[i]]] }
	for i := 1; i < len(order); i++ {
		from := i - 1
		for i < len(order) && code(i) == code(from) {
			i++
		}
		if tied := order[from:i]; len(tied) > 1 {
			slices.SortStableFunc(tied, func(x, y uint32) int { return s.Compare(uint32(at[x]), uint32(at[y])) })
		}
	}
}

// place moves the places in row, which are after samples, to the first elements that come
// after the splitter: fewer than g.every further on, since the next sample comes after it. The
// runs are searched in turns of one step each, so that their cache misses overlap (2 cores of an
// EPYC 2025, 2026-11: the cuts of 64 runs take 0.3 instead of 0.8 ns per element).
func (s *Cutter) place(last splitter, g Grain, row []int) {
	for step := 1 << bits.Len(uint(g.every-1)) >> 1; step > 0; step /= 2 {
		if s.Fetch != nil && step >= leastFetched {
			for _, from := range row {
				s.Fetch(from + step - 1)
			}
		}
		for r, from := range row {
			_, hi := bounds(s.Ends, r)
			if r != last.run && from+step <= hi && !s.After(from+step-1, last.at, r < last.run) { // the splitter is a sample
				row[r] += step
			}
		}
	}
}

// leastFetched is the least step that is likely to leave a cache line of codes.
const leastFetched = 8

// fetch prefetches the code of element i, which may be one after the last.
func (s *Runs[C]) fetch(i int) {
	size := unsafe.Sizeof(C(0))
	fetch.Element(unsafe.Add(unsafe.Pointer(unsafe.SliceData(s.Codes)), uintptr(min(i, len(s.Codes)-1))*size), size)
}

// after reports whether element i comes after element j, before whose run its run is or not.
func (s *Runs[C]) after(i, j int, earlier bool) bool {
	if a, b := s.Codes[i], s.Codes[j]; a != b {
		return a > b
	}
	if s.Compare != nil {
		if c := s.Compare(uint32(i), uint32(j)); c != 0 {
			return c > 0
		}
	}
	return !earlier
}
