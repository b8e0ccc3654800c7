package arrowsort

import (
	"context"

	"example.com/sorter/internal/spill"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// OnDisk makes a sort use a disk of the test.
func OnDisk(d spill.Disk) ReaderOption { return func(o *readerOptions) { o.disk = d } }

// MostText is the number of bytes that 32-bit offsets reach.
func MostText(bytes int64) ReaderOption { return func(o *readerOptions) { o.mostText = bytes } }

// EncodeBlock returns a batch as a block of a run.
func EncodeBlock(batch arrow.RecordBatch) []byte {
	var columns []arrow.ArrayData
	for _, a := range batch.Columns() {
		columns = append(columns, a.Data())
	}
	var all []byte
	_ = imageOf(columns, int(batch.NumRows())).writeTo(func(p []byte) error {
		all = append(all, p...)
		return nil
	})
	return all
}

// DecodeBlock returns the batch of a block.
func DecodeBlock(schema *arrow.Schema, block []byte) (arrow.RecordBatch, error) {
	return batchIn(schema, memory.NewBufferBytes(block))
}

// Held returns how many batches a sort holds that took some, all of them in memory.
func Held(schema *arrow.Schema, keys []SortKey, batches []arrow.RecordBatch) (int, error) {
	s, err := newStreaming(newCall(context.Background()), schema, keys, readerOptionsOf(nil))
	if err != nil {
		return 0, err
	}
	defer s.call.close()
	sort := &tableSort{streaming: s}
	defer sort.letGo()
	for _, batch := range batches {
		if err := sort.accept(batch); err != nil {
			return 0, err
		}
	}
	return len(sort.held), nil
}
