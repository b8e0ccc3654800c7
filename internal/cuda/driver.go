//go:build linux && (amd64 || arm64)

package cuda

import (
	"bytes"
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
		return nil, Missing(symbols[initialize], r, r)
	}
	var version int32
	if r := f.do(driverVersion, uintptr(unsafe.Pointer(&version))); r != Success {
		return nil, Missing(symbols[driverVersion], r, r)
	}
	if version < OldestDriver {
		return nil, Missing(symbols[driverVersion], UnsupportedPTX, TooOld(version))
	}
	return &driver{f, int(version)}, nil
}

func (d *driver) Devices() ([]Info, error) {
	var n int32
	if r := d.do(deviceCount, uintptr(unsafe.Pointer(&n))); r != Success {
		return nil, Missing(symbols[deviceCount], r, r)
	}
	if n == 0 {
		return nil, Missing(symbols[deviceCount], NoDevice, NoDevice)
	}
	infos := make([]Info, n)
	for i := range infos {
		if err := d.describe(i, &infos[i]); err != nil {
			return nil, err
		}
	}
	return infos, nil
}

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
		if err := Failure(Label(ordinal), symbols[s.call], s.Result); err != nil {
			return err
		}
	}
	text, _, _ := bytes.Cut(name[:], []byte{0})
	*info = Info{Ordinal: ordinal, Name: string(text), UUID: FormatUUID(uuid), Memory: memory, Driver: d.version}
	return d.attributes(device, info)
}

func (d *driver) attributes(device uintptr, info *Info) error {
	for attribute, value := range Attributes(info) {
		var v int32
		r := d.do(deviceAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attribute), device)
		if r != Success {
			return Failure(Label(info.Ordinal), symbols[deviceAttribute], r)
		}
		*value = int(v)
	}
	return nil
}

// device returns the driver's handle of a device.
func (d *driver) device(ordinal int) (uintptr, error) {
	var device int32
	r := d.do(deviceGet, uintptr(unsafe.Pointer(&device)), uintptr(ordinal))
	return uintptr(device), Failure(Label(ordinal), symbols[deviceGet], r)
}

func (d *driver) Retain(ordinal int) (Context, error) {
	device, err := d.device(ordinal)
	if err != nil {
		return nil, err
	}
	c := &context{functions: d.functions, device: device, name: Label(ordinal)}
	r := d.do(contextRetain, uintptr(unsafe.Pointer(&c.handle[0])), device)
	if r != Success {
		return nil, Failure(c.name, symbols[contextRetain], r)
	}
	return c, nil
}
