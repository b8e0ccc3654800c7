package extsort

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// mergeForParts returns the merge of all runs, in parts for the buffers of a plan: of one in
// which up to n goroutines read and sort parts, as many as there is memory for, or for n = 0 different
// ones. Where the blocks of the runs are too many for that, it merges adjacent runs into longer ones
// before.
func (s *Sorter[E]) mergeForParts(n int) (*merge[E], error) {
	s.limitScratch() // also of runs that an earlier process wrote
	for before := 0; ; {
		scratch.DropIdle() // of other sorts and merges: those of the parts take blocks of other sizes
		n = s.rangesFor(n)
		p, ok := s.planFor(s.runs, n, s.unique, 0)
		if block := largest(s.runs, p.each); len(s.runs) == 1 && (block > p.part || !s.sampled(s.runs)) {
			return nil, fmt.Errorf("%w: parts of %d bytes for blocks of %d", tooLittle(s.options.memory, 0), p.part, block)
		}
		if ok && s.sampled(s.runs) {
			if n == 0 {
				p = s.aheadFor(p, s.runs)
			} else {
				p.ends = max(-p.less, 0) / int64(n)
			}
			m, err := s.newMerge(s.runs, p, s.unique)
			return m, public(err)
		}
		need := uncertain(s.runs, p.each, s.unique) - p.part/2
		if need <= 0 { // that is not the reason
			need = math.MaxInt64 / 2
		}
		if before < 2 {
			before = len(s.runs)
		}
		var err error
		if before, err = s.shorten(before, need, p.each); err != nil {
			return nil, err
		}
	}
}

// rangesFor returns how many goroutines may read and sort parts, at most n: a part of each has room for
// a block.
func (s *Sorter[E]) rangesFor(n int) int {
	return n - sort.Search(max(n-1, 0), func(fewer int) bool {
		p := s.form.Plan(s.runs, n-fewer, s.unique, 0)
		return p.part >= largest(s.runs, p.each)
	})
}

// shorten merges groups of adjacent runs that end before a number into one run each, until some bytes of
// elements more are certain or none are left. It returns the number of the first new run. Later runs
// come first: they have longer blocks.
func (s *Sorter[E]) shorten(before int, bytes, each int64) (int, error) {
	for bytes > 0 && before >= 2 {
		from := s.groupBefore(before, bytes, each)
		apart := uncertain(s.runs[from:before], each, s.unique)
		if err := s.mergeGroup(from, before); err != nil {
			return 0, err
		}
		bytes -= apart - s.runs[from].largest(each)
		before = from
	}
	return before, nil
}

// groupBefore returns the number of the first of the runs to merge that end before a number: as many as
// buffers allow, two at least, or fewer if that makes some bytes certain.
func (s *Sorter[E]) groupBefore(before int, bytes, each int64) int {
	from := before - 2
	for ; from > 0 && s.mergeable(s.runs[from-1:before]); from-- {
		group := s.runs[from:before]
		if uncertain(group, each, s.unique)-2*largest(group, each) >= bytes {
			break
		}
	}
	return from
}

// mergeGroup merges the runs [from, to) into one. They stay until it is on disk.
func (s *Sorter[E]) mergeGroup(from, to int) error {
	group := slices.Clone(s.runs[from:to])
	r, err := s.mergeInto(group)
	if err != nil {
		return public(err)
	}
	r.appender = group[len(group)-1].appender
	s.runs = slices.Replace(s.runs, from, to, r)
	s.stats.Merges++
	if s.keeping != nil {
		s.keeping.dirty = true
		if err := s.save(); err != nil {
			return err
		}
	}
	for _, old := range group {
		old.bytes.Free(old.bytes.Blocks())
	}
	return nil
}

// mergeable reports whether the buffers allow to merge runs.
func (s *Sorter[E]) mergeable(runs []*run[E]) bool {
	_, ok := s.planFor(runs, 0, false, s.indexOf(runs))
	return ok && s.sampled(runs)
}

// planFor returns a plan of a merge of runs, and whether it fits the memory that the indices of all runs, some
// bytes more, and the cuts of the merge leave. Parts leave them an eighth of the limit at most: shorter parts
// are merges of fewer runs, and those that are left take indices, too.
func (s *Sorter[E]) planFor(runs []*run[E], n int, together bool, more int64) (plan, bool) {
	indices := s.indexBytes() + more - s.layout.index
	planOf := func(taken int64) plan { return s.planOf(runs, n, together, max(min(taken, s.options.memory/8), 0)) }
	missing := func(p plan) int64 { return indices + cutsBytes(runs, p, together) - p.less - s.form.Unused(p) }
	p := planOf(indices)
	if fits(runs, p, together) {
		if more := missing(p); more > 0 {
			p = planOf(p.less + more + more/16) // of shorter parts there are more
		}
	}
	if !fits(runs, p, together) && len(runs) <= 2 { // no merge makes them fewer
		p = planOf(0)
	}
	if !fits(runs, p, together) {
		return p, false
	}
	if n == 0 {
		p = s.withEnds(p, runs, together)
	}
	p.beyond = max(missing(p), 0)
	p.less = indices + cutsBytes(runs, p, together) - p.beyond
	return p, true
}

// planOf returns a plan whose parts are as short as is wanted.
func (s *Sorter[E]) planOf(runs []*run[E], n int, together bool, less int64) plan {
	p := s.form.Plan(runs, n, together, less)
	p.part = partLen(runs, p, together)
	return p
}

// withEnds returns a plan of shorter parts that leave memory for the last blocks of all runs, which are then read
// once, or p if that is much or the runs do not fit such parts.
func (s *Sorter[E]) withEnds(p plan, runs []*run[E], together bool) plan {
	ends := endsBytes(runs, p.readers) - max(s.form.Unused(p), 0)
	if ends <= 0 || ends > s.options.memory/8 {
		return p
	}
	shorter := s.planOf(runs, 0, together, p.less+ends)
	shorter.less = p.less
	if !fits(runs, shorter, together) || shorter.workers < p.workers {
		return p
	}
	return shorter
}

// cutsBytes bounds the memory of the cuts of a merge: of each run the place, and the splitter.
func cutsBytes[E any](runs []*run[E], p plan, together bool) int64 {
	all := int64(0)
	for _, r := range runs {
		all += max(r.bytes.Size(), r.n*p.each)
	}
	target := p.part - uncertain(runs, p.each, together)
	parts := all/max(target-largest(runs, p.each), target/2, 1) + 2
	return parts * (allocated(8*len(runs)) + int64(unsafe.Sizeof(cut[E]{})) + 16)
}

// indexOf bounds the memory of the index of a run into which others are merged.
func (s *Sorter[E]) indexOf(runs []*run[E]) int64 {
	n, bytes, index, blocks := int64(0), int64(0), int64(0), int64(0)
	for _, r := range runs {
		n, bytes, blocks = n+r.n, bytes+r.bytes.Size(), blocks+int64(r.bytes.Blocks())
		index += r.bytes.Memory() + s.form.IndexBytes(r)
	}
	block, length, count := s.form.Block(n, bytes), n, int64(1)
	if s.coded != nil { // blocks have up to a number of bytes, and of elements
		length = bytes + bytes/4
		count += n / int64(s.coded.mostIn(block))
	}
	return index / blocks * min(length/int64(block)+count, blocks)
}

// mergeInto merges runs into a new one. With Unique, no elements of it tie.
func (s *Sorter[E]) mergeInto(runs []*run[E]) (*run[E], error) {
	p, _ := s.planFor(runs, 0, false, s.indexOf(runs))
	p.less = max(p.less, 0) // what indices leave is for that of the new run
	p = s.aheadFor(p, runs)
	m, err := s.newMerge(runs, p, false)
	if err != nil {
		return nil, err
	}
	bytes := int64(0)
	for _, r := range runs {
		bytes += r.bytes.Size()
	}
	w, err := s.form.NewWriter(m.total, bytes, s.form.Block(m.total, bytes), s.nextNumber())
	if err != nil {
		return nil, err
	}
	defer w.discard()
	var last *E // of the parts before
	err = s.run(m, func() {}, func(_ int, part rows[E]) (bool, error) {
		if n := part.Len(); s.unique && n > 0 {
			part.Compact(last)
			s.stats.Dropped += int64(n - part.Len())
			if part.Len() > 0 {
				e, err := part.Last()
				if err != nil {
					return false, err
				}
				last = &e
			}
		}
		return true, part.Write(w)
	})
	if err == nil && s.unique {
		err = w.shorten()
	}
	if err != nil {
		return nil, err
	}
	return w.close()
}

// partLen returns the bytes of a part of a plan: as few as are wanted.
func partLen[E any](runs []*run[E], p plan, together bool) int64 {
	return min(p.part, wantedPart(runs, p, together))
}

// wantedPart returns the fewest bytes of a part that is merged at speed: as many as the cache holds, or
// more for slices that are long enough to be read at speed.
func wantedPart[E any](runs []*run[E], p plan, together bool) int64 {
	const cache, slice = 2 << 20, spill.MostRead * 2 / 3
	apart := uncertain(runs, p.each, together)
	return max(cache, slice*int64(len(runs)), 2*apart, apart+largest(runs, p.each))
}

// leastAhead is the number of bytes that are read with one wait from which on it pays, if they are not
// half a part.
const leastAhead = 4 << 20

// fewestAhead is the number of bytes for which reading ahead pays at all.
const fewestAhead = 64 << 10

// readsAhead reports whether the system reads blocks of all runs ahead, and that pays: parts have more
// slices than are read at a time without it.
func (s *Sorter[E]) readsAhead(runs []*run[E]) bool {
	return !slices.ContainsFunc(runs, func(r *run[E]) bool { return !r.bytes.ReadsAhead() }) && s.overlap(runs)
}

// overlap reports whether more than mostReaders runs have elements about a key, on average of middle
// samples of up to 16 runs. It is one where the input was in order.
func (s *Sorter[E]) overlap(runs []*run[E]) bool {
	step := max((len(runs)+15)/16, 1)
	left := (mostReaders + 1) * ((len(runs) + step - 1) / step)
	for k := 0; k < len(runs); k += step {
		middle := runs[k].firsts
		for _, r := range runs {
			last := len(r.firsts) - 1
			if len(middle) > 0 && last >= 0 {
				if x := middle[len(middle)/2]; s.order.Compare(r.firsts[0], x) > 0 || s.order.Compare(x, r.firsts[last]) > 0 {
					continue
				}
			}
			if left--; left == 0 {
				return true
			}
		}
	}
	return false
}

// aheadFor returns a plan in which one reader has memory for all slices of two parts, or for many of
// them, if there is that much. What a plan leaves is for the last blocks of parts.
func (s *Sorter[E]) aheadFor(p plan, runs []*run[E]) plan {
	if one, ok := s.oneReader(p, runs); ok {
		return one
	}
	p.ends = max(min(endsBytes(runs, p.readers), s.unused(p, runs)), 0)
	return p
}

// oneReader returns a plan of one reader that reads ahead, or false if there is too little memory.
func (s *Sorter[E]) oneReader(p plan, runs []*run[E]) (plan, bool) {
	if !s.readsAhead(runs) {
		return p, false
	}
	most := p.part
	for _, r := range runs {
		most += 2 * int64(r.bytes.Block()+spill.Align)
	}
	least := min(p.part/2, leastAhead) / spill.Align * spill.Align
	p.readers = 1
	free := s.unused(p, runs)
	p.ends = max(min(endsBytes(runs, 1), free/2), 0)
	p.ahead = int(min((free-p.ends)/2, most) / spill.Align * spill.Align)
	return p, int64(p.ahead) >= max(least, fewestAhead)
}

// unused returns the memory that a merge of a plan leaves.
func (s *Sorter[E]) unused(p plan, runs []*run[E]) int64 {
	free := s.form.Unused(p)
	if s.unique {
		free -= int64(longest(runs)) // the last element of the part before
	}
	return free
}
