package arrowsort

import (
	"math"

	"example.com/sorter"
	pages "example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
	"github.com/apache/arrow-go/v18/arrow"
)

// budget divides the memory of a sort. While a run fills: its batches, the scratch memory of their
// order, and blocks on their way to disk. While runs are merged: blocks of each, the scratch memory of
// the order of all that are loaded, and batches on their way out. Indices of runs come on top.
type budget struct {
	limit   int64
	workers int
	order   sorter.Ordering[int] // by columns of the types of keys
	options []sorter.Option
	perRow  int64 // bytes per row beside: the order, keys that are converted, marks
	packing spill.Packing

	block  int64 // bytes of a block, and of the scratch memory of its rows
	buffer int64 // bytes of a writer's buffer
}

const (
	uncounted            = 8   // share of the memory that is left to garbage, stacks and the allocator's own
	blockShare           = 512 // of the memory is a block, with the scratch memory of its rows
	leastBlock           = 4 << 10
	mostBlock            = 512 << 10
	shortOrder           = 4096 // rows up to which package sorter takes far less than ScratchBytes says
	shortRow             = 48   // bytes per row then
	dictionaryValueBytes = 200  // to rank a value of a dictionary
)

func newBudget(s *streaming, keys []key) budget {
	b := budget{workers: s.workers, order: sorter.By(columnsOf(keys)...), options: s.options}
	b.perRow = 4 + 1
	for _, k := range s.by {
		b.perRow += convertedBytes(s.schema.Field(k.ColumnIndex).Type)
	}
	return b.of(s.readerOptions)
}

// of returns b with the limit of o.
func (b budget) of(o readerOptions) budget {
	b.limit, b.packing = min(o.memory-o.memory/uncounted, pages.TooLarge), o.packing(b.workers)
	b.block = min(max(b.limit/blockShare, leastBlock), mostBlock)
	b.buffer = min(spill.CodedBufferBytes(b.limit), max(b.limit/32/spill.Align*spill.Align, 2*spill.Align))
	return b
}

// tooSmallFor is the error of a limit with which rows cannot be sorted on disk, of which the widest takes some
// bytes, where indices of runs take some. The need is the least of limits, each twice the one before, with which they can.
func (s *streaming) tooSmallFor(now, row, indices int64) error {
	for _, field := range s.schema.Fields() {
		row += arraysOf(field.Type) * 4 * bufferAlign
	}
	o := s.readerOptions
	for o.memory < math.MaxInt64/4 {
		o.memory *= 2
		b := s.budget.of(o)
		run := &diskRun{mostBytes: b.block + row, mostRows: b.blockRows(0)}
		sorted := b.filling(1, row, 1)
		merged := b.merging([]*diskRun{run, run}, leastDepth) + b.writing()
		if max(2*(sorted+indices), 2*(merged+indices), oneRowShare*row, now) <= b.limit { // the other half is for rows and indices of runs to come
			break
		}
	}
	return &sorter.MemoryError{Limit: s.memory, Need: o.memory}
}

// arraysOf returns the number of arrays that an array of a type is made of.
func arraysOf(typ arrow.DataType) int64 {
	n := int64(1)
	for _, of := range childTypes(typ) {
		n += arraysOf(of)
	}
	if of := dictionaryOf(typ); of != nil {
		n += arraysOf(of.ValueType)
	}
	return n
}

// widest returns a table without rows whose decimals are those that take the most scratch.
func widest(t table) table {
	columns := append([]column(nil), t.columns...)
	for i, col := range columns {
		switch col.typ.ID() {
		case arrow.DECIMAL128:
			columns[i].typ = &arrow.FixedSizeBinaryType{ByteWidth: 16}
		case arrow.DECIMAL256:
			columns[i].typ = &arrow.FixedSizeBinaryType{ByteWidth: 32}
		}
	}
	t.columns = columns
	return t
}

// convertedBytes returns the bytes per row of keys of a type that are converted.
func convertedBytes(typ arrow.DataType) int64 {
	const bitmap = 1
	switch typ.ID() {
	case arrow.EXTENSION:
		return convertedBytes(typ.(arrow.ExtensionType).StorageType())
	case arrow.BOOL:
		return bitmap + 1
	case arrow.FLOAT16, arrow.DICTIONARY, arrow.RUN_END_ENCODED,
		arrow.STRING, arrow.LARGE_STRING, arrow.STRING_VIEW, arrow.BINARY, arrow.LARGE_BINARY, arrow.BINARY_VIEW:
		return bitmap + 4
	case arrow.DECIMAL128, arrow.INTERVAL_DAY_TIME:
		return bitmap + 8
	case arrow.INTERVAL_MONTH_DAY_NANO:
		return bitmap + 16
	case arrow.DECIMAL256:
		return bitmap + 8 + 32
	}
	return bitmap
}

// tooSmall is the error of a limit where a merge of readers needs some bytes now. The need grows with the rows that follow.
// So it asks for twice the limit at least: who asks again with the need comes to an end after a few times.
func (s *streaming) tooSmall(now int64) error {
	return &sorter.MemoryError{Limit: s.memory, Need: max(now+now/(uncounted-1)+1, 2*s.memory)}
}

// ordering bounds the scratch memory of the order of n rows, whose dictionaries have a number of
// values.
func (b *budget) ordering(n, values int64) int64 {
	if n == 0 {
		return 0
	}
	bytes := n*b.perRow + min(values, n)*dictionaryValueBytes
	if n <= shortOrder {
		return bytes + n*shortRow
	}
	return bytes + b.order.ScratchBytes(int(n), b.options...)
}

// blockRows returns the number of rows of a block, of a mean of bytes each.
func (b *budget) blockRows(mean int64) int {
	return int(max(1, min(b.block/(mean+b.perRow+shortRow), mostBatchRows)))
}

// writing is the memory of blocks on their way to disk.
func (b *budget) writing() int64 {
	return int64(b.workers+2)*b.block + b.buffer + b.packing.WriterBytes()
}

// reader is the size of the buffer of a reader of runs.
func (b *budget) reader() int {
	return int(min(max(b.limit/64, b.frame()), spill.MostRead)) + 4*spill.Align
}

// frame is the number of bytes of a block that have a checksum of their own, and are compressed
// together.
func (b *budget) frame() int64 {
	if b.packing.Active() {
		return int64(b.packing.Most())
	}
	return min(b.block, 128<<10)
}

// readers is the number of goroutines that read blocks ahead.
func (b *budget) readers() int {
	if b.limit >= 16<<20 {
		return 2
	}
	return 1
}

// filling bounds the memory of rows that wait for their run, of which some are joined.
func (b *budget) filling(rows, bytes, values int64) int64 {
	return bytes + b.ordering(rows, values) + b.writing() + b.block + 8*min(rows, rowsAtOnce)
}

// merging bounds the memory of a merge of runs, of each of which some blocks are loaded, without that
// of its result.
func (b *budget) merging(runs []*diskRun, depth int64) int64 {
	var bytes, rows int64
	for _, r := range runs {
		bytes += depth * (r.mostBytes + r.mostBytes/8)
		rows += depth * int64(r.mostRows)
	}
	read := int64(b.readers()) * b.packing.ReaderBytes(b.reader())
	return bytes + b.ordering(rows, 0) + 8*min(rows, rowsAtOnce) + read
}
