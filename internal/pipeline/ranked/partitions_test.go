package ranked

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// columnAt returns a column of 64-bit keys by row number.
func columnAt(keys []int64) column.Spec {
	return column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
}

// TestPartitionsOfRows takes the first rows of partitions, by numbers and by texts, of few rows each or of many.
func TestPartitionsOfRows(t *testing.T) {
	r := dist.Rand(73)
	for i := range testkit.Pick(40, 166) {
		n, k := leastPartitioned-1+r.IntN(2)*r.IntN(9000), 1+r.IntN(4)
		values := 1 + r.IntN([]int{3, 100, n / 3, n}[r.IntN(4)])
		of, texts, keys := make([]int64, n), make([]string, n), make([]int64, n)
		for i := range of {
			of[i], keys[i] = int64(r.IntN(values)), int64(r.IntN(n/2))
			texts[i] = string([]byte{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', byte(of[i]), byte(of[i] >> 8)})
		}
		if r.IntN(3) == 0 { // the first rows of a partition come first
			for i := range keys {
				keys[i] = int64(i)
			}
		}
		lead := columnAt(of)
		byText := r.IntN(2) == 0
		if byText {
			lead = column.SpecOfSlice(sortkey.String, unsafe.Pointer(unsafe.SliceData(texts)), n)
		}
		want := make(perm.Perm, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			c := cmp.Compare(of[a], of[b])
			if byText {
				c = cmp.Compare(texts[a], texts[b])
			}
			return cmp.Or(c, cmp.Compare(keys[a], keys[b]))
		})
		first, ends := perm.Perm{}, []int{0}
		for lo := 0; lo < n; {
			hi := lo
			for hi < n && of[want[hi]] == of[want[lo]] {
				hi++
			}
			first = append(first, want[lo:min(hi, lo+k)]...)
			ends, lo = append(ends, len(first)), hi
		}
		ranks := perm.Perm{}
		for lo, hi := 0, 0; lo < n; lo = hi {
			for hi < n && of[want[hi]] == of[want[lo]] {
				hi++
			}
			ranks = append(ranks, want[lo], want[lo+(hi-lo)/2], math.MaxUint32)
			if hi-lo > 3 {
				ranks[len(ranks)-1] = want[lo+3]
			}
		}
		nth, err := NthOfPartitions(cols([]column.Spec{lead}), cols([]column.Spec{columnAt(keys)}), n, 3, func(size, j int) int { return []int{0, size / 2, 3}[j] }, &call.Options{Workers: 1})
		if err != nil || !slices.Equal(nth, ranks) || cap(nth) > len(nth)+3 {
			t.Fatalf("case %d: rows of ranks of %d partitions: %d, want %d, %v", i, len(ends)-1, len(nth), len(ranks), err)
		}
		rows, parts, err := FirstOfPartitions(cols([]column.Spec{lead}), cols([]column.Spec{columnAt(keys)}), n, k, &call.Options{Workers: int32(1 + r.IntN(3))})
		if err != nil || !slices.Equal(rows, first) || !slices.Equal(parts.Offsets(), ends) {
			t.Fatalf("case %d: the first %d of %d partitions of %d rows, by texts %t: %d rows, want %d, %v", i, k, len(ends)-1, n, byText, len(rows), len(first), err)
		}
	}
}

// TestFirstOfEqual takes the first of elements that no column orders.
func TestFirstOfEqual(t *testing.T) {
	s := []int64{3, 1, 2}
	if err := topRows(nil, cpu.PayloadOf(s), 2, call.Options{}, FrontOf(s)); err != nil || !slices.Equal(s, []int64{3, 1, 2}) {
		t.Errorf("the first of equal elements are %v, %v", s, err)
	}
}
