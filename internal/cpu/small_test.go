package cpu

import (
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/presorted"
)

// TestFewCodes sorts codes of few values, the least and the greatest that there are among them, in small
// workspaces.
func TestFewCodes(t *testing.T) {
	testFewCodes[uint32](t)
	testFewCodes[uint64](t)
}

func testFewCodes[C Code](t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	w := GetSmall[C]()
	defer w.Put()
	counted := 0
	for range 2000 {
		n, values := 2+r.IntN(500), []C{0, ^C(0), C(r.Uint64()), C(r.Uint64()), C(r.Uint64()), 1}
		values = values[r.IntN(2):]
		values = values[:1+r.IntN(len(values))]
		for i := range n {
			w.Codes[i] = values[r.IntN(len(values))]
			if r.IntN(n) == 0 && len(values) < 3 {
				w.Codes[i] = C(r.Uint64()) // a rare one
			}
		}
		in := slices.Clone(w.Codes[:n])
		want := slices.Clone(in)
		slices.Sort(want)
		if w.countValues(w.Codes[:n], presorted.SummaryOf(in)) {
			counted++
		} else if !slices.Equal(w.Codes[:n], in) {
			t.Fatalf("%d were moved", in)
		}
		if got := w.Sort(n); !slices.Equal(got, want) {
			t.Fatalf("%d became %d", in, got)
		}
	}
	if counted < 500 {
		t.Errorf("%d lists were counted", counted)
	}
}
