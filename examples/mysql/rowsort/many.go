package rowsort

import (
	"example.com/sorter"
	"example.com/sorter/perm"
	"github.com/dolthub/go-mysql-server/sql"
)

// many is a sort of more rows than fewRows.
type many struct {
	ctx  *sql.Context
	rows []sql.Row
	cols []column
}

// orderMany returns the permutation that sorts rows, which are left alone.
func orderMany(ctx *sql.Context, fields []sql.SortField, rows []sql.Row) (perm.Perm, error) {
	m := many{ctx: ctx, rows: rows, cols: make([]column, len(fields))}
	for k := range m.cols {
		if !m.cols[k].describe(&fields[k]) {
			return nil, errNoKey
		}
	}
	return m.order()
}

// order orders by the first column and the plain ones after it. While rows tie and columns
// are left, it evaluates the next columns for those rows and orders by them, too.
func (m *many) order() (perm.Perm, error) {
	lead := 0
	needed := all(len(m.rows))
	for {
		next := m.group(lead)
		for k := lead; k < next; k++ {
			if err := m.evaluate(&m.cols[k], needed); err != nil {
				return nil, err
			}
		}
		lead = next
		var ties perm.Runs
		p, err := m.orderBy(lead, &ties)
		if err != nil || lead == len(m.cols) {
			return p, err
		}
		if ties.Len() == len(m.rows) {
			return p, nil
		}
		needed = tied(p, ties)
	}
}

// group returns the end of the columns from lead on that are evaluated together: one of any sort,
// and plain ones.
func (m *many) group(lead int) int {
	for lead++; lead < len(m.cols) && m.cols[lead].plain(); lead++ {
	}
	return lead
}

// orderBy orders by the first k columns, and marks ties unless these are all.
func (m *many) orderBy(k int, ties *perm.Runs) (perm.Perm, error) {
	cols := make([]sorter.Column[int], k)
	for i := range cols {
		cols[i] = m.cols[i].sortable()
	}
	opts := []sorter.Option{sorter.Stable(), sorter.WithContext(m.ctx)}
	if k < len(m.cols) {
		opts = append(opts, sorter.MarkRuns(ties))
	}
	return sorter.OrderN(len(m.rows), cols, opts...)
}

// rowsPerCheck is the number of rows that are evaluated between looks at the context.
const rowsPerCheck = 1024

// evaluate sets the keys of rows in c. Those of other rows are the same for all of them.
func (m *many) evaluate(c *column, rows rowSet) error {
	c.grow(len(m.rows))
	for at := 0; at < rows.n; at++ {
		if at%rowsPerCheck == 0 {
			if err := m.ctx.Err(); err != nil {
				return err
			}
		}
		i := rows.at(at)
		if err := c.evaluate(m.ctx, m.rows[i], i); err != nil {
			return err
		}
	}
	return nil
}

// rowSet is a set of row numbers: those listed, or all below n.
type rowSet struct {
	n    int
	list []uint32
}

func all(n int) rowSet { return rowSet{n: n} }

func (r rowSet) at(i int) int {
	if r.list == nil {
		return i
	}
	return int(r.list[i])
}

// tied returns the rows that tie with another in the order p.
func tied(p perm.Perm, ties perm.Runs) rowSet {
	var list []uint32
	for lo, hi := range ties.All() {
		if hi-lo > 1 {
			list = append(list, p[lo:hi]...)
		}
	}
	return rowSet{n: len(list), list: list}
}
