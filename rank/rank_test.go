package rank_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// table is rows with a partition and a value, in few values each.
type table struct {
	part, value []int
	window      rank.Window
}

// draw returns n rows of about the given numbers of partitions, and of values in each.
func draw(t testing.TB, n, parts, values int) *table {
	t.Helper()
	r := rand.New(rand.NewPCG(uint64(n), uint64(parts*values)))
	x := &table{part: make([]int, n), value: make([]int, n)}
	for i := range n {
		x.part[i], x.value[i] = r.IntN(parts)*r.IntN(2), r.IntN(values)*r.IntN(2)
	}
	var err error
	x.window.Order, err = sorter.RowsBy(n, sorter.AscOf(x.part), sorter.DescOf(x.value)).Order(sorter.Stable(), sorter.MarkRunsBy(1, &x.window.Partitions), sorter.MarkRuns(&x.window.Peers))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// unparted is x as one partition.
func (x *table) unparted() *table {
	y := *x
	y.window.Partitions, y.part = perm.Runs{}, make([]int, len(x.part))
	p, err := sorter.RowsBy(len(x.value), sorter.DescOf(x.value)).Order(sorter.Stable(), sorter.MarkRuns(&y.window.Peers))
	if err != nil {
		panic(err)
	}
	y.window.Order = p
	return &y
}

// wanted are the ranks of one row by counting the rows of its partition.
type wanted struct {
	before, peers, distinct, number, rows int
}

// want counts, in a sorted list of the rows of each partition.
func (x *table) want() []wanted {
	groups := map[int][]int{}
	for i, part := range x.part {
		groups[part] = append(groups[part], i)
	}
	all := make([]wanted, len(x.part))
	for _, rows := range groups {
		slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(x.value[b], x.value[a]) })
		var last wanted
		for k, i := range rows {
			switch {
			case k == 0:
				last = wanted{distinct: 1}
			case x.value[rows[k-1]] != x.value[i]:
				last = wanted{before: k, distinct: last.distinct + 1}
			}
			w := last
			w.number, w.rows = k+1, len(rows)
			all[i] = w
		}
		for k := len(rows) - 1; k >= 0; k-- {
			if k == len(rows)-1 || x.value[rows[k+1]] != x.value[rows[k]] {
				last.peers = k + 1 - all[rows[k]].before
			}
			all[rows[k]].peers = last.peers
		}
	}
	return all
}

// tile is NTILE as standards describe it: bucket by bucket.
func tile(w wanted, k int) uint32 {
	if k >= w.rows {
		return uint32(w.number)
	}
	bucket, left := 1, w.number
	for ; ; bucket++ {
		size := w.rows / k
		if bucket <= w.rows%k {
			size++
		}
		if left <= size {
			return uint32(bucket)
		}
		left -= size
	}
}

func check[T comparable](t *testing.T, name string, x *table, want []wanted, run func(dst []T), of func(w wanted) T) {
	t.Helper()
	got := make([]T, len(x.window.Order))
	run(got)
	for i := range got {
		if got[i] != of(want[i]) {
			t.Fatalf("%s: row %d of %d has %v, want %v: %+v", name, i, len(got), got[i], of(want[i]), want[i])
		}
	}
}

func checkTable(t *testing.T, x *table, name string) {
	t.Helper()
	want, w := x.want(), x.window
	check(t, "RowNumber, "+name, x, want, w.RowNumber, func(w wanted) uint32 { return uint32(w.number) })
	check(t, "Rank, "+name, x, want, w.Rank, func(w wanted) uint32 { return uint32(w.before + 1) })
	check(t, "MaxRank, "+name, x, want, w.MaxRank, func(w wanted) uint32 { return uint32(w.before + w.peers) })
	check(t, "DenseRank, "+name, x, want, w.DenseRank, func(w wanted) uint32 { return uint32(w.distinct) })
	check(t, "AverageRank, "+name, x, want, w.AverageRank, func(w wanted) float64 {
		return (float64(w.before+1) + float64(w.before+w.peers)) / 2
	})
	check(t, "PercentRank, "+name, x, want, w.PercentRank, func(w wanted) float64 {
		if w.rows == 1 {
			return 0
		}
		return float64(w.before) / float64(w.rows-1)
	})
	check(t, "CumeDist, "+name, x, want, w.CumeDist, func(w wanted) float64 {
		return float64(w.before+w.peers) / float64(w.rows)
	})
	for _, k := range []int{1, 2, 3, 4, 7, 100, math.MaxInt} {
		check(t, fmt.Sprintf("NTile(%d), %s", k, name), x, want, func(dst []uint32) { w.NTile(dst, k) }, func(w wanted) uint32 { return tile(w, k) })
	}
}

func TestRanks(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 10, 33, 100, 1000, testkit.Pick(70_000, 400_000)} {
		for _, parts := range []int{1, 3, 1000} {
			for _, values := range []int{1, 3, 1000} {
				if n > 1000 && parts != values && !testkit.Long() {
					continue
				}
				x := draw(t, n, parts, values)
				name := fmt.Sprintf("%d rows in %d partitions and %d groups", n, x.window.Partitions.Len(), x.window.Peers.Len())
				checkTable(t, x, name)
				checkTable(t, x.unparted(), name+", unparted")
			}
		}
	}
}

// TestRanksWithoutOrder has the zero Runs as peers: all rows of a partition are equal.
func TestRanksWithoutOrder(t *testing.T) {
	for _, n := range []int{0, 1, 10, 100_000} {
		x := draw(t, n, 5, 3)
		x.value = make([]int, n)
		p, err := sorter.RowsBy(n, sorter.AscOf(x.part)).Order(sorter.Stable())
		if err != nil {
			t.Fatal(err)
		}
		x.window.Order, x.window.Peers = p, perm.Runs{}
		checkTable(t, x, fmt.Sprintf("%d rows without an order", n))
	}
}

func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 2, 10, 1000} {
		x := draw(t, n, 3, 5)
		seen := map[[2]int][]uint32{}
		for i := range n {
			seen[[2]int{x.part[i], x.value[i]}] = append(seen[[2]int{x.part[i], x.value[i]}], uint32(i))
		}
		first := x.window.Distinct()
		if len(first) != len(seen) {
			t.Fatalf("%d distinct rows of %d, want %d", len(first), n, len(seen))
		}
		for _, row := range first {
			if all := seen[[2]int{x.part[row], x.value[row]}]; all[0] != row {
				t.Fatalf("row %d of %v is the first", row, all)
			}
		}
		for rows := range x.window.Duplicates() {
			key := [2]int{x.part[rows[0]], x.value[rows[0]]}
			if !slices.Equal(rows, seen[key]) || len(rows) < 2 || cap(rows) != len(rows) {
				t.Fatalf("equal rows are %v, want %v", rows, seen[key])
			}
			delete(seen, key)
		}
		for _, rows := range seen {
			if len(rows) > 1 {
				t.Fatalf("%v are equal and missing", rows)
			}
		}
		for range x.window.Duplicates() {
			break
		}
	}
}

// TestDistinctEndsWithPartitions has runs of peers that go on from one partition to the next.
func TestDistinctEndsWithPartitions(t *testing.T) {
	w := rank.Window{Order: perm.Perm{4, 2, 0, 1, 3}, Partitions: perm.RunsAt([]int{0, 2, 5}), Peers: perm.RunsAt([]int{0, 1, 4, 5})}
	if got := w.Distinct(); !slices.Equal(got, []uint32{4, 2, 0, 3}) {
		t.Errorf("distinct rows are %v", got)
	}
	if got := slices.Collect(w.Duplicates()); len(got) != 1 || !slices.Equal(got[0], []uint32{0, 1}) {
		t.Errorf("duplicates are %v", got)
	}
}

// TestPeersOfManyPartitions has one run of peers that goes on through all partitions: the same as none.
func TestPeersOfManyPartitions(t *testing.T) {
	const n = 200_000 // several goroutines
	for _, length := range []int{1, 3, 70_000} {
		var offsets []int
		for at := 0; at < n; at += length {
			offsets = append(offsets, at)
		}
		none := rank.Window{Order: perm.Identity(n), Partitions: perm.RunsAt(append(offsets, n))}
		one := none
		one.Peers = perm.RunsAt([]int{0, n})
		for name, of := range map[string]func(w rank.Window, dst []uint32){
			"Rank": rank.Window.Rank, "DenseRank": rank.Window.DenseRank, "MaxRank": rank.Window.MaxRank, "RowNumber": rank.Window.RowNumber,
		} {
			got, want := make([]uint32, n), make([]uint32, n)
			of(one, got)
			of(none, want)
			if !slices.Equal(got, want) {
				t.Errorf("%s of partitions of %d rows differs", name, length)
			}
		}
		for name, of := range map[string]func(w rank.Window, dst []float64){
			"PercentRank": rank.Window.PercentRank, "CumeDist": rank.Window.CumeDist, "AverageRank": rank.Window.AverageRank,
		} {
			got, want := make([]float64, n), make([]float64, n)
			of(one, got)
			of(none, want)
			if !slices.Equal(got, want) {
				t.Errorf("%s of partitions of %d rows differs", name, length)
			}
		}
		if got := one.Distinct(); len(got) != len(offsets) {
			t.Errorf("%d distinct rows of %d partitions", len(got), len(offsets))
		}
	}
}

func BenchmarkRank(b *testing.B) {
	for _, n := range []int{1000, testkit.Pick(1<<14, 1<<20)} {
		for _, shape := range []struct{ parts, values int }{{1, 1 << 30}, {1, 1000}, {1 << 30, 1 << 30}, {1000, 1000}} {
			x := draw(b, n, shape.parts, shape.values)
			ranks, shares := make([]uint32, n), make([]float64, n)
			for _, v := range []struct {
				name string
				run  func()
			}{
				{"RowNumber", func() { x.window.RowNumber(ranks) }},
				{"Rank", func() { x.window.Rank(ranks) }},
				{"DenseRank", func() { x.window.DenseRank(ranks) }},
				{"CumeDist", func() { x.window.CumeDist(shares) }},
				{"NTile", func() { x.window.NTile(ranks, 4) }},
			} {
				b.Run(fmt.Sprintf("%s/n=%d/%d partitions, %d groups", v.name, n, x.window.Partitions.Len(), x.window.Peers.Len()), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						v.run()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
				})
			}
		}
	}
}
