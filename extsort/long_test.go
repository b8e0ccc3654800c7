package extsort_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// TestInputsManyTimesTheMemory sorts inputs that need rounds of merges, of runs whose blocks have
// reached their longest.
func TestInputsManyTimesTheMemory(t *testing.T) {
	r := rand.New(rand.NewPCG(81, 82))
	for _, limit := range testkit.Pick([]int{64 << 10, 256 << 10, 1 << 20}, []int{64 << 10, 256 << 10, 1 << 20, 3 << 20}) {
		for _, times := range []int{1, 10, 50, 100} {
			if limit*times > testkit.Pick(3<<20, 300<<20) || limit == 3<<20 && times == 50 { // 100 times have as many rounds
				continue
			}
			memory := extsort.MemoryLimit(int64(limit))
			t.Run(fmt.Sprintf("rows/%dKiB/%d", limit>>10, times), func(t *testing.T) {
				rows := rowsOf(keysOf("uniform", limit*times/24, r))
				s, err := extsort.New(byKey(), memory, extsort.TempDir(t.TempDir()))
				must(t, err)
				defer s.Close()
				must(t, s.Append(rows...))
				last, n := uint64(0), 0
				for e, err := range s.All() {
					must(t, err)
					if e.Key < last || rows[e.At] != e {
						t.Fatalf("element %d is %v", n, e)
					}
					last = e.Key
					n++
				}
				if n != len(rows) {
					t.Errorf("%d elements, want %d", n, len(rows))
				}
			})
			if limit*times > 13<<20 {
				continue
			}
			t.Run(fmt.Sprintf("texts/%dKiB/%d", limit>>10, times), func(t *testing.T) {
				texts := make([]string, limit*times/32)
				for i := range texts {
					texts[i] = fmt.Sprintf("%016x%016x", r.Uint64(), i)
				}
				s, err := extsort.NewCoded(sorter.By(sorter.Asc(func(s string) string { return s })), extsort.Strings(), memory, extsort.TempDir(t.TempDir()))
				must(t, err)
				defer s.Close()
				must(t, s.Append(texts...))
				slices.Sort(texts)
				sameElements(t, collect(t, s), texts)
			})
		}
	}
}
