package arrowsort

import (
	"errors"
	"fmt"

	"example.com/sorter/perm"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// take returns the given rows of input, whose columns are those of t, in new memory.
func (c *call) take(input Datum, t table, rows perm.Perm) (Datum, error) {
	columns := make([]*arrow.Chunked, len(t.columns))
	for i, col := range t.columns {
		if col.rows < t.rows {
			return nil, errLengths
		}
		chunks, err := c.takeColumn(col, rows)
		if err != nil {
			return nil, err
		}
		columns[i] = owned(c, arrow.NewChunked(col.typ, chunks))
		release(chunks)
	}
	switch input := input.(type) {
	case *compute.RecordDatum:
		arrays := make([]arrow.Array, len(columns))
		for i, column := range columns {
			arrays[i] = column.Chunk(0)
		}
		return &compute.RecordDatum{Value: array.NewRecordBatch(input.Value.Schema(), arrays, int64(len(rows)))}, nil
	case *compute.TableDatum:
		return &compute.TableDatum{Value: newTable(input.Value.Schema(), columns, len(rows))}, nil
	case *compute.ArrayDatum:
		data := columns[0].Chunk(0).Data()
		data.Retain()
		return &compute.ArrayDatum{Value: data}, nil
	default:
		columns[0].Retain()
		return &compute.ChunkedDatum{Value: columns[0]}, nil
	}
}

// newTable returns a table of chunked columns.
func newTable(schema *arrow.Schema, columns []*arrow.Chunked, rows int) arrow.Table {
	all := make([]arrow.Column, len(columns))
	for i, column := range columns {
		all[i] = *arrow.NewColumn(schema.Field(i), column)
		defer all[i].Release()
	}
	return array.NewTable(schema, all, int64(rows))
}

// release releases arrays or batches.
func release[A interface{ Release() }](all []A) {
	for _, a := range all {
		a.Release()
	}
}

// errTooLong is that of text whose 32-bit offsets overflow, and of run ends that do.
var errTooLong = fmt.Errorf("%w: more text or rows than offsets of the type reach", arrow.ErrInvalid)

// takeColumn returns the given rows of col, as one chunk, or as several where text is too long
// for one.
func (c *call) takeColumn(col column, rows perm.Perm) ([]arrow.Array, error) {
	taken, err := c.takeRows(col, rows)
	if err == nil && c.cancelled() {
		taken.Release()
		return nil, c.ctx.Err()
	}
	if err == nil {
		return []arrow.Array{taken}, nil
	}
	if !errors.Is(err, errTooLong) || len(rows) < 2 {
		return nil, err
	}
	first, err := c.takeColumn(col, rows[:len(rows)/2])
	if err != nil {
		return nil, err
	}
	second, err := c.takeColumn(col, rows[len(rows)/2:])
	if err != nil {
		release(first)
		return nil, err
	}
	return append(first, second...), nil
}

// takeRows returns the given rows of col as one array.
func (c *call) takeRows(col column, rows perm.Perm) (arrow.Array, error) {
	if len(rows) == 0 {
		return array.MakeArrayOfNull(c.mem, col.typ, 0), nil
	}
	switch typ := col.typ.(type) {
	case *arrow.NullType:
		return array.NewNull(len(rows)), nil
	case *arrow.BooleanType:
		bits, _ := c.gatherBits(bitsOf(col, bitsIn), rows)
		return c.newArray(col, rows, nil, bits), nil
	case *arrow.StringType, *arrow.BinaryType:
		return gatherText[int32](c, col, rows)
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return gatherText[int64](c, col, rows)
	case *arrow.StringViewType, *arrow.BinaryViewType:
		return c.gatherViews(col, rows), nil
	case *arrow.StructType:
		return c.takeStructs(col, typ, rows)
	case arrow.ExtensionType:
		storage, err := c.takeRows(storageOf(col, typ), rows)
		if err != nil {
			return nil, err
		}
		defer storage.Release()
		return array.NewExtensionArrayWithStorage(typ, storage), nil
	case *arrow.DictionaryType:
		return c.takeDictionary(col, typ, rows)
	case *arrow.RunEndEncodedType:
		return c.takeRuns(col, typ, rows)
	case arrow.FixedWidthDataType:
		return c.newArray(col, rows, nil, c.gatherFixed(col, typ.Bytes(), rows)), nil
	}
	one, err := c.oneChunk(col)
	if err != nil {
		return nil, err
	}
	return compute.TakeArrayOpts(c.ctx, one, owned(c, rowsArray(rows)), compute.TakeOptions{})
}

// newArray returns an array of rows of col from their values, and the nulls that they have in col.
func (c *call) newArray(col column, rows perm.Perm, children []arrow.ArrayData, buffers ...*memory.Buffer) arrow.Array {
	all, nulls := []*memory.Buffer{nil}, 0
	if v := validityOf(col); v.any() {
		all[0], nulls = c.gatherBits(v, rows)
	}
	all = append(all, buffers...)
	data := array.NewData(col.typ, len(rows), all, children, nulls, 0)
	defer data.Release()
	return array.MakeFromData(data)
}

// takeStructs takes rows of every field.
func (c *call) takeStructs(col column, typ *arrow.StructType, rows perm.Perm) (arrow.Array, error) {
	children := make([]arrow.ArrayData, typ.NumFields())
	for i := range children {
		field := column{typ: typ.Field(i).Type, rows: col.rows}
		for _, chunk := range col.chunks {
			field.chunks = append(field.chunks, chunk.(*array.Struct).Field(i))
		}
		taken, err := c.takeRows(field, rows)
		if err != nil {
			return nil, err
		}
		children[i] = owned(c, taken).Data()
	}
	return c.newArray(col, rows, children), nil
}

// takeDictionary takes rows of the indices. Chunks of different dictionaries get a common one.
func (c *call) takeDictionary(col column, typ *arrow.DictionaryType, rows perm.Perm) (arrow.Array, error) {
	values := col.chunks[0].Data().Dictionary()
	for _, chunk := range col.chunks {
		if chunk.Data().Dictionary() == values {
			continue
		}
		one, err := c.oneChunk(col)
		if err != nil {
			return nil, err
		}
		return c.takeDictionary(columnOf(typ, one), typ, rows)
	}
	indices := column{typ: typ.IndexType, rows: col.rows}
	for _, chunk := range col.chunks {
		indices.chunks = append(indices.chunks, chunk.(*array.Dictionary).Indices())
	}
	taken, err := c.takeRows(indices, rows)
	if err != nil {
		return nil, err
	}
	data := owned(c, taken).Data()
	with := array.NewDataWithDictionary(typ, data.Len(), data.Buffers(), data.NullN(), 0, values.(*array.Data))
	defer with.Release()
	return array.MakeFromData(with), nil
}

// takeRuns takes rows of run-end encoded columns: rows of one run that follow each other are a run.
// It returns errTooLong for more rows than run ends of the type count.
func (c *call) takeRuns(col column, typ *arrow.RunEndEncodedType, rows perm.Perm) (arrow.Array, error) {
	if bits := typ.RunEnds().(arrow.FixedWidthDataType).BitWidth(); uint64(len(rows)) >= 1<<(bits-1) {
		return nil, errTooLong
	}
	values, runs := c.runsOf(col, typ)
	var ends, taken []uint32
	for i, row := range rows {
		run := runs[row]
		if i == 0 || taken[len(taken)-1] != run {
			ends, taken = append(ends, 0), append(taken, run)
		}
		ends[len(ends)-1] = uint32(i + 1)
	}
	children := owned(c, endsArray(c, typ.RunEnds(), ends))
	of, err := c.takeRows(values, taken)
	if err != nil {
		return nil, err
	}
	return array.NewRunEndEncodedArrayWithType(typ, children, owned(c, of), len(rows), 0), nil
}

// endsArray returns run ends as an array of their type.
func endsArray(c *call, typ arrow.DataType, ends []uint32) arrow.Array {
	b := array.NewBuilder(c.mem, typ)
	defer b.Release()
	b.Reserve(len(ends))
	for _, end := range ends {
		switch b := b.(type) {
		case *array.Int16Builder:
			b.UnsafeAppend(int16(end))
		case *array.Int32Builder:
			b.UnsafeAppend(int32(end))
		case *array.Int64Builder:
			b.UnsafeAppend(int64(end))
		}
	}
	return b.NewArray()
}

// oneChunk returns the rows of col as one array.
func (c *call) oneChunk(col column) (arrow.Array, error) {
	if len(col.chunks) == 1 {
		return col.chunks[0], nil
	}
	one, err := array.Concatenate(col.chunks, c.mem)
	if err != nil {
		return nil, err
	}
	return owned(c, one), nil
}

// rowsArray returns row numbers as an array of the same memory.
func rowsArray(rows []uint32) arrow.Array {
	buffer := memory.NewBufferBytes(arrow.Uint32Traits.CastToBytes(rows))
	data := array.NewData(arrow.PrimitiveTypes.Uint32, len(rows), []*memory.Buffer{nil, buffer}, nil, 0, 0)
	defer data.Release()
	return array.NewUint32Data(data)
}
