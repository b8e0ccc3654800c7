package sorter

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/perm"
)

// Keys and values in two slices are sorted in one of two ways. Where the key can be
// decoded from its code, only values move, with the codes, through the buckets of the
// CPU engine, and the sorted codes are decoded into keys. All others are gathered through
// an index, as are pairs that a device orders and large values.
//
// Values with codes take 0.4 to 0.7 of the time of an index (EPYC with 2 cores, 10^6 and
// 10^7 pairs). ALGORITHMS.md has the table and the ways that lost.

// sortPairs sorts keys, and values with them.
func sortPairs[K Key, V any](keys []K, values []V, cfg config) error {
	r, err := begin(cfg, len(keys), unsafe.Sizeof(*new(K)))
	defer r.end()
	if err != nil || len(keys) < 2 {
		return err
	}
	lv := levels([]column{self[K]()}, cfg)
	var k K
	var v V
	r.used.Algorithm, r.used.CodeBits = IndexGather.String(), lv[0].bits
	algorithm := IndexGather
	if kindOf[K]().plain(false) {
		algorithm = r.algorithmFor(unsafe.Sizeof(v))
	}
	switch fits, err := enough(r, IndexGather, lv, unsafe.Sizeof(k), unsafe.Sizeof(v)); {
	case err != nil:
		return err
	case !fits, algorithm == BucketRadix && !r.insists() && !r.fits(cpu.SortPairsBytes(r.n, r.Loop.Workers, unsafe.Sizeof(v), codeSize(lv))):
		return sortPairsInPlace(r, keys, values, lv)
	}
	b := orderer(r, algorithm, sliceRows(cpu.PayloadOf(keys)), lv, unsafe.Sizeof(k), unsafe.Sizeof(v))
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
	return cpu.SortPairs(&r.Env, codesOf[C](r, keys), cpu.PayloadOf(values))
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
func gatherPairs[K Key, V any](r *run, b Backend, keys []K, values []V, lv []level) error {
	index, rows := scratch.Take[uint32](&r.Arena, r.n), sliceRows(cpu.PayloadOf(keys))
	sortedKeys, sortedValues := scratch.Take[K](&r.Arena, r.n), scratch.Take[V](&r.Arena, r.n)
	if b != nil && b != CPU() {
		rows.carried = carriedPairs(keys, sortedKeys, values, sortedValues)
	}
	if err := orderOn(r, b, rows, lv, index); err != nil {
		return err
	}
	switch {
	case rows.carried.moved():
		return rows.carried.finish(r, index)
	case r.inOrder(index):
		return nil
	}
	err := r.Stage("gather", r.n, r.piece(r.n), func(_, lo, hi int) {
		perm.Gather(sortedKeys[lo:hi], keys, index[lo:hi], 1)
		perm.Gather(sortedValues[lo:hi], values, index[lo:hi], 1)
	})
	if err != nil {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.Stage("write", r.n, r.piece(r.n), func(_, lo, hi int) {
		copy(keys[lo:hi], sortedKeys[lo:hi])
		copy(values[lo:hi], sortedValues[lo:hi])
	})
}

// sortPairsInPlace sorts with the least memory: see [sortInPlace].
func sortPairsInPlace[K Key, V any](r *run, keys []K, values []V, lv []level) error {
	r.used.Algorithm = "InPlace"
	apply := perm.ApplyBytes(r.n, max(unsafe.Sizeof(*new(K)), unsafe.Sizeof(*new(V))))
	if err := r.require(leastIndex(r, lv) + apply); err != nil {
		return err
	}
	index := scratch.Take[uint32](&r.Arena, len(keys))
	if err := orderInPlace(r, sliceRows(cpu.PayloadOf(keys)), lv, index); err != nil {
		return err
	}
	r.Arena.Hold(apply)
	r.Commit()
	return r.Stage("apply", 1, 1, func(int, int, int) {
		perm.Apply(keys, index, r.Loop.Workers)
		perm.Apply(values, index, r.Loop.Workers)
	})
}

// sortPairsSmall sorts keys and values with pooled memory only.
func sortPairsSmall[K Key, V any](keys []K, values []V, o order, c *smallCall) error {
	switch k := kindOf[K](); {
	case len(keys) < 2:
	case len(keys) <= tinySort:
		return sortPairsTiny(keys, cpu.PayloadOf(keys), cpu.PayloadOf(values), o, c)
	case k.wide():
		index := orderSmallKeys(keys, o, c)
		err := c.err()
		if err == nil {
			cpu.FollowSmall(index.space, cpu.PayloadOf(keys), cpu.PayloadOf(values))
		}
		index.space.Put()
		return err
	case codeBits[k] <= 32:
		movePairsSmall[uint32](keys, values, o, c)
	default:
		movePairsSmall[uint64](keys, values, o, c)
	}
	return nil
}

// sortPairsTiny sorts a few keys and values with nothing but the stack.
func sortPairsTiny[K Key](keys []K, all, values cpu.Payload, o order, c *smallCall) error {
	var index, again [tinySort]uint32
	moved := orderTinyKeys(index[:len(keys)], keys, o, c)
	if err := c.err(); err != nil {
		return err
	}
	if moved {
		again = index
		all.FollowFew(&index)
		values.FollowFew(&again)
	}
	return nil
}

func movePairsSmall[C code, K Key, V any](keys []K, values []V, o order, c *smallCall) {
	w := cpu.GetSmall[C]()
	encode(w.Codes[:len(keys)], keys, o)
	cpu.MovePairsSmall(w, cpu.PayloadOf(keys), cpu.PayloadOf(values))
	c.took(w.Scratch())
	w.Put()
}
