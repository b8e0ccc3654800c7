package selection

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
)

// TestShare narrows what several workers have found: the first k of all stay, and few others where codes differ.
func TestShare(t *testing.T) {
	compare := func(a, b candidate) int { return cmp.Or(cmp.Compare(a.code, b.code), cmp.Compare(a.at, b.at)) }
	codes := map[string]func(r *rand.Rand, at uint32) uint64{
		"uniform": func(r *rand.Rand, _ uint32) uint64 { return r.Uint64() },
		"rising":  func(_ *rand.Rand, at uint32) uint64 { return uint64(at) },
		"falling": func(_ *rand.Rand, at uint32) uint64 { return ^uint64(at) },
		"equal":   func(*rand.Rand, uint32) uint64 { return 7 },
		"few":     func(r *rand.Rand, _ uint32) uint64 { return r.Uint64N(3) },
		"one low": func(_ *rand.Rand, at uint32) uint64 { return uint64(min(at, 1)) },
	}
	narrowed := 0
	for name, code := range codes {
		for _, workers := range []int{1, 2, 3, 16} {
			for _, k := range []int{10, 2000, 9000} {
				r := rand.New(rand.NewPCG(uint64(workers), uint64(k)))
				held, all := make([]selector, workers), []candidate(nil)
				for i := range held {
					for range k - r.IntN(1+k/10) {
						held[i].found = append(held[i].found, candidate{code(r, uint32(len(all))), uint32(len(all))})
						all = append(all, held[i].found[len(held[i].found)-1])
					}
				}
				env := new(engine.Env)
				env.Loop.Workers = 2
				if err := share(env, held, k); err != nil {
					t.Fatal(err)
				}
				var got []candidate
				for i := range held {
					got = append(got, held[i].found...)
				}
				most := len(all)
				if name == "uniform" && workers == 16 && k > 10 {
					most = k + k/2
					narrowed++
				}
				slices.SortFunc(got, compare)
				slices.SortFunc(all, compare)
				if first := min(k, len(all)); len(got) > most || len(got) < first || !slices.Equal(got[:first], all[:first]) {
					t.Errorf("%s, %d workers, k=%d: %d of %d candidates left, or others than the first", name, workers, k, len(got), len(all))
				}
			}
		}
	}
	if narrowed == 0 {
		t.Error("nothing was narrowed")
	}
}
