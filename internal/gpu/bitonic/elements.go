package bitonic

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Elements describes how a comparison sort represents codes with their positions
// (elements.cuh): as words, or as pairs if code and position need more than 64 bits.
type Elements struct {
	Source  string // suffix of kernels that read codes
	Kind    string // suffix of kernels that read elements
	Size    int    // bytes of an element
	Threads int    // of a block that holds a tile of them
	Shared  int    // bytes of a tile
	low     uint64 // lowest code
	bits    int    // of a position in a word
}

// ElementsFor chooses the representation. For 64-bit codes it reads their range. A word may be
// all ones, like the padding of tiles (end in elements.cuh): both compare equal and are
// interchangeable. A pair is below the padding, since no position is all ones.
func ElementsFor(w *device.Workspace, in codes.Input) (Elements, error) {
	e := Elements{
		Source: codes.Width(in.Wide), Kind: "_word", Size: kernels.WordBytes,
		Threads: kernels.WordThreads, Shared: kernels.WordShared, bits: in.IndexBits(),
	}
	if !in.Wide {
		return e, nil
	}
	low, high, err := codeRange(w, in)
	if e.low = low; bits.Len64(high-low)+e.bits > 64 {
		e = Elements{Source: "_pair", Kind: "_pair", Size: kernels.PairBytes, Threads: kernels.PairThreads, Shared: kernels.PairShared}
	}
	return e, err
}

// MaxElementBytes bounds the bytes of an element of codes.
func MaxElementBytes(wide bool) int {
	if wide {
		return kernels.PairBytes
	}
	return kernels.WordBytes
}

// Args returns the first arguments of a kernel that reads codes.
func (e *Elements) Args(in codes.Input) []uint64 {
	if e.Source == "_pair" {
		return []uint64{uint64(in.Codes)}
	}
	return []uint64{uint64(in.Codes), e.low, uint64(e.bits)}
}

// Mask returns the bits of a word that hold the position.
func (e *Elements) Mask() uint64 { return 1<<e.bits - 1 }

// ends is the lowest and the highest code, in pinned memory.
type ends [2]uint64

const endsBytes = int(unsafe.Sizeof(ends{}))

// codeRange returns the lowest and the highest of 64-bit codes.
func codeRange(w *device.Workspace, in codes.Input) (low, high uint64, err error) {
	found, err := device.Pinned[ends](w)
	if err != nil {
		return 0, 0, err
	}
	b, err := w.Take(endsBytes)
	if err != nil {
		return 0, 0, err
	}
	defer w.Put(b)
	q := w.Queue()
	q.Fill(b.At, ^uint32(0), 2) // no code is above this or below 0
	q.Fill(b.At+8, 0, 2)
	q.Run("code_range", codes.Grid(w, in.N), kernels.SampleThreads, 0, uint64(in.Codes), uint64(in.N), uint64(b.At))
	q.ToHost(unsafe.Pointer(found), b.At, endsBytes)
	err = q.Sync()
	return found[0], found[1], err
}
