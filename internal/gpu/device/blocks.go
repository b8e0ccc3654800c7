package device

import (
	"errors"
	"math/bits"
	"slices"

	"example.com/sorter/internal/cuda"
)

// Area divides one block of device memory. An Area that begins at 0 measures a layout.
type Area struct{ At cuda.Ptr }

// Take returns the next bytes of the area, aligned to 256.
func (a *Area) Take(bytes int) cuda.Ptr {
	p := a.At
	a.At += cuda.Ptr((bytes + 255) &^ 255)
	return p
}

// Take returns device memory of at least the given size, valid until Put or Done: the smallest
// idle block that fits without much waste, or new memory.
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

// Lay takes device memory that layOut divides, until Put or Done. layOut is called twice, first to measure.
func (w *Workspace) Lay(layOut func(a *Area)) (Block, error) {
	var size Area
	layOut(&size)
	b, err := w.Take(int(size.At))
	if err == nil {
		layOut(&Area{At: b.At})
	}
	return b, err
}

// waste is how many times larger than requested an idle block may be. tightWaste is 1 over the
// excess allowed if memory is short.
const waste, tightWaste = 4, 8

// WithWaste bounds the device memory that a request of bytes takes from a workspace that is
// short of memory.
func WithWaste(bytes int) int { return bytes + bytes/tightWaste }

// wasteful returns the largest idle block to use for a request.
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

// roomy returns the size of a new block for a request where memory is not short: an eighth more at most, or 256 bytes. The next
// list is a little longer, or its plan by another sample a little larger, and takes the block again.
func (w *Workspace) roomy(bytes int) int {
	if w.tight || w.Limit > 0 {
		return bytes
	}
	step := max(256, 1<<bits.Len(uint(max(bytes, 1)))>>4)
	return (bytes + step - 1) / step * step
}

// allocate returns new device memory. It first frees idle blocks that are slightly too small,
// so that growing sorts do not pile up memory. If the device is full, it frees all idle memory
// of this and of unused workspaces.
func (w *Workspace) allocate(bytes int) (Block, error) {
	if err := w.drop(func(b Block) bool { return b.bytes < bytes && b.bytes >= bytes/waste }); err != nil {
		return Block{}, err
	}
	size := w.roomy(bytes)
	at, err := w.alloc(size)
	if errors.Is(err, cuda.OutOfMemory) {
		if err := FirstError(w.Drop(), w.dropSpare()); err != nil {
			return Block{}, err
		}
		size = bytes
		at, err = w.alloc(size)
	}
	return Block{at, size}, err
}

// alloc allocates within the limit of a sort.
func (w *Workspace) alloc(bytes int) (cuda.Ptr, error) {
	if all := w.Held() + bytes; w.Limit > 0 && all > w.Limit {
		return 0, cuda.Shortage(w.Info.Ordinal, "a sort may take %d bytes", w.Limit)
	}
	return w.Alloc(bytes)
}

// Held returns the device memory of the workspace, in use or idle.
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

// Space returns the device memory that a sort may take, given that it wants about want. If
// that is not far more, the workspace becomes tight and frees idle memory of others. It asks the driver,
// which takes longer than sorting a few elements, only where memory has to be allocated.
func (w *Workspace) Space(want int) (int, error) {
	space := w.Limit
	if space == 0 {
		if w.idleBytes() >= want {
			return want, nil
		}
		free, _, err := w.MemInfo()
		if err != nil {
			return 0, err
		}
		space = int(free) + w.idleBytes()
		space -= space / 16 // reserve for other allocations
	}
	if w.tight = want > space/(2*waste); !w.tight {
		return space, nil
	}
	return space, w.Drop()
}

// idleBytes returns the idle device memory of w and of unused workspaces.
func (w *Workspace) idleBytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := sum(w.idle)
	for _, s := range w.spare {
		bytes += sum(s.idle)
	}
	return bytes
}

// dropSpare frees the device memory of unused workspaces.
func (d *Device) dropSpare() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failed errorList
	for _, w := range d.spare {
		failed.add(w.Drop())
	}
	return failed.first()
}
