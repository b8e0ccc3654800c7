package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
	gpusettings "example.com/sorter/internal/gpu/settings"
	"example.com/sorter/kernels"
)

// device is the first GPU of the machine.
type device struct {
	gpu.Info
	several int // how many there are
	engine  *gpu.Engine
	nearly  *gpu.Engine // with a strategy of its own for nearly sorted lists
}

// openDevice opens the GPU and has the planner measure it. Without one it says why.
func openDevice() (d *device, why string, err error) {
	infos, err := gpu.Devices()
	switch {
	case err != nil:
		return nil, "", err
	case len(infos) == 0:
		return nil, "there is no NVIDIA driver or no device", nil
	}
	d = &device{Info: infos[0], several: len(infos)}
	if d.engine, err = gpu.Open(); err != nil {
		return nil, "", err
	}
	if d.nearly, err = gpu.Open(gpusettings.NearlySorted(chenThreshold)); err != nil {
		return nil, "", err
	}
	return d, "", calibrate()
}

// openAll returns an engine whose sorts all devices share.
func (d *device) openAll() (*gpu.Engine, error) {
	all := make([]int, min(d.several, kernels.MaxDestinations))
	for i := range all {
		all[i] = i
	}
	return gpu.Open(gpu.Device(all...))
}

func (d *device) close() {
	d.engine.Close()
	d.nearly.Close()
}

// calibrate sorts until the planner has measured the device. From then on its
// choices do not change.
func calibrate() error {
	keys := make([]float32, 1<<20)
	var st sorter.Stats
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := sorter.OrderKeys(keys, sorter.Report(&st)); err != nil || st.Calibration != "" {
			return err
		}
	}
	return errors.New("the planner measured nothing within 10 s")
}

// resident are 64-bit codes in device memory, which are ordered there.
type resident struct {
	cuda.Context
	codes, order cuda.Ptr
	most         int
	verifying    *gpu.Engine // checks its orders
}

// residentBytes is about the most device memory that codes take, their order, and
// what two engines need to sort them.
const residentBytes = 8 + 4 + 2*30

// resident allocates memory for the codes of up to n elements, or as many as fit.
func (b *bench) resident(n int) (r *resident, err error) {
	driver, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	r = &resident{most: min(n, int(b.gpu.Memory/residentBytes))}
	if r.Context, err = driver.Retain(b.gpu.Ordinal); err != nil {
		return nil, err
	}
	if r.codes, err = r.Alloc(8 * r.most); err == nil {
		r.order, err = r.Alloc(4 * r.most)
	}
	if err == nil {
		r.verifying, err = gpu.Open(gpu.Verify())
	}
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *resident) close() error {
	var err error
	if r.verifying != nil {
		err = r.verifying.Close()
	}
	return errors.Join(err, r.Free(r.codes), r.Free(r.order), r.Release())
}

// uploadWords is how many codes the host holds at a time.
const uploadWords = 1 << 22

// fill draws all codes. Those of fewer elements are the first of them.
func (r *resident) fill(d dist.Dist) error {
	words := make([]uint64, min(uploadWords, r.most))
	for lo := 0; lo < r.most; lo += len(words) {
		part := words[:min(len(words), r.most-lo)]
		drawParts(part, d, lo/drawnPart)
		err := r.CopyToDevice(r.codes+cuda.Ptr(8*lo), unsafe.Pointer(&part[0]), 8*len(part), 0)
		if err = errors.Join(err, r.SyncStream(0)); err != nil {
			return err
		}
	}
	runtime.KeepAlive(words)
	return nil
}

// input is the first n codes with their contenders.
func (r *resident) input(n int, ways ...way) input { return input{n, func() {}, ways} }

// ours orders the first n codes by an algorithm on an engine; another engine, that
// is made the same way, checks it.
func (r *resident) ours(name string, a sorter.Algorithm, n int, on, verifying *gpu.Engine) way {
	return way{name,
		func(*sorter.Stats) error { return on.OrderDevice(a, gpu.Ptr(r.codes), 64, n, gpu.Ptr(r.order)) },
		func() error {
			if err := r.Memset32(r.order, 0xdbdbdbdb, n, 0); err != nil {
				return err
			}
			if err := errors.Join(r.SyncStream(0), verifying.OrderDevice(a, gpu.Ptr(r.codes), 64, n, gpu.Ptr(r.order))); err != nil {
				return fmt.Errorf("on the device: %w", err)
			}
			return nil
		},
	}
}
