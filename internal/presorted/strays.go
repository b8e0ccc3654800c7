package presorted

import (
	"math"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Kept elements are in order without the strays: the drop-merge sort of Kiełbasa (dmsort) with
// another rule for the elements to drop.
//
// The rule: two kept neighbours that are out of order are both dropped. Any other rule must
// drop at least one of the two, so this one drops at most twice the minimum. It takes linear
// time: the kept runs are a stack. At the end, dropped elements that fit between the kept ones
// on both sides are kept again: of an input with few strays far apart, all but the strays.
//
// Elements that are not dropped are not moved one by one.

// runStack selects the kept elements of a part of the input.
type runStack[C engine.Code] struct {
	*finder[C]
	spans   []span // the kept elements so far: a stack, in order
	dropped int
}

// add appends a run.
func (k *runStack[C]) add(r span) {
	for r.lo < r.hi && len(k.spans) > 0 {
		top := &k.spans[len(k.spans)-1]
		if !k.above(top.hi-1, r.lo) {
			if top.hi == r.lo {
				top.hi = r.hi
				return
			}
			break
		}
		r.lo++
		k.dropped += 2
		if top.hi--; top.lo == top.hi {
			k.spans = k.spans[:len(k.spans)-1]
		}
	}
	if r.lo < r.hi {
		k.spans = append(k.spans, r)
	}
}

// keep returns the kept elements as spans, and the number of dropped ones. Elements in no run
// are dropped. A number above n/nearDropped means that it gave up. Each worker handles a part
// of the runs; then the spans of all parts are joined by the same rule.
func (f *finder[C]) keep(runs []span) (kept []span, dropped int, err error) {
	most := f.n / nearDropped
	dropped = f.n
	for _, r := range runs {
		dropped -= int(r.hi - r.lo)
	}
	grain, spans := f.grain(len(runs)), scratch.PartIn[span](&f.env.Arena, f.memory.kept, len(runs))
	parts := make([]runStack[C], (len(runs)-1)/grain+1)
	err = f.env.Stage("detect", len(runs), grain, func(_, lo, hi int) {
		k := &parts[lo/grain]
		k.finder, k.spans = f, spans[lo:lo:hi]
		for i, r := range runs[lo:hi] {
			if dropped+k.dropped > most || i%engine.Chunk == 0 && f.env.Loop.Err() != nil {
				return
			}
			k.add(r)
		}
	})
	if err = f.env.Stopped(err); err != nil {
		return nil, 0, err
	}
	all := &parts[0]
	all.spans = spans[:len(all.spans)] // the stack grows over spans of later parts that are already joined
	for _, k := range parts {
		dropped += k.dropped
	}
	for _, k := range parts[1:] {
		for _, r := range k.spans {
			if before := all.dropped; dropped <= most {
				all.add(r)
				dropped += all.dropped - before
			}
		}
	}
	return all.spans, dropped, nil
}

// leastRuns is the least number of runs that justify another worker.
const leastRuns = 4 * engine.Block

// grain returns how many of n runs a worker takes at a time: all of them if one worker must compare elements.
func (f *finder[C]) grain(n int) int {
	if f.alone || f.env.Loop.Workers <= 1 {
		return max(1, n)
	}
	return f.env.Loop.Turn(n, leastRuns, math.MaxInt)
}

// keepMore keeps dropped elements at both ends of the gaps between kept spans while they fit:
// they are in order with all kept elements. It returns the codes of the last elements of spans,
// nil if codes do not decide.
func (f *finder[C]) keepMore(kept []span) (ends []C, err error) {
	if f.rest == nil {
		ends = scratch.PartIn[C](&f.env.Arena, f.memory.ends, len(kept))
	}
	err = f.env.Stage("detect", len(kept), f.grain(len(kept)), func(_, lo, hi int) {
		for k := lo; k < hi; k++ { // workers share spans, but no end of a span
			if k%engine.Chunk == 0 && f.env.Loop.Err() != nil {
				return
			}
			next := &span{lo: kept[k].hi}
			if k+1 < len(kept) {
				next = &kept[k+1]
			}
			if f.rest != nil {
				f.narrow(&kept[k], next)
			} else {
				ends[k] = f.narrowByCodes(&kept[k], next)
			}
		}
	})
	return ends, f.env.Stopped(err)
}

// narrow appends elements of the gap between two spans to one or the other while they fit.
func (f *finder[C]) narrow(a, b *span) {
	hi, lo := a.hi, b.lo
	for hi < lo && !f.above(hi-1, hi) && !f.above(hi, lo) {
		hi++
	}
	for hi < lo && !f.above(lo-1, lo) && !f.above(hi-1, lo-1) {
		lo--
	}
	a.hi, b.lo = hi, lo
}

// narrowByCodes is narrow if codes decide. It returns the code of the last element of a.
func (f *finder[C]) narrowByCodes(a, b *span) C {
	hi, lo := a.hi, b.lo
	most := f.code(f.element(hi - 1))
	if hi == lo {
		return most
	}
	least := f.code(f.element(lo))
	for ; hi < lo; hi++ {
		c := f.code(f.element(hi))
		if c < most || c > least {
			break
		}
		most = c
	}
	for ; hi < lo; lo-- {
		c := f.code(f.element(lo - 1))
		if c < most || c > least {
			break
		}
		least = c
	}
	a.hi, b.lo = hi, lo
	return most
}

// outside writes the numbers below n that are in no span to out, which is long enough.
func outside(spans []span, n int, out []uint32) []uint32 {
	next, k := uint32(0), 0
	for i := 0; i <= len(spans); i++ {
		s := span{uint32(n), uint32(n)}
		if i < len(spans) {
			s = spans[i]
		}
		for ; next < s.lo; next++ {
			out[k] = next
			k++
		}
		next = s.hi
	}
	return out[:k]
}
