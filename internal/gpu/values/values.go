// Package values is the sort on a device of codes that have few distinct values. A sample finds
// the values. One pass over the codes finds the rank of each, and one or two stable
// partitions by rank order them. Values that the sample missed join the others; with too
// many of them the sort gives up.
package values

import (
	"errors"
	"math/bits"
	"slices"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// MaxValues is the largest number of values.
const MaxValues = kernels.MaxValues

// ErrMany reports codes with too many values.
var ErrMany = errors.New("sorter: gpu: too many distinct values")

// Modules has the kernels of the sort.
var Modules = []*device.Module{{Image: kernels.Values, Kernels: moduleKernels()}}

func moduleKernels() map[string]int {
	k := map[string]int{"values_pass": kernels.ValuesPassShared + 2<<kernels.ValuesBits, "values_pass_high": kernels.ValuesHighShared}
	for _, wide := range []bool{false, true} {
		t := table{wide, kernels.ValuesBits}
		width := codes.Width(wide)
		k["values_open"+width], k["values_find"+width], k["values_write"+width] = 0, 0, 0
		k["values_classify"+width], k["values_rank"+width] = t.classifyShared(), kernels.ValuesRankShared
	}
	return k
}

// table is the hash table of the values.
type table struct {
	wide bool
	bits int // binary logarithm of the number of places
}

// leastBits is the binary logarithm of the number of places for the fewest values. Blocks of
// values_classify have 1 << (kernels.ValuesBits - leastBits) counters for each of these, one
// for each lane of a warp.
const leastBits = kernels.ValuesBits - 5

// tableFor returns a table in which the given number of values fill an eighth of the places,
// if there is space: then most codes are found at once.
func tableFor(wide bool, values int) table {
	return table{wide, min(max(bits.Len(uint(8*values-1)), leastBits), kernels.ValuesBits)}
}

func (t table) size() int           { return 1 << t.bits }
func (t table) bytes() int          { return codes.Bytes(t.wide) << t.bits }
func (t table) classifyShared() int { return 4*kernels.ValuesCounters + t.bytes() }
func (t table) passShared() int     { return kernels.ValuesPassShared + 2<<t.bits }

// classifyBlocks returns the blocks of values_classify that an SM holds.
func (t table) classifyBlocks() int {
	if t.wide {
		return kernels.ClassifyBlocksU64
	}
	return kernels.ClassifyBlocksU32
}

// memory is the device memory of one sort besides codes and result.
type memory struct {
	state, places, counts, ranks, values, starts cuda.Ptr
	words, classes, elements                     cuda.Ptr // of an order
}

func layOut(a *device.Area, in codes.Input, t table) memory {
	m := memory{
		state:  a.Take(kernels.ValuesStateBytes),
		places: a.Take(t.bytes()),
		counts: a.Take(4 * t.size()),
		ranks:  a.Take(2 * t.size()),
		values: a.Take(in.Size() * MaxValues),
		starts: a.Take(4 * MaxValues),
	}
	if !in.Keys {
		m.words, m.classes, m.elements = a.Take(4*kernels.RadixDigits*tiles(in.N)), a.Take(2*in.N), a.Take(8*in.N)
	}
	return m
}

// Bytes bounds the device memory of a sort besides codes and result.
func Bytes(in codes.Input) int {
	var size device.Area
	layOut(&size, in, table{in.Wide, kernels.ValuesBits})
	return int(size.At)
}

func tiles(n int) int { return (n + kernels.RadixTile - 1) / kernels.RadixTile }

// note is struct ValuesNote of values.cuh, in pinned memory: the number of values as soon as
// they have ranks, above MaxValues if they are too many.
type note struct{ values atomic.Uint32 }

// Sort orders codes, or sorts them alone, that have about the given number of values, or
// returns ErrMany.
func Sort(w *device.Workspace, in codes.Input, values int, to cuda.Ptr) (codes.Outcome, error) {
	if in.N < 2 {
		return codes.Outcome{Shape: engine.Sorted}, codes.Identity(w, in, to)
	}
	n, err := device.Pinned[note](w)
	if err != nil {
		return codes.Outcome{}, err
	}
	block, err := w.Take(Bytes(in))
	if err != nil {
		return codes.Outcome{}, err
	}
	defer w.Put(block)
	c := call{w: w, in: in, to: to, note: n, table: tableFor(in.Wide, values)}
	f, err := c.sort(block)
	if errors.Is(err, ErrMany) && c.bits < kernels.ValuesBits { // the sample missed too many for it
		c.bits = kernels.ValuesBits
		f, err = c.sort(block)
	}
	return f, err
}

// sort sorts with the call's table.
func (c *call) sort(block device.Block) (codes.Outcome, error) {
	c.memory = layOut(&device.Area{At: block.At}, c.in, c.table)
	c.note.values.Store(0)
	q := c.w.Queue()
	c.rank(&q)
	if c.in.Keys {
		c.write(&q)
	} else {
		c.passes(&q)
	}
	if err := q.Sync(); err != nil {
		return codes.Outcome{}, err
	}
	return c.outcome()
}

// call is one sort.
type call struct {
	memory
	table
	w    *device.Workspace
	in   codes.Input
	to   cuda.Ptr
	note *note
}

// sampleBits returns the binary logarithm of the number of sampled codes: at least 16 for each
// value, of which it misses one in nine million if they are equally frequent, and 8 in the
// largest table, one in three thousand.
func (t table) sampleBits() int {
	if t.bits == kernels.ValuesBits {
		return t.bits + 2
	}
	return t.bits + 1
}

// rank finds the values, the place of each code in their table, and the rank of each place.
func (c *call) rank(q *device.Queue) {
	in, width := c.in, codes.Width(c.wide)
	words := 0 // of 8 bytes
	if !in.Keys {
		words = kernels.RadixDigits / 2 * tiles(in.N)
	}
	q.Run("values_open"+width, codes.Grid(c.w, max(c.size(), words)), kernels.SampleThreads, 0,
		uint64(in.Codes), uint64(c.places), uint64(c.bits), uint64(c.state), uint64(c.counts), uint64(c.words), uint64(words))
	q.Run("values_find"+width, codes.Grid(c.w, 1<<c.sampleBits()), kernels.SampleThreads, 0,
		uint64(in.Codes), uint64(in.N), uint64(c.sampleBits()), uint64(c.places), uint64(c.bits), uint64(c.state))
	grid := min(c.classifyBlocks()*c.w.Info.SMs, (in.N+kernels.ClassifyTile-1)/kernels.ClassifyTile)
	q.Run("values_classify"+width, grid, kernels.ClassifyThreads, c.classifyShared(),
		uint64(in.Codes), uint64(in.N), uint64(c.places), uint64(c.bits), uint64(c.state), uint64(c.classes), uint64(c.counts))
	q.Run("values_rank"+width, min(c.size()/2, MaxValues)/kernels.RankValues, kernels.ValuesRankThreads, kernels.ValuesRankShared, uint64(c.places), uint64(c.bits), uint64(c.state),
		uint64(c.counts), uint64(c.ranks), uint64(c.values), uint64(c.starts), device.Mapped(c.note))
}

// write writes sorted codes.
func (c *call) write(q *device.Queue) {
	q.Run("values_write"+codes.Width(c.wide), codes.Grid(c.w, c.in.N), kernels.SampleThreads, 0,
		uint64(c.in.N), uint64(c.state), uint64(c.values), uint64(c.starts), uint64(c.to))
}

// patience returns how long a sort of n codes waits for the number of values: three times as
// long as an H200 takes to count them. A device that is busy longer gets a second pass that it
// may not need.
func patience(n int) time.Duration {
	return 100*time.Microsecond + time.Duration(n/50)*time.Nanosecond
}

// passes moves positions to their places. The first pass is enqueued at once; the host
// learns before it ends whether there is a second.
func (c *call) passes(q *device.Queue) {
	n := uint64(c.in.N)
	moving := []uint64{uint64(c.elements), uint64(c.to)}
	q.RunTiles("values_pass", tiles(c.in.N), kernels.RadixThreads, c.passShared(),
		slices.Concat([]uint64{uint64(c.classes), n, uint64(c.ranks), uint64(c.bits), uint64(c.state), uint64(c.words)}, moving)...)
	if q.Err() != nil || device.Await(time.Now().Add(patience(c.in.N)), &c.note.values) && c.levels() < 2 {
		return
	}
	q.RunTiles("values_pass_high", tiles(c.in.N), kernels.RadixThreads, kernels.ValuesHighShared,
		slices.Concat([]uint64{n, uint64(c.state), uint64(c.words)}, moving)...)
}

// levels returns the number of passes, 0 if there are too many values or the values are written
// alone.
func (c *call) levels() int {
	switch values := c.note.values.Load(); {
	case values > MaxValues || c.in.Keys:
		return 0
	case values <= kernels.RadixDigits:
		return 1
	}
	return 2
}

// outcome returns the result of a sort that has ended.
func (c *call) outcome() (codes.Outcome, error) {
	if c.note.values.Load() > MaxValues {
		return codes.Outcome{}, ErrMany
	}
	return codes.Outcome{Shape: engine.FewValues, Levels: c.levels()}, nil
}
