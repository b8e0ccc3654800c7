package device

import (
	"fmt"
	"slices"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/kernels"
)

// Workspaces is the number of sorts that use a device at a time; others wait. One alone leaves
// the device idle during extraction. A third would find bus and device busy, and pin more
// memory.
const Workspaces = 2

// List returns the driver and its devices. If devices are switched off it loads nothing.
func List() (cuda.Driver, []cuda.Info, error) {
	if err := engine.Off(); err != nil {
		return nil, nil, err
	}
	driver, err := cuda.Open()
	if err != nil {
		return nil, nil, err
	}
	infos, err := driver.Devices()
	return driver, infos, err
}

// Open opens devices that can copy from each other, all or none.
func Open(ordinals []int) (devs []*Device, err error) {
	defer func() {
		if err != nil {
			Close(devs)
			devs = nil
		}
	}()
	for _, ordinal := range ordinals {
		d, err := open(ordinal)
		if err != nil {
			return devs, err
		}
		devs = append(devs, d)
	}
	for _, d := range devs {
		for _, peer := range devs {
			if peer == d {
				continue
			}
			direct, err := d.EnablePeer(peer.Context)
			if err != nil {
				return devs, err
			}
			if direct {
				d.peers = append(d.peers, peer)
			}
		}
	}
	return devs, nil
}

// Reaches reports whether kernels of the device access memory of another, or of its own.
func (d *Device) Reaches(peer *Device) bool { return peer == d || slices.Contains(d.peers, peer) }

// Close closes all of them.
func Close(devs []*Device) error {
	var failed errorList
	for _, d := range devs {
		failed.add(d.Close())
	}
	return failed.first()
}

// open retains the device's context.
func open(ordinal int) (*Device, error) {
	driver, infos, err := List()
	if err != nil {
		return nil, err
	}
	if ordinal < 0 || ordinal >= len(infos) {
		return nil, fmt.Errorf("%w: no device %d, there are %d", engine.ErrNoDevice, ordinal, len(infos))
	}
	info := infos[ordinal]
	if 10*info.Major+info.Minor < kernels.MinCapability {
		return nil, fmt.Errorf("%w: %s has compute capability %d.%d, the kernels need %.1f", engine.ErrNoDevice, info.Name, info.Major, info.Minor, kernels.MinCapability/10.)
	}
	context, err := driver.Retain(ordinal)
	if err != nil {
		return nil, err
	}
	return &Device{
		Context: context, Info: info, turns: make(chan struct{}, Workspaces),
		modules: map[*Module]cuda.Module{}, funcs: map[string]cuda.Func{},
	}, nil
}

// Close frees everything. No sort may be running.
func (d *Device) Close() error {
	var failed errorList
	failed.add(d.Trim())
	for _, m := range d.modules {
		failed.add(d.Unload(m))
	}
	failed.add(d.Context.Release())
	return failed.first()
}

// Failure returns the error that broke the device, nil if it works.
func (d *Device) Failure() error {
	if err := d.broken.Load(); err != nil {
		return *err
	}
	return nil
}
