package papers

import (
	"slices"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// digitBits is the width of a digit (2 cores with 2 MiB of second-level cache, 2026-11: 8 bits
// take a third longer for 10^7 pairs; bench/results/constants.md).
const digitBits = 11

// digitValues is the number of values of a digit.
const digitValues = 1 << digitBits

// digit is a range of bits of a code minus the lowest code.
type digit[C engine.Code] struct {
	lowest C
	shift  int
}

func (d digit[C]) of(code C) uint16 { return uint16((code-d.lowest)>>d.shift) % digitValues }

// pass moves pairs to the places of their digits, stably. The input is cut into stripes. Each
// stripe has counters of its own and is handled by one worker.
type pass[C engine.Code] struct {
	digit[C]
	next  []stream.Slots    // by stripe: the counts of its digits, then its next write positions
	start []stream.Slots    // by stripe: its first write positions
	moved []stream.Combiner // by stripe, made at first use
}

func newPass[C engine.Code](env *engine.Env, n int) *pass[C] {
	stripes := passStripes(n, env.Loop.Workers)
	return &pass[C]{
		next:  scratch.In[stream.Slots](&env.Arena, sizeSlots(nil, stripes)),
		start: scratch.In[stream.Slots](&env.Arena, sizeSlots(nil, stripes)),
		moved: make([]stream.Combiner, stripes),
	}
}

// passStripes returns the number of stripes of n pairs.
func passStripes(n, workers int) int { return max(1, min(4*workers, n/leastStripe)) }

// sizePass sizes passes over n pairs of the given size.
func sizePass(a *scratch.Area, n, workers int, size uintptr) {
	stripes := passStripes(n, workers)
	sizeSlots(a, stripes) // next
	sizeSlots(a, stripes) // start
	a.Times(stripes, func() { a.Hold(stream.CombinersBytes(n, digitValues, size, 0)) })
}

// sizeSlots sizes the destinations of the digits of every stripe.
func sizeSlots(a *scratch.Area, stripes int) scratch.Memory {
	return a.Memory(stripes, unsafe.Sizeof(stream.Slots{}))
}

// sizeEnds sizes where the pairs of each digit end.
func sizeEnds(a *scratch.Area) scratch.Memory { return a.Memory(digitValues, 4) }

// leastStripe is the least number of pairs that justifies counters of its own.
const leastStripe = 1 << 14

// each runs a stage over all stripes: for each it calls stripe, then block for each of its
// blocks, then end.
func (s *pass[C]) each(env *engine.Env, stage string, pairs []pair[C], stripe func(i int) (block func([]pair[C]), end func())) error {
	n := len(s.next)
	err := env.Stage(stage, n, 1, func(_, i, _ int) {
		block, end := stripe(i)
		rest := pairs[len(pairs)/n*i:]
		if i < n-1 {
			rest = rest[:len(pairs)/n]
		}
		for len(rest) > 0 && env.Loop.Err() == nil {
			part := rest[:min(chunk, len(rest))]
			block(part)
			rest = rest[len(part):]
		}
		end()
	})
	return env.Stopped(err)
}

// count counts the values of a digit and writes the end of each in the order to ends.
// len(ends) == digitValues.
func (s *pass[C]) count(env *engine.Env, pairs []pair[C], d digit[C], ends []uint32) error {
	s.digit = d
	err := s.each(env, "histogram", pairs, func(stripe int) (func([]pair[C]), func()) {
		count := &s.next[stripe]
		clear(count[:digitValues])
		return func(block []pair[C]) { d.count(count, block) }, func() {}
	})
	at := uint32(0)
	for value := range ends {
		for i := range s.next {
			next := &s.next[i][value]
			at, *next = at+*next, at
		}
		ends[value] = at
	}
	return err
}

func (d digit[C]) count(count *stream.Slots, block []pair[C]) {
	for _, p := range block {
		count[d.of(p.code)]++
	}
}

// move moves pairs, whose digits were counted, to dst.
func (s *pass[C]) move(env *engine.Env, dst, pairs []pair[C]) error {
	to := stream.PlainOf(dst)
	combine := stream.Combines(to.Bytes(), to)
	return s.each(env, "scatter", pairs, func(stripe int) (func([]pair[C]), func()) {
		next, start, moved := &s.next[stripe], &s.start[stripe], &s.moved[stripe]
		if !combine {
			return func(block []pair[C]) { s.digit.move(next, dst, block) }, func() {}
		}
		if moved.Buf.Data() == nil {
			log, _ := stream.CombineLog(to.Size())
			*moved = stream.NewCombiner(&env.Arena, to, start, digitValues, log)
		}
		*start = *next
		moved.To(to)
		return func(block []pair[C]) { s.digit.combine(next, moved, block) },
			func() { moved.Finish(next, digitValues) }
	})
}

func (d digit[C]) move(next *stream.Slots, dst, block []pair[C]) {
	for _, p := range block {
		k := d.of(p.code)
		at := next[k]
		next[k] = at + 1
		dst[at] = p
	}
}

func (d digit[C]) combine(next *stream.Slots, moved *stream.Combiner, block []pair[C]) {
	buf, log, mask := stream.SliceOf[pair[C]](moved.Buf), moved.Log, uint32(1)<<moved.Log-1
	for _, p := range block {
		k := uint32(d.of(p.code))
		at := next[k]
		next[k] = at + 1
		buf[k<<log+at&mask] = p
		if at&mask == mask {
			moved.Flush(k, at+1)
		}
	}
}

// codeRange returns the lowest and the highest code of pairs; len(pairs) > 0.
func codeRange[C engine.Code](env *engine.Env, pairs []pair[C]) (lowest, highest C, err error) {
	lows, highs := make([]C, max(1, env.Loop.Workers)), make([]C, max(1, env.Loop.Workers))
	for i := range lows {
		lows[i], highs[i] = pairs[0].code, pairs[0].code
	}
	err = env.Stage("range", len(pairs), chunk, func(worker, lo, hi int) {
		low, high := lows[worker], highs[worker]
		for _, p := range pairs[lo:hi] {
			low, high = min(low, p.code), max(high, p.code)
		}
		lows[worker], highs[worker] = low, high
	})
	return slices.Min(lows), slices.Max(highs), err
}
