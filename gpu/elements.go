package gpu

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/kernels"
)

// elements says what codes with their positions become for a comparison sort, as
// elements.cuh has it: words, or pairs where code and position need more than 64
// bits.
type elements struct {
	source  string // suffix of kernels that make elements of codes
	kind    string // suffix of kernels that have elements
	size    int    // bytes of an element
	threads int    // of a block that holds a tile of them
	shared  int    // bytes of a tile
	low     uint64 // lowest code
	bits    int    // of a position in a word
}

// elementsFor reads codes of 64 bits to see how far apart they lie. The last word may
// be all ones, as is what fills tiles up (end in elements.cuh): equal to it, and so either
// may take the other's place. A pair is below that, since no position is all ones.
func (w *workspace) elementsFor(in input) (elements, error) {
	e := elements{source: width(in.wide), kind: "_word", size: kernels.WordBytes, threads: kernels.WordThreads, shared: kernels.WordShared, bits: in.indexBits()}
	if !in.wide {
		return e, nil
	}
	low, high, err := w.codeRange(in)
	if e.low = low; bits.Len64(high-low)+e.bits > 64 {
		e = elements{source: "_pair", kind: "_pair", size: kernels.PairBytes, threads: kernels.PairThreads, shared: kernels.PairShared}
	}
	return e, err
}

// args are the first arguments of a kernel that makes elements of codes.
func (e *elements) args(in input) []uint64 {
	if e.source == "_pair" {
		return []uint64{uint64(in.codes)}
	}
	return []uint64{uint64(in.codes), e.low, uint64(e.bits)}
}

// mask is the bits of a word that hold the position.
func (e *elements) mask() uint64 { return 1<<e.bits - 1 }

// codeRange returns the lowest and the highest of codes of 64 bits.
func (w *workspace) codeRange(in input) (low, high uint64, err error) {
	const size = int(unsafe.Sizeof(w.note.ends))
	b, err := w.take(size)
	if err != nil {
		return 0, 0, err
	}
	defer w.put(b)
	err = first(
		func() error { return w.Memset32(b.at, ^uint32(0), 2, w.stream) }, // no code is above this or below 0
		func() error { return w.Memset32(b.at+8, 0, 2, w.stream) },
		func() error {
			return w.run("code_range", w.gridFor(in.n), kernels.SampleThreads, 0, uint64(in.codes), uint64(in.n), uint64(b.at))
		},
		func() error { return w.CopyToHost(unsafe.Pointer(&w.note.ends), b.at, size, w.stream) },
		func() error { return w.SyncStream(w.stream) },
	)
	return w.note.ends[0], w.note.ends[1], err
}
