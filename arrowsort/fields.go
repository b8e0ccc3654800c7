package arrowsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Fields returns a table of the fields of input that refs name, in that order: columns, and fields
// of structs. It is for functions whose sort keys have column indices. Where a struct is null
// its fields are. input is a record batch or a table, and its memory is shared, except the bitmaps
// of fields of structs with nulls.
//
// Errors are those of compute.FieldRef, and wrap arrow.ErrNotImplemented for other inputs and for
// fields without a bitmap of a struct with nulls.
func Fields(ctx context.Context, input Datum, refs ...compute.FieldRef) (arrow.Table, error) {
	c := newCall(ctx)
	defer c.close()
	like, ok := input.(compute.TableLikeDatum)
	if !ok {
		return nil, fmt.Errorf("%w: unsupported type for fields: %s", arrow.ErrNotImplemented, input)
	}
	t, err := c.tableOf("fields", input)
	if err != nil {
		return nil, err
	}
	var fields []arrow.Field
	var columns []*arrow.Chunked
	for _, ref := range refs {
		path, err := ref.FindOne(like.Schema())
		if err != nil {
			return nil, err
		}
		field, err := path.Get(like.Schema())
		if err != nil {
			return nil, err
		}
		chunks, err := c.fieldOf(t.columns[path[0]], path[1:])
		if err != nil {
			return nil, err
		}
		fields = append(fields, *field)
		columns = append(columns, owned(c, arrow.NewChunked(field.Type, chunks)))
	}
	return newTable(arrow.NewSchema(fields, nil), columns, t.rows), nil
}

// fieldOf returns the chunks of the field at path in the structs of col.
func (c *call) fieldOf(col column, path compute.FieldPath) ([]arrow.Array, error) {
	chunks := make([]arrow.Array, len(col.chunks))
	for i, chunk := range col.chunks {
		for _, index := range path {
			parent, ok := chunk.(*array.Struct)
			if !ok {
				return nil, fmt.Errorf("%w: a field of type %s", arrow.ErrNotImplemented, chunk.DataType())
			}
			var err error
			if chunk, err = c.child(parent, index); err != nil {
				return nil, err
			}
		}
		chunks[i] = chunk
	}
	return chunks, nil
}

// child returns a field of a struct, null where the struct is.
func (c *call) child(parent *array.Struct, index int) (arrow.Array, error) {
	field := parent.Field(index)
	if bitmapOf(parent) == nil {
		return field, nil
	}
	if field.DataType().ID() == arrow.NULL {
		return field, nil
	}
	if layout := field.DataType().Layout().Buffers; len(layout) == 0 || layout[0].Kind != arrow.KindBitmap {
		return nil, fmt.Errorf("%w: a field of type %s in a struct with nulls", arrow.ErrNotImplemented, field.DataType())
	}
	data := field.Data()
	buffers := append([]*memory.Buffer{c.both(parent, field)}, data.Buffers()[1:]...)
	dictionary, _ := data.Dictionary().(*array.Data)
	made := array.NewData(data.DataType(), data.Len(), buffers, data.Children(), array.UnknownNullCount, data.Offset())
	if dictionary != nil {
		made.Release()
		made = array.NewDataWithDictionary(data.DataType(), data.Len(), buffers, array.UnknownNullCount, data.Offset(), dictionary)
	}
	defer made.Release()
	return owned(c, array.MakeFromData(made)), nil
}

// both returns a bitmap, at the offset of field, of the rows in which neither parent nor field is
// null. parent has nulls.
func (c *call) both(parent, field arrow.Array) *memory.Buffer {
	offset, rows := field.Data().Offset(), field.Len()
	buffer := c.newBuffer((offset + rows + 7) / 8)
	bitmap := bitmapOf(parent)
	bitutil.CopyBitmap(bitmap, parent.Data().Offset(), rows, buffer.Bytes(), offset)
	if own := bitmapOf(field); own != nil {
		bitutil.BitmapAnd(bitmap, own, int64(parent.Data().Offset()), int64(offset), buffer.Bytes(), int64(offset), int64(rows))
	}
	return buffer
}
