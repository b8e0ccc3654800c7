package cpu

import (
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Moves is an order found without a sort: segments of the input that move as a whole or stay.
type Moves struct {
	n        int
	segments []segment   // by place
	strays   strays      // elements in no segment
	back     bool        // sources are numbered from the input's end
	ties     bool        // with back: some elements are equal, and come in reverse input order
	alone    bool        // ties may be compared by one goroutine only
	known    engine.Ties // of a reversed input, the elements that tie with their predecessors; nil: to be compared
}

// segment is n elements that move from places src, src+1, … to places dst, dst+1, ….
type segment struct {
	dst, src, n uint32
	aside       bool // it changes the sequence: it is copied aside before other segments move
}

// strays are elements that move one by one, in order by place. They are copied aside before
// segments move.
type strays struct{ src, dst []uint32 }

// from returns the number of the first stray that belongs at a place >= place.
func (s *strays) from(place int) int {
	return sort.Search(len(s.dst), func(j int) bool { return int(s.dst[j]) >= place })
}

// whole returns the moves of n elements that all stay.
func whole(n int) *Moves { return &Moves{n: n, segments: []segment{{n: uint32(n)}}} }

// from returns the number of the first segment that ends after a place.
func (l *Moves) from(place int) int {
	return sort.Search(len(l.segments), func(k int) bool { return int(l.segments[k].dst)+int(l.segments[k].n) > place })
}

// order writes the elements that belong at places lo, lo+1, … to order. Equal elements are in
// input order, or in reverse if l.back.
func (l *Moves) order(order []uint32, lo int) {
	hi := lo + len(order)
	for k := l.from(lo); k < len(l.segments) && int(l.segments[k].dst) < hi; k++ {
		g := l.segments[k].clip(lo, hi)
		part := order[int(g.dst)-lo:][:g.n]
		if l.back {
			backward(part, l.n-1-int(g.src))
		} else {
			forward(part, int(g.src))
		}
	}
	for j := l.strays.from(lo); j < len(l.strays.dst) && int(l.strays.dst[j]) < hi; j++ {
		x := l.strays.src[j]
		if l.back {
			x = uint32(l.n-1) - x
		}
		order[int(l.strays.dst[j])-lo] = x
	}
}

// clip returns the part of g whose places are in [lo, hi); there is one.
func (g segment) clip(lo, hi int) segment {
	skip := max(lo-int(g.dst), 0)
	n := min(hi, int(g.dst)+int(g.n)) - int(g.dst) - skip
	return segment{g.dst + uint32(skip), g.src + uint32(skip), uint32(n), g.aside}
}

// walk calls f for segments and strays by place, until it returns false.
func (l *Moves) walk(f func(src, n uint32) bool) {
	j := 0
	stray := func(place uint32) bool {
		for ; j < len(l.strays.dst) && l.strays.dst[j] < place; j++ {
			if !f(l.strays.src[j], 1) {
				return false
			}
		}
		return true
	}
	for _, g := range l.segments {
		if !stray(g.dst) || !f(g.src, g.n) {
			return
		}
	}
	stray(uint32(l.n))
}

// Segments move in place, one chunk of places after the other. Segments keep
// their sequence, except those marked aside. So inside a chunk, those that move forward are moved first to last, then
// those that move back last to first: no move overwrites elements that are still to be read.
// Strays, segments marked aside, and elements from another chunk are copied aside first. A list with few strays is
// read and written once, from the first changed place to the last.

// Settle moves the elements of s to the places of l, ties in input order. It takes scratch for
// strays and for elements that cross chunks; if l has ties that are not known, 1 index and 1 element
// per element. Until the first element moves, s is untouched and the sort can be cancelled, except that
// a reversed input moves at once.
func Settle(env *engine.Env, s Payload, l *Moves, tie func(i, j uint32) bool) error {
	switch {
	case !l.ties:
		return Follow(env, s, l)
	case l.known != nil:
		return l.reverse(env, s)
	}
	index := scratch.In[uint32](&env.Arena, sizeIndex(nil, s.n))
	if err := l.write(env, index, tie); err != nil {
		return err
	}
	return gatherBack(env, s, index)
}

// reverse reverses s, and then each run of ties. No worker takes runs that another one began.
func (l *Moves) reverse(env *engine.Env, s Payload) error {
	if err := Reverse(env, s); err != nil {
		return err
	}
	return env.Stage("write", s.n, chunkOf(env, s.n), func(_, lo, hi int) {
		for at := l.known.Next(false, lo, s.n); at < hi; { // no tie: a run of the input may begin here
			from := l.known.Next(true, at, s.n) - 1
			if from >= hi || from+1 >= s.n {
				return
			}
			at = l.known.Next(false, from+1, s.n)
			half := (at - from) / 2
			run := s.Part(s.n-at, s.n-from)
			s.by.exchange(run.Part(0, half).data, run.Part(run.n-half, run.n).data, half)
		}
	})
}

// sizeSettle sizes the order of n elements of the given size, and the memory that they
// are gathered in or copied aside to.
func sizeSettle(a *scratch.Area, n int, size uintptr) {
	sizeIndex(a, n)
	sizeFollow(a, n, size)
}

// sizeIndex sizes an order of n elements.
func sizeIndex(a *scratch.Area, n int) scratch.Memory { return a.Memory(n, 4) }

// sizeFollow sizes a copy of up to n elements of the given size.
func sizeFollow(a *scratch.Area, n int, size uintptr) scratch.Memory { return a.Memory(n, size) }

// Follow is [Settle] for moves without ties, or where equal elements are identical.
func Follow(env *engine.Env, s Payload, l *Moves) error {
	if len(l.segments) == 0 { // all stay
		return nil
	}
	if l.back {
		if err := Reverse(env, s); err != nil || len(l.segments) == 1 && len(l.strays.src) == 0 {
			return err
		}
	}
	chunk := l.chunk(env.Loop.Workers)
	starts := make([]int, (l.n+chunk-1)/chunk+1) // by chunk: where its elements are copied aside
	starts[0] = len(l.strays.src)
	err := env.Stage("merge", l.n, chunk, func(_, lo, hi int) {
		l.aside(lo, hi, func(_, _, n int) { starts[lo/chunk+1] += n })
	})
	if err != nil {
		return err
	}
	for i := range starts[1:] {
		starts[i+1] += starts[i]
	}
	copied := s.Take(&env.Arena, sizeFollow(nil, s.n, s.Size()).Part(starts[len(starts)-1], s.Size()))
	if err := l.copyAside(env, s, copied, chunk, starts); err != nil {
		return err
	}
	env.Commit()
	return env.Stage("write", l.n, chunk, func(_, lo, hi int) { l.fill(s, copied, lo, hi, starts[lo/chunk]) })
}

// copyAside copies strays, and then the elements of [Moves.aside] of each chunk, to copied.
// The latter start at starts[i] for chunk i.
func (l *Moves) copyAside(env *engine.Env, s, copied Payload, chunk int, starts []int) error {
	err := env.Stage("gather", len(l.strays.src), LeastTurn, func(_, lo, hi int) {
		copied.Part(lo, hi).Gather(s, l.strays.src[lo:hi])
	})
	if err != nil || starts[0] == starts[len(starts)-1] {
		return err
	}
	from, to := s.Raw(), copied.Raw()
	return env.Stage("gather", l.n, chunk, func(_, lo, hi int) {
		at := starts[lo/chunk]
		l.aside(lo, hi, func(_, src, n int) {
			s.by.Copy(to.At(at), from.At(src), n)
			at += n
		})
	})
}

// fill fills the places [lo, hi) of s, a chunk. Its elements of [Moves.aside] are copied from
// at on.
func (l *Moves) fill(s, copied Payload, lo, hi, at int) {
	to, from := s.Raw(), copied.Raw()
	l.within(lo, hi, func(dst, src, n int) { s.by.Copy(to.At(dst), to.At(src), n) })
	l.aside(lo, hi, func(dst, _, n int) {
		s.by.Copy(to.At(dst), from.At(at), n)
		at += n
	})
	for j := l.strays.from(lo); j < len(l.strays.dst) && int(l.strays.dst[j]) < hi; j++ {
		s.by.Copy(to.At(int(l.strays.dst[j])), from.At(j), 1)
	}
}

// chunk returns the number of places that a worker fills at a time: all if there is one
// worker.
func (l *Moves) chunk(workers int) int {
	if workers <= 1 {
		return l.n
	}
	return max(l.n/(4*workers)+1, chunk)
}

// aside calls f for the elements of segments to be copied aside before the places [lo, hi)
// are filled.
func (l *Moves) aside(lo, hi int, f func(dst, src, n int)) {
	for k := l.from(lo); k < len(l.segments) && int(l.segments[k].dst) < hi; k++ {
		if l.segments[k].stays(lo, hi) {
			continue
		}
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

// stays reports whether all of g is moved inside the places [lo, hi), in sequence.
func (g *segment) stays(lo, hi int) bool {
	return !g.aside && int(min(g.dst, g.src)) >= lo && int(max(g.dst, g.src)+g.n) <= hi
}

// within calls f for the moves inside the places [lo, hi), in a sequence that overwrites
// nothing still to be read.
func (l *Moves) within(lo, hi int, f func(dst, src, n int)) {
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

// inside returns the part of g whose sources and places are both in [lo, hi).
func (g segment) inside(lo, hi int) (dst, src, n int) {
	if g.aside {
		return 0, 0, 0
	}
	from := max(lo-int(g.src), lo-int(g.dst), 0)
	to := min(hi-int(g.src), hi-int(g.dst), int(g.n))
	return int(g.dst) + from, int(g.src) + from, to - from
}

// write writes the order of l to index, ties in input order.
func (l *Moves) write(env *engine.Env, index []uint32, tie func(i, j uint32) bool) error {
	memory := func(_, lo, hi int) []uint32 { return index[lo:hi] }
	return l.emit(env, chunk, tie, memory, func(int, int, []uint32) {})
}

// emit delivers the order of l, ties in input order, in the parts of [Moves.parts] and in
// the slices of memory. tie may be nil unless l.ties.
func (l *Moves) emit(env *engine.Env, grain int, tie func(i, j uint32) bool, memory func(worker, lo, hi int) []uint32, deliver func(worker, lo int, order []uint32)) error {
	if l.known != nil {
		tie = func(i, j uint32) bool { return l.known.Tied(int(max(i, j))) } // of neighbours
	}
	return l.parts(env, grain, tie, func(worker, lo, hi int) {
		order := memory(worker, lo, hi)
		if l.order(order, lo); l.ties {
			reverseTies(order, tie)
		}
		deliver(worker, lo, order)
	})
}

// parts cuts the places into parts of about grain elements. Parts end between elements that do
// not tie, or anywhere if tie is nil.
func (l *Moves) parts(env *engine.Env, grain int, tie func(i, j uint32) bool, part func(worker, lo, hi int)) error {
	if l.alone {
		grain = l.n
	}
	if tie == nil {
		return env.Stage("emit", l.n, grain, part)
	}
	ends := l.tieEnds(grain, tie)
	return env.Stage("emit", len(ends)-1, 1, func(worker, i, _ int) {
		if lo, hi := ends[i], ends[i+1]; lo < hi {
			part(worker, lo, hi)
		}
	})
}

// tieEnds returns where parts begin, and the end of the last. Each end is found once: if keys
// change, parts neither overlap nor leave elements out.
func (l *Moves) tieEnds(grain int, tie func(i, j uint32) bool) []int {
	ends := make([]int, 1, (l.n+grain-1)/grain+1)
	for last := 0; last < l.n; {
		if len(ends)*grain > last { // otherwise a run of ties spans the part
			last = l.tieEnd(min(len(ends)*grain, l.n), tie)
		}
		ends = append(ends, last)
	}
	return ends
}

// tieEnd returns the first place >= i whose element does not tie with its predecessor.
func (l *Moves) tieEnd(i int, tie func(i, j uint32) bool) int {
	switch {
	case i == 0 || i >= l.n:
		return i
	case l.known != nil:
		for i < l.n && l.known.Tied(l.n-i) { // with the one after it in the input
			i++
		}
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

// reverseTies reverses every run of ties in order.
func reverseTies(order []uint32, tie func(i, j uint32) bool) {
	for i := 0; i < len(order); {
		from := i
		for i++; i < len(order) && tie(order[i-1], order[i]); i++ {
		}
		slices.Reverse(order[from:i])
	}
}
