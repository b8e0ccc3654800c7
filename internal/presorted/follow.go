package presorted

import (
	"sort"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Segments move in place, one chunk of places after the other. Segments keep
// their sequence, except those marked aside. So inside a chunk, those that move forward are moved first to last, then
// those that move back last to first: no move overwrites elements that are still to be read.
// Strays, segments marked aside, and elements from another chunk are copied aside first. A list with few strays is
// read and written once, from the first changed place to the last.

// Settle is [Moves.Follow], ties in input order. It returns false, with nothing moved, if ties have to be compared:
// then [Moves.Write] writes the order.
func (l *Moves) Settle(env *engine.Env, s Elements) (done bool, err error) {
	switch {
	case !l.ties:
		return true, l.Follow(env, s)
	case l.known != nil:
		return true, l.reverse(env, s)
	}
	return false, nil
}

// reverse reverses s, and then each run of known ties. No worker takes runs that another one began.
func (l *Moves) reverse(env *engine.Env, s Elements) error {
	if err := s.reverse(env); err != nil {
		return err
	}
	return env.Stage("write", s.N, env.ChunkOf(s.N), func(_, lo, hi int) {
		for at := l.known.Next(false, lo, s.N); at < hi; { // no tie: a run of the input may begin here
			from := l.known.Next(true, at, s.N) - 1
			if from >= hi || from+1 >= s.N {
				return
			}
			at = l.known.Next(false, from+1, s.N)
			half := (at - from) / 2
			run := s.part(s.N-at, s.N-from)
			s.By.Exchange(run.part(0, half).Data, run.part(run.N-half, run.N).Data, half)
		}
	})
}

// Follow moves elements to their places, where none tie or equal ones are identical. Until the first element moves, s
// is untouched and the sort can be cancelled, except that a reversed input moves at once. Scratch is bounded by
// [SizeFollow].
func (l *Moves) Follow(env *engine.Env, s Elements) error {
	if len(l.segments) == 0 { // all stay
		return nil
	}
	if l.back {
		if err := s.reverse(env); err != nil || len(l.segments) == 1 && len(l.strays.src) == 0 {
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
	copied := s.take(&env.Arena, SizeFollow(nil, s.N, s.By.Size()).Part(starts[len(starts)-1], s.By.Size()))
	if err := l.copyAside(env, s, copied, chunk, starts); err != nil {
		return err
	}
	env.Commit()
	return env.Stage("write", l.n, chunk, func(_, lo, hi int) { l.fill(s, copied, lo, hi, starts[lo/chunk]) })
}

// SizeFollow sizes a copy of up to n elements of the given size: strays, and elements that cross chunks.
func SizeFollow(a *scratch.Area, n int, size uintptr) scratch.Memory { return a.Memory(n, size) }

// copyAside copies strays, and then the elements of [Moves.aside] of each chunk, to copied.
// The latter start at starts[i] for chunk i.
func (l *Moves) copyAside(env *engine.Env, s, copied Elements, chunk int, starts []int) error {
	err := env.Stage("gather", len(l.strays.src), engine.LeastTurn, func(_, lo, hi int) {
		copied.part(lo, hi).gather(s, l.strays.src[lo:hi])
	})
	if err != nil || starts[0] == starts[len(starts)-1] {
		return err
	}
	from, to := s.raw(), copied.raw()
	return env.Stage("gather", l.n, chunk, func(_, lo, hi int) {
		at := starts[lo/chunk]
		l.aside(lo, hi, func(_, src, n int) {
			s.By.Copy(to.At(at), from.At(src), n)
			at += n
		})
	})
}

// fill fills the places [lo, hi) of s, a chunk. Its elements of [Moves.aside] are copied from
// at on.
func (l *Moves) fill(s, copied Elements, lo, hi, at int) {
	to, from := s.raw(), copied.raw()
	l.within(lo, hi, func(dst, src, n int) { s.By.Copy(to.At(dst), to.At(src), n) })
	l.aside(lo, hi, func(dst, _, n int) {
		s.By.Copy(to.At(dst), from.At(at), n)
		at += n
	})
	for j := l.strays.from(lo); j < len(l.strays.dst) && int(l.strays.dst[j]) < hi; j++ {
		s.By.Copy(to.At(int(l.strays.dst[j])), from.At(j), 1)
	}
}

// chunk returns the number of places that a worker fills at a time: all if there is one
// worker.
func (l *Moves) chunk(workers int) int {
	if workers <= 1 {
		return l.n
	}
	return max(l.n/(4*workers)+1, engine.Chunk)
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
