package column

import (
	"fmt"
	"slices"
)

// Lacks reports whether none of the rows below n is null. If the column has fewer keys than all rows take, or the
// selected ones, few describes them.
func (s *Spec) Lacks(n int, selected []uint32) (noNulls bool, few string) {
	noNulls = s.nulls == nil
	if bits := s.bits(); bits != nil {
		if n > bits.rows() {
			return false, fmt.Sprintf("%d validity bits", bits.rows())
		}
		noNulls = bits.allValid(n)
	}
	if rows, ok := s.Rows(); ok && n > rows && (noNulls || !s.nullFrom(rows, n, selected)) {
		return noNulls, fmt.Sprintf("a column of %d", rows)
	}
	return noNulls, ""
}

// nullFrom reports whether all rows from first to n-1 are null, or those of them that are selected.
func (s *Spec) nullFrom(first, n int, selected []uint32) bool {
	isNull := s.isNull()
	if selected != nil {
		return !slices.ContainsFunc(selected, func(row uint32) bool { return int64(row) >= int64(first) && !isNull(int(row)) })
	}
	for ; first < n && isNull(first); first++ {
	}
	return first == n
}

// isNull returns the nulls of a column of row numbers; nil if there are none.
func (s *Spec) isNull() func(row int) bool {
	switch bits := s.bits(); {
	case bits != nil:
		return bits.IsNull
	case s.nulls != nil:
		return nullsOfRows(s.nulls)
	}
	return nil
}
