package top

import (
	"slices"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/pipeline/ranked"
)

// held are elements that may be among the first k. They stay in their slots until they are dropped; only codes
// and the numbers of slots move. Equal elements are in the sequence in which they were pushed.
type held struct {
	elements cpu.Payload // by slot
	codes    []uint64    // of the first word
	slots    []uint32
	free     []uint32 // slots of dropped elements
	used     int      // slots that were ever used: those from here on are free, too
	limit    uint64   // no further element with a larger code can be among the first k

	full bool   // a cut found the k-th element
	own  uint64 // its code
	last uint32 // its slot
	cut  int    // elements left by that cut; the others were added since
}

// clone returns a copy in memory of its own.
func (h *held) clone(of Elements) held {
	c := *h
	c.elements = of.Make(h.elements.Len())
	c.elements.Copy(h.elements)
	c.codes, c.slots, c.free = slices.Clone(h.codes), slices.Clone(h.slots), slices.Clone(h.free)
	return c
}

// add adds the elements found, which s has.
func (h *held) add(a *Accumulator, s cpu.Payload) {
	n := a.found
	slots := a.slots[:n]
	reused := copy(slots, h.free[max(0, len(h.free)-n):])
	h.free = h.free[:len(h.free)-reused]
	h.grow(a, h.used+n-reused)
	for i := reused; i < n; i++ {
		slots[i] = uint32(h.used)
		h.used++
	}
	a.of.Put(h.elements, slots, s, a.at[:n])
	h.codes, h.slots = append(h.codes, a.codes[:n]...), append(h.slots, slots...)
}

// grow makes memory for n slots. It grows up to k elements and a block, the most there are.
func (h *held) grow(a *Accumulator, n int) {
	have := h.elements.Len()
	if n <= have {
		return
	}
	factor := 4 // of large memory, the system has to clear pages
	if have > largeMemory {
		factor = 2
	}
	room := max(n, min(factor*have, a.k+a.every+mostFound))
	more := a.of.Make(room)
	more.First(have).Copy(h.elements)
	h.elements = more
	h.codes, h.slots = append(make([]uint64, 0, room), h.codes...), append(make([]uint32, 0, room), h.slots...)
}

// largeMemory is a number of elements from which memory grows slowly.
const largeMemory = 1 << 16

// cut drops all elements except the first k, of at least k, and finds the k-th.
func (a *Accumulator) cut(h *held) {
	if h.full && len(h.codes) == h.cut {
		return
	}
	own := kth(h.codes, a.k)
	below := 0
	for _, c := range h.codes {
		if c < own {
			below++
		}
	}
	var dropped []uint32
	if a.decisive {
		dropped = h.keepFirst(own, a.k-below)
	} else {
		dropped = a.keepTied(h, own, a.k-below)
	}
	if a.pointers {
		a.of.Drop(h.elements, dropped)
	}
	h.full, h.own, h.limit, h.cut = true, own, own, a.k
}

// keepFirst keeps the elements with codes below own and the first of those with that code, a number above 0. It
// returns the slots of the others.
func (h *held) keepFirst(own uint64, tied int) (dropped []uint32) {
	end := 0
	for ; tied > 0; end++ {
		if h.codes[end] == own {
			tied--
		}
	}
	h.last = h.slots[end-1]
	n := h.compact(0, 0, end, own)
	if own > 0 {
		n = h.compact(n, end, len(h.codes), own-1)
	} else {
		h.free = append(h.free, h.slots[end:]...)
	}
	return h.shorten(n)
}

// compact moves elements [lo, hi) with codes up to most to places from n on, and appends the slots of the others to
// h.free. It returns the place after the last one. No branch asks for a code: few are predicted.
func (h *held) compact(n, lo, hi int, most uint64) int {
	f := len(h.free)
	h.free = slices.Grow(h.free, hi-lo)[:f+hi-lo]
	for i := lo; i < hi; i++ {
		code, slot := h.codes[i], h.slots[i]
		h.codes[n], h.slots[n], h.free[f] = code, slot, slot
		up := 0
		if code <= most {
			up = 1
		}
		n += up
		f += 1 - up
	}
	h.free = h.free[:f]
	return n
}

// shorten drops the elements after the first n. The slots of those that are dropped are the last of h.free.
func (h *held) shorten(n int) (dropped []uint32) {
	dropped = h.free[len(h.free)-(len(h.codes)-n):]
	h.codes, h.slots = h.codes[:n], h.slots[:n]
	return dropped
}

// keepTied keeps the elements with codes below own and, of those with that code, the first of the order, a number
// above 0. It returns the slots of the others. Key functions are called before anything changes.
func (a *Accumulator) keepTied(h *held, own uint64, number int) (dropped []uint32) {
	var tied []uint32 // their slots
	for i, c := range h.codes {
		if c == own {
			tied = append(tied, h.slots[i])
		}
	}
	first := a.firstOf(h, tied, number)
	n := 0
	for i, c := range h.codes {
		switch slot := h.slots[i]; {
		case c < own:
			h.codes[n], h.slots[n] = c, slot
			n++
		case c > own:
			h.free = append(h.free, slot)
		}
	}
	taken := make([]bool, len(tied))
	for i, x := range first {
		taken[x], h.codes[n+i], h.slots[n+i] = true, own, tied[x]
	}
	for i, slot := range tied {
		if !taken[i] {
			h.free = append(h.free, slot)
		}
	}
	h.last = tied[first[number-1]]
	return h.shorten(n + number)
}

// firstOf returns the numbers of the first elements of the order, of those in some slots.
func (a *Accumulator) firstOf(h *held, slots []uint32, number int) []uint32 {
	some := a.of.Make(len(slots))
	some.Gather(h.elements, slots)
	o := a.options
	first, err := ranked.FirstByColumns(a.by, some, number, &o)
	if err != nil {
		panic(err) // without a limit, a context or a device there is none for fewer than 2^32 elements
	}
	return first
}
