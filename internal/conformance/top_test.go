package conformance_test

import (
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestTopIsTheFrontOfTheOrder selects from few and from more elements, of every distribution, and
// compares with the first of the order: by key, by columns, by rows, with and without nulls.
func TestTopIsTheFrontOfTheOrder(t *testing.T) {
	for i, n := range []int{63, 64, 65, 1000, 4095, 4096, 4097, 9000} {
		for j, d := range dist.All {
			values := d.Draw(n, dist.Rand(uint64(n)))
			for l, k := range []int{1, 2, 15, 16, 17, 100, n / 32, n / 4} {
				if k > n || testkit.Thinned(i+3*j+5*l) || !testkit.Long() && (i+j+l)%3 != 0 {
					continue
				}
				t.Run(d.Name, func(t *testing.T) {
					checkTops(t, topKeys(values, func(v uint64) int64 { return int64(v) }), k)
					checkTops(t, topKeys(values, topFloat), k)
					checkTops(t, topKeys(values, func(v uint64) uint8 { return uint8(v >> 56) }), k)
				})
			}
		}
	}
}

func checkTops[K int64 | float32 | uint8](t *testing.T, keys []K, k int) {
	t.Helper()
	n, own := len(keys), func(key K) K { return key }
	valid := make([]byte, n/8+2)
	for i := range valid {
		valid[i] = 0x5d
	}
	for _, opts := range [][]sorter.Option{nil, {sorter.Descending()}, {sorter.Workers(3), sorter.NaNsLast()}} {
		all, err := sorter.OrderKeys(keys, append(opts, sorter.Stable())...)
		first, topErr := sorter.By(sorter.Asc(own)).TopOrder(keys, k, opts...)
		checkFront(t, "by key", all, first, err, topErr)
		first, topErr = sorter.By(sorter.Asc(own)).TopOrder(keys, k, opts...)
		checkFront(t, "by column", all, first, err, topErr)
		cols := []sorter.Column[int]{sorter.AscOf(keys)}
		first, topErr = sorter.RowsBy(n, cols...).Top(k, opts...)
		checkFront(t, "of rows", all, first, err, topErr)

		s, want := slices.Clone(keys), make([]K, k)
		for i := range want {
			want[i] = keys[all[i]]
		}
		topErr = sorter.TopKeys(s, k, opts...)
		checkFront(t, "keys", want, s[:k], err, topErr)

		cols[0] = cols[0].NullsFirstBits(valid, 3)
		all, err = sorter.RowsBy(n, cols...).Order(append(opts, sorter.Stable())...)
		first, topErr = sorter.RowsBy(n, cols...).Top(k, opts...)
		checkFront(t, "of rows with nulls", all, first, err, topErr)
	}
}

func checkFront[S ~[]E, T ~[]E, E comparable](t *testing.T, name string, all S, first T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, x := range first {
		if x != all[i] && x == x {
			t.Fatalf("%s: place %d of %d has %v, want %v", name, i, len(first), x, all[i])
		}
	}
}
