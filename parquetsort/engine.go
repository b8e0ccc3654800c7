package parquetsort

import (
	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
)

// engine sorts rows of one Go type: rows in memory, and runs in a buffer of the pool.
type engine[E any] struct {
	order sorter.Ordering[E]
	codec codec[E]
	drop  bool // duplicates
	limit int  // rows in memory
	block int  // rows of a block
	least int  // rows that a merge holds, whatever the limit
	rows  []E  // in the order in which they were written
	runs  []run
	store *store
}

// codec turns rows into bytes and back.
type codec[E any] interface {
	// Append appends the encodings of rows to dst.
	Append(dst []byte, rows []E) []byte
	// Decode decodes as many rows as there are in src, which it keeps.
	Decode(src []byte, rows []E)
	// Own replaces what rows share with the caller of Write by copies.
	Own(rows []E)
}

func newEngine[E any](order sorter.Ordering[E], c codec[E], config *parquet.WriterConfig, limit int) *engine[E] {
	return &engine[E]{
		order: order,
		codec: c,
		drop:  config.Sorting.DropDuplicatedRows,
		limit: limit,
		block: min(max(limit/blockShare, blockLeast), blockMost),
		least: leastMerged,
		store: &store{pool: config.Sorting.SortingBuffers, compression: compressionOf(config)},
	}
}

// add copies rows, and writes runs where memory is full. It returns how many it has taken.
func (e *engine[E]) add(rows []E) (int, error) {
	return addAll(e, len(rows), func(lo, hi int) []E {
		at := len(e.rows)
		e.grow(hi - lo)
		e.rows = append(e.rows, rows[lo:hi]...)
		e.codec.Own(e.rows[at:])
		own := e.rows[at:]
		e.rows = e.rows[:at]
		return own
	})
}

// addAll takes n rows, of which own returns copies. It flushes the engine before it asks for
// more rows than there is room for.
func addAll[E any](e *engine[E], n int, own func(lo, hi int) []E) (int, error) {
	done := 0
	for done < n {
		if len(e.rows) >= e.limit {
			if err := e.flush(); err != nil {
				return done, err
			}
		}
		to := min(n, done+e.limit-len(e.rows), done+ownBatch)
		if err := e.take(own(done, to)); err != nil {
			return done, err
		}
		done = to
	}
	return done, nil
}

// ownBatch bounds the rows that are copied at a time, whose copies share memory.
const ownBatch = 1 << 12

// take appends rows that the engine may keep.
func (e *engine[E]) take(rows []E) error {
	for done := 0; done < len(rows); {
		if len(e.rows) >= e.limit {
			if err := e.flush(); err != nil {
				return err
			}
		}
		to := min(len(rows), done+e.limit-len(e.rows))
		e.grow(to - done)
		e.rows = append(e.rows, rows[done:to]...)
		done = to
	}
	return nil
}

// grow makes room for n more rows. It doubles the memory, up to the limit.
func (e *engine[E]) grow(n int) {
	if need := len(e.rows) + n; need > cap(e.rows) {
		size := max(need, min(2*cap(e.rows), e.limit), min(1024, e.limit))
		if size > e.limit/2 { // a further step would end above the limit
			size = max(need, e.limit)
		}
		grown := make([]E, len(e.rows), size)
		copy(grown, e.rows)
		e.rows = grown
	}
}

// sort sorts the rows in memory, and drops duplicates.
func (e *engine[E]) sort() error {
	if err := e.order.Sort(e.rows, sorter.Stable()); err != nil {
		return err
	}
	if e.drop {
		e.rows = distinct(e.order, e.rows, nil)
	}
	return nil
}

// distinct keeps the first of rows that tie, and none that tie with last. It works in place.
func distinct[E any](order sorter.Ordering[E], rows []E, last *E) []E {
	unique := rows[:0]
	for i := range rows {
		if last != nil && order.Compare(*last, rows[i]) == 0 {
			continue
		}
		unique = append(unique, rows[i])
		last = &unique[len(unique)-1]
	}
	return unique
}

// flush writes the rows in memory as a run.
func (e *engine[E]) flush() error {
	if len(e.rows) == 0 {
		return nil
	}
	if err := e.sort(); err != nil {
		return err
	}
	out := e.newRun(e.store)
	if err := out.write(e.rows); err != nil {
		return err
	}
	e.runs = append(e.runs, out.end())
	e.rows = e.rows[:0] // they stay until they are written over
	return nil
}

// finish hands all rows in order to write.
func (e *engine[E]) finish(write func([]E) error) error {
	if len(e.runs) == 0 {
		if err := e.sort(); err != nil || len(e.rows) == 0 {
			return err
		}
		return write(e.rows)
	}
	if err := e.flush(); err != nil {
		return err
	}
	if err := e.reduce(); err != nil {
		return err
	}
	return e.merge(e.runs, write)
}

// reset drops all rows and runs. It keeps the memory of rows.
func (e *engine[E]) reset() {
	clear(e.rows[:cap(e.rows)])
	e.rows, e.runs = e.rows[:0], nil
	e.store.release()
}
