package parquetsort

import (
	"io"
	"math/bits"
	"unsafe"

	"github.com/parquet-go/parquet-go"
)

// output writes typed rows to the file.
//
// [parquet.GenericWriter] looks for nulls in words of 64 rows. In v0.32.0, where a word ends with
// y rows that are not null at row y, followed by nulls, it writes those as zeros. Slices of
// rows are cut so that no word of an optional field is such.
type output[T any] struct {
	to       *parquet.GenericWriter[T]
	optional []nullable
	text     []uintptr // offsets of strings, see fetch
	most     int64     // rows of a row group
	rows     int64     // in the row group that is written
}

// nullable is an optional field, whose zero is null.
type nullable struct {
	offset, size uintptr
	kind         shapeKind
}

// newOutput returns the output of rows of a shape.
func newOutput[T any](to *parquet.GenericWriter[T], s *shape, config *parquet.WriterConfig) output[T] {
	return output[T]{
		to:       to,
		optional: nullablesOf(nil, s, 0),
		text:     textOf(opsOf(nil, s, 0)),
		most:     config.MaxRowsPerRowGroup,
	}
}

// nullablesOf appends the optional fields that the writer reads by words. Those that pointers
// lead to are read by one.
func nullablesOf(all []nullable, s *shape, offset uintptr) []nullable {
	switch s.kind {
	case group:
		for _, f := range s.fields {
			all = nullablesOf(all, f.shape, offset+f.offset)
		}
	case flat, text, blob:
		if s.optional {
			all = append(all, nullable{offset, s.typ.Size(), s.kind})
		}
	}
	return all
}

func (o *output[T]) write(rows []T) error {
	for len(o.optional) == 0 && len(rows) > 0 {
		n := min(len(rows), fetchedRows)
		fetch(o.text, rows[:n])
		if err := written(o.to.Write(rows[:n]))(n); err != nil {
			return err
		}
		rows = rows[n:]
	}
	for len(rows) > 0 {
		n := o.safe(rows[:min(int64(len(rows)), wordRows, o.most-o.rows)])
		if err := written(o.to.Write(rows[:n]))(n); err != nil {
			return err
		}
		rows = rows[n:]
		if o.rows += int64(n); o.rows == o.most {
			o.rows = 0
		}
	}
	return nil
}

// fetchedRows is a number of rows whose strings the cache of a core holds.
const fetchedRows = 256

// wordRows is the number of rows that the writer takes at a time.
const wordRows = 64

// safe returns how many of at most 64 rows can be written at a time.
func (o *output[T]) safe(rows []T) int {
	for {
		n := len(rows)
		for i := range o.optional {
			rows = rows[:safeBits(validOf(&o.optional[i], rows), len(rows))]
		}
		if len(rows) == n {
			return n
		}
	}
}

// safeBits returns how many of n rows can be written, whose bits are set where they are not null.
func safeBits(valid uint64, n int) int {
	end := bits.Len64(valid)
	run := bits.LeadingZeros64(^(valid << (wordRows - end))) // rows up to end that are not null
	if start := end - run; start > 0 && start == run && end < n {
		return end
	}
	return n
}

// validOf returns which of at most 64 rows are not null.
func validOf[T any](f *nullable, rows []T) (valid uint64) {
	for i := range rows {
		if !f.isNull(unsafe.Pointer(&rows[i])) {
			valid |= 1 << i
		}
	}
	return valid
}

// isNull reports whether the field of the row at e is null.
//
// Sound: e has a field of the kind and size.
func (f *nullable) isNull(e unsafe.Pointer) bool {
	at := unsafe.Add(e, f.offset)
	switch f.kind {
	case text:
		return len(*(*string)(at)) == 0
	case blob:
		return *(*[]byte)(at) == nil
	}
	return allZero(unsafe.Slice((*byte)(at), f.size))
}

// written returns a check that all rows were written.
func written(n int, err error) func(want int) error {
	return func(want int) error {
		if err == nil && n < want {
			return io.ErrShortWrite
		}
		return err
	}
}
