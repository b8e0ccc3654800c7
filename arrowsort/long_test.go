package arrowsort

import (
	"context"
	"testing"

	"example.com/sorter/perm"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestLongText checks that columns whose offsets would overflow are taken as several chunks.
func TestLongText(t *testing.T) {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for i := range 20 {
		b.Append("text"[:i%5])
	}
	text := b.NewArray()
	c := newCall(context.Background())
	defer c.close()
	c.mostText = 9
	chunks, err := c.takeColumn(columnOf(text.DataType(), text), perm.Identity(20))
	if err != nil || len(chunks) != 8 {
		t.Fatalf("%d chunks: %v", len(chunks), err)
	}
	all, err := array.Concatenate(chunks, memory.DefaultAllocator)
	if err != nil || !array.Equal(all, text) {
		t.Errorf("%v, not %v: %v", all, text, err)
	}
}

// TestManyRuns checks the same of run ends.
func TestManyRuns(t *testing.T) {
	const rows = 30_000
	ends := array.NewInt16Builder(memory.DefaultAllocator)
	values := array.NewInt32Builder(memory.DefaultAllocator)
	for i := range rows {
		ends.Append(int16(i + 1))
		values.Append(int32(i))
	}
	one := array.NewRunEndEncodedArray(ends.NewArray(), values.NewArray(), rows, 0)
	chunked := arrow.NewChunked(one.DataType(), []arrow.Array{one, one, one})
	sorted, err := SortChunked(context.Background(), chunked, SortKey{Order: SortOrderDescending})
	if err != nil || sorted.Len() != 3*rows || len(sorted.Chunks()) != 4 {
		t.Fatalf("%v: %v", sorted, err)
	}
	row := 0
	for _, chunk := range sorted.Chunks() {
		if err := array.ValidateFull(chunk); err != nil {
			t.Fatal(err)
		}
		runs := chunk.(*array.RunEndEncoded)
		for i := range chunk.Len() {
			if got := runs.Values().(*array.Int32).Value(runs.GetPhysicalIndex(i)); int(got) != rows-1-row/3 {
				t.Fatalf("row %d is %d", row, got)
			}
			row++
		}
	}
}

// TestWiden checks that no number is overwritten before it is widened.
func TestWiden(t *testing.T) {
	c := newCall(context.Background())
	defer c.close()
	for _, rows := range []int{0, 1, 2, 3, 1000, 4*grain + 1, 10 * grain} {
		for workers := range 4 {
			c.workers = workers + 1
			n := c.newNumbers(rows)
			for i := range n.narrow() {
				n.narrow()[i] = ^uint32(i)
			}
			data := n.array(c)
			for i, got := range array.NewUint64Data(data).Uint64Values() {
				if got != uint64(^uint32(i)) {
					t.Fatalf("%d of %d rows on %d workers: %#x", i, rows, c.workers, got)
				}
			}
			data.Release()
		}
	}
}
