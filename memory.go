package sorter

import (
	"fmt"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// need bounds the scratch memory, in bytes, of sorting elements of the given
// size by an algorithm; Auto stands for an order without a payload.
func need[E any](r *run, a Algorithm, lv []level[E], size uintptr) int64 {
	code := codeSize(lv)
	order, ties := cpu.OrderBytes(Auto, code), int64(0)
	if r.algorithm.OrdersCodes() && CPU().Runs(r.algorithm) {
		order, ties = max(order, cpu.OrderBytes(r.algorithm, code)), tieBytes(r, lv)
	}
	each := keptSize(lv)
	switch a {
	case Auto:
		each += order
	case IndexGather:
		each += order + 4 + int64(size) // final index
	case BucketRadix:
		each += 2*(code+4) + int64(size) // codes and indices before and after a partition
		each += keptSize(lv[:1])         // partitioned keys
	}
	return roundedUp(r.n, int64(r.n)*each) + ties + tieBlocks(r, lv) + tieRun(r, lv) + cpu.Tables(r.n, r.Loop.Workers) + cpu.NearBytes(r.n)
}

// roundedUp bounds what scratch blocks for n elements hold if bytes are asked for.
func roundedUp(n int, bytes int64) int64 {
	if n < 1<<17 {
		return 2 * bytes // small blocks are rounded up
	}
	return bytes + bytes/7 // a pooled block may be larger
}

// needOn is need of a sort that an engine begins and the CPU may have to
// finish, with codes kept for it that cannot be made again.
func needOn[E any](r *run, a Algorithm, lv []level[E], size uintptr) int64 {
	bytes := need(r, a, lv, size) + tieBytes(r, lv)
	if !lv[0].given {
		bytes += scratch.Size(r.n, uintptr(codeSize(lv)))
	}
	return bytes
}

// needAlone is need of a sort that a device does or nobody.
func needAlone[E any](r *run, a Algorithm, lv []level[E], size uintptr) int64 {
	each, refined := keptSize(lv), int64(0)
	if a != Auto {
		each += 4 + int64(size) // final index
	}
	if !decisive(lv) {
		each += 4 + cpu.OrderBytes(Auto, 8) // a run of ties as large as the input
		refined = tieBytes(r, lv) + tieBlocks(r, lv) + cpu.Tables(r.n, r.Loop.Workers)
	}
	return roundedUp(r.n, int64(r.n)*each) + refined
}

// enough reports whether the memory limit allows a sort by a that is not in place,
// where there is another way, and returns an error where there is none.
func enough[E any](r *run, a Algorithm, lv []level[E], size uintptr) (bool, error) {
	if !r.insists() {
		return r.fits(need(r, a, lv, size)), nil
	}
	err := r.require(needAlone(r, a, lv, size))
	return err == nil, err
}

// tieBytes is the memory in which an engine marks the ties of an order, if there
// is anything to break them.
func tieBytes[E any](r *run, lv []level[E]) int64 {
	if decisive(lv) {
		return 0
	}
	return scratch.Size(engine.TieWords(r.n), 4)
}

// tieBlocks bounds the memory, in bytes, of the elements that workers copy where
// later levels break ties, each for runs of its own and for a part of a large one.
func tieBlocks[E any](r *run, lv []level[E]) int64 {
	if len(lv) < 2 {
		return 0
	}
	var e E
	return 2 * int64(r.Loop.Workers) * scratch.Size(piece, unsafe.Sizeof(e))
}

// tieRun bounds the memory, in bytes, of ordering a run of ties as large as the
// input in place: its codes, and the order as it was.
func tieRun[E any](r *run, lv []level[E]) int64 {
	if decisive(lv) || r.n <= largeTie {
		return 0
	}
	return scratch.Size(r.n, 8) + scratch.Size(r.n, 4)
}

// largeBytes bounds the memory, in bytes, of ordering a run of n ties not in place.
func largeBytes(r *run, n int) int64 {
	return roundedUp(n, int64(n)*(4+cpu.OrderBytes(Auto, 8))) + cpu.Tables(n, r.Loop.Workers) + cpu.NearBytes(n)
}

func codeSize[E any](lv []level[E]) int64 {
	if len(lv) > 0 && lv[0].bits <= 32 {
		return 4
	}
	return 8
}

// keptSize is the bytes per element that wide columns store, of keys not given.
func keptSize[E any](lv []level[E]) int64 {
	size := int64(0)
	for _, l := range lv {
		if l.wide != nil && !l.wide.given() {
			size += int64(l.wide.key.keptSize())
		}
	}
	return size
}

// fits reports whether the memory limit allows so many bytes.
func (r *run) fits(bytes int64) bool { return r.limit == 0 || bytes <= r.limit }

// require returns ErrMemoryLimit, saying what would be enough, unless bytes fit.
func (r *run) require(bytes int64) error {
	if r.fits(bytes) {
		return nil
	}
	return fmt.Errorf("%w: %d bytes for %d elements, need %d", ErrMemoryLimit, r.limit, r.n, bytes)
}

// leastOrder bounds the scratch memory of orderInPlace, in bytes.
func leastOrder[E any](r *run, lv []level[E]) int64 {
	bytes := max(scratch.Size(r.n, uintptr(codeSize(lv))), tieRun(r, lv)) + scratch.Size(r.n, uintptr(keptSize(lv)))
	bytes += int64(r.Loop.Workers)*8*engine.Block + 4096 // a block for each worker, and small tables
	if !decisive(lv) {
		bytes += cpu.Tables(r.n, r.Loop.Workers)/2 + tieBlocks(r, lv) // no histograms, no bucket's output
	}
	return bytes
}

// leastIndex is leastOrder with the index itself.
func leastIndex[E any](r *run, lv []level[E]) int64 {
	return leastOrder(r, lv) + scratch.Size(r.n, 4)
}

// sortInPlace sorts with the least memory: codes and index are ordered in
// place, and the elements follow the cycles of the index.
func sortInPlace[E any](r *run, s []E, lv []level[E]) error {
	r.used.Algorithm = "InPlace"
	if err := r.require(leastIndex(r, lv) + perm.ApplyBytes[E](r.n)); err != nil {
		return err
	}
	index := scratch.Take[uint32](&r.Arena, len(s))
	if err := orderInPlace(r, sliceRows(s), lv, index); err != nil {
		return err
	}
	return applyIndex(r, s, index)
}

// applyIndex moves the elements of s to their places, in place.
func applyIndex[E any](r *run, s []E, index []uint32) error {
	r.Arena.Hold(perm.ApplyBytes[E](len(s)))
	r.Loop.Ctx = nil // from here on the sort finishes
	return r.Stage("apply", 1, 1, func(int, int, int) { perm.Apply(s, index, r.Loop.Workers) })
}

// orderInPlace writes the order of rows to index with no more scratch than
// their codes.
func orderInPlace[E any](r *run, rows rows[E], lv []level[E], index []uint32) error {
	if err := r.require(leastOrder(r, lv)); err != nil {
		return err
	}
	lv[0].open(rows, &r.Env)
	if lv[0].bits <= 32 {
		return orderCodesInPlace(r, rows, lv, index, source32(r, rows, &lv[0]))
	}
	return orderCodesInPlace(r, rows, lv, index, source64(r, rows, &lv[0]))
}

func orderCodesInPlace[E any, C code](r *run, rows rows[E], lv []level[E], index []uint32, src cpu.Source[C]) error {
	codes, err := cpu.OrderInPlace(&r.Env, index, src)
	if err != nil || decisive(lv) {
		return err
	}
	return refineSorted(r, rows, lv, index, codes)
}
