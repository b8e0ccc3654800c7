package extsort_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// faultCase is a sort that is small, and has a few runs and parts.
type faultCase struct {
	name  string
	limit int64
	n     int
	how   extsort.Compression
}

// The second merges adjacent runs.
var faultCases = []faultCase{{"runs", 256 << 10, 6000, extsort.None}, {"merges", 64 << 10, 2600, extsort.None}, {"packed", 320 << 10, 3000, extsort.S2}}

// TestEveryCallFailsOnce lets each call of the disk fail, one in each sort.
func TestEveryCallFailsOnce(t *testing.T) {
	for _, c := range faultCases {
		rows := rowsOf(keysOf("uniform", c.n, rand.New(rand.NewPCG(21, 22))))
		if c.how != extsort.None {
			rows = alike(c.n, rand.New(rand.NewPCG(21, 22)))
		}
		want := sorted(rows)
		for _, sticky := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/sticky=%v", c.name, sticky), func(t *testing.T) {
				met := map[string]int{}
				step := testkit.Pick(13, 1)
				for n := 1; ; n += step {
					d := &faultDisk{fail: n, sticky: sticky}
					checkSame(t, func() { sortWithFault(t, c, d, rows, want, n%2 == 0) })
					if d.failed == "" {
						break // n is above the number of calls
					}
					met[d.failed]++
					if t.Failed() {
						t.Fatalf("call %d, %s", n, d.failed)
					}
				}
				for _, op := range []string{"create", "reserve", "write", "read", "punch", "close"} {
					if met[op] == 0 && step == 1 && (op != "punch" || c.name != "runs") {
						t.Errorf("no failure of %s: %v", op, met)
					}
				}
			})
		}
	}
}

// sortWithFault sorts rows on d, goes on after errors of writing by AddDir or Retry, and
// expects a right result, or the injected error after right elements.
func sortWithFault(t *testing.T, c faultCase, d *faultDisk, rows, want []row, addDir bool) {
	t.Helper()
	crew := testkit.NewCrew()
	dirs := []string{t.TempDir(), t.TempDir()}
	var st extsort.Stats
	s, err := extsort.New(byKey(), extsort.MemoryLimit(c.limit), extsort.Workers(2), extsort.TempDir(dirs[0]), extsort.OnDisk(d), extsort.Report(&st), extsort.Compress(c.how))
	must(t, err)
	goOn := func(err error, full bool) {
		t.Helper()
		op := d.failedOp()
		checkDiskError(t, err, op, dirs...)
		if !errors.Is(err, errInjected) {
			t.Fatalf("error %v is not that of %s", err, op)
		}
		n := s.Len()
		if full && d.sticky {
			if err := s.Append(rows[0]); !errors.Is(err, errInjected) || s.Len() != n {
				t.Fatalf("Append in full memory: %v", err)
			}
		}
		d.mend()
		if op == "read" {
			return
		}
		if addDir {
			err = s.AddDir(dirs[1])
		} else {
			err = s.Retry()
		}
		if err != nil || s.Len() != n {
			t.Fatalf("%d elements, then %d, after %s: %v", n, s.Len(), op, err)
		}
	}
	for s.Len() < int64(len(rows)) {
		at := s.Len()
		err := s.Append(rows[at:min(at+97, int64(len(rows)))]...)
		if err != nil {
			goOn(err, true)
		}
	}
	got, err := drain(s)
	if err != nil && d.failedOp() == "read" && s.Retry() != nil { // handed out in part
		checkPrefix(t, got, want)
		if len(got) == len(want) {
			t.Error("an error after all elements")
		}
		checkDiskError(t, err, "read", dirs...)
	} else {
		if err != nil {
			if len(got) > 0 {
				t.Fatalf("%d elements before an error of %s", len(got), d.failedOp())
			}
			goOn(err, false)
			got, err = drain(s)
		}
		must(t, err)
		sameElements(t, got, want)
	}
	if c.how != extsort.None && d.failed == "" && (st.S2Blocks == 0 || st.Ratio() < 1.2 || st.Runs < 3) {
		t.Errorf("ratio %.2f: %+v", st.Ratio(), st)
	}
	if c.name == "merges" && err == nil && st.Merges == 0 {
		t.Errorf("no merge of adjacent runs: %+v", st)
	}
	err = s.Close()
	if op := d.failedOp(); op == "punch" || op == "close" {
		checkDiskError(t, err, op, dirs...)
	} else {
		must(t, err)
	}
	must(t, s.Close())
	crew.CheckAlone(t, "after a fault")
	d.checkEmpty(t)
	for _, dir := range dirs {
		checkDirEmpty(t, dir)
	}
}

// TestShortTransfers has calls that do half of their work without an error.
func TestShortTransfers(t *testing.T) {
	rows := rowsOf(keysOf("uniform", 6000, rand.New(rand.NewPCG(23, 24))))
	want := sorted(rows)
	met := map[string]int{}
	for n := 1; ; n += testkit.Pick(5, 1) {
		d := &faultDisk{fail: n, short: true}
		s, err := extsort.New(byKey(), extsort.MemoryLimit(256<<10), extsort.TempDir(t.TempDir()), extsort.OnDisk(d))
		must(t, err)
		err = s.Append(rows...)
		var got []row
		if err == nil {
			got, err = drain(s)
		}
		checkPrefix(t, got, want)
		switch met[d.failed]++; d.failed {
		case "write":
			if !errors.Is(err, io.ErrShortWrite) {
				t.Fatalf("short write: %v", err)
			}
		case "read":
			if !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, extsort.ErrCorrupt) {
				t.Fatalf("short read: %v", err)
			}
		}
		_ = s.Close()
		d.checkEmpty(t)
		if d.failed == "" {
			must(t, err)
			break
		}
	}
	if met["read"] == 0 || met["write"] == 0 {
		t.Errorf("%v", met)
	}
}

// TestAppendAfterFailedMerge appends to a resumed sort whose first merges failed, while another sort takes
// memory from the pool.
func TestAppendAfterFailedMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	rows, more := rowsOf(keysOf("uniform", 2600, r)), rowsOf(keysOf("uniform", 2000, r))
	want := sorted(slices.Concat(rows, more))
	failures := 0
	for fail := 1; ; fail += testkit.Pick(29, 7) {
		opts := func(d *faultDisk, keep ...extsort.Option) []extsort.Option {
			return append(keep, extsort.MemoryLimit(64<<10), extsort.Workers(2), extsort.OnDisk(d))
		}
		dir, d := t.TempDir(), &faultDisk{fail: fail}
		s, err := extsort.New(byKey(), opts(&faultDisk{}, extsort.Keep(dir))...)
		must(t, err)
		must(t, s.Append(rows...))
		must(t, s.Sync())
		must(t, s.Close())
		s, err = extsort.Resume(dir, byKey(), opts(d)...)
		if err != nil {
			continue
		}
		if _, err = drain(s); err == nil {
			must(t, s.Close())
			break
		}
		d.mend()
		if err = s.Append(more...); !errors.Is(err, extsort.ErrEnded) { // no part was handed out
			failures++
			must(t, err)
			other, err := extsort.New(byKey(), opts(&faultDisk{})...)
			must(t, err)
			must(t, other.Append(rows...))
			sameElements(t, collect(t, s), want)
			must(t, other.Close())
		}
		must(t, s.Close())
	}
	if failures == 0 {
		t.Error("no merge failed before a part was handed out")
	}
}
