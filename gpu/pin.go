package gpu

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/pins"
	"example.com/sorter/internal/scratch"
)

// pinned is the memory that devices of this process copy from and to.
var pinned pins.Set

// Pin locks the memory of s in place, so that devices copy it without the host. Keys that a device
// sorts or orders are sent from there, and [sorter.SortKeys] and orders with [sorter.Into] of
// pinned memory receive their results there. Results are the same.
//
// That serves 32-bit and 64-bit keys without a key function: [sorter.SortKeys],
// [sorter.OrderKeys], and [sorter.Rows.Order] by one column of [sorter.AscOf]. SortKeys still makes a
// copy of the keys in the host's memory, from which they are restored if a device is lost. Any
// part of s may be sorted. Memory that is only partly pinned is sent like other memory.
//
// Pinning takes 15 to 60 ms per GiB, 300 of memory that was not written to yet. The first call
// opens a device where none is open, which takes about 0.3 s. Sorts of pinned keys take as long as
// those of other memory, and at most half of the processors' time. Orders take less time, and at
// most a fifteenth of the processors' time. bench/results/gpu.md has a table. The system cannot swap
// pinned memory out, and limits it in places (ulimit -l). All engines of the process share pinned
// memory; closing them does not unpin it. s stays alive until [Unpin].
//
// Pin may be called concurrently. It does nothing for an empty s. The error is [sorter.ErrNoDevice] under errors.Is where there is
// no device, a [*sorter.DeviceError] where the driver refuses, and another one if a part of s is
// pinned already or elements hold pointers. Then nothing is pinned.
func Pin[E any](s []E) error {
	if scratch.HasPointers[E]() {
		return fmt.Errorf("sorter: gpu: Pin of %T: elements hold pointers, which a device must not write", s)
	}
	bytes := int(unsafe.Sizeof(*new(E))) * len(s)
	if bytes == 0 {
		return nil
	}
	return public(pinned.Add(unsafe.Pointer(unsafe.SliceData(s)), bytes))
}

// Unpin undoes [Pin] of a slice that begins where s does, and that of [Alloc]. It waits for sorts
// that use the memory: a key function, and a function of [sorter.OnProgress], must not call it for
// the memory of their own sort. It takes about 20 ms per GiB. It may be called concurrently. It
// does nothing for an empty s. The error says that s was not pinned, or is that of the driver; then
// s is unpinned all the same.
func Unpin[E any](s []E) error {
	if int(unsafe.Sizeof(*new(E)))*len(s) == 0 {
		return nil
	}
	return public(pinned.Remove(unsafe.Pointer(unsafe.SliceData(s))))
}

// Alloc returns a slice of n zeros that is pinned, see [Pin], on huge pages where the system has
// them. After [Unpin] it is memory of Go like any other; until then it is not collected.
//
// It takes 50 to 80 ms per GiB with 16 processors, which touch the pages. It panics if n is negative.
// The errors are those of Pin; then the slice is nil.
func Alloc[E any](n int) ([]E, error) {
	if n < 0 {
		panic(fmt.Sprintf("sorter: gpu: Alloc(%d)", n))
	}
	s := scratch.Huge[E](n)
	if err := Pin(s); err != nil {
		return nil, err
	}
	return s, nil
}

// use keeps the pinned memory that a job reads and writes until the returned function is called.
// Memory that is not pinned leaves the job: it is sent piece by piece.
func use(job *engine.Job) (done func()) {
	leaveKeys, leaveIndex, ok := func() {}, func() {}, false
	if p := job.Plain; p != nil {
		if leaveKeys, ok = pinned.Use(p.At, job.N*codes.Bytes(job.Bits > 32)); !ok {
			job.Plain = nil
		}
	}
	if job.Index != nil {
		if leaveIndex, ok = pinned.Use(unsafe.Pointer(unsafe.SliceData(job.Index)), 4*job.N); !ok {
			job.Index = nil
		}
	}
	return func() { leaveKeys(); leaveIndex() }
}
