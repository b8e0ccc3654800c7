package arrowsort

import (
	"fmt"
	"time"

	"example.com/sorter"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// streaming is what sorts and merges of readers have in common.
type streaming struct {
	*call
	readerOptions
	schema *arrow.Schema
	by     []SortKey
	budget budget
	stats  ReaderStats
}

// newStreaming returns the environment of a sort of rows of schema, or the error of its keys. The
// caller closes it.
func newStreaming(c *call, schema *arrow.Schema, by []SortKey, o readerOptions) (*streaming, error) {
	c.mostText = o.mostText
	s := &streaming{call: c, readerOptions: o, schema: schema}
	c.workers = int(min(int64(c.workers), max(2, o.memory/workerBytes)))
	c.options[0] = sorter.Workers(c.workers)
	t := s.rowsOf(nil)
	var err error
	if s.by, err = t.sortKeys(by); err != nil {
		return nil, err
	}
	probe := c.fork()
	defer probe.close()
	keys, err := probe.keysOf(widest(t), s.by)
	if err != nil {
		return nil, err
	}
	s.budget = newBudget(s, keys)
	return s, nil
}

// workerBytes is the memory for a goroutine beyond the second, as in extsort.
const workerBytes = 64 << 20

// checkBatch returns the error of a batch that is not one of the schema.
func (s *streaming) checkBatch(batch arrow.RecordBatch) error {
	if int(batch.NumCols()) != s.schema.NumFields() {
		return fmt.Errorf("%w: a batch of %d columns, the schema has %d", arrow.ErrInvalid, batch.NumCols(), s.schema.NumFields())
	}
	for i, a := range batch.Columns() {
		if want := s.schema.Field(i).Type; !arrow.TypeEqual(a.DataType(), want) {
			return fmt.Errorf("%w: column %d of a batch has type %s, the schema %s", arrow.ErrInvalid, i, a.DataType(), want)
		}
		if a.Len() != int(batch.NumRows()) {
			return errLengths
		}
	}
	return nil
}

// rowsOf returns the rows of batches as columns.
func (s *streaming) rowsOf(batches []arrow.RecordBatch) table {
	var t table
	for i := range s.schema.NumFields() {
		chunks := make([]arrow.Array, len(batches))
		for j, batch := range batches {
			chunks[j] = batch.Column(i)
		}
		t.columns = append(t.columns, columnOf(s.schema.Field(i).Type, chunks...))
	}
	for _, batch := range batches {
		t.rows += int(batch.NumRows())
	}
	return t
}

// ordered is an order of rows of batches.
type ordered struct {
	batches []arrow.RecordBatch
	rows    perm.Perm // numbers; nil: all in sequence
	n       int
	where   places
}

// position returns where the i-th row of the order is.
func (o *ordered) position(i int) position {
	if o.rows != nil {
		i = int(o.rows[i])
	}
	return positionAt(o.where.of(i))
}

// cut keeps the first n rows.
func (o *ordered) cut(n int) {
	if o.n = min(o.n, n); o.rows != nil {
		o.rows = o.rows[:o.n]
	}
}

// inSequence returns rows of batches that are in order.
func (s *streaming) inSequence(batches []arrow.RecordBatch) ordered {
	lengths := column{}
	for _, batch := range batches {
		lengths.chunks, lengths.rows = append(lengths.chunks, batch.Column(s.by[0].ColumnIndex)), lengths.rows+int(batch.NumRows())
	}
	return ordered{batches: batches, n: lengths.rows, where: newPlaces(lengths)}
}

// sort orders the rows of batches, each of which has some, in memory of c. Of rows that are equal it
// keeps the first one if the options say so.
func (s *streaming) sort(c *call, batches []arrow.RecordBatch) (ordered, error) {
	o, runs, err := s.order(c, batches)
	if err == nil && s.unique {
		s.once(&o, runs)
	}
	return o, err
}

// order orders the rows of batches, each of which has some, in memory of c. It returns the runs of equal
// rows, too, if the options say that one of each is kept.
func (s *streaming) order(c *call, batches []arrow.RecordBatch) (o ordered, runs perm.Runs, err error) {
	start := time.Now()
	defer func() { s.stats.Sort += time.Since(start) }()
	o = s.inSequence(batches)
	keys, err := c.keysOf(s.rowsOf(batches), s.by)
	if err != nil {
		return o, runs, err
	}
	o.rows, runs, err = c.runs(o.n, keys, s.unique)
	return o, runs, err
}

// once keeps the first row of each run.
func (s *streaming) once(o *ordered, runs perm.Runs) {
	once := rank.Window{Order: o.rows, Peers: runs}.Distinct()
	s.stats.Dropped += int64(o.n - len(once))
	o.rows, o.n = once, len(once)
}

// comparison returns the comparison of single rows by keys: of rows[i] and rows[j], by i and j. c
// holds its memory.
func (s *streaming) comparison(c *call, rows []rowOf) (sorter.Ordering[int], error) {
	t := table{columns: make([]column, s.schema.NumFields()), rows: len(rows)}
	for _, k := range s.by {
		col := column{typ: s.schema.Field(k.ColumnIndex).Type, rows: len(rows)}
		for _, r := range rows {
			col.chunks = append(col.chunks, owned(c, array.NewSlice(r.batch.Column(k.ColumnIndex), int64(r.row), int64(r.row+1))))
		}
		t.columns[k.ColumnIndex] = col
	}
	keys, err := c.keysOf(t, s.by)
	if err != nil {
		return sorter.Ordering[int]{}, err
	}
	return sorter.By(columnsOf(keys)...), nil
}

// rowOf is a row of a batch.
type rowOf struct {
	batch arrow.RecordBatch
	row   int
}

// rebatcher makes batches of the rows that it is given, of some rows each, from several goroutines,
// and hands them out in order.
type rebatcher struct {
	s       *streaming
	mem     memory.Allocator
	rows    int   // of a batch
	atOnce  int   // batches that are made as one, and then cut: one takes time for all batches of an order
	bytes   int64 // above which a batch is halved
	workers int
	out     func(batch arrow.RecordBatch) error
	rest    []arrow.RecordBatch // of fewer rows than a batch, together
	left    int                 // rows of rest
}

// add hands out the rows of an order. What is left for the next batch is copied.
func (b *rebatcher) add(o ordered) error {
	for lo := 0; lo < o.n; lo += rowsAtOnce {
		hi := min(lo+rowsAtOnce, o.n)
		if err := b.addSome(&o, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// rowsAtOnce bounds the positions that are held at a time: 8 bytes each.
const rowsAtOnce = 1 << 18

// addSome is add of rows lo … hi-1 of an order.
func (b *rebatcher) addSome(o *ordered, lo, hi int) error {
	chunks := append(append([]arrow.RecordBatch(nil), o.batches...), b.rest...)
	var ahead []position
	for i, batch := range b.rest {
		for row := range int(batch.NumRows()) {
			ahead = append(ahead, positionAt(len(o.batches)+i, row))
		}
	}
	at := func(i int) position {
		if i < len(ahead) {
			return ahead[i]
		}
		return o.position(lo + i - len(ahead))
	}
	total := len(ahead) + hi - lo
	full := total / b.rows
	parts := b.s.partsOfColumns(chunks)
	do := func(i int) ([]arrow.RecordBatch, error) {
		return b.pickSome(parts, at, i*b.atOnce*b.rows, min((i+1)*b.atOnce, full)*b.rows)
	}
	if err := inOrder((full+b.atOnce-1)/b.atOnce, b.workers, do, b.hand, release[arrow.RecordBatch]); err != nil {
		return err
	}
	rest, err := b.pick(parts, at, full*b.rows, total)
	release(b.rest)
	b.rest, b.left = rest, total-full*b.rows
	return err
}

// hand hands out batches.
func (b *rebatcher) hand(batches []arrow.RecordBatch) error {
	for i, batch := range batches {
		if err := b.out(batch); err != nil {
			release(batches[i+1:])
			return err
		}
	}
	return nil
}

// flush hands out what is left.
func (b *rebatcher) flush() error {
	rest := b.rest
	b.rest = nil
	return b.hand(rest)
}

// drop releases what is left.
func (b *rebatcher) drop() {
	release(b.rest)
	b.rest = nil
}

// pick returns rows lo … hi-1 of those at has, as one batch or, where that would be too long, several.
func (b *rebatcher) pick(parts [][]part, at func(i int) position, lo, hi int) ([]arrow.RecordBatch, error) {
	if lo == hi {
		return nil, nil
	}
	c := b.s.fork()
	defer c.close()
	c.mem, c.workers = b.mem, 1
	rows := scratch[position](c, hi-lo)
	for i := range rows {
		rows[i] = at(lo + i)
	}
	return c.batches(b.s.schema, parts, rows, b.bytes)
}

// pickSome is pick of one batch or several, which share memory if all of them are not too long.
func (b *rebatcher) pickSome(parts [][]part, at func(i int) position, lo, hi int) ([]arrow.RecordBatch, error) {
	all, err := b.pick(parts, at, lo, hi)
	if err != nil || hi-lo == b.rows {
		return all, err
	}
	if len(all) > 1 { // its halves are not those of batches
		release(all)
		mid := lo + (hi-lo)/b.rows/2*b.rows
		first, err := b.pickSome(parts, at, lo, mid)
		if err != nil {
			return nil, err
		}
		second, err := b.pickSome(parts, at, mid, hi)
		if err != nil {
			release(first)
		}
		return append(first, second...), err
	}
	batches := make([]arrow.RecordBatch, 0, (hi-lo)/b.rows)
	for from := 0; from < hi-lo; from += b.rows {
		batches = append(batches, all[0].NewSlice(int64(from), int64(from+b.rows)))
	}
	release(all)
	return batches, nil
}

// partsOfColumns returns the parts of batches, by column.
func (s *streaming) partsOfColumns(batches []arrow.RecordBatch) [][]part {
	all := make([][]part, s.schema.NumFields())
	for i := range all {
		chunks := make([]arrow.Array, len(batches))
		for j, batch := range batches {
			chunks[j] = batch.Column(i)
		}
		all[i] = partsOf(chunks)
	}
	return all
}

// batches returns rows as one batch, or halves of it where offsets do not reach so far or it has more
// than some bytes.
func (c *call) batches(schema *arrow.Schema, parts [][]part, rows []position, most int64) ([]arrow.RecordBatch, error) {
	if err := c.ctx.Err(); err != nil {
		return nil, err
	}
	one := c.fork()
	defer one.close()
	batch, err := one.batch(schema, parts, rows)
	if err == nil && len(rows) > 1 && new(sizes).ofBatch(batch.Columns(), 0, len(rows)) > most {
		batch.Release()
		err = errTooLong
	}
	if err == nil {
		return []arrow.RecordBatch{batch}, nil
	}
	if err != errTooLong || len(rows) < 2 {
		return nil, err
	}
	one.close()
	first, err := c.batches(schema, parts, rows[:len(rows)/2], most)
	if err != nil {
		return nil, err
	}
	second, err := c.batches(schema, parts, rows[len(rows)/2:], most)
	if err != nil {
		release(first)
		return nil, err
	}
	return append(first, second...), nil
}

// batch returns rows as one batch.
func (c *call) batch(schema *arrow.Schema, parts [][]part, rows []position) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, len(parts))
	for i := range columns {
		data, err := c.pick(schema.Field(i).Type, parts[i], rows)
		if err != nil {
			release(columns[:i])
			return nil, err
		}
		columns[i] = array.MakeFromData(data)
	}
	defer release(columns)
	return array.NewRecordBatch(schema, columns, int64(len(rows))), nil
}
