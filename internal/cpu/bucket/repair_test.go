package bucket

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// TestRepairJoined orders places whose words agree, in runs up to those that are sorted by radix passes.
func TestRepairJoined(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	env := new(engine.Env)
	env.Loop.Workers = 1
	w := Worker[uint64]{Env: env}
	for range 200 {
		n, run := 1+r.IntN(700), 1+r.IntN(1+r.IntN(400))
		order, words, codes := make([]uint32, n), make([]uint64, n), make([]uint64, n)
		for i := range order {
			order[i], words[i], codes[i] = uint32(i), uint64(i/run)<<32, r.Uint64N(uint64(1+r.IntN(n)))
		}
		want := slices.Clone(order)
		testkit.SortStable(want, func(a, b uint32) int { return cmp.Or(cmp.Compare(words[a], words[b]), cmp.Compare(codes[a], codes[b])) })
		if w.RepairJoined(order, words, codes); !slices.Equal(order, want) {
			t.Fatalf("%d places in runs of %d: wrong order", n, run)
		}
	}
}

// TestPickInOrder picks codes of which one lies some places too far back: it is inserted, or the pick gives up.
func TestPickInOrder(t *testing.T) {
	const n = 4 * ShortSort
	for far := range n {
		codes, words := make([]uint64, n), make([]uint32, n)
		for i := range codes {
			codes[i], words[i] = uint64(2*i), uint32(i)|1<<20
		}
		copy(words[n-1-far:], words[n-far:]) // the last code but far comes last
		words[n-1] = uint32(n-1-far) | 1<<20
		sorted := make([]uint64, n)
		ok := pickInOrder(sorted, codes, words, 1<<20-1)
		if ok != (far <= ShortSort) || ok && !slices.Equal(sorted, codes) {
			t.Errorf("a code %d places too far back: in order %t", far, ok)
		}
	}
}

// TestShortBuckets orders and sorts codes in buckets of all short lengths, with vectors and without.
func TestShortBuckets(t *testing.T) {
	testShort[uint32](t)
	testShort[uint64](t)
}

func testShort[C Code](t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	env := new(engine.Env)
	env.Loop.Workers = 1
	w := Worker[C]{Env: env}
	for _, vectors := range []string{"", "avx2", "none"} {
		undo := vecsort.Restrict(vectors)
		for n := 2; n < 140; n++ {
			for _, drop := range []int{0, 3, 16, 25} {
				codes := make([]C, n)
				for i := range codes {
					codes[i] = C(r.Uint64()) >> drop
				}
				codes[r.IntN(n)] = codes[r.IntN(n)]
				want := make([]uint32, n)
				for i := range want {
					want[i] = uint32(i)
				}
				testkit.SortStable(want, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
				least, most := slices.Min(codes), slices.Max(codes)
				if order := w.Order(slices.Clone(codes), least, most-least); !slices.Equal(order, want) {
					t.Fatalf("%d codes of %T, less %d bits, vectors %q: wrong order", n, codes[0], drop, vectors)
				}
				sorted := w.Sort(slices.Clone(codes), least, most-least)
				for i, at := range want {
					if sorted[i] != codes[at] {
						t.Fatalf("%d codes of %T, less %d bits, vectors %q: not sorted", n, codes[0], drop, vectors)
					}
				}
			}
		}
		undo()
	}
}
