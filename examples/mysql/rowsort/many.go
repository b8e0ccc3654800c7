package rowsort

import (
	"slices"

	"example.com/sorter"
	"example.com/sorter/perm"
	"github.com/dolthub/go-mysql-server/sql"
)

// many is a sort of more rows than fewRows.
type many struct {
	ctx  *sql.Context
	rows []sql.Row
	cols []column

	comparing bool // some columns have values, but no keys

	by         int // columns by which partitions is asked for, -1 for none
	partitions perm.Runs
}

// sortMany sorts rows, and does what t asks for. On an error nothing has moved.
func sortMany(ctx *sql.Context, fields []sql.SortField, rows []sql.Row, t *tracking) error {
	m := many{ctx: ctx, rows: rows, cols: make([]column, len(fields)), by: -1}
	if t != nil {
		m.by = t.by
	}
	p, err := m.describeAndOrder(fields)
	if err != nil {
		return err
	}
	gather(rows, p)
	if t == nil {
		return nil
	}
	for i := range t.places {
		t.places[i] = int(p[i])
	}
	t.partitions = make([]sql.WindowInterval, 0, m.partitions.Len())
	for lo, hi := range m.partitions.All() {
		t.partitions = append(t.partitions, sql.WindowInterval{Start: lo, End: hi})
	}
	return nil
}

// describeAndOrder returns the permutation that sorts the rows, which are left alone.
func (m *many) describeAndOrder(fields []sql.SortField) (perm.Perm, error) {
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
	if m.comparing {
		return m.compareBy(k, ties)
	}
	cols := make([]sorter.Column[int], k)
	for i := range cols {
		cols[i] = m.cols[i].sortable()
	}
	opts := []sorter.Option{sorter.Stable(), sorter.WithContext(m.ctx)}
	if k < len(m.cols) {
		opts = append(opts, sorter.MarkRuns(ties))
	}
	if m.by >= 0 {
		// If the order ends with fewer columns no rows tie in them.
		opts = append(opts, sorter.MarkRunsBy(min(k, m.by), &m.partitions))
	}
	return sorter.RowsBy(len(m.rows), cols...).Order(opts...)
}

// compareBy is orderBy by comparing values.
func (m *many) compareBy(k int, ties *perm.Runs) (perm.Perm, error) {
	p := perm.Identity(len(m.rows))
	var err error
	checks := 0
	slices.SortStableFunc(p, func(i, j uint32) int {
		if checks++; checks%rowsPerCheck == 0 && err == nil {
			err = m.ctx.Err()
		}
		if err != nil {
			return 0
		}
		return m.compare(k, i, j)
	})
	if err != nil {
		return nil, err
	}
	*ties = m.runs(k, p)
	if m.by >= 0 {
		m.partitions = m.runs(min(k, m.by), p)
	}
	return p, nil
}

// compare compares rows i and j by the first k columns.
func (m *many) compare(k int, i, j uint32) int {
	for c := range m.cols[:k] {
		if r := m.cols[c].compare(int(i), int(j)); r != 0 {
			return r
		}
	}
	return 0
}

// runs returns where rows in the order p differ in the first k columns from those before them.
func (m *many) runs(k int, p perm.Perm) perm.Runs {
	offsets := []int{0}
	for i := 1; i < len(p); i++ {
		if m.compare(k, p[i-1], p[i]) != 0 {
			offsets = append(offsets, i)
		}
	}
	return perm.RunsAt(append(offsets, len(p)))
}

// rowsPerCheck is the number of rows that are evaluated, or compared, between checks of the context.
const rowsPerCheck = 1024

// longText is the mean length of texts in bytes from which on making keys, which reads all of them,
// may take longer than comparing, which reads them as far as they are alike.
const longText = 256

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
	if c.bytes > longText*len(m.rows) {
		m.comparing = true // keys would take longer
		return nil
	}
	return c.makeKeys(rows)
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
