// Package bitonic sorts by the full bitonic network on a device. Its steps depend on the
// number of elements only.
package bitonic

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Modules are the kernels of the network.
var Modules = []*device.Module{{Image: kernels.Bitonic, Kernels: map[string]int{
	"code_range":        0,
	"bitonic_tiles_u32": kernels.WordShared, "bitonic_tiles_u64": kernels.WordShared, "bitonic_tiles_pair": kernels.PairShared,
	"bitonic_inplace_word": kernels.WordShared, "bitonic_inplace_pair": kernels.PairShared,
	"bitonic_merge_word": kernels.WordShared, "bitonic_merge_pair": kernels.PairShared,
	"bitonic_order_word": kernels.WordShared, "bitonic_order_pair": kernels.PairShared,
}}}

// Tile is the number of elements that a block holds.
const Tile = 1 << kernels.BitonicBits

// Sort orders codes by the network. It takes O(n log² n) comparisons for any input.
func Sort(w *device.Workspace, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
	return sortBy(w, kernels.BitonicRows, in, order)
}

// Bytes bounds the device memory of Sort besides codes and order.
func Bytes(in codes.Input) int { return endsBytes + MaxElementBytes(in.Wide)*in.N }

// sortBy is Sort with at most rows strides between tiles per pass.
func sortBy(w *device.Workspace, rows int, in codes.Input, order cuda.Ptr) (codes.Outcome, error) {
	if in.N < 2 {
		return codes.Outcome{}, codes.Identity(w, in, order)
	}
	e, err := ElementsFor(w, in)
	if err != nil {
		return codes.Outcome{}, err
	}
	block, err := w.Take(e.Size * in.N)
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(block)
	net := network{w, e, block.At, in.N, rows}
	if err := net.tile("bitonic_tiles"+e.Source, Tiles(in.N), append(e.Args(in), uint64(in.N), uint64(block.At))...); err != nil {
		return codes.Outcome{}, err
	}
	if err := net.merges(); err != nil {
		return codes.Outcome{}, err
	}
	if err := net.tile("bitonic_order"+e.Kind, Tiles(in.N), uint64(block.At), uint64(in.N), e.Mask(), uint64(order)); err != nil {
		return codes.Outcome{}, err
	}
	return codes.Outcome{}, w.SyncStream(w.Stream)
}

// SortElements sorts n elements in device memory, in place.
func SortElements(w *device.Workspace, e Elements, at cuda.Ptr, n int) error {
	net := network{w, e, at, n, kernels.BitonicRows}
	if err := net.tile("bitonic_inplace"+e.Kind, Tiles(n), uint64(at), uint64(n)); err != nil {
		return err
	}
	if err := net.merges(); err != nil {
		return err
	}
	return net.merge(0, kernels.BitonicBits, false)
}

// network sorts n elements in device memory.
type network struct {
	w *device.Workspace
	Elements
	at   cuda.Ptr
	n    int
	rows int // most strides between tiles per pass
}

// merges merges sorted tiles, without the strides inside tiles of the last merge.
func (n *network) merges() error {
	for top := kernels.BitonicBits; 1<<top < n.n; top++ {
		if top > kernels.BitonicBits {
			if err := n.merge(0, kernels.BitonicBits, false); err != nil {
				return err
			}
		}
		if err := n.between(top + 1); err != nil {
			return err
		}
	}
	return nil
}

// between runs the strides between tiles of a merge of 1<<top elements, evenly distributed
// over passes.
func (n *network) between(top int) error {
	for from := top; from > kernels.BitonicBits; {
		left := from - kernels.BitonicBits
		passes := (left + n.rows - 1) / n.rows
		rows := (left + passes - 1) / passes
		if err := n.merge(from-rows, rows, from == top); err != nil {
			return err
		}
		from -= rows
	}
	return nil
}

// merge runs the strides 1<<(low+rows-1), …, 1<<low of a merge. With mirror, the first stride
// compares mirror images.
func (n *network) merge(low, rows int, mirror bool) error {
	part := 1 << (low + rows) // elements that blocks share
	blocks := (n.n + part - 1) / part * (part / Tile)
	first := uint64(0)
	if mirror {
		first = 1
	}
	return n.tile("bitonic_merge"+n.Kind, blocks, uint64(n.at), uint64(n.n), uint64(low), uint64(rows), first)
}

// tile runs a kernel whose blocks hold one tile each.
func (n *network) tile(name string, blocks int, args ...uint64) error {
	return n.w.RunTiles(name, blocks, n.Threads, n.Shared, args...)
}

// Tiles returns the number of tiles of n elements.
func Tiles(n int) int { return (n + Tile - 1) / Tile }
