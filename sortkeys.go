package sorter

import (
	"math"
	"slices"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// sortKeys sorts keys that are the elements themselves.
func sortKeys[K Key](keys []K, cfg config) error {
	k := kindOf[K]()
	o := order{desc: cfg.descending, nansLast: cfg.nansLast}
	floats := k == kindFloat32 || k == kindFloat64 || k == kindFloats2
	onCPU := cfg.backend == nil || cfg.backend == CPU()
	if k.wide() || k == kindFloats2 || cfg.algorithm != Auto || !onCPU || floats && cfg.stable {
		return sortRows([]Column[K]{self[K]()}, keys, cfg)
	}
	r, err := begin(cfg, len(keys))
	defer r.end()
	if err != nil {
		return err
	}
	r.used.Algorithm = BucketRadix.String()
	r.used.CodeBits = codeBits[k]
	if codeBits[k] <= 32 {
		return sortCodes(r, keys, coder32[K](o))
	}
	return sortCodes(r, keys, coder64[K](o))
}

// coder maps keys to codes and back without losing a bit.
type coder[K any, C code] struct {
	view   func(keys []K, buf []C) []C
	decode func(keys []K, codes []C)
}

func sortCodes[K Key, C code](r *run, keys []K, c coder[K, C]) error {
	all := cpu.Keys[C]{
		Len:     len(keys),
		View:    func(lo, hi int, buf []C) []C { return c.view(keys[lo:hi], buf) },
		Write:   func(lo int, codes []C) { c.decode(keys[lo:lo+len(codes)], codes) },
		Reverse: func() error { return cpu.Reverse(&r.Env, keys) },
	}
	var code C
	bytes := int64(len(keys))*int64(unsafe.Sizeof(code)) + cpu.Tables(len(keys), r.Loop.Workers)
	if r.ctx != nil {
		bytes += int64(len(keys)) * int64(unsafe.Sizeof(code))
	}
	if r.fits(bytes) {
		return all.Sort(&r.Env)
	}
	r.used.Algorithm = "InPlace"
	return r.Stage("in place", 1, 1, func(int, int, int) { c.sortInPlace(keys) })
}

// sortInPlace sorts without scratch memory.
func (c coder[K, C]) sortInPlace(keys []K) {
	slices.SortFunc(keys, func(a, b K) int {
		var x, y [1]C
		c1, c2 := c.view([]K{a}, x[:])[0], c.view([]K{b}, y[:])[0]
		switch {
		case c1 < c2:
			return -1
		case c1 > c2:
			return 1
		}
		return 0
	})
}

func coder32[K Key](o order) coder[K, uint32] {
	if kindOf[K]() == kindFloat32 {
		b := newFloatBijection[uint32](math.Float32bits(float32(math.Inf(1))), o)
		return coder[K, uint32]{
			func(keys []K, buf []uint32) []uint32 { return b.encode(buf, as[uint32](keys)) },
			func(keys []K, codes []uint32) { b.decode(as[uint32](keys), codes) },
		}
	}
	return intCoder[K, uint32](o)
}

func coder64[K Key](o order) coder[K, uint64] {
	if kindOf[K]() == kindFloat64 {
		b := newFloatBijection[uint64](math.Float64bits(math.Inf(1)), o)
		return coder[K, uint64]{
			func(keys []K, buf []uint64) []uint64 { return b.encode(buf, as[uint64](keys)) },
			func(keys []K, codes []uint64) { b.decode(as[uint64](keys), codes) },
		}
	}
	return intCoder[K, uint64](o)
}

// intCoder codes integers and bools: the code differs from the key by a flip.
func intCoder[K Key, C code](o order) coder[K, C] {
	var k K
	view := func(keys []K, buf []C) []C {
		buf = buf[:len(keys)]
		encode(buf, keys, o)
		return buf
	}
	// The key whose bits are zero has the flip as its code.
	flip := view([]K{k}, make([]C, 1))[0]
	if flip == 0 && unsafe.Sizeof(k) == unsafe.Sizeof(flip) {
		view = func(keys []K, _ []C) []C { return as[C](keys) }
	}
	return coder[K, C]{view, func(keys []K, codes []C) {
		switch unsafe.Sizeof(k) {
		case 1:
			unflip(as[uint8](keys), codes, flip)
		case 2:
			unflip(as[uint16](keys), codes, flip)
		case 4:
			unflip(as[uint32](keys), codes, flip)
		case 8:
			unflip(as[uint64](keys), codes, flip)
		}
	}}
}

func unflip[T uint8 | uint16 | uint32 | uint64, C code](keys []T, codes []C, flip C) {
	keys = keys[:len(codes)]
	for i, c := range codes {
		keys[i] = T(c ^ flip)
	}
}

// floatBijection maps the bits of floats to codes of their own: −0 before +0,
// NaNs, negative ones included, in order of their bits before all numbers or
// behind them.
type floatBijection[C code] struct{ turn, flip C }

func newFloatBijection[C code](inf C, o order) floatBijection[C] {
	sign := ^(^C(0) >> 1)
	// As integers, negative NaNs come before −Inf and positive ones behind
	// +Inf. Turning the circle of codes by the number of either puts both on
	// one side.
	b := floatBijection[C]{turn: ^(inf | sign)}
	if o.desc {
		b.flip = ^C(0)
	} else if o.nansLast {
		b.turn = -b.turn
	}
	return b
}

func (b floatBijection[C]) encode(dst, src []C) []C {
	sign := ^(^C(0) >> 1)
	top := unsafe.Sizeof(sign)*8 - 1
	dst = dst[:len(src)]
	for i, x := range src {
		dst[i] = ((x ^ (-(x >> top) | sign)) + b.turn) ^ b.flip
	}
	return dst
}

func (b floatBijection[C]) decode(dst, codes []C) {
	sign := ^(^C(0) >> 1)
	top := unsafe.Sizeof(sign)*8 - 1
	dst = dst[:len(codes)]
	for i, c := range codes {
		t := (c ^ b.flip) - b.turn
		dst[i] = t ^ ((t>>top - 1) | sign)
	}
}

// sortPairs sorts keys and values through one index.
func sortPairs[K Key, V any](keys []K, values []V, cfg config) error {
	r, err := begin(cfg, len(keys))
	defer r.end()
	if err != nil || len(keys) < 2 {
		return err
	}
	lv := levels([]Column[K]{self[K]()}, cfg)
	var k K
	var v V
	r.used.Algorithm = IndexGather.String()
	if !r.fits(need(IndexGather, lv, r.n, r.Loop.Workers, unsafe.Sizeof(k)+unsafe.Sizeof(v))) {
		return sortPairsInPlace(r, keys, values, lv)
	}
	index := scratch.Take[uint32](&r.Arena, len(keys))
	if err := orderRows(r, sliceRows(keys), lv, index); err != nil {
		return err
	}
	sortedKeys, sortedValues := scratch.Take[K](&r.Arena, r.n), scratch.Take[V](&r.Arena, r.n)
	err = r.Stage("gather", r.n, gatherPiece, func(_, lo, hi int) {
		perm.Gather(sortedKeys[lo:hi], keys, index[lo:hi], 1)
		perm.Gather(sortedValues[lo:hi], values, index[lo:hi], 1)
	})
	if err != nil {
		return err
	}
	r.Loop.Ctx = nil
	return r.Stage("write", r.n, gatherPiece, func(_, lo, hi int) {
		copy(keys[lo:hi], sortedKeys[lo:hi])
		copy(values[lo:hi], sortedValues[lo:hi])
	})
}

func sortPairsInPlace[K Key, V any](r *run, keys []K, values []V, lv []level[K]) error {
	r.used.Algorithm = "InPlace"
	apply := max(perm.ApplyBytes[K](r.n), perm.ApplyBytes[V](r.n))
	if err := r.require(leastOrder(r, lv) + 4*int64(r.n) + apply); err != nil {
		return err
	}
	index := scratch.Take[uint32](&r.Arena, len(keys))
	if err := orderInPlace(r, sliceRows(keys), lv, index); err != nil {
		return err
	}
	r.Arena.Hold(apply)
	r.Loop.Ctx = nil
	return r.Stage("apply", 1, 1, func(int, int, int) {
		perm.Apply(keys, index, r.Loop.Workers)
		perm.Apply(values, index, r.Loop.Workers)
	})
}
