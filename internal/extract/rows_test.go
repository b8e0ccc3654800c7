package extract

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// TestRowsOfColumns gives columns of 10 keys, with nulls from some row on, more rows and fewer.
func TestRowsOfColumns(t *testing.T) {
	const keys = 10
	ints := make([]int64, keys)
	texts := column.InSlice(slices.Repeat([]string{"a"}, keys))
	for _, base := range []column.Spec{column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(&ints[0]), keys), column.SpecOfFormat(texts)} {
		for _, nullFrom := range []int{-1, 8, 10, 11} {
			for _, bits := range []bool{false, true} {
				spec, rowBits := base, 1<<30
				if isNull := column.NullFunc[int](func(row int) bool { return row >= nullFrom && row < 20 }); nullFrom >= 0 && bits {
					valid := make([]byte, 3)
					for i := range 8 * len(valid) {
						if !isNull(i) {
							valid[i/8] |= 1 << (i % 8)
						}
					}
					spec, rowBits = spec.WithBits(column.NewNullBits(valid, 0), column.NullsFirst), 24
				} else if nullFrom >= 0 {
					spec = spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsFirst)
				}
				for n := range 26 {
					want := ""
					switch {
					case n > rowBits:
						want = fmt.Sprintf("by %d validity bits", rowBits)
					case n > keys && (nullFrom < 0 || nullFrom > keys || n > 20):
						want = "by a column of 10"
					}
					of := fmt.Sprintf("order of %d rows ", n)
					if want == "" {
						of = ""
					}
					what := fmt.Sprintf("%d rows, null from %d on, bits %t", n, nullFrom, bits)
					cols := AppendColumns(nil, []column.Spec{spec})
					testkit.ExpectPanic(t, what, of+want, func() { ForRows(cols, n) })
					testkit.ExpectPanic(t, what+", order of few", of+want, func() {
						p := column.ListOf([]column.Spec{spec}).OrderOf(n, nil)
						if len(p) != n {
							t.Errorf("%s: %d places", what, len(p))
						}
					})
					if want == "" && n > 0 {
						noNulls := nullFrom < 0 || bits && n <= nullFrom
						if (cols[0].Nulls == column.NoNulls) != noNulls || cols[0].numbered != (n <= keys) {
							t.Errorf("%s: nulls %d, numbered %t", what, cols[0].Nulls, cols[0].numbered)
						}
					}
					if n == 0 {
						continue
					}
					isNull := func(row int) bool { return nullFrom >= 0 && row >= nullFrom && row < 20 }
					row := n - 1
					want = ""
					if row >= rowBits {
						want = fmt.Sprintf("element %d is no row of %d validity bits", row, rowBits)
					} else if row >= keys && !isNull(row) {
						want = fmt.Sprintf("element %d is no row of a column of 10", row)
					}
					testkit.ExpectPanic(t, what+", elements", want, func() { column.CheckElements([]column.Spec{spec}, []int{0, row, 1}) })
					want = ""
					if row >= rowBits {
						want = fmt.Sprintf("order of row %d by %d validity bits", row, rowBits)
					} else if row >= keys && !isNull(row) {
						want = fmt.Sprintf("order of row %d by a column of 10", row)
					}
					testkit.ExpectPanic(t, what+", selected", want, func() {
						if above := ForSelected(AppendColumns(nil, []column.Spec{spec}), []uint32{0, uint32(row), 0}, n); above != n {
							t.Errorf("%s: above all is %d", what, above)
						}
					})
				}
				testkit.ExpectPanic(t, "row -1", "element -1 is no row", func() { column.CheckElements([]column.Spec{spec}, []int{-1}) })
			}
		}
	}
	function := column.SpecOf(sortkey.Int8, column.Func[int, int8](nil)).WithBits(column.NewNullBits([]byte{255}, 0), column.NullsLast)
	testkit.ExpectPanic(t, "bits of a function", "element 8 is no row of 8 validity bits", func() { column.CheckElements([]column.Spec{function}, []int{7, 8}) })
	testkit.ExpectPanic(t, "bits of a function", "", func() { column.CheckElements([]column.Spec{function}, []int{7, 0}) })
	cols := AppendColumns(nil, []column.Spec{column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(&ints[0]), keys)})
	testkit.ExpectPanic(t, "row 5 of 5", "row 5 of 5 rows", func() { ForSelected(cols, []uint32{5}, 5) })
	testkit.ExpectPanic(t, "no rows", "", func() {
		if ForSelected(cols, nil, 5) != 0 {
			t.Error("a number above none")
		}
	})
	testkit.ExpectPanic(t, "zero column", "column without a key function", func() { AppendColumns(nil, []column.Spec{{}}) })
	testkit.ExpectPanic(t, "zero column", "column without a key function", func() { column.ListOf([]column.Spec{{}}).OrderOf(3, nil) })
}

// TestMemoryOfOrders takes the memory that is given, unless it is too short, and refuses that of elements and columns.
func TestMemoryOfOrders(t *testing.T) {
	const n = 12
	memory := make([]uint32, 3*n)
	keys := memory[n : 2*n]
	texts := make([]string, 3*n)
	data, ends := make([]byte, 64), make([]uint32, n+1)
	forms := map[string]column.Spec{
		"slice":   column.SpecOfSlice(sortkey.Uint32, unsafe.Pointer(&keys[0]), n),
		"format":  column.SpecOfFormat(column.InSlice(keys)),
		"offsets": column.SpecOfFormat(column.Arena(data, memory[n:2*n+1])),
		"parts":   column.SpecOfFormat(concat(dist.Rand(2), n, func(lo, hi int) column.Format { return column.InSlice(keys[lo:hi]) })),
		"octets":  column.SpecOfFormat(column.Octets(bytesAt(keys), 3)),
		"wide":    column.SpecOfFormat(column.Octets(bytesAt(keys), 12)),
		"views":   column.SpecOfFormat(column.Views(bytesAt(keys), nil)),
		"buffer":  column.SpecOfFormat(column.Views(make([]byte, column.ViewSize*n), [][]byte{nil, bytesAt(keys)})),
		"data":    column.SpecOfFormat(column.Arena(bytesAt(keys), ends)),
	}
	own := column.SpecOf(sortkey.Uint32, column.Func[int, uint32](func(row int) uint32 { return 0 }))
	for name, spec := range forms {
		for lo := 0; lo <= 2*n; lo++ {
			into := perm.Perm(memory[lo : lo+n])
			want := ""
			if lo+n > n && lo < 2*n {
				want = "Into memory that holds a column to order by"
			}
			if (name == "octets" || name == "views" || name == "wide") && lo >= 2*n-1 {
				continue
			}
			rows := stream.RawOf(texts[:n])
			cols := AppendColumns(nil, []column.Spec{own, spec})
			if name == "offsets" && lo == 2*n {
				continue // the last offset
			}
			testkit.ExpectPanic(t, name, want, func() { column.Result(rows, n, into, Specs(cols)) })
			testkit.ExpectPanic(t, name, want, func() { column.Result(rows, n, into, column.ListOf([]column.Spec{own, spec})) })
			testkit.ExpectPanic(t, name, "", func() { column.Result(rows, n, into[:5:5], Specs(cols)) })
			if rows := spec.Format(); name == "slice" && rows != nil {
				testkit.ExpectPanic(t, name, want, func() { column.ListOf([]column.Spec{spec}).OrderOf(n, into) })
			} else if rows != nil && rows.Len() >= 4 {
				few := into[:4]
				if lo+4 <= n && name != "x" {
					want = ""
				}
				testkit.ExpectPanic(t, name, want, func() { column.ListOf([]column.Spec{spec}).OrderOf(4, few) })
			}
		}
	}
	elements := stream.RawOf(keys)
	for lo := 0; lo <= 2*n; lo++ {
		want := ""
		if lo+n > n && lo < 2*n {
			want = "Into memory that holds the elements to be ordered"
		}
		into := perm.Perm(memory[lo : lo+n])
		testkit.ExpectPanic(t, "elements", want, func() { column.Result(elements, n, into, column.SpecList{}) })
	}
	into := make(perm.Perm, n-1, n)
	for _, p := range []perm.Perm{column.Result(stream.RawOf(texts[:n]), n, into, column.SpecList{}), column.ListOf(nil).OrderOf(n, into)} {
		if len(p) != n || &p[0] != &into[:1][0] {
			t.Errorf("an order of %d places in other memory", len(p))
		}
	}
	for _, into := range []perm.Perm{nil, make(perm.Perm, 0), make(perm.Perm, n-1)} {
		for _, p := range []perm.Perm{column.Result(stream.RawOf(texts[:n]), n, into, column.SpecList{}), column.ListOf(nil).OrderOf(n, into)} {
			if len(p) != n {
				t.Errorf("an order of %d places", len(p))
			}
		}
	}
	if p := column.Result(stream.Raw{}, 0, nil, column.SpecList{}); p == nil && len(p) != 0 {
		t.Error("no rows")
	}
	numbers := make([]int64, n)
	spec := column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(&numbers[0]), n)
	testkit.ExpectPanic(t, "elements in a column", "elements lie in the column", func() {
		column.CheckElements([]column.Spec{spec}, unsafe.Slice((*int)(unsafe.Pointer(&numbers[n-1])), 1))
	})
}

// bytesAt views numbers as bytes.
func bytesAt(numbers []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 4*len(numbers))
}
