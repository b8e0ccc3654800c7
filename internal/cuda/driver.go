//go:build !cuda && linux && (amd64 || arm64)

package cuda

import (
	"bytes"
	"fmt"
	"unsafe"
)

// driver is a driver library, loaded and initialized.
type driver struct {
	*functions
	version int
}

// start initializes the library whose functions are f. Whatever is in the way,
// there is no device then.
func start(f *functions) (Driver, error) {
	if r := f.do(initialize, 0); r != Success {
		return nil, missing(symbols[initialize], r, r)
	}
	var version int32
	if r := f.do(driverVersion, uintptr(unsafe.Pointer(&version))); r != Success {
		return nil, missing(symbols[driverVersion], r, r)
	}
	if version < OldestDriver {
		return nil, missing(symbols[driverVersion], UnsupportedPTX, tooOld(version))
	}
	return &driver{f, int(version)}, nil
}

func (d *driver) Devices() ([]Info, error) {
	var n int32
	if r := d.do(deviceCount, uintptr(unsafe.Pointer(&n))); r != Success {
		return nil, missing(symbols[deviceCount], r, r)
	}
	if n == 0 {
		return nil, missing(symbols[deviceCount], NoDevice, NoDevice)
	}
	infos := make([]Info, n)
	for i := range infos {
		if err := d.describe(i, &infos[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

// Numbers of CUdevice_attribute.
const (
	attributeSMs            = 16
	attributeL2             = 38
	attributeMajor          = 75
	attributeMinor          = 76
	attributeSharedPerBlock = 97
)

// describe fills in info.
func (d *driver) describe(ordinal int, info *Info) error {
	device, err := d.device(ordinal)
	if err != nil {
		return err
	}
	var name [256]byte
	var uuid [16]byte
	var memory uint64
	steps := []struct {
		call
		Result
	}{
		{deviceName, d.do(deviceName, uintptr(unsafe.Pointer(&name)), uintptr(len(name)), device)},
		{deviceUUID, d.do(deviceUUID, uintptr(unsafe.Pointer(&uuid)), device)},
		{deviceMemory, d.do(deviceMemory, uintptr(unsafe.Pointer(&memory)), device)},
	}
	for _, s := range steps {
		if err := failure(label(ordinal), symbols[s.call], s.Result); err != nil {
			return err
		}
	}
	text, _, _ := bytes.Cut(name[:], []byte{0})
	*info = Info{Ordinal: ordinal, Name: string(text), UUID: formatUUID(uuid), Memory: memory, Driver: d.version}
	return d.attributes(device, info)
}

func (d *driver) attributes(device uintptr, info *Info) error {
	for _, a := range []struct {
		number uintptr
		value  *int
	}{
		{attributeSMs, &info.SMs},
		{attributeL2, &info.L2},
		{attributeMajor, &info.Major},
		{attributeMinor, &info.Minor},
		{attributeSharedPerBlock, &info.SharedPerBlock},
	} {
		var v int32
		r := d.do(deviceAttribute, uintptr(unsafe.Pointer(&v)), a.number, device)
		if r != Success {
			return failure(label(info.Ordinal), symbols[deviceAttribute], r)
		}
		*a.value = int(v)
	}
	return nil
}

// device returns the driver's handle of a device.
func (d *driver) device(ordinal int) (uintptr, error) {
	var device int32
	r := d.do(deviceGet, uintptr(unsafe.Pointer(&device)), uintptr(ordinal))
	return uintptr(device), failure(label(ordinal), symbols[deviceGet], r)
}

func (d *driver) Retain(ordinal int) (Context, error) {
	device, err := d.device(ordinal)
	if err != nil {
		return nil, err
	}
	c := &context{functions: d.functions, device: device, name: label(ordinal)}
	r := d.do(contextRetain, uintptr(unsafe.Pointer(&c.handle[0])), device)
	if r != Success {
		return nil, failure(c.name, symbols[contextRetain], r)
	}
	return c, nil
}

// label names a device in errors.
func label(ordinal int) string { return fmt.Sprintf("%s device %d", platform, ordinal) }
