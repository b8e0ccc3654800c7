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

// mixed returns row i of keys that look drawn, of which no two are equal: each step can be undone.
func mixed(i int) row {
	k := uint64(i)
	k = (k ^ k>>30) * 0xbf58476d1ce4e5b9
	k = (k ^ k>>27) * 0x94d049bb133111eb
	return row{Key: k ^ k>>31, At: uint64(i), Pad: ^uint64(i)}
}

// TestInputsManyTimesTheMemory sorts inputs that need rounds of merges, of runs whose blocks have
// reached their longest.
func TestInputsManyTimesTheMemory(t *testing.T) {
	type input struct{ limit, times int }
	inputs := []input{{64 << 10, 1}, {64 << 10, 10}, {256 << 10, 1}, {256 << 10, 10}, {1 << 20, 1}}
	if testkit.Long() {
		inputs = append(inputs, input{64 << 10, 100}, input{256 << 10, 100}, input{1 << 20, 10}, input{1 << 20, 40}, input{3 << 20, 20})
	}
	r := rand.New(rand.NewPCG(81, 82))
	for i, in := range inputs {
		if testkit.ThinnedTo(3, i) {
			continue
		}
		limit, times := in.limit, in.times
		dir := t.TempDir()
		if times == 10 {
			dir = diskDir(t)
		}
		memory, temp := extsort.MemoryLimit(int64(limit)), extsort.TempDir(dir)
		t.Run(fmt.Sprintf("rows/%dKiB/%d", limit>>10, times), func(t *testing.T) {
			s, err := extsort.New(byKey(), memory, temp)
			must(t, err)
			defer s.Close()
			n := limit * times / 24
			for i := range n {
				must(t, s.Append(mixed(i)))
			}
			// Keys ascend, so no row comes twice; rows come whole, and n of them: all.
			count, last := 0, uint64(0)
			for e, err := range s.All() {
				must(t, err)
				if e.At >= uint64(n) || e != mixed(int(e.At)) || e.Key <= last && count > 0 {
					t.Fatalf("element %d is %v, after the key %d", count, e, last)
				}
				count, last = count+1, e.Key
			}
			if count != n {
				t.Errorf("%d elements, want %d", count, n)
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
			s, err := extsort.NewCoded(sorter.By(sorter.Asc(func(s string) string { return s })), extsort.Strings(), memory, temp)
			must(t, err)
			defer s.Close()
			must(t, s.Append(texts...))
			slices.Sort(texts)
			sameElements(t, collect(t, s), texts)
		})
	}
}
