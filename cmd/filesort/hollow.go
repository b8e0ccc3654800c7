package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// hollow returns a batch of the same values in which fields of null structs are null, and null lists have no elements.
// Arrow demands neither. But pqarrow v18.8.0 writes decimals and halves in the places of others if a struct is null and
// none of its fields, and elements that are in no list are an error there.
func hollow(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, batch.NumCols())
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, c := range batch.Columns() {
		var err error
		if columns[i], err = hollowArray(c); err != nil {
			return nil, fmt.Errorf("column %s: %w", batch.ColumnName(i), err)
		}
	}
	return array.NewRecordBatch(batch.Schema(), columns, batch.NumRows()), nil
}

// hollowArray returns an array that the caller releases, as do the functions below.
func hollowArray(a arrow.Array) (arrow.Array, error) {
	switch a := a.(type) {
	case array.ExtensionArray:
		storage, err := hollowArray(a.Storage())
		if err != nil {
			return nil, err
		}
		defer storage.Release()
		return arrayOf(a.DataType(), storage.Data(), storage.NullN(), storage.Data().Buffers(), storage.Data().Children()), nil
	case *array.Struct:
		return hollowStruct(a)
	case *array.List, *array.LargeList, *array.Map, *array.FixedSizeList:
		return hollowList(a.(array.ListLike))
	}
	a.Retain()
	return a, nil
}

func hollowStruct(a *array.Struct) (arrow.Array, error) {
	var fields []arrow.ArrayData
	for i := range a.NumField() {
		f := nullIn(a.Field(i), a)
		defer f.Release()
		g, err := hollowArray(f)
		if err != nil {
			return nil, err
		}
		defer g.Release()
		fields = append(fields, g.Data())
	}
	valid, nulls := validity(a, a, 0)
	data := array.NewData(a.DataType(), a.Len(), []*memory.Buffer{valid}, fields, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data), nil
}

// nullIn returns a with further nulls, those of a struct of which it is a field.
func nullIn(a arrow.Array, parent *array.Struct) arrow.Array {
	if parent.NullN() == 0 || !hasValidity(a.DataType().Layout()) {
		a.Retain()
		return a
	}
	data := a.Data()
	valid, nulls := validity(a, parent, data.Offset())
	return arrayOf(a.DataType(), data, nulls, append([]*memory.Buffer{valid}, data.Buffers()[1:]...), data.Children())
}

func hasValidity(l arrow.DataTypeLayout) bool {
	return len(l.Buffers) > 0 && l.Buffers[0].Kind == arrow.KindBitmap
}

// validity returns which values are null neither in a nor in b, from a bit on, and how many are.
func validity(a, b arrow.Array, offset int) (valid *memory.Buffer, nulls int) {
	bits := make([]byte, bitutil.BytesForBits(int64(offset+a.Len())))
	for i := range a.Len() {
		if a.IsNull(i) || b.IsNull(i) {
			nulls++
			continue
		}
		bitutil.SetBit(bits, offset+i)
	}
	return memory.NewBufferBytes(bits), nulls
}

func hollowList(a array.ListLike) (arrow.Array, error) {
	a, err := withoutLost(a)
	if err != nil {
		return nil, err
	}
	defer a.Release()
	elements := array.MakeFromData(a.Data().Children()[0])
	defer elements.Release()
	b, err := hollowArray(elements)
	if err != nil {
		return nil, err
	}
	defer b.Release()
	return arrayOf(a.DataType(), a.Data(), a.NullN(), a.Data().Buffers(), []arrow.ArrayData{b.Data()}), nil
}

// withoutLost returns a list without elements of null ones.
func withoutLost(a array.ListLike) (array.ListLike, error) {
	rows := array.NewInt64Builder(memory.DefaultAllocator)
	defer rows.Release()
	lost := false
	for i := range a.Len() {
		from, to := a.ValueOffsets(i)
		lost = lost || from != to && a.IsNull(i)
		rows.Append(int64(i))
	}
	if a.DataType().ID() == arrow.FIXED_SIZE_LIST {
		lost = false
		if nullBetween(a) {
			return nil, errors.New("null lists of a fixed length do not go to Parquet: pqarrow does not write them between others")
		}
	}
	if !lost {
		a.Retain()
		return a, nil
	}
	all := rows.NewInt64Array()
	defer all.Release()
	b, err := compute.TakeArray(context.Background(), a, all)
	if err != nil {
		return nil, err
	}
	return b.(array.ListLike), nil
}

// nullBetween reports whether there is a null between two values.
func nullBetween(a arrow.Array) bool {
	runs := 0
	for i := range a.Len() {
		if a.IsValid(i) && (i == 0 || a.IsNull(i-1)) {
			runs++
		}
	}
	return runs > 1
}

// arrayOf returns an array with the length, the offset and the dictionary of data.
func arrayOf(typ arrow.DataType, data arrow.ArrayData, nulls int, buffers []*memory.Buffer, children []arrow.ArrayData) arrow.Array {
	made := array.NewData(typ, data.Len(), buffers, children, nulls, data.Offset())
	if dictionary, ok := data.Dictionary().(*array.Data); ok && dictionary != nil {
		made.SetDictionary(dictionary)
	}
	defer made.Release()
	return array.MakeFromData(made)
}
