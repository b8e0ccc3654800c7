package parquetsort

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"example.com/sorter/internal/powerloss"
	"example.com/sorter/internal/testkit"
)

// powerJobs sort the file "in" of their folder.
var powerJobs = map[string]func(dir string) error{
	"in place": func(dir string) error {
		in := filepath.Join(dir, "in")
		return SortFile(in, []string{in}, bySampleID, MemoryLimit(100_000), TempDir(dir), Workers(2))
	},
	"several": func(dir string) error {
		return SortFile(filepath.Join(dir, "out-%d"), []string{filepath.Join(dir, "in")}, bySampleID, SplitRows(700), Workers(1))
	},
}

func TestMain(m *testing.M) {
	powerloss.Main(powerJobs)
	os.Exit(m.Run())
}

// TestSortFilePowerLoss cuts the power: each destination is the old file or all of the new one, and the new one once
// SortFile has returned.
func TestSortFilePowerLoss(t *testing.T) {
	for job, outs := range map[string][]string{"in place": {"in"}, "several": {"out-0", "out-1", "out-2"}} {
		t.Run(job, func(t *testing.T) {
			dir := t.TempDir()
			before, after := map[string][]byte{}, map[string][]byte{}
			writeSamples(t, filepath.Join(dir, "in"), 2000)
			for _, name := range append(outs, "in") {
				before[name], _ = os.ReadFile(filepath.Join(dir, name))
			}
			l := powerloss.RecordJob(t, dir, job)
			for _, name := range append(outs, "in") {
				text, err := os.ReadFile(filepath.Join(dir, name))
				must(t, err)
				after[name] = text
			}
			met := map[bool]int{}
			look := func(_ string, ended bool) error {
				for _, name := range append(outs, "in") {
					got, _ := os.ReadFile(filepath.Join(dir, name))
					isNew := bytes.Equal(got, after[name])
					if met[isNew]++; !isNew && (ended || !bytes.Equal(got, before[name])) {
						return fmt.Errorf("%s has %d bytes, ended %v", name, len(got), ended)
					}
				}
				return nil
			}
			n, err := l.Cut(powerloss.Draws{Moments: testkit.Pick(20, 0)}, look)
			if t.Log(n); err != nil || met[true] == 0 || met[false] == 0 {
				t.Fatal(met, err)
			}
			powerloss.CheckSyncs(t, l, "", powerloss.Draws{Moments: 20}, look)
		})
	}
}
