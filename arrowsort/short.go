package arrowsort

import "github.com/apache/arrow-go/v18/arrow"

// shortBatches are the last batches that are held, if each is short.
type shortBatches struct {
	count, rows int
	bytes       int64
}

// From mostShort rows on a batch stays as it is. Shorter ones are joined when they have leastJoined rows, or half of a block,
// together.
const (
	mostShort   = 1024
	leastJoined = 4 * mostShort
)

// full counts a batch that is held, and reports whether short ones are to be joined, in memory of a block.
func (b *shortBatches) full(rows int, bytes, block int64) bool {
	if rows >= mostShort || bytes > block/2 {
		*b = shortBatches{}
		return false
	}
	b.count, b.rows, b.bytes = b.count+1, b.rows+rows, b.bytes+bytes
	return b.rows >= leastJoined || b.bytes > block/2
}

// joinShort puts one batch in the place of the short ones. A batch of the result takes time for each batch that is held.
func (s *tableSort) joinShort() error {
	at, bytes := len(s.held)-s.short.count, s.short.bytes
	short := s.held[at:]
	if s.taken(0, max(0, joinedBytes(short)-s.budget.block)) > s.budget.limit {
		s.short = shortBatches{}
		return nil
	}
	c := s.fork()
	defer c.close()
	c.shares = true
	rows := scratch[position](c, s.short.rows)
	s.short = shortBatches{}
	i := 0
	for b, batch := range short {
		for row := range int(batch.NumRows()) {
			rows[i] = positionAt(b, row)
			i++
		}
	}
	batch, err := c.batch(s.schema, s.partsOfColumns(short), rows)
	if err == errTooLong {
		return nil
	}
	if err != nil {
		return err
	}
	release(short)
	clear(short)
	s.held = append(s.held[:at], batch)
	s.bytes += max(0, s.sizes.ofBatch(batch.Columns(), 0, int(batch.NumRows()))-bytes) // of a dictionary of its own
	s.sizes.keep()
	return nil
}

// joinedBytes bounds the bytes of one batch in the place of some, with a dictionary that has the values of all.
func joinedBytes(batches []arrow.RecordBatch) (bytes int64) {
	var all sizes
	for _, batch := range batches {
		bytes += all.ofBatch(batch.Columns(), 0, int(batch.NumRows()))
		all.keep()
	}
	return bytes
}
