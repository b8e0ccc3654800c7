package costmodel

import "runtime"

// Facts describe a machine that has not sorted yet. Zero is unknown: that of an H200.
type Facts struct {
	Processors int     // of the host; 0: those of this process
	Up, Down   float64 // bytes per ns from pinned memory to the device and back
	Memory     float64 // bytes per ns of device memory
	Cycles     float64 // clock cycles per ns of all multiprocessors together
}

// usual are the facts of an H200 with PCIe 5: its driver's numbers, and measured copies.
var usual = Facts{Up: 55, Down: 55, Memory: usualMemory, Cycles: usualCycles}

// or returns f with the unknown facts of g.
func (f Facts) or(g Facts) Facts {
	if f.Processors == 0 {
		f.Processors = runtime.GOMAXPROCS(0)
	}
	for _, p := range [][2]*float64{{&f.Up, &g.Up}, {&f.Down, &g.Down}, {&f.Memory, &g.Memory}, {&f.Cycles, &g.Cycles}} {
		if *p[0] == 0 {
			*p[0] = *p[1]
		}
	}
	return f
}

// The costs that are expected of a machine are those of two others, scaled. Of the host: ns of
// one processor, which all share, and ns of the memory, which more do not shorten. 2026-11, fit
// to sorts of 10^7 to 10^8 elements by 1 and 2 processors of a Zen 5 EPYC and by 16 of a Xeon
// Platinum, within 20 %.
type hostWork struct{ processor, memory float64 }

func (w hostWork) each(f Facts) float64 { return w.processor/float64(f.Processors) + w.memory }

var (
	hostSort  = [kinds]hostWork{order32: {9, 1.3}, order64: {11, 1.7}, keys32: {4.5, 1}, keys64: {4.5, 1.3}}
	hostMoves = [2]hostWork{{1, 0.6}, {4, 1.9}} // of elements of smallPayload and of largePayload bytes
)

// Of the device: what crosses the bus, and the work of the kernels, by the bytes that they move
// and the cycles that they take. 2026-11, H200, 2^28 uniform codes on the device.
var (
	bytesUp     = [kinds]float64{order32: 4, order64: 8, keys32: 4, keys64: 8}
	bytesDown   = [kinds]float64{order32: 4, order64: 4, keys32: 4, keys64: 8}
	kernelBytes = [kinds]float64{order32: 92, order64: 96, keys32: 66, keys64: 96}
)

const (
	cyclesPerByte = usualCycles / usualMemory // a device of less power or of less bandwidth takes longer
	usualCycles   = 132 * 1.98
	usualMemory   = 4900

	startup = 500e3 // ns of the steps of a sort that do not grow with it
	halting = 1.15  // of the bus: a piece waits for its copy on the host
	staging = 1.35  // of the bus, for elements, which are copied twice on the host
)

// hostCopy returns the bytes per ns that the host copies into pinned memory. 2026-11, Xeon
// Platinum: 9 with one processor, 34 with 4, 89 with 16, 105 with 64.
func (f Facts) hostCopy() float64 { return min(9*float64(f.Processors), 100) }

// cross returns the time of a byte each way, at the pace of the bus or of the host's copies.
func (f Facts) cross(up, down float64) float64 {
	return up/min(f.Up, f.hostCopy()) + down/min(f.Down, f.hostCopy())
}

// kernels returns the time of the kernels per element, as far as memory and multiprocessors go.
func (f Facts) kernels(k kind) float64 {
	return max(kernelBytes[k]/f.Memory, kernelBytes[k]*cyclesPerByte/f.Cycles)
}

// Expect returns the costs of a machine that has measured none: those that follow from facts.
func Expect(f Facts) Costs {
	f = f.or(usual)
	m := &sortTimes{workers: f.Processors}
	for k := range kinds {
		m.device[k] = line{startup, halting*f.cross(bytesUp[k], bytesDown[k]) + f.kernels(k)}
		m.cpu[k] = level(hostSort[k].each(f))
	}
	p := &payload{
		move:   bySize{level(hostMoves[0].each(f)), level(hostMoves[1].each(f))},
		gather: bySize{level(f.gather(smallPayload)), level(f.gather(largePayload))},
		send:   &ends{staging * f.cross(smallPayload, smallPayload), staging * f.cross(largePayload, largePayload)},
	}
	return Costs{expectedCodes: m, expectedPayload: p}
}

// gather returns the time to copy an element of a size aside and to gather it back: a cache miss
// each, as far as processors and memory go.
func (f Facts) gather(size float64) float64 {
	return max((10+0.6*size)/float64(f.Processors), (64+3*size)/f.hostCopy())
}

// level is a curve of one height.
func level(each float64) (c curve) {
	for i := range c {
		c[i] = each
	}
	return c
}
