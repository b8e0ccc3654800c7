package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
)

// TestDrawnSmall orders, sorts and moves up to SmallLen elements.
func TestDrawnSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	for range testkit.Pick(2500, 6666) {
		if r.IntN(2) == 0 {
			drawnSmall[uint32](t, r)
		} else {
			drawnSmall[uint64](t, r)
		}
	}
}

func drawnSmall[C Code](t *testing.T, r *rand.Rand) {
	n := min(drawnSizes[r.IntN(len(drawnSizes))], SmallLen)
	if r.IntN(2) == 0 {
		n = r.IntN(300)
	}
	shape, codes := "none", []C{}
	if n > 0 {
		shape, codes = drawCodes[C](r, n)
	}
	defer vecsort.Restrict([]string{"", "", "avx2", "none"}[r.IntN(4)])()
	w := GetSmall[C]()
	defer w.Put()
	copy(w.Codes, codes)
	want := stableOrder(codes)
	fail := func(what string) { t.Fatalf("%s of %d codes, %s", what, n, shape) }
	switch r.IntN(5) {
	case 0:
		index := make([]uint32, n)
		if w.Order(index); !slices.Equal(index, want) {
			fail("order")
		}
	case 1:
		sorted := w.Sort(n)
		for i, x := range want {
			if sorted[i] != codes[x] {
				fail("sort")
			}
		}
	case 2:
		got, _ := moveBySize[r.IntN(len(moveBySize))](n, func(s Payload, _ uintptr) error { MoveSmall(w, s); return nil })
		if !slices.Equal(got, want) {
			fail("move")
		}
	default:
		keys := slices.Clone(codes)
		got, _ := moveBySize[r.IntN(len(moveBySize))](n, func(s Payload, _ uintptr) error { MovePairsSmall(w, PayloadOf(keys), s); return nil })
		for i, x := range want {
			if keys[i] != codes[x] {
				fail("keys")
			}
		}
		if !slices.Equal(got, want) {
			fail("values")
		}
	}
}
