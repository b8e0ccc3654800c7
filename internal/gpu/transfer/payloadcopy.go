package transfer

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
)

// payload is the elements of a job where these are sent along with their codes: up after
// them, through the order on the device, and down in place of positions. That takes the host
// nothing but copies, one piece after the other, where a gather reads all over the
// list.
type payload struct {
	*engine.Elements
	at     cuda.Ptr // in input order
	sorted cuda.Ptr // in order, a slot's worth for each slot
}

// size is the bytes of an element, 0 if none is sent along.
func (p *payload) size() int {
	if p == nil {
		return 0
	}
	return p.Size
}

// beside makes a source of codes that has the elements of each block copied to a slot
// which begins with element first, after the codes that it has room for.
func beside[W any](p *payload, s *device.Slot, first, room int, pull func(dst []W, lo int)) func(dst []W, lo int) {
	if p == nil {
		return pull
	}
	return func(dst []W, lo int) {
		pull(dst, lo)
		p.Pull(words[byte](unsafe.Add(s.Memory, room+(lo-first)*p.Size), len(dst)*p.Size), lo)
	}
}

// send sends elements [lo, hi) off, which follow the codes of a slot.
func (p *payload) send(w *device.Workspace, s *device.Slot, room, lo, hi int) error {
	if p == nil {
		return nil
	}
	return w.CopyToDevice(p.at+cuda.Ptr(lo*p.Size), unsafe.Add(s.Memory, room), (hi-lo)*p.Size, w.Stream)
}
