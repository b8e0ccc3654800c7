//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/sorter/internal/powerloss"
	"example.com/sorter/internal/testkit"
)

// powerCalls are calls that write a file: x, which is there, or new.
var powerCalls = map[string][]string{
	"in place":   {"x", "-o", "x"},
	"new file":   {"-n", "x", "-o", "new"},
	"columns":    {"-by", "n", "x", "-o", "new"},
	"to table":   {"-by", "n", "-T", "runs", "x", "-format", "csv", "-o", "new.parquet"},
	"from disk":  {"-S", "1M", "-T", "runs", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "-o", "x"},
	"compressed": {"x", "-o", "new.gz"},
	"merge":      {"-m", "x", "x", "-o", "new"},
	"parts":      {"-split", "rows=5000", "x", "-o", "part-%d"},
}

// powerJobs make these calls in a folder.
var powerJobs = jobsOf(powerCalls)

func jobsOf(calls map[string][]string) map[string]func(dir string) error {
	jobs := map[string]func(string) error{}
	for name, args := range calls {
		jobs[name] = func(dir string) error {
			if err := os.Chdir(dir); err != nil {
				return err
			}
			var stderr strings.Builder
			if code := run(args, strings.NewReader(""), os.Stdout, &stderr); code != 0 {
				return fmt.Errorf("exit %d: %s", code, stderr.String())
			}
			return nil
		}
	}
	return jobs
}

// TestPowerLoss cuts the power while a file is written: it is the old one or all of the new one, and the new one once
// the process has ended.
func TestPowerLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	var text strings.Builder
	text.WriteString("n\n")
	for range 12_000 {
		fmt.Fprintln(&text, r.IntN(1_000_000_000))
	}
	for name, args := range powerCalls {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Dir(fileOf(t, "x", text.String()))
			if err := os.Mkdir(filepath.Join(dir, "runs"), 0o777); err != nil {
				t.Fatal(err)
			}
			l := powerloss.RecordJob(t, dir, name)
			out := args[len(args)-1]
			outs := []string{out}
			if name == "parts" {
				outs = []string{"part-0", "part-1", "part-2"}
			}
			whole := map[string]string{}
			for _, out := range outs {
				text, err := os.ReadFile(filepath.Join(dir, out))
				if err != nil || len(text) == 0 {
					t.Fatal(err)
				}
				whole[out] = string(text)
			}
			met := map[bool]int{}
			look := func(said string, ended bool) error {
				in, err := os.ReadFile(filepath.Join(dir, "x"))
				if err != nil {
					return err
				}
				if out != "x" && string(in) != text.String() {
					return fmt.Errorf("the input has %d bytes, not %d", len(in), text.Len())
				}
				all := true
				for _, out := range outs {
					got, err := os.ReadFile(filepath.Join(dir, out))
					isNew := err == nil && string(got) == whole[out]
					isOld := os.IsNotExist(err) && out != "x" || string(got) == text.String()
					if all = all && isNew; !isNew && (ended || !isOld) {
						return fmt.Errorf("%s has %d bytes of %d, ended %v, %v", out, len(got), len(whole[out]), ended, err)
					}
				}
				met[all]++
				return nil
			}
			n, err := l.Cut(powerloss.Draws{Moments: testkit.Pick(15, 60)}, look)
			if t.Log(n); err != nil || met[true] == 0 || met[false] == 0 {
				t.Fatal(met, err)
			}
			powerloss.CheckSyncs(t, l, "", powerloss.Draws{Moments: 30}, look)
		})
	}
}
