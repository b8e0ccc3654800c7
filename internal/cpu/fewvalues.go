package cpu

import (
	"cmp"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Keys of which most have one of a few values are counted instead of sorted. One pass counts
// the values and copies all other keys, the strays. A second pass writes a run of each value
// with the sorted strays between the runs. A sample comes first: four of five sampled keys
// must have one of the values. If there are too many strays, the first pass stops, with nothing written.
const (
	heavyValues = 4    // one vector register each
	heavySample = 64   // number of keys sampled
	heavyStrays = 4    // at most n/heavyStrays keys may be strays
	splitStrays = 4096 // or n/splitStrays and one, where splits take less time than strays (Xeon, 2026-11-30, 1 % of them: 1.4 instead of 2.7 ns)

	// heavyLeast is the least number of sampled keys that must have one of the values. With a
	// tenth of strays this path takes a third of the time of a partition.
	heavyLeast = 50
)

// heavy holds the values that most keys have.
type heavy[C Code] struct {
	values [heavyValues]C // bits of keys; the last ones may be the same
	used   int
	counts [heavyValues]int
}

// haveFewValues draws a sample, and reports whether most of it has one of few values, in no order.
func (t *keySort[C]) haveFewValues() bool {
	t.few, t.ordered = sampleHeavy(t.Bits, t.Code)
	return t.few.used > 0 && !t.ordered
}

// haveOneValue is haveFewValues of one value, in order: moves would take most keys by a few places.
func (t *keySort[C]) haveOneValue() bool { return t.few.used == 1 && t.ordered }

// countHeavy sorts keys of which most have one of few values. It returns false, with keys
// untouched, if there are too many strays. Keys stay untouched until the first is written.
func (t *keySort[C]) countHeavy() (done bool, err error) {
	k, env, h := &t.Keys, t.env, t.few
	strays, err := h.count(env, k.Bits)
	if err != nil || strays == nil {
		return false, err
	}
	for i, b := range strays {
		strays[i] = k.Code(b)
	}
	own := Keys[C]{
		Len: len(strays), View: in(strays), Words: strays,
		Write: func(lo int, codes []C) { copy(strays[lo:], codes) },
		Own:   PayloadOf(strays),
	}
	if err := env.Inner(func() error { return own.Sort(env) }); err != nil {
		return false, err
	}
	env.Found(engine.FewValues)
	env.Ran("Counting")
	env.Commit()
	return true, k.writeHeavy(env, h, strays)
}

// heavyBytes bounds the memory of countHeavy.
func heavyBytes(s sizes) int64 {
	if s.n < heavyStrays {
		return 0
	}
	var a scratch.Area
	sizeStrays(&a, s.n, s.code)
	sizeKeys(&a, s.n/heavyStrays, s.workers, s.code)
	return a.Bytes()
}

// sampleHeavy returns the values that most of a sample of the keys have, and whether the
// sample ascends or descends. h.used is 0 if there are no such values.
func sampleHeavy[C Code](bits []C, code func(bits C) C) (h heavy[C], ordered bool) {
	if len(bits) < 2*heavySample {
		return h, false
	}
	var values [heavySample]C // distinct values in the sample
	var counts [heavySample]int
	step, seen, last := len(bits)/heavySample, 0, C(0)
	up, down := true, true
	for i := range heavySample {
		// A pseudo-random position in each part, since the input may be periodic.
		b := bits[i*step+int(uint32(i)*0x9e3779b1>>8)%step]
		c := code(b)
		up, down, last = up && (i == 0 || last <= c), down && (i == 0 || last >= c), c
		at := slices.Index(values[:seen], b)
		if at < 0 {
			at, values[seen] = seen, b
			seen++
		}
		if counts[at]++; seen > heavyValues+heavySample-heavyLeast {
			return heavy[C]{}, false
		}
	}
	covered := 0
	for h.used < min(heavyValues, seen) {
		most := 0
		for i := range counts[:seen] {
			if counts[i] > counts[most] {
				most = i
			}
		}
		if counts[most] == 1 {
			break
		}
		h.values[h.used] = values[most]
		covered += counts[most]
		counts[most] = 0
		h.used++
	}
	for i := h.used; i < heavyValues && h.used > 0; i++ {
		h.values[i] = h.values[0]
	}
	if covered < heavyLeast {
		h.used = 0
	}
	return h, up || down
}

// count counts the values and returns the bits of the strays. It returns nil if there are too
// many strays, an empty slice if there are none.
func (h *heavy[C]) count(env *engine.Env, bits []C) (strays []C, err error) {
	type counted struct {
		counts [heavyValues]int
		strays int
	}
	n, chunk := len(bits), env.ChunkOf(len(bits))
	most := func(keys int) int { return keys / heavyStrays }
	if maySplit(env, n) {
		most = func(keys int) int { return keys/splitStrays + 1 }
	}
	parts, memory := make([]counted, (n+chunk-1)/chunk), lazily[C](env, sizeStrays(nil, n, unsafe.Sizeof(C(0))))
	var many atomic.Bool
	err = env.Stage("survey", n, chunk, func(_, lo, hi int) {
		p := &parts[lo/chunk]
		for at := lo; at < hi && !many.Load() && env.Loop.Err() == nil; at += engine.Block {
			block := bits[at:min(at+engine.Block, hi)]
			if others := h.countBlock(block, &p.counts); others > 0 {
				if p.strays += others; p.strays > most(hi-lo) {
					many.Store(true)
					return
				}
				h.others(memory()[lo+p.strays-others:], block)
			}
		}
	})
	if err = env.Stopped(err); err != nil {
		return nil, err
	}
	if many.Load() {
		scratch.Give(&env.Arena, memory(), env.Loop.Workers)
		return nil, nil
	}
	total := 0
	for i, p := range parts {
		if p.strays > 0 {
			copy(memory()[total:], memory()[i*chunk:i*chunk+p.strays])
		}
		total += p.strays
		for i, c := range p.counts[:h.used] {
			h.counts[i] += c
		}
	}
	if total == 0 {
		return []C{}, nil
	}
	return memory()[:total], nil
}

// sizeStrays sizes the strays of n keys. Each chunk writes its strays at its own
// positions.
func sizeStrays(a *scratch.Area, n int, code uintptr) scratch.Memory { return a.Aligned(n, code) }

// countBlock adds the counts of a block to counts and returns the number of its strays.
func (h *heavy[C]) countBlock(block []C, counts *[heavyValues]int) (others int) {
	var own [heavyValues]int
	loops.Count(block, &h.values, &own)
	others = len(block)
	for i, c := range own[:h.used] {
		counts[i] += c
		others -= c
	}
	return others
}

// others copies the strays of a block to out, which has a place for each key of the block: what is written after the strays is a value, at
// or before its own place. Values come in any order, so nothing branches on one.
func (h *heavy[C]) others(out, block []C) {
	a, b, c, d := h.values[0], h.values[1], h.values[2], h.values[3]
	n := 0
	for _, x := range block {
		out[n] = x // the next one overwrites a value
		if min(x^a, x^b, x^c, x^d) != 0 {
			n++
		}
	}
}

// heavyRun is n keys in order: of one value, or strays.
type heavyRun[C Code] struct {
	lo, n  int
	bits   C   // of the value
	strays []C // their codes, nil: it is of a value
}

// writeHeavy writes runs of the values and the strays between them. strays holds sorted codes.
func (k Keys[C]) writeHeavy(env *engine.Env, h heavy[C], strays []C) error {
	var runs []heavyRun[C]
	place := 0
	add := func(r heavyRun[C]) {
		r.lo = place
		place += r.n
		runs = append(runs, r)
	}
	order := []int{0, 1, 2, 3}[:h.used]
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(k.Code(h.values[i]), k.Code(h.values[j])) })
	for _, i := range order {
		n, _ := slices.BinarySearch(strays, k.Code(h.values[i])) // no stray is one of the values
		if n > 0 {
			add(heavyRun[C]{n: n, strays: strays[:n]})
		}
		strays = strays[n:]
		add(heavyRun[C]{n: h.counts[i], bits: h.values[i]})
	}
	if len(strays) > 0 {
		add(heavyRun[C]{n: len(strays), strays: strays})
	}
	return env.Stage("write", k.Len, env.ChunkOf(k.Len), func(_, lo, hi int) {
		for _, r := range runs {
			from, to := max(lo, r.lo), min(hi, r.lo+r.n)
			switch {
			case from >= to:
			case r.strays != nil:
				k.Write(from, r.strays[from-r.lo:to-r.lo])
			default:
				loops.Repeat(k.Bits[from:to], r.bits)
			}
		}
	})
}
