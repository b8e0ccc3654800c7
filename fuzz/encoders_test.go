package fuzz

import (
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
)

// FuzzEncoders holds the codes of keys to the order of the keys, seen through
// the order of every pair: a before b, b before a, and ties as they were.
func FuzzEncoders(f *testing.F) {
	for kind := range kinds {
		f.Add(byte(kind), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x80\xff\x01\x00\x00\x80"))
		f.Add(byte(kind), []byte("\x83\x00\x00\x01\x02\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f\x99suffix\x98"))
	}
	f.Fuzz(func(t *testing.T, kind byte, data []byte) {
		keys := kinds[int(kind)%len(kinds)].set(data, 6)
		for _, bits := range []byte{0, 1, 2, 3, 130, 131} {
			order, opts := options(bits)
			compare := keys.compare(order)
			column := keys.by(order, 0)
			for a := range keys.len() {
				for b := range keys.len() {
					checkPair(t, keys, column, a, b, compare(a, b), opts)
				}
			}
			checkAll(t, keys, order, opts)
		}
	})
}

// checkPair holds every call that depends on the order of two keys to want.
func checkPair(t *testing.T, keys keySet, column sorter.Column[int], a, b, want int, opts []sorter.Option) {
	t.Helper()
	swapped := want > 0
	p, err := keys.argsort([]int{a, b}, opts...)
	if err != nil || len(p) != 2 || (p[0] == 1) != swapped {
		t.Fatalf("Order(%#v, %#v) = %v, error %v; the keys compare as %d", keys.text(a), keys.text(b), p, err, want)
	}
	if keys.isSorted([]int{a, b}, opts...) == swapped {
		t.Fatalf("IsSorted(%#v, %#v) is %v; the keys compare as %d", keys.text(a), keys.text(b), swapped, want)
	}
	if c := sorter.By(column).Compare(a, b); (c > 0) != swapped || (c < 0) != (want < 0) {
		t.Fatalf("Compare(%#v, %#v) = %d, want the sign of %d", keys.text(a), keys.text(b), c, want)
	}
}

// checkAll orders all keys, by the code alone and by a code packed after a
// column that ties.
func checkAll(t *testing.T, keys keySet, order oracle.Order, opts []sorter.Option) {
	t.Helper()
	want := sorted(keys.len(), keys.compare(order))
	p, err := keys.argsort(ascending(keys.len()), opts...)
	check(t, "Order", err, ints(p), want)

	constant := sorter.Asc(func(int) uint8 { return 7 })
	never := func(int) bool { return false }
	for _, cols := range [][]sorter.Column[int]{
		{constant, keys.by(oracle.Order{}, 0)},
		{constant, keys.by(oracle.Order{}, 0).NullsFirst(never)},
		{keys.by(oracle.Order{}, 0).NullsLast(never), constant},
		{sorter.Asc(func(int) int64 { return 7 }), keys.by(oracle.Order{}, 0)},
	} {
		p, err := sorter.RowsBy(keys.len(), cols...).Order(opts...)
		check(t, "Rows.Order with a column that ties", err, ints(p), want)
	}
}
