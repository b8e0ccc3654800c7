package extract

import (
	"testing"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// TestPlain finds the keys of rows in memory only where codes follow from their bits.
func TestPlain(t *testing.T) {
	keys, narrow := []float64{3, 1, 2}, []int16{3, 1, 2}
	at := unsafe.Pointer(&keys[0])
	elements := InputOf(cpu.PayloadOf(keys))
	copied := elements
	copied.Aside = cpu.PayloadOf(make([]float64, 3))
	rows := RowNumbers(3)
	bySlice := AppendColumns(nil, []column.Spec{column.SpecOfSlice(sortkey.Float64, at, len(keys))})[0]
	numbered := []Column{bySlice}
	ForRows(numbered, 3)
	nulls := numbered[0]
	nulls.Nulls = column.NullsLast
	int32s := []int32{3, 1, 2}
	narrowed := AppendColumns(nil, []column.Spec{column.SpecOfSlice(sortkey.Int32, unsafe.Pointer(&int32s[0]), 3)})
	ForRows(narrowed, 3)
	nullNarrow := narrowed[0]
	nullNarrow.Nulls = column.NullsLast
	for _, c := range []struct {
		name string
		cols []Column
		rows Input
		want unsafe.Pointer
	}{
		{"keys", []Column{Self[float64]()}, elements, at},
		{"keys that are copied", []Column{Self[float64]()}, copied, nil},
		{"keys of a function", []Column{ColumnOf[float64](column.Own(sortkey.Float64))}, elements, nil},
		{"some keys", []Column{Self[float64]()}, elements.Pick([]uint32{1, 2}), nil},
		{"16-bit keys", []Column{Self[int16]()}, InputOf(cpu.PayloadOf(narrow)), nil},
		{"a column", numbered, rows, at},
		{"a column with nulls", []Column{nulls}, rows, nil},
		{"a column whose rows are not known", []Column{bySlice}, rows, nil},
		{"a narrow column with nulls", []Column{nullNarrow}, rows, nil},
		{"some rows of a column", numbered, rows.Pick([]uint32{1, 2}), nil},
	} {
		words := Words(c.cols, sortkey.Order{})
		plain := words[0].Plain(c.rows)
		if (plain == nil) != (c.want == nil) || plain != nil && plain.At != c.want {
			t.Errorf("%s: %+v", c.name, plain)
		}
	}
	wide := []Column{Self[int32](), Self[int32]()}
	if words := Words(wide, sortkey.Order{}); words[0].Plain(elements) != nil {
		t.Error("two columns in one word")
	}
	beside := []Column{Self[int32](), ColumnOf[string](column.Own(sortkey.String))}
	if words := Words(beside, sortkey.Order{}); words[0].Columns() != 2 || words[0].Plain(elements) != nil {
		t.Error("a text beside a column in one word")
	}
}
