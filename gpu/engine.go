package gpu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
)

// Info describes a device.
type Info = cuda.Info

// Devices describes the GPUs of this machine, none (and no error) where there
// is no driver or no device. The first call loads and initializes the driver,
// which takes about 0.2 s.
func Devices() ([]Info, error) {
	driver, err := cuda.Open()
	if err == nil {
		var infos []Info
		if infos, err = driver.Devices(); err == nil {
			return infos, nil
		}
	}
	if errors.Is(err, engine.ErrNoDevice) {
		return nil, nil
	}
	return nil, err
}

// Option configures an engine.
type Option func(*Engine) error

// Device chooses the GPU by its position in [Devices]. The default is 0.
func Device(ordinal int) Option {
	return func(e *Engine) error {
		if ordinal < 0 {
			return fmt.Errorf("sorter: gpu: no device %d", ordinal)
		}
		e.ordinal = ordinal
		return nil
	}
}

// leastMemory is enough for what every sort needs and a few thousand elements.
const leastMemory = 16 << 20

// Memory bounds the device memory that one sort takes, of the two that share a
// device. Default: what is free when the sort begins. Range: 16 MiB and above.
//
// A sort that needs more proceeds in chunks, each uploaded while another is
// sorted. Sorted chunks stay on the device, where they are merged, up to 16 bytes
// an element for codes of 32 bits and 24 for 64 bits; beyond that they are kept in
// the host's memory, 12 or 18 bytes an element, and merged by the CPU. Keys alone take
// 8 or 16 bytes, or 6 or 12 on the host. So time grows with the number of elements,
// whatever the bound.
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
// error instead of a wrong one. It costs about as much as a sort and a bit of
// device memory an element; it is for tests and for doubtful hardware. Of lists
// sorted in chunks it checks each chunk. Of sorted keys it checks that they are in
// order and that a hash of each, summed up, comes to the same as before: that they are
// the keys of the input, but for a chance of one in 1<<64.
func Verify() Option {
	return func(e *Engine) error { e.verify = true; return nil }
}

// Engine sorts on one GPU. It implements sorter.Backend; all methods may be
// called concurrently. Two sorts at a time share the device, and others wait:
// so a key function must not sort on the engine that it is called for.
//
// The device holds what was needed at the same time until [Engine.Close]:
// about 26 bytes an element for codes of 32 bits, 30 for 64 bits, and 17 and 34 where
// these are keys alone. Pinned host memory is 4 MiB a worker, at most 64 MiB a sort; it is the engine's own, and
// memory limits of sorts do not count it.
//
// A device that was lost stays so: every later sort on e fails with the cause.
type Engine struct {
	ordinal int
	memory  int // see Memory; 0: what is free
	verify  bool
	samples int // see Samples; 0: its default
	parts   parts

	mu     sync.Mutex
	opened chan struct{} // closed when dev or failed is set; nil: nobody has asked for the device
	dev    *device
	failed error // of opening; it is not tried again
	users  sync.WaitGroup
	closed bool

	measuring bool     // or it failed: it is not tried again
	model     *model   // nil as long as it is not measured
	payload   *payload // the same
}

// Open opens a GPU. It returns an error that is sorter.ErrNoDevice under
// errors.Is where there is no driver, no device, or none that the kernels run
// on. [Engine.Close] releases everything.
func Open(opts ...Option) (*Engine, error) {
	e := &Engine{}
	for _, opt := range opts {
		if err := opt(e); err != nil {
			return nil, err
		}
	}
	<-e.open()
	if e.failed != nil {
		return nil, e.failed
	}
	return e, nil
}

// Name returns "cuda:" and the ordinal of the device.
func (e *Engine) Name() string { return fmt.Sprintf("cuda:%d", e.ordinal) }

// Close waits for the sorts of e that are running and gives all memory and the
// device's context back. Later sorts on e fail. Closing again does nothing.
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
	if e.dev == nil {
		return nil
	}
	return e.dev.close()
}

var errClosed = fmt.Errorf("%w: the engine is closed", engine.ErrNoDevice)

// open begins to open the device, at the first call. The channel it returns is
// closed when that is done.
func (e *Engine) open() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened == nil && !e.closed {
		e.opened = make(chan struct{})
		go func() {
			if e.dev, e.failed = openDevice(e.ordinal); e.failed == nil {
				e.dev.limit, e.dev.samples, e.dev.parts = e.memory, e.samples, e.parts
			}
			close(e.opened)
		}()
	}
	if e.opened == nil {
		return done
	}
	return e.opened
}

// done is closed.
var done = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// acquire returns the device, opened at the first call. The caller ends with
// e.users.Done().
func (e *Engine) acquire(ctx context.Context) (*device, error) {
	select {
	case <-e.open():
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.unusable(); err != nil {
		return nil, err
	}
	e.users.Add(1)
	return e.dev, nil
}

// unusable says why an engine that was opened does not work. e.mu is held.
func (e *Engine) unusable() error {
	switch {
	case e.closed:
		return errClosed
	case e.failed != nil:
		return e.failed
	}
	return e.dev.failure()
}

// Order implements the engine's side of sorter.Backend.
func (e *Engine) Order(ctx context.Context, job *engine.Job) error {
	return e.with(ctx, func(l *lane) error {
		c, err := l.chunking(job)
		switch {
		case err != nil:
			return err
		case c.length < job.N || job.Algorithm == engine.Hybrid:
			return l.orderInChunks(e, job, c)
		}
		return l.order(e, job)
	})
}

// with runs f on a lane of its own.
func (e *Engine) with(ctx context.Context, f func(l *lane) error) error {
	d, err := e.acquire(ctx)
	if err != nil {
		return err
	}
	defer e.users.Done()
	l, err := d.lane(ctx)
	if err != nil {
		return err
	}
	defer l.done()
	return f(l)
}

// OrderDevice writes the stable order of n codes of 32 or 64 bits to order,
// as 32-bit positions, by an algorithm that the engine runs. Both are device
// memory of the engine's context, which must not overlap. It returns when the
// device is done, and shares nothing with other calls but the device.
func (e *Engine) OrderDevice(a engine.Algorithm, codes cuda.Ptr, bits, n int, order cuda.Ptr) error {
	return e.onDevice(a, input{codes: codes, n: n}, bits, order)
}

// SortDevice is OrderDevice of codes that are wanted themselves: it writes them to
// sorted, which must not overlap codes. Those stay as they are.
func (e *Engine) SortDevice(a engine.Algorithm, codes cuda.Ptr, bits, n int, sorted cuda.Ptr) error {
	return e.onDevice(a, input{codes: codes, n: n, keys: true}, bits, sorted)
}

func (e *Engine) onDevice(a engine.Algorithm, in input, bits int, result cuda.Ptr) error {
	in.wide = bits == 64
	if way := demanding(a, in); way.order == nil || in.n < 0 || in.n > way.most || (bits != 32 && bits != 64) {
		panic(fmt.Sprintf("sorter: gpu: %d codes of %d bits by %v: at most %d, of 32 or 64", in.n, bits, a, way.most))
	}
	return e.with(context.Background(), func(l *lane) error {
		_, err := l.sort(a, in, result)
		if err == nil && e.verify {
			err = l.check(in, result)
		}
		return err
	})
}

// word is a code as the device sees it.
type word interface{ uint32 | uint64 }

// at returns n words of pinned memory.
func at[W any](p unsafe.Pointer, n int) []W { return unsafe.Slice((*W)(p), n) }
