//go:build linux && (amd64 || arm64)

package cuda

import (
	"fmt"

	"example.com/sorter/internal/engine"
)

// Shared by the bindings, that of package gpu/cu included.

// Flags of cuMemHostAlloc and cuMemHostRegister, and CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES.
const (
	HostPortable      = 1
	HostMapped        = 2
	FunctionMaxShared = 8
	RegisterPortable  = 1 // CU_MEMHOSTREGISTER_PORTABLE
)

// Reached reports whether a result of cuCtxEnablePeerAccess says that there is access, and
// returns it unless copies work all the same: somebody else of the process may have enabled
// access before, and a device that has too many peers is copied from through the host, like
// one that is none.
func Reached(r Result) (direct bool, failed Result) {
	switch r {
	case Success, PeerAlreadyEnabled:
		return true, Success
	case TooManyPeers:
		return false, Success
	}
	return false, r
}

// Attributes returns the numbers of CUdevice_attribute that go into info.
func Attributes(info *Info) map[int]*int {
	return map[int]*int{
		13: &info.Clock,
		16: &info.SMs,
		36: &info.MemoryClock,
		37: &info.MemoryBus,
		38: &info.L2,
		75: &info.Major,
		76: &info.Minor,
		97: &info.SharedPerBlock, // with opt-in
	}
}

// FormatUUID writes a device's UUID as the vendor's tools do.
func FormatUUID(u [16]byte) string {
	return fmt.Sprintf("GPU-%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

// Named adds the name of a kernel to the error of a call, as part of its cause.
func Named(err error, kernel string) error {
	if failed, ok := err.(*engine.DeviceError); ok {
		failed.Err = fmt.Errorf("kernel %s: %w", kernel, failed.Err)
	}
	return err
}
