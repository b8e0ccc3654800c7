package pipeline

import (
	"sync"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Keys and values in two slices are sorted in one of two ways. Where the key can be
// decoded from its code, only values move, with the codes, through the buckets of the
// CPU engine, and the sorted codes are decoded into keys. All others are gathered through
// an index, as are pairs that a device orders and large values.
//
// Values with codes take 0.4 to 0.7 of the time of an index (EPYC with 2 cores, 10^6 and
// 10^7 pairs). bench/results/algorithms.md has the table and the ways that lost.

// sortPairsIn sorts keys, and values with them.
func sortPairsIn[K sortkey.Key, V any](r *Request, keys []K, values []V) error {
	words := extract.Words([]extract.Column{extract.Self[K]()}, r.Order())
	rows := extract.InputOf(cpu.PayloadOf(keys))
	sizes := []uintptr{unsafe.Sizeof(*new(K)), unsafe.Sizeof(*new(V))}
	err := r.Decide(Facts{Verb: toPair, Words: words, Sizes: sizes, decodable: sortkey.KindOf[K]().Decodable(false),
		apply:   perm.ApplyBytes(r.N, max(sizes[0], sizes[1])),
		Sampled: r.Sampled(rows, words)})
	switch {
	case err != nil:
		return err
	case r.Plan.Movement == chunked:
		return sortPairChunks(r, keys, values)
	case r.Plan.Movement == InPlace:
		return sortInPlace(r, words, cpu.PayloadOf(keys), cpu.PayloadOf(values))
	case r.Plan.Movement == throughIndex:
		return gatherPairs(r, keys, values, words)
	}
	switch exact, err := tiesExactly(r, keys); {
	case err != nil:
		return err
	case !exact:
		r.Plan.Movement = throughIndex
		return gatherPairs(r, keys, values, words)
	case words[0].Bits <= 32:
		return movePairs[uint32](r, keys, values)
	}
	return movePairs[uint64](r, keys, values)
}

// movePairs sorts keys that can be decoded from their codes, and values with them, on the CPU.
func movePairs[C sortkey.Code, K sortkey.Key, V any](r *Request, keys []K, values []V) error {
	return cpu.SortPairs(&r.Env, codesOf[C](r, keys), cpu.PayloadOf(values))
}

// tiesExactly reports whether a sort by decodable codes is stable for keys of a plain kind: it
// is if equal keys have the same bits. It is true for sorts that need not be stable.
func tiesExactly[K sortkey.Key](r *Request, keys []K) (bool, error) {
	switch k := sortkey.KindOf[K](); {
	case k.Decodable(r.Stable):
		return true, nil
	case k == sortkey.Float32:
		return alike(r, sortkey.As[uint32](keys))
	}
	return alike(r, sortkey.As[uint64](keys))
}

// alike reports whether floats that are equal have the same bits.
func alike[B floats.Bits](r *Request, keys []B) (bool, error) {
	var all floats.Alike[B]
	var mu sync.Mutex
	err := r.Stage("survey", r.N, r.piece(r.N), func(_, lo, hi int) {
		var part floats.Alike[B]
		part.Add(keys[lo:hi])
		mu.Lock()
		defer mu.Unlock()
		all.Join(part)
	})
	return all.Same(), err
}

// gatherPairs sorts keys and values through an index.
func gatherPairs[K sortkey.Key, V any](r *Request, keys []K, values []V, words []extract.Word) error {
	index, rows := scratch.Take[uint32](&r.Arena, r.N), extract.InputOf(cpu.PayloadOf(keys))
	sortedKeys, sortedValues := scratch.Take[K](&r.Arena, r.N), scratch.Take[V](&r.Arena, r.N)
	var payload *devicePayload
	if r.Plan.engine != cpu.Host {
		payload = pairPayload(keys, sortedKeys, values, sortedValues)
	}
	if err := orderRows(r, rows, words, index, payload); err != nil {
		return err
	}
	switch {
	case payload.moved():
		return payload.finish(r, index)
	case r.inOrder(index):
		return nil
	}
	return gatherThrough(r, index,
		gathered{cpu.PayloadOf(keys), cpu.PayloadOf(sortedKeys)},
		gathered{cpu.PayloadOf(values), cpu.PayloadOf(sortedValues)})
}
