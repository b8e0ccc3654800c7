package presorted

import (
	"cmp"
	"slices"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Inputs that rise, except for a few falls, are laid out without a sort of all elements. There
// are two cases. Runs follow each other in another order, as in a rotated list: see
// blocks.go. Or some elements, the strays, are sorted and merged with the rest, which
// stays in runs that move as a whole or not at all: see strays.go and merge.go.
// Inputs that fall, except for a few rises, are read from their end.
//
// Moves are sought if at most n/nearFalls elements are below their predecessors, and used if
// at most n/nearDropped are dropped. At the limit they are twice as fast as a partition. An input
// over the limit costs a few comparisons for each dropped element.
const (
	nearFalls   = 32
	nearDropped = 16
)

// finderMemory is the memory of the search for moves.
type finderMemory struct {
	falls, runs             scratch.Memory
	order, blocks           scratch.Memory // runs that may be blocks; cutting a run adds two segments
	kept, ends              scratch.Memory // kept spans; codes of their last elements
	strays, codes, before   scratch.Memory // strays and their sort
	starts, ranks, segments scratch.Memory
}

// SizeFind sizes the search for moves of n codes of the given size. sort sizes the sort of its strays; nil if whole
// keys decide. a may be nil.
func SizeFind(a *scratch.Area, n, workers int, code uintptr, sort func(strays int)) {
	sizeFind(a, n, workers, code, sort)
}

func sizeFind(a *scratch.Area, n, workers int, code uintptr, sort func(strays int)) (m finderMemory) {
	if n < 2 {
		return m
	}
	const span, segment = unsafe.Sizeof(span{}), unsafe.Sizeof(segment{})
	blocks, strays := blocksOf(n), n/nearDropped
	falls := max(n/nearFalls, blocks)
	engine.SizeBuffers(a, workers, code)
	m.falls, m.runs, m.kept = a.Memory(falls, 4), a.Memory(falls+1, span), a.Memory(falls+1, span)
	m.order, m.blocks = a.Memory(blocks, span), a.Memory(3*blocks, segment)
	if strays == 0 { // see moves
		return m
	}
	m.ends = a.Memory(falls+1, code)
	m.strays, m.before, m.codes = a.Memory(strays, 4), a.Memory(strays, 4), a.Memory(strays, code)
	m.starts, m.ranks, m.segments = a.Memory(falls+2, 4), a.Memory(strays, 4), a.Memory(falls+1+strays, segment)
	if sort != nil {
		sort(strays)
	}
	return m
}

// SortFunc orders codes, ties by place, and calls place for parts of the order: the codes that come lo-th, lo+1-th, ….
// It may overwrite codes, and call place from several goroutines.
type SortFunc[C engine.Code] func(env *engine.Env, codes []C, place func(lo int, order []uint32)) error

// Find returns the moves of n codes that were surveyed as v and are not sorted, nil if there are none. sort sorts
// strays. Scratch is bounded by [SizeFind].
func Find[C engine.Code](env *engine.Env, n int, words Words[C], v Survey[C], sort SortFunc[C]) (*Moves, error) {
	f := newFinder(env, n, words, &v.Marks)
	f.sortCodes = sort
	return f.find()
}

// FindByKeys is [Find] of codes in memory, by the whole keys of which they are the prefixes. It returns nil if these
// were not compared to the end, or are not nearly in order.
func FindByKeys[C engine.Code](env *engine.Env, codes []C, v Survey[C], keys Comparer) (*Moves, error) {
	if v.ByKeys == nil {
		return nil, nil
	}
	f := newFinder(env, len(codes), InMemory(codes, 0), v.ByKeys)
	f.rest, f.alone = keys.Compare, !keys.Concurrent()
	return f.find()
}

// findByKeys is [Find] of n elements with the given marks, by comparisons alone.
func findByKeys(env *engine.Env, n int, m *Marks, compare func(i, j uint32) int) (*Moves, error) {
	f := newFinder(env, n, Words[uint64]{At: func(uint32) uint64 { return 0 }}, m)
	f.rest = compare
	return f.find()
}

// finder finds moves from the falls and rises of the input. It numbers elements in reading
// order: from the end if back is set.
type finder[C engine.Code] struct {
	env  *engine.Env
	n    int
	back bool
	*Marks
	Words[C]
	bufs      engine.Buffers[C]
	rest      func(i, j uint32) int // compares the rest of two keys whose codes are equal; nil: there is none
	alone     bool                  // rest is not safe for concurrent use
	sortCodes SortFunc[C]           // unless rest decides
	memory    finderMemory
}

// newFinder returns a finder for n elements with the given marks.
func newFinder[C engine.Code](env *engine.Env, n int, words Words[C], m *Marks) *finder[C] {
	return &finder[C]{env: env, n: n, Marks: m, Words: words, memory: sizeFind(nil, n, 0, unsafe.Sizeof(C(0)), nil)}
}

// element returns the input position of element number i.
func (f *finder[C]) element(i uint32) uint32 {
	if f.back {
		return uint32(f.n-1) - i
	}
	return i
}

// comparePlaces compares the elements at two input positions.
func (f *finder[C]) comparePlaces(i, j uint32) int {
	if c := cmp.Compare(f.code(i), f.code(j)); c != 0 || f.rest == nil {
		return c
	}
	return f.rest(i, j)
}

// compare compares elements number i and j.
func (f *finder[C]) compare(i, j uint32) int { return f.comparePlaces(f.element(i), f.element(j)) }

// above reports whether element i is above element j.
func (f *finder[C]) above(i, j uint32) bool {
	i, j = f.element(i), f.element(j)
	if a, b := f.code(i), f.code(j); a != b || f.rest == nil {
		return a > b
	}
	return f.rest(i, j) > 0
}

// before reports whether element i comes before element j.
func (f *finder[C]) before(i, j uint32) bool {
	c := f.compare(i, j)
	return c < 0 || c == 0 && i < j
}

// find returns the moves of elements that are not in order, nil if there are none. Ties are
// in input order, or reversed if the input is read from the end.
func (f *finder[C]) find() (*Moves, error) {
	if f.chunks == nil {
		return nil, nil // falls were not counted to the end
	}
	f.bufs = f.buffers(f.env)
	defer f.bufs.Give()
	few := f.Falls < blocksOf(f.n)
	if few { // try blocks first: they keep ties in input order
		if l, err := f.findFrom(false); l != nil || err != nil {
			return l, err
		}
	}
	switch {
	case f.Rises == 0:
		f.env.Found(engine.Reversed)
		l := Whole(f.n)
		if l.back, l.ties, l.alone = true, f.Tied, f.alone; l.ties {
			l.known = f.Marks.ties
		}
		return l, nil
	case min(f.Falls, f.Rises) > f.n/nearFalls:
		return nil, nil
	}
	// Reading from the end reverses ties, which costs another pass.
	back := f.Rises < f.Falls/2 || f.Falls > f.n/nearFalls
	if few && !back {
		return nil, nil // was tried
	}
	return f.findFrom(back)
}

// findFrom is find in one reading direction.
func (f *finder[C]) findFrom(back bool) (*Moves, error) {
	f.back = back
	runs, err := f.runs()
	if err != nil {
		return nil, err
	}
	l, err := f.moves(runs)
	scratch.Give(&f.env.Arena, runs, 1)
	if err = f.env.Stopped(err); err != nil {
		return nil, err // results of cancelled comparisons are undefined
	}
	if l != nil && back {
		l.ties = f.Tied || f.meet(l)
	}
	return l, err
}

// moves returns those of an input with the given runs, nil if there are too many strays.
func (f *finder[C]) moves(runs []span) (*Moves, error) {
	l := &Moves{n: f.n, back: f.back, alone: f.alone}
	if l.segments = f.blocks(runs); l.segments != nil {
		shape := engine.Rotated
		if slices.ContainsFunc(l.segments, func(g segment) bool { return int(g.n) >= f.n-f.n/nearDropped }) {
			shape = f.nearShape()
		}
		f.env.Found(shape)
		return l, nil
	}
	var ok bool
	err := f.env.Inner(func() (err error) {
		ok, err = f.merge(l, runs)
		return err
	})
	if !ok || err != nil {
		return nil, err
	}
	f.env.Found(f.nearShape())
	return l, nil
}

// nearShape returns the shape of moves of which most elements keep their sequence.
func (f *finder[C]) nearShape() engine.Shape {
	if f.back {
		return engine.NearlyReversed
	}
	return engine.NearlySorted
}

// meet reports whether a segment or a stray begins with an element equal to the last before it.
// Equal elements are neighbours in the moves, inside a segment or where two meet.
func (f *finder[C]) meet(l *Moves) (equal bool) {
	last, first := uint32(0), true
	l.walk(func(src, n uint32) bool {
		equal = !first && f.compare(last, src) == 0
		last, first = src+n-1, false
		return !equal
	})
	return equal
}
