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

// lane is what one sort at a time works with: a stream, device memory and
// pinned memory. Nobody else uses them, so that memory put back may be taken
// again at once: the stream keeps the order.
type lane struct {
	*device
	ctx    context.Context // of the sort
	stream cuda.Stream
	side   cuda.Stream // for work beside that of stream
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
	memory unsafe.Pointer
	passed cuda.Event // behind the last copy from or to memory
	busy   bool       // passed was recorded and not waited for
}

// slotBytes is the size of a slot: large enough for full bandwidth (a copy of
// 2 MiB takes 40 µs, its call 3), small enough that the first copies start early.
const slotBytes = 2 << 20

// open creates what every sort needs. After an error the lane is to be freed.
func (l *lane) open() (err error) {
	if l.stream, err = l.NewStream(); err != nil {
		return err
	}
	if l.side, err = l.NewStream(); err != nil {
		return err
	}
	if l.up, err = l.NewStream(); err != nil {
		return err
	}
	if l.split, err = l.NewEvent(false); err != nil {
		return err
	}
	if l.states.at, err = l.Alloc(2 * radixStateBytes); err != nil {
		return err
	}
	p, err := l.HostAlloc(int(unsafe.Sizeof(note{})))
	l.note = (*note)(p) // it holds no Go pointer
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

// grow makes the lane have at least that many slots.
func (l *lane) grow(slots int) error {
	more := slots - len(l.slots)
	if more <= 0 {
		return nil
	}
	p, err := l.HostAlloc(more * slotBytes)
	if err != nil {
		return err
	}
	l.pinned = append(l.pinned, p)
	for i := range more {
		passed, err := l.NewEvent(false)
		if err != nil {
			return err
		}
		l.slots = append(l.slots, &slot{memory: unsafe.Add(p, i*slotBytes), passed: passed})
	}
	return nil
}

// done gives the lane back. It waits for the streams, unless they are known to be
// quiet: a sort that failed midway may have left copies and kernels under way, and
// the next user of the lane's memory has to find it quiet.
func (l *lane) done() {
	defer func() { <-l.turns }()
	if err := l.settle(); err != nil {
		// What the context met stays: every later call fails with it.
		l.broken.CompareAndSwap(nil, &err)
		l.free()
		return
	}
	for _, s := range l.slots {
		s.busy = false
	}
	l.idle = append(l.idle, l.held...)
	l.held, l.tight = l.held[:0], false
	l.pushSpare(l)
}

// settle waits until nothing is under way.
func (l *lane) settle() error {
	if l.quiet {
		return nil
	}
	return firstError(l.SyncStream(l.stream), l.SyncStream(l.side), l.SyncStream(l.up))
}

// free gives everything of the lane back.
func (l *lane) free() error {
	var failed errorList
	for _, s := range []cuda.Stream{l.stream, l.side, l.up} {
		if s != 0 {
			failed.add(l.DestroyStream(s))
		}
	}
	if l.split != 0 {
		failed.add(l.DestroyEvent(l.split))
	}
	l.idle = append(l.idle, l.held...)
	failed.add(l.drop(all))
	for _, s := range l.slots {
		failed.add(l.DestroyEvent(s.passed))
	}
	failed.add(l.Free(l.states.at))
	for _, p := range append(l.pinned, unsafe.Pointer(l.note)) {
		failed.add(l.HostFree(p))
	}
	*l = lane{device: l.device}
	return failed.first()
}

// take returns device memory of at least the given size until put or done: the
// smallest idle piece that fits without much waste, or new memory.
func (l *lane) take(bytes int) (block, error) {
	best := -1
	for i, b := range l.idle {
		if b.bytes >= bytes && b.bytes <= l.wasteful(bytes) && (best < 0 || b.bytes < l.idle[best].bytes) {
			best = i
		}
	}
	if best < 0 {
		b, err := l.allocate(bytes)
		if err != nil {
			return block{}, err
		}
		l.held = append(l.held, b)
		return b, nil
	}
	b := l.idle[best]
	l.idle = slices.Delete(l.idle, best, best+1)
	l.held = append(l.held, b)
	return b, nil
}

// waste is how many times as large as asked for a piece of idle memory may be:
// a sort that took much more might lack it in the end. tightWaste is the part of
// it that is too much where memory is short.
const waste, tightWaste = 4, 8

// wasteful is the largest piece of idle memory to take for so many bytes.
func (l *lane) wasteful(bytes int) int {
	if l.tight {
		return bytes + bytes/tightWaste
	}
	return waste*bytes + 1<<20
}

// put makes b idle.
func (l *lane) put(b block) {
	if i := slices.Index(l.held, b); i >= 0 {
		l.held = slices.Delete(l.held, i, i+1)
		l.idle = append(l.idle, b)
	}
}

// allocate returns new device memory in place of what is idle and somewhat too
// small, or sorts that grow would pile it up. Before the device is full, the
// lane and those that nobody uses give up all they have idle.
func (l *lane) allocate(bytes int) (block, error) {
	if err := l.drop(func(b block) bool { return b.bytes < bytes && b.bytes >= bytes/waste }); err != nil {
		return block{}, err
	}
	at, err := l.alloc(bytes)
	if errors.Is(err, cuda.OutOfMemory) {
		if err := firstError(l.drop(all), l.dropSpare()); err != nil {
			return block{}, err
		}
		at, err = l.alloc(bytes)
	}
	return block{at, bytes}, err
}

// alloc allocates within the limit of a sort.
func (l *lane) alloc(bytes int) (cuda.Ptr, error) {
	if all := sum(l.held) + sum(l.idle) + bytes; l.limit > 0 && all > l.limit {
		return 0, cuda.Shortage(l.info.Ordinal, "a sort may take %d bytes", l.limit)
	}
	return l.Alloc(bytes)
}

func sum(blocks []block) (bytes int) {
	for _, b := range blocks {
		bytes += b.bytes
	}
	return bytes
}

// drop frees idle device memory of the lane.
func (l *lane) drop(which func(block) bool) error {
	var failed errorList
	l.idle = slices.DeleteFunc(l.idle, func(b block) bool {
		drop := which(b)
		if drop {
			failed.add(l.Free(b.at))
		}
		return drop
	})
	return failed.first()
}

func all(block) bool { return true }

// wait waits for the last copy of s.
func (l *lane) wait(s *slot) error {
	if !s.busy {
		return nil
	}
	err := l.SyncEvent(s.passed)
	s.busy = err != nil
	return err
}

// mark notes that a copy of s was given to a stream.
func (l *lane) mark(s *slot, stream cuda.Stream) error {
	s.busy = true
	return l.Record(s.passed, stream)
}

// patience is how many tiles a device is given before it is waited for and the
// context asked: 0.4 to 3 ms on an H200, by what is done with a tile, so that one a
// tenth as fast stops in time. The wait takes some 10 µs.
const patience = 1 << 15

// runTiles is run of a kernel whose blocks take a tile each.
func (l *lane) runTiles(name string, grid, block, shared int, args ...uint64) error {
	if l.tiles -= grid; l.tiles < 0 {
		l.tiles = patience - grid
		if err := firstError(l.SyncStream(l.stream), l.ctx.Err()); err != nil {
			return err
		}
	}
	return l.run(name, grid, block, shared, args...)
}

// run launches the kernel of that name.
func (l *lane) run(name string, grid, block, shared int, args ...uint64) error {
	return l.Launch(l.function(name), grid, block, shared, l.stream, args...)
}
