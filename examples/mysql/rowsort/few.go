package rowsort

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
)

// fewRows is the number of rows up to which insertion is fastest.
const fewRows = 32

// few is the memory of a sort of up to fewRows rows.
type few struct {
	ctx    *sql.Context
	rows   []sql.Row
	cols   []column
	set    [][fewRows]bool // by column: the key of the row is evaluated
	failed bool

	order [fewRows]uint8
	moved [fewRows]sql.Row
}

var fews = sync.Pool{New: func() any { return new(few) }}

// sortFew sorts up to fewRows rows, and places with them. It reports false, with nothing moved, if
// the engine's comparator has to.
func sortFew(ctx *sql.Context, fields []sql.SortField, rows []sql.Row, places []int) bool {
	f := fews.Get().(*few)
	f.ctx, f.rows = ctx, rows
	ok := f.describe(fields) && f.insert()
	if ok {
		f.move(places)
	}
	f.release()
	return ok
}

// describe sets the columns up and evaluates the first.
func (f *few) describe(fields []sql.SortField) bool {
	f.cols = sized(f.cols, len(fields))
	f.set = sized(f.set, len(fields))
	for k := range f.cols {
		if !f.cols[k].describe(&fields[k]) {
			return false
		}
		f.cols[k].grow(len(f.rows))
		f.set[k] = [fewRows]bool{}
	}
	f.failed = false
	return true
}

// insert sorts the row numbers. It reports whether all keys that it needed could be made.
func (f *few) insert() bool {
	for i := range f.rows {
		at := i
		for at > 0 && f.before(i, int(f.order[at-1])) {
			f.order[at] = f.order[at-1]
			at--
		}
		f.order[at] = uint8(i)
	}
	return !f.failed
}

// before reports whether row i comes before row j.
func (f *few) before(i, j int) bool {
	for k := range f.cols {
		f.need(k, i)
		f.need(k, j)
		if f.failed {
			return false
		}
		if r := f.cols[k].compare(i, j); r != 0 {
			return r < 0
		}
	}
	return false
}

// need evaluates the key of row i in column k unless that was done.
func (f *few) need(k, i int) {
	if !f.set[k][i] {
		f.set[k][i] = true
		if f.cols[k].evaluate(f.ctx, f.rows[i], i) != nil {
			f.failed = true
		}
	}
}

// move puts rows and places in order.
func (f *few) move(places []int) {
	n := copy(f.moved[:], f.rows)
	for i, from := range f.order[:n] {
		f.rows[i] = f.moved[from]
	}
	for i := range places {
		places[i] = int(f.order[i])
	}
}

// arenaKept bounds the memory of keys that a column keeps for the next sort.
const arenaKept = 1 << 16

// release drops what the sort refers to and gives the memory back.
func (f *few) release() {
	clear(f.moved[:len(f.rows)])
	for k := range f.cols {
		c := &f.cols[k]
		clear(c.texts)
		c.arena = c.arena[:0]
		if cap(c.arena) > arenaKept {
			c.arena = nil
		}
		c.expr, c.typ, c.collation = nil, nil, nil
	}
	f.ctx, f.rows = nil, nil
	fews.Put(f)
}
