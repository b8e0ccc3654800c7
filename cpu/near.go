package cpu

import (
	"sort"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Nearly sorted inputs are sorted by taking out the elements that are in the
// way, sorting those, and merging them with the rest, which stays in runs that
// move as a whole or not at all: the drop-merge sort of Kiełbasa (dmsort),
// with another rule for what is dropped, and merged by workers in parallel.
//
// The rule: two kept neighbours that are out of order are both dropped. Each
// such pair would have cost any other rule at least one of the two, so at most
// twice as many elements are dropped as need be, whatever the input; and it
// takes linear time, being a stack of runs.
const (
	// nearDescents is the part of the elements, 1/nearDescents, that may be
	// below their predecessors for an input to be looked at, and nearDropped
	// the part that may be dropped. At the limit this path is still twice as
	// fast as a partition; what is over it costs one pass over the codes.
	nearDescents = 32
	nearDropped  = 16
)

// nearBytes bounds the scratch memory, in bytes, of finding out how n nearly sorted
// codes of the given size are sorted: spans, whose lists grow, dropped elements, and
// the sort of those.
func nearBytes(n, workers int, code uintptr) int64 {
	if n <= leastNear {
		return 0
	}
	const span = unsafe.Sizeof(span{})
	parts, spans, dropped := stripesOf(n, workers, chunk).count, n/nearDescents+1, n/nearDropped
	bytes := 2*scratch.Shares(spans+parts, parts, spans, span) + 2*scratch.Size(spans, span) + scratch.Size(spans+1, 4)
	bytes += 3*scratch.Size(dropped, 4) + 2*scratch.Size(dropped, code)
	return bytes + orderingBytes(dropped, workers, alone(dropped, workers, 0), code, 4)
}

// leastNear is the length up to which inputs are not looked at.
const leastNear = 2 * leastTarget

// span is the kept elements [lo, hi).
type span struct{ lo, hi uint32 }

// keeper finds the kept elements of a part of the input.
type keeper[C Code] struct {
	env     *engine.Env
	codes   []C
	spans   []span // what is kept so far, in order
	dropped int
}

// add appends the elements [lo, hi), which are in order.
func (k *keeper[C]) add(lo, hi int) {
	for lo < hi && len(k.spans) > 0 {
		top := &k.spans[len(k.spans)-1]
		if k.codes[top.hi-1] <= k.codes[lo] {
			if int(top.hi) == lo {
				top.hi = uint32(hi)
				return
			}
			break
		}
		lo++
		k.dropped += 2
		if top.hi--; top.lo == top.hi {
			k.spans = k.spans[:len(k.spans)-1]
		}
	}
	if lo < hi {
		if len(k.spans) == cap(k.spans) {
			k.grow()
		}
		k.spans = append(k.spans, span{uint32(lo), uint32(hi)})
	}
}

// grow makes room for twice as many spans.
func (k *keeper[C]) grow() {
	larger := scratch.Take[span](&k.env.Arena, max(64, 2*cap(k.spans)))
	larger = larger[:copy(larger, k.spans)]
	k.give()
	k.spans = larger
}

// give gives the memory of the spans back.
func (k *keeper[C]) give() {
	scratch.Give(&k.env.Arena, k.spans[:cap(k.spans)], 1)
	k.spans = nil
}

// scan appends the elements [lo, hi), unless more than most are dropped.
func (k *keeper[C]) scan(lo, hi, most int) {
	for i := lo; i < hi && k.dropped <= most; {
		from := i
		for i++; i < hi && k.codes[i] >= k.codes[i-1]; i++ {
		}
		k.add(from, i)
	}
}

// near is a nearly sorted input and how to sort it.
type near[C Code] struct {
	codes  []C
	spans  []span   // the kept elements
	ranks  []uint32 // how many kept elements come before each span, and their number
	sorted []C      // codes of the dropped elements, in order
	at     []uint32 // their positions in the input
	places []uint32 // and in the result
}

// nearly returns how to sort codes that are nearly sorted, nil if they are not.
func nearly[C Code](env *engine.Env, codes []C, v survey[C]) (*near[C], error) {
	n := len(codes)
	if !promising(n, in(codes), v) {
		return nil, nil
	}
	all, err := keep(env, codes)
	if err != nil {
		return nil, err
	}
	if all.dropped > n/nearDropped {
		all.give()
		return nil, nil
	}
	first := env.Trace.Rounds == 0
	m := &near[C]{codes: codes, spans: all.spans}
	if err := m.drop(env, all.dropped); err != nil {
		return nil, err
	}
	if first { // what the dropped elements looked like is no news
		env.Trace.Shape = "nearly sorted"
	}
	m.places = scratch.Take[uint32](&env.Arena, len(m.at))
	err = env.Stage("merge", len(m.at), engine.Block, func(_, lo, hi int) { m.place(lo, hi) })
	return m, stopped(env, err)
}

// promising reports whether n codes may be nearly sorted: they have few
// descents, and so has a sample, unlike runs that do not fit each other.
func promising[C Code](n int, codes view[C], v survey[C]) bool {
	if n <= leastNear || v.descents == 0 || v.descents > n/nearDescents {
		return false
	}
	var sample, one [1024]C
	step := n / len(sample)
	for i := range sample {
		// Anywhere in its part of the input, which may be periodic.
		at := i*step + int(uint32(i)*0x9e3779b1>>8)%step
		sample[i] = codes(at, at+1, one[:])[0]
	}
	var room [len(sample)]span
	k := keeper[C]{codes: sample[:], spans: room[:0]}
	k.scan(0, len(sample), len(sample))
	return k.dropped <= len(sample)/4
}

// keep finds the kept elements of all codes. Workers do so for stripes, what
// they kept is joined as if it were the input.
func keep[C Code](env *engine.Env, codes []C) (keeper[C], error) {
	n := len(codes)
	cut := stripesOf(n, env.Loop.Workers, chunk)
	parts := make([]keeper[C], cut.count)
	err := env.Stage("detect", cut.count, 1, func(_, i, _ int) {
		k := &parts[i]
		k.env, k.codes = env, codes
		lo, hi := cut.stripe(i)
		for ; lo < hi && env.Loop.Err() == nil; lo += chunk {
			k.scan(lo, min(lo+chunk, hi), n/nearDropped)
		}
	})
	if err = stopped(env, err); err != nil {
		return keeper[C]{}, err
	}
	all := parts[0]
	for _, k := range parts[1:] {
		all.dropped += k.dropped
		for _, s := range k.spans {
			if all.dropped <= n/nearDropped {
				all.add(int(s.lo), int(s.hi))
			}
		}
		k.give()
	}
	return all, nil
}

// drop sorts the elements that are not kept, so many, by code and position.
func (m *near[C]) drop(env *engine.Env, dropped int) error {
	at, codes := scratch.Take[uint32](&env.Arena, dropped), scratch.Take[C](&env.Arena, dropped)
	m.at, m.sorted = scratch.Take[uint32](&env.Arena, dropped), scratch.Take[C](&env.Arena, dropped)
	m.ranks = scratch.Take[uint32](&env.Arena, len(m.spans)+1)
	kept, next, j := uint32(0), uint32(0), 0
	drop := func(end uint32) { // at most 1<<32 - 1
		for ; next < end; next++ {
			at[j], codes[j] = next, m.codes[next]
			j++
		}
	}
	for i, s := range m.spans {
		m.ranks[i] = kept
		drop(s.lo)
		kept, next = kept+s.hi-s.lo, s.hi
	}
	m.ranks[len(m.spans)] = kept
	drop(uint32(len(m.codes)))
	return orderCodes(env, codes, look(codes), false, func(_, lo int, order []uint32, _ []C) {
		for i, x := range order {
			m.at[lo+i], m.sorted[lo+i] = at[x], codes[x]
		}
	})
}

// before reports whether element i of the input, a kept one, comes before the
// dropped element j.
func (m *near[C]) before(i uint32, j int) bool {
	c := m.codes[i]
	return c < m.sorted[j] || c == m.sorted[j] && i < m.at[j]
}

// place finds the places of the dropped elements lo … hi-1, in order.
func (m *near[C]) place(lo, hi int) {
	k := sort.Search(len(m.spans), func(k int) bool { return !m.before(m.spans[k].hi-1, lo) })
	for j := lo; j < hi; j++ {
		for k < len(m.spans) && m.before(m.spans[k].hi-1, j) {
			k++
		}
		m.places[j] = m.ranks[k] + uint32(j)
		if k < len(m.spans) {
			s := m.spans[k]
			m.places[j] += uint32(sort.Search(int(s.hi-s.lo), func(i int) bool { return !m.before(s.lo+uint32(i), j) }))
		}
	}
}

// each calls f for the pieces of the result's places [lo, hi): n elements from
// dst on are those from src on in the input.
func (m *near[C]) each(lo, hi int, f func(dst, src, n int)) {
	j := sort.Search(len(m.places), func(j int) bool { return int(m.places[j]) >= lo })
	kept := lo - j
	k := sort.Search(len(m.spans), func(k int) bool { return int(m.ranks[k+1]) > kept })
	for lo < hi {
		if j < len(m.places) && int(m.places[j]) == lo {
			f(lo, int(m.at[j]), 1)
			j++
			lo++
			continue
		}
		s := m.spans[k]
		src := int(s.lo) + kept - int(m.ranks[k])
		n := min(int(s.hi)-src, hi-lo)
		if j < len(m.places) {
			n = min(n, int(m.places[j])-lo)
		}
		f(lo, src, n)
		lo, kept = lo+n, kept+n
		if kept == int(m.ranks[k+1]) {
			k++
		}
	}
}

// order writes the order of the places from lo on.
func (m *near[C]) order(order []uint32, lo int) {
	m.each(lo, lo+len(order), func(dst, src, n int) { forward(order[dst-lo:][:n], src) })
}

// moveNear sorts s, whose codes m is about. Only elements whose place changes
// move, through scratch; until they come back, s is untouched.
func moveNear[C Code](env *engine.Env, s Payload, m *near[C]) error {
	write, err := takeNear(env, s, m)
	if err != nil {
		return err
	}
	env.Loop.Ctx = nil
	return write()
}

// takeNear copies the elements of s whose place changes to scratch, and returns
// what writes them to their places.
func takeNear[C Code](env *engine.Env, s Payload, m *near[C]) (write func() error, err error) {
	moved := make([]int, (s.n+chunk-1)/chunk+1) // before each chunk of places
	walk := func(stage string, move func(at, dst, src, n int)) error {
		return env.Stage(stage, s.n, chunk, func(_, lo, hi int) {
			at := moved[lo/chunk]
			m.each(lo, hi, func(dst, src, n int) {
				if dst != src {
					move(at, dst, src, n)
					at += n
				}
			})
		})
	}
	sizes := make([]int, len(moved))
	if err := walk("merge", func(_, dst, _, n int) { sizes[dst/chunk] += n }); err != nil {
		return nil, err
	}
	for i, n := range sizes[:len(sizes)-1] {
		moved[i+1] = moved[i] + n
	}
	all, room := s.Raw(), s.Take(&env.Arena, moved[len(sizes)-1]).Raw()
	err = walk("gather", func(at, _, src, n int) { s.by.copy(room.At(at), all.At(src), n) })
	return func() error {
		return walk("write", func(at, dst, _, n int) { s.by.copy(all.At(dst), room.At(at), n) })
	}, err
}

// nearly returns how to sort keys that are nearly sorted, nil if they are not.
// Their codes are copied to room, if they may be.
func (k Keys[C]) nearly(env *engine.Env, v survey[C], room []C) (*near[C], error) {
	if !promising(k.Len, k.View, v) {
		return nil, nil
	}
	err := env.Stage("extract", k.Len, chunk, func(_, lo, hi int) {
		view[C](k.View).copy(room[lo:hi], lo)
	})
	if err = stopped(env, err); err != nil {
		return nil, err
	}
	return nearly(env, room, v)
}

// writeNear writes keys that are nearly sorted to their places.
func (k Keys[C]) writeNear(env *engine.Env, m *near[C]) error {
	buffers := newBuffers[C](env)
	return env.Stage("write", k.Len, chunk, func(worker, lo, hi int) {
		w := keyWriter[C]{write: k.Write, block: buffers.of(worker)}
		m.each(lo, hi, func(dst, src, n int) { w.put(dst, m.codes[src:src+n], dst != src) })
		w.flush()
	})
}

// keyWriter joins short pieces of codes before they are written as keys.
type keyWriter[C Code] struct {
	write func(lo int, codes []C)
	block []C
	lo    int // where the first n of block go
	n     int
}

// put writes codes to the places from lo on, unless they are many and there
// already.
func (w *keyWriter[C]) put(lo int, codes []C, moved bool) {
	const many = 64
	if !moved && len(codes) >= many {
		w.flush()
		return
	}
	for len(codes) > 0 {
		if w.n == 0 {
			w.lo = lo
		}
		n := copy(w.block[w.n:], codes)
		w.n += n
		codes, lo = codes[n:], lo+n
		if w.n == len(w.block) {
			w.flush()
		}
	}
}

func (w *keyWriter[C]) flush() {
	if w.n > 0 {
		w.write(w.lo, w.block[:w.n])
	}
	w.n = 0
}
