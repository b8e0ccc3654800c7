package column

import (
	"fmt"

	"example.com/sorter/internal/stream"
)

// CheckElements holds elements that are ints to columns that have keys, or validity bits, by row number. It
// panics unless each element is the number of a row that is null or has a key, and if elements share memory
// with a column: then they are its keys, and no row numbers.
//
// It reads all elements once for each such column.
func CheckElements(cols []Spec, elements []int) {
	for i := range cols {
		if s := &cols[i]; s.flags&bitsFlag != 0 || s.ByRow() {
			s.checkElements(elements)
		}
	}
}

// checkElements panics if an element has no validity bit, or no key and is not null.
func (s *Spec) checkElements(elements []int) {
	if bits := s.bits(); bits != nil {
		if row := firstAbove(elements, bits.rows()); row != nil {
			panic(fmt.Sprintf("sorter: element %d is no row of %d validity bits", *row, bits.rows()))
		}
	}
	keys, ok := s.Rows()
	if !ok {
		return
	}
	if s.overlaps(stream.RawOf(elements)) {
		panic("sorter: elements lie in the column that orders them, and are no row numbers: SortKeys and OrderKeys order keys")
	}
	if firstAbove(elements, keys) != nil {
		s.checkNulls(elements, keys)
	}
}

// firstAbove returns the first element that is not in [0, n), nil if there is none.
func firstAbove(elements []int, n int) *int {
	for i, row := range elements {
		if uint(row) >= uint(n) {
			return &elements[i]
		}
	}
	return nil
}

// checkNulls panics if an element is not in [0, n) and not null.
func (s *Spec) checkNulls(elements []int, n int) {
	isNull := s.isNull()
	for _, row := range elements {
		if uint(row) >= uint(n) && (isNull == nil || !isNull(row)) {
			panic(fmt.Sprintf("sorter: element %d is no row of a column of %d", row, n))
		}
	}
}
