package transfer

import (
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/device"
)

// payload is the elements of a job that are sent with their codes: uploaded after them,
// gathered on the device, and downloaded instead of positions. The host only copies piece by
// piece, without a gather over the whole list.
type payload struct {
	*engine.Elements
	at     cuda.Ptr // in input order
	sorted cuda.Ptr // sorted, one slot's worth per slot
}

// size returns the bytes of an element, 0 if none is sent.
func (p *payload) size() int {
	if p == nil {
		return 0
	}
	return p.Size
}

// beside wraps a source of codes: it also copies the elements of each block to the slot s,
// at byte at, after its codes. The slot begins with element first.
func beside[W any](p *payload, s *device.Slot, first, at int, pull func(dst []W, lo int)) func(dst []W, lo int) {
	if p == nil {
		return pull
	}
	return func(dst []W, lo int) {
		pull(dst, lo)
		p.Pull(words[byte](unsafe.Add(s.Memory, at+(lo-first)*p.Size), len(dst)*p.Size), lo)
	}
}

// send sends elements [lo, hi), which follow the codes of a slot.
func (p *payload) send(w *device.Workspace, s *device.Slot, at, lo, hi int) error {
	if p == nil {
		return nil
	}
	return w.CopyToDevice(p.at+cuda.Ptr(lo*p.Size), unsafe.Add(s.Memory, at), (hi-lo)*p.Size, w.Stream)
}
