package extsort_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// elementsIn returns the number of elements of batches.
func elementsIn[E any](t *testing.T, batches iter.Seq2[[]E, error]) (n int) {
	t.Helper()
	for batch, err := range batches {
		must(t, err)
		n += len(batch)
	}
	return n
}

// TestBlocksAreReadOnce expects that blocks in which parts end are not read again for the next part: by
// one reader of all, and by each range of Parts.
func TestBlocksAreReadOnce(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 1_000_000, rand.New(rand.NewPCG(1, 113))))
	for _, ranges := range []int{1, 2} {
		var st extsort.Stats
		s, err := extsort.New(byKey(), extsort.MemoryLimit(15<<20), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Compress(extsort.None), extsort.Report(&st))
		must(t, err)
		defer s.Close()
		must(t, s.Append(rows...))
		parts, err := s.Parts(ranges)
		must(t, err)
		n := 0
		for _, p := range parts {
			n += elementsIn(t, p.Batches())
		}
		must(t, s.Close())
		if n != len(rows) || st.Runs < 10 {
			t.Fatalf("%d elements of %d, %d runs", n, len(rows), st.Runs)
		}
		if st.Read > st.Written+st.Written/50 {
			t.Errorf("%d ranges: %d bytes written, %d read", ranges, st.Written, st.Read)
		}
	}
}

// TestSeveralReaders expects that slices are read by several goroutines at a time where the system reads
// nothing ahead: a read waits for another.
func TestSeveralReaders(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 400_000, rand.New(rand.NewPCG(1, 114))))
	var reading, together, merging atomic.Int64
	d := &faultDisk{onRead: func(_ *faultFile, p []byte, _ int64) int {
		reading.Add(1)
		defer reading.Add(-1)
		for turn := 0; turn < 100 && merging.Load() == 1 && together.Load() == 0; turn++ {
			if reading.Load() > 1 {
				together.Add(1)
			}
			time.Sleep(time.Millisecond)
		}
		return len(p)
	}}
	s, err := extsort.New(byKey(), extsort.MemoryLimit(20<<20), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.OnDisk(d))
	must(t, err)
	defer s.Close()
	must(t, s.Append(rows...))
	merging.Store(1)
	n := elementsIn(t, s.Batches())
	if n != len(rows) || together.Load() == 0 {
		t.Errorf("%d elements of %d, two reads at a time: %v", n, len(rows), together.Load() > 0)
	}
}

// TestAllReadsBlocksOnce expects that All, which reads ahead, reads each block once.
func TestAllReadsBlocksOnce(t *testing.T) {
	testkit.SkipRace(t)
	rows := rowsOf(keysOf("uniform", 1_000_000, rand.New(rand.NewPCG(1, 113))))
	for _, limit := range []int64{4 << 20, 15 << 20, 20 << 20} {
		var st extsort.Stats
		s, err := extsort.New(byKey(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Compress(extsort.None), extsort.Report(&st))
		must(t, err)
		defer s.Close()
		must(t, s.Append(rows...))
		n := 0
		for batch, err := range s.Batches() {
			must(t, err)
			if n == 0 && !extsort.ReadsAhead(s) {
				t.Skip("the system reads nothing ahead")
			}
			n += len(batch)
		}
		must(t, s.Close())
		if n != len(rows) || st.Runs < 5 {
			t.Fatalf("%d elements of %d, %d runs", n, len(rows), st.Runs)
		}
		if st.Read != st.Written {
			t.Errorf("%d bytes of memory, %d runs: %d bytes written, %d read", limit, st.Runs, st.Written, st.Read)
		}
	}
}

// TestFewRunsAreMergedBefore expects that only some of the runs are merged before the last merge where
// those make the others few enough.
func TestFewRunsAreMergedBefore(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 200_000, rand.New(rand.NewPCG(1, 115))))
	var st extsort.Stats
	s, err := extsort.New(byKey(), extsort.MemoryLimit(1<<20), extsort.TempDir(t.TempDir()), extsort.Workers(2), extsort.Compress(extsort.None), extsort.Report(&st), extsort.OnDisk(&faultDisk{}))
	must(t, err)
	defer s.Close()
	must(t, s.Append(rows...))
	n := elementsIn(t, s.Batches())
	must(t, s.Close())
	if n != len(rows) || st.Merges == 0 {
		t.Fatalf("%d elements of %d, %d merges", n, len(rows), st.Merges)
	}
	if bytes := 24 * int64(n); st.Written > bytes*3/2 {
		t.Errorf("%d bytes in %d runs: %d written, %d merges", bytes, st.Runs, st.Written, st.Merges)
	}
}

// TestEndsOfLines expects that blocks of lines are read about once: parts leave memory for the last block of each run.
func TestEndsOfLines(t *testing.T) {
	testkit.SkipRace(t)
	const limit = 15 << 20
	r := rand.New(rand.NewPCG(137, 138))
	var st extsort.Stats
	s, err := extsort.NewCoded(byText(), extsort.Strings(), extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()), extsort.Workers(2),
		extsort.Compress(extsort.None), extsort.Report(&st), extsort.OnDisk(&faultDisk{}))
	must(t, err)
	defer s.Close()
	line := strings.Repeat("z", 90)
	n := 3 * limit / 100
	for range n {
		must(t, s.Append(fmt.Sprintf("%010d", r.Int64N(1e10))+line))
	}
	if got := elementsIn(t, s.Batches()); got != n {
		t.Fatalf("%d lines of %d", got, n)
	}
	must(t, s.Close())
	if st.Merges > 0 || st.Read > st.Written*5/4 {
		t.Errorf("%d runs, %d merges, %d parts: %d bytes written, %d read", st.Runs, st.Merges, st.Parts, st.Written, st.Read)
	}
}
