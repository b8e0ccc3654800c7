package conformance_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	drawnShards = flag.Int("drawn.shards", 0, "run TestDrawnCalls in as many processes, for the time of -drawn.for; -1: one for each processor")
	drawnMerge  = flag.String("drawn.merge", "", "add up the reports of -drawn.report whose names match this pattern")
)

// TestDrawnSoak draws calls in several processes, and adds up their reports. Ways and vector instructions are
// switched off for a whole process, so a process makes one call at a time.
func TestDrawnSoak(t *testing.T) {
	if *drawnShards == 0 {
		t.Skip("takes as long as -drawn.for says: -drawn.shards asks for it")
	}
	shards, dir := *drawnShards, t.TempDir()
	if shards < 0 {
		shards = runtime.NumCPU()
	}
	first := uint64(time.Now().UnixNano())
	var wait sync.WaitGroup
	for i := range shards {
		wait.Go(func() {
			// Seeds of shards are a year of nanoseconds apart.
			if out, err := shard(first+uint64(i)<<54, filepath.Join(dir, fmt.Sprint(i, ".json"))); err != nil {
				t.Errorf("shard %d: %v\n%s", i, err, out)
			}
		})
	}
	wait.Wait()
	mergeReports(t, filepath.Join(dir, "*.json"))
}

// shard runs TestDrawnCalls in a process of its own.
func shard(first uint64, report string) (out string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	c := exec.Command(self, "-test.run=^TestDrawnCalls$", "-test.timeout=0", "-drawn.for="+drawnFor.String(), fmt.Sprint("-drawn.first=", first),
		fmt.Sprint("-drawn.size=", *drawnSize), "-drawn.verb="+*drawnVerb, "-drawn.report="+report)
	c.Env = append(os.Environ(), "GOMAXPROCS=2")
	data, err := c.CombinedOutput()
	return strings.TrimSpace(string(data)), err
}

// TestDrawnReports adds up the reports of several runs, such as those of several machines.
func TestDrawnReports(t *testing.T) {
	if *drawnMerge == "" {
		t.Skip("adds up the reports that -drawn.merge names")
	}
	mergeReports(t, *drawnMerge)
}

// mergeReports adds up reports, and says how many pairs occurred in any of them.
func mergeReports(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%d reports %s, error %v", len(files), pattern, err)
	}
	all := newCoverage()
	for _, file := range files {
		if err := all.load(file); err != nil {
			t.Error(err)
		}
	}
	t.Logf("%d reports, %.0f calls per second together", len(files), float64(all.Calls)/all.Seconds*float64(len(files)))
	all.report(t)
}
