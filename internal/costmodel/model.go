// Package costmodel estimates the time of a sort on a device and on the CPU engine, and
// measures both. It knows the device by one interface, [Device], and no driver.
//
// Times are in ns. Every number is measured, by [Costs.Measure], with all workers of this
// machine. Until then it is estimated from facts about the machine, see [Expect]:
//
//	device = fixed + n × (each + min(gather(n), send))
//	CPU    = n × (each(n) + move(n))
//
// each covers everything from codes to the order or to sorted keys, transfers included, for
// each kind of sort. On the CPU it depends on n: small sorts fit the cache and large ones keep
// several workers busy. gather is the time to move an element after the device has found the
// order: a copy aside, and a gather back through the order. send is the time to send an
// element to the device and back instead: a copy aside, and copies to and from pinned memory.
// move is the time in which the CPU engine moves an element with its code. All except send
// depend on n; send is for lists that exceed all caches.
//
// These are the times of uniform codes. Where a sample says that codes are nearly in order, or few, both
// are multiplied by what such codes take beside uniform ones.
//
// Where such a sample says that codes are few and others may follow, each of these costs the device what an order of 64-bit codes
// does, and the CPU engine half of that: it took 0.8 to 2.1 of it for all ties of 1000 values (2 busy cores of a
// Xeon, 2026-12, 2^20 to 2^24 rows). bench/results/h200/hostrows.md has both, measured.
//
// Of sorts that were seen, the times of the last three decide instead, see [Seen].
//
// Not in the model: key functions and the first touch of a result, which cost both engines the
// same, and the effect of skewed inputs on one engine. Inputs that a sample finds in order
// always go to the CPU.
package costmodel

import (
	"fmt"
	"math/bits"
	"strings"

	"example.com/sorter/internal/engine"
)

// kind is the input and the result of a sort.
type kind int

const (
	order32 kind = iota // the order of codes
	order64
	keys32 // sorted codes
	keys64
	kinds
)

func kindOf(w engine.Work) kind {
	k := order32
	if w.Keys {
		k = keys32
	}
	if w.Bits > 32 {
		k++
	}
	return k
}

func (k kind) String() string { return [kinds]string{"order32", "order64", "keys32", "keys64"}[k] }

// sortTimes are the times of sorts without payload on the device and on the CPU engine.
type sortTimes struct {
	workers int // with which the host was measured
	device  [kinds]line
	cpu     [kinds]curve
}

// ratios are the times of some codes beside uniform ones, on the device without its fixed part.
type ratios struct{ device, cpu [kinds]float64 }

// line is the time of n elements on the device: fixed + n × each.
type line struct{ fixed, each float64 }

func (l line) at(n int) float64 { return l.fixed + float64(n)*l.each }

// through returns the line through time t of n elements and time u of m elements, n < m.
func through(n int, t float64, m int, u float64) line {
	each := max(0, (u-t)/float64(m-n))
	return line{max(0, t-each*float64(n)), each}
}

// curve is the CPU's time per element for 1<<12, 1<<14, … elements.
type curve [5]float64

const curveStart, curveStep = 12, 2 // as powers of two

// size returns the number of elements of the i-th point.
func (curve) size(i int) int { return 1 << (curveStart + i*curveStep) }

// at interpolates between the points and extrapolates the ends as constants.
func (c curve) at(n int) float64 {
	power := bits.Len(uint(n)) - 1
	place := float64(power-curveStart) + float64(n)/float64(int(1)<<power) - 1
	place = min(max(place/curveStep, 0), float64(len(c)-1))
	i := min(int(place), len(c)-2)
	return c[i] + (place-float64(i))*(c[i+1]-c[i])
}

// MinMovedBytes is the size of a list, in bytes, from which the device moves elements. 2026-11,
// H200: below, an order and a gather in the host's caches take as long.
const MinMovedBytes = 32 << 20

// payload is the costs of moving elements, by size.
type payload struct {
	move, gather bySize
	send         *ends // to the device and back; nil: not measured
}

// movesElements reports whether the device moves elements of that size faster than the host gathers
// them.
func (p *payload) movesElements(size uintptr, n int) bool {
	return p.send != nil && n*int(size) >= MinMovedBytes && p.send.at(size) < p.gather.at(size, n)
}

// follow returns the cost of moving an element to its place in an order found by the device.
func (p *payload) follow(size uintptr, n int) float64 {
	if p.movesElements(size, n) {
		return p.send.at(size)
	}
	return p.gather.at(size, n)
}

// bySize is ends by number of elements. The last points of its curves are of lists that exceed
// all caches.
type bySize struct{ small, large curve }

func (b bySize) at(size uintptr, n int) float64 { return ends{b.small.at(n), b.large.at(n)}.at(size) }

// ends is the time per element of smallPayload and of largePayload bytes; other sizes are
// interpolated linearly.
type ends struct{ small, large float64 }

const smallPayload, largePayload = 16, 64

func (e ends) at(size uintptr) float64 {
	slope := (e.large - e.small) / (largePayload - smallPayload)
	return max(0, e.small+slope*(float64(size)-smallPayload))
}

// estimate returns the time of w on the device, once it is open, and on the CPU, in ns.
func (c Costs) estimate(w engine.Work) (device, onCPU float64) {
	m, p := c.known()
	k, n := kindOf(w), float64(w.N)
	onCPU = n * m.cpu[k].at(w.N)
	device = m.device[k].each * n
	if r := c.samples[w.Sample]; r != nil {
		onCPU, device = r.cpu[k]*onCPU, r.device[k]*device
	}
	if w.Sample == engine.Few { // nearly all tie
		further := float64(w.Further)
		onCPU += further / 2 * n * m.cpu[order64].at(w.N)
		device += further * m.device[order64].at(w.N)
	}
	if w.Payload > 0 {
		onCPU += n * p.move.at(w.Payload, w.N)
		device += n * p.follow(w.Payload, w.N)
	}
	if w.Workers > 0 && w.Workers < m.workers {
		fewer := float64(m.workers) / float64(w.Workers)
		onCPU, device = fewer*onCPU, fewer*device
	}
	device += m.device[k].fixed
	c.seen.replace(w, &device, &onCPU)
	return device, onCPU
}

func (m *sortTimes) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d workers", m.workers)
	for k := range kinds {
		fmt.Fprintf(&b, "; %v: device %.0f µs + %.3f ns, cpu%v", k, m.device[k].fixed/1e3, m.device[k].each, m.cpu[k])
	}
	return b.String() + " ns"
}

func (r *ratios) String() string {
	var b strings.Builder
	for k := range kinds {
		fmt.Fprintf(&b, " %v %.2f, cpu %.2f", k, r.device[k], r.cpu[k])
	}
	return b.String()
}

func (c curve) String() string {
	var b strings.Builder
	for i, each := range c {
		fmt.Fprintf(&b, " 2^%d %.2f", curveStart+i*curveStep, each)
	}
	return b.String()
}

func (p *payload) String() string {
	text := fmt.Sprintf("%d B: move%v, gather%v; %d B: move%v, gather%v ns",
		smallPayload, p.move.small, p.gather.small, largePayload, p.move.large, p.gather.large)
	if p.send != nil {
		text += fmt.Sprintf("; send %d B %.2f, %d B %.2f ns", smallPayload, p.send.small, largePayload, p.send.large)
	}
	return text
}
