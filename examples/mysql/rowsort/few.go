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
	fields []sql.SortField
	rows   []sql.Row
	cols   []fewColumn
	used   int // columns with keys
	failed bool

	order [fewRows]uint8
	moved [fewRows]sql.Row
}

// fewColumn is a column, and which rows have their keys.
type fewColumn struct {
	column
	set [fewRows]bool
}

var fews = sync.Pool{New: func() any { return new(few) }}

// sortFew sorts up to fewRows rows, and places with them. It reports false, with nothing moved, if
// the engine's comparator has to.
func sortFew(ctx *sql.Context, fields []sql.SortField, rows []sql.Row, places []int) bool {
	f := fews.Get().(*few)
	f.ctx, f.fields, f.rows = ctx, fields, rows
	f.cols = sized(f.cols, len(fields))
	f.used, f.failed = 0, false
	ok := f.insert()
	if ok {
		f.move(places)
	}
	f.release()
	return ok
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
		if k == f.used {
			f.use(k)
		}
		c := &f.cols[k]
		if !c.set[i] {
			f.evaluate(c, i)
		}
		if !c.set[j] {
			f.evaluate(c, j)
		}
		if f.failed {
			return false
		}
		if r := c.compare(i, j); r != 0 {
			return r < 0
		}
	}
	return false
}

// use prepares column k, the first time that rows tie in those before it.
func (f *few) use(k int) {
	c := &f.cols[k]
	if !c.describe(&f.fields[k]) {
		f.failed = true
	}
	c.grow(len(f.rows))
	clear(c.set[:len(f.rows)])
	f.used++
}

func (f *few) evaluate(c *fewColumn, i int) {
	c.set[i] = true
	if !f.failed && c.evaluate(f.ctx, f.rows[i], i) != nil {
		f.failed = true
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
	for k := range f.used {
		c := &f.cols[k]
		clear(c.texts)
		c.arena = c.arena[:0]
		if cap(c.arena) > arenaKept {
			c.arena = nil
		}
		c.expr, c.typ, c.collation = nil, nil, nil
	}
	f.ctx, f.fields, f.rows = nil, nil, nil
	fews.Put(f)
}
