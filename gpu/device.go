package gpu

import (
	"fmt"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// device is an opened device: its context, its kernels, and the memory that
// sorts take in turns.
type device struct {
	cuda.Context
	info    cuda.Info
	modules []cuda.Module
	funcs   map[string]cuda.Func

	mu     sync.Mutex
	idle   []block // device memory nobody uses
	spare  []*lane // lanes nobody uses
	closed bool
}

// block is device memory.
type block struct {
	at    cuda.Ptr
	bytes int
}

// kernelFiles are the modules of the engine with the kernels in them and the
// shared memory that each needs.
var kernelFiles = []struct {
	image   []byte
	kernels map[string]int
}{
	{kernels.Bucket, bucketKernels()},
	{kernels.BucketU32, widthKernels(false, kernels.MapSharedU32)},
	{kernels.BucketU64, widthKernels(true, kernels.MapSharedU64)},
}

func bucketKernels() map[string]int {
	k := map[string]int{"bucket_starts": kernels.StartsShared, "write_identity": 0, "count_missing": 0}
	for _, d := range digitKernels {
		k["split_elements"+d.suffix] = d.shared
	}
	return k
}

func widthKernels(wide bool, mapShared int) map[string]int {
	width := width(wide)
	k := map[string]int{
		"sample_range" + width: kernels.SampleShared, "sample_segments" + width: kernels.SegmentsShared, "sample_map" + width: mapShared,
		"count_descents" + width: 0, "local_sort" + width: kernels.LocalShared, "oversize_sort" + width: kernels.OversizeShared, "mark_order" + width: 0,
	}
	for _, d := range digitKernels {
		k["split_codes"+d.suffix+width] = d.shared
		k["split_smooth"+d.suffix+width] = d.smooth
		k["split_mapped"+d.suffix+width] = d.mapped(wide)
	}
	return k
}

// openDevice retains the device's context and loads the kernels.
func openDevice(ordinal int) (*device, error) {
	driver, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	infos, err := driver.Devices()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(infos) {
		return nil, fmt.Errorf("%w: no device %d, there are %d", engine.ErrNoDevice, ordinal, len(infos))
	}
	info := infos[ordinal]
	if info.SharedPerBlock < kernels.MappedShared10U64 {
		return nil, fmt.Errorf("%w: %s has %d bytes of shared memory per block, the kernels need %d", engine.ErrNoDevice, info.Name, info.SharedPerBlock, kernels.MappedShared10U64)
	}
	context, err := driver.Retain(ordinal)
	if err != nil {
		return nil, err
	}
	d := &device{Context: context, info: info, funcs: map[string]cuda.Func{}}
	if err := d.load(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// load loads the modules and looks the kernels up.
func (d *device) load() error {
	for _, file := range kernelFiles {
		m, err := d.LoadModule(file.image)
		if err != nil {
			return err
		}
		d.modules = append(d.modules, m)
		for name, shared := range file.kernels {
			f, err := d.Function(m, name)
			if err != nil {
				return err
			}
			if shared > 48<<10 {
				if err := d.SetSharedLimit(f, shared); err != nil {
					return err
				}
			}
			d.funcs[name] = f
		}
	}
	return nil
}

// close gives everything back. No sort may be running.
func (d *device) close() error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, l := range d.spare {
		keep(l.free())
	}
	keep(d.release())
	for _, m := range d.modules {
		keep(d.Unload(m))
	}
	keep(d.Context.Release())
	return first
}

// take returns device memory of at least the given size: idle memory that fits,
// or new memory, for which all idle memory is given up if the device is full.
func (d *device) take(bytes int) (block, error) {
	d.mu.Lock()
	best := -1
	for i, b := range d.idle {
		if b.bytes >= bytes && (best < 0 || b.bytes < d.idle[best].bytes) {
			best = i
		}
	}
	if best >= 0 {
		b := d.idle[best]
		d.idle = append(d.idle[:best], d.idle[best+1:]...)
		d.mu.Unlock()
		return b, nil
	}
	d.mu.Unlock()
	at, err := d.Alloc(bytes)
	if err != nil {
		if err := d.release(); err != nil {
			return block{}, err
		}
		at, err = d.Alloc(bytes)
	}
	return block{at, bytes}, err
}

// put makes b idle.
func (d *device) put(b block) {
	if b.at == 0 {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, b)
}

// release frees all idle device memory.
func (d *device) release() error {
	d.mu.Lock()
	idle := d.idle
	d.idle = nil
	d.mu.Unlock()
	var first error
	for _, b := range idle {
		if err := d.Free(b.at); first == nil {
			first = err
		}
	}
	return first
}

// lane is what one sort at a time works with: a stream and pinned memory.
type lane struct {
	*device
	stream cuda.Stream
	side   cuda.Stream // for work beside that of stream
	split  cuda.Event  // where the two part and meet
	note   *note       // pinned
	slots  []slot
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

// lane returns an idle lane with at least the given number of slots.
func (d *device) lane(slots int) (*lane, error) {
	d.mu.Lock()
	var l *lane
	if n := len(d.spare); n > 0 {
		l, d.spare = d.spare[n-1], d.spare[:n-1]
	}
	d.mu.Unlock()
	if l == nil {
		l = &lane{device: d}
	}
	if err := l.grow(slots); err != nil {
		l.free()
		return nil, err
	}
	return l, nil
}

// grow creates what the lane lacks.
func (l *lane) grow(slots int) (err error) {
	if l.stream == 0 {
		if l.stream, err = l.NewStream(); err != nil {
			return err
		}
		if l.side, err = l.NewStream(); err != nil {
			return err
		}
		if l.split, err = l.NewEvent(false); err != nil {
			return err
		}
		p, err := l.HostAlloc(int(unsafe.Sizeof(note{})))
		if err != nil {
			return err
		}
		l.note = (*note)(p) // it holds no Go pointer
	}
	for len(l.slots) < slots {
		var s slot
		if s.memory, err = l.HostAlloc(slotBytes); err != nil {
			return err
		}
		if s.passed, err = l.NewEvent(false); err != nil {
			l.HostFree(s.memory)
			return err
		}
		l.slots = append(l.slots, s)
	}
	return nil
}

// done makes the lane idle once its stream is: a sort that failed midway may
// have left copies under way.
func (l *lane) done() {
	if l.SyncStream(l.stream) != nil {
		l.free() // the context is broken; nothing of this lane is used again
		return
	}
	for i := range l.slots {
		l.slots[i].busy = false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.spare = append(l.spare, l)
}

// free gives the lane's stream and memory back.
func (l *lane) free() error {
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	for _, s := range []cuda.Stream{l.stream, l.side} {
		if s != 0 {
			keep(l.DestroyStream(s))
		}
	}
	if l.split != 0 {
		keep(l.DestroyEvent(l.split))
	}
	keep(l.HostFree(unsafe.Pointer(l.note)))
	for _, s := range l.slots {
		keep(l.DestroyEvent(s.passed))
		keep(l.HostFree(s.memory))
	}
	*l = lane{device: l.device}
	return first
}

// wait waits for the last copy of s.
func (l *lane) wait(s *slot) error {
	if !s.busy {
		return nil
	}
	s.busy = false
	return l.SyncEvent(s.passed)
}

// mark notes that a copy of s was given to the stream.
func (l *lane) mark(s *slot) error {
	if err := l.Record(s.passed, l.stream); err != nil {
		return err
	}
	s.busy = true
	return nil
}

// run launches the kernel of that name.
func (l *lane) run(name string, grid, block, shared int, args ...uint64) error {
	return l.Launch(l.funcs[name], grid, block, shared, l.stream, args...)
}
