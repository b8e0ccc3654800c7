// Package radix is the radix sort on a device. It takes codes of any distribution.
package radix

import (
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

// Sorter is the radix sort with tiles of one size.
type Sorter struct {
	modules     []*device.Module
	suffix      string // of its kernels
	tile        int    // elements
	carried     int    // elements of the tile where they carry a word
	threads     int    // of the block that moves a tile
	shared      int    // bytes of a tile
	keysU32     int    // bytes of a tile of 32-bit keys
	countBlocks int    // blocks of radix_histogram per SM
}

// Devices run Large, or Small if Large does not fit their shared memory.
var (
	Large = newSorter(kernels.Radix, Sorter{
		suffix:      "",
		tile:        kernels.RadixTile,
		carried:     kernels.RadixCarriedTile,
		threads:     kernels.RadixThreads,
		shared:      kernels.RadixShared,
		keysU32:     kernels.RadixKeysU32,
		countBlocks: kernels.RadixCountBlocks,
	})
	Small = newSorter(kernels.RadixSmall, Sorter{
		suffix:      "_small",
		tile:        kernels.SmallRadixTile,
		carried:     kernels.SmallCarriedTile,
		threads:     kernels.SmallRadixThreads,
		shared:      kernels.SmallRadixShared,
		keysU32:     kernels.SmallRadixKeysU32,
		countBlocks: kernels.SmallCountBlocks,
	})
)

func newSorter(image []byte, r Sorter) *Sorter {
	k := map[string]int{}
	for _, in := range []codes.Input{{}, {Wide: true}, {Keys: true}, {Wide: true, Keys: true}} {
		k[r.histogram(in)], k[r.pass(in)] = countShared(in), r.passShared(in)
	}
	r.modules = []*device.Module{{Image: image, Kernels: k}}
	return &r
}

// Modules returns the kernels of the sort.
func (r *Sorter) Modules() []*device.Module { return r.modules }

// Tile returns the number of elements of a tile.
func (r *Sorter) Tile() int { return r.tile }

// histogram and pass return names of kernels.
func (r *Sorter) histogram(in codes.Input) string { return "radix_histogram" + r.suffix + in.Kind() }

func (r *Sorter) pass(in codes.Input) string { return "radix_pass" + r.suffix + in.Kind() }

// countShared and passShared return the shared memory of their blocks.
func countShared(in codes.Input) int {
	if in.Wide {
		return kernels.RadixCountSharedU64
	}
	return kernels.RadixCountSharedU32
}

func (r *Sorter) passShared(in codes.Input) int {
	if in.Keys && !in.Wide {
		return r.keysU32
	}
	return r.shared
}

// MaxN is the largest number of elements that the sort takes: the limit of its tile counters.
const MaxN = kernels.RadixMaxN

// memory is the device memory of one radix sort besides codes and their result.
type memory struct {
	words     cuda.Ptr // counts of tiles; from the count of digits on
	even, odd cuda.Ptr // elements: each pass moves from one to the other; for keys alone one of them is the result
	high      cuda.Ptr // high words of codes, where elements have low ones
}

func (m *memory) layOutElements(a *device.Area, in codes.Input) {
	if in.Keys {
		m.even = a.Take(in.Size() * in.N)
		return
	}
	m.even, m.odd = a.Take(8*in.N), a.Take(8*in.N)
	if in.Wide {
		m.high = a.Take(4 * in.N)
	}
}

// CountBytes returns the device memory of a count of digits.
func (r *Sorter) CountBytes(in codes.Input) int { return 4 * kernels.RadixDigits * r.tiles(in) }

// Bytes returns the device memory of a radix sort besides codes and result.
func (r *Sorter) Bytes(in codes.Input) int {
	var size device.Area
	size.Take(r.CountBytes(in))
	new(memory).layOutElements(&size, in)
	return int(size.At)
}

// pinned is the pinned memory of a workspace's radix sorts.
type pinned struct {
	note   note
	states states
}

// states is two states that a workspace's radix sorts use alternately: a sort finds one clear
// and clears the other, which the sort before used.
type states struct {
	at    cuda.Ptr // of both; 0 before the first sort
	turn  int      // 0 or 1
	clear bool     // the state of this turn is clear
}

// stateBytes is the distance from one state to the other.
const stateBytes = (kernels.RadixStateBytes + 255) &^ 255

// take returns the state of a sort on a stream, and the one that the sort has to clear.
func (s *states) take(w *device.Workspace, on cuda.Stream) (state, spent cuda.Ptr, err error) {
	if s.at == 0 {
		at, err := w.Keep(2 * stateBytes)
		if err != nil {
			return 0, 0, err
		}
		s.at = at
	}
	if !s.clear { // this is the first sort, or the last one failed
		err = w.Memset32(s.at, 0, 2*stateBytes/4, on)
	}
	state, spent = s.at+cuda.Ptr(s.turn*stateBytes), s.at+cuda.Ptr((1-s.turn)*stateBytes)
	s.turn, s.clear = 1-s.turn, false
	return state, spent, err
}

// Sort orders codes digit by digit, stably. The device detects digits that all codes share and
// codes that are in order; passes that are not needed end at once.
func (r *Sorter) Sort(w *device.Workspace, in codes.Input, to cuda.Ptr) (codes.Outcome, error) {
	if in.N < 2 {
		return codes.Outcome{Shape: engine.Sorted}, codes.Identity(w, in, to)
	}
	c, err := r.count(w, w.Stream, in, to)
	if err != nil {
		return codes.Outcome{}, err
	}
	return c.sort()
}

// Counted is a radix sort whose digits are counted on the side stream. Either of its methods ends it.
type Counted struct{ call }

// Count counts the digits of two codes or more on the side stream of the workspace.
func (r *Sorter) Count(w *device.Workspace, in codes.Input, to cuda.Ptr) (*Counted, error) {
	c, err := r.count(w, w.Side, in, to)
	if err != nil {
		return nil, err
	}
	return &Counted{c}, nil
}

// Sort is the rest of [Sorter.Sort].
func (c *Counted) Sort() (codes.Outcome, error) {
	if err := c.w.After(c.w.Stream, c.w.Side); err != nil {
		return codes.Outcome{}, err
	}
	return c.sort()
}

// Drop waits for the count and frees its memory.
func (c *Counted) Drop() error {
	err := c.w.SyncStream(c.w.Side)
	c.states.clear = err == nil
	c.w.Put(c.counts)
	return err
}

// call is one radix sort.
type call struct {
	*Sorter
	memory
	*pinned
	w      *device.Workspace
	in     codes.Input
	to     cuda.Ptr
	state  cuda.Ptr
	counts device.Block // memory.words
}

// count begins a sort with the count of digits, on a stream.
func (r *Sorter) count(w *device.Workspace, on cuda.Stream, in codes.Input, to cuda.Ptr) (c call, err error) {
	c = call{Sorter: r, w: w, in: in, to: to}
	if c.pinned, err = device.Pinned[pinned](w); err != nil {
		return c, err
	}
	if c.counts, err = w.Take(r.CountBytes(in)); err != nil {
		return c, err
	}
	c.words = c.counts.At
	var spent cuda.Ptr
	if c.state, spent, err = c.states.take(w, on); err == nil {
		err = c.countDigits(on, spent)
	}
	if err != nil {
		w.Put(c.counts)
	}
	return c, err
}

// sort ends a sort whose digits are counted.
func (c *call) sort() (codes.Outcome, error) {
	defer c.w.Put(c.counts)
	elements, err := c.w.Lay(func(a *device.Area) { c.layOutElements(a, c.in) })
	if err != nil {
		return codes.Outcome{}, err
	}
	defer c.w.Put(elements)
	q := c.w.Queue()
	c.passes(&q)
	err = q.Sync()
	c.states.clear = err == nil
	return c.note.get().outcome(), err
}

// note is written by the device during the sort: struct RadixNote of radix.cuh.
type note struct{ shuffled, found atomic.Uint32 }

func (n *note) clear() {
	n.shuffled.Store(0)
	n.found.Store(0)
}

// get returns the findings, 0 if there are none yet.
func (n *note) get() found { return found(n.found.Load()) }

// found is a bit for each place at which codes differ, below their shape.
type found uint32

func (f found) passes() int { return bits.OnesCount32(uint32(f) & (1<<kernels.RadixShape - 1)) }

func (f found) outcome() codes.Outcome {
	switch f >> kernels.RadixShape {
	case kernels.RadixDescending:
		return codes.Outcome{Shape: engine.Reversed}
	case kernels.RadixAscending:
		return codes.Outcome{Shape: engine.Sorted}
	case kernels.RadixFlat:
		return codes.Outcome{Shape: engine.Flat}
	}
	return codes.Outcome{Levels: f.passes()}
}

// countDigits counts the digits of all places and turns the counts into start positions.
func (c *call) countDigits(on cuda.Stream, spent cuda.Ptr) error {
	in := c.in
	grid := min(c.countBlocks*c.w.Info.SMs, (in.N+kernels.RadixCountTile-1)/kernels.RadixCountTile)
	ordered := uint64(1)
	if in.Shuffled {
		ordered = 0
	}
	c.note.clear()
	return c.w.RunOn(on, c.histogram(in), grid, kernels.RadixCountThreads, countShared(in),
		uint64(in.Codes), uint64(in.N), ordered, uint64(c.to), uint64(c.state), uint64(spent), uint64(c.words), device.Mapped(&c.note))
}

// patience is how long a sort waits in all for the findings that its passes depend on. A
// device that is busy longer gets passes that it may not need, at 2 µs each.
const patience = 50 * time.Microsecond

// passes enqueues the passes that are needed, or one per place if the device does not report
// in time. The first pass is enqueued once digits are counted: for unordered codes the device
// soon knows that it is needed. The others can wait for the counts, since they run after the
// first one.
func (c *call) passes(q *device.Queue) {
	in, moving := c.in, []uint64{uint64(c.even), uint64(c.odd), uint64(c.high), uint64(c.to)}
	if in.Keys {
		moving = []uint64{uint64(c.even), uint64(c.to)}
	}
	end := time.Now().Add(patience)
	for pass := 0; pass < places(in) && q.Err() == nil; pass++ {
		switch {
		case pass > 0:
			device.Await(end, &c.note.found)
		case !in.Shuffled:
			device.Await(end, &c.note.shuffled, &c.note.found)
		}
		if found := c.note.get(); found != 0 && pass >= found.passes() {
			return
		}
		q.RunTiles(c.pass(in), c.tiles(in), c.threads, c.passShared(in),
			slices.Concat([]uint64{uint64(in.Codes), uint64(in.N), uint64(pass), uint64(c.state), uint64(c.words)}, moving)...)
	}
}

// places returns the number of digits of a code.
func places(in codes.Input) int { return 8 * in.Size() / kernels.RadixBits }

// tiles returns the number of tiles of the passes that have most.
func (r *Sorter) tiles(in codes.Input) int {
	size := r.tile
	if in.Wide && !in.Keys {
		size = r.carried
	}
	return (in.N + size - 1) / size
}
