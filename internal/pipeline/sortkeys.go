package pipeline

import (
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// sortKeysIn sorts keys, at least one.
func sortKeysIn[K sortkey.Key](r *Request, keys []K) error {
	switch k := sortkey.KindOf[K](); {
	case r.N > r.Most:
		return sortLongKeys(r, keys)
	case !k.Decodable(r.Stable) || r.Algorithm == engine.BucketRadix || r.Algorithm == engine.IndexGather:
		return sortColumns(r, cpu.PayloadOf(keys), []extract.Column{keyColumn[K](r)})
	case sortkey.CodeBits[k] <= 32:
		return sortCodes[uint32](r, keys)
	}
	return sortCodes[uint64](r, keys)
}

// sortLongKeys sorts keys that are more than positions number.
func sortLongKeys[K sortkey.Key](r *Request, keys []K) error {
	s := cpu.PayloadOf(keys)
	err := r.Decide(Facts{Verb: toDecode, Words: keyWords(sortkey.KindOf[K](), r.Order()), Sizes: []uintptr{s.Size()}})
	switch {
	case err != nil:
		return err
	case r.Plan.Movement == counted:
		return keysToCount(keys, r.Order()).Sort(&r.Env)
	}
	return sortKeyChunks(r, keys)
}

// sortCodes sorts keys through codes that lose nothing.
func sortCodes[C sortkey.Code, K sortkey.Key](r *Request, keys []K) error {
	all, self, payload := codesOf[C](r, keys), extract.Self[K](), cpu.PayloadOf(keys)
	words := extract.Words([]extract.Column{self}, r.Order())
	err := r.Decide(Facts{Verb: toDecode, Words: words, Sizes: []uintptr{payload.Size()},
		Sampled: func() engine.Sample { return presorted.SampleOf(r.N, true, all.View) }})
	switch {
	case err != nil:
		return err
	case r.Plan.Movement == InPlace:
		return r.Stage("in place", 1, 1, func(int, int, int) { sortkey.SortInPlace[C](keys, r.Order()) })
	case r.Plan.Movement == throughIndex: // by an algorithm of the CPU that orders positions
		return gatherRows(r, payload, extract.Words([]extract.Column{keyColumn[K](r)}, r.Order()))
	case r.Plan.ownWay():
		return all.Sort(&r.Env)
	}
	return sortCodesOn(r, all, plainKeys(keys, r.Order()))
}

// keyColumn returns the column of keys for what orders positions. Floats of a sort that need not be stable are ordered by the codes that
// tell all of them apart, as where codes are sorted.
func keyColumn[K sortkey.Key](r *Request) extract.Column {
	o := r.Order()
	switch k := sortkey.KindOf[K](); {
	case r.Stable:
	case k == sortkey.Float32:
		return exactColumn[K](o, sortkey.ExactFloats[uint32](o))
	case k == sortkey.Float64:
		return exactColumn[K](o, sortkey.ExactFloats[uint64](o))
	}
	return extract.Self[K]()
}

// exactColumn returns the column of the codes of floats in an order, which has their direction: the order applies to the column as well.
func exactColumn[K any, B uint32 | uint64](o sortkey.Order, f *floats.Code[B]) extract.Column {
	var flip B
	if o.Desc {
		flip = ^flip
	}
	// Sound: a K is a float of as many bits as a B.
	code := func(k K) B { return f.Of(*(*B)(unsafe.Pointer(&k))) ^ flip }
	return extract.ColumnAs(sortkey.KindOf[B](), column.Func[K, B](code))
}

// plainKeys returns keys as they lie in memory, nil if they are not as wide as codes.
func plainKeys[K sortkey.Key](keys []K, o sortkey.Order) *engine.Plain {
	m, ok := sortkey.MappingOf(sortkey.KindOf[K](), o, true)
	if !ok {
		return nil
	}
	return &engine.Plain{At: unsafe.Pointer(unsafe.SliceData(keys)), Code: m}
}

// codesOf returns keys as codes from which they can be decoded.
func codesOf[C sortkey.Code, K sortkey.Key](r *Request, keys []K) cpu.Keys[C] {
	o := r.Order()
	k := cpu.Keys[C]{
		Len:   len(keys),
		View:  sortkey.View[C](keys, o),
		Write: func(lo int, codes []C) { sortkey.DecodeExact(keys[lo:lo+len(codes)], codes, o) },
		Own:   cpu.PayloadOf(keys),
		Plain: func(least, most C) ([]C, C) { return sortkey.Plain(keys, least, most, o) },
	}
	if sortkey.CodeBits[sortkey.KindOf[K]()] <= cpu.NarrowBits {
		k.Narrow = keysToCount(keys, o)
	}
	bits := sortkey.As[C](keys[:0]) // of keys as wide as codes
	if unsafe.Sizeof(*new(K)) == unsafe.Sizeof(*new(C)) {
		bits = sortkey.As[C](keys)
		k.Bits = bits
	}
	switch kind := sortkey.KindOf[K](); {
	case kind == sortkey.Float32:
		f := sortkey.ExactFloats[uint32](o)
		k.Code = func(bits C) C { return C(f.Of(uint32(bits))) }
		k.At = func(i uint32) C { return C(f.Of(uint32(bits[i]))) }
	case kind == sortkey.Float64:
		f := sortkey.ExactFloats[uint64](o)
		k.Code = func(bits C) C { return C(f.Of(uint64(bits))) }
		k.At = func(i uint32) C { return C(f.Of(uint64(bits[i]))) }
	case k.Bits != nil:
		flip := sortkey.FlipOf[C, K](o)
		k.Words, k.Flip = bits, flip
		k.Code = func(bits C) C { return bits ^ flip }
	default:
		k.At = func(i uint32) C {
			var c [1]C
			sortkey.Encode(c[:], keys[i:i+1], o)
			return c[0]
		}
	}
	return k
}

// keysToCount returns keys of up to 16 bits as they are counted.
func keysToCount[K sortkey.Key](keys []K, o sortkey.Order) *cpu.Narrow {
	k := &cpu.Narrow{Flip: sortkey.FlipOf[uint32, K](o)}
	if unsafe.Sizeof(*new(K)) == 1 {
		k.Bytes = sortkey.As[uint8](keys)
	} else {
		k.Words = sortkey.As[uint16](keys)
	}
	return k
}

// sortCodesOn sorts keys on the engine of the plan, which returns their codes in order. If it
// fails and the plan may fall back, the CPU sorts. The codes given to the engine are stored: if
// it fails while keys are written, the keys are restored from them.
func sortCodesOn[C sortkey.Code](r *Request, all cpu.Keys[C], plain *engine.Plain) error {
	stored := scratch.Take[C](&r.Arena, r.N)
	var written atomic.Bool
	job := &engine.Job{N: r.N, Bits: r.used.CodeBits, Algorithm: r.Plan.algorithm, Env: &r.Env, Room: r.Allow}
	exchange(job, func(dst []C, lo int) {
		copy(dst, all.View(lo, lo+len(dst), dst)) // in dst, or the keys themselves
		stream.CopyPast(stored, lo, dst)
	}, func(lo int, codes []C) {
		written.Store(true)
		all.Write(lo, codes)
	})
	job.Emit = func(lo int, order []uint32) { // for an engine that emits positions only
		written.Store(true)
		sorted := make([]C, min(len(order), engine.Block))
		for len(order) > 0 {
			n := min(len(order), len(sorted))
			perm.Gather(sorted[:n], stored, order[:n], 1)
			all.Write(lo, sorted[:n])
			order, lo = order[n:], lo+n
		}
	}
	restore := func(lo, hi int) { all.Write(lo, stored[lo:hi]) }
	if job.Plain = plain; plain != nil {
		bits := all.Bits
		plain.Pass = func(lo, hi int) { stream.CopyPast(stored, lo, bits[lo:hi]) }
		plain.Overwrite = func() { // all keys have passed
			written.Store(true)
			restore = func(lo, hi int) { copy(bits[lo:hi], stored[lo:hi]) }
		}
	}
	done, err := r.orderedBy(job)
	if done {
		return nil
	}
	if written.Load() {
		r.restore(restore)
	}
	if err != nil {
		return err
	}
	scratch.Give(&r.Arena, stored, r.Loop.Workers)
	return all.Sort(&r.Env)
}

// restore undoes writes to ranges of the input, by undo. It is not cancelled.
func (r *Request) restore(undo func(lo, hi int)) {
	r.Commit()
	_ = r.Stage("restore", r.N, r.piece(r.N), func(_, lo, hi int) { undo(lo, hi) }) // only a context ends it early
	r.Revoke()
}

// exchange makes pull the source and emit, unless it is nil, the sink of a job's
// codes.
func exchange[C sortkey.Code](job *engine.Job, pull func(dst []C, lo int), emit func(lo int, codes []C)) {
	switch pull := any(pull).(type) {
	case func([]uint32, int):
		job.Codes32, job.EmitCodes32 = pull, any(emit).(func(int, []uint32))
	case func([]uint64, int):
		job.Codes64, job.EmitCodes64 = pull, any(emit).(func(int, []uint64))
	}
}
