// Package selection finds the elements of some ranks on a device, without a sort of all: levels of a
// sample and a pass keep the elements between two bounds, until few enough are left to compare each with
// every other, or to sort them.
package selection

import (
	"math/rand/v2"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gather"
	"example.com/sorter/kernels"
)

// Input is codes, of which the ranks First to First+Count-1 are wanted.
type Input struct {
	codes.Input
	First, Count int
	Salt         *uint64 // of samples, nil: a random one
}

// Result is where the positions and the codes of the wanted elements go, in order; 0: nowhere.
type Result struct{ Order, Sorted cuda.Ptr }

// Modules has the kernels of a selection.
var Modules = []*device.Module{{Image: kernels.Selection, Kernels: moduleKernels()}}

func moduleKernels() map[string]int {
	k := map[string]int{}
	for _, wide := range []bool{false, true} {
		width, s := codes.Width(wide), sharedOf(wide)
		for _, kept := range []string{"", "_kept"} {
			k["select_bounds"+kept+width], k["select_within"+kept+width] = s.bounds, s.within
		}
		k["select_ranked"+width], k["select_positions"+width] = s.ranked, 0
	}
	return k
}

// shared is the shared memory of the kernels.
type shared struct{ bounds, within, ranked int }

func sharedOf(wide bool) shared {
	if wide {
		return shared{kernels.SelectBoundsSharedU64, kernels.SelectWithinSharedU64, kernels.SelectRankedSharedU64}
	}
	return shared{kernels.SelectBoundsSharedU32, kernels.SelectWithinSharedU32, kernels.SelectRankedSharedU32}
}

func entryBytes(wide bool) int {
	if wide {
		return kernels.EntryBytesU64
	}
	return kernels.EntryBytesU32
}

// Select writes the elements of the wanted ranks, in stable order. It returns when the device is
// done. If a quarter of the elements or more would be kept, or if a level is lost, whole orders all of them.
func Select(w *device.Workspace, in Input, whole codes.Whole, to Result) error {
	if in.Count == 0 {
		return nil
	}
	if p := planFor(in.N, in.First, in.Count); len(p.capacity) > 0 {
		if found, err := selectBy(w, in, p, whole, to); found || err != nil {
			return err
		}
	}
	return ofAll(w, in, whole, to)
}

func selectBy(w *device.Workspace, in Input, p plan, whole codes.Whole, to Result) (found bool, err error) {
	if err := w.Load(Modules); err != nil {
		return false, err
	}
	n, err := device.Pinned[note](w)
	if err != nil {
		return false, err
	}
	c := call{w: w, in: in, plan: p, to: to, note: n}
	block, err := w.Lay(func(a *device.Area) { c.memory = layOut(a, in, p) })
	if err != nil {
		return false, err
	}
	defer w.Put(block)
	q := w.Queue()
	c.takeLevels(&q)
	if p.ranked {
		return c.rank(&q)
	}
	return c.sort(&q, whole)
}

// note is struct SelectNote of selection.cuh, and the last level, in pinned memory.
type note struct {
	found atomic.Uint32
	_     uint32
	last  level
}

// level is the words of struct SelectLevel after the bounds.
type level struct{ n, first, below, kept uint64 }

const levelBytes = int(unsafe.Sizeof(level{}))

// lost reports whether count wanted elements are not among those that the level kept, of capacity at most, as left_by of
// selection.cuh does.
func (l level) lost(capacity, count int) bool {
	return l.kept > uint64(capacity) || l.below > l.first || l.first-l.below+uint64(count) > l.kept
}

const written = 1 // note.found, if the results are written

// memory is the device memory of a selection.
type memory struct {
	levels cuda.Ptr
	kept   []cuda.Ptr // by level
}

func layOut(a *device.Area, in Input, p plan) memory {
	m := memory{levels: a.Take(kernels.SelectLevelBytes * len(p.capacity))}
	for _, capacity := range p.capacity {
		m.kept = append(m.kept, a.Take(entryBytes(in.Wide)*capacity))
	}
	return m
}

// call is one selection.
type call struct {
	memory
	plan
	w    *device.Workspace
	in   Input
	to   Result
	note *note
}

// level returns the address of struct SelectLevel of a level.
func (c *call) level(i int) cuda.Ptr {
	return c.levels + cuda.Ptr(i*(2*entryBytes(c.in.Wide)+levelBytes))
}

// last returns the address of the elements that are left in the end, how many they may be, and their level.
func (c *call) last() []uint64 {
	i := len(c.capacity) - 1
	return []uint64{uint64(c.kept[i]), uint64(c.capacity[i]), uint64(c.level(i))}
}

func (c *call) takeLevels(q *device.Queue) {
	width, s, count := codes.Width(c.in.Wide), sharedOf(c.in.Wide), uint64(c.in.Count)
	const ranking = kernels.SelectSamples / kernels.BoundsOwn // blocks
	kind, from, n := "", uint64(c.in.Codes), c.in.N
	reads := []uint64{from, uint64(n), uint64(c.in.First)}
	for i, capacity := range c.capacity {
		at := uint64(c.level(i))
		q.Run("select_bounds"+kind+width, ranking, kernels.RankingThreads, s.bounds, append(reads, count, c.salt(), at)...)
		q.Run("select_within"+kind+width, c.grid(n), kernels.SelectThreads, s.within, from, at, uint64(c.kept[i]), uint64(capacity))
		kind, from, n = "_kept", uint64(c.kept[i]), capacity
		reads = []uint64{from, uint64(n)}
	}
}

func (c *call) salt() uint64 {
	if c.in.Salt != nil {
		return *c.in.Salt
	}
	return rand.Uint64()
}

// grid returns the blocks that read n elements.
func (c *call) grid(n int) int {
	return min(kernels.SelectBlocks*c.w.Info.SMs, (n-1)/kernels.SelectTile+1)
}

// rank writes the results by comparisons of the elements that are left; found is false if a
// level was lost.
func (c *call) rank(q *device.Queue) (found bool, err error) {
	c.note.found.Store(0)
	capacity := c.capacity[len(c.capacity)-1]
	args := append(c.last(), uint64(c.in.Count), uint64(c.to.Order), uint64(c.to.Sorted), device.Mapped(c.note))
	q.Run("select_ranked"+codes.Width(c.in.Wide), (capacity-1)/kernels.RankedOwn+1, kernels.RankingThreads, sharedOf(c.in.Wide).ranked, args...)
	err = q.Sync()
	return c.note.found.Load() == written, err
}

// sort writes the results by a sort of the elements that are left: of their positions first, so that equal
// codes are in input order, and then of their codes. found is false if a level was lost.
func (c *call) sort(q *device.Queue, whole codes.Whole) (found bool, err error) {
	last := len(c.capacity) - 1
	q.ToHost(unsafe.Pointer(&c.note.last), c.level(last)+cuda.Ptr(2*entryBytes(c.in.Wide)), levelBytes)
	if err := q.Sync(); err != nil {
		return false, err
	}
	l := c.note.last
	if l.lost(c.capacity[last], c.in.Count) {
		return false, nil
	}
	m := int(l.kept)
	var anyhow, positions, picked, order cuda.Ptr
	block, err := c.w.Lay(func(a *device.Area) {
		anyhow, positions, picked, order = a.Take(4*m), a.Take(4*m), a.Take(c.in.Size()*m), a.Take(4*m)
	})
	if err != nil {
		return false, err
	}
	defer c.w.Put(block)
	q.Load(gather.Modules)
	q.Run("select_positions"+codes.Width(c.in.Wide), codes.Grid(c.w, m), kernels.SampleThreads, 0, uint64(c.kept[last]), uint64(m), uint64(anyhow))
	q.Then(func() error { return whole(c.w, codes.Input{Codes: anyhow, N: m, Keys: true}, positions) })
	q.Then(func() error {
		return gather.Elements(c.w, c.w.Stream, c.in.Codes, positions, 0, m, c.in.Size(), picked)
	})
	q.Then(func() error { return whole(c.w, codes.Input{Codes: picked, Wide: c.in.Wide, N: m}, order) })
	pick(q, c.w, order, int(l.first-l.below), c.in.Count, positions, picked, c.in.Size(), c.to)
	return true, q.Sync()
}

// ofAll takes the wanted elements from the order of all.
func ofAll(w *device.Workspace, in Input, whole codes.Whole, to Result) error {
	block, err := w.Take(4 * in.N)
	if err != nil {
		return err
	}
	defer w.Put(block)
	q := w.Queue()
	q.Load(gather.Modules)
	q.Then(func() error {
		return whole(w, codes.Input{Codes: in.Codes, Wide: in.Wide, N: in.N}, block.At)
	})
	pick(&q, w, block.At, in.First, in.Count, 0, in.Codes, in.Size(), to)
	return q.Sync()
}

// pick writes the results at places first to first+count-1 of an order of elements that have codes,
// and positions unless these are 0.
func pick(q *device.Queue, w *device.Workspace, order cuda.Ptr, first, count int, positions, codes cuda.Ptr, size int, to Result) {
	if to.Order != 0 && positions == 0 {
		q.Copy(to.Order, order+cuda.Ptr(4*first), 4*count)
	}
	if to.Order != 0 && positions != 0 {
		q.Then(func() error { return gather.Elements(w, w.Stream, positions, order, first, count, 4, to.Order) })
	}
	if to.Sorted != 0 {
		q.Then(func() error { return gather.Elements(w, w.Stream, codes, order, first, count, size, to.Sorted) })
	}
}
