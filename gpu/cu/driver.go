//go:build cgo && linux && (amd64 || arm64)

package cu

// #cgo LDFLAGS: -ldl
// #include "cu.h"
import "C"

import (
	"reflect"

	"example.com/sorter/internal/cuda"
	"gorgonia.org/cu"
)

func init() { cuda.Register(open) }

// open reports the result of cuInit when gorgonia.org/cu was initialized. The driver's library
// is linked: a program whose system has none does not start.
func open() (cuda.Driver, error) {
	if r := cuda.Result(C.sorter_init_result()); r != cuda.Success {
		return nil, cuda.Missing("cuInit", r, r)
	}
	version := cu.Version()
	if version < cuda.OldestDriver {
		return nil, cuda.Missing("cuDriverGetVersion", cuda.UnsupportedPTX, cuda.TooOld(version))
	}
	return cuDriver{version}, nil
}

type cuDriver struct{ version int }

// code returns the number in an error of gorgonia.org/cu, whose type is its secret.
func code(err error) cuda.Result {
	if err == nil {
		return cuda.Success
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return cuda.Result(v.Int())
	}
	return 999 // CUDA_ERROR_UNKNOWN
}

func (d cuDriver) Devices() ([]cuda.Info, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, cuda.Missing("cuDeviceGetCount", code(err), code(err))
	}
	if n == 0 {
		return nil, cuda.Missing("cuDeviceGetCount", cuda.NoDevice, cuda.NoDevice)
	}
	infos := make([]cuda.Info, n)
	for i := range infos {
		infos[i] = cuda.Info{Ordinal: i, Driver: d.version}
		if err := describe(&infos[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// describe fills in info.
func describe(info *cuda.Info) error {
	name := cuda.Label(info.Ordinal)
	device, err := cu.GetDevice(info.Ordinal)
	if err != nil {
		return cuda.Failure(name, "cuDeviceGet", code(err))
	}
	if info.Name, err = device.Name(); err != nil {
		return cuda.Failure(name, "cuDeviceGetName", code(err))
	}
	uuid, err := device.UUID()
	if err != nil {
		return cuda.Failure(name, "cuDeviceGetUuid", code(err))
	}
	info.UUID = cuda.FormatUUID(uuid)
	memory, err := device.TotalMem()
	if err != nil {
		return cuda.Failure(name, "cuDeviceTotalMem_v2", code(err))
	}
	info.Memory = uint64(memory)
	for attribute, value := range cuda.Attributes(info) {
		if *value, err = device.Attribute(cu.DeviceAttribute(attribute)); err != nil {
			return cuda.Failure(name, "cuDeviceGetAttribute", code(err))
		}
	}
	return nil
}

func (d cuDriver) Retain(ordinal int) (cuda.Context, error) {
	device, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, cuda.Failure(cuda.Label(ordinal), "cuDeviceGet", code(err))
	}
	handle, err := device.RetainPrimaryCtx()
	if err != nil {
		return nil, cuda.Failure(cuda.Label(ordinal), "cuDevicePrimaryCtxRetain", code(err))
	}
	return &cuContext{device, handle, cuda.Label(ordinal)}, nil
}
