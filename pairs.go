package sorter

import (
	"sync"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// Keys and values in two slices are sorted in one of two ways. Where codes lose
// nothing of the keys, values alone travel with them, through the buckets of the CPU
// engine, and in the end keys are made from codes: a key is read once, in order, and
// never moved. All others follow an index through the memory, as they do where a
// device makes the order or values are large.
//
// Measured on 2 cores of an EPYC, least of 3 to 11 repetitions in turns, ns a pair of
// 10^6 and 10^7, uniform:
//
//	              uint32, uint32   uint64, uint64   float32, int32
//	this           3.7    5.5       8.1    6.7       5.9    6.0
//	an index       5.1   12.7      10.8   15.4       8.6   13.0
//	structs        4.4    6.5      11.4    8.4       7.9    6.8
//
// Three other ways lost. Structs of both in scratch, sorted like any (the last line is
// without the two copies that this takes), and keys moved beside their codes and
// values take 1.4 times as long; a key and a value of 32 bits each in one code of 64
// bits are as fast where keys differ and take twice as long where few do. Strings gain
// less than a tenth by moving, unless most are the same.

// sortPairs sorts keys, and values with them.
func sortPairs[K Key, V any](keys []K, values []V, cfg config) error {
	r, err := begin(cfg, len(keys))
	defer r.end()
	if err != nil || len(keys) < 2 {
		return err
	}
	lv := levels([]Column[K]{self[K]()}, cfg)
	var k K
	var v V
	r.used.Algorithm, r.used.CodeBits = IndexGather.String(), lv[0].bits
	size := unsafe.Sizeof(k) + unsafe.Sizeof(v)
	switch fits, err := enough(r, IndexGather, lv, size); {
	case err != nil:
		return err
	case !fits:
		return sortPairsInPlace(r, keys, values, lv)
	}
	algorithm := IndexGather
	if kindOf[K]().plain(false) {
		algorithm = r.algorithmFor(unsafe.Sizeof(v))
	}
	b := orderer(r, algorithm, sliceRows(keys), lv, size)
	if algorithm == IndexGather || b != nil {
		return gatherPairs(r, b, keys, values, lv)
	}
	switch exact, err := tiesExactly(r, keys); {
	case err != nil:
		return err
	case !exact:
		return gatherPairs(r, nil, keys, values, lv)
	case lv[0].bits <= 32:
		return movePairs[uint32](r, keys, values)
	}
	return movePairs[uint64](r, keys, values)
}

// movePairs sorts keys whose codes lose nothing, and values with them, on the CPU.
func movePairs[C code, K Key, V any](r *run, keys []K, values []V) error {
	r.used.Algorithm = BucketRadix.String()
	return cpu.SortPairs(&r.Env, codesOf[C](r, keys), values)
}

// tiesExactly reports whether keys of a plain kind are in a stable order by codes
// that lose nothing, too: if those that are equal have the same bits. Nobody asks for
// that unless the sort is stable.
func tiesExactly[K Key](r *run, keys []K) (bool, error) {
	switch k := kindOf[K](); {
	case k.plain(r.stable):
		return true, nil
	case k == kindFloat32:
		return alike(r, as[uint32](keys))
	}
	return alike(r, as[uint64](keys))
}

// alike reports whether floats that are equal have the same bits.
func alike[B floats.Bits](r *run, keys []B) (bool, error) {
	var all floats.Alike[B]
	var mu sync.Mutex
	err := r.Stage("survey", r.n, r.piece(r.n), func(_, lo, hi int) {
		var part floats.Alike[B]
		part.Add(keys[lo:hi])
		mu.Lock()
		defer mu.Unlock()
		all.Join(part)
	})
	return all.Same(), err
}

// gatherPairs sorts keys and values through an index, which b makes.
func gatherPairs[K Key, V any](r *run, b Backend, keys []K, values []V, lv []level[K]) error {
	index, rows := scratch.Take[uint32](&r.Arena, r.n), sliceRows(keys)
	sortedKeys, sortedValues := scratch.Take[K](&r.Arena, r.n), scratch.Take[V](&r.Arena, r.n)
	if b != nil && b != CPU() {
		rows.carried = carriedPairs(keys, sortedKeys, values, sortedValues)
	}
	if err := orderOn(r, b, rows, lv, index); err != nil || r.inOrder() {
		return err
	}
	if rows.carried.moved() {
		return rows.carried.finish(r, index)
	}
	err := r.Stage("gather", r.n, r.piece(r.n), func(_, lo, hi int) {
		perm.Gather(sortedKeys[lo:hi], keys, index[lo:hi], 1)
		perm.Gather(sortedValues[lo:hi], values, index[lo:hi], 1)
	})
	if err != nil {
		return err
	}
	r.Loop.Ctx = nil // from here on the sort finishes
	return r.Stage("write", r.n, r.piece(r.n), func(_, lo, hi int) {
		copy(keys[lo:hi], sortedKeys[lo:hi])
		copy(values[lo:hi], sortedValues[lo:hi])
	})
}

// sortPairsInPlace sorts with the least memory: see [sortInPlace].
func sortPairsInPlace[K Key, V any](r *run, keys []K, values []V, lv []level[K]) error {
	r.used.Algorithm = "InPlace"
	apply := max(perm.ApplyBytes[K](r.n), perm.ApplyBytes[V](r.n))
	if err := r.require(leastIndex(r, lv) + apply); err != nil {
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

// sortPairsSmall sorts keys and values with pooled memory only.
func sortPairsSmall[K Key, V any](keys []K, values []V, o order) {
	var k K
	var v V
	if len(keys) <= tinySort && max(unsafe.Sizeof(k), unsafe.Sizeof(v)) <= tinyBytes {
		var index [tinySort]uint32
		if orderTiny(index[:len(keys)], keys, func(k K) K { return k }, o) {
			followTiny(keys, &index)
			followTiny(values, &index)
		}
		return
	}
	switch k := kindOf[K](); {
	case k.wide():
		index := orderSmallKeys(keys, o)
		cpu.FollowSmall(index.space, keys, values)
		index.space.Put()
	case codeBits[k] <= 32:
		movePairsSmall[uint32](keys, values, o)
	default:
		movePairsSmall[uint64](keys, values, o)
	}
}

func movePairsSmall[C code, K Key, V any](keys []K, values []V, o order) {
	w := cpu.GetSmall[C]()
	encode(w.Codes[:len(keys)], keys, o)
	cpu.MovePairsSmall(w, keys, values)
	w.Put()
}
