package sorter

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// plain reports whether keys of a kind are sorted through codes that lose
// nothing, where keys that tie need not keep their order or cannot be told apart.
func (k kind) plain(stable bool) bool {
	floats := k == kindFloat32 || k == kindFloat64
	return !k.wide() && k != kindFloats2 && !(floats && stable)
}

// sortKeys sorts keys that are the elements themselves.
func sortKeys[K Key](keys []K, cfg config) error {
	switch k := kindOf[K](); {
	case k == kindString && cfg.backend == nil && cfg.algorithm == Auto:
		return sortStrings(keys, cfg)
	case !k.plain(cfg.stable) || cfg.algorithm == BucketRadix || cfg.algorithm == IndexGather:
		return sortRows([]column{self[K]()}, cpu.PayloadOf(keys), cfg)
	case codeBits[k] <= 32:
		return sortCodes[uint32](keys, cfg)
	}
	return sortCodes[uint64](keys, cfg)
}

// sortStrings sorts strings, which unlike the keys of other elements may be read
// as often as it pays: whether they are in order, or nearly, is found out first, by
// comparing neighbours, and costs less than to make codes and to follow those that tie.
// Others give that away at once.
func sortStrings[K Key](keys []K, cfg config) error {
	r, err := begin(cfg, len(keys), unsafe.Sizeof(*new(K)))
	defer r.end()
	if err != nil || len(keys) == 0 {
		return err
	}
	texts, payload := as[string](keys), cpu.PayloadOf(keys)
	if r.fits(cpu.LayoutBytes(r.n, r.Loop.Workers, payload.Size())) {
		l, err := cpu.Detect(&r.Env, r.n, stepsOf(&r.Loop, texts, cfg.descending), func(i, j uint32) int {
			if cfg.descending {
				i, j = j, i
			}
			return compareTexts(&r.Loop, texts[i], texts[j])
		})
		if l != nil || err != nil {
			r.used.Algorithm, r.used.CodeBits = BucketRadix.String(), 64
			if err == nil {
				err = cpu.Settle(&r.Env, payload, l, func(i, j uint32) bool {
					return len(texts[i]) == len(texts[j]) && compareTexts(&r.Loop, texts[i], texts[j]) == 0
				})
			}
			return err
		}
	}
	return sortLevels(r, payload, levels([]column{self[K]()}, cfg))
}

// stepsOf counts how strings follow on each other: by their prefixes, and where these tie
// by one comparison. Strings in the same memory are not read.
func stepsOf(loop *parallel.Loop, keys []string, desc bool) func(lo, hi int) cpu.Steps {
	return func(lo, hi int) (seen cpu.Steps) {
		var room [piece]uint64
		lo = max(lo, 1)
		for last := keys[lo-1]; lo < hi; {
			same := sameMemory(keys[lo:hi], last)
			seen.Ties += same
			lo += same
			part := keys[lo:min(lo+len(room), hi)]
			codes, code := room[:len(part)], prefix(last)
			writePrefixes(codes, part, 0, math.MaxInt)
			for i, s := range part {
				order := cmp.Compare(codes[i], code)
				if order == 0 {
					order = compareTexts(loop, s, last)
				}
				switch {
				case order > 0:
					seen.Rises++
				case order < 0:
					seen.Falls++
				default:
					seen.Ties++
				}
				last, code = s, codes[i]
			}
			lo += len(part)
		}
		if desc {
			seen.Rises, seen.Falls = seen.Falls, seen.Rises
		}
		return seen
	}
}

// sortCodes sorts keys through codes that lose nothing.
func sortCodes[C code, K Key](keys []K, cfg config) error {
	r, err := begin(cfg, len(keys), unsafe.Sizeof(*new(K)))
	defer r.end()
	if err != nil || len(keys) == 0 {
		return err
	}
	r.used.Algorithm, r.used.CodeBits = BucketRadix.String(), codeBits[kindOf[K]()]
	all := codesOf[C](r, keys)
	var c C
	r.needed = cpu.KeysBytes(r.n, r.Loop.Workers, unsafe.Sizeof(c))
	fits := r.fits(r.needed)
	switch b := r.device(engine.Work{Bits: r.used.CodeBits, Keys: true}); {
	case b != nil && r.insists():
		r.needed = scratch.Size(r.n, unsafe.Sizeof(c)) // kept
		if err := r.require(r.needed); err != nil {
			return err
		}
		return sortCodesOn(r, b, all)
	case b != nil && r.algorithm.OrdersCodes(): // the CPU does, or finishes, by that algorithm
		return sortLevels(r, cpu.PayloadOf(keys), levels([]column{self[K]()}, cfg))
	case b != nil && fits && !looksOrdered(r.n, all.View):
		return sortCodesOn(r, b, all)
	case fits:
		return all.Sort(&r.Env)
	}
	r.used.Algorithm = "InPlace"
	return r.Stage("in place", 1, 1, func(int, int, int) { sortKeysInPlace[C](keys, r.order()) })
}

// codesOf returns keys as codes that lose nothing.
func codesOf[C code, K Key](r *run, keys []K) cpu.Keys[C] {
	o := r.order()
	k := cpu.Keys[C]{
		Len:    len(keys),
		View:   viewKeys[C](keys, o),
		Write:  func(lo int, codes []C) { decodeKeys(keys[lo:lo+len(codes)], codes, o) },
		Follow: func(l *cpu.Layout) error { return cpu.Follow(&r.Env, cpu.PayloadOf(keys), l) },
		Plain:  func(least, most C) ([]C, C) { return plainKeys(keys, least, most, o) },
	}
	switch kind := kindOf[K](); {
	case kind == kindFloat32:
		f := floats.Exact[uint32](o.desc, o.nansLast)
		k.Bits, k.Code = as[C](keys), func(bits C) C { return C(f.Of(uint32(bits))) }
	case kind == kindFloat64:
		f := floats.Exact[uint64](o.desc, o.nansLast)
		k.Bits, k.Code = as[C](keys), func(bits C) C { return C(f.Of(uint64(bits))) }
	case unsafe.Sizeof(*new(K)) == unsafe.Sizeof(*new(C)):
		flip := flipOf[C, K](o)
		k.Bits, k.Code = as[C](keys), func(bits C) C { return bits ^ flip }
		k.Words, k.Flip = k.Bits, flip
	}
	if k.At = func(i uint32) C { return k.Code(k.Bits[i]) }; k.Bits == nil {
		k.At = func(i uint32) C {
			var c [1]C
			encode(c[:], keys[i:i+1], o)
			return c[0]
		}
	}
	return k
}

// sortCodesOn sorts keys on a backend, which hands their codes back in order. If
// it fails and the caller did not insist on it, the CPU sorts. The codes that it
// is given are kept: should it fail while keys are written, they are made again.
func sortCodesOn[C code](r *run, b Backend, all cpu.Keys[C]) error {
	kept := scratch.Take[C](&r.Arena, r.n)
	var written atomic.Bool
	job := &engine.Job{N: r.n, Bits: r.used.CodeBits, Algorithm: r.algorithm, Env: &r.Env, Room: r.room}
	exchange(job, func(dst []C, lo int) {
		copy(dst, all.View(lo, lo+len(dst), dst)) // in dst, or the keys themselves
		stream.CopyPast(kept, lo, dst)
	}, func(lo int, codes []C) {
		written.Store(true)
		all.Write(lo, codes)
	})
	job.Emit = func(lo int, order []uint32) { // for an engine that knows positions only
		written.Store(true)
		sorted := make([]C, min(len(order), engine.Block))
		for len(order) > 0 {
			n := min(len(order), len(sorted))
			perm.Gather(sorted[:n], kept, order[:n], 1)
			all.Write(lo, sorted[:n])
			order, lo = order[n:], lo+n
		}
	}
	done, err := r.orderedBy(b, job)
	if done {
		return nil
	}
	if written.Load() {
		r.restore(func(lo, hi int) { all.Write(lo, kept[lo:hi]) })
	}
	if err != nil {
		return err
	}
	scratch.Give(&r.Arena, kept, r.Loop.Workers)
	return all.Sort(&r.Env)
}

// restore makes ranges of the input what they were. It is not cancelled.
func (r *run) restore(undo func(lo, hi int)) {
	r.Commit()
	_ = r.Stage("restore", r.n, r.piece(r.n), func(_, lo, hi int) { undo(lo, hi) }) // only a context ends it early
	r.Revoke()
}

// exchange makes pull the source and emit, unless it is nil, the sink of a job's
// codes.
func exchange[C code](job *engine.Job, pull func(dst []C, lo int), emit func(lo int, codes []C)) {
	switch pull := any(pull).(type) {
	case func([]uint32, int):
		job.Codes32, job.EmitCodes32 = pull, any(emit).(func(int, []uint32))
	case func([]uint64, int):
		job.Codes64, job.EmitCodes64 = pull, any(emit).(func(int, []uint64))
	}
}

// viewKeys returns the codes of keys: the keys themselves where they are
// codes already.
func viewKeys[C code, K Key](keys []K, o order) func(lo, hi int, buf []C) []C {
	if k := kindOf[K](); !o.desc && (k == kindUint32 || k == kindUint64) {
		return func(lo, hi int, _ []C) []C { return as[C](keys[lo:hi]) }
	}
	return func(lo, hi int, buf []C) []C {
		encodeKeys(buf[:hi-lo], keys[lo:hi], o)
		return buf[:hi-lo]
	}
}

// plainKeys returns keys as their codes if these, from least to most, are the keys'
// bits plus one number, which it returns, too: those of numbers that are not
// negative, in ascending order.
func plainKeys[C code, K Key](keys []K, least, most C, o order) ([]C, C) {
	var zero [1]K
	var plus [1]C
	if unsafe.Sizeof(zero) != unsafe.Sizeof(plus) || o.desc {
		return nil, 0
	}
	encodeKeys(plus[:], zero[:], o)
	last := ^C(0)
	switch kindOf[K]() {
	case kindFloat32:
		last = C(math.Float32bits(float32(math.Inf(1))))
	case kindFloat64:
		last = C(math.Float64bits(math.Inf(1)))
	}
	if least < plus[0] || most-plus[0] > last { // most is not below least, nor then below plus
		return nil, 0
	}
	return as[C](keys), plus[0]
}

// sortKeysInPlace sorts keys with no other memory: by codes of their own size,
// which take their place meanwhile.
func sortKeysInPlace[C code, K Key](keys []K, o order) {
	var k K
	var c C
	switch unsafe.Sizeof(k) {
	case unsafe.Sizeof(c):
		codes := as[C](keys)
		encodeKeys(codes, keys, o)
		slices.Sort(codes)
		decodeKeys(keys, codes, o)
	case 1:
		sortFlipped(as[uint8](keys), uint8(flipOf[C, K](o)))
	case 2:
		sortFlipped(as[uint16](keys), uint16(flipOf[C, K](o)))
	}
}

func sortFlipped[T uint8 | uint16](keys []T, flip T) {
	unflip(keys, keys, flip)
	slices.Sort(keys)
	unflip(keys, keys, flip)
}

// encodeKeys writes codes from which decodeKeys gets the keys back bit by bit.
func encodeKeys[C code, K Key](dst []C, keys []K, o order) {
	switch kindOf[K]() {
	case kindFloat32:
		f := floats.Exact[uint32](o.desc, o.nansLast)
		f.Encode(as[uint32](dst), as[uint32](keys))
	case kindFloat64:
		f := floats.Exact[uint64](o.desc, o.nansLast)
		f.Encode(as[uint64](dst), as[uint64](keys))
	default:
		encode(dst, keys, o)
	}
}

// decodeKeys undoes encodeKeys. len(keys) == len(codes).
func decodeKeys[C code, K Key](keys []K, codes []C, o order) {
	switch kindOf[K]() {
	case kindFloat32:
		f := floats.Exact[uint32](o.desc, o.nansLast)
		f.Decode(as[uint32](keys), as[uint32](codes))
		return
	case kindFloat64:
		f := floats.Exact[uint64](o.desc, o.nansLast)
		f.Decode(as[uint64](keys), as[uint64](codes))
		return
	}
	flip := flipOf[C, K](o)
	switch unsafe.Sizeof(*new(K)) {
	case unsafe.Sizeof(flip):
		flipAll(as[C](keys), codes, flip)
	case 1:
		unflip(as[uint8](keys), codes, flip)
	case 2:
		unflip(as[uint16](keys), codes, flip)
	}
}

// flipOf returns what integers and bools differ by from their codes: the code of 0.
func flipOf[C code, K Key](o order) C {
	var zero [1]K
	var flip [1]C
	encode(flip[:], zero[:], o)
	return flip[0]
}

func unflip[T uint8 | uint16, C code | uint8 | uint16](keys []T, codes []C, flip C) {
	keys = keys[:len(codes)]
	for i, c := range codes {
		keys[i] = T(c ^ flip)
	}
}
