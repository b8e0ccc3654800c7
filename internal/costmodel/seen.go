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

// each returns the median of the last times, of two the lesser: neither the first touch of memory nor
// one pause of the machine decides.
func (t *times) each() (ns float64, ok bool) {
	if t.known == 0 {
		return 0, false
	}
	some := t.last
	slices.Sort(some[:t.known])
	return some[(t.known-1)/2], true
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
		if each, ok := s.sorts[likeness(w)][i].each(); ok {
			*estimate = each * float64(w.N)
		}
	}
}
