package cpu

import (
	"sort"
	"unsafe"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// Keys is a slice of keys that are nothing but their codes.
type Keys[C Code] struct {
	Len     int
	View    func(lo, hi int, buf []C) []C // codes of keys [lo, hi), in place or made in buf
	Write   func(lo int, codes []C)       // keys lo, lo+1, … become those of codes
	Reverse func() error                  // turns the slice around
}

// codesBytes is what a bucket of codes and its spare may occupy: half of a
// first-level cache twice over, since both passes stream one of them.
const codesBytes = 64 << 10

// Sort sorts keys that are nothing but their codes, so that no index and no
// payload is needed. It takes 1 code of scratch per key. Until sorted buckets
// are written back the keys are untouched; from then on the context is not
// asked again.
func (k Keys[C]) Sort(env *engine.Env) error {
	if k.Len == 0 {
		return nil
	}
	v, err := surveyAll(env, "survey", k.Len, k.View)
	if err != nil {
		return err
	}
	switch {
	case v.sorted():
		found(env, v)
		return nil
	case v.reversed(k.Len):
		env.Trace.Found("reversed")
		env.Loop.Ctx = nil
		return k.Reverse()
	}
	if values := uint64(v.max - v.min); values < 1<<maxCellBits && values <= uint64(k.Len) && k.Len > 2*orderTarget {
		return k.count(env, v)
	}
	room := dstOf[C](env, k.Len)
	if promising(k.Len, k.View, v) {
		if done, err := k.sortNear(env, v, room); done || err != nil {
			return err
		}
	}
	if env.Loop.Ctx == nil {
		return sortCodes(env, k.Len, k.View, v, room, k.Write)
	}
	sorted := scratch.Take[C](&env.Arena, k.Len)
	err = sortCodes(env, k.Len, k.View, v, room, func(lo int, codes []C) { copy(sorted[lo:], codes) })
	if err != nil {
		return err
	}
	env.Loop.Ctx = nil
	return env.Stage("write", k.Len, chunk, func(_, lo, hi int) { k.Write(lo, sorted[lo:hi]) })
}

// count sorts keys of a narrow range by counting each value: nothing moves.
func (k Keys[C]) count(env *engine.Env, v survey[C]) error {
	b := &buckets[C]{stripes: stripesFor(k.Len, env.Loop.Workers)}
	b.min, b.count = v.min, int(v.max-v.min)+1
	counts, err := b.histograms(env, k.Len, k.View)
	if err != nil {
		return err
	}
	env.Trace.Algorithm = "Counting"
	end := scratch.Take[uint32](&env.Arena, b.count) // where each value's run ends
	at := uint32(0)
	for value := range end {
		for _, c := range counts {
			at += c[value]
		}
		end[value] = at
	}
	env.Loop.Ctx = nil
	buffers := newBuffers[C](env)
	return env.Stage("write", k.Len, chunk, func(worker, lo, hi int) {
		value := sort.Search(len(end), func(i int) bool { return int(end[i]) > lo })
		for at := lo; at < hi; at += engine.Block {
			block := buffers.of(worker)[:min(engine.Block, hi-at)]
			for i := range block {
				for int(end[value]) <= at+i {
					value++
				}
				block[i] = v.min + C(value)
			}
			k.Write(at, block)
		}
	})
}

// sortCodes sorts n codes, surveyed as v, through moved, which has room for
// them, and passes them on in ranges.
func sortCodes[C Code](env *engine.Env, n int, codes view[C], v survey[C], moved []C, write func(lo int, codes []C)) error {
	var c C
	target := codesBytes / 2 / int(unsafe.Sizeof(c))
	if n <= 2*target {
		return sortCodesLocally(env, n, codes, v, moved, write)
	}
	b, err := plan(env, n, codes, v, target)
	if err != nil {
		return err
	}
	if err := partitionCodes(env, b, n, codes, moved); err != nil {
		return err
	}
	return b.finishCodes(env, moved, write)
}

// sortCodesLocally sorts codes that fit the cache on the calling goroutine.
func sortCodesLocally[C Code](env *engine.Env, n int, codes view[C], v survey[C], spare []C, write func(lo int, codes []C)) error {
	return env.Stage("buckets", 1, 1, func(int, int, int) {
		w := local[C]{env: env}
		own := scratch.Take[C](&env.Arena, n)
		for lo := 0; lo < n; lo += engine.Block {
			hi := min(lo+engine.Block, n)
			copy(own[lo:], codes(lo, hi, spare))
		}
		write(0, w.sortCodes(own, spare, v.min, v.width()))
	})
}

// finishCodes sorts every bucket and passes it on.
func (b *buckets[C]) finishCodes(env *engine.Env, codes []C, write func(lo int, codes []C)) error {
	work := locals[C](env)
	spares := make([][]C, len(work))
	large := make([]bool, b.len())
	err := env.Stage("buckets", b.len(), 1, func(worker, i, _ int) {
		lo, hi := b.bounds(i)
		lowest, width := b.codes(i)
		switch {
		case width == 0 || hi-lo == 1:
			write(lo, codes[lo:hi])
		case hi-lo > maxLocal:
			large[i] = true
		case hi > lo:
			if len(spares[worker]) < hi-lo {
				spares[worker] = scratch.Take[C](&env.Arena, min(2*(hi-lo), maxLocal))
			}
			write(lo, work[worker].sortCodes(codes[lo:hi], spares[worker][:hi-lo], lowest, width))
		}
	})
	for i := range large {
		if err = stopped(env, err); err != nil {
			return err
		}
		if !large[i] {
			continue
		}
		lo, hi := b.bounds(i)
		view := in(codes[lo:hi])
		v, err := surveyAll(env, "survey", hi-lo, view)
		if err != nil {
			return err
		}
		if v.sorted() {
			write(lo, codes[lo:hi])
			continue
		}
		err = sortCodes(env, hi-lo, view, v, dstOf[C](env, hi-lo), func(at int, codes []C) { write(lo+at, codes) })
		if err != nil {
			return err
		}
	}
	return stopped(env, err)
}
