package arrowsort

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/compute"
)

// SortIndices returns the row numbers of input in the order of keys, as an array of uint64:
// compute.SortIndices. Of an array or a chunked array it takes the first key, whose column index
// is ignored; of a record batch or a table all.
//
// It is stable. Nulls come where a key has them, and NaNs between them and the values: values,
// NaNs, nulls, or nulls, NaNs, values, in ascending and in descending order. −0 equals 0.
//
// Time and scratch are those of sorter.Rows.Order; keys of other types than numbers, text and byte strings
// are converted to scratch. Inputs are not changed, and calls may run concurrently on the same. The
// caller releases the result.
//
// Errors wrap arrow.ErrInvalid for no keys, for a key whose column index or constants are out of range,
// and for columns of different lengths, and arrow.ErrNotImplemented for inputs of another kind and types
// without an order; others are those of sorter.Rows.Order, of which a cancelled ctx is one. It panics if ctx
// or input is nil. Of a malformed array, which arrow-go accepts from files and other machines, it may
// panic: on the calling goroutine, and nothing is left of the call.
func SortIndices(ctx context.Context, input Datum, keys SortOptions) (Datum, error) {
	c := newCall(ctx)
	defer c.close()
	t, by, err := c.resolve("sort_indices", input, keys)
	if err != nil {
		return nil, err
	}
	out := c.newNumbers(t.rows)
	if _, err := c.order(t.rows, by, out.narrow()); err != nil {
		return nil, err
	}
	return &compute.ArrayDatum{Value: out.array(c)}, nil
}

// SortIndicesArray is [SortIndices] of an array.
func SortIndicesArray(ctx context.Context, input arrow.Array, key SortKey) (arrow.Array, error) {
	return arrayOf(SortIndices(ctx, datumOf(input), SortOptions{key}))
}

// SortIndicesChunked is [SortIndices] of a chunked array.
func SortIndicesChunked(ctx context.Context, input *arrow.Chunked, key SortKey) (arrow.Array, error) {
	return arrayOf(SortIndices(ctx, datumOf(input), SortOptions{key}))
}

// SortIndicesRecordBatch is [SortIndices] of a record batch.
func SortIndicesRecordBatch(ctx context.Context, batch arrow.RecordBatch, keys []SortKey) (arrow.Array, error) {
	return arrayOf(SortIndices(ctx, datumOf(batch), keys))
}

// SortIndicesTable is [SortIndices] of a table.
func SortIndicesTable(ctx context.Context, tbl arrow.Table, keys []SortKey) (arrow.Array, error) {
	return arrayOf(SortIndices(ctx, datumOf(tbl), keys))
}

// Sort returns the rows of input in the order of keys, in new memory: compute.Sort. It is
// compute.Take at [SortIndices], but columns of numbers, bits, text, structs and dictionaries are
// gathered by all workers. Every column of the result is one chunk, or several where 32-bit
// offsets of text would overflow.
//
// The order and the errors are those of [SortIndices]. Columns that are no keys may have any type
// of which compute.Take can take rows. The caller releases the result.
func Sort(ctx context.Context, input Datum, keys SortOptions) (Datum, error) {
	c := newCall(ctx)
	defer c.close()
	t, by, err := c.resolve("sort", input, keys)
	if err != nil {
		return nil, err
	}
	p, err := c.order(t.rows, by, scratch[uint32](c, t.rows))
	if err != nil {
		return nil, err
	}
	return c.take(input, t, p)
}

// SortArray is [Sort] of an array.
func SortArray(ctx context.Context, input arrow.Array, key SortKey) (arrow.Array, error) {
	return arrayOf(Sort(ctx, datumOf(input), SortOptions{key}))
}

// SortChunked is [Sort] of a chunked array.
func SortChunked(ctx context.Context, input *arrow.Chunked, key SortKey) (*arrow.Chunked, error) {
	sorted, err := Sort(ctx, datumOf(input), SortOptions{key})
	if err != nil {
		return nil, err
	}
	return sorted.(*compute.ChunkedDatum).Value, nil
}

// SortRecordBatch is [Sort] of a record batch.
func SortRecordBatch(ctx context.Context, batch arrow.RecordBatch, keys []SortKey) (arrow.RecordBatch, error) {
	sorted, err := Sort(ctx, datumOf(batch), keys)
	if err != nil {
		return nil, err
	}
	return sorted.(*compute.RecordDatum).Value, nil
}

// SortTable is [Sort] of a table.
func SortTable(ctx context.Context, tbl arrow.Table, keys []SortKey) (arrow.Table, error) {
	sorted, err := Sort(ctx, datumOf(tbl), keys)
	if err != nil {
		return nil, err
	}
	return sorted.(*compute.TableDatum).Value, nil
}

// resolve returns input as columns, and its keys. fn is the name of the function for errors.
func (c *call) resolve(fn string, input Datum, keys []SortKey) (table, []key, error) {
	t, err := c.tableOf(fn, input)
	if err != nil {
		return t, nil, err
	}
	by, err := c.keysOf(t, keys)
	return t, by, err
}

// arrayOf returns the array of a datum, which it releases.
func arrayOf(datum Datum, err error) (arrow.Array, error) {
	if err != nil {
		return nil, err
	}
	defer datum.Release()
	return datum.(*compute.ArrayDatum).MakeArray(), nil
}
