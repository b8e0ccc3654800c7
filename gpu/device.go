package gpu

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// device is an opened device: its context, its kernels, and the lanes that
// sorts take in turns.
type device struct {
	cuda.Context
	info    cuda.Info
	modules []cuda.Module
	funcs   map[string]cuda.Func
	broken  atomic.Pointer[error] // after which nothing works any more, nil: none

	turns chan struct{} // holds one for each lane in use
	mu    sync.Mutex
	spare []*lane // lanes nobody uses
}

// lanes is how many sorts use a device at a time; others wait. One sort alone
// leaves the device idle while it extracts, and a third would find the bus and
// the device busy, but pin memory of its own.
const lanes = 2

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
	d := &device{Context: context, info: info, funcs: map[string]cuda.Func{}, turns: make(chan struct{}, lanes)}
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
			if d.funcs[name], err = d.kernel(m, name, shared); err != nil {
				return err
			}
		}
	}
	return nil
}

// kernel looks up a kernel that needs the given shared memory.
func (d *device) kernel(m cuda.Module, name string, shared int) (cuda.Func, error) {
	f, err := d.Function(m, name)
	if err == nil && shared > 48<<10 {
		err = d.SetSharedLimit(f, shared)
	}
	return f, err
}

// close gives everything back. No sort may be running.
func (d *device) close() error {
	var failed errorList
	for _, l := range d.spare {
		failed.add(l.free())
	}
	for _, m := range d.modules {
		failed.add(d.Unload(m))
	}
	failed.add(d.Context.Release())
	return failed.first()
}

// failure returns the error that broke the device, nil if it works.
func (d *device) failure() error {
	if err := d.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// lane returns a lane that nobody uses, and waits until there is one or ctx
// ends. The caller ends with done.
func (d *device) lane(ctx context.Context) (*lane, error) {
	select {
	case d.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if l := d.popSpare(); l != nil {
		return l, nil
	}
	l := &lane{device: d}
	if err := l.open(); err != nil {
		l.free()
		<-d.turns
		return nil, err
	}
	return l, nil
}

// popSpare returns the lane used last, nil if none is spare.
func (d *device) popSpare() *lane {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.spare)
	if n == 0 {
		return nil
	}
	l := d.spare[n-1]
	d.spare = d.spare[:n-1]
	return l
}

func (d *device) pushSpare(l *lane) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = append(d.spare, l)
}

// dropSpare frees the device memory of spare lanes.
func (d *device) dropSpare() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failed errorList
	for _, l := range d.spare {
		failed.add(l.drop(all))
	}
	return failed.first()
}

// errorList collects the errors of steps that are all taken.
type errorList []error

func (l *errorList) add(err error) { *l = append(*l, err) }

func (l errorList) first() error { return firstError(l...) }

func firstError(errs ...error) error {
	if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
		return errs[i]
	}
	return nil
}
