package gpu

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/kernels"
)

// bitonicModule is the full bitonic network.
var bitonicModule = &module{kernels.Bitonic, map[string]int{
	"code_range":        0,
	"bitonic_tiles_u32": kernels.WordShared, "bitonic_tiles_u64": kernels.WordShared, "bitonic_tiles_pair": kernels.PairShared,
	"bitonic_inplace_word": kernels.WordShared, "bitonic_inplace_pair": kernels.PairShared,
	"bitonic_merge_word": kernels.WordShared, "bitonic_merge_pair": kernels.PairShared,
	"bitonic_order_word": kernels.WordShared, "bitonic_order_pair": kernels.PairShared,
}}

// bitonicTile is the number of elements that a block holds.
const bitonicTile = 1 << kernels.BitonicBits

// bitonic orders codes by the full bitonic network, whose steps depend on their
// number alone.
func (w *workspace) bitonic(in input, order cuda.Ptr) (finding, error) {
	return w.bitonicBy(kernels.BitonicRows, in, order)
}

// bitonicBytes is the device memory of the network besides codes and order.
func bitonicBytes(_ *device, in input) int {
	head := int(unsafe.Sizeof(note{}.ends))
	if in.wide {
		return head + kernels.PairBytes*in.n
	}
	return head + kernels.WordBytes*in.n
}

// bitonicBy takes at most the given number of strides between tiles in a pass.
func (w *workspace) bitonicBy(rows int, in input, order cuda.Ptr) (finding, error) {
	if in.n < 2 {
		return finding{}, w.identity(in, order, false)
	}
	e, err := w.elementsFor(in)
	if err != nil {
		return finding{}, err
	}
	block, err := w.take(e.size * in.n)
	if err != nil {
		return finding{}, err
	}
	defer w.put(block)
	net := network{w, e, block.at, in.n, rows}
	return finding{}, first(
		func() error {
			return net.tile("bitonic_tiles"+e.source, tilesOf(in.n), append(e.args(in), uint64(in.n), uint64(block.at))...)
		},
		net.merges,
		func() error {
			return net.tile("bitonic_order"+e.kind, tilesOf(in.n), uint64(block.at), uint64(in.n), e.mask(), uint64(order))
		},
		func() error { return w.SyncStream(w.stream) },
	)
}

// network sorts n elements in device memory.
type network struct {
	*workspace
	elements
	at   cuda.Ptr
	n    int
	rows int // strides between tiles that a pass takes, at most
}

// sort does so in place.
func (w *network) sort() error {
	return first(
		func() error {
			return w.tile("bitonic_inplace"+w.kind, tilesOf(w.n), uint64(w.at), uint64(w.n))
		},
		w.merges,
		func() error { return w.merge(0, kernels.BitonicBits, false) },
	)
}

// merges merges sorted tiles, but for the strides inside tiles of the last merge.
func (w *network) merges() error {
	for top := kernels.BitonicBits; 1<<top < w.n; top++ {
		if top > kernels.BitonicBits {
			if err := w.merge(0, kernels.BitonicBits, false); err != nil {
				return err
			}
		}
		if err := w.between(top + 1); err != nil {
			return err
		}
	}
	return nil
}

// between takes the strides between tiles of a merge of 1<<top elements, as evenly
// over passes as they go.
func (w *network) between(top int) error {
	for from := top; from > kernels.BitonicBits; {
		left := from - kernels.BitonicBits
		passes := (left + w.rows - 1) / w.rows
		rows := (left + passes - 1) / passes
		if err := w.merge(from-rows, rows, from == top); err != nil {
			return err
		}
		from -= rows
	}
	return nil
}

// merge takes the strides 1<<(low+rows-1), …, 1<<low of a merge; the first of a
// merge mirrors.
func (w *network) merge(low, rows int, mirror bool) error {
	part := 1 << (low + rows) // that blocks share
	blocks := (w.n + part - 1) / part * (part / bitonicTile)
	first := uint64(0)
	if mirror {
		first = 1
	}
	return w.tile("bitonic_merge"+w.kind, blocks, uint64(w.at), uint64(w.n), uint64(low), uint64(rows), first)
}

// tile runs a kernel whose blocks hold a tile each.
func (w *network) tile(name string, blocks int, args ...uint64) error {
	return w.runTiles(name, blocks, w.threads, w.shared, args...)
}

// tilesOf is the number of tiles of n elements.
func tilesOf(n int) int { return (n + bitonicTile - 1) / bitonicTile }
