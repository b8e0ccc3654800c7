// Package device is an opened GPU: its kernels, and the workspaces that sorts take in
// turns, each with streams, device memory and pinned memory. It knows no algorithm: each
// brings its kernels ([Device.Load]) and keeps pinned memory of its own ([Pinned]).
package device

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// Device is an opened device. All methods except [Device.Close] may be called concurrently.
type Device struct {
	cuda.Context
	Info  cuda.Info
	Limit int // bytes of device memory that a workspace may take; 0: all that is free

	broken atomic.Pointer[error] // after which nothing works any more, nil: none
	turns  chan struct{}         // holds one for each workspace in use

	mu      sync.Mutex
	spare   []*Workspace // workspaces nobody uses
	modules map[*Module]cuda.Module
	funcs   map[string]cuda.Func
}

// Workspaces is how many sorts use a device at a time; others wait. One sort alone
// leaves the device idle while it extracts, and a third would find the bus and
// the device busy, but pin memory of its own.
const Workspaces = 2

// Module is a file of kernels, with the shared memory that each needs.
type Module struct {
	Image   []byte
	Kernels map[string]int
}

// Shared is the most shared memory that a block of the modules' kernels takes.
func Shared(modules []*Module) (most int) {
	for _, m := range modules {
		for _, shared := range m.Kernels {
			most = max(most, shared)
		}
	}
	return most
}

// List returns the driver and the devices that it has. Where they are switched off it
// loads nothing.
func List() (cuda.Driver, []cuda.Info, error) {
	if err := engine.Off(); err != nil {
		return nil, nil, err
	}
	driver, err := cuda.Open()
	if err != nil {
		return nil, nil, err
	}
	infos, err := driver.Devices()
	return driver, infos, err
}

// Open opens devices that copy from each other, all or none.
func Open(ordinals []int) (devs []*Device, err error) {
	defer func() {
		if err != nil {
			Close(devs)
			devs = nil
		}
	}()
	for _, ordinal := range ordinals {
		d, err := open(ordinal)
		if err != nil {
			return devs, err
		}
		devs = append(devs, d)
	}
	for _, d := range devs {
		for _, peer := range devs {
			if peer == d {
				continue
			}
			if err := d.EnablePeer(peer.Context); err != nil {
				return devs, err
			}
		}
	}
	return devs, nil
}

// Close gives everything back of all of them.
func Close(devs []*Device) error {
	var failed errorList
	for _, d := range devs {
		failed.add(d.Close())
	}
	return failed.first()
}

// open retains the device's context.
func open(ordinal int) (*Device, error) {
	driver, infos, err := List()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(infos) {
		return nil, fmt.Errorf("%w: no device %d, there are %d", engine.ErrNoDevice, ordinal, len(infos))
	}
	info := infos[ordinal]
	if 10*info.Major+info.Minor < kernels.LeastCapability {
		return nil, fmt.Errorf("%w: %s has compute capability %d.%d, the kernels need %.1f", engine.ErrNoDevice, info.Name, info.Major, info.Minor, kernels.LeastCapability/10.)
	}
	context, err := driver.Retain(ordinal)
	if err != nil {
		return nil, err
	}
	return &Device{
		Context: context, Info: info, turns: make(chan struct{}, Workspaces),
		modules: map[*Module]cuda.Module{}, funcs: map[string]cuda.Func{},
	}, nil
}

// Close gives everything back. No sort may be running.
func (d *Device) Close() error {
	var failed errorList
	for _, w := range d.spare {
		failed.add(w.free())
	}
	for _, m := range d.modules {
		failed.add(d.Unload(m))
	}
	failed.add(d.Context.Release())
	return failed.first()
}

// Load loads the modules that are not yet, and looks their kernels up.
func (d *Device) Load(modules []*Module) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range modules {
		if _, loaded := d.modules[m]; loaded {
			continue
		}
		loaded, err := d.LoadModule(m.Image)
		if err != nil {
			return err
		}
		for name, shared := range m.Kernels {
			if d.funcs[name], err = d.kernel(loaded, name, shared); err != nil {
				return FirstError(err, d.Unload(loaded))
			}
		}
		d.modules[m] = loaded
	}
	return nil
}

// kernel looks up a kernel that needs the given shared memory.
func (d *Device) kernel(m cuda.Module, name string, shared int) (cuda.Func, error) {
	f, err := d.Function(m, name)
	if err == nil && shared > 48<<10 {
		err = d.SetSharedLimit(f, shared)
	}
	return f, err
}

// function returns a kernel of a loaded module.
func (d *Device) function(name string) cuda.Func {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.funcs[name]
}

// Failure returns the error that broke the device, nil if it works.
func (d *Device) Failure() error {
	if err := d.broken.Load(); err != nil {
		return *err
	}
	return nil
}

// Workspace returns a workspace that nobody uses, and waits until there is one or ctx
// ends. The caller ends with [Workspace.Done].
func (d *Device) Workspace(ctx context.Context) (*Workspace, error) {
	select {
	case d.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w := d.popSpare()
	if w == nil {
		w = &Workspace{Device: d}
		if err := w.open(); err != nil {
			w.free()
			<-d.turns
			return nil, err
		}
	}
	w.Begin(ctx, Patience)
	return w, nil
}

// popSpare returns the workspace used last, nil if none is spare.
func (d *Device) popSpare() *Workspace {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := len(d.spare)
	if n == 0 {
		return nil
	}
	w := d.spare[n-1]
	d.spare = d.spare[:n-1]
	return w
}

func (d *Device) pushSpare(w *Workspace) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = append(d.spare, w)
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

// SpareBytes is the device memory that each workspace nobody uses has.
func (d *Device) SpareBytes() (bytes []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, w := range d.spare {
		bytes = append(bytes, w.Held())
	}
	return bytes
}
