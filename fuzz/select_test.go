package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter"
)

// FuzzSelect holds the first k rows, and the k-th, to those of the whole stable order by any
// columns.
func FuzzSelect(f *testing.F) {
	f.Add([]byte("\x06\x04\x03\x07\x09\x02"), byte(0), byte(30), byte(0x55), uint16(3), []byte("packed into nine bits"))
	f.Add([]byte("\x00\x00\x00"), byte(1), byte(254), byte(0xff), uint16(50_000), []byte("counted twice"))
	f.Add([]byte("\x04\x08\x05\x03\x03\x01"), byte(2), byte(255), byte(3), uint16(99), []byte("string, then float64 descending"))
	f.Add([]byte("\x10\x09\x04\x0f\x05\x04\x0e\x0a\x03"), byte(3), byte(253), byte(1), uint16(9999), []byte("time, uuid, Float4 with nulls"))
	f.Add([]byte("\x01\x01\x00\x03\x00\x00"), byte(0), byte(252), byte(0), uint16(4097), []byte("one code"))
	f.Add([]byte{1, 4, 0x12, 7, 0, 0}, byte(0), byte(250), byte(0), uint16(4097), []byte("\x00\x00\x00\x00\x00\x00\x00\x80 the least int64"))
	f.Add([]byte{7, 0, 0, 1, 9, 0x24}, byte(1), byte(250), byte(1), uint16(4097), []byte("int64 with nulls in a slice"))
	f.Fuzz(func(t *testing.T, spec []byte, bits, size, mask byte, k uint16, data []byte) {
		defer withoutWays(slices.Concat(spec, data)...)()
		n := elements(size)
		cols := columns(spec, n, mask, data)
		for _, c := range cols {
			n = min(n, c.keys.len())
		}
		order, opts := options(bits)
		var built []sorter.Column[int]
		var compares []func(a, b int) int
		for _, c := range cols {
			built = append(built, c.build())
			compares = append(compares, c.compare(order))
		}
		want := sorted(n, inTurn(compares))
		top := min(int(k), n)
		first, err := sorter.RowsBy(n, built...).Top(int(k), opts...)
		check(t, "Rows.Top", err, ints(first), want[:top])
		checkPer(t, n, int(k)%100, built, compares, want, opts)
		if n > 0 {
			at := int(k) % n
			rows, err := sorter.RowsBy(n, built...).Nth([]int{at}, opts...)
			check(t, "Rows.Nth of one", err, ints(rows), want[at:at+1])
			ks := []int{n - 1, at, n / 2, at, 0, n / 3}
			rows, err = sorter.RowsBy(n, built...).Nth(ks, opts...)
			check(t, "Rows.Nth", err, ints(rows), []int{want[n-1], want[at], want[n/2], want[at], want[0], want[n/3]})
		}
	})
}

// checkPer holds the first k rows, and the k-th, of the partitions by the first column to the whole
// order.
func checkPer(t *testing.T, n, k int, cols []sorter.Column[int], compares []func(a, b int) int, order []int, opts []sorter.Option) {
	if len(cols) == 0 {
		return
	}
	var want []int
	var places []uint32 // the first and the k-th of each
	for i, taken := 0, 0; i < n; i++ {
		if i == 0 || compares[0](order[i-1], order[i]) != 0 {
			taken, places = 0, append(places, uint32(order[i]), sorter.NoRow)
		}
		if taken++; taken <= k {
			want = append(want, order[i])
		}
		if taken == k+1 {
			places[len(places)-1] = uint32(order[i])
		}
	}
	rows, parts, err := sorter.RowsBy(n, cols[1:]...).Per(cols[:1]...).Top(k, opts...)
	check(t, "Partitions.Top", err, ints(rows), want)
	if parts.Rows() != len(want) {
		t.Fatalf("Partitions.Top: partitions of %d rows, not %d", parts.Rows(), len(want))
	}
	at, err := sorter.RowsBy(n, cols[1:]...).Per(cols[:1]...).Nth([]int{0, k}, opts...)
	check(t, "Partitions.Nth", err, ints(at), ints(places))
}
