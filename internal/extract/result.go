package extract

import (
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Result returns memory for the order of n elements of s by cols: that of into if its
// capacity suffices, new memory otherwise. It panics if into overlaps s or a column.
func Result(s stream.Raw, n int, into perm.Perm, cols ...Column) perm.Perm {
	if into == nil || cap(into) < n {
		return scratch.Unset(n)
	}
	p := into[:n]
	checkOutside(s, p)
	for i := range cols {
		cols[i].made.checkApart(p)
	}
	return p
}

// ResultOf is [Result] for the order of all elements of s by columns as a program made them.
func ResultOf(s stream.Raw, into perm.Perm, cols []Spec) perm.Perm {
	if into == nil || cap(into) < s.Len() {
		return scratch.Unset(s.Len())
	}
	p := into[:s.Len()]
	checkOutside(s, p)
	for i := range cols {
		if cols[i].byRow() {
			cols[i].checkApart(p)
		}
	}
	return p
}

// checkOutside panics if elements share memory with p.
func checkOutside(s stream.Raw, p perm.Perm) {
	if stream.RawOf(p).Overlaps(s) {
		panic("sorter: Into memory that holds the elements to be ordered")
	}
}

// checkApart panics if keys that lie in memory share it with p.
func (s *Spec) checkApart(p perm.Perm) {
	if s.overlaps(stream.RawOf(p)) {
		panic("sorter: Into memory that holds a column to order by")
	}
}
