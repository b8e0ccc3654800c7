package costmodel

import (
	"math"

	"example.com/sorter/internal/engine"
)

// Rates are how fast bytes move in a machine with several devices, in bytes per ns. Zero is not
// measured.
type Rates struct {
	Workers  int       // of the host
	Host     float64   // all workers copy into pinned memory, or from there
	Up, Down []float64 // between pinned memory and the first i+1 devices at once
	Exchange float64   // each device receives from another, while all do
}

// Sharing decides how many devices share a sort of the host's memory. Until sorts like it were seen,
// [Rates], and the facts of the first device, say how long they take by some number of devices. Rates are
// the bounds of a machine, so the estimates are low: a number of devices that might be faster is tried,
// and its times decide from then on.
type Sharing struct {
	Rates
	First Facts // of the first device
	seen  map[shared]*[mostDevices]times
}

// mostDevices is the number of devices that share a sort at most.
const mostDevices = 16

// shared is sorts whose times per element are taken to be the same.
type shared struct {
	alike
	pinned bool // the devices read and write the program's memory
}

const (
	// joining is what a sort on several devices takes besides, in ns, until it is seen: its steps wait
	// for all of them. 2026-11, two H200: the exchange and the sort of 2^24 codes take 0.4 ms longer
	// than their bytes.
	joining = 400e3

	// worthMore is the gain from which on more devices sort than are needed, worthSharing that from
	// which on more than one do. 2026-11, two H100: at 2^26 32-bit keys sorts by one device and by
	// both take the same time within their spread of 10 %.
	worthMore, worthSharing = 1.03, 1.10
)

// Devices returns how many of the first most devices sort work soonest: the fewest of those that take
// about the least time. One device is preferred to others that are hardly faster: their times vary
// more, because each waits for all.
func (s *Sharing) Devices(w engine.Work, pinned bool, most int) (best int) {
	least := math.Inf(1)
	for g := range min(most, mostDevices) {
		least = min(least, s.time(w, pinned, g+1))
	}
	if s.time(w, pinned, 1) <= worthSharing*least {
		return 1
	}
	for best = 2; s.time(w, pinned, best) > worthMore*least; best++ {
	}
	return best
}

// time returns the time of work by g devices, in ns: as seen, or else as expected.
func (s *Sharing) time(w engine.Work, pinned bool, g int) float64 {
	t := s.expected(w, pinned, g)
	if seen := s.seen[shared{likeness(w), pinned}]; seen != nil {
		t = float64(w.N) * seen[g-1].each(t/float64(w.N))
	}
	return t
}

// expected returns the time of work by g devices from the rates: codes go up, each device sends
// those that others sort, sorts its own, and results come down.
func (s *Sharing) expected(w engine.Work, pinned bool, g int) float64 {
	f, n, k := s.First.or(usual), float64(w.N), kindOf(w)
	up, down := s.link(s.Up, f.Up, g), s.link(s.Down, f.Down, g)
	if !pinned {
		host := s.host(f, w.Workers)
		up, down = min(up, host), min(down, host)
	}
	t := n * (bytesUp[k]/up + bytesDown[k]/down + f.kernels(k)/float64(g))
	if g > 1 {
		exchange := s.Exchange
		if exchange == 0 {
			exchange = f.Up // as through the host
		}
		t += joining + n*bytesUp[k]*float64(g-1)/float64(g*g)/exchange
	}
	return t
}

// link returns the rate of g devices at once: as measured, or that of one each.
func (s *Sharing) link(measured []float64, one float64, g int) float64 {
	if g <= len(measured) && measured[g-1] > 0 {
		return measured[g-1]
	}
	return float64(g) * one
}

// host returns the rate of the host's copies by the given number of workers, 0 for all.
func (s *Sharing) host(f Facts, workers int) float64 {
	if s.Host == 0 {
		if workers > 0 {
			f.Processors = min(f.Processors, workers)
		}
		return f.hostCopy()
	}
	if workers > 0 && workers < s.Workers {
		return s.Host * float64(workers) / float64(s.Workers)
	}
	return s.Host
}

// Add records that work took a time, in ns, by the given number of devices.
func (s *Sharing) Add(w engine.Work, pinned bool, devices int, took float64) {
	record(entry(&s.seen, shared{likeness(w), pinned})[:], devices-1, took/float64(w.N))
}
