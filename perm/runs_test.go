package perm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// drawRuns returns n rows in runs of up to longest rows, as offsets.
func drawRuns(n, longest int, seed uint64) []int {
	r, offsets := rand.New(rand.NewPCG(seed, uint64(n))), []int{0}
	for at := 0; at < n; {
		at = min(n, at+1+r.IntN(longest))
		offsets = append(offsets, at)
	}
	return offsets
}

// checkRuns compares all that r reports with its offsets.
func checkRuns(t *testing.T, r perm.Runs, offsets []int) {
	t.Helper()
	n := offsets[len(offsets)-1]
	if r.Rows() != n || r.Len() != len(offsets)-1 || !slices.Equal(r.Offsets(), offsets) {
		t.Fatalf("%d rows in %d runs at %v, want %v", r.Rows(), r.Len(), r.Offsets(), offsets)
	}
	k := 0
	for lo, hi := range r.All() {
		if lo != offsets[k] || hi != offsets[k+1] {
			t.Fatalf("run %d is [%d, %d), want [%d, %d)", k, lo, hi, offsets[k], offsets[k+1])
		}
		k++
	}
	for i := range n {
		k, begins := slices.BinarySearch(offsets, i)
		if r.Begins(i) != begins {
			t.Fatalf("Begins(%d) is %v", i, !begins)
		}
		if !begins {
			k--
		}
		if lo, hi := r.At(i); lo != offsets[k] || hi != offsets[k+1] {
			t.Fatalf("the run of position %d is [%d, %d), want [%d, %d)", i, lo, hi, offsets[k], offsets[k+1])
		}
		next := i
		if !begins {
			next = offsets[k+1]
		}
		if got := r.Next(i); got != next {
			t.Fatalf("Next(%d) is %d, want %d", i, got, next)
		}
		if want := len(offsets) - 1 - k - 1; !begins && r.Count(i, n) != want {
			t.Fatalf("Count(%d, %d) is %d, want %d", i, n, r.Count(i, n), want)
		}
		if want := k; begins && r.Count(0, i) != want {
			t.Fatalf("Count(0, %d) is %d, want %d", i, r.Count(0, i), want)
		}
	}
	if r.Next(n) != n || r.Next(n+100) != n {
		t.Fatalf("a run begins at %d or %d of %d rows", r.Next(n), r.Next(n+100), n)
	}
	for range r.All() {
		break
	}
}

func TestRuns(t *testing.T) {
	checkRuns(t, perm.Runs{}, []int{0})
	for _, n := range []int{0, 1, 2, 31, 32, 33, 63, 64, 65, 1000} {
		for _, longest := range []int{1, 2, 31, 100, 2000} {
			offsets := drawRuns(n, longest, 1)
			checkRuns(t, perm.RunsAt(offsets), offsets)
		}
	}
	checkRuns(t, perm.RunsAt([]int{0, 0, 3, 3, 5, 5}), []int{0, 3, 5})
	checkRuns(t, perm.RunsAt(nil), []int{0})
	checkRuns(t, perm.RunsOf(3, []uint32{0xfffffff5, 7}), []int{0, 2, 3})
}

func TestRunsMisuse(t *testing.T) {
	r := perm.RunsAt([]int{0, 3})
	for _, c := range []struct {
		call, message string
		f             func()
	}{
		{"RunsOf of negative", "perm: runs of -1 rows from 0 words, of which bit 0 must be set", func() { perm.RunsOf(-1, nil) }},
		{"RunsOf of too few", "perm: runs of 33 rows from 1 words, of which bit 0 must be set", func() { perm.RunsOf(33, []uint32{1}) }},
		{"RunsOf without first", "perm: runs of 3 rows from 1 words, of which bit 0 must be set", func() { perm.RunsOf(3, []uint32{6}) }},
		{"RunsAt from 1", "perm: offset 0 is 1, after 0", func() { perm.RunsAt([]int{1, 2}) }},
		{"RunsAt falling", "perm: offset 2 is 4, after 5", func() { perm.RunsAt([]int{0, 5, 4, 6}) }},
		{"RunsAt above the last", "perm: offset 1 is 7, after 0", func() { perm.RunsAt([]int{0, 7, 6}) }},
		{"RunsAt negative", "perm: offset 1 is -1, after 0", func() { perm.RunsAt([]int{0, -1}) }},
		{"Begins before", "perm: position -1 of 3 rows", func() { r.Begins(-1) }},
		{"Begins after", "perm: position 3 of 3 rows", func() { r.Begins(3) }},
		{"Count before", "perm: positions -1 to 2 of 3 rows", func() { r.Count(-1, 2) }},
		{"Count after", "perm: positions 0 to 4 of 3 rows", func() { r.Count(0, 4) }},
		{"Count backward", "perm: positions 2 to 1 of 3 rows", func() { r.Count(2, 1) }},
		{"Count of all", fmt.Sprintf("perm: positions %d to %d of 3 rows", math.MinInt, math.MaxInt), func() { r.Count(math.MinInt, math.MaxInt) }},
		{"At before", "perm: position -1 of 3 rows", func() { r.At(-1) }},
		{"At after", "perm: position 3 of 3 rows", func() { r.At(3) }},
		{"At of none", "perm: position 0 of 0 rows", func() { perm.Runs{}.At(0) }},
		{"Next before", "perm: position -1 of 3 rows", func() { r.Next(-1) }},
		{"Next far before", fmt.Sprintf("perm: position %d of 3 rows", math.MinInt), func() { r.Next(math.MinInt) }},
		{"Next of none", "perm: position -1 of 0 rows", func() { perm.Runs{}.Next(-1) }},
	} {
		if value := recovered(c.f); value != c.message {
			t.Errorf("%s: panicked with %v, want %q", c.call, value, c.message)
		}
	}
}

func recovered(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// TestRunsAllocs reads runs without allocations.
func TestRunsAllocs(t *testing.T) {
	testkit.SkipInstrumented(t)
	r, sum := perm.RunsAt(drawRuns(1000, 5, 1)), 0
	if got := testing.AllocsPerRun(10, func() {
		for lo, hi := range r.All() {
			sum += hi - lo
		}
	}); got > 0 {
		t.Errorf("%v allocations", got)
	}
}

func BenchmarkRuns(b *testing.B) {
	const n = 1 << 20
	for _, longest := range []int{1, 3, 100, n} {
		r := perm.RunsAt(drawRuns(n, longest, 1))
		b.Run(fmt.Sprintf("longest=%d", longest), func(b *testing.B) {
			sum := 0
			for b.Loop() {
				for lo, hi := range r.All() {
					sum += hi - lo
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
