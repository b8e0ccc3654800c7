package cpu

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/testkit"
)

// TestKeysEnd ends sorts of keys, and of pairs, at some of the times at which they ask: those that are counted, those that one worker sorts,
// and those that are partitioned. They report it and leave keys where they are, or all are in order.
func TestKeysEnd(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for name, c := range map[string]struct {
		n    int
		most uint64
	}{"counted": {20_000, 300}, "by one worker": {5000, 1 << 60}, "partitioned": {80_000, 1 << 60}} {
		keys, values := make([]uint64, c.n), make([]uint64, c.n)
		for i := range keys {
			keys[i] = r.Uint64N(c.most)
			values[i] = keys[i] + 1
		}
		want := slices.Sorted(slices.Values(keys))
		for _, pairs := range []bool{false, true} {
			sort := func(left int64) (asked int64) {
				k, v := slices.Clone(keys), slices.Clone(values)
				env := newEnv(2)
				ctx := &testkit.Ending{Context: context.Background()}
				ctx.Left.Store(left)
				env.Loop.Ctx = ctx
				var err error
				if pairs {
					err = SortPairs(env, drawnKeys(k), PayloadOf(v))
				} else {
					err = drawnKeys(k).Sort(env)
				}
				after := want
				if err != nil {
					after = keys
				}
				if err != nil && err != context.Canceled || !slices.Equal(k, after) {
					t.Errorf("%s, pairs %t, after %d questions: keys were moved, %v", name, pairs, left, err)
				}
				for i := range v {
					if pairs && v[i] != k[i]+1 {
						t.Fatalf("%s, after %d questions: value %d", name, left, i)
					}
				}
				env.Arena.Release(1)
				return left - ctx.Left.Load()
			}
			questions := sort(1 << 40)
			for left := range questions {
				if left%(1+questions/12) == 0 || left > questions-4 {
					sort(left)
				}
			}
		}
	}
}

// counting is a refiner that counts the elements whose ties it is given.
type counting struct {
	untied[uint64]
	seen *atomic.Int64
}

func (c counting) Refine(_ int, order []uint32, _ []uint64) { c.seen.Add(int64(len(order))) }

// TestRefineAll passes all elements that are not in order to a refiner, whether one worker orders them, all do, or moves are found.
func TestRefineAll(t *testing.T) {
	for name, f := range map[string]func(i int) uint64{
		"mixed": func(i int) uint64 { return uint64(i*7919) * 0x9e3779b97f4a7c15 >> 50 << 50 }, "nearly in order": func(i int) uint64 {
			if i%997 == 3 {
				i /= 2
			}
			return uint64(i/2) << 30
		},
	} {
		for _, n := range []int{5000, 50_000} {
			codes, elements := make([]uint64, n), make([]uint64, n)
			for i := range codes {
				codes[i], elements[i] = f(i), f(i)
			}
			env, seen := newEnv(2), new(atomic.Int64)
			tied, err := MoveRefined[uint64](env, PayloadOf(elements), sourceOf(codes), &counting{untied[uint64]{t, codes}, seen})
			if err != nil || tied || seen.Load() != int64(n) || !slices.IsSorted(elements) {
				t.Errorf("%s, %d elements: %d are refined, tied %t, %v", name, n, seen.Load(), tied, err)
			}
			env.Arena.Release(1)
		}
	}
}

// TestBucketsInOrder moves elements whose buckets are in order once they are partitioned.
func TestBucketsInOrder(t *testing.T) {
	const n = 80_000
	type element struct{ code, rest uint64 }
	codes, s := make([]uint64, n), make([]element, n)
	for i := range codes {
		codes[i] = uint64(i%16)<<60 + uint64(i)<<8
		s[i] = element{codes[i], uint64(i)}
	}
	env := newEnv(2)
	if err := Move(env, PayloadOf(s), sourceOf(codes)); err != nil {
		t.Error(err)
	}
	for i, x := range stableOrder(codes) {
		if s[i].rest != uint64(x) {
			t.Fatalf("element %d is at %d", s[i].rest, i)
		}
	}
	env.Arena.Release(1)
}
