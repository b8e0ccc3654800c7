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

// device is an opened device: its context, its kernels, and the workspaces that
// sorts take in turns.
type device struct {
	cuda.Context
	info       cuda.Info
	algorithms repertoire
	limit      int // see Memory; 0: what is free
	samples    int // see Samples; 0: its default
	parts      parts
	broken     atomic.Pointer[error] // after which nothing works any more, nil: none

	turns    chan struct{}            // holds one for each workspace in use
	attempts [Quantiles + 1]attempted // by way

	mu      sync.Mutex
	spare   []*workspace // workspaces nobody uses
	modules map[*module]cuda.Module
	funcs   map[string]cuda.Func
}

// workspaces is how many sorts use a device at a time; others wait. One sort alone
// leaves the device idle while it extracts, and a third would find the bus and
// the device busy, but pin memory of its own.
const workspaces = 2

// module is a file of kernels, with the shared memory that each needs.
type module struct {
	image   []byte
	kernels map[string]int
}

// openDevices opens devices that copy from each other, all or none.
func openDevices(ordinals []int) (devs []*device, err error) {
	defer func() {
		if err != nil {
			closeDevices(devs)
			devs = nil
		}
	}()
	for _, ordinal := range ordinals {
		d, err := openDevice(ordinal)
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

// closeDevices gives back everything of all of them.
func closeDevices(devs []*device) error {
	var failed errorList
	for _, d := range devs {
		failed.add(d.close())
	}
	return failed.first()
}

// openDevice retains the device's context and loads the kernels.
func openDevice(ordinal int) (*device, error) {
	driver, infos, err := devices()
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
	d := &device{Context: context, info: info, turns: make(chan struct{}, workspaces), modules: map[*module]cuda.Module{}, funcs: map[string]cuda.Func{}}
	d.algorithms = repertoireWithin(info.SharedPerBlock)
	long := d.algorithms.demanding(engine.Auto, input{n: maxN})
	if err := d.load(slices.Concat(orderModules, long.modules)); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// load loads the modules that are not yet, and looks their kernels up.
func (d *device) load(modules []*module) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range modules {
		if _, loaded := d.modules[m]; loaded {
			continue
		}
		loaded, err := d.LoadModule(m.image)
		if err != nil {
			return err
		}
		for name, shared := range m.kernels {
			if d.funcs[name], err = d.kernel(loaded, name, shared); err != nil {
				return firstError(err, d.Unload(loaded))
			}
		}
		d.modules[m] = loaded
	}
	return nil
}

// function returns a kernel of a loaded module.
func (d *device) function(name string) cuda.Func {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.funcs[name]
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
	for _, w := range d.spare {
		failed.add(w.free())
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

// workspace returns a workspace that nobody uses, and waits until there is one or ctx
// ends. The caller ends with done.
func (d *device) workspace(ctx context.Context) (*workspace, error) {
	select {
	case d.turns <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	w := d.popSpare()
	if w == nil {
		w = &workspace{device: d}
		if err := w.open(); err != nil {
			w.free()
			<-d.turns
			return nil, err
		}
	}
	w.ctx, w.quiet, w.tiles = ctx, false, patience
	return w, nil
}

// popSpare returns the workspace used last, nil if none is spare.
func (d *device) popSpare() *workspace {
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

func (d *device) pushSpare(w *workspace) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.spare = append(d.spare, w)
}

// dropSpare frees the device memory of spare workspaces.
func (d *device) dropSpare() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var failed errorList
	for _, w := range d.spare {
		failed.add(w.drop(all))
	}
	return failed.first()
}

// idleBytes is the device memory that w and workspaces that nobody uses have idle.
func (w *workspace) idleBytes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	bytes := sum(w.idle)
	for _, s := range w.spare {
		bytes += sum(s.idle)
	}
	return bytes
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
