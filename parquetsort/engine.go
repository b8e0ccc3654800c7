package parquetsort

import (
	"example.com/sorter"
	"github.com/parquet-go/parquet-go"
)

// engine sorts rows of one Go type: rows in memory, and runs in a buffer of the pool.
type engine[E any] struct {
	runSet
	order sorter.Ordering[E]
	codec codec[E]
	drop  bool // duplicates
	rows  []E  // in the order in which they were written
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
	return &engine[E]{runSet: newRunSet(config, limit), order: order, codec: c, drop: config.Sorting.DropDuplicatedRows}
}

// ownBatch is the most rows that are copied at a time.
const ownBatch = 1 << 12

// add copies rows, and writes runs where memory is full. It returns how many it has taken.
func (e *engine[E]) add(rows []E) (int, error) {
	for done := 0; done < len(rows); {
		if len(e.rows) >= e.limit {
			if err := e.flush(); err != nil {
				return done, err
			}
		}
		at, n := len(e.rows), min(len(rows)-done, e.limit-len(e.rows), ownBatch)
		e.grow(n)
		e.rows = append(e.rows, rows[done:done+n]...)
		e.codec.Own(e.rows[at:])
		done += n
	}
	return len(rows), nil
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
	if err := e.addRun(len(e.rows), e.encode(e.rows)); err != nil {
		return err
	}
	e.rows = e.rows[:0] // they stay until they are written over
	return nil
}

// encode returns the function that encodes some of the rows, for a run.
func (e *engine[E]) encode(rows []E) func(dst []byte, lo, hi int) []byte {
	return func(dst []byte, lo, hi int) []byte { return e.codec.Append(dst, rows[lo:hi]) }
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
	err := e.reduce(func(from []run, out *runWriter) error {
		return e.merge(from, func(rows []E) error { return out.write(len(rows), e.encode(rows)) })
	})
	if err != nil {
		return err
	}
	return e.merge(e.runs, write)
}

// reset drops all rows and runs. It keeps the memory of rows.
func (e *engine[E]) reset() {
	clear(e.rows[:cap(e.rows)])
	e.rows = e.rows[:0]
	e.dropRuns()
}
