package sorter

import (
	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// rows is where elements are read: a slice, or row numbers themselves.
type rows[E any] struct {
	s       []E
	n       int
	aside   []E          // takes a copy of each block that is read, unless nil
	carried *carried     // what an engine may move itself; nil: nothing
	numbers bool         // E is int, and elements are row numbers, which have no slice
	blocks  *spares[[]E] // of engine.Block of them
	arena   *scratch.Arena
}

func sliceRows[E any](s []E) rows[E] { return rows[E]{s: s, n: len(s)} }

// batch is some elements, at most engine.Block.
type batch[E any] struct {
	block []E      // they themselves; nil if they are row numbers that nobody reads
	lo    int      // the number of the first, where they follow each other
	at    []uint32 // the numbers of all, where they may not
	pace  *pace    // of the calls for their keys
}

// part returns elements [i, j) of b.
func (b batch[E]) part(i, j int) batch[E] {
	b.lo += i
	if b.block != nil {
		b.block = b.block[i:j]
	}
	if b.at != nil {
		b.at = b.at[i:j]
	}
	return b
}

// block passes up to engine.Block elements [lo, hi) on to use, for codes of l.
func (r rows[E]) block(l *level[E], lo, hi int, use func(b batch[E])) {
	b := batch[E]{lo: lo}
	switch {
	case !r.numbers:
		b.block = r.s[lo:hi]
		use(b)
		if r.aside != nil {
			cpu.CopyPast(r.aside, lo, b.block)
		}
	case l.given:
		use(b)
	default:
		buf := r.blocks.get()
		if buf == nil {
			buf = new([]E)
			*buf = scratch.Take[E](r.arena, engine.Block)
		}
		b.block = (*buf)[:hi-lo]
		numbers := as[int](b.block)
		for i := range numbers {
			numbers[i] = lo + i
		}
		use(b)
		r.blocks.put(buf)
	}
}

// pick returns the elements numbered by at, in buf or where they are, for codes
// of l.
func (r rows[E]) pick(l *level[E], buf []E, at []uint32) batch[E] {
	b := batch[E]{at: at}
	switch {
	case r.numbers && l.given:
	case r.numbers:
		b.block = buf[:len(at)]
		numbers := as[int](b.block)
		for i, k := range at {
			numbers[i] = int(k)
		}
	case inRow(at):
		b.block = r.s[at[0]:][:len(at)]
	default:
		b.block = buf[:len(at)]
		for i, k := range at {
			b.block[i] = r.s[k]
		}
	}
	return b
}

// inRow reports whether every number is one more than the one before.
func inRow(at []uint32) bool {
	for i, x := range at {
		if x != at[0]+uint32(i) {
			return false
		}
	}
	return true
}
