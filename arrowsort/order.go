package arrowsort

import (
	"example.com/sorter"
	"example.com/sorter/perm"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// keysOf returns the keys of t that keys describe.
func (c *call) keysOf(t table, keys []SortKey) ([]key, error) {
	keys, err := t.sortKeys(keys)
	if err != nil {
		return nil, err
	}
	all := make([]key, len(keys))
	for i, k := range keys {
		if all[i], err = c.keyOf(t.columns[k.ColumnIndex], k); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// columnsOf returns the columns of keys.
func columnsOf(keys []key) []sorter.Column[int] {
	columns := make([]sorter.Column[int], len(keys))
	for i, k := range keys {
		columns[i] = k.column
	}
	return columns
}

// order returns the order of rows by keys, in the memory of into, which has that length.
func (c *call) order(rows int, keys []key, into []uint32) (perm.Perm, error) {
	return sorter.RowsBy(rows, columnsOf(keys)...).Order(c.with(sorter.Into(into))...)
}

// numbers is an array of uint64 that is made from 32-bit numbers in its own memory.
type numbers struct {
	buffer *memory.Buffer
	rows   int
}

// newNumbers allocates an array of rows numbers.
func (c *call) newNumbers(rows int) numbers {
	return numbers{c.newBuffer(rows * arrow.Uint64SizeBytes), rows}
}

// narrow returns the second half of the memory, as 32-bit numbers.
func (n numbers) narrow() []uint32 {
	return arrow.Uint32Traits.CastFromBytes(n.buffer.Bytes())[n.rows:]
}

// array widens the numbers in narrow and returns them as an array, which retains the memory.
//
// Wide number i ends at byte 8*(i+1), and narrow number i begins at 4*(rows+i), so in ascending
// order none is overwritten before it is read. Wide numbers from lo to (rows+lo)/2 overlap no
// narrow number from lo on: all workers widen them together.
func (n numbers) array(c *call) *array.Data {
	wide, narrow, lo := arrow.Uint64Traits.CastFromBytes(n.buffer.Bytes()), n.narrow(), 0
	widen := func(from, to int) {
		for i := from; i < to; i++ {
			wide[i] = uint64(narrow[i])
		}
	}
	for c.workers > 1 && n.rows-lo > 4*grain {
		first, hi := lo, (n.rows+lo)/2
		c.stripes(hi-first, func(from, to int) { widen(first+from, first+to) })
		lo = hi
	}
	widen(lo, n.rows)
	return array.NewData(arrow.PrimitiveTypes.Uint64, n.rows, []*memory.Buffer{nil, n.buffer}, nil, 0, 0)
}
