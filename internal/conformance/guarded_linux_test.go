package conformance_test

import (
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// TestSharedTextsAreNotRead sorts strings in the same memory, of which only the first
// page can be read, among others.
func TestSharedTextsAreNotRead(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	shared := testkit.Guarded(t, 0, strings.Repeat("x", syscall.Getpagesize()), 4)
	for _, n := range []int{2, 9, 100, 6000, 100_000} {
		in := slices.Repeat([]string{shared}, n)
		in[n/3], in[n/2] = "xxxxxxxxx, and less", "another"
		for _, workers := range []int{1, 2} {
			for i, opts := range [][]sorter.Option{{sorter.Workers(workers)}, {sorter.Workers(workers), sorter.Stable()}, {sorter.Workers(workers), sorter.Descending()}} {
				if n <= 6000 || !testkit.ThinnedTo(3, i+workers) {
					sortShared(t, in, opts)
				}
			}
		}
	}
}

func sortShared(t *testing.T, in []string, opts []sorter.Option) {
	defer testkit.FailOnFault(t, fmt.Sprintf("n=%d", len(in)))
	type row struct {
		name string
		n    int
	}
	rows := make([]row, len(in))
	for i, s := range in {
		rows[i] = row{s, i % 7}
	}
	name := func(r row) string { return r.name }
	byBoth := sorter.By(sorter.Asc(name), sorter.Asc(func(r row) int { return r.n }))
	for verb, err := range map[string]error{
		"SortKeys":  sorter.SortKeys(slices.Clone(in), opts...),
		"Sort":      sorter.Sort(slices.Clone(rows), name, opts...),
		"By.Sort":   byBoth.Sort(slices.Clone(rows), opts...),
		"TopK":      sorter.TopK(slices.Clone(rows), len(rows)/2, name, opts...),
		"Merge":     sorter.Merge(make([]row, len(rows)), [][]row{rows[:1], rows[1:]}, name, opts...),
		"SortPairs": sorter.SortPairs(slices.Clone(in), slices.Clone(rows), opts...),
	} {
		if err != nil {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if _, err := sorter.Order(rows, name, opts...); err != nil {
		t.Error(err)
	}
}
