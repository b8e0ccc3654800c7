package column

import (
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Result returns memory for the order of n elements of s by cols: that of into if its
// capacity suffices, new memory otherwise. It panics if into overlaps s or a column.
func Result(s stream.Raw, n int, into perm.Perm, cols SpecList) perm.Perm {
	if into == nil || cap(into) < n {
		return scratch.Unset(n)
	}
	p := into[:n]
	if stream.RawOf(p).Overlaps(s) {
		panic("sorter: Into memory that holds the elements to be ordered")
	}
	for i := range cols.Len() {
		cols.At(i).checkApart(p)
	}
	return p
}

// checkApart panics if keys that lie in memory share it with p.
func (s *Spec) checkApart(p perm.Perm) {
	if s.overlaps(stream.RawOf(p)) {
		panic("sorter: Into memory that holds a column to order by")
	}
}
