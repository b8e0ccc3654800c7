package gpu

import (
	"errors"

	"example.com/sorter"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
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
	Clock          int    // of the multiprocessors, in kHz
	MemoryClock    int    // in kHz; memory moves two words a cycle
	MemoryBus      int    // width of the memory's words, in bits
	Driver         int    // newest CUDA version of the driver, 1000 × major + 10 × minor
}

// Devices describes the GPUs of this machine. It returns none, without an error, if there is
// no driver or no device, or if the environment has SORTER_BACKEND=cpu. The first call loads
// and initializes the driver, which takes about 0.2 s. It may be called concurrently.
func Devices() ([]Info, error) {
	_, found, err := device.List()
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
