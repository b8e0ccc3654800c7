package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// dictionaries makes all dictionaries of a column one, since a file of Arrow has one for each: that of all values which the
// batches of the input have. They are noted before the first batch is written.
type dictionaries struct {
	all []*columnDictionary // of columns and of what is in them, in the order of each
}

// columnDictionary is the one of a column.
type columnDictionary struct {
	places map[string]int // of the values
	parts  []arrow.Array  // those values that were new in each dictionary
	values arrow.Array    // the parts together, once they are known
	last   arrow.ArrayData
	moved  []int // of the values of last: their places
}

// note adds the values of the dictionaries of a batch.
func (d *dictionaries) note(batch arrow.RecordBatch) error {
	return d.each(batch, func(x *columnDictionary, data arrow.ArrayData) (arrow.ArrayData, error) {
		x.note(data.Dictionary())
		return data, nil
	}, func(int, arrow.ArrayData) {})
}

// unite returns the batch with the one dictionary of each column.
func (d *dictionaries) unite(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, batch.NumCols())
	err := d.each(batch, (*columnDictionary).unite, func(i int, data arrow.ArrayData) { columns[i] = array.MakeFromData(data) })
	if err != nil {
		return nil, err
	}
	return array.NewRecordBatch(batch.Schema(), columns, batch.NumRows()), nil
}

// each calls do with each array of a batch that has a dictionary, and column with each column that has what do returned.
func (d *dictionaries) each(batch arrow.RecordBatch, do func(*columnDictionary, arrow.ArrayData) (arrow.ArrayData, error), column func(int, arrow.ArrayData)) error {
	at := 0
	var walk func(data arrow.ArrayData) (arrow.ArrayData, error)
	walk = func(data arrow.ArrayData) (arrow.ArrayData, error) {
		switch typ := storageOf(data.DataType()); {
		case typ.ID() == arrow.DICTIONARY:
			if at++; at > len(d.all) {
				d.all = append(d.all, &columnDictionary{places: map[string]int{}})
			}
			return do(d.all[at-1], data)
		case !hasType(typ, arrow.DICTIONARY):
			return data, nil
		}
		var children []arrow.ArrayData
		for _, child := range data.Children() {
			c, err := walk(child)
			if err != nil {
				return nil, err
			}
			children = append(children, c)
		}
		return array.NewData(data.DataType(), data.Len(), data.Buffers(), children, data.NullN(), data.Offset()), nil
	}
	for i, c := range batch.Columns() {
		data, err := walk(c.Data())
		if err != nil {
			return fmt.Errorf("column %s: %w", batch.ColumnName(i), err)
		}
		column(i, data)
	}
	return nil
}

// storageOf returns the type of the arrays that hold values of a type.
func storageOf(typ arrow.DataType) arrow.DataType {
	if e, ok := typ.(arrow.ExtensionType); ok {
		return storageOf(e.StorageType())
	}
	return typ
}

// hasType reports whether a type is one of an id, or types in it are.
func hasType(typ arrow.DataType, id arrow.Type) bool {
	typ = storageOf(typ)
	if typ.ID() == id {
		return true
	}
	if n, ok := typ.(arrow.NestedType); ok {
		for _, f := range n.Fields() {
			if hasType(f.Type, id) {
				return true
			}
		}
	}
	return false
}

func schemaHasDictionary(schema *arrow.Schema) bool {
	return hasType(arrow.StructOf(schema.Fields()...), arrow.DICTIONARY)
}

// note adds the values of a dictionary.
func (x *columnDictionary) note(values arrow.ArrayData) {
	if x.last == values {
		return
	}
	x.last = values
	a := array.MakeFromData(values)
	key := valueKeys(a)
	from := 0 // of the values that are new
	for i := range a.Len() {
		k := key(i)
		if _, known := x.places[string(k)]; known {
			x.add(a, from, i)
			from = i + 1
			continue
		}
		x.places[string(k)] = len(x.places)
	}
	x.add(a, from, a.Len())
}

func (x *columnDictionary) add(a arrow.Array, from, to int) {
	if from < to {
		x.parts = append(x.parts, array.NewSlice(a, int64(from), int64(to)))
	}
}

// unite returns an array with the one dictionary.
func (x *columnDictionary) unite(data arrow.ArrayData) (arrow.ArrayData, error) {
	index := storageOf(data.DataType()).(*arrow.DictionaryType).IndexType
	if err := x.complete(index, data.Dictionary()); err != nil {
		return nil, err
	}
	if x.last != data.Dictionary() {
		x.move(data.Dictionary())
	}
	buffers := data.Buffers()
	moved := moveIndices(buffers[1], index.(arrow.FixedWidthDataType).Bytes(), data.Offset()+data.Len(), x.moved)
	return array.NewDataWithDictionary(data.DataType(), data.Len(), []*memory.Buffer{buffers[0], moved}, data.NullN(), data.Offset(), x.values.Data().(*array.Data)), nil
}

// complete makes the values one array before the first batch is written.
func (x *columnDictionary) complete(index arrow.DataType, empty arrow.ArrayData) (err error) {
	if x.values != nil {
		return nil
	}
	x.last = nil
	if most := mostIndex(index); uint64(len(x.places)) > most+1 && most != math.MaxUint64 {
		return fmt.Errorf("its dictionaries have %d values, more than its indices reach in a file of Arrow, which has one of them: -to arrows has several", len(x.places))
	}
	switch len(x.parts) {
	case 0:
		x.values = array.MakeFromData(empty)
	case 1:
		x.values = x.parts[0]
	default:
		x.values, err = array.Concatenate(x.parts, memory.DefaultAllocator)
	}
	x.parts = nil
	return err
}

// move finds the places of the values of a dictionary.
func (x *columnDictionary) move(values arrow.ArrayData) {
	a := array.MakeFromData(values)
	key := valueKeys(a)
	x.last, x.moved = values, make([]int, a.Len())
	for i := range x.moved {
		x.moved[i] = x.places[string(key(i))]
	}
}

// mostIndex returns the largest index of a type.
func mostIndex(index arrow.DataType) uint64 {
	bits := index.(arrow.FixedWidthDataType).BitWidth()
	if !arrow.IsUnsignedInteger(index.ID()) {
		bits--
	}
	return math.MaxUint64 >> (64 - bits)
}

// moveIndices returns the first n indices of some bytes each as moved has them. Those of nulls may be any.
func moveIndices(indices *memory.Buffer, bytes, n int, moved []int) *memory.Buffer {
	if indices == nil {
		return nil
	}
	in, out := indices.Bytes(), make([]byte, n*bytes)
	var wide [8]byte // little endian, as arrays of Arrow are
	for i := range n {
		copy(wide[:], in[i*bytes:(i+1)*bytes])
		if at := binary.LittleEndian.Uint64(wide[:]); at < uint64(len(moved)) {
			binary.LittleEndian.PutUint64(wide[:], uint64(moved[at]))
			copy(out[i*bytes:], wide[:bytes])
			clear(wide[:])
		}
	}
	return memory.NewBufferBytes(out)
}

// valueKeys returns a function that returns different bytes for different values of an array, valid until its next call.
// Those of lists and structs are their text, in which NaNs are the same.
func valueKeys(a arrow.Array) func(i int) []byte {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	add := func(key []byte, i int) []byte { return append(key, a.ValueStr(i)...) }
	switch b := a.(type) {
	case interface{ Value(i int) string }:
		add = func(key []byte, i int) []byte { return append(key, b.Value(i)...) }
	case interface{ Value(i int) []byte }:
		add = func(key []byte, i int) []byte { return append(key, b.Value(i)...) }
	case *array.Boolean, *array.FixedSizeList, *array.Struct:
	default:
		typ, ok := a.DataType().(arrow.FixedWidthDataType)
		if !ok || len(a.Data().Buffers()) != 2 {
			break
		}
		add = func(key []byte, i int) []byte {
			return append(key, a.Data().Buffers()[1].Bytes()[(a.Data().Offset()+i)*typ.Bytes():][:typ.Bytes()]...)
		}
	}
	var key []byte
	return func(i int) []byte {
		if a.IsNull(i) {
			return nil
		}
		key = add(append(key[:0], '='), i)
		return key
	}
}

// unitedWriter writes batches with the one dictionary of each column.
type unitedWriter struct {
	tableWriter
	*dictionaries
}

func (w unitedWriter) Write(batch arrow.RecordBatch) error {
	united, err := w.unite(batch)
	if err != nil {
		return err
	}
	defer united.Release()
	return w.tableWriter.Write(united)
}
