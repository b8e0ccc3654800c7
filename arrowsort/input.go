package arrowsort

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// column is a column of an input: its chunks that have rows.
type column struct {
	typ    arrow.DataType
	chunks []arrow.Array
	rows   int
}

// columnOf returns the column of some chunks.
func columnOf(typ arrow.DataType, chunks ...arrow.Array) column {
	col := column{typ: typ}
	for _, chunk := range chunks {
		if chunk.Len() > 0 {
			col.chunks = append(col.chunks, chunk)
			col.rows += chunk.Len()
		}
	}
	return col
}

// each calls f for each chunk and the number of its first row.
func (col column) each(f func(first int, chunk arrow.Array)) {
	first := 0
	for _, chunk := range col.chunks {
		f(first, chunk)
		first += chunk.Len()
	}
}

// share calls f from several goroutines for parts of chunks that are all rows of col: rows lo … hi-1
// of chunk are rows from first on of col. What is said of call.share holds.
func (col column) share(c *call, f func(first int, chunk arrow.Array, lo, hi int)) {
	c.share(col.rows, func(from, to int) {
		col.each(func(first int, chunk arrow.Array) {
			if lo, hi := max(from-first, 0), min(to-first, chunk.Len()); lo < hi {
				f(first+lo, chunk, lo, hi)
			}
		})
	})
}

// table is an input of any kind: columns of the same number of rows.
type table struct {
	columns []column
	single  bool // an array or a chunked array, whose keys need no column index
	rows    int
}

// checkGiven panics if an input is nil, or a pointer that is.
func checkGiven(input any) {
	if v := reflect.ValueOf(input); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("arrowsort: nil input")
	}
}

// datumOf returns an input as a datum that owns no reference to it.
func datumOf(input any) Datum {
	checkGiven(input)
	return NewDatumWithoutOwning(input)
}

// tableOf returns input as columns. fn is the name of the function for the error.
func (c *call) tableOf(fn string, input Datum) (table, error) {
	var t table
	checkGiven(input)
	switch input := input.(type) {
	case *compute.ArrayDatum:
		checkGiven(input.Value)
		array := owned(c, input.MakeArray())
		t.single, t.columns = true, []column{columnOf(array.DataType(), array)}
	case *compute.ChunkedDatum:
		checkGiven(input.Value)
		t.single, t.columns = true, []column{columnOf(input.Value.DataType(), input.Value.Chunks()...)}
	case *compute.RecordDatum:
		checkGiven(input.Value)
		t.rows = int(input.Value.NumRows())
		for _, array := range input.Value.Columns() {
			t.columns = append(t.columns, columnOf(array.DataType(), array))
		}
	case *compute.TableDatum:
		checkGiven(input.Value)
		t.rows = int(input.Value.NumRows())
		for i := range int(input.Value.NumCols()) {
			chunked := input.Value.Column(i).Data()
			t.columns = append(t.columns, columnOf(chunked.DataType(), chunked.Chunks()...))
		}
	default:
		return t, fmt.Errorf("%w: unsupported type for %s operation: %s", arrow.ErrNotImplemented, fn, input)
	}
	if t.single {
		t.rows = t.columns[0].rows
	}
	return t, nil
}

// errLengths is that of columns of different lengths, which arrow-go does not refuse everywhere.
var errLengths = fmt.Errorf("%w: all columns must have the same length", arrow.ErrInvalid)

// sortKeys returns the keys by which t is sorted: of an array the first, otherwise the first of
// each column, since a second of the same column decides nothing.
func (t table) sortKeys(keys []SortKey) ([]SortKey, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w: must provide at least one sort key", arrow.ErrInvalid)
	}
	for i, key := range keys {
		if key.Order > SortOrderDescending || key.NullPlacement > SortNullsAtStart || key.Order < 0 || key.NullPlacement < 0 {
			return nil, fmt.Errorf("%w: sort key %d has order %d and null placement %d", arrow.ErrInvalid, i, key.Order, key.NullPlacement)
		}
	}
	if t.single {
		key := keys[0]
		key.ColumnIndex = 0
		return []SortKey{key}, nil
	}
	unique := make([]SortKey, 0, len(keys))
	for i, key := range keys {
		if key.ColumnIndex < 0 || key.ColumnIndex >= len(t.columns) {
			return nil, fmt.Errorf("%w: sort key %d has invalid column index %d", arrow.ErrInvalid, i, key.ColumnIndex)
		}
		if t.columns[key.ColumnIndex].rows != t.rows {
			return nil, errLengths
		}
		same := func(k SortKey) bool { return k.ColumnIndex == key.ColumnIndex }
		if !slices.ContainsFunc(unique, same) {
			unique = append(unique, key)
		}
	}
	return unique, nil
}

// allKeys returns an ascending key of every column.
func (t table) allKeys() []SortKey {
	keys := make([]SortKey, len(t.columns))
	for i := range keys {
		keys[i] = DefaultSortKey()
		keys[i].ColumnIndex = i
	}
	return keys
}
