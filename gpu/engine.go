package gpu

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/costmodel"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/settings"
)

// Engine sorts on one GPU, or on several, see [Device]. It implements [sorter.Backend].
// All methods may be called concurrently.
//
// Two sorts at a time share a device, and others wait: so a key function must not sort on
// the engine that calls it. A sort on several devices has, besides its workers, a
// goroutine for each device, which waits for it.
//
// Device memory is kept until [Engine.Trim] or [Engine.Close], as much as was needed at the same time:
// about 26 bytes per element for 32-bit codes and 30 for 64-bit codes, 17 and 34 where
// these are keys alone, the elements where the device moves them, and up to 100 where it breaks ties
// of rows. Devices that share a
// sort keep up to 60 bytes (75) for each element of their parts. Pinned host memory is 4
// MiB per worker, at most 64 MiB per sort. It is the engine's own: [sorter.MemoryLimit]
// does not count it. Memory of [Pin] and [Alloc] belongs to the process, not to an engine.
//
// A device that was lost stays so: every later sort on e fails with the cause.
type Engine struct {
	settings settings.Settings

	mu     sync.Mutex
	opened chan struct{} // closed when devs or failed is set; nil: not opened yet
	began  time.Time     // of opening
	devs   []*dispatch.Sorter
	failed error // of opening; it is not tried again
	users  sync.WaitGroup
	closed bool

	measuring bool            // or it failed: it is not tried again
	costs     costmodel.Costs // of the first device
	sharing   costmodel.Sharing
	seen      costmodel.Seen
	busy      time.Time // until when the program's last sort lasts, as expected
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
// It is a [*sorter.DeviceError] where a call of the driver failed. Open panics if an option is nil.
func Open(opts ...Option) (*Engine, error) {
	e := &Engine{}
	for _, opt := range opts {
		if opt == nil {
			panic("sorter: gpu: nil option")
		}
		if err := opt(&e.settings); err != nil {
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

// chosen returns the ordinals of the devices.
func (e *Engine) chosen() []int {
	if len(e.settings.Ordinals) == 0 {
		return []int{0}
	}
	return e.settings.Ordinals
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
	return public(closeAll(e.devs))
}

// Trim gives the device memory and the pinned memory back that no sort holds. The devices stay open, and
// the next sort takes memory anew, which takes longer than a short sort. [sorter.Trim] does the same for
// the engine that an import of this package registers. Sorts that run go on. The error is that of
// the driver.
func (e *Engine) Trim() error {
	e.mu.Lock()
	opened := e.opened != nil && isClosed(e.opened) && e.unusable() == nil
	if opened {
		e.users.Add(1)
	}
	e.mu.Unlock()
	if !opened {
		return nil
	}
	defer e.users.Done()
	errs := make([]error, len(e.devs))
	for i, d := range e.devs {
		errs[i] = d.Trim()
	}
	return public(device.FirstError(errs...))
}

var errClosed = fmt.Errorf("%w: the engine is closed", engine.ErrNoDevice)

// open starts to open the devices, at the first call. The returned channel is closed when that
// has ended.
func (e *Engine) open() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.begin(false)
}

// begin is open. With warm, the memory of long sorts is taken, too. e.mu is held.
func (e *Engine) begin(warm bool) <-chan struct{} {
	if e.opened == nil && e.closed {
		return done
	}
	if e.opened == nil {
		e.opened, e.began = make(chan struct{}), time.Now()
		go func() {
			defer close(e.opened)
			devs, expected, err := openAll(e.chosen(), e.settings, warm)
			e.mu.Lock()
			defer e.mu.Unlock()
			e.devs, e.costs, e.sharing, e.failed = devs, expected.Costs.Recording(&e.seen), expected.Sharing, err
		}()
	}
	return e.opened
}

// openAll opens devices, loads their kernels, and measures their links: all or none.
func openAll(ordinals []int, s settings.Settings, warm bool) ([]*dispatch.Sorter, expectations, error) {
	devs, err := device.Open(ordinals)
	if err != nil {
		return nil, expectations{}, err
	}
	sorters, expected, err := loadAll(devs, s, warm)
	if err != nil {
		device.Close(devs)
	}
	return sorters, expected, err
}

func loadAll(devs []*device.Device, s settings.Settings, warm bool) (sorters []*dispatch.Sorter, expected expectations, err error) {
	for _, d := range devs {
		d.Limit = s.Memory
		sorter, err := dispatch.New(d, s.Algorithms)
		if err != nil {
			return nil, expected, err
		}
		sorters = append(sorters, sorter)
	}
	expected, err = expect(sorters, warm)
	return sorters, expected, err
}

// closeAll closes the devices.
func closeAll(sorters []*dispatch.Sorter) error {
	var devs []*device.Device
	for _, s := range sorters {
		devs = append(devs, s.Device)
	}
	return device.Close(devs)
}

// done is a closed channel.
var done = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// acquire opens the devices at the first call and keeps them open until the caller calls
// e.users.Done(). It fails if they do not run a.
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

// unusable returns why an opened engine does not work. e.mu is held.
func (e *Engine) unusable() error {
	switch {
	case e.closed:
		return errClosed
	case e.failed != nil:
		return e.failed
	}
	for _, d := range e.devs {
		if err := d.Failure(); err != nil {
			return err
		}
	}
	return nil
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Runs reports whether the engine has an algorithm, see [sorter.Backend]. It opens no
// device. Until the devices are open, the answer is that of devices with enough shared
// memory; a sort by an algorithm that they lack then fails.
func (e *Engine) Runs(a sorter.Algorithm) bool {
	if dispatch.ChoosesOwn(a) {
		return true // asked by every sort, however small: no lock
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened == nil || !isClosed(e.opened) || e.failed != nil {
		return dispatch.Has(a)
	}
	return e.runs(a)
}

// runs reports whether all devices, which are open, run a: a long list may be sorted on any of
// them.
func (e *Engine) runs(a engine.Algorithm) bool {
	return !slices.ContainsFunc(e.devs, func(d *dispatch.Sorter) bool { return !d.Runs(a) })
}
