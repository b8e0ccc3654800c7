package gpu

import (
	"context"
	"errors"
	"fmt"
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

// Verify checks every order on the device after it was made, and returns an
// error instead of a wrong one. It costs about as much as a sort and a bit of
// device memory an element; it is for tests and for doubtful hardware.
func Verify() Option {
	return func(e *Engine) error { e.verify = true; return nil }
}

// Engine sorts on one GPU. It implements sorter.Backend; all methods may be
// called concurrently, and sorts on one engine share the device.
//
// The device holds what was needed at the same time until [Engine.Close]:
// about 28 bytes an element for codes of 32 bits, 32 for 64 bits. Pinned host
// memory is 4 MiB a worker.
type Engine struct {
	ordinal int
	verify  bool

	mu     sync.Mutex
	dev    *device
	failed error // of opening; it is not tried again
	users  sync.WaitGroup
	closed bool
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
	d, err := e.acquire()
	if err != nil {
		return nil, err
	}
	e.users.Done()
	_ = d
	return e, nil
}

// Name returns "cuda:" and the ordinal of the device.
func (e *Engine) Name() string { return fmt.Sprintf("cuda:%d", e.ordinal) }

// Close waits for the sorts of e that are running and gives all memory and the
// device's context back. Later sorts on e fail.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	d := e.dev
	e.dev = nil
	e.mu.Unlock()
	e.users.Wait()
	if d == nil {
		return nil
	}
	return d.close()
}

var errClosed = errors.New("sorter: gpu: engine is closed")

// acquire returns the device, opened at the first call. The caller ends with
// e.users.Done().
func (e *Engine) acquire() (*device, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errClosed
	}
	if e.dev == nil && e.failed == nil {
		e.dev, e.failed = openDevice(e.ordinal)
	}
	if e.failed != nil {
		return nil, e.failed
	}
	e.users.Add(1)
	return e.dev, nil
}

// Order implements the engine's side of sorter.Backend.
func (e *Engine) Order(ctx context.Context, job *engine.Job) error {
	if job.N > maxN {
		return fmt.Errorf("sorter: gpu: %d elements, at most %d in one pass", job.N, maxN)
	}
	d, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.users.Done()
	l, err := d.lane(slotsPerWorker * max(1, job.Loop.Workers))
	if err != nil {
		return err
	}
	defer l.done()
	job.Trace.Device = d.info.Name
	return l.order(e, job)
}

// OrderDevice writes the stable order of n codes of 32 or 64 bits to order,
// as 32-bit positions. Both are device memory of the engine's context, which
// must not overlap. It returns when the device is done, and shares nothing
// with other calls but the device.
func (e *Engine) OrderDevice(codes cuda.Ptr, bits, n int, order cuda.Ptr) error {
	if n < 0 || n > maxN || (bits != 32 && bits != 64) {
		panic("sorter: gpu: OrderDevice takes codes of 32 or 64 bits, up to 2^29 of them")
	}
	d, err := e.acquire()
	if err != nil {
		return err
	}
	defer e.users.Done()
	l, err := d.lane(0)
	if err != nil {
		return err
	}
	defer l.done()
	if _, err = l.argsort(codes, bits == 64, n, order); err == nil && e.verify {
		err = l.check(codes, bits == 64, n, order)
	}
	return err
}

// word is a code as the device sees it.
type word interface{ uint32 | uint64 }

// at returns n words of pinned memory.
func at[W any](p unsafe.Pointer, n int) []W { return unsafe.Slice((*W)(p), n) }
