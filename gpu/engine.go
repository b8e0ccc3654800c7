package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// Info describes a device.
type Info struct {
	Ordinal        int    // its position in [Devices]
	Name           string // as the vendor writes it, for example "NVIDIA H200"
	UUID           string // "GPU-" and 32 hexadecimal digits in five groups
	Memory         uint64 // bytes
	Major, Minor   int    // compute capability
	SMs            int    // streaming multiprocessors
	SharedPerBlock int    // bytes of shared memory per block, with opt-in
	L2             int    // bytes of second-level cache
	Driver         int    // newest CUDA version of the driver, 1000 × major + 10 × minor
}

// Devices describes the GPUs of this machine, none (and no error) where there
// is no driver or no device, or SORTER_BACKEND=cpu in the environment. The first call
// loads and initializes the driver, which takes about 0.2 s.
func Devices() ([]Info, error) {
	_, found, err := devices()
	if errors.Is(err, engine.ErrNoDevice) {
		return nil, nil
	}
	var infos []Info
	for _, info := range found {
		infos = append(infos, Info(info))
	}
	return infos, public(err)
}

// public returns an error of this package with the type that users test for. The
// driver's errors reach the exported functions as they are, never wrapped.
func public(err error) error {
	if failed, ok := err.(*engine.DeviceError); ok {
		return (*sorter.DeviceError)(failed)
	}
	return err
}

// devices returns the driver and the devices that it has. Where they are switched
// off it loads nothing.
func devices() (cuda.Driver, []cuda.Info, error) {
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

// Option configures an engine.
type Option func(*Engine) error

// Device chooses the GPUs by their positions in [Devices]: one, by default the
// first, or up to 16, which share long sorts. Each comes once.
//
// Each of several devices takes a part of the list and sends every code to the device that
// sorts codes of its range, see sharing.go. The first device alone sorts lists of less
// than 2^25 elements, lists too long for the memory of all, and by [sorter.Hybrid]. The
// planner's model is of the first device, too.
func Device(ordinals ...int) Option {
	return func(e *Engine) error {
		if len(ordinals) == 0 || len(ordinals) > kernels.MostDestinations {
			return fmt.Errorf("sorter: gpu: %d devices: at least 1, at most %d", len(ordinals), kernels.MostDestinations)
		}
		for i, ordinal := range ordinals {
			switch {
			case ordinal < 0:
				return fmt.Errorf("sorter: gpu: no device %d", ordinal)
			case slices.Contains(ordinals[:i], ordinal):
				return fmt.Errorf("sorter: gpu: device %d twice", ordinal)
			}
		}
		e.ordinals = slices.Clone(ordinals)
		return nil
	}
}

// leastMemory is enough for the notes of every sort and a few thousand elements.
const leastMemory = 16 << 20

// Memory bounds the device memory that one sort takes on a device; two sorts may share a
// device. Default: the memory that is free when the sort begins. Range: 16 MiB and above.
//
// A sort that needs more proceeds in chunks, each uploaded while another is sorted. Sorted
// chunks stay on the device and are merged there as long as they fit, with 16 bytes per
// element for 32-bit codes and 24 for 64-bit codes. Beyond that they are kept in the
// host's memory, with 12 or 18 bytes per element, and merged by the CPU. Keys alone take 8
// or 16 bytes, or 6 or 12 on the host. So time grows with the number of elements, whatever
// the bound.
func Memory(bytes int64) Option {
	return func(e *Engine) error {
		if bytes < leastMemory {
			return fmt.Errorf("sorter: gpu: Memory(%d): need at least %d bytes", bytes, leastMemory)
		}
		e.memory = int(min(bytes, math.MaxInt))
		return nil
	}
}

// Verify checks every order on the device after it was made, and returns an
// error instead of a wrong one. It costs about as much as a sort and one bit of
// device memory per element; it is for tests and for doubtful hardware. Of lists
// sorted in chunks it checks each chunk. Of sorted keys it checks that they are in
// order and that the sum of their hashes is that of the input: that they are the keys of
// the input, except for a chance of one in 1<<64.
func Verify() Option {
	return func(e *Engine) error { e.verify = true; return nil }
}

// Engine sorts on one GPU, or on several, see [Device]. It implements [sorter.Backend].
// All methods may be called concurrently.
//
// Two sorts at a time share a device, and others wait: so a key function must not sort on
// the engine that calls it. A sort on several devices has, besides its workers, a
// goroutine for each device, which waits for it.
//
// Device memory is kept until [Engine.Close], as much as was needed at the same time:
// about 26 bytes per element for 32-bit codes and 30 for 64-bit codes, 17 and 34 where
// these are keys alone, and the elements where the device moves them. Devices that share a
// sort keep up to 60 bytes (75) for each element of their parts. Pinned host memory is 4
// MiB per worker, at most 64 MiB per sort. It is the engine's own: [sorter.MemoryLimit]
// does not count it.
//
// A device that was lost stays so: every later sort on e fails with the cause.
type Engine struct {
	ordinals []int // see Device; none: the first
	memory   int   // see Memory; 0: all that is free
	verify   bool
	samples  int // see Samples; 0: its default
	parts    parts
	splits   int // elements from which on devices share a sort; 0: splitN
	cargo    int // bytes of elements from which on the device moves them; 0: costmodel.LeastCarried

	mu     sync.Mutex
	opened chan struct{} // closed when devs or failed is set; nil: nobody has asked for the devices
	devs   []*device
	dev    *device // the first
	failed error   // of opening; it is not tried again
	users  sync.WaitGroup
	closed bool

	measuring bool // or it failed: it is not tried again
	costs     costmodel.Costs
}

var _ sorter.Backend = (*Engine)(nil)

// Open opens a GPU, or several. [Engine.Close] releases everything.
//
// Devices of compute capability 7.5 have too little shared memory for the algorithms
// [sorter.BucketBitonic], [sorter.Bitonic] and [sorter.SampleSort]. They sort by
// [sorter.Radix], or by [sorter.MergeSort] where that is asked for. An engine that has one
// of them among several runs these two only: see [Engine.Runs]. The driver compiles their
// kernels when they are first opened, which takes about a second, and keeps them.
//
// The error is [sorter.ErrNoDevice] under errors.Is where there is no driver, no device,
// or one of compute capability below 7.5, and with SORTER_BACKEND=cpu in the environment.
// It is a [*sorter.DeviceError] where a call of the driver failed.
func Open(opts ...Option) (*Engine, error) {
	e := &Engine{}
	for _, opt := range opts {
		if err := opt(e); err != nil {
			return nil, err
		}
	}
	<-e.open()
	if e.failed != nil {
		return nil, public(e.failed)
	}
	return e, nil
}

// Name returns "cuda:" and the ordinals of the devices, separated by commas.
func (e *Engine) Name() string {
	return "cuda:" + strings.ReplaceAll(strings.Trim(fmt.Sprint(e.chosen()), "[]"), " ", ",")
}

// chosen are the ordinals of the devices.
func (e *Engine) chosen() []int {
	if len(e.ordinals) == 0 {
		return []int{0}
	}
	return e.ordinals
}

// Close waits for the sorts of e that are running and gives all memory and the
// devices' contexts back. Later sorts on e fail. Closing again does nothing.
func (e *Engine) Close() error {
	e.mu.Lock()
	again := e.closed
	e.closed = true
	opened := e.opened
	e.mu.Unlock()
	if again || opened == nil {
		return nil
	}
	<-opened
	e.users.Wait()
	return public(closeDevices(e.devs))
}

var errClosed = fmt.Errorf("%w: the engine is closed", engine.ErrNoDevice)

// open begins to open the devices, at the first call. The channel it returns is
// closed when that is done.
func (e *Engine) open() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened == nil && !e.closed {
		e.opened = make(chan struct{})
		go func() {
			defer close(e.opened)
			if e.devs, e.failed = openDevices(e.chosen()); e.failed != nil {
				return
			}
			e.dev = e.devs[0]
			for _, d := range e.devs {
				d.limit, d.samples, d.parts = e.memory, e.samples, e.parts
			}
		}()
	}
	if e.opened == nil {
		return done
	}
	return e.opened
}

// done is closed.
var done = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// acquire keeps the devices, opened at the first call, from being closed, if they run
// an algorithm. The caller ends with e.users.Done().
func (e *Engine) acquire(ctx context.Context, a engine.Algorithm) error {
	select {
	case <-e.open():
	case <-ctx.Done():
		return ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unusable(); err != nil {
		return err
	}
	if !e.runs(a) {
		return fmt.Errorf("%w that runs %v: %s does not", engine.ErrNoDevice, a, e.Name())
	}
	e.users.Add(1)
	return nil
}

// unusable says why an engine that was opened does not work. e.mu is held.
func (e *Engine) unusable() error {
	switch {
	case e.closed:
		return errClosed
	case e.failed != nil:
		return e.failed
	}
	for _, d := range e.devs {
		if err := d.failure(); err != nil {
			return err
		}
	}
	return nil
}

// Order implements the library's side of sorter.Backend, for [sorter.On].
func (e *Engine) Order(ctx context.Context, job *engine.Job) error {
	return public(e.order(ctx, job))
}

func (e *Engine) order(ctx context.Context, job *engine.Job) error {
	if e.carries(job) {
		if err := e.with(ctx, job.Algorithm, func(w *workspace) error { return w.orderCargo(e, job) }); !errors.Is(err, errNoRoom) {
			return err
		}
	}
	job.Elements = nil
	if e.shares(job) {
		err := e.withWorkspaces(ctx, job.Algorithm, len(e.chosen()), func(workspaces []*workspace) error { return orderShared(e, job, workspaces) })
		if !errors.Is(err, errCrowded) {
			return err
		}
	}
	return e.with(ctx, job.Algorithm, func(w *workspace) error {
		c, err := w.chunking(job)
		switch {
		case err != nil:
			return err
		case c.length < job.N || job.Algorithm == engine.Hybrid:
			return w.orderInChunks(e, job, c)
		}
		return w.order(e, job)
	})
}

// with runs f, which sorts by a, on a workspace of its own, of the first device.
func (e *Engine) with(ctx context.Context, a engine.Algorithm, f func(w *workspace) error) error {
	return e.withWorkspaces(ctx, a, 1, func(workspaces []*workspace) error { return f(workspaces[0]) })
}

// withWorkspaces runs f, which sorts by a, on a workspace of each of the first devices. All sorts of an engine
// take workspaces in the order of its devices: they never wait for each other in a
// circle.
func (e *Engine) withWorkspaces(ctx context.Context, a engine.Algorithm, devices int, f func(workspaces []*workspace) error) error {
	if err := e.acquire(ctx, a); err != nil {
		return err
	}
	defer e.users.Done()
	var workspaces []*workspace
	for _, d := range e.devs[:devices] {
		w, err := d.workspace(ctx)
		if err != nil {
			return err
		}
		defer w.done()
		workspaces = append(workspaces, w)
	}
	return f(workspaces)
}

// word is a code as the device sees it.
type word interface{ uint32 | uint64 }

// at returns n words of pinned memory.
func at[W any](p unsafe.Pointer, n int) []W { return unsafe.Slice((*W)(p), n) }
