package extract

import (
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/stream"
)

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

// Consecutive reports whether every number is one more than the one before.
func Consecutive(at []uint32) bool { return len(at) == 0 || presorted.InPlaces(at, int(at[0])) }
