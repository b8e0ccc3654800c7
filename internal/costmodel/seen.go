package costmodel

import (
	"math/bits"
	"slices"

	"example.com/sorter/internal/engine"
)

// Seen is the times of the sorts of a program itself. They come before all others: they include
// key functions, skewed keys, and whatever else the processors and the bus do.
type Seen struct{ sorts map[alike]*past }

// past is the last sorts that are alike.
type past struct {
	times [engines]times
	last  int // the engine that sorted last
}

// The engines that times are of.
const (
	onDevice = iota
	onHost
	engines
	neither // no sort was seen
)

// alike is sorts whose times per element are taken to be the same: of one kind, with elements of
// one size and codes of one sample, and as long within a factor of two.
type alike struct {
	kind    kind
	payload uintptr
	sample  engine.Sample
	further int
	workers int
	length  int // bits of the number of elements
}

func likeness(w engine.Work) alike {
	return alike{kindOf(w), w.Payload, w.Sample, w.Further, w.Workers, bits.Len(uint(w.N))}
}

const (
	// mostAlike bounds the memory of Seen and of Sharing, in kinds of sorts.
	mostAlike = 256

	// staleAfter is the number of sorts in one way after which the times of another are forgotten, in
	// case they were those of a busy machine: it is then tried again if it is expected to be
	// faster. Each time it takes twice as many, up to staleAfter << mostForgotten: what was expected
	// wrongly stays so.
	staleAfter, mostForgotten = 32, 5
)

// times are the last times per element, in ns, of sorts that are alike, on one engine or on a
// number of devices.
type times struct {
	last   [3]float64
	known  int // of last
	unused int // sorts in another way since

	forgotten int // times that they were stale
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
	used := onHost
	if device {
		used = onDevice
	}
	p := entry(&s.sorts, likeness(w))
	p.last = used
	record(p.times[:], used, took/float64(w.N))
}

// last returns the engine that sorted the last of the sorts like w.
func (s *Seen) last(w engine.Work) int {
	if s == nil || s.sorts[likeness(w)] == nil {
		return neither
	}
	return s.sorts[likeness(w)].last
}

// entry returns the times of sorts that are alike, in a map that is made anew when it is full.
func entry[K comparable, T any](sorts *map[K]*T, key K) *T {
	if *sorts == nil || len(*sorts) >= mostAlike && (*sorts)[key] == nil {
		*sorts = map[K]*T{}
	}
	if (*sorts)[key] == nil {
		(*sorts)[key] = new(T)
	}
	return (*sorts)[key]
}

// record records a time per element of one way to sort, and forgets the stale times of the others.
func record(ways []times, used int, each float64) {
	for i := range ways {
		t := &ways[i]
		if i == used {
			t.add(each)
		} else if t.unused++; t.unused >= staleAfter<<t.forgotten {
			*t = times{forgotten: min(t.forgotten+1, mostForgotten)}
		}
	}
}

// replace replaces estimates of work by what sorts like it took.
func (s *Seen) replace(w engine.Work, device, onCPU *float64) {
	if s == nil || s.sorts[likeness(w)] == nil {
		return
	}
	for i, estimate := range [engines]*float64{onDevice: device, onHost: onCPU} {
		n := float64(w.N)
		*estimate = n * s.sorts[likeness(w)].times[i].each(*estimate/n)
	}
}
