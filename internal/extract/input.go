package extract

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// Input is the source of elements: a slice, or row numbers.
type Input struct {
	Slice    cpu.Payload
	Len      int
	Aside    cpu.Payload                  // takes a copy of each block that is read, unless it has no memory
	Numbered bool                         // elements are row numbers, ints that have no slice
	Picked   []uint32                     // unless nil, the Len elements that are meant, by their numbers
	blocks   *scratch.Spares[cpu.Payload] // of engine.Block elements that are numbers or picked
	Arena    *scratch.Arena
}

// InputOf returns the elements of a slice as input.
func InputOf(s cpu.Payload) Input { return Input{Slice: s, Len: s.Len()} }

// RowNumbers are n rows that have no slice.
func RowNumbers(n int) Input {
	return Input{Slice: cpu.PayloadOf[int](nil), Len: n, Numbered: true, blocks: new(scratch.Spares[cpu.Payload])}
}

// Pick returns those of the elements that at numbers. An order of them has these numbers.
func (r Input) Pick(at []uint32) Input {
	r.Picked, r.Len, r.blocks = at, len(at), new(scratch.Spares[cpu.Payload])
	return r
}

// Batch is at most engine.Block elements of an input.
type Batch struct {
	Block stream.Raw // the elements; without memory if they are row numbers that are not read
	Lo    int        // the number of the first, if they are consecutive
	at    []uint32   // the numbers of all, if they may not be
	apart bool       // Block has all elements, of which at numbers those of the batch
	Pace  *Pace      // of the calls for their keys
}

// Elements returns the elements of all that at numbers. Each is read where it lies.
func Elements(all stream.Raw, at []uint32) Batch {
	if Consecutive(at) && len(at) > 0 {
		return Batch{Block: all.Part(int(at[0]), int(at[0])+len(at))}
	}
	return Batch{Block: all, at: at, apart: true}
}

// Rows returns rows numbered by at, which numbers holds as elements.
func Rows(numbers []int, at []uint32) Batch {
	for i, row := range at {
		numbers[i] = int(row)
	}
	b := Batch{Block: stream.RawOf(numbers[:len(at)]), at: at}
	if len(at) > 0 && Consecutive(at) {
		b.Lo, b.at = int(at[0]), nil
	}
	return b
}

// part returns elements [i, j) of b.
func (b Batch) part(i, j int) Batch {
	b.Lo += i
	if b.Block.Data() != nil && !b.apart {
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
	case !r.Numbered && r.Picked == nil:
		s := r.Slice.Part(lo, hi)
		b.Block = s.Raw()
		use(b)
		if r.Aside.Data() != nil {
			r.Aside.CopyPast(lo, s)
		}
	case l.needsNoElement:
		use(b)
	default:
		buf := r.blocks.Get()
		if buf == nil {
			buf = new(cpu.Payload)
			*buf = r.Slice.Take(r.Arena, engine.Block)
		}
		block := buf.First(hi - lo)
		r.read(block, lo)
		b.Block = block.Raw()
		use(b)
		r.blocks.Put(buf)
	}
}

// read writes the elements from lo on, which are numbers or picked.
func (r *Input) read(block cpu.Payload, lo int) {
	switch hi := lo + block.Len(); {
	case r.Picked == nil:
		for i, numbers := 0, cpu.Slice[int](block); i < len(numbers); i++ {
			numbers[i] = lo + i
		}
	case r.Numbered:
		for i, k := range r.Picked[lo:hi] {
			cpu.Slice[int](block)[i] = int(k)
		}
	default:
		block.Gather(r.Slice, r.Picked[lo:hi])
	}
}

// Some returns the elements at places at, at most [Piece], for codes of l, gathered into buf unless
// they are consecutive.
func (r *Input) Some(l *Word, buf cpu.Payload, at []uint32) Batch {
	b := Batch{at: at}
	switch {
	case r.Numbered && l.needsNoElement && r.Picked == nil:
	case r.Numbered:
		block := buf.First(len(at))
		r.number(cpu.Slice[int](block), at)
		b.Block = block.Raw()
	case r.Picked != nil:
		var picked [Piece]uint32
		for i, k := range at {
			picked[i%Piece] = r.Picked[k]
		}
		block := buf.First(len(at))
		block.Gather(r.Slice, picked[:len(at)])
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

// number writes the row numbers at places at.
func (r *Input) number(numbers []int, at []uint32) {
	if r.Picked == nil {
		for i, k := range at {
			numbers[i] = int(k)
		}
		return
	}
	for i, k := range at {
		numbers[i] = int(r.Picked[k])
	}
}

// Translate replaces places in the input by the numbers of the elements there. It copies places if all
// elements are meant. len(dst) == len(places); they may be the same memory.
func (r *Input) Translate(dst, places []uint32) {
	if r.Picked == nil {
		copy(dst, places)
		return
	}
	for i, k := range places {
		dst[i] = r.Picked[k]
	}
}

// Consecutive reports whether every number is one more than the one before.
func Consecutive(at []uint32) bool { return len(at) == 0 || presorted.InPlaces(at, int(at[0])) }
