package extsort_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"example.com/sorter/extsort"
)

// TestObserve holds each sort to one report, that of Report, when it is closed: in memory and on disk, after all of the
// output, a part of it and none, and within the loop.
func TestObserve(t *testing.T) {
	defer extsort.Observe(nil)
	rows := rowsOf(keysOf("uniform", 9000, rand.New(rand.NewPCG(1, 9))))
	for name, limit := range map[string]int64{"disk": 128 << 10, "memory": 8 << 20} {
		for _, read := range []string{"all", "some", "none", "closed within"} {
			for _, reported := range []bool{true, false} {
				var got []*extsort.Stats
				extsort.Observe(func(st *extsort.Stats) { got = append(got, st) })
				opts := []extsort.Option{extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir())}
				var st extsort.Stats
				if reported {
					opts = append(opts, extsort.Report(&st))
				}
				s, err := extsort.New(byKey(), opts...)
				must(t, err)
				must(t, s.Append(rows...))
				if read != "none" {
					for _, err := range s.All() {
						must(t, err)
						if read == "closed within" {
							must(t, s.Close())
						}
						if read != "all" {
							break
						}
					}
				}
				if read != "closed within" && len(got) > 0 {
					t.Errorf("%s, %s: a report before the end", name, read)
				}
				must(t, s.Close())
				must(t, s.Close())
				if len(got) != 1 || got[0].Elements != int64(len(rows)) || got[0].Memory == 0 || (got[0].Runs > 0) != (name == "disk") {
					t.Fatalf("%s, %s: %d reports, %+v", name, read, len(got), got)
				}
				if reported && !reflect.DeepEqual(*got[0], st) {
					t.Errorf("%s, %s: the observer gets %+v, Report %+v", name, read, *got[0], st)
				}
			}
		}
	}
	extsort.Observe(nil)
	s, err := extsort.New(byKey())
	must(t, err)
	must(t, s.Close())
}
