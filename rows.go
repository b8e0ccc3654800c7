package sorter

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// rows is the source of elements: a slice, or row numbers.
type rows struct {
	s       cpu.Payload
	n       int
	aside   cpu.Payload    // takes a copy of each block that is read, unless it has no memory
	carried *carried       // payload that an engine may move itself; nil: none
	numbers bool           // elements are row numbers, ints that have no slice
	blocks  *spares[[]int] // of engine.Block of them
	arena   *scratch.Arena
}

func sliceRows(s cpu.Payload) rows { return rows{s: s, n: s.Len()} }

// batch is a group of at most engine.Block elements.
type batch struct {
	block stream.Raw // they themselves; without memory if they are row numbers that nobody reads
	lo    int        // the number of the first, where they follow each other
	at    []uint32   // the numbers of all, where they may not
	pace  *pace      // of the calls for their keys
}

// part returns elements [i, j) of b.
func (b batch) part(i, j int) batch {
	b.lo += i
	if b.block.Data() != nil {
		b.block = b.block.Part(i, j)
	}
	if b.at != nil {
		b.at = b.at[i:j]
	}
	return b
}

// block passes elements [lo, hi), at most engine.Block, to use, for codes of l.
func (r rows) block(l *level, lo, hi int, use func(b batch)) {
	b := batch{lo: lo}
	switch {
	case !r.numbers:
		s := r.s.Part(lo, hi)
		b.block = s.Raw()
		use(b)
		if r.aside.Data() != nil {
			r.aside.CopyPast(lo, s)
		}
	case l.given:
		use(b)
	default:
		buf := r.blocks.get()
		if buf == nil {
			buf = new([]int)
			*buf = scratch.Take[int](r.arena, engine.Block)
		}
		numbers := (*buf)[:hi-lo]
		for i := range numbers {
			numbers[i] = lo + i
		}
		b.block = stream.RawOf(numbers)
		use(b)
		r.blocks.put(buf)
	}
}

// pick returns the elements numbered by at, in buf or where they are, for codes
// of l.
func (r *rows) pick(l *level, buf cpu.Payload, at []uint32) batch {
	b := batch{at: at}
	switch {
	case r.numbers && l.given:
	case r.numbers:
		block := buf.First(len(at))
		numbers := cpu.Slice[int](block)
		for i, k := range at {
			numbers[i] = int(k)
		}
		b.block = block.Raw()
	case inRow(at):
		b.block = r.s.Raw().Part(int(at[0]), int(at[0])+len(at))
	default:
		block := buf.First(len(at))
		block.Gather(r.s, at)
		b.block = block.Raw()
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
