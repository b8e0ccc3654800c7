package device

import (
	"errors"
	"slices"

	"example.com/sorter/internal/cuda"
)

// Area hands out parts of one block of device memory. One that begins at 0 counts the
// bytes that a layout takes.
type Area struct{ At cuda.Ptr }

// Take returns the next bytes of the area, aligned to 256.
func (a *Area) Take(bytes int) cuda.Ptr {
	p := a.At
	a.At += cuda.Ptr((bytes + 255) &^ 255)
	return p
}

// Take returns device memory of at least the given size until Put or Done: the
// smallest idle piece that fits without much waste, or new memory.
func (w *Workspace) Take(bytes int) (Block, error) {
	best := -1
	for i, b := range w.idle {
		if b.bytes >= bytes && b.bytes <= w.wasteful(bytes) && (best < 0 || b.bytes < w.idle[best].bytes) {
			best = i
		}
	}
	if best < 0 {
		b, err := w.allocate(bytes)
		if err != nil {
			return Block{}, err
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

// WithWaste is the most device memory that taking a number of bytes may take of a workspace
// that is short of memory.
func WithWaste(bytes int) int { return bytes + bytes/tightWaste }

// wasteful is the largest piece of idle memory to take for the given bytes.
func (w *Workspace) wasteful(bytes int) int {
	if w.tight {
		return WithWaste(bytes)
	}
	return waste*bytes + 1<<20
}

// Put makes b idle.
func (w *Workspace) Put(b Block) {
	if i := slices.Index(w.held, b); i >= 0 {
		w.held = slices.Delete(w.held, i, i+1)
		w.idle = append(w.idle, b)
	}
}

// allocate returns new device memory in place of idle blocks that are somewhat too
// small, or sorts that grow would pile it up. Before the device is full, the
// workspace and those that nobody uses give up all they have idle.
func (w *Workspace) allocate(bytes int) (Block, error) {
	if err := w.drop(func(b Block) bool { return b.bytes < bytes && b.bytes >= bytes/waste }); err != nil {
		return Block{}, err
	}
	at, err := w.alloc(bytes)
	if errors.Is(err, cuda.OutOfMemory) {
		if err := FirstError(w.Drop(), w.dropSpare()); err != nil {
			return Block{}, err
		}
		at, err = w.alloc(bytes)
	}
	return Block{at, bytes}, err
}

// alloc allocates within the limit of a sort.
func (w *Workspace) alloc(bytes int) (cuda.Ptr, error) {
	if all := w.Held() + bytes; w.Limit > 0 && all > w.Limit {
		return 0, cuda.Shortage(w.Info.Ordinal, "a sort may take %d bytes", w.Limit)
	}
	return w.Alloc(bytes)
}

// Held is the device memory that the workspace has, in use or idle.
func (w *Workspace) Held() int { return sum(w.held) + sum(w.idle) }

func sum(blocks []Block) (bytes int) {
	for _, b := range blocks {
		bytes += b.bytes
	}
	return bytes
}

// Drop frees the idle device memory of the workspace.
func (w *Workspace) Drop() error { return w.drop(func(Block) bool { return true }) }

func (w *Workspace) drop(which func(Block) bool) error {
	var failed errorList
	w.idle = slices.DeleteFunc(w.idle, func(b Block) bool {
		drop := which(b)
		if drop {
			failed.add(w.Free(b.At))
		}
		return drop
	})
	return failed.first()
}

// Space is the device memory that a sort may take which takes about want. Where
// that is not far more, the workspace is tight and gives up what others left it.
func (w *Workspace) Space(want int) (int, error) {
	space := w.Limit
	if space == 0 {
		if uint64(want) < w.Info.Memory/16 {
			return want, nil // asking takes longer than sorting a few elements
		}
		free, _, err := w.MemInfo()
		if err != nil {
			return 0, err
		}
		space = int(free) + w.idleBytes()
		space -= space / 16 // for whatever else allocates
	}
	if w.tight = want > space/(2*waste); !w.tight {
		return space, nil
	}
	return space, w.Drop()
}

// idleBytes is the device memory that w and workspaces that nobody uses have idle.
func (w *Workspace) idleBytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := sum(w.idle)
	for _, s := range w.spare {
		bytes += sum(s.idle)
	}
	return bytes
}

// dropSpare frees the device memory of spare workspaces.
func (d *Device) dropSpare() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failed errorList
	for _, w := range d.spare {
		failed.add(w.Drop())
	}
	return failed.first()
}
