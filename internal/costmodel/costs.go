package costmodel

import (
	"example.com/sorter/internal/engine"
)

const (
	// LeastN is the least number of elements for which a device may be faster.
	LeastN = 1 << curveStart

	// OpenN is the number of elements from which a sort opens the device. Without
	// measurements, sorts without payload of that size also run on it: transfers at 55 GB/s
	// each way and the sort take about 0.3 ns per element, and the fixed cost is 100 µs.
	OpenN = 1 << 20

	// WaitN is the number of elements per processor from which a sort waits for the device to
	// be opened, once in a process. Opening takes about 0.4 s, in which the CPU engine orders
	// that many. Smaller sorts do not wait.
	WaitN = 1 << 25
)

// Waits reports whether w is large enough to wait for the device to be opened.
func Waits(w engine.Work, processors int) bool { return w.Payload == 0 && w.N/processors >= WaitN }

// Worth reports whether w is expected to be faster on the device, which is open, than on the
// CPU engine.
func (c Costs) Worth(w engine.Work) bool {
	if c.Missing(w) {
		return w.N >= OpenN && w.Payload == 0
	}
	device, onCPU := c.estimate(w)
	return device < onCPU
}

const (
	// CarriedSize is the largest element, in bytes, that the device moves while nothing is
	// measured. 2026-11, H200: 24-byte elements take 0.7 of the time of a gather, 64-byte
	// elements the same time.
	CarriedSize = 48
)

// Carries reports whether the device moves n elements of the given size faster than the host
// gathers them through an order. It is false below least bytes in all.
func (c Costs) Carries(size, n, least int) bool {
	switch {
	case size*n < least:
		return false
	case c.payload == nil:
		return size <= CarriedSize
	}
	return c.payload.carries(uintptr(size), n)
}

// String returns the measurements as text, "" if there are none.
func (c Costs) String() string {
	switch {
	case c.codes == nil:
		return ""
	case c.payload == nil:
		return c.codes.String()
	}
	return c.codes.String() + "; " + c.payload.String()
}
