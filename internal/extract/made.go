package extract

import (
	"fmt"
	"math"
	"slices"

	"example.com/sorter/internal/extract/column"
)

// AppendColumns appends columns.
func AppendColumns(all []Column, specs []column.Spec) []Column {
	column.CheckMade(specs)
	for i := range specs {
		s := &specs[i]
		c := Column{made: *s, Key: keyType{}, kind: s.Kind(), Order: s.Order(), Nulls: s.Nulls(), AreNull: s.AreNull()}
		if s.ByRow() {
			c.Key = rowKeys{}
		}
		all = append(all, c)
	}
	return all
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
	noNulls, few := c.made.Lacks(n, selected)
	if noNulls {
		*c = c.WithoutNulls()
	}
	rows, ok := c.made.Rows()
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
