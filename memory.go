package sorter

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// The scratch memory of a call is bounded before any is taken: each of these functions
// bounds that of one way to sort, whatever the keys, block by block as package scratch
// rounds them.

// need bounds the memory, in bytes, of sorting elements of the given sizes by an
// algorithm; Auto stands for an order without a payload.
func need(r *run, a Algorithm, lv []level, sizes ...uintptr) int64 {
	n, workers, code := r.n, r.Loop.Workers, codeSize(lv)
	bytes := keptBytes(n, lv) + tieBytes(r, lv, n) + watchBytes(r, lv, n) + tieRun(lv, n)
	switch {
	case a != BucketRadix:
		bytes += orderBytes(r, lv)
	case decisive(lv):
		return bytes + cpu.MoveBytes(n, workers, sizes[0], code)
	default:
		return bytes + cpu.MoveRefinedBytes(n, workers, sizes[0], code, lv[0].keptSize())
	}
	if a == IndexGather {
		bytes += gatherBytes(n, sizes...)
	}
	return bytes
}

// orderBytes bounds the memory, in bytes, of an order of codes by the CPU engine.
func orderBytes(r *run, lv []level) int64 {
	n, workers, code := r.n, r.Loop.Workers, codeSize(lv)
	bytes := cpu.OrderBytes(n, workers, code)
	if r.algorithm.OrdersCodes() && CPU().Runs(r.algorithm) {
		bytes = max(bytes, papers.Bytes(r.algorithm, n, workers, code)+markBytes(n, lv))
	}
	if r.numbered && !allGiven(lv) {
		bytes += int64(workers) * scratch.Size(engine.Block, unsafe.Sizeof(n)) // numbers of rows
	}
	return bytes
}

// gatherBytes bounds the memory, in bytes, of an index of n elements and of copies of
// them, of the given sizes.
func gatherBytes(n int, sizes ...uintptr) int64 {
	bytes := scratch.Size(n, 4)
	for _, size := range sizes {
		bytes += scratch.Size(n, size)
	}
	return bytes
}

// needOn is need of a sort that an engine begins and the CPU may have to
// finish, with codes kept for it since key functions are called once.
func needOn(r *run, a Algorithm, lv []level, sizes ...uintptr) int64 {
	bytes := need(r, a, lv, sizes...) + markBytes(r.n, lv)
	if !lv[0].given {
		bytes += scratch.Size(r.n, codeSize(lv))
	}
	return bytes
}

// needAlone is need of a sort that only a device does, without a fall-back.
func needAlone(r *run, a Algorithm, lv []level, sizes ...uintptr) int64 {
	bytes := keptBytes(r.n, lv) + markBytes(r.n, lv) + tieBytes(r, lv, r.n) + watchBytes(r, lv, r.n) + tieRun(lv, r.n)
	if a != Auto {
		bytes += gatherBytes(r.n, sizes...)
	}
	return bytes
}

// enough reports whether the memory limit allows a sort by a that is not in place. It
// returns an error where it does not and the caller insists on a device.
func enough(r *run, a Algorithm, lv []level, sizes ...uintptr) (bool, error) {
	if !r.insists() {
		return r.fits(need(r, a, lv, sizes...)), nil
	}
	err := r.require(needAlone(r, a, lv, sizes...))
	return err == nil, err
}

// markBytes is the memory in which an engine marks the ties of an order, if there
// is anything to break them.
func markBytes(n int, lv []level) int64 {
	if decisive(lv) {
		return 0
	}
	return scratch.Size(engine.TieWords(n), 4)
}

// tieBytes bounds the memory, in bytes, of breaking ties of n elements in runs that one
// worker sorts each: the codes of the runs, and the workspaces of the workers.
func tieBytes(r *run, lv []level, n int) int64 {
	if decisive(lv) {
		return 0
	}
	workers := int64(r.Loop.Workers)
	each := int64(unsafe.Sizeof(tieWorker{}))
	if len(lv) > 1 {
		each += scratch.Size(piece, r.element) // copies of elements
	}
	if n > largeTie {
		workers *= 2 // as many that do not know which they are
	}
	return workers*each + scratch.Shares(n, r.Loop.Workers, largeTie, 8)
}

// watchBytes bounds the memory, in bytes, of the workspaces that look for ties while codes
// are extracted, and of sorting runs of n ties not in place.
func watchBytes(r *run, lv []level, n int) int64 {
	if decisive(lv) {
		return 0
	}
	each := int64(unsafe.Sizeof(tieWorker{})) + scratch.Size(engine.Block, 4)
	return int64(r.Loop.Workers)*each + cpu.PairsBytes(n, r.Loop.Workers)
}

// tieRun bounds the memory, in bytes, of ordering a run of n ties in place, if all
// workers do: its codes, and the order as it was.
func tieRun(lv []level, n int) int64 {
	if decisive(lv) || n <= largeTie {
		return 0
	}
	return cpu.InPlaceBytes(n, 8) + scratch.Size(n, 4)
}

// largeBytes bounds the memory, in bytes, of ordering a run of n ties not in place, and
// the runs in it.
func largeBytes(r *run, lv []level, n int) int64 {
	return scratch.Size(n, 4) + cpu.OrderBytes(n, r.Loop.Workers, 8) + tieBytes(r, lv, n) + watchBytes(r, lv, n)
}

// earlyBytes bounds the memory, in bytes, of codes that are made before their levels' turn.
func earlyBytes(n int, lv []level) int64 {
	return int64(max(1, len(lv))-1) * (scratch.Size(n, 8) + scratch.Size(n, 1))
}

func codeSize(lv []level) uintptr {
	if len(lv) > 0 && lv[0].bits <= 32 {
		return 4
	}
	return 8
}

// keptSize is the size of the keys that the wide column of a level stores, 0 if it
// stores none.
func (l *level) keptSize() uintptr {
	if l.wide == nil || l.wide.given() {
		return 0
	}
	return l.wide.key.keptSize()
}

// keptBytes bounds the memory, in bytes, of the keys that wide columns of n elements store.
func keptBytes(n int, lv []level) int64 {
	bytes := int64(0)
	for i := range lv {
		bytes += scratch.Size(n, lv[i].keptSize())
	}
	return bytes
}

// allGiven reports whether no level has to read elements.
func allGiven(lv []level) bool {
	return !slices.ContainsFunc(lv, func(l level) bool { return !l.given })
}

// fits reports whether the memory limit allows the given number of bytes, and they can
// be addressed.
func (r *run) fits(bytes int64) bool {
	return (r.limit == 0 || bytes <= r.limit) && bytes < scratch.TooLarge && uint64(bytes) <= math.MaxUint
}

// require returns an error unless bytes fit: under a memory limit ErrMemoryLimit with the
// bytes needed, otherwise ErrTooLong.
func (r *run) require(bytes int64) error {
	switch {
	case r.fits(bytes):
		return nil
	case r.limit > 0 && bytes < scratch.TooLarge:
		return fmt.Errorf("%w: %d bytes for %d elements, need %d", ErrMemoryLimit, r.limit, r.n, bytes)
	case r.limit > 0:
		return fmt.Errorf("%w: %d bytes for %d elements, need more than can be addressed", ErrMemoryLimit, r.limit, r.n)
	}
	return tooLong(r.n)
}

// addressable returns ErrTooLong unless there can be memory for n elements of a size.
func addressable(n int, size uintptr) error {
	if scratch.Size(n, size) < scratch.TooLarge {
		return nil
	}
	return tooLong(n)
}

func sum(sizes []uintptr) (total uintptr) {
	for _, size := range sizes {
		total += size
	}
	return total
}

func tooLong(n int) error { return fmt.Errorf("%w: %d elements", ErrTooLong, n) }

// leastOrder bounds the memory, in bytes, of orderInPlace.
func leastOrder(r *run, lv []level) int64 {
	bytes := max(cpu.InPlaceBytes(r.n, codeSize(lv)), tieRun(lv, r.n)) + keptBytes(r.n, lv) + tieBytes(r, lv, r.n)
	if r.numbered && !allGiven(lv) {
		bytes += int64(r.Loop.Workers) * scratch.Size(engine.Block, unsafe.Sizeof(r.n))
	}
	return bytes
}

// leastIndex is leastOrder with the index itself.
func leastIndex(r *run, lv []level) int64 {
	return leastOrder(r, lv) + scratch.Size(r.n, 4)
}

// sortInPlace sorts with the least memory: codes and index are ordered in
// place, and the elements follow the cycles of the index.
func sortInPlace(r *run, s cpu.Payload, lv []level) error {
	r.used.Algorithm = "InPlace"
	if err := r.require(leastIndex(r, lv) + s.ApplyBytes()); err != nil {
		return err
	}
	index := scratch.Take[uint32](&r.Arena, s.Len())
	if err := orderInPlace(r, sliceRows(s), lv, index); err != nil {
		return err
	}
	return applyIndex(r, s, index)
}

// applyIndex moves the elements of s to their places, in place.
func applyIndex(r *run, s cpu.Payload, index []uint32) error {
	r.Arena.Hold(s.ApplyBytes())
	r.Commit() // from here on the sort finishes
	return r.Stage("apply", 1, 1, func(int, int, int) { s.Apply(index, r.Loop.Workers) })
}

// orderInPlace writes the order of rows to index with no more scratch than
// leastOrder, which the caller has required.
func orderInPlace(r *run, rows rows, lv []level, index []uint32) error {
	lv[0].open(rows, &r.Env)
	if lv[0].bits <= 32 {
		return orderCodesInPlace(r, rows, lv, index, source32(r, rows, &lv[0]))
	}
	return orderCodesInPlace(r, rows, lv, index, source64(r, rows, &lv[0]))
}

func orderCodesInPlace[C code](r *run, rows rows, lv []level, index []uint32, src cpu.Source[C]) error {
	codes, err := cpu.OrderInPlace(&r.Env, index, src)
	if err != nil || decisive(lv) {
		return err
	}
	return refineSorted(r, rows, lv, index, codes)
}
