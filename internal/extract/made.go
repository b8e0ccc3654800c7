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
	switch get := s.get.(type) {
	case sliceAt:
		c.Key = sliceKey{}
	case *formatKey:
		c.Key = get
	default:
		c.Key = keyType{}
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
	rows, ok := c.rows()
	noNulls, few := c.holds(n, rows, ok, selected)
	if noNulls {
		*c = c.WithoutNulls()
	}
	c.numbered = ok && n <= rows // keys of nulls are read, too
	return few
}

// holds reports whether none of the rows below n is null. The column has the keys of rows, if they
// lie in memory. If these are fewer than all rows take, or the selected ones, few describes them.
func (c *Column) holds(n, rows int, inMemory bool, selected []uint32) (noNulls bool, few string) {
	noNulls = c.Nulls == NoNulls
	if bits := c.bits(); bits != nil {
		if n > bits.rows() {
			return false, fmt.Sprintf("%d validity bits", bits.rows())
		}
		noNulls = bits.allValid(n)
	}
	if inMemory && n > rows && (noNulls || !c.nullFrom(rows, n, selected)) {
		return noNulls, fmt.Sprintf("a column of %d", rows)
	}
	return noNulls, ""
}

// nullFrom reports whether all rows from first to n-1 are null, or those of them that are selected.
func (c *Column) nullFrom(first, n int, selected []uint32) bool {
	isNull := c.nullFunc()
	if selected != nil {
		return !slices.ContainsFunc(selected, func(row uint32) bool { return int64(row) >= int64(first) && !isNull(int(row)) })
	}
	for ; first < n && isNull(first); first++ {
	}
	return first == n
}

// nullFunc returns the nulls of a column of row numbers; nil if there are none.
func (c *Column) nullFunc() func(row int) bool {
	if c.Nulls == NoNulls {
		return nil
	}
	if f, ok := c.AreNull.(NullFunc[int]); ok {
		return f
	}
	return c.bits().IsNull
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
