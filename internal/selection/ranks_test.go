package selection

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// orderedKey is a key that the oracle compares.
type orderedKey interface {
	sortkey.Key
	cmp.Ordered
}

// selected returns the rows of ranks ks of keys, and whether all rows would be ordered instead.
func selected[K orderedKey](t *testing.T, keys []K, ks []int, any bool, workers int) (rows []int, crowded bool) {
	t.Helper()
	env := new(engine.Env)
	env.Loop.Workers = workers
	defer env.Arena.Release(workers)
	input, words := extract.InputOf(cpu.PayloadOf(keys)), extract.Words([]extract.Column{extract.Self[K]()}, sortkey.Order{})
	input.Arena = &env.Arena
	words[0].Open(input, env)
	rows = slices.Clone(ks)
	var codes int
	var err error
	if words[0].Bits <= 32 {
		var all []uint32
		all, err = Ranks(env, input, words, rows, extract.Source32(input, &words[0]), any)
		codes = len(all)
	} else {
		var all []uint64
		all, err = Ranks(env, input, words, rows, extract.Source64(input, &words[0]), any)
		codes = len(all)
	}
	if err != nil {
		t.Fatal(err)
	}
	if codes > 0 && (codes != len(keys) || !slices.Equal(rows, ks)) {
		t.Fatalf("%d codes of %d rows, or ranks were changed", codes, len(keys))
	}
	return rows, codes > 0
}

// checkRanks holds the rows of some numbers of ranks to those of a stable sort.
func checkRanks[K orderedKey](t *testing.T, name string, n int, crowds bool, key func(r *rand.Rand) K) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	keys, order := make([]K, n), make([]int, n)
	for i := range keys {
		keys[i], order[i] = key(r), i
	}
	testkit.SortStable(order, func(i, j int) int { return cmp.Compare(keys[i], keys[j]) })
	for turn, count := range []int{1, 2, 9, 300, MostRanks} {
		ks := make([]int, count)
		for i := range ks {
			ks[i] = r.IntN(n)
		}
		ks[0] = [...]int{0, n - 1, n / 2, n / 3, n / 4}[turn]
		for _, any := range []bool{false, true} {
			rows, crowded := selected(t, keys, ks, any, 1+turn%2)
			if crowded {
				if !crowds && count == 1 {
					t.Errorf("%s, n=%d: %d ranks are not selected", name, n, count)
				}
				continue
			}
			if crowds {
				t.Errorf("%s, n=%d: %d ranks are selected", name, n, count)
			}
			for i, k := range ks {
				want := order[k]
				if rows[i] != want && !(any && keys[rows[i]] == keys[want]) {
					t.Fatalf("%s, n=%d, any=%v: row %d at rank %d, want %d", name, n, any, rows[i], k, want)
				}
			}
		}
	}
}

// TestRanks selects rows where digits differ, where they are all equal, and where codes do not decide.
func TestRanks(t *testing.T) {
	for _, n := range []int{1, 5000, fewFound, fewFound + 1, 100_000} {
		checkRanks(t, "uint32", n, false, func(r *rand.Rand) uint32 { return r.Uint32() })
		checkRanks(t, "normal", n, false, func(r *rand.Rand) float64 { return r.NormFloat64() })
		checkRanks(t, "one value", n, false, func(*rand.Rand) float64 { return 1 })
		checkRanks(t, "2 values", n, false, func(r *rand.Rand) float64 { return float64(r.IntN(2)) + 2 })
	}
	for _, n := range []int{5000, 100_000} {
		checkRanks(t, "text", n, false, func(r *rand.Rand) string { return fmt.Sprintf("%07d of many", r.IntN(1_000_000)) })
	}
	// Each cluster has more rows than are counted no more, and its codes share three digits.
	checkRanks(t, "clusters", 300_000, false, func(r *rand.Rand) uint64 { return r.Uint64N(3)<<60 | r.Uint64N(1<<20) })
	checkRanks(t, "texts that share a code", 300_000, true, func(r *rand.Rand) string { return fmt.Sprintf("common beginning %d", r.IntN(10_000)) })
}

func TestKthCode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, fewCodes, fewCodes + 1, 1000} {
		for _, bits := range []int{0, 3, 8, 9, 33, 64} {
			codes, all := make([]uint64, n), make([]candidate, n)
			for i := range codes {
				codes[i] = 5 + r.Uint64()>>(64-bits)
				all[i].code = codes[i]
			}
			slices.Sort(codes)
			for _, k := range []int{1, 2, n / 2, n - 1, n} {
				if k >= 1 && k <= n && kthCode(all, k) != codes[k-1] {
					t.Errorf("n=%d, %d bits: the code of rank %d is %d, want %d", n, bits, k, kthCode(all, k), codes[k-1])
				}
			}
		}
	}
}
