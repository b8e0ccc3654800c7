package arrowsort

import (
	"errors"

	"example.com/sorter"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// tableSort is a sort of the rows of a reader.
type tableSort struct {
	*streaming
	in    array.RecordReader
	files *files
	runs  []*diskRun

	held       []arrow.RecordBatch // rows that wait for their run
	rows       int64               // of held
	bytes      int64               // of held
	sizes      sizes
	short      shortBatches
	bound      arrow.RecordBatch // one row: those that do not come before it are dropped; nil: none
	boundBytes int64             // of bound
	mean       int64             // bytes of a row of the last run
	out        *spilling         // a run that is sorted and written; nil: none
}

// read reads the input, and writes a run whenever memory is full.
func (s *tableSort) read() error {
	for s.in.Next() {
		if err := s.accept(s.in.RecordBatch()); err != nil {
			return err
		}
	}
	if err := s.in.Err(); err != nil {
		return err
	}
	s.in.Release()
	s.in = nil
	return s.ctx.Err()
}

// accept takes the rows of a batch.
func (s *tableSort) accept(batch arrow.RecordBatch) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if err := s.checkBatch(batch); err != nil {
		return err
	}
	s.stats.Rows += batch.NumRows()
	batch, err := s.beforeBound(batch)
	if err != nil {
		return err
	}
	defer batch.Release()
	for lo, n := 0, int(batch.NumRows()); lo < n; {
		hi := lo + s.fitting(batch, lo)
		for full := false; hi == lo; hi = lo + s.fitting(batch, lo) {
			if len(s.held) == 0 && s.out == nil {
				row := s.sizes.ofBatch(batch.Columns(), lo, lo+1)
				return s.tooSmallFor(s.taken(1, row), row, s.indices())
			}
			if err := s.makeRoom(full); err != nil {
				return err
			}
			full = len(s.held) > 0
		}
		if err := s.hold(batch, lo, hi); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// hold keeps rows of a batch.
func (s *tableSort) hold(batch arrow.RecordBatch, lo, hi int) error {
	bytes := s.add(batch, lo, hi)
	s.stats.Memory = max(s.stats.Memory, s.taken(0, 0))
	if s.short.full(hi-lo, bytes, s.budget.block) {
		return s.joinShort()
	}
	return nil
}

// add adds rows of a batch to those that are held, and returns their bytes.
func (s *tableSort) add(batch arrow.RecordBatch, lo, hi int) int64 {
	bytes := s.sizes.ofBatch(batch.Columns(), lo, hi)
	s.sizes.keep()
	s.bytes += bytes
	s.rows += int64(hi - lo)
	s.held = append(s.held, batch.NewSlice(int64(lo), int64(hi)))
	return bytes
}

// makeRoom waits for the run that is written, or else writes the rows that are held.
func (s *tableSort) makeRoom(all bool) error {
	if s.out != nil {
		return s.await()
	}
	return s.flush(all)
}

// letGo releases the rows that are held.
func (s *tableSort) letGo() {
	release(s.held)
	s.held, s.rows, s.bytes, s.sizes, s.short = nil, 0, 0, sizes{}, shortBatches{}
}

// fitting returns the number of rows of a batch, from one on, that memory holds.
func (s *tableSort) fitting(batch arrow.RecordBatch, lo int) int {
	fits := func(n int) bool {
		bytes := s.sizes.ofBatch(batch.Columns(), lo, lo+n)
		next := int64(0) // bytes of the next rows, while these are written
		if s.spills() && s.rows+int64(n) > 1 {
			next = s.bytes + bytes
		}
		return s.taken(int64(n), bytes)+next <= s.budget.limit
	}
	n := int(batch.NumRows()) - lo
	if fits(n) {
		return n
	}
	least, most := 0, n // least fits, or is 0
	for most-least > 1 {
		if mid := least + (most-least)/2; fits(mid) {
			least = mid
		} else {
			most = mid
		}
	}
	return least
}

// spills reports whether not all rows are in memory.
func (s *tableSort) spills() bool { return len(s.runs) > 0 || s.out != nil }

// taken bounds the memory of the rows that are held and of more.
func (s *tableSort) taken(rows, bytes int64) int64 {
	rows, bytes = rows+s.rows, bytes+s.bytes
	all := s.budget.filling(rows, bytes, s.sizes.values+s.sizes.newValues)
	if s.limit > 0 && rows > 0 {
		if first := s.limit * (bytes/rows + 1); s.limit <= rows && first <= s.budget.limit/firstShare {
			all += first
		}
	}
	if s.out != nil { // these rows are not sorted before it is written
		all = max(all, bytes+s.out.memory)
	}
	return all + s.indices() + s.boundBytes
}

// firstShare is the share of the memory up to which the first rows of the order stay there.
const firstShare = 4

// indices returns the bytes of the indices of runs.
func (s *tableSort) indices() int64 {
	var all int64
	for _, r := range s.runs {
		all += r.memory()
	}
	return all
}

// spilling is a run that is sorted and written on a goroutine, while the next rows are read.
type spilling struct {
	memory int64 // that it takes
	done   chan struct{}
	run    *diskRun // after done
	err    error    // after done
	ended  ending   // after done
}

// flush writes the rows that are held as a run. Where Limit says so and they take little memory it
// keeps the first ones instead, unless all of it is to be freed.
func (s *tableSort) flush(all bool) error {
	s.mean = s.bytes/s.rows + 1
	if s.limit > 0 {
		if kept, err := s.flushFirst(all); kept || err != nil {
			return err
		}
	}
	out := &spilling{memory: s.taken(0, 0) - s.indices(), done: make(chan struct{})}
	held, bytes, mean := s.held, s.bytes, s.mean
	s.held = nil
	s.letGo()
	s.out = out
	go func() {
		defer close(out.done)
		out.ended.of(func() {
			defer release(held)
			out.run, out.err = s.sortRun(held, bytes, mean)
		})
	}()
	return nil
}

// await waits for the run that is written.
func (s *tableSort) await() error {
	out := s.out
	if out == nil {
		return nil
	}
	<-out.done
	s.out = nil
	out.ended.repeat()
	if out.err != nil {
		return out.err
	}
	s.runs = append(s.runs, out.run)
	s.stats.Runs++
	return nil
}

// sortRun writes rows as a run.
func (s *tableSort) sortRun(held []arrow.RecordBatch, bytes, mean int64) (*diskRun, error) {
	c := s.fork()
	defer c.close()
	o, err := s.sort(c, held)
	if err != nil {
		return nil, err
	}
	return s.writeBlocks(s.files, bytes, mean, func(b *rebatcher) error { return b.add(o) })
}

// flushFirst sets the bound, if the rows that are held have as many as Limit says. It keeps the first
// ones if they take little memory, unless all of it is to be freed.
func (s *tableSort) flushFirst(all bool) (kept bool, err error) {
	if s.limit > s.rows {
		return false, nil
	}
	c := s.fork()
	defer c.close()
	o, err := s.sort(c, s.held)
	if err != nil || int64(o.n) < s.limit {
		return false, err
	}
	s.stats.Dropped += int64(o.n) - s.limit
	o.cut(int(s.limit))
	if err := s.setBound(o.position(o.n - 1)); err != nil {
		return false, err
	}
	if !all && s.limit*s.mean <= s.budget.limit/firstShare {
		if err := s.keepFirst(o); err != errNoRoom {
			return true, err
		}
	}
	run, err := s.writeBlocks(s.files, s.bytes, s.mean, func(b *rebatcher) error { return b.add(o) })
	if err != nil {
		return false, err
	}
	s.letGo()
	s.runs = append(s.runs, run)
	s.stats.Runs++
	return true, nil
}

// errNoRoom is that of first rows that take more memory than those that are held let expect: their batches
// have dictionaries of their own.
var errNoRoom = errors.New("arrowsort: no room for the first rows")

// keepFirst keeps the rows of an order in place of all that are held. Until the end memory has both. The
// error is errNoRoom if it has not room enough.
func (s *tableSort) keepFirst(o ordered) error {
	first, held := &tableSort{streaming: s.streaming}, s.budget.filling(s.rows, s.bytes, s.sizes.values)+s.indices()+s.boundBytes
	b := rebatcher{s: s.streaming, mem: s.mem, rows: s.budget.blockRows(s.mean), atOnce: 1, bytes: s.budget.block, workers: s.workers}
	b.out = func(batch arrow.RecordBatch) error {
		defer batch.Release()
		first.add(batch, 0, int(batch.NumRows()))
		if max(held+first.bytes, first.taken(0, 0)+s.indices()+s.boundBytes) > s.budget.limit {
			return errNoRoom
		}
		return nil
	}
	defer b.drop()
	err := b.add(o)
	if err == nil {
		err = b.flush()
	}
	if err != nil {
		first.letGo()
		return err
	}
	s.letGo()
	s.stats.Memory = max(s.stats.Memory, held+first.bytes)
	s.held, s.rows, s.bytes, s.sizes = first.held, first.rows, first.bytes, first.sizes
	return nil
}

// setBound sets the bound to a row that is held.
func (s *tableSort) setBound(p position) error {
	row, err := s.copyOf(s.held, p)
	if err != nil {
		return err
	}
	s.dropBound()
	s.bound, s.boundBytes = row, new(sizes).ofBatch(row.Columns(), 0, 1)
	return nil
}

func (s *tableSort) dropBound() {
	if s.bound != nil {
		s.bound.Release()
		s.bound, s.boundBytes = nil, 0
	}
}

// copyOf returns a row of batches as a batch of its own.
func (s *streaming) copyOf(batches []arrow.RecordBatch, p position) (arrow.RecordBatch, error) {
	c := s.fork()
	defer c.close()
	return c.batch(s.schema, s.partsOfColumns(batches), []position{p})
}

// beforeBound returns the rows of a batch that come before the bound.
func (s *tableSort) beforeBound(batch arrow.RecordBatch) (arrow.RecordBatch, error) {
	n := int(batch.NumRows())
	if s.bound == nil || n == 0 {
		batch.Retain()
		return batch, nil
	}
	c := s.fork()
	defer c.close()
	both := []arrow.RecordBatch{s.bound, batch}
	keys, err := c.keysOf(s.rowsOf(both), s.by)
	if err != nil {
		return nil, err
	}
	order := sorter.By(columnsOf(keys)...)
	var before []position
	for i := range n {
		if order.Compare(i+1, 0) < 0 {
			before = append(before, positionAt(0, i))
		}
	}
	s.stats.Dropped += int64(n - len(before))
	if len(before) == n {
		batch.Retain()
		return batch, nil
	}
	c.shares = true
	return c.batch(s.schema, s.partsOfColumns(both[1:]), before)
}

// writeBlocks writes the rows that from adds as a run, of about some bytes, and of a mean per row.
func (s *streaming) writeBlocks(f *files, bytes, mean int64, from func(b *rebatcher) error) (*diskRun, error) {
	w, err := s.newRun(f, bytes)
	if err != nil {
		return nil, err
	}
	defer w.discard()
	b := rebatcher{s: s, mem: f.blocks, rows: s.budget.blockRows(mean), atOnce: 1, bytes: s.budget.block, workers: s.workers, out: w.write}
	defer b.drop()
	if err := from(&b); err != nil {
		return nil, err
	}
	if err := b.flush(); err != nil {
		return nil, err
	}
	return w.close()
}

// wanted returns the memory of batches of the result on their way out.
func (s *tableSort) wanted() int64 {
	rows := s.batchRows
	if rows == 0 {
		rows = mostBatchRows
	}
	return max(min(int64(rows)*s.mean*int64(s.workers+onTheWay), s.budget.limit/handedShare), s.budget.writing())
}

// onTheWay is the number of batches in memory beside those that are made: one waits for its turn, one for
// the caller, and parts of one for the next window.
const onTheWay = 3

// output returns what makes the batches of the result, of rows of a mean of bytes, in a number of bytes.
func (s *streaming) output(mean, bytes int64, out func(batch arrow.RecordBatch) error) *rebatcher {
	mean, workers := max(mean, 1), int64(s.workers)
	rows := int64(s.batchRows)
	if rows == 0 {
		rows = min(mostBatchRows, bytes/(workers+onTheWay)/mean)
	}
	most := bytes / (1 + onTheWay)
	rows = max(1, min(rows, most/mean))
	atOnce := max(1, min(leastJoined, bytes/(workers+onTheWay)/mean)/rows)
	workers = max(1, min(workers, bytes/(atOnce*rows*mean)-onTheWay))
	return &rebatcher{s: s, mem: s.mem, rows: int(rows), atOnce: int(atOnce), bytes: most, workers: int(workers), out: out}
}

// produce hands out the rows in order.
func (s *tableSort) produce(out func(batch arrow.RecordBatch) error) error {
	if !s.spills() {
		return s.fromMemory(out)
	}
	if err := s.await(); err != nil {
		return err
	}
	if len(s.held) > 0 {
		if err := s.flush(true); err != nil {
			return err
		}
		if err := s.await(); err != nil {
			return err
		}
	}
	return s.mergeRuns(out)
}

// fromMemory hands out the rows that are held.
func (s *tableSort) fromMemory(out func(batch arrow.RecordBatch) error) error {
	if len(s.held) == 0 {
		return nil
	}
	c := s.fork()
	defer c.close()
	o, err := s.sort(c, s.held)
	if err != nil {
		return err
	}
	if s.limit > 0 && int64(o.n) > s.limit {
		s.stats.Dropped += int64(o.n) - s.limit
		o.cut(int(s.limit))
	}
	b := s.output(s.bytes/s.rows+1, s.budget.limit-s.taken(0, 0)+s.budget.writing(), out)
	defer b.drop()
	if err := b.add(o); err != nil {
		return err
	}
	return b.flush()
}

// close frees all memory and all files.
func (s *tableSort) close() error {
	if s.out != nil { // its context has ended, or the output has
		<-s.out.done
	}
	s.letGo()
	s.dropBound()
	if s.in != nil {
		s.in.Release()
		s.in = nil
	}
	st, totals := &s.stats, s.files.store.Totals()
	st.Bytes, st.Written, st.Read, st.Disk = totals.Bytes, totals.Stored, s.files.store.Read(), s.files.store.Peak()
	return s.files.close()
}
