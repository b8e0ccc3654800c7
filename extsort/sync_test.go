package extsort_test

import (
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// TestSyncTakesLittleMemory makes a few elements durable at a time, resumes the sort, and reads them: with a limit of 4 GiB
// that takes the memory of few elements, and no more when a run fills up after all.
func TestSyncTakesLittleMemory(t *testing.T) {
	testkit.SkipInstrumented(t)
	dir := t.TempDir()
	opts := []extsort.Option{extsort.Keep(dir), extsort.MemoryLimit(1 << 32)}
	byKey := sorter.By(sorter.Asc(func(e uint64) uint64 { return e }))
	s, err := extsort.New(byKey, opts...)
	must(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var want []uint64
	for i := range uint64(10) {
		if i == 5 {
			must(t, s.Close())
			s, err = extsort.Resume(dir, byKey, extsort.MemoryLimit(1<<32))
			must(t, err)
		}
		for j := range 1 + 300*i {
			e := (j*7 + i*1000003) % 9973
			want = append(want, e)
			must(t, s.Append(e))
		}
		must(t, s.Sync())
	}
	slices.Sort(want)
	got := make([]uint64, 0, len(want))
	for e, err := range s.All() {
		must(t, err)
		got = append(got, e)
	}
	must(t, s.Close())
	if !slices.Equal(got, want) {
		t.Fatalf("%d elements, or another order than that of %d", len(got), len(want))
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 64<<20 {
		t.Errorf("%d MiB were allocated", (after.TotalAlloc-before.TotalAlloc)>>20)
	}
}

// TestSyncThenFull syncs few elements first, and then appends several runs of them.
func TestSyncThenFull(t *testing.T) {
	const limit = 1 << 20
	for _, early := range testkit.Pick([]int{1, 12_000, 14_000}, []int{1, 1000, 12_000, 14_000, 30_000}) {
		s, err := extsort.New(sorter.By(sorter.Asc(func(e uint64) uint64 { return e })), extsort.Keep(t.TempDir()), extsort.MemoryLimit(limit))
		must(t, err)
		next, want := uint64(1), []uint64(nil)
		for i := range 300_000 {
			next = next*6364136223846793005 + 1442695040888963407
			want = append(want, next)
			must(t, s.Append(next))
			if i < 3*early && (i+1)%early == 0 || i == 200_000 {
				must(t, s.Sync())
			}
		}
		slices.Sort(want)
		i := 0
		for e, err := range s.All() {
			must(t, err)
			if e != want[i] {
				t.Fatalf("early %d: element %d is %d, want %d", early, i, e, want[i])
			}
			i++
		}
		must(t, s.Close())
		if i != len(want) {
			t.Fatalf("early %d: %d elements of %d", early, i, len(want))
		}
	}
}

// TestElementsOfSyncStay has the run of a Sync wait for a disk that fails, while others take memory: none is lost, and
// the memory of Stats is the most so far.
func TestElementsOfSyncStay(t *testing.T) {
	rows, most := rowsOf(keysOf("uniform", 6000, rand.New(rand.NewPCG(161, 162)))), int64(0)
	for _, after := range []int{0, 1, len(rows) - 2000} {
		var st extsort.Stats
		d := &faultDisk{}
		s, err := extsort.New(byKey(), extsort.Keep(t.TempDir()), extsort.MemoryLimit(4<<20), extsort.OnDisk(d), extsort.Report(&st))
		must(t, err)
		must(t, s.Append(rows[:2000]...))
		d.failed, d.sticky = "write", true
		if err := s.Sync(); !errors.Is(err, errInjected) {
			t.Fatalf("Sync on a disk that fails: %v", err)
		}
		for more := rows[2000 : 2000+after]; len(more) > 0; more = more[min(2000, len(more)):] { // as many take the memory that is free
			must(t, s.Append(more[:min(2000, len(more))]...))
		}
		d.mend()
		must(t, s.Retry())
		if after < 2 {
			must(t, s.Discard())
		} else {
			sameElements(t, collect(t, s), sorted(rows))
			must(t, s.Close())
		}
		if most = max(most, st.Memory); st.Memory < most || st.Runs == 0 {
			t.Errorf("%d elements after those of Sync: %d bytes of memory, with fewer %d, %d runs", after, st.Memory, most, st.Runs)
		}
	}
}
