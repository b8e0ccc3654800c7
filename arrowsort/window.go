package arrowsort

import (
	"errors"
	"fmt"

	"example.com/sorter/perm"
	"github.com/apache/arrow-go/v18/arrow"
)

// merger merges sorted streams of batches by windows: the rows of all streams up to a bound, which are
// sorted together. The bound is the least of the last rows that streams with more to come have in memory, by
// the keys and then by the number of the stream. Of rows equal to it, streams up to its own give theirs; so a
// stable sort of windows is a stable merge. A window takes in all that its stream has in memory.
//
// The alternative, a heap of streams that yields one row at a time, takes a comparison of keys of any type
// per row and level, and gathers single rows; a window is sorted by codes, and gathered by column.
type merger struct {
	*streaming
	streams []*stream
	checked bool // streams may be out of order
	out     *rebatcher
	left    int64             // rows to hand out; negative: all
	last    arrow.RecordBatch // one row: the last handed out; nil: none, or it is not needed
}

// stream is a sorted sequence of batches, of which some are in memory.
type stream struct {
	depth int                  // batches in memory, and to come
	least int                  // rows in memory that a window waits for; 0: two batches
	share int64                // bytes in memory with which it does not wait for these
	ask   func(to chan loaded) // begins to load the next batch; at the end there is none, again and again
	freed func(n int)          // the first n batches are not needed any more; nil: nothing to do

	asked []chan loaded // batches to come, in sequence
	ended bool          // there is no more
	queue []arrow.RecordBatch
	from  int     // rows of the first in queue that were handed out
	rows  int     // in memory
	sizes []int64 // of batches in queue, if they are counted
	bytes int64   // of all of them
	past  int     // batches that were handed out
}

// loaded is a batch, an error, or, without either, the end of a stream.
type loaded struct {
	batch arrow.RecordBatch
	err   error
	ended ending
}

// run hands out the rows of all streams.
func (m *merger) run() error {
	defer m.release()
	for m.left != 0 {
		if err := m.load(); err != nil {
			return err
		}
		counts, err := m.cut()
		if err != nil || counts == nil {
			return errors.Join(err, m.flushed(err))
		}
		if err := m.window(counts); err != nil {
			return err
		}
		m.stats.Windows++
	}
	return m.out.flush()
}

// flushed hands out what is left at the end, unless that is an error.
func (m *merger) flushed(err error) error {
	if err != nil {
		return nil
	}
	return m.out.flush()
}

// release frees the batches in memory.
func (m *merger) release() {
	for _, s := range m.streams {
		release(s.queue)
		s.queue = nil
	}
	if m.last != nil {
		m.last.Release()
		m.last = nil
	}
	m.out.drop()
}

// load waits until each stream has enough batches in memory, and takes those that are ready.
func (m *merger) load() error {
	for _, s := range m.streams {
		s.askAhead()
	}
	for _, s := range m.streams {
		for s.needs() {
			s.askAhead()
			select {
			case l := <-s.asked[0]:
				if err := m.take(s, l); err != nil {
					return err
				}
			case <-m.ctx.Done():
				return m.ctx.Err()
			}
		}
		for len(s.asked) > 0 && len(s.asked[0]) > 0 && !s.ended {
			if err := m.take(s, <-s.asked[0]); err != nil {
				return err
			}
		}
	}
	return m.ctx.Err()
}

// askAhead asks for batches up to the depth.
func (s *stream) askAhead() {
	for !s.ended && len(s.asked)+len(s.queue) < s.depth || len(s.asked) == 0 && s.needs() {
		to := make(chan loaded, 1)
		s.asked = append(s.asked, to)
		s.ask(to)
	}
}

// needs reports whether a window waits for the stream.
func (s *stream) needs() bool {
	if s.ended {
		return false
	}
	if s.least > 0 {
		return s.rows == 0 || s.rows < s.least && s.bytes < s.share
	}
	return len(s.queue) < min(2, s.depth)
}

// take takes what was loaded.
func (m *merger) take(s *stream, l loaded) error {
	s.asked = s.asked[1:]
	l.ended.repeat()
	switch {
	case l.err != nil:
		return l.err
	case l.batch == nil:
		s.ended = true
	case l.batch.NumRows() == 0:
		l.batch.Release()
	default:
		s.queue, s.rows = append(s.queue, l.batch), s.rows+int(l.batch.NumRows())
		if s.least > 0 {
			return m.count(s, l.batch)
		}
	}
	return nil
}

// count counts a batch of a reader. The blocks of runs were counted before they were asked for.
func (m *merger) count(s *stream, batch arrow.RecordBatch) error {
	bytes := new(sizes).ofBatch(batch.Columns(), 0, int(batch.NumRows()))
	s.sizes, s.bytes = append(s.sizes, bytes), s.bytes+bytes
	taken, rows := m.budget.limit/handedShare, 0
	for _, s := range m.streams {
		taken, rows = taken+s.bytes, rows+s.rows
	}
	taken += m.budget.ordering(int64(rows), 0)
	if taken > m.budget.limit {
		return m.tooSmall(taken)
	}
	m.stats.Memory = max(m.stats.Memory, taken)
	m.stats.Rows += batch.NumRows()
	return nil
}

// at returns a row of those in memory.
func (s *stream) at(i int) rowOf {
	i += s.from
	for _, batch := range s.queue {
		if i < int(batch.NumRows()) {
			return rowOf{batch, i}
		}
		i -= int(batch.NumRows())
	}
	panic("arrowsort: a row that is not in memory")
}

// cut returns the number of rows of each stream in the next window, or nil if there are none.
func (m *merger) cut() ([]int, error) {
	counts, any := make([]int, len(m.streams)), false
	var lasts []rowOf
	var of []int
	for i, s := range m.streams {
		counts[i], any = s.rows, any || s.rows > 0
		if !s.ended {
			lasts, of = append(lasts, s.at(s.rows-1)), append(of, i)
		}
	}
	if !any {
		return nil, nil
	}
	if len(lasts) == 0 {
		return counts, nil
	}
	bound, err := m.least(lasts)
	if err != nil {
		return nil, err
	}
	return counts, m.countUpTo(lasts[bound], of[bound], counts)
}

// least returns the number of the least row, of equal ones the first.
func (m *merger) least(rows []rowOf) (int, error) {
	c := m.fork()
	defer c.close()
	order, err := m.comparison(c, rows)
	if err != nil {
		return 0, err
	}
	least := 0
	for i := range rows {
		if order.Compare(i, least) < 0 {
			least = i
		}
	}
	return least, nil
}

// countUpTo sets counts to the number of rows of each stream up to the bound, a row of stream own. All
// streams are searched together: a comparison takes the columns of all of its rows.
func (m *merger) countUpTo(bound rowOf, own int, counts []int) error {
	low := make([]int, len(counts)) // rows before low are up to the bound, and those from counts on are not
	low[own] = counts[own]
	for {
		rows, of := []rowOf{bound}, []int{own}
		for i, s := range m.streams {
			if low[i] < counts[i] {
				rows, of = append(rows, s.at((low[i]+counts[i])/2)), append(of, i)
			}
		}
		if len(rows) == 1 {
			return nil
		}
		if err := m.halve(rows, of, own, low, counts); err != nil {
			return err
		}
	}
}

// halve compares a row of each stream, given in of, with the bound, the first of rows.
func (m *merger) halve(rows []rowOf, of []int, own int, low, high []int) error {
	c := m.fork()
	defer c.close()
	order, err := m.comparison(c, rows)
	if err != nil {
		return err
	}
	for j := 1; j < len(rows); j++ {
		i := of[j]
		mid := (low[i] + high[i]) / 2
		if by := order.Compare(j, 0); by < 0 || by == 0 && i < own {
			low[i] = mid + 1
		} else {
			high[i] = mid
		}
	}
	return nil
}

// window hands out the first rows of each stream.
func (m *merger) window(counts []int) error {
	var batches []arrow.RecordBatch
	var of []int // stream of each batch
	defer func() { release(batches) }()
	for i, s := range m.streams {
		n := len(batches)
		batches = s.appendFirst(batches, counts[i])
		for range len(batches) - n {
			of = append(of, i)
		}
	}
	c := m.fork()
	defer c.close()
	o, err := m.orderOf(c, batches, of)
	if err != nil {
		return err
	}
	if m.left >= 0 {
		o.cut(int(min(m.left, int64(o.n))))
		m.left -= int64(o.n)
	}
	if err := m.out.add(o); err != nil {
		return err
	}
	for i, s := range m.streams {
		s.drop(counts[i])
	}
	return nil
}

// appendFirst appends the first n rows of those in memory.
func (s *stream) appendFirst(batches []arrow.RecordBatch, n int) []arrow.RecordBatch {
	lo := s.from
	for _, batch := range s.queue {
		if n == 0 {
			break
		}
		hi := min(lo+n, int(batch.NumRows()))
		batches = append(batches, batch.NewSlice(int64(lo), int64(hi)))
		n, lo = n-(hi-lo), 0
	}
	return batches
}

// drop frees the first n rows of those in memory.
func (s *stream) drop(n int) {
	s.rows -= n
	s.from += n
	for len(s.queue) > 0 && s.from >= int(s.queue[0].NumRows()) {
		s.from -= int(s.queue[0].NumRows())
		s.queue[0].Release()
		s.queue = s.queue[1:]
		if len(s.sizes) > 0 {
			s.bytes, s.sizes = s.bytes-s.sizes[0], s.sizes[1:]
		}
		s.past++
		if s.freed != nil {
			s.freed(s.past)
		}
	}
}

// ErrOrder reports that a reader of MergeReaders is not sorted.
var ErrOrder = fmt.Errorf("%w: a reader that is not in the order of the keys", arrow.ErrInvalid)

// orderOf orders the rows of a window, without those that are equal to the last row handed out if each
// is to come once. Rows of one stream are in order, which is checked before any of them is dropped.
func (m *merger) orderOf(c *call, batches []arrow.RecordBatch, of []int) (o ordered, err error) {
	var runs perm.Runs
	if o = m.inSequence(batches); m.checked || m.unique || of[0] != of[len(of)-1] {
		if o, runs, err = m.order(c, batches); err != nil {
			return o, err
		}
	}
	if !m.checked && !m.unique {
		return o, nil
	}
	if m.checked && !o.keeps(of) {
		return o, ErrOrder
	}
	if m.unique {
		m.once(&o, runs)
	}
	if err := m.compareWithLast(&o); err != nil || o.n == 0 {
		return o, err
	}
	last, err := m.copyOf(batches, o.position(o.n-1))
	if err != nil {
		return o, err
	}
	if m.last != nil {
		m.last.Release()
	}
	m.last = last
	return o, nil
}

// compareWithLast compares the first row of a window with the last one handed out.
func (m *merger) compareWithLast(o *ordered) error {
	if m.last == nil {
		return nil
	}
	c := m.fork()
	defer c.close()
	first := o.position(0)
	order, err := m.comparison(c, []rowOf{{m.last, 0}, {o.batches[first.chunk()], first.row()}})
	if err != nil {
		return err
	}
	by := order.Compare(0, 1)
	if by > 0 {
		return ErrOrder
	}
	if by == 0 && m.unique {
		m.stats.Dropped++
		o.rows, o.n = o.rows[1:], o.n-1
	}
	return nil
}

// keeps reports whether rows of one stream come in their sequence. of has the stream of each batch, which ascends.
func (o *ordered) keeps(of []int) bool {
	next := make([]position, of[len(of)-1]+1)
	for i := range o.n {
		p := o.position(i)
		s := of[p.chunk()]
		if p < next[s] {
			return false
		}
		next[s] = p
	}
	return true
}
