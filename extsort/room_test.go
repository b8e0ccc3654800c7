package extsort_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// TestRoom expects that the space of what was handed out is given back where the disk has little
// room, or a limit, and otherwise only once all is read.
func TestRoom(t *testing.T) {
	const n, bytes = 400_000, 400_000 * 24
	rows := rowsOf(keysOf("uniform", n, rand.New(rand.NewPCG(71, 72))))
	for i, c := range []struct {
		name  string
		room  int64
		limit int64
		early bool
	}{{"unknown", 0, 0, true}, {"little", bytes, 0, true}, {"much", 3 * bytes, 0, false}, {"limit", 3 * bytes, 2 * bytes, true}} {
		if testkit.ThinnedByRace(i) {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			d := &faultDisk{room: c.room}
			opts := []extsort.Option{extsort.MemoryLimit(16 << 20), extsort.TempDir(t.TempDir()), extsort.OnDisk(d)}
			if c.limit > 0 {
				opts = append(opts, extsort.DiskLimit(c.limit))
			}
			s, err := extsort.New(byKey(), opts...)
			must(t, err)
			must(t, s.Append(rows...))
			least, holes := int64(bytes), int64(0)
			for _, err := range s.All() {
				must(t, err)
				d.mu.Lock()
				least, holes = min(least, d.held), d.holes
				d.mu.Unlock()
			}
			if c.early && least >= bytes/2 || !c.early && holes > 0 {
				t.Errorf("at least %d of %d bytes were held, and holes have %d", least, bytes, holes)
			}
			must(t, s.Close())
			d.checkEmpty(t)
		})
	}
}

// TestWritesWithoutCopy expects that runs of both halves of the memory are written from there, and
// not through the buffer of the writer.
func TestWritesWithoutCopy(t *testing.T) {
	const buffer = 1 << 20
	d := &faultDisk{}
	s, err := extsort.New(byKey(), extsort.MemoryLimit(16<<20), extsort.TempDir(t.TempDir()), extsort.OnDisk(d))
	must(t, err)
	must(t, s.Append(rowsOf(keysOf("uniform", 500_000, rand.New(rand.NewPCG(73, 74))))...))
	for _, err := range s.All() { // all runs are written
		must(t, err)
		break
	}
	must(t, s.Close())
	most := d.files[0].most
	if len(most) < 3 {
		t.Fatalf("%d runs", len(most))
	}
	for i, n := range most[:len(most)-1] { // the last run may be shorter
		if n < buffer {
			t.Errorf("run %d was written in pieces of up to %d bytes", i, n)
		}
	}
}

// TestReadsOfSlices expects that a part takes one read of each run, as a rule.
func TestReadsOfSlices(t *testing.T) {
	reads := atomic.Int64{}
	d := &faultDisk{onRead: func(_ *faultFile, p []byte, _ int64) int {
		reads.Add(1)
		return len(p)
	}}
	var st extsort.Stats
	o := sorter.By(sorter.Asc(func(s string) string { return s }))
	s, err := extsort.NewCoded(o, extsort.Strings(), extsort.MemoryLimit(64<<20), extsort.TempDir(t.TempDir()),
		extsort.OnDisk(d), extsort.Compress(extsort.None), extsort.Report(&st))
	must(t, err)
	r, rest := rand.New(rand.NewPCG(74, 75)), strings.Repeat("x", 1000)
	for range 40_000 {
		must(t, s.Append(fmt.Sprintf("%016x%s", r.Uint64(), rest)))
	}
	for _, err := range s.Batches() {
		must(t, err)
	}
	must(t, s.Close())
	if slices := int64(st.Runs * st.Parts); slices < 20 || reads.Load() > slices*5/4 {
		t.Errorf("%d reads for %d parts of %d runs", reads.Load(), st.Parts, st.Runs)
	}
}

// TestClosedOnceRead expects that files are closed while the last parts are handed out, unless they are kept.
func TestClosedOnceRead(t *testing.T) {
	const n = 400_000
	rows := rowsOf(keysOf("uniform", n, rand.New(rand.NewPCG(76, 77))))
	for _, kept := range []bool{false, true} {
		d := &faultDisk{room: n * 100}
		opts := []extsort.Option{extsort.MemoryLimit(8 << 20), extsort.OnDisk(d)}
		if kept {
			opts = append(opts, extsort.Keep(t.TempDir()))
		} else {
			opts = append(opts, extsort.TempDir(t.TempDir()))
		}
		s, err := extsort.New(byKey(), opts...)
		must(t, err)
		must(t, s.Append(rows...))
		open := func() int {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.open
		}
		i := 0
		for _, err := range s.All() {
			must(t, err)
			if i++; i == 1 && open() == 0 {
				t.Error("no file is open at the begin")
			}
			if i == n && kept && open() == 0 {
				t.Error("kept files are closed")
			}
			for limit := time.Now().Add(time.Minute); i == n && !kept && open() > 0; time.Sleep(time.Millisecond) {
				if time.Now().After(limit) {
					t.Fatal("files are open at the last element")
				}
			}
		}
		must(t, s.Close())
		d.checkEmpty(t)
	}
}
