//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
	"example.com/sorter/gpu"
	"example.com/sorter/perm"
)

// Lists that are longer than one pass, than 31 bits count, and than what another
// engine would sort in a check's time: their results are checked by themselves.

// manyKeys and manyPairs are how many keys are sorted, and how many are ordered.
const manyKeys, manyPairs = 1<<31 + 1, 1 << 30

func checkLongest(engine *gpu.Engine) error {
	return errors.Join(
		longestKeys(engine, "uint8", func(r *rand.Rand) uint8 { return uint8(r.Uint32()) }),
		longestKeys(engine, "uint32", (*rand.Rand).Uint32),
		longestOrder(engine, "uint32", (*rand.Rand).Uint32),
		longestOrder(engine, "uint32 of 16 bits", func(r *rand.Rand) uint32 { return r.Uint32() >> 16 }), // a tie of thousands each
	)
}

// longestKeys sorts keys alone. Sorted keys whose hashes have the same sum as before
// are the same keys, with a chance of error of one in 1<<64.
func longestKeys[K uint8 | uint32](engine *gpu.Engine, kind string, of func(*rand.Rand) K) error {
	keys := drawn(manyKeys, of)
	before := list.Digest(keys)
	var st sorter.Stats
	start := time.Now()
	if err := sorter.SortKeys(keys, sorter.On(engine), sorter.Report(&st)); err != nil {
		return fmt.Errorf("%d keys, %s: %w", len(keys), kind, err)
	}
	took := time.Since(start)
	wrong := list.WrongSteps(len(keys), func(i int) bool { return keys[i-1] <= keys[i] })
	if after := list.Digest(keys); wrong > 0 || after != before {
		return fmt.Errorf("%d keys, %s: %d neighbours in the wrong order, digests %x and %x", len(keys), kind, wrong, before, after)
	}
	fmt.Printf("%d keys, %s: sorted, and the same keys; %v by %s, %d rounds\n", len(keys), kind, took.Round(time.Millisecond), st.Algorithm, st.Rounds)
	return nil
}

// longestOrder orders keys. An order that holds every position once, and no key before
// a lower one or before an equal one from further ahead, is the stable order.
func longestOrder(engine *gpu.Engine, kind string, of func(*rand.Rand) uint32) error {
	keys := drawn(manyPairs, of)
	var st sorter.Stats
	start := time.Now()
	order, err := sorter.OrderKeys(keys, sorter.On(engine), sorter.Stable(), sorter.Report(&st))
	if err != nil {
		return fmt.Errorf("order of %d, %s: %w", len(keys), kind, err)
	}
	took := time.Since(start)
	wrong := list.WrongSteps(len(order), func(i int) bool {
		a, b := order[i-1], order[i]
		return keys[a] < keys[b] || keys[a] == keys[b] && a < b
	})
	if lost := missing(order); wrong > 0 || lost > 0 {
		return fmt.Errorf("order of %d, %s: %d neighbours in the wrong order, %d positions missing", len(keys), kind, wrong, lost)
	}
	fmt.Printf("order of %d, %s: every position once, stable; %v by %s, %d rounds\n", len(keys), kind, took.Round(time.Millisecond), st.Algorithm, st.Rounds)
	return nil
}

// missing counts the positions that an order lacks.
func missing(order perm.Perm) int64 {
	seen := make([]uint32, (len(order)+31)/32)
	each(len(order), func(_ *rand.Rand, lo, hi int) {
		for _, at := range order[lo:hi] {
			atomic.OrUint32(&seen[at/32], 1<<(at%32))
		}
	})
	var lost atomic.Int64
	each(len(order), func(_ *rand.Rand, lo, hi int) {
		for i := lo; i < hi; i++ {
			if seen[i/32]>>(i%32)&1 == 0 {
				lost.Add(1)
			}
		}
	})
	return lost.Load()
}
