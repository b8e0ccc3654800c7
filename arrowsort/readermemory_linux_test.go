package arrowsort_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"example.com/sorter/arrowsort"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/cgroup"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// Variables of a child process: its limit and compression, and its control group.
const memoryRole, memoryGroup = "ARROWSORT_TEST_MEMORY", "ARROWSORT_TEST_GROUP"

// residentPeak returns the most resident memory that the process has had.
func residentPeak(t *testing.T) (bytes int64) {
	f, err := os.Open("/proc/self/status")
	must(err)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if _, err := fmt.Sscanf(lines.Text(), "VmHWM: %d kB", &bytes); err == nil {
			return bytes << 10
		}
	}
	t.Skip("the system does not say how much memory is resident")
	return 0
}

// TestReaderMemoryChild is the child process of TestReaderMemory.
func TestReaderMemoryChild(t *testing.T) {
	args := os.Getenv(memoryRole)
	if args == "" {
		t.Skip("for the child process of another test")
	}
	if dir := os.Getenv(memoryGroup); dir != "" {
		must(cgroup.Enter(dir))
	}
	var limit int64
	var how extsort.Compression
	_, err := fmt.Sscan(args, &limit, &how)
	must(err)
	rows := int(limit / 6) // of about 34 bytes
	var st arrowsort.ReaderStats
	before := residentPeak(t)
	out, err := arrowsort.SortReader(context.Background(), newGenerated(rows), oneKey, arrowsort.MemoryLimit(limit), arrowsort.TempDir("/var/tmp"), arrowsort.Compress(how), arrowsort.ReportReader(&st))
	must(err)
	got, last := 0, int64(-1)
	for out.Next() {
		for _, key := range out.RecordBatch().Column(0).(*array.Int64).Int64Values() {
			if key < last {
				t.Fatal("out of order")
			}
			last = key
			got++
		}
	}
	must(out.Err())
	out.Release()
	if got != rows || st.Memory > limit || st.Runs < 6 {
		t.Errorf("%d rows of %d: %+v", got, rows, st)
	}
	fmt.Println("grown", residentPeak(t)-before)
}

// TestReaderMemory sorts 5 times the memory in a process of its own, in a control group where that can be
// made. The garbage collector is told a little less than the limit, so that garbage does not hide what is in use, and
// what is allocated while it is at work does not pass the limit.
func TestReaderMemory(t *testing.T) {
	testkit.SkipInstrumented(t)
	testkit.SkipUnlessLong(t)
	for _, how := range []extsort.Compression{extsort.None, extsort.S2} {
		const limit = 96 << 20
		cmd := exec.Command(os.Args[0], "-test.run=^TestReaderMemoryChild$", "-test.v")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", memoryRole, limit, how), fmt.Sprint("GOMEMLIMIT=", limit-limit/16))
		if dir, err := cgroup.Make(limit + 32<<20); err == nil {
			cmd.Env = append(cmd.Env, memoryGroup+"="+dir)
			t.Cleanup(func() {
				if !testkit.Eventually(func() bool { return os.Remove(dir) == nil }) {
					t.Errorf("control group %s remains", dir)
				}
			})
		} else {
			t.Logf("no control group: %v", err)
		}
		out, err := cmd.CombinedOutput()
		_, rest, found := strings.Cut(string(out), "grown ")
		var grown int64
		if _, failed := fmt.Sscan(rest, &grown); err != nil || !found || failed != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%.1f MiB of %d", float64(grown)/(1<<20), limit>>20)
		if grown > limit {
			t.Errorf("grown by %.1f MiB", float64(grown)/(1<<20))
		}
	}
}
