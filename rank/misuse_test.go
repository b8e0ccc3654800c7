package rank_test

import (
	"math"
	"slices"
	"testing"

	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// TestMisuse: a window that does not fit its rows panics with both numbers, before any rank is written.
func TestMisuse(t *testing.T) {
	p, r := perm.Identity(3), perm.RunsAt([]int{0, 1, 3})
	other, dst, floats := perm.RunsAt([]int{0, 4}), make([]uint32, 3), make([]float64, 3)
	parts := rank.Window{Order: p, Partitions: other, Peers: r}
	peers := rank.Window{Order: p, Partitions: r, Peers: other}
	for _, c := range []struct {
		call, message string
		f             func()
	}{
		{"RowNumber, too few results", "rank: 2 ranks with an order of 3 rows", func() { rank.Window{Order: p}.RowNumber(dst[:2]) }},
		{"AverageRank, too many results", "rank: 4 ranks with an order of 3 rows", func() { rank.Window{Order: p}.AverageRank(append(floats, 0)) }},
		{"MaxRank, too large an order", "rank: 3 ranks with an order of 4 rows", func() { rank.Window{Order: perm.Identity(4)}.MaxRank(dst) }},
		{"Rank, no order", "rank: 3 ranks with an order of 0 rows", func() { rank.Window{Peers: r}.Rank(dst) }},
		{"Rank, nil results", "rank: 0 ranks with an order of 3 rows", func() { rank.Window{Order: p}.Rank(nil) }},
		{"RowNumber, other partitions", "rank: partitions of 4 rows with an order of 3", func() { parts.RowNumber(dst) }},
		{"Rank, other partitions", "rank: partitions of 4 rows with an order of 3", func() { parts.Rank(dst) }},
		{"Distinct, other partitions", "rank: partitions of 4 rows with an order of 3", func() { parts.Distinct() }},
		{"Rank, other peers", "rank: peers of 4 rows with an order of 3", func() { peers.Rank(dst) }},
		{"RowNumber, other peers", "rank: peers of 4 rows with an order of 3", func() { peers.RowNumber(dst) }},
		{"CumeDist, peers of fewer rows", "rank: peers of 1 rows with an order of 3", func() { rank.Window{Order: p, Peers: perm.RunsAt([]int{0, 1})}.CumeDist(floats) }},
		{"PercentRank, peers without an order", "rank: peers of 3 rows with an order of 0", func() { rank.Window{Peers: r}.PercentRank(nil) }},
		{"Distinct, other peers", "rank: peers of 4 rows with an order of 3", func() { peers.Distinct() }},
		{"Distinct, no peers", "rank: peers of 0 rows with an order of 3", func() { rank.Window{Order: p}.Distinct() }},
		{"Duplicates, other peers", "rank: peers of 4 rows with an order of 3", func() { peers.Duplicates()(nil) }},
		{"DenseRank, an index too large", "rank: index 3 in an order of 3 rows", func() { rank.Window{Order: perm.Perm{0, 3, 1}, Partitions: r, Peers: r}.DenseRank(dst) }},
		{"NTile of nothing", "rank: NTile of 0 buckets: need at least 1", func() { rank.Window{Order: p}.NTile(dst, 0) }},
	} {
		wantPanic(t, c.call, c.message, c.f)
	}
	if !slices.Equal(dst, make([]uint32, 3)) {
		t.Errorf("misuse wrote %v", dst)
	}
}

// TestMisuseOfManyRows: an index that is no row, which one of several goroutines finds, panics on the
// calling one, before any rank is written.
func TestMisuseOfManyRows(t *testing.T) {
	p := perm.Identity(1 << 18)
	p[1<<17] = math.MaxUint32
	ranks, shares, w := make([]uint32, len(p)), make([]float64, len(p)), rank.Window{Order: p}
	for name, f := range map[string]func(){
		"RowNumber":   func() { w.RowNumber(ranks) },
		"NTile":       func() { w.NTile(ranks, 3) },
		"Rank":        func() { w.Rank(ranks) },
		"MaxRank":     func() { w.MaxRank(ranks) },
		"DenseRank":   func() { w.DenseRank(ranks) },
		"AverageRank": func() { w.AverageRank(shares) },
		"PercentRank": func() { w.PercentRank(shares) },
		"CumeDist":    func() { w.CumeDist(shares) },
	} {
		wantPanic(t, name, "rank: index 4294967295 in an order of 262144 rows", f)
	}
	for i := range ranks {
		if ranks[i] != 0 || shares[i] != 0 {
			t.Fatalf("row %d was written", i)
		}
	}
}

func wantPanic(t *testing.T, call, message string, f func()) {
	t.Helper()
	defer func() {
		if text := recover(); text != message {
			t.Errorf("%s: panic %v, want %q", call, text, message)
		}
	}()
	f()
}
