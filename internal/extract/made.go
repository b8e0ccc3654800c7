package extract

import (
	"fmt"
	"math"
	"slices"
)

// AppendColumns appends columns.
func AppendColumns(all []Column, specs []Spec) []Column {
	CheckMade(specs)
	for i := range specs {
		all = append(all, Column{})
		specs[i].put(&all[len(all)-1])
	}
	return all
}

// put writes the column to c, which is the zero value.
func (s *Spec) put(c *Column) {
	c.made, c.kind, c.Order, c.Nulls, c.AreNull = *s, s.Kind(), s.Order(), s.Nulls(), s.nullGetter()
	if c.Key = (keyType{}); s.byRow() {
		c.Key = rowKeys{}
	}
}

// ForRows changes columns to those of elements that are the row numbers 0 … n-1. It panics if one
// has no key for a row that is not null.
func ForRows(cols []Column, n int) { forRows(cols, n, nil, "order of %d rows", n) }

// ForSelected changes columns to those of elements that are numbers of the rows 0 … n-1, and returns a number
// above all of these. It panics as ForRows does, and if one is not below n.
func ForSelected(cols []Column, rows []uint32, n int) (above int) {
	if len(rows) > 0 {
		above = int(min(int64(slices.Max(rows))+1, math.MaxInt))
	}
	if above > n {
		panic(fmt.Sprintf("sorter: row %d of %d rows", above-1, n))
	}
	forRows(cols, above, rows, "order of row %d", above-1)
	return above
}

// forRows changes columns to those of row numbers below n, all of them or the selected ones. It panics if
// one has too few keys, with the call's format of a number.
func forRows(cols []Column, n int, selected []uint32, call string, number int) {
	for i := range cols {
		if few := cols[i].forRows(n, selected); few != "" {
			panic("sorter: " + fmt.Sprintf(call, number) + " by " + few)
		}
	}
}

// forRows changes the column to that of row numbers below n. If the column has too few keys, few
// describes them.
func (c *Column) forRows(n int, selected []uint32) (few string) {
	noNulls, few := c.made.lacks(n, selected)
	if noNulls {
		*c = c.WithoutNulls()
	}
	rows, ok := c.made.rows()
	c.numbered = ok && n <= rows // keys of nulls are read, too
	return few
}

// ForPicked changes columns of the elements of an input to those of the ones that it picks.
func ForPicked(cols []Column, rows []uint32) {
	for i := range cols {
		cols[i].forPicked(&rows)
	}
}

// forPicked changes the column of elements that are all row numbers 0, 1, … to that of some of
// them. It changes no others.
func (c *Column) forPicked(rows *[]uint32) {
	if c.numbered && !c.kind.Wide() || c.picked != nil {
		c.picked = rows
	}
	c.numbered = false
}
