package sorter

import (
	"fmt"
	"math"

	"example.com/sorter/internal/engine"
)

// Errors of a sort, to be tested with [errors.Is]. After any of them the slice is as it
// was before the call.
var (
	// ErrTooLong: the order of 1<<32 elements or more is asked for, since indices have 32
	// bits. It also stands for a result, or for scratch memory of even the most frugal
	// algorithm, that cannot be addressed; under a [MemoryLimit] such scratch
	// memory is ErrMemoryLimit. No key function is called before.
	ErrTooLong = engine.ErrTooLong

	// ErrNoDevice: the engine asked for with [On] has no device to run on, or
	// no engine runs the algorithm asked for with [Use]. It wraps the cause.
	ErrNoDevice = engine.ErrNoDevice

	// ErrMemoryLimit: even the most frugal algorithm needs more scratch memory
	// than [MemoryLimit] allows. The error is a [*MemoryError], which names the bytes
	// needed. Package extsort returns the same.
	ErrMemoryLimit = engine.ErrMemoryLimit
)

// MemoryError is an [ErrMemoryLimit] with its numbers, to be tested with [errors.As].
type MemoryError struct {
	Limit int64 // bytes that the call may take
	Need  int64 // limit that is enough for the same call; math.MaxInt64 if it cannot be addressed, 0 if it is not known

	Elements int // of the call; 0 in errors of package extsort, whose elements are not counted yet
}

// Error returns the numbers that are known.
func (e *MemoryError) Error() string {
	text := fmt.Sprintf("%v: %d bytes", ErrMemoryLimit, e.Limit)
	if e.Elements > 0 {
		text += fmt.Sprintf(" for %d elements", e.Elements)
	}
	switch e.Need {
	case 0:
	case math.MaxInt64:
		text += ", need more than can be addressed"
	default:
		text += fmt.Sprintf(", need %d", e.Need)
	}
	return text
}

// Unwrap returns ErrMemoryLimit.
func (e *MemoryError) Unwrap() error { return ErrMemoryLimit }

// The pipeline cannot import this package, whose type users test for.
func init() {
	engine.NewMemoryError = func(limit, need int64, n int) error { return &MemoryError{limit, need, n} }
}

// DeviceError is a failed call to a device's driver, to be tested with [errors.As].
// It prints without a driver.
//
// Sorts return it only to callers that insisted on the engine with [On], or with
// [Use] on an algorithm that the CPU lacks. Otherwise the CPU finishes the sort and
// Fallback of [Stats] holds the error.
type DeviceError struct {
	Device string // name of the device, or of the engine where none was reached
	Op     string // driver call, for example "cuMemAlloc_v2", or "allocation" where memory was short before a call was made
	Code   int    // Result code of the driver
	Err    error  // cause, may be nil
}

// Error returns the device, the operation, the result code and the cause.
func (e *DeviceError) Error() string { return (*engine.DeviceError)(e).Error() }

// Unwrap returns the cause.
func (e *DeviceError) Unwrap() error { return e.Err }
