package rank_test

import (
	"math"
	"strings"
	"testing"

	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// TestMisuseOfManyRows: an index that is no row, which one of several goroutines finds, panics on the
// calling one, before any rank is written.
func TestMisuseOfManyRows(t *testing.T) {
	p, all := perm.Identity(1<<18), perm.Runs{}
	p[1<<17] = math.MaxUint32
	ranks, shares := make([]uint32, len(p)), make([]float64, len(p))
	for name, f := range map[string]func(){
		"RowNumber": func() { rank.RowNumber(ranks, p, all) },
		"NTile":     func() { rank.NTile(ranks, 3, p, all) },
		"Min":       func() { rank.Min(ranks, p, all, all) },
		"Max":       func() { rank.Max(ranks, p, all, all) },
		"Dense":     func() { rank.Dense(ranks, p, all, all) },
		"Average":   func() { rank.Average(shares, p, all, all) },
		"Percent":   func() { rank.Percent(shares, p, all, all) },
		"CumeDist":  func() { rank.CumeDist(shares, p, all, all) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "rank: ") {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			f()
		}()
	}
	for i := range ranks {
		if ranks[i] != 0 || shares[i] != 0 {
			t.Fatalf("row %d was written", i)
		}
	}
}
