package cuda

import (
	"fmt"

	"example.com/sorter/internal/engine"
)

// Result is a result code of the driver, CUresult in its header. As an error
// it prints its name, with or without a driver, and can be asked for:
// errors.Is(err, cuda.OutOfMemory).
type Result int

// Results that callers and this package name.
const (
	Success            Result = 0
	InvalidValue       Result = 1
	OutOfMemory        Result = 2
	NotInitialized     Result = 3
	StubLibrary        Result = 34
	NoDevice           Result = 100
	InvalidDevice      Result = 101
	InvalidImage       Result = 200
	InvalidContext     Result = 201
	InvalidPTX         Result = 218
	UnsupportedPTX     Result = 222
	SymbolNotFound     Result = 302
	LibraryInitFailed  Result = 303
	NotFound           Result = 500
	NotReady           Result = 600
	PeerAlreadyEnabled Result = 704
	TooManyPeers       Result = 711
	AlreadyRegistered  Result = 712
	LaunchFailed       Result = 719
)

func (r Result) Error() string {
	if name, ok := resultNames[r]; ok {
		return "CUDA_ERROR_" + name
	}
	return fmt.Sprintf("unknown CUDA result %d", int(r))
}

// Failure returns the error of a driver call on device that returned r, nil
// for success.
func Failure(device, op string, r Result) error {
	if r == Success {
		return nil
	}
	return &engine.DeviceError{Device: device, Op: op, Code: int(r), Err: r}
}

// Shortage returns the error of memory that is known to be short on a device before
// the driver is asked for it.
func Shortage(ordinal int, format string, args ...any) error {
	return &engine.DeviceError{Device: Label(ordinal), Op: "allocation", Code: int(OutOfMemory),
		Err: fmt.Errorf(format+": %w", append(args, OutOfMemory)...)}
}

// Label names a device in errors.
func Label(ordinal int) string { return fmt.Sprintf("%s device %d", platform, ordinal) }

// Missing returns the error of a step without which there is no device at all.
func Missing(op string, r Result, cause error) error {
	return &engine.DeviceError{Device: platform, Op: op, Code: int(r),
		Err: fmt.Errorf("%w: %w", engine.ErrNoDevice, cause)}
}

// OldestDriver is the CUDA version of the oldest driver that loads PTX made by
// the compiler of CUDA 11.8, ISA 7.8: driver 520.
const OldestDriver = 11080

// TooOld returns the cause of a driver that OldestDriver excludes.
func TooOld[V int | int32](version V) error {
	return fmt.Errorf("the driver is of CUDA %d.%d, at least %d.%d is needed: %w", version/1000, version%1000/10,
		OldestDriver/1000, OldestDriver%1000/10, UnsupportedPTX)
}

// platform names the driver in errors of calls that concern no device.
const platform = "CUDA"
