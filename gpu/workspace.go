package gpu

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"example.com/sorter/internal/cuda"
)

// workspace is what one sort at a time works with: a stream, device memory and
// pinned memory. Nobody else uses them, so that memory put back may be taken
// again at once: the stream keeps the order.
type workspace struct {
	*device
	ctx    context.Context // of the sort
	stream cuda.Stream
	side   cuda.Stream // for work beside that of stream, which goes first
	up     cuda.Stream // for uploads beside both
	split  cuda.Event  // where streams part and meet
	quiet  bool        // nothing is under way
	tiles  int         // that the device may be given before it is waited for
	note   *note       // pinned
	states radixStates
	pinned []unsafe.Pointer
	slots  []*slot // in pinned
	idle   []block
	held   []block // taken and not put back
	tight  bool    // little memory may be wasted
}

// block is device memory.
type block struct {
	at    cuda.Ptr
	bytes int
}

// slot is a piece of pinned memory on its way to or from the device.
type slot struct {
	number int
	memory unsafe.Pointer
	passed cuda.Event // behind the last copy from or to memory
	busy   bool       // passed was recorded and not waited for
}

// slotBytes is the size of a slot: large enough for full bandwidth (a copy of
// 2 MiB takes 40 µs, its call 3), small enough that the first copies start early and
// that all slots stay in the caches. Measured with 2^28 uint32 keys sorted from slice to
// slice on an H200, 47 to 50 ms: slots of 1, 3, 4 and 8 MiB took 58, 53, 51 and 59,
// copies by two streams in turns 51; the first slots sent in eight parts the same.
const slotBytes = 2 << 20

// open creates what every sort needs. After an error the workspace is to be freed.
func (w *workspace) open() (err error) {
	if w.stream, err = w.NewStream(); err != nil {
		return err
	}
	if w.side, err = w.NewUrgentStream(); err != nil {
		return err
	}
	if w.up, err = w.NewStream(); err != nil {
		return err
	}
	if w.split, err = w.NewEvent(false); err != nil {
		return err
	}
	if w.states.at, err = w.Alloc(2 * radixStateBytes); err != nil {
		return err
	}
	p, err := w.HostAlloc(int(unsafe.Sizeof(note{})))
	w.note = (*note)(p) // it holds no Go pointer
	return err
}

// mapped is the address by which kernels reach pinned memory.
func mapped[T any](pinned *T) uint64 { return uint64(uintptr(unsafe.Pointer(pinned))) }

// await looks until a time whether a kernel has written any of the words, in pinned
// memory: where the device works on nothing else, it has in a few µs.
func await(end time.Time, words ...*atomic.Uint32) bool {
	for {
		for _, w := range words {
			if w.Load() != 0 {
				return true
			}
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// grow makes the workspace have at least that many slots.
func (w *workspace) grow(slots int) error {
	more := slots - len(w.slots)
	if more <= 0 {
		return nil
	}
	p, err := w.HostAlloc(more * slotBytes)
	if err != nil {
		return err
	}
	w.pinned = append(w.pinned, p)
	for i := range more {
		passed, err := w.NewEvent(false)
		if err != nil {
			return err
		}
		w.slots = append(w.slots, &slot{number: len(w.slots), memory: unsafe.Add(p, i*slotBytes), passed: passed})
	}
	return nil
}

// done gives the workspace back. It waits for the streams, unless they are known to be
// quiet: a sort that failed midway may have left copies and kernels under way, and
// the next user of the workspace's memory has to find it quiet.
func (w *workspace) done() {
	defer func() { <-w.turns }()
	if err := w.settle(); err != nil {
		// What the context met stays: every later call fails with it.
		w.broken.CompareAndSwap(nil, &err)
		w.free()
		return
	}
	for _, s := range w.slots {
		s.busy = false
	}
	w.idle = append(w.idle, w.held...)
	w.held, w.tight = w.held[:0], false
	w.pushSpare(w)
}

// settle waits until nothing is under way.
func (w *workspace) settle() error {
	if w.quiet {
		return nil
	}
	return firstError(w.SyncStream(w.stream), w.SyncStream(w.side), w.SyncStream(w.up))
}

// free gives everything of the workspace back.
func (w *workspace) free() error {
	var failed errorList
	for _, s := range []cuda.Stream{w.stream, w.side, w.up} {
		if s != 0 {
			failed.add(w.DestroyStream(s))
		}
	}
	if w.split != 0 {
		failed.add(w.DestroyEvent(w.split))
	}
	w.idle = append(w.idle, w.held...)
	failed.add(w.drop(all))
	for _, s := range w.slots {
		failed.add(w.DestroyEvent(s.passed))
	}
	failed.add(w.Free(w.states.at))
	for _, p := range append(w.pinned, unsafe.Pointer(w.note)) {
		failed.add(w.HostFree(p))
	}
	*w = workspace{device: w.device}
	return failed.first()
}

// take returns device memory of at least the given size until put or done: the
// smallest idle piece that fits without much waste, or new memory.
func (w *workspace) take(bytes int) (block, error) {
	best := -1
	for i, b := range w.idle {
		if b.bytes >= bytes && b.bytes <= w.wasteful(bytes) && (best < 0 || b.bytes < w.idle[best].bytes) {
			best = i
		}
	}
	if best < 0 {
		b, err := w.allocate(bytes)
		if err != nil {
			return block{}, err
		}
		w.held = append(w.held, b)
		return b, nil
	}
	b := w.idle[best]
	w.idle = slices.Delete(w.idle, best, best+1)
	w.held = append(w.held, b)
	return b, nil
}

// waste is how many times as large as asked for a piece of idle memory may be:
// a sort that took much more might lack it in the end. tightWaste is the part of
// it that is too much where memory is short.
const waste, tightWaste = 4, 8

// wasteful is the largest piece of idle memory to take for so many bytes.
func (w *workspace) wasteful(bytes int) int {
	if w.tight {
		return bytes + bytes/tightWaste
	}
	return waste*bytes + 1<<20
}

// put makes b idle.
func (w *workspace) put(b block) {
	if i := slices.Index(w.held, b); i >= 0 {
		w.held = slices.Delete(w.held, i, i+1)
		w.idle = append(w.idle, b)
	}
}

// allocate returns new device memory in place of what is idle and somewhat too
// small, or sorts that grow would pile it up. Before the device is full, the
// workspace and those that nobody uses give up all they have idle.
func (w *workspace) allocate(bytes int) (block, error) {
	if err := w.drop(func(b block) bool { return b.bytes < bytes && b.bytes >= bytes/waste }); err != nil {
		return block{}, err
	}
	at, err := w.alloc(bytes)
	if errors.Is(err, cuda.OutOfMemory) {
		if err := firstError(w.drop(all), w.dropSpare()); err != nil {
			return block{}, err
		}
		at, err = w.alloc(bytes)
	}
	return block{at, bytes}, err
}

// alloc allocates within the limit of a sort.
func (w *workspace) alloc(bytes int) (cuda.Ptr, error) {
	if all := sum(w.held) + sum(w.idle) + bytes; w.limit > 0 && all > w.limit {
		return 0, cuda.Shortage(w.info.Ordinal, "a sort may take %d bytes", w.limit)
	}
	return w.Alloc(bytes)
}

func sum(blocks []block) (bytes int) {
	for _, b := range blocks {
		bytes += b.bytes
	}
	return bytes
}

// drop frees idle device memory of the workspace.
func (w *workspace) drop(which func(block) bool) error {
	var failed errorList
	w.idle = slices.DeleteFunc(w.idle, func(b block) bool {
		drop := which(b)
		if drop {
			failed.add(w.Free(b.at))
		}
		return drop
	})
	return failed.first()
}

func all(block) bool { return true }

// wait waits for the last copy of s.
func (w *workspace) wait(s *slot) error {
	if !s.busy {
		return nil
	}
	err := w.SyncEvent(s.passed)
	s.busy = err != nil
	return err
}

// mark notes that a copy of s was given to a stream.
func (w *workspace) mark(s *slot, stream cuda.Stream) error {
	s.busy = true
	return w.Record(s.passed, stream)
}

// patience is how many tiles a device is given before it is waited for and the
// context asked: 0.4 to 3 ms on an H200, by what is done with a tile, so that one a
// tenth as fast stops in time. The wait takes some 10 µs.
const patience = 1 << 15

// runTiles is run of a kernel whose blocks take a tile each.
func (w *workspace) runTiles(name string, grid, block, shared int, args ...uint64) error {
	if w.tiles -= grid; w.tiles < 0 {
		w.tiles = patience - grid
		if err := firstError(w.SyncStream(w.stream), w.ctx.Err()); err != nil {
			return err
		}
	}
	return w.run(name, grid, block, shared, args...)
}

// run launches the kernel of that name.
func (w *workspace) run(name string, grid, block, shared int, args ...uint64) error {
	return w.Launch(w.function(name), grid, block, shared, w.stream, args...)
}
