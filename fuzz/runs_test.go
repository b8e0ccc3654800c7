package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// FuzzRuns holds the runs of orders by any columns to a comparison of neighbours, and ranks to
// a count along the order.
func FuzzRuns(f *testing.F) {
	f.Add([]byte("\x06\x04\x03\x07\x09\x02"), byte(0), byte(30), byte(0x55), byte(1), []byte("packed into nine bits"))
	f.Add([]byte("\x00\x00\x00\x02\x07\x00"), byte(1), byte(100), byte(0x11), byte(1), []byte("sixty-four bits"))
	f.Add([]byte("\x04\x08\x05\x03\x03\x01"), byte(2), byte(210), byte(3), byte(1), []byte("string, then float64 descending"))
	f.Add([]byte("\x10\x09\x04\x0f\x05\x04\x0e\x0a\x03"), byte(3), byte(190), byte(1), byte(2), []byte("time, uuid, Float4 with nulls"))
	f.Add([]byte("\x06\x00\x00\x06\x01\x00\x09\x00\x00\x04\x0b\x07\x06\x00\x00\x01\x00\x00"), byte(9), byte(140), byte(0), byte(3), []byte("six"))
	f.Add([]byte("\x04\x01\x00\x05\x00\x00\x0e\x01\x00"), byte(1<<6|2<<2), byte(255), byte(1), byte(0), []byte("string, bytes, Float4"))
	f.Add([]byte("\x0e\x03\x00"), byte(2), byte(254), byte(0), byte(1), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80\x01\x00\xc0\xff"))
	f.Fuzz(func(t *testing.T, spec []byte, bits, size, mask, by byte, data []byte) {
		defer withoutWays(slices.Concat(spec, data)...)()
		n := elements(size)
		cols := columns(spec, n, mask, data)
		for _, c := range cols {
			n = min(n, c.keys.len())
		}
		order, opts := options(bits)
		checkRuns(t, cols, n, int(by)%(len(cols)+1), order, opts)
	})
}

// checkRuns orders rows by cols and takes the runs by the first k, and by all.
func checkRuns(t *testing.T, cols []column, n, k int, order oracle.Order, opts []sorter.Option) {
	t.Helper()
	var built []sorter.Column[int]
	var compares []func(a, b int) int
	for _, c := range cols {
		built = append(built, c.build())
		compares = append(compares, c.compare(order))
	}
	var parts, peers perm.Runs
	all := append(slices.Clone(opts), sorter.MarkRunsBy(k, &parts), sorter.MarkRuns(&peers))
	p, err := sorter.RowsBy(n, built...).Order(all...)
	check(t, "Rows.Order", err, ints(p), sorted(n, inTurn(compares)))
	same := func(name string, r perm.Runs, compare func(a, b int) int) {
		t.Helper()
		offsets := []int{}
		for i := range p {
			if i == 0 || compare(int(p[i-1]), int(p[i])) != 0 {
				offsets = append(offsets, i)
			}
		}
		check(t, name, nil, r.Offsets(), append(offsets, n))
	}
	same("runs by some columns", parts, inTurn(compares[:k]))
	same("runs by all columns", peers, inTurn(compares))
	checkRanks(t, p, parts, peers)
}

// checkRanks counts the ranks of all rows along the order.
func checkRanks(t *testing.T, p perm.Perm, parts, peers perm.Runs) {
	t.Helper()
	least, dense := make([]uint32, len(p)), make([]uint32, len(p))
	w := rank.Window{Order: p, Partitions: parts, Peers: peers}
	w.Rank(least)
	w.DenseRank(dense)
	lowest, number, place := uint32(0), uint32(0), uint32(0)
	for i, row := range p {
		if parts.Begins(i) {
			number, place = 0, 0
		}
		place++
		if peers.Begins(i) {
			lowest = place
			number++
		}
		if least[row] != lowest || dense[row] != number {
			t.Fatalf("position %d has ranks %d and %d, want %d and %d", i, least[row], dense[row], lowest, number)
		}
	}
}
