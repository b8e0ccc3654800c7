package cpu

import (
	"cmp"
	"slices"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ways"
)

// Inputs that rise, except for a few falls, are laid out without a sort of all elements. There
// are two cases. Runs follow each other in another order, as in a rotated list: see
// moves_blocks.go. Or some elements, the strays, are sorted and merged with the rest, which
// stays in runs that move as a whole or not at all: see moves_strays.go and moves_merge.go.
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

// sizeFinding sizes the search for moves of n codes of the given size.
func sizeFinding(a *scratch.Area, n, workers int, code uintptr) (m finderMemory) {
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
	if a != nil {
		sizeFinding(a, strays, workers, code)
		sizeOrdering(a, strays, workers, alone(strays, workers, 0), false, code, 4)
	}
	return m
}

// MovesBytes bounds the memory, in bytes, of [Detect] and [Settle] for n elements of the
// given size.
func MovesBytes(n, workers int, size uintptr) int64 {
	var a scratch.Area
	sizeTies(&a, n)
	sizeFinding(&a, n, workers, 8)
	sizeSettle(&a, n, size)
	return a.Bytes()
}

// words is a view of codes: code == word ^ flip.
type words[C Code] struct {
	view view[C]
	made bool // the view makes words in a buffer instead of returning memory
	flip C

	// One of them may be set: all the words, or a function that returns the code of element i.
	all []C
	at  func(i uint32) C
}

// inMemory returns words in memory.
func inMemory[C Code](all []C, flip C) words[C] {
	return words[C]{view: in(all), flip: flip, all: all}
}

// buffers returns buffers for the words, none if they are in memory.
func (w *words[C]) buffers(env *engine.Env) engine.Buffers[C] {
	if !w.made {
		return engine.Buffers[C]{}
	}
	return engine.NewBuffers[C](env)
}

// code returns the code of element i.
func (w *words[C]) code(i uint32) C {
	if w.all != nil {
		return w.all[i] ^ w.flip
	}
	return w.at(i)
}

// finder finds moves from the falls and rises of the input. It numbers elements in reading
// order: from the end if back is set.
type finder[C Code] struct {
	env  *engine.Env
	n    int
	back bool
	*marks
	words[C]
	bufs   engine.Buffers[C]
	rest   func(i, j uint32) int // compares the rest of two keys whose codes are equal; nil: there is none
	alone  bool                  // rest is not safe for concurrent use
	memory finderMemory
}

// newFinder returns a finder for n elements with the given marks.
func newFinder[C Code](env *engine.Env, n int, words words[C], m *marks) *finder[C] {
	return &finder[C]{env: env, n: n, marks: m, words: words, memory: sizeFinding(nil, n, 0, unsafe.Sizeof(C(0)))}
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

// detect returns the moves of codes that were surveyed as v and are not sorted, nil if there
// are none.
func detect[C Code](env *engine.Env, n int, words words[C], v survey[C]) (*Moves, error) {
	if !ways.On(ways.CodesInOrder) {
		return nil, nil
	}
	l, err := newFinder(env, n, words, &v.marks).detect()
	if l != nil {
		ways.Took(ways.CodesInOrder)
	}
	return l, err
}

// detectIn is detect for codes in memory.
func detectIn[C Code](env *engine.Env, codes []C, v survey[C]) (*Moves, error) {
	return detect(env, len(codes), inMemory(codes, 0), v)
}

// detectByKeys is detectIn by whole keys. It returns nil if these were not compared to the
// end.
func detectByKeys[C Code](env *engine.Env, codes []C, keys KeyComparer[C], v survey[C]) (*Moves, error) {
	if v.byKeys == nil {
		return nil, nil
	}
	if keys.Concurrent() && v.byKeys.scattered() {
		return nil, nil // the sort by codes finds that they are nearly sorted, and compares no keys
	}
	f := newFinder(env, len(codes), inMemory(codes, 0), v.byKeys)
	f.rest, f.alone = keys.Compare, !keys.Concurrent()
	l, err := f.detect()
	if l != nil {
		ways.Took(ways.KeysInOrder)
	}
	return l, err
}

// Detect returns the moves of n > 0 elements, nil if there are none. follow counts the steps
// of elements [lo, hi), and sets the bits of ties as Follow of a [KeyComparer] does; compare compares
// two elements. Both are called from several goroutines. Scratch is bounded by [MovesBytes].
func Detect(env *engine.Env, n int, follow func(lo, hi int, ties engine.Ties) Steps, compare func(i, j uint32) int) (*Moves, error) {
	var t stepCounter
	t.begin(env, n, chunkOf(env, n))
	err := env.Stage("survey", n, t.found.each, func(_, lo, hi int) {
		for ; lo < hi && !t.tooMany() && env.Loop.Err() == nil; lo += engine.Block {
			t.count(lo, follow(lo, min(lo+engine.Block, hi), t.found.ties))
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
		env.Found(engine.Sorted)
		if m.rises == 0 {
			env.Found(engine.Flat)
		}
		return &Moves{n: n}, nil
	}
	f := newFinder(env, n, words[uint64]{at: func(uint32) uint64 { return 0 }}, m)
	f.rest = compare
	return f.detect()
}

// detect returns the moves of elements that are not in order, nil if there are none. Ties are
// in input order, or reversed if the input is read from the end.
func (f *finder[C]) detect() (*Moves, error) {
	if f.chunks == nil {
		return nil, nil // falls were not counted to the end
	}
	f.bufs = f.buffers(f.env)
	defer f.bufs.Give()
	few := f.falls < blocksOf(f.n)
	if few { // try blocks first: they keep ties in input order
		if l, err := f.detectFrom(false); l != nil || err != nil {
			return l, err
		}
	}
	switch {
	case f.rises == 0:
		f.env.Found(engine.Reversed)
		l := whole(f.n)
		if l.back, l.ties, l.alone = true, f.tied, f.alone; l.ties {
			l.known = f.marks.ties
		}
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
func (f *finder[C]) detectFrom(back bool) (*Moves, error) {
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
		l.ties = f.tied || f.meet(l)
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
