package cpu

import (
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Layout is an order that is known without a sort: segments of the input, each of which
// moves as a whole or stays.
type Layout struct {
	n        int
	segments []segment // by place
	back     bool      // sources count from the input's end
	ties     bool      // and of elements some are equal, which are turned around, too
	alone    bool      // these are found out by one goroutine at a time
}

// segment is n elements at places from dst on that come from src on.
type segment struct {
	dst, src, n uint32
	aside       bool // it overtakes others, and is copied aside before any of them moves
}

// whole is the layout of n elements that stay in their sequence.
func whole(n int) *Layout { return &Layout{n: n, segments: []segment{{n: uint32(n)}}} }

// from returns the number of the first segment that ends after a place.
func (l *Layout) from(place int) int {
	return sort.Search(len(l.segments), func(k int) bool { return int(l.segments[k].dst)+int(l.segments[k].n) > place })
}

// order writes which elements take the places from lo on. Elements of equal keys are
// in the order of the input, or in its reverse if the layout is of its end first.
func (l *Layout) order(order []uint32, lo int) {
	for k := l.from(lo); len(order) > 0; k++ {
		g := l.segments[k].clip(lo, lo+len(order))
		if l.back {
			backward(order[:g.n], l.n-1-int(g.src))
		} else {
			forward(order[:g.n], int(g.src))
		}
		order, lo = order[g.n:], lo+int(g.n)
	}
}

// clip returns the part of g that takes places of [lo, hi), which it does.
func (g segment) clip(lo, hi int) segment {
	skip := max(lo-int(g.dst), 0)
	n := min(hi, int(g.dst)+int(g.n)) - int(g.dst) - skip
	return segment{g.dst + uint32(skip), g.src + uint32(skip), uint32(n), g.aside}
}

// Segments move in place, chunk of places by chunk. Those that are no strays keep
// their sequence, so inside a chunk they can be moved one after the other, first
// those that go to the front, from the front on, and then those that go to the back,
// from the back on: none writes over what another has still to read. Strays, and what
// comes from another chunk, were copied aside before. So a list with few strays is
// read and written once, from the first place that changes to the last, and no more
// is copied aside than strays and what crosses from chunk to chunk.

// Settle moves the elements of s to their places, those that tie in the order of the
// input. Until the first moves, s is untouched and the sort can be cancelled, unless it is
// to be turned around.
func Settle(env *engine.Env, s Payload, l *Layout, tie func(i, j uint32) bool) error {
	if !l.ties {
		return Follow(env, s, l)
	}
	index := scratch.Take[uint32](&env.Arena, s.n)
	if err := l.write(env, index, tie); err != nil {
		return err
	}
	return gatherBack(env, s, index)
}

// Follow is Settle where elements that tie are alike, or are not turned around.
func Follow(env *engine.Env, s Payload, l *Layout) error {
	if len(l.segments) == 0 { // all stay
		return nil
	}
	if l.back {
		if err := Reverse(env, s); err != nil || len(l.segments) == 1 {
			return err
		}
	}
	chunk := l.chunk(env.Loop.Workers)
	starts := make([]int, (l.n+chunk-1)/chunk+1) // of what each chunk copies aside
	err := env.Stage("merge", l.n, chunk, func(_, lo, hi int) {
		l.aside(lo, hi, func(_, _, n int) { starts[lo/chunk+1] += n })
	})
	if err != nil {
		return err
	}
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	all, room := s.Raw(), s.Take(&env.Arena, starts[len(starts)-1]).Raw()
	err = env.Stage("gather", l.n, chunk, func(_, lo, hi int) {
		at := starts[lo/chunk]
		l.aside(lo, hi, func(_, src, n int) {
			s.by.Copy(room.At(at), all.At(src), n)
			at += n
		})
	})
	if err != nil {
		return err
	}
	env.Commit()
	return env.Stage("write", l.n, chunk, func(_, lo, hi int) {
		l.within(lo, hi, func(dst, src, n int) { s.by.Copy(all.At(dst), all.At(src), n) })
		at := starts[lo/chunk]
		l.aside(lo, hi, func(dst, _, n int) {
			s.by.Copy(all.At(dst), room.At(at), n)
			at += n
		})
	})
}

// chunk is how many places a worker fills at a time: all of them if it is alone.
func (l *Layout) chunk(workers int) int {
	if workers <= 1 {
		return l.n
	}
	return max(l.n/(4*workers)+1, chunk)
}

// aside calls f for what is copied aside before the places [lo, hi) are filled.
func (l *Layout) aside(lo, hi int, f func(dst, src, n int)) {
	for k := l.from(lo); k < len(l.segments) && int(l.segments[k].dst) < hi; k++ {
		g := l.segments[k].clip(lo, hi)
		dst, src, n := int(g.dst), int(g.src), int(g.n)
		if g.aside {
			f(dst, src, n)
			continue
		}
		before := min(max(lo-src, 0), n)
		after := min(max(src+n-hi, 0), n-before)
		if before > 0 {
			f(dst, src, before)
		}
		if after > 0 {
			f(dst+n-after, src+n-after, after)
		}
	}
}

// within calls f for what moves inside of the places [lo, hi), in a sequence in which
// nothing is overwritten before it moves.
func (l *Layout) within(lo, hi int, f func(dst, src, n int)) {
	first := l.from(lo)
	end := sort.Search(len(l.segments), func(k int) bool { return int(l.segments[k].dst) >= hi })
	for k := first; k < end; k++ {
		if dst, src, n := l.segments[k].inside(lo, hi); dst < src && n > 0 {
			f(dst, src, n)
		}
	}
	for k := end - 1; k >= first; k-- {
		if dst, src, n := l.segments[k].inside(lo, hi); dst > src && n > 0 {
			f(dst, src, n)
		}
	}
}

// inside returns the part of g that comes from [lo, hi) and goes there.
func (g segment) inside(lo, hi int) (dst, src, n int) {
	if g.aside {
		return 0, 0, 0
	}
	from := max(lo-int(g.src), lo-int(g.dst), 0)
	to := min(hi-int(g.src), hi-int(g.dst), int(g.n))
	return int(g.dst) + from, int(g.src) + from, to - from
}

// write writes the order of l to index, elements that tie in the order of the input.
func (l *Layout) write(env *engine.Env, index []uint32, tie func(i, j uint32) bool) error {
	room := func(_, lo, hi int) []uint32 { return index[lo:hi] }
	return l.emit(env, chunk, tie, room, func(int, int, []uint32) {})
}

// emit passes the order of l on, in parts as [Layout.parts] cuts them and in memory of
// room, elements that tie in the order of the input: tie is needed where l.ties.
func (l *Layout) emit(env *engine.Env, grain int, tie func(i, j uint32) bool, room func(worker, lo, hi int) []uint32, deliver func(worker, lo int, order []uint32)) error {
	return l.parts(env, grain, tie, func(worker, lo, hi int) {
		order := room(worker, lo, hi)
		if l.order(order, lo); l.ties {
			reverseTies(order, tie)
		}
		deliver(worker, lo, order)
	})
}

// parts cuts the places into parts of about grain elements, between elements that do not
// tie; anywhere if tie is nil.
func (l *Layout) parts(env *engine.Env, grain int, tie func(i, j uint32) bool, part func(worker, lo, hi int)) error {
	if l.alone {
		grain = l.n
	}
	return env.Stage("emit", l.n, grain, func(worker, lo, hi int) {
		if tie != nil {
			lo, hi = l.tieEnd(lo, tie), l.tieEnd(hi, tie)
		}
		if lo < hi {
			part(worker, lo, hi)
		}
	})
}

// tieEnd returns the first place from i on whose element does not tie with the one before.
func (l *Layout) tieEnd(i int, tie func(i, j uint32) bool) int {
	if i == 0 || i >= l.n {
		return i
	}
	at := func(i int) uint32 {
		var one [1]uint32
		l.order(one[:], i)
		return one[0]
	}
	before := at(i - 1)
	return i + sort.Search(l.n-i, func(k int) bool { return !tie(before, at(i+k)) })
}

// reverseTies reverses runs of elements that tie in an order.
func reverseTies(order []uint32, tie func(i, j uint32) bool) {
	for i := 0; i < len(order); {
		from := i
		for i++; i < len(order) && tie(order[i-1], order[i]); i++ {
		}
		slices.Reverse(order[from:i])
	}
}
