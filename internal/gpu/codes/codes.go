// Package codes has the input and the result of a sort on a device, and the steps that all
// algorithms share: orders of sorted codes, ties, and checks.
package codes

import (
	"cmp"
	"math"
	"math/bits"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
)

// Word is a code as the device has it.
type Word interface{ uint32 | uint64 }

// Input is the codes of one sort, in device memory.
type Input struct {
	Codes    cuda.Ptr
	Wide     bool // 64-bit codes
	N        int
	Keys     bool // keys alone: the result is sorted codes, not an order
	Shuffled bool // known not to be in order

	Least, Most uint64 // all codes are from Least to Most; Most is 0 if that is not known

	// Codes of a longer list, if Numbers is not 0, have the numbers there, which ascend and are below
	// Total. Lists says where codes are by number: struct Lists of numbered.cuh. The result may be
	// an order of numbers then, see Outcome.
	Numbers, Lists cuda.Ptr
	Total          int
}

// Range returns the range in which all codes are known to lie.
func (in Input) Range() (least, most uint64) {
	if in.Most == 0 {
		return 0, Top(in.Wide)
	}
	return in.Least, in.Most
}

// Whole sorts a list by the algorithm that its device chooses.
type Whole func(w *device.Workspace, in Input, to cuda.Ptr) error

// Size returns the bytes of a code.
func (in Input) Size() int { return Bytes(in.Wide) }

// ResultSize returns the bytes of a position, or of a sorted code.
func (in Input) ResultSize() int {
	if in.Keys {
		return in.Size()
	}
	return 4
}

// Kind returns the suffix of the kernels that read these codes.
func (in Input) Kind() string {
	if in.Keys {
		return "_keys" + Width(in.Wide)
	}
	return Width(in.Wide)
}

// IndexBits returns the bits of a position.
func (in Input) IndexBits() int { return bits.Len(uint(in.N - 1)) }

// Bytes returns the bytes of a code.
func Bytes(wide bool) int {
	if wide {
		return 8
	}
	return 4
}

// Width returns the suffix of the kernels for codes of one width.
func Width(wide bool) string {
	if wide {
		return "_u64"
	}
	return "_u32"
}

// Top returns the highest code.
func Top(wide bool) uint64 {
	if wide {
		return math.MaxUint64
	}
	return math.MaxUint32
}

// Key is a code and its position, which may be scaled to 32 bits.
type Key struct {
	Code     uint64
	Position uint32
}

// CompareKeys compares codes, then positions.
func CompareKeys(a, b Key) int {
	if a.Code != b.Code {
		return cmp.Compare(a.Code, b.Code)
	}
	return cmp.Compare(a.Position, b.Position)
}

// Outcome is the result of one sort.
type Outcome struct {
	Algorithm engine.Algorithm
	Shape     engine.Shape
	Levels    int  // levels of partition, passes, or rounds of merging
	Numbers   bool // the order is of numbers, not of positions
}

// InOrder reports whether the codes were in order.
func (f Outcome) InOrder() bool { return f.Shape == engine.Sorted || f.Shape == engine.Flat }

// MaxPositions is the largest number of elements that 32-bit positions and merge paths can
// number and count.
const MaxPositions = math.MaxUint32 & math.MaxInt
