package extract

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
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
		r.Translate(picked[:len(at)], at)
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
