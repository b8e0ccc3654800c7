package extract

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// TestNarrow gives columns the bits of their keys, with keys at either end of their type or away from it.
func TestNarrow(t *testing.T) {
	for _, keys := range [][]int64{{-3, 4}, {1000, 1255}, {math.MinInt64, 0}, {0, math.MaxInt64}, {math.MinInt64, math.MaxInt64}, {7}, {}} {
		testNarrow(t, sortkey.Int64, keys, math.MinInt64, math.MaxInt64)
	}
	for _, keys := range [][]int8{{-3, 4}, {-128, 127}, {-128, 3}, {3, 127}, {-128}, {127}} {
		testNarrow(t, sortkey.Int8, keys, -128, 127)
	}
}

// testNarrow narrows a column of keys, and of two nulls that have the lowest and the highest key.
func testNarrow[K int8 | int64](t *testing.T, kind sortkey.Kind, keys []K, low, high K) {
	for place, desc := range map[column.NullPlace][]bool{column.NoNulls: {false, true}, column.NullsFirst: {false, true}, column.NullsLast: {false, true}} {
		for _, desc := range desc {
			col := slices.Clone(keys)
			spec := func() column.Spec { return column.SpecOfSlice(kind, unsafe.Pointer(unsafe.SliceData(col)), len(col)) }
			s := spec
			if place != column.NoNulls {
				col = append(col, low, high)
				s = func() column.Spec { return spec().WithBits(column.NewNullBits([]byte{1<<len(keys) - 1}, 0), place) }
			}
			if len(col) == 0 {
				continue
			}
			made := s()
			if desc {
				made = made.Descending()
			}
			cols := AppendColumns(nil, []column.Spec{made})
			ForRows(cols, len(col))
			c, name := &cols[0], fmt.Sprintf("%d of kind %d, nulls %d, descending %t", keys, kind, place, desc)
			before := c.Bits()
			least, most := c.CodeBounds(RowNumbers(len(col)), 0, len(col))
			c.Narrow(least, most)
			if c.Bits() > before || len(keys) == 0 && c.Bits() != before {
				t.Errorf("%s: %d bits, %d before", name, c.Bits(), before)
			}
			if c.Bits() > 64 {
				continue // no spare code
			}
			if len(keys) > 0 && c.MayNarrow() {
				t.Errorf("%s: may be narrowed again", name)
			}
			codes := make([]uint64, len(col))
			c.Codes(codes, Batch{})
			if words := Words(cols, sortkey.Order{}); words[0].Bits <= 32 { // the width of codes that are sorted
				narrow := make([]uint32, len(col))
				words[0].Codes32(narrow, Batch{})
				for i, code := range narrow {
					if uint64(code) != codes[i] {
						t.Errorf("%s: code %#x of row %d, of 32 bits %#x", name, codes[i], i, code)
					}
				}
				if words[0].Plain(RowNumbers(len(col))) != nil {
					t.Errorf("%s: codes follow from the bits of keys", name)
				}
			}
			for i := range codes {
				if codes[i]>>1>>(c.Bits()-1) != 0 {
					t.Errorf("%s: code %#x of %d bits", name, codes[i], c.Bits())
				}
				for j := range codes {
					x, y := i >= len(keys), j >= len(keys)
					want := cmp.Compare(col[i], col[j])
					switch {
					case x && y:
						want = 0
					case x != y && x == (place == column.NullsFirst):
						want = -1
					case x != y:
						want = 1
					case desc:
						want = -want
					}
					if got := cmp.Compare(codes[i], codes[j]); got != want {
						t.Errorf("%s: codes %#x and %#x of rows %d and %d", name, codes[i], codes[j], i, j)
					}
				}
			}
		}
	}
}
