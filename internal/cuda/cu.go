//go:build cuda && linux && (amd64 || arm64)

package cuda

// #cgo LDFLAGS: -ldl
// #include "cu.h"
import "C"

import (
	"reflect"

	"gorgonia.org/cu"
)

// open reports what cuInit said when package cu was initialized. The library
// is linked: a program whose system has none does not start.
func open() (Driver, error) {
	if r := Result(C.sorter_init_result()); r != Success {
		return nil, missing("cuInit", r, r)
	}
	version := cu.Version()
	if version < OldestDriver {
		return nil, missing("cuDriverGetVersion", UnsupportedPTX, tooOld(version))
	}
	return cuDriver{version}, nil
}

type cuDriver struct{ version int }

// code returns the number in an error of package cu, whose type is its secret.
func code(err error) Result {
	if err == nil {
		return Success
	}
	if v := reflect.ValueOf(err); v.Kind() == reflect.Int {
		return Result(v.Int())
	}
	return 999 // CUDA_ERROR_UNKNOWN
}

func (d cuDriver) Devices() ([]Info, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, missing("cuDeviceGetCount", code(err), code(err))
	}
	if n == 0 {
		return nil, missing("cuDeviceGetCount", NoDevice, NoDevice)
	}
	infos := make([]Info, n)
	for i := range infos {
		infos[i] = Info{Ordinal: i, Driver: d.version}
		if err := describe(&infos[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// describe fills in info.
func describe(info *Info) error {
	name := label(info.Ordinal)
	device, err := cu.GetDevice(info.Ordinal)
	if err != nil {
		return failure(name, "cuDeviceGet", code(err))
	}
	if info.Name, err = device.Name(); err != nil {
		return failure(name, "cuDeviceGetName", code(err))
	}
	uuid, err := device.UUID()
	if err != nil {
		return failure(name, "cuDeviceGetUuid", code(err))
	}
	info.UUID = formatUUID(uuid)
	memory, err := device.TotalMem()
	if err != nil {
		return failure(name, "cuDeviceTotalMem_v2", code(err))
	}
	info.Memory = uint64(memory)
	for attribute, value := range attributes(info) {
		if *value, err = device.Attribute(cu.DeviceAttribute(attribute)); err != nil {
			return failure(name, "cuDeviceGetAttribute", code(err))
		}
	}
	return nil
}

func (d cuDriver) Retain(ordinal int) (Context, error) {
	device, err := cu.GetDevice(ordinal)
	if err != nil {
		return nil, failure(label(ordinal), "cuDeviceGet", code(err))
	}
	handle, err := device.RetainPrimaryCtx()
	if err != nil {
		return nil, failure(label(ordinal), "cuDevicePrimaryCtxRetain", code(err))
	}
	return &cuContext{device, handle, label(ordinal)}, nil
}
