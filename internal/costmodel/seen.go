package costmodel

import (
	"math/bits"
	"slices"

	"example.com/sorter/internal/engine"
)

// Seen is the times of the sorts of a program itself. They come before all others: they include
// key functions, skewed keys, and whatever else the processors and the bus do.
type Seen struct{ sorts map[alike]*[engines]times }

// The engines that times are of.
const (
	onDevice = iota
	onHost
	engines
)

// alike is sorts whose times per element are taken to be the same: of one kind, with elements of
// one size, and as long within a factor of two.
type alike struct {
	kind    kind
	payload uintptr
	prefix  bool
	workers int
	length  int // bits of the number of elements
}

func likeness(w engine.Work) alike {
	return alike{kindOf(w), w.Payload, w.Prefix, w.Workers, bits.Len(uint(w.N))}
}

const (
	// mostAlike bounds the memory of Seen.
	mostAlike = 256

	// staleAfter is the number of sorts on one engine after which the other's times are forgotten, in
	// case they were those of a busy machine: it is then tried again if it is expected to be
	// faster.
	staleAfter = 32
)

// times are the last times per element, in ns, of sorts that are alike on one engine.
type times struct {
	last   [3]float64
	known  int // of last
	unused int // sorts on the other engine since
}

// add records a time.
func (t *times) add(each float64) {
	t.last[2], t.last[1], t.last[0] = t.last[1], t.last[0], each
	t.known, t.unused = min(t.known+1, len(t.last)), 0
}

// each returns the time per element that is to be expected: the median of the last three. Before there
// are three it is the least of them, and before there are two not more than the estimate: the first
// sort takes memory and touches its pages, and one pause of the machine must not decide.
func (t *times) each(estimate float64) float64 {
	some := t.last
	slices.Sort(some[:t.known])
	switch t.known {
	case 0:
		return estimate
	case 1:
		return min(some[0], estimate)
	}
	return some[(t.known-1)/2]
}

// Add records that work took a time, in ns, on the device or on the CPU engine.
func (s *Seen) Add(w engine.Work, device bool, took float64) {
	if w.N < LeastN || took <= 0 {
		return
	}
	key := likeness(w)
	if s.sorts == nil || len(s.sorts) >= mostAlike && s.sorts[key] == nil {
		s.sorts = map[alike]*[engines]times{}
	}
	if s.sorts[key] == nil {
		s.sorts[key] = new([engines]times)
	}
	used, other := onHost, onDevice
	if device {
		used, other = other, used
	}
	both := s.sorts[key]
	both[used].add(took / float64(w.N))
	if both[other].unused++; both[other].unused >= staleAfter {
		both[other] = times{}
	}
}

// replace replaces estimates of work by what sorts like it took.
func (s *Seen) replace(w engine.Work, device, onCPU *float64) {
	if s == nil || s.sorts[likeness(w)] == nil {
		return
	}
	for i, estimate := range [engines]*float64{onDevice: device, onHost: onCPU} {
		n := float64(w.N)
		*estimate = n * s.sorts[likeness(w)][i].each(*estimate/n)
	}
}
