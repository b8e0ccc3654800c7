package cpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestNarrow sorts keys of 8 and of 16 bits by counts, by any number of workers, beside slices.Sort.
func TestNarrow(t *testing.T) {
	r := dist.Rand(3)
	for range testkit.Pick(60, 600) {
		n := 1 + r.IntN(1<<r.IntN(19))
		values := 1 + r.IntN(1<<r.IntN(17))
		workers, flip := 1+r.IntN(6), r.Uint32()
		checkNarrow[uint8](t, n, values, workers, uint8(flip), func(keys []uint8) *Narrow { return &Narrow{Bytes: keys, Flip: flip & 0xff} })
		checkNarrow[uint16](t, n, values, workers, uint16(flip), func(keys []uint16) *Narrow { return &Narrow{Words: keys, Flip: flip & 0xffff} })
	}
}

func checkNarrow[B uint8 | uint16](t *testing.T, n, values, workers int, flip B, narrow func(keys []B) *Narrow) {
	t.Helper()
	guarded := make([]B, n+64) // nothing is written after the keys
	r := rand.New(rand.NewPCG(uint64(n), uint64(values)))
	for i := range guarded {
		guarded[i] = B(r.IntN(values)) * B(2*(values%97)+1)
	}
	keys, after := guarded[32:32+n:32+n], slices.Clone(guarded[32+n:])
	want := slices.Clone(keys)
	slices.SortFunc(want, func(a, b B) int { return int(a^flip) - int(b^flip) })
	k := narrow(keys)
	env := newEnv(workers)
	if err := k.Sort(env); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(keys, want) || !slices.Equal(guarded[32+n:], after) {
		t.Fatalf("%d keys of %d values, %d workers, flip %x", n, values, workers, flip)
	}
	if most := NarrowBytes(n, workers, k.bits()); env.Arena.Peak() > most {
		t.Errorf("%d keys, %d workers: %d bytes of %d", n, workers, env.Arena.Peak(), most)
	}
	if k.inNoOrder() {
		t.Errorf("%d keys in order are in no order", n)
	}
	slices.Reverse(keys)
	if k.inNoOrder() {
		t.Errorf("%d keys in reverse are in no order", n)
	}
}

// TestNarrowCancelled leaves keys as they are if the context is cancelled.
func TestNarrowCancelled(t *testing.T) {
	keys := make([]uint16, 1<<17)
	for i := range keys {
		keys[i] = uint16(i * 40503)
	}
	was := slices.Clone(keys)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	env := newEnv(2)
	env.Loop.Ctx = ctx
	if err := (&Narrow{Words: keys}).Sort(env); err == nil || !slices.Equal(keys, was) {
		t.Errorf("%v", err)
	}
}
