package small

import (
	"cmp"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
)

// The sorts of a few elements compare codes and depend on nothing else. So a length is proved by the lists of
// as many values, which have all orders and all ties. Lists up to tinySort are longer than that: of
// these all zeros and ones are tested, for which each pair of places differs in either direction.

// eachList calls f for all lists of n codes out of the number of values.
func eachList(n, values int, f func(codes []uint64)) {
	codes, digits := make([]uint64, n), make([]int, n)
	for {
		for i, d := range digits { // the least and the greatest are those of 64 bits
			codes[i] = uint64(d)
			if d == values-1 {
				codes[i] = ^uint64(0)
			}
		}
		f(codes)
		i := 0
		for ; i < n && digits[i] == values-1; i++ {
			digits[i] = 0
		}
		if i == n {
			return
		}
		digits[i]++
	}
}

// TestAllOrders sorts lists of all orders.
func TestAllOrders(t *testing.T) {
	for n := range testkit.Pick(7, 8) {
		eachList(n, n, func(codes []uint64) { checkFew(t, codes) })
	}
	for n := 8; n <= testkit.Pick(11, tinySort); n++ {
		eachList(n, 2, func(codes []uint64) { checkFew(t, codes) })
	}
}

// checkFew sorts by all functions that take so few codes.
func checkFew(t *testing.T, codes []uint64) {
	t.Helper()
	n := len(codes)
	want := slices.Clone(numbers[:n])
	testkit.SortStable(want, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	wantTied := uint64(0)
	for i := 1; i < n; i++ {
		if codes[want[i]] == codes[want[i-1]] {
			wantTied |= 1 << i
		}
	}
	var index [tinySort]uint32
	if moved := rank(index[:n], codes); !slices.Equal(index[:n], want) || moved == slices.IsSorted(codes) {
		t.Fatalf("rank of %v: %v, moved %t", codes, index[:n], moved)
	}
	order, own := slices.Clone(numbers[:n]), slices.Clone(codes)
	tied := sortFewCodes(order, own, true)
	if !slices.Equal(order, want) || !slices.IsSorted(own) || tied != wantTied {
		t.Fatalf("sortFewCodes of %v: %v, tied %b", codes, order, tied)
	}
	if n >= leastRanked {
		return
	}
	keys := make([]int64, n)
	for i, c := range codes {
		keys[i] = int64(c ^ 1<<63)
	}
	var f few
	col := column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(unsafe.SliceData(keys)), n)
	f.from.Rows = true
	order = slices.Clone(numbers[:n])
	if tied = insertBy[int64](&f, order, &col, true); !slices.Equal(order, want) || tied != wantTied {
		t.Fatalf("insertBy of %v: %v, tied %b", keys, order, tied)
	}
	for i := range keys {
		keys[i] = ^keys[i]
	}
	col, order = col.Descending(), slices.Clone(numbers[:n])
	if tied = insertBy[int64](&f, order, &col, true); !slices.Equal(order, want) || tied != wantTied {
		t.Fatalf("insertBy of %v, descending: %v, tied %b", keys, order, tied)
	}
}
