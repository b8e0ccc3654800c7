package extract

import (
	"cmp"
	"math"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// TestSpare gives nulls a code of their own beside keys that have the lowest code, the highest or none of
// them. Where keys have both there is none.
func TestSpare(t *testing.T) {
	const low, high = math.MinInt64, math.MaxInt64
	for _, keys := range [][]int64{{low, 0, high - 1}, {low + 1, 0, high}, {-3, 4}, {low}, {high}, {low, high}} {
		for _, place := range []column.NullPlace{column.NullsFirst, column.NullsLast} {
			for _, desc := range []bool{false, true} {
				col := append(slices.Clone(keys), low, high) // these two are null
				spec := column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(&col[0]), len(col)).WithBits(column.NewNullBits([]byte{1<<len(keys) - 1}, 0), place)
				if desc {
					spec = spec.Descending()
				}
				cols := AppendColumns(nil, []column.Spec{spec})
				ForRows(cols, len(col))
				c := &cols[0]
				if !c.MayHaveSpare() || c.Bits() != 65 {
					t.Fatalf("%v: may have a spare code: %v, %d bits", keys, c.MayHaveSpare(), c.Bits())
				}
				c.Spare(c.CodeBounds(RowNumbers(len(col)), 0, len(col)))
				if len(keys) == 2 && keys[1] == high && keys[0] == low {
					if c.Bits() != 65 {
						t.Errorf("%v: %d bits without a spare code", keys, c.Bits())
					}
					continue
				}
				if c.MayHaveSpare() {
					t.Errorf("%v: a spare code is looked for again", keys)
				}
				codes := make([]uint64, len(col))
				c.Codes(codes, Batch{})
				for i := range codes {
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
						if got := cmp.Compare(codes[i], codes[j]); got != want || c.Bits() != 64 || !c.InMemory() {
							t.Fatalf("%v, nulls %d, descending %t: codes %#x and %#x of rows %d and %d", keys, place, desc, codes[i], codes[j], i, j)
						}
					}
				}
			}
		}
	}
}
