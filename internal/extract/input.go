package extract

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Input is the source of elements: a slice, or row numbers.
type Input struct {
	Slice    cpu.Payload
	Len      int
	Aside    cpu.Payload            // takes a copy of each block that is read, unless it has no memory
	Numbered bool                   // elements are row numbers, ints that have no slice
	blocks   *scratch.Spares[[]int] // of engine.Block of them
	Arena    *scratch.Arena
}

// InputOf returns the elements of a slice as input.
func InputOf(s cpu.Payload) Input { return Input{Slice: s, Len: s.Len()} }

// RowNumbers are n rows that have no slice.
func RowNumbers(n int) Input {
	return Input{Slice: cpu.PayloadOf[int](nil), Len: n, Numbered: true, blocks: new(scratch.Spares[[]int])}
}

// Batch is at most engine.Block elements of an input.
type Batch struct {
	Block stream.Raw // the elements; without memory if they are row numbers that are not read
	Lo    int        // the number of the first, if they are consecutive
	at    []uint32   // the numbers of all, if they may not be
	Pace  *Pace      // of the calls for their keys
}

// Rows returns rows numbered by at, which numbers holds as elements.
func Rows(numbers []int, at []uint32) Batch {
	for i, row := range at {
		numbers[i] = int(row)
	}
	return Batch{Block: stream.RawOf(numbers[:len(at)]), at: at}
}

// part returns elements [i, j) of b.
func (b Batch) part(i, j int) Batch {
	b.Lo += i
	if b.Block.Data() != nil {
		b.Block = b.Block.Part(i, j)
	}
	if b.at != nil {
		b.at = b.at[i:j]
	}
	return b
}

// Block passes elements [lo, hi), at most engine.Block, to use, for codes of l.
func (r Input) Block(l *Word, lo, hi int, use func(b Batch)) {
	b := Batch{Lo: lo}
	switch {
	case !r.Numbered:
		s := r.Slice.Part(lo, hi)
		b.Block = s.Raw()
		use(b)
		if r.Aside.Data() != nil {
			r.Aside.CopyPast(lo, s)
		}
	case l.Given:
		use(b)
	default:
		buf := r.blocks.Get()
		if buf == nil {
			buf = new([]int)
			*buf = scratch.Take[int](r.Arena, engine.Block)
		}
		numbers := (*buf)[:hi-lo]
		for i := range numbers {
			numbers[i] = lo + i
		}
		b.Block = stream.RawOf(numbers)
		use(b)
		r.blocks.Put(buf)
	}
}

// Pick returns the elements numbered by at for codes of l, gathered into buf unless they
// are consecutive.
func (r *Input) Pick(l *Word, buf cpu.Payload, at []uint32) Batch {
	b := Batch{at: at}
	switch {
	case r.Numbered && l.Given:
	case r.Numbered:
		block := buf.First(len(at))
		numbers := cpu.Slice[int](block)
		for i, k := range at {
			numbers[i] = int(k)
		}
		b.Block = block.Raw()
	case Consecutive(at):
		b.Block = r.Slice.Raw().Part(int(at[0]), int(at[0])+len(at))
	default:
		block := buf.First(len(at))
		block.Gather(r.Slice, at)
		b.Block = block.Raw()
	}
	return b
}

// Consecutive reports whether every number is one more than the one before.
func Consecutive(at []uint32) bool { return len(at) == 0 || cpu.InPlaces(at, int(at[0])) }
