package cpu

import (
	"cmp"
	"slices"
	"sort"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Inputs that rise, except for a few falls, are laid out without a sort of all elements. There
// are two cases. Runs follow each other in another order, as in a rotated list. Or some
// elements, the strays, are dropped, sorted and merged with the rest, which stays in runs that
// move as a whole or not at all: the drop-merge sort of Kiełbasa (dmsort) with another rule
// for the elements to drop. Inputs that fall, except for a few rises, are read from their end.
//
// The rule: two kept neighbours that are out of order are both dropped. Any other rule must
// drop at least one of the two, so this one drops at most twice the minimum. It takes linear
// time: the kept runs are a stack.
//
// Only blocks with a fall are read again. Elements that are not dropped are not moved one by
// one.
const (
	// A layout is sought if at most n/nearFalls elements are below their predecessors, and
	// used if at most n/nearDropped are dropped. At the limit it is twice as fast as a
	// partition. An input over the limit costs a few comparisons for each dropped element.
	nearFalls   = 32
	nearDropped = 16

	// mostBlocks bounds the number of runs that may follow each other in another order;
	// blockLen bounds their mean length from below.
	mostBlocks = 1 << 10
	blockLen   = 1 << 10
)

// finding is the memory of the search for a layout.
type finding struct {
	falls, runs             scratch.Memory
	order, blocks           scratch.Memory // runs that may be blocks; cutting a run adds two segments
	kept                    scratch.Memory
	strays, codes, before   scratch.Memory // strays and their sort
	starts, ranks, segments scratch.Memory
}

// layOutFinding lays out the search for a layout of n codes of the given size.
func layOutFinding(a *scratch.Area, n, workers int, code uintptr) (m finding) {
	if n < 2 {
		return m
	}
	const span, segment, rank = unsafe.Sizeof(span{}), unsafe.Sizeof(segment{}), unsafe.Sizeof(rank{})
	blocks, strays := blocksOf(n), n/nearDropped
	falls := max(n/nearFalls, blocks)
	engine.LayOutBuffers(a, workers, code)
	m.falls, m.runs, m.kept = a.Memory(falls, 4), a.Memory(falls+1, span), a.Memory(falls+1, span)
	m.order, m.blocks = a.Memory(blocks, span), a.Memory(3*blocks, segment)
	if strays == 0 { // see layout
		return m
	}
	m.strays, m.before, m.codes = a.Memory(strays, 4), a.Memory(strays, 4), a.Memory(strays, code)
	m.starts, m.ranks, m.segments = a.Memory(falls+2, 4), a.Memory(strays, rank), a.Memory(falls+1+2*strays, segment)
	if a != nil {
		layOutFinding(a, strays, workers, code)
		layOutOrdering(a, strays, workers, alone(strays, workers, 0), code, 4)
	}
	return m
}

// LayoutBytes bounds the memory, in bytes, of [Detect] and [Settle] for n elements of the
// given size.
func LayoutBytes(n, workers int, size uintptr) int64 {
	var a scratch.Area
	layOutFinding(&a, n, workers, 8)
	layOutSettle(&a, n, size)
	return a.Bytes()
}

// words is a view of codes: code == word ^ flip. made means that the view makes words in a
// buffer instead of returning memory of the input.
type words[C Code] struct {
	view view[C]
	flip C
	made bool
}

// buffers returns buffers for the words, none if they are in memory.
func (w words[C]) buffers(env *engine.Env) engine.Buffers[C] {
	if !w.made {
		return engine.Buffers[C]{}
	}
	return engine.NewBuffers[C](env)
}

// span is the elements [lo, hi).
type span struct{ lo, hi uint32 }

// finder finds layouts from the falls and rises of the input. It numbers elements in reading
// order: from the end if back is set.
type finder struct {
	env  *engine.Env
	n    int
	back bool
	*marks

	// scan appends to falls the elements of [lo, hi) that are below their predecessors, or
	// above them if back is set.
	scan    func(falls []uint32, worker, lo, hi int, back bool) []uint32
	compare func(i, j uint32) int       // compares two elements by their keys
	sort    func(strays []uint32) error // stable, by key
	alone   bool                        // compare is not safe for concurrent use
	memory  finding

	// search returns how many of n elements that are in order, numbered from lo on, come
	// before element x.
	search func(lo, n, x uint32) uint32
}

// detect returns the layout of elements that are not in order, nil if there is none. Ties are
// in input order, or reversed if the layout is read from the end.
func (f *finder) detect() (*Layout, error) {
	few := f.falls < blocksOf(f.n)
	switch {
	case f.chunks == nil:
		return nil, nil // falls were not counted to the end
	case few: // try blocks first: they keep ties in input order
		if l, err := f.detectFrom(false); l != nil || err != nil {
			return l, err
		}
	}
	switch {
	case f.rises == 0:
		f.env.Trace.Found(engine.Reversed)
		l := whole(f.n)
		l.back, l.ties, l.alone = true, f.tied, f.alone
		return l, nil
	case min(f.falls, f.rises) > f.n/nearFalls:
		return nil, nil
	}
	// Reading from the end reverses ties, which costs another pass.
	back := f.rises < f.falls/2 || f.falls > f.n/nearFalls
	if few && !back {
		return nil, nil // was tried
	}
	return f.detectFrom(back)
}

// detectFrom is detect in one reading direction.
func (f *finder) detectFrom(back bool) (*Layout, error) {
	f.back = back
	runs, err := f.runs()
	if err != nil {
		return nil, err
	}
	l, err := f.layout(runs)
	scratch.Give(&f.env.Arena, runs, 1)
	if err = f.env.Stopped(err); err != nil {
		return nil, err // results of cancelled comparisons are undefined
	}
	if l != nil && back {
		l.ties = f.tied || f.meet(l.segments)
	}
	return l, err
}

// blocksOf bounds the number of runs that [finder.blocks] accepts for n elements.
func blocksOf(n int) int { return max(2, min(mostBlocks, n/blockLen)) }

// detect returns the layout of codes that were surveyed as v and are not sorted, nil if there
// is none. at returns the code of element i.
func detect[C Code](env *engine.Env, n int, words words[C], at func(i uint32) C, v survey[C]) (*Layout, error) {
	buffers := words.buffers(env)
	defer buffers.Give()
	f := finder{env: env, n: n, marks: &v.marks, memory: layOutFinding(nil, n, 0, unsafe.Sizeof(v.min)), compare: func(i, j uint32) int { return cmp.Compare(at(i), at(j)) }}
	f.scan = func(falls []uint32, worker, lo, hi int, back bool) []uint32 {
		return fallsOf(falls, words.view, lo, hi, buffers.Of(worker), words.flip, back)
	}
	f.sort = func(strays []uint32) error { return sortStrays(&f, strays, at) }
	f.search = func(lo, n, x uint32) uint32 { return searchCodes(&f, lo, n, x, at) }
	return f.detect()
}

// searchCodes is search by codes, which reads that of x once.
func searchCodes[C Code](f *finder, lo, n, x uint32, at func(i uint32) C) uint32 {
	first, code := lo, at(f.element(x))
	for n > 0 {
		half := n / 2
		middle := lo + half
		if c := at(f.element(middle)); c < code || c == code && middle < x {
			lo, n = middle+1, n-half-1
		} else {
			n = half
		}
	}
	return lo - first
}

// searchBy is search by compare.
func (f *finder) searchBy(lo, n, x uint32) uint32 {
	return uint32(sort.Search(int(n), func(i int) bool { return !f.before(lo+uint32(i), x) }))
}

// detectIn is detect for codes in memory.
func detectIn[C Code](env *engine.Env, codes []C, v survey[C]) (*Layout, error) {
	return detect(env, len(codes), words[C]{view: in(codes)}, func(i uint32) C { return codes[i] }, v)
}

// detectByKeys is detectIn by whole keys. It returns nil if these were not compared to the
// end.
func detectByKeys[C Code](env *engine.Env, codes []C, keys KeyComparer[C], v survey[C]) (*Layout, error) {
	if v.byKeys == nil {
		return nil, nil
	}
	if keys.Concurrent() && v.byKeys.scattered() {
		return nil, nil // the sort by codes finds that they are nearly sorted, and compares no keys
	}
	f := finder{env: env, n: len(codes), marks: v.byKeys, memory: layOutFinding(nil, len(codes), 0, unsafe.Sizeof(v.min)), alone: !keys.Concurrent()}
	f.compare = func(i, j uint32) int {
		if c := cmp.Compare(codes[i], codes[j]); c != 0 {
			return c
		}
		return keys.Compare(i, j)
	}
	f.scan, f.sort, f.search = f.scanBy, f.sortBy, f.searchBy
	return f.detect()
}

// Detect returns the layout of n > 0 elements, nil if there is none. follow counts the steps
// of elements [lo, hi) and compare compares two elements; both are called from several
// goroutines. Scratch is bounded by [LayoutBytes].
func Detect(env *engine.Env, n int, follow func(lo, hi int) Steps, compare func(i, j uint32) int) (*Layout, error) {
	var t stepCounter
	t.begin(n, chunkOf(env, n))
	err := env.Stage("survey", n, t.found.each, func(_, lo, hi int) {
		for ; lo < hi && !t.tooMany() && env.Loop.Err() == nil; lo += engine.Block {
			t.count(lo, follow(lo, min(lo+engine.Block, hi)))
		}
	})
	if err = env.Stopped(err); err != nil {
		return nil, err
	}
	m := t.marks()
	switch {
	case m == nil:
		return nil, nil
	case m.sorted():
		env.Trace.Found(engine.Sorted)
		if m.rises == 0 {
			env.Trace.Found(engine.Flat)
		}
		return &Layout{n: n}, nil
	}
	f := finder{env: env, n: n, marks: m, memory: layOutFinding(nil, n, 0, 8), compare: compare}
	f.scan, f.sort, f.search = f.scanBy, f.sortBy, f.searchBy
	return f.detect()
}

// scanBy is scan by compare.
func (f *finder) scanBy(falls []uint32, _, lo, hi int, back bool) []uint32 {
	for i := max(lo, 1); i < hi; i++ {
		if c := f.compare(uint32(i), uint32(i-1)); c < 0 && !back || c > 0 && back {
			falls = append(falls, uint32(i))
		}
	}
	return falls
}

// sortBy is sort by compare. Once the context is cancelled all elements compare equal, which
// ends the sort soon.
func (f *finder) sortBy(strays []uint32) error {
	calls, stop := 0, false
	slices.SortFunc(strays, func(i, j uint32) int {
		if calls++; calls%engine.Block == 0 {
			stop = f.env.Loop.Err() != nil
		}
		if stop {
			return 0
		}
		return cmp.Or(f.compare(f.element(i), f.element(j)), cmp.Compare(i, j))
	})
	return f.env.Loop.Err()
}

// runs returns the maximal runs of elements that do not fall, in reading order.
func (f *finder) runs() ([]span, error) {
	starts := make([]int, len(f.chunks)+1) // by chunk: index of its first fall
	for i := range f.chunks {
		starts[i+1] = starts[i] + f.chunks[i].count(f.back)
	}
	falls, counts := scratch.PartIn[uint32](&f.env.Arena, f.memory.falls, starts[len(f.chunks)]), make([]int, len(f.chunks))
	defer scratch.Give(&f.env.Arena, falls, 1)
	grain := 1
	if f.alone {
		grain = len(f.chunks)
	}
	err := f.env.Stage("detect", len(f.chunks), grain, func(worker, from, to int) {
		for i := from; i < to; i++ {
			own, end := falls[starts[i]:starts[i]:starts[i+1]], min((i+1)*f.each, f.n)
			for lo := i * f.each; lo < end && len(own) < cap(own) && f.env.Loop.Err() == nil; lo += engine.Block {
				if f.chunks[i].has((lo-i*f.each)/engine.Block, f.back) {
					own = f.scan(own, worker, lo, min(lo+engine.Block, end), f.back)
				}
			}
			counts[i] = min(len(own), starts[i+1]-starts[i]) // more if keys have changed since they were counted
		}
	})
	if err = f.env.Stopped(err); err != nil {
		return nil, err
	}
	all := falls[:0]
	for i, n := range counts {
		all = append(all, falls[starts[i]:][:n]...)
	}
	falls = all
	runs, last := scratch.PartIn[span](&f.env.Arena, f.memory.runs, len(falls)+1), uint32(0)
	for i := range falls {
		end := falls[i]
		if f.back {
			end = uint32(f.n) - falls[len(falls)-1-i]
		}
		runs[i], last = span{last, end}, end
	}
	runs[len(falls)] = span{last, uint32(f.n)}
	return runs, nil
}

// count returns the number of elements below their predecessors, or above them if back is set.
func (p *chunkMarks) count(back bool) int {
	if back {
		return p.rises
	}
	return p.falls
}

// has reports whether block b has an element that count counts.
func (p *chunkMarks) has(b int, back bool) bool {
	if back {
		return p.rose>>b&1 != 0
	}
	return p.fell>>b&1 != 0
}

// fallsOf appends the numbers of the codes [lo, hi) that are below their predecessors, or
// above them if back is set. code == word ^ flip.
func fallsOf[C Code](falls []uint32, words view[C], lo, hi int, buf []C, flip C, back bool) []uint32 {
	const few = 64 // words surveyed together
	last := words(max(lo-1, 0), max(lo, 1), buf)[0] ^ flip
	for block := words(lo, hi, buf); len(block) > 0; {
		some := block[:min(few, len(block))]
		if v := summaryFlipped(some, flip); v.falls > 0 && !back || v.rises > 0 && back {
			falls = appendFalls(falls, last, some, lo, flip, back)
		} else if c := some[0] ^ flip; c < last && !back || c > last && back {
			falls = append(falls, uint32(lo))
		}
		last, block, lo = some[len(some)-1]^flip, block[len(some):], lo+len(some)
	}
	return falls
}

// appendFalls is fallsOf for words from number lo on; last is the code before them.
func appendFalls[C Code](falls []uint32, last C, words []C, lo int, flip C, back bool) []uint32 {
	for i, w := range words {
		c := w ^ flip
		if c < last && !back || c > last && back {
			falls = append(falls, uint32(lo+i))
		}
		last = c
	}
	return falls
}

// sortStrays sorts the numbers of elements by their codes, stably.
func sortStrays[C Code](f *finder, strays []uint32, at func(i uint32) C) error {
	codes, before := scratch.PartIn[C](&f.env.Arena, f.memory.codes, len(strays)), scratch.PartIn[uint32](&f.env.Arena, f.memory.before, len(strays))
	copy(before, strays)
	for i, x := range strays {
		codes[i] = at(f.element(x))
	}
	v, err := surveyAll(f.env, "survey", len(codes), in(codes))
	if err != nil {
		return err
	}
	return orderCodes(f.env, codes, v, false, func(_, lo int, order []uint32, _ []C) {
		for i, x := range order {
			strays[lo+i] = before[x]
		}
	})
}

// element returns the input position of element number i.
func (f *finder) element(i uint32) uint32 {
	if f.back {
		return uint32(f.n-1) - i
	}
	return i
}

// above reports whether element i is above element j.
func (f *finder) above(i, j uint32) bool { return f.compare(f.element(i), f.element(j)) > 0 }

// before reports whether element i comes before element j.
func (f *finder) before(i, j uint32) bool {
	c := f.compare(f.element(i), f.element(j))
	return c < 0 || c == 0 && i < j
}

// layout returns the layout of an input with the given runs, nil if there are too many strays.
// Elements in no run are strays.
func (f *finder) layout(runs []span) (*Layout, error) {
	first := f.env.Trace.Rounds == 0
	l := &Layout{n: f.n, back: f.back, alone: f.alone}
	if l.segments = f.blocks(runs); l.segments != nil {
		shape := engine.Rotated
		if slices.ContainsFunc(l.segments, func(g segment) bool { return int(g.n) >= f.n-f.n/nearDropped }) {
			shape = f.nearShape()
		}
		f.env.Trace.Found(shape)
		return l, nil
	}
	if f.n < nearDropped {
		return nil, nil // no stray is admitted, and a fall drops two elements
	}
	kept, dropped, err := f.keep(runs)
	if err != nil {
		return nil, err
	}
	if dropped > f.n/nearDropped {
		scratch.Give(&f.env.Arena, kept, 1)
		return nil, nil
	}
	strays := outside(kept, f.n, scratch.PartIn[uint32](&f.env.Arena, f.memory.strays, dropped))
	if err := f.sort(strays); err != nil {
		return nil, err
	}
	ranks, err := f.ranks(kept, strays)
	if err != nil {
		return nil, err
	}
	l.segments = segments(kept, strays, ranks, scratch.PartIn[segment](&f.env.Arena, f.memory.segments, len(kept)+2*dropped))
	if first { // sorting the strays has reported their own shape
		f.env.Trace.Shape = f.nearShape()
	}
	return l, nil
}

// nearShape returns the shape of a layout in which most elements keep their sequence.
func (f *finder) nearShape() engine.Shape {
	if f.back {
		return engine.NearlyReversed
	}
	return engine.NearlySorted
}

// meet reports whether a segment begins with an element equal to the last of the segment
// before. Equal elements are neighbours in the layout, inside a segment or where two meet.
func (f *finder) meet(segments []segment) bool {
	for i := 1; i < len(segments); i++ {
		a, b := segments[i-1], segments[i]
		if f.compare(f.element(a.src+a.n-1), f.element(b.src)) == 0 {
			return true
		}
	}
	return false
}

// blocks returns the segments of runs that follow each other in another order, nil if there
// are too many runs or runs overlap. The longest segment moves in place.
func (f *finder) blocks(runs []span) []segment {
	if len(runs) > blocksOf(f.n) {
		return nil
	}
	order := scratch.PartIn[span](&f.env.Arena, f.memory.order, len(runs))
	defer scratch.Give(&f.env.Arena, order, 1)
	copy(order, runs)
	slices.SortFunc(order, func(a, b span) int {
		return cmp.Or(f.compare(f.element(a.lo), f.element(b.lo)), cmp.Compare(a.lo, b.lo))
	})
	all := scratch.PartIn[segment](&f.env.Arena, f.memory.blocks, 3*len(order))[:0] // cutting a run adds two segments
	for i, r := range order {
		next := segment{0, r.lo, r.hi - r.lo, true}
		if i > 0 && f.before(r.lo, order[i-1].hi-1) {
			last := &all[len(all)-1]
			end, begin := f.share(*last, next)
			if end == 0 || end == last.n || begin == 0 || begin == next.n {
				scratch.Give(&f.env.Arena, all[:0], 1)
				return nil
			}
			// Elements equal to the first of next lie at the end of last and at the beginning
			// of next. Those of next come first in the input.
			last.n -= end
			all = append(all, segment{0, next.src, begin, true}, segment{0, last.src + last.n, end, true})
			next.src, next.n = next.src+begin, next.n-begin
		}
		all = append(all, next)
	}
	place, longest := uint32(0), 0
	for i := range all {
		all[i].dst = place
		if place += all[i].n; all[i].n > all[longest].n {
			longest = i
		}
	}
	if int(place) < f.n { // some elements are in no run
		scratch.Give(&f.env.Arena, all[:0], 1)
		return nil
	}
	all[longest].aside = false
	return all
}

// share returns how many elements at the end of a and at the beginning of b equal the first
// element of b.
func (f *finder) share(a, b segment) (end, begin uint32) {
	first := f.element(b.src)
	end = a.n - uint32(sort.Search(int(a.n), func(i int) bool { return f.compare(f.element(a.src+uint32(i)), first) >= 0 }))
	begin = uint32(sort.Search(int(b.n), func(i int) bool { return f.compare(f.element(b.src+uint32(i)), first) > 0 }))
	if f.compare(f.element(a.src+a.n-1), first) != 0 {
		end = 0
	}
	return end, begin
}

// runStack selects the kept elements of a part of the input.
type runStack struct {
	*finder
	spans   []span // the kept elements so far: a stack, in order
	dropped int
}

// add appends a run.
func (k *runStack) add(r span) {
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

// keep returns the kept elements as spans, and the number of dropped ones. A number above
// n/nearDropped means that it gave up. Each worker handles a part of the runs; then the spans
// of all parts are joined by the same rule.
func (f *finder) keep(runs []span) (kept []span, dropped int, err error) {
	most := f.n / nearDropped
	dropped = f.n
	for _, r := range runs {
		dropped -= int(r.hi - r.lo)
	}
	workers := f.env.Loop.Workers
	if f.alone {
		workers = 1
	}
	cut, spans := stripesOf(len(runs), workers, 0), scratch.PartIn[span](&f.env.Arena, f.memory.kept, len(runs))
	parts := make([]runStack, cut.count)
	err = f.env.Stage("detect", cut.count, 1, func(_, i, _ int) {
		lo, hi := cut.stripe(i)
		k := &parts[i]
		k.finder, k.spans = f, spans[lo:lo:hi]
		for i, r := range runs[lo:hi] {
			if dropped+k.dropped > most || i%chunk == 0 && f.env.Loop.Err() != nil {
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

// rank is the number of kept elements before a stray, and the span of the next kept element.
type rank struct{ kept, span uint32 }

// ranks returns the ranks of strays, which are sorted.
func (f *finder) ranks(kept []span, strays []uint32) ([]rank, error) {
	starts, sum := scratch.PartIn[uint32](&f.env.Arena, f.memory.starts, len(kept)+1), uint32(0)
	for i, s := range kept {
		starts[i], sum = sum, sum+s.hi-s.lo
	}
	starts[len(kept)] = sum
	ranks, each := scratch.PartIn[rank](&f.env.Arena, f.memory.ranks, len(strays)), engine.Block
	if f.alone {
		each = max(1, len(strays))
	}
	err := f.env.Stage("merge", len(strays), each, func(_, lo, hi int) {
		k := sort.Search(len(kept), func(k int) bool { return !f.before(kept[k].hi-1, strays[lo]) })
		for j := lo; j < hi; j++ {
			if j%engine.Block == 0 && f.env.Loop.Err() != nil {
				return
			}
			x := strays[j]
			for k < len(kept) && f.before(kept[k].hi-1, x) {
				k++
			}
			ranks[j] = rank{starts[k], uint32(k)}
			if k < len(kept) {
				s := kept[k]
				ranks[j].kept += f.search(s.lo, s.hi-s.lo, x)
			}
		}
	})
	return ranks, f.env.Stopped(err)
}

// segments merges kept spans with strays by their ranks. cap(out) suffices for all segments.
func segments(kept []span, strays []uint32, ranks []rank, out []segment) []segment {
	out = out[:0]
	place, k, from := uint32(0), 0, uint32(0) // next place; next kept element: offset from in span k
	add := func(src, n uint32) {
		if n > 0 {
			out = append(out, segment{place, src, n, false})
			place += n
		}
	}
	done := uint32(0) // kept elements that are placed
	for j, x := range strays {
		for done < ranks[j].kept {
			s := kept[k]
			n := min(s.hi-s.lo-from, ranks[j].kept-done)
			add(s.lo+from, n)
			done, from = done+n, from+n
			if from == s.hi-s.lo {
				k, from = k+1, 0
			}
		}
		out = append(out, segment{place, x, 1, true})
		place++
	}
	for ; k < len(kept); k, from = k+1, 0 {
		add(kept[k].lo+from, kept[k].hi-kept[k].lo-from)
	}
	return out
}
