package rowsort

import (
	"sync"

	"github.com/dolthub/go-mysql-server/sql"
)

// fewRows is the number of rows up to which insertion is fastest.
const fewRows = 64

// few is the memory of a sort of up to fewRows rows.
type few struct {
	ctx    *sql.Context
	fields []sql.SortField
	rows   []sql.Row
	cols   []fewColumn
	used   int // columns with values
	failed bool

	order  [fewRows]uint8
	sorted bool // rows are in order already
	moved  [fewRows]sql.Row
}

// fewColumn is a column, and which rows have their values.
type fewColumn struct {
	column
	set [fewRows]bool
}

var fews = sync.Pool{New: func() any { return new(few) }}

// sortFew sorts up to fewRows rows, and does what t asks for. It reports false, with nothing moved,
// if the engine's comparator has to.
func sortFew(ctx *sql.Context, fields []sql.SortField, rows []sql.Row, t *tracking) bool {
	f := fews.Get().(*few)
	f.ctx, f.fields, f.rows = ctx, fields, rows
	f.cols = sized(f.cols, len(fields))
	f.used, f.failed = 0, false
	f.insert()
	if t != nil {
		f.partition(t)
	}
	ok := !f.failed
	if ok {
		f.move(t)
	}
	f.release()
	return ok
}

// insert sorts the row numbers, each by a binary search in those before it.
func (f *few) insert() {
	f.sorted = true
	f.order[0] = 0
	for i := 1; i < len(f.rows); i++ {
		f.order[i] = uint8(i)
		if f.compare(len(f.cols), int(f.order[i-1]), i) <= 0 {
			continue
		}
		f.sorted = false
		lo, hi := 0, i-1
		for lo < hi {
			mid := (lo + hi) / 2
			if f.compare(len(f.cols), int(f.order[mid]), i) <= 0 {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		copy(f.order[lo+1:i+1], f.order[lo:i])
		f.order[lo] = uint8(i)
	}
}

// partition finds the partitions.
func (f *few) partition(t *tracking) {
	begin := 0
	for i := 1; i < len(f.rows); i++ {
		if f.compare(t.by, int(f.order[i-1]), int(f.order[i])) != 0 {
			t.partitions = append(t.partitions, sql.WindowInterval{Start: begin, End: i})
			begin = i
		}
	}
	t.partitions = append(t.partitions, sql.WindowInterval{Start: begin, End: len(f.rows)})
	if f.failed {
		t.partitions = nil
	}
}

// compare compares rows i and j by the first columns.
func (f *few) compare(columns, i, j int) int {
	for k := range columns {
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
			return 0
		}
		if r := c.compare(i, j); r != 0 {
			return r
		}
	}
	return 0
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

// move puts rows and places, which count up from 0, in order.
func (f *few) move(t *tracking) {
	if f.sorted {
		return
	}
	n := copy(f.moved[:], f.rows)
	for i, from := range f.order[:n] {
		f.rows[i] = f.moved[from]
	}
	clear(f.moved[:n])
	if t == nil {
		return
	}
	for i := range t.places {
		t.places[i] = int(f.order[i])
	}
}

// release drops references to rows and values, and gives the memory back.
func (f *few) release() {
	for k := range f.used {
		c := &f.cols[k]
		clear(c.texts)
		clear(c.decimals)
		c.expr, c.typ, c.collation = nil, nil, nil
	}
	f.ctx, f.fields, f.rows = nil, nil, nil
	fews.Put(f)
}
