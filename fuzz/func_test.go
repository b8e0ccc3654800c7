package fuzz

import (
	"cmp"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter"
)

// FuzzFunc sorts by comparisons, those that contradict themselves included: the result of others is
// that of a stable sort, and no element is lost.
func FuzzFunc(f *testing.F) {
	for kind := range byte(6) {
		f.Add(kind, byte(1), uint16(300), []byte("random, cyclic, alternating"))
		f.Add(kind, byte(3), uint16(9000), []byte{1, 2, 3, 5, 8, 13, 200})
	}
	f.Fuzz(func(t *testing.T, kind, workers byte, size uint16, data []byte) {
		type row struct{ key, number int }
		n := int(size % 20_000)
		rows := make([]row, n)
		for i := range rows {
			if rows[i] = (row{i, i}); len(data) > 0 {
				rows[i].key = int(data[i%len(data)]) + i/len(data)*int(data[0]%4)
			}
		}
		var calls atomic.Int64
		compare := []func(a, b row) int{
			func(a, b row) int { return cmp.Compare(a.key, b.key) },
			func(a, b row) int { return (a.key - b.key) * 1000 },
			func(a, b row) int { // random
				x := uint64(calls.Add(1)) * 0x9e3779b97f4a7c15
				return int(x>>60)%3 - 1
			},
			func(a, b row) int { return (a.key-b.key+300)%3 - 1 },                       // cyclic
			func(a, b row) int { return int(calls.Add(1)%2)*2 - 1 },                     // alternating
			func(a, b row) int { return int(data[int(calls.Add(1))%len(data)]) - 1<<7 }, // as the data says
		}[kind%6]
		if kind%6 == 5 && len(data) == 0 {
			return
		}
		opts := []sorter.Option{sorter.Workers(1 + int(workers%5))}
		if workers&16 != 0 {
			opts = append(opts, sorter.Descending())
		}
		before := slices.Clone(rows)
		p, err := sorter.OrderFunc(rows, compare, opts...)
		if err != nil || p.Valid() != nil || !slices.Equal(rows, before) {
			t.Fatal(err, p.Valid())
		}
		if err := sorter.SortFunc(rows, compare, opts...); err != nil {
			t.Fatal(err)
		}
		if kind%6 < 2 {
			order := compare
			if workers&16 != 0 {
				order = func(a, b row) int { return compare(b, a) }
			}
			want := slices.Clone(before)
			slices.SortStableFunc(want, order)
			if !slices.Equal(rows, want) {
				t.Fatal("SortFunc has another order")
			}
			for i, at := range p {
				if before[at] != want[i] {
					t.Fatal("OrderFunc has another order")
				}
			}
			return
		}
		slices.SortFunc(rows, func(a, b row) int { return a.number - b.number })
		if !slices.Equal(rows, before) {
			t.Fatal("an element is lost")
		}
	})
}
