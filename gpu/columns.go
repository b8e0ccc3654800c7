package gpu

import (
	"fmt"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/columns"
	"example.com/sorter/internal/gpu/dispatch"
	"example.com/sorter/internal/gpu/transfer"
	"example.com/sorter/internal/sortkey"
)

// Rows in the order of columns in device memory.

// ColumnType is the type of the values of a [Column].
type ColumnType uint8

// The types of columns. Values lie one after the other, as in arrays of Apache Arrow.
const (
	Bool    = ColumnType(columns.Bool) // a bit each, from the lowest of a byte; false comes first
	Int8    = ColumnType(columns.Int8)
	Int16   = ColumnType(columns.Int16)
	Int32   = ColumnType(columns.Int32)
	Int64   = ColumnType(columns.Int64)
	Int128  = ColumnType(columns.Int128) // 16 bytes, the lowest first, as decimals have them
	Uint8   = ColumnType(columns.Uint8)
	Uint16  = ColumnType(columns.Uint16)
	Uint32  = ColumnType(columns.Uint32)
	Uint64  = ColumnType(columns.Uint64)
	Uint128 = ColumnType(columns.Uint128)
	Float32 = ColumnType(columns.Float32)
	Float64 = ColumnType(columns.Float64)
	Text32  = ColumnType(columns.Text32) // bytes, compared as such, between offsets of 32 bits
	Text64  = ColumnType(columns.Text64) // bytes between offsets of 64 bits
)

// NaNPlace is the place of NaNs in the order of a [Column].
type NaNPlace uint8

// The places of NaNs.
const (
	NaNsLeast  = NaNPlace(sortkey.NaNsLeast)  // below all others: first, or last if descending
	NaNsFirst  = NaNPlace(sortkey.NaNsFirst)  // first, whatever the direction
	NaNsLast   = NaNPlace(sortkey.NaNsLast)   // last, whatever the direction
	TotalOrder = NaNPlace(sortkey.TotalOrder) // the total order of IEEE 754, also of zeros, see sorter.Column.TotalOrder
)

// Column is a column in device memory, and how rows are ordered by it. The zero values of its last fields mean ascending
// order, nulls last, and NaNs below all other floats.
type Column struct {
	Type     ColumnType
	Values   Ptr // a value for each row, also for nulls; of Text32 and Text64 the bytes. Aligned as the type is, [Int128] to 8
	Offsets  Ptr // of Text32 and Text64: the text of row i is bytes offsets[i] to offsets[i+1]-1
	Bytes    int // of Text32 and Text64: the size of Values
	Validity Ptr // bit (First+i)%8, from the lowest, of byte (First+i)/8 is 0 if row i is null. 0: no row is null
	First    int // number of the bit of row 0 in Validity, and in Values of Bool

	// If Dictionary is not nil, values are positions in it, of Entries entries; those of nulls are not read. Rows are ordered by the entry, and null if
	// that is null. Type is one of integers up to 64 bits; the dictionary has none itself. Its own direction and places are ignored.
	Dictionary *Column
	Entries    int

	Desc       bool     // largest first
	NullsFirst bool     // whatever the direction; otherwise nulls are last
	NaNs       NaNPlace // of floats
}

// OrderColumnsDevice writes the stable order of n rows by columns to order, as 32-bit positions. Rows are ordered by the first
// column, those that tie by the second, and so on, as [sorter.RowsBy] has it. Nulls of a column tie with each other, so do NaNs, and −0 with +0.
// If ties is not 0, it gets a bit for each place of the order, bit i%32 of the 32-bit word i/32, which is 1 if the row there
// equals the row before it in all columns, and 0 for the first place and after the last.
//
// Codes of values above the lowest one of a column are packed into words of up to 64 bits. The first word orders all rows
// as [Engine.OrderDevice] does, each further one those that tie so far, as [Engine.OrderWithinDevice] does. A text has its first 7 bytes in a
// word, or 8 if all have one length, and then 7 or 8 more for rows that tie, from the first byte on in which these differ. So the time
// is that of one sort for each word of the key that rows share, and of a pass over each column before.
//
// All memory is of the engine's first device, in its primary context; order and ties must not overlap the columns. It
// takes up to 60 bytes of device memory for each row, most of them for rows that tie in the first word, and the
// memory of a sort. [Verify] does not apply. Waiting, concurrency and other errors are those of OrderDevice. Offsets that
// descend or exceed Bytes, also of nulls, and a position that its dictionary lacks are an error that names the column and the row; nothing is
// written then. It panics if n is not one that OrderDevice takes for 64-bit codes, if order is 0, and if a column lacks memory that its type
// needs, or has it at an address that is not aligned.
func (e *Engine) OrderColumnsDevice(cols []Column, n int, order, ties Ptr, after ...Stream) error {
	if most, _ := dispatch.MaxN(engine.Auto, input{Wide: true}); n < 0 || n > most {
		panic(fmt.Sprintf("sorter: gpu: %d rows: at most %d", n, most))
	}
	checkWords(n, order, ties)
	in := make([]columns.Column, len(cols))
	for i := range cols {
		in[i] = cols[i].checked(n, fmt.Sprintf("column %d", i))
	}
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return s.Sorter.OrderColumns(s.Workspace, in, n, columns.Result{Order: cuda.Ptr(order), Ties: cuda.Ptr(ties)})
	})
}

// checkWords panics if an order of n rows, or marks of ties, cannot lie where they are said to.
func checkWords(n int, order, ties Ptr) {
	if n > 0 && (order == 0 || (order|ties)%4 != 0) {
		panic(fmt.Sprintf("sorter: gpu: an order at %#x, ties at %#x", order, ties))
	}
}

// checked returns the column of n rows as the engine has it. It panics if its memory cannot be right.
func (c *Column) checked(n int, name string) columns.Column {
	refuse := func(format string, args ...any) {
		panic(fmt.Sprintf("sorter: gpu: "+name+": "+format, args...))
	}
	if c.Type >= ColumnType(columns.Types) || c.NaNs > TotalOrder {
		refuse("type %d, place of NaNs %d", c.Type, c.NaNs)
	}
	out := columns.Column{
		Type: columns.Type(c.Type), Values: cuda.Ptr(c.Values), Offsets: cuda.Ptr(c.Offsets), Bytes: c.Bytes, Validity: cuda.Ptr(c.Validity), First: c.First,
		Desc: c.Desc, NullsFirst: c.NullsFirst, NaNs: sortkey.NaNs(c.NaNs), Entries: c.Entries,
	}
	size, values := out.Type.Bytes(), c.Values
	if out.Type.IsText() {
		values = c.Offsets
		if c.Bytes < 0 || c.Bytes > 0 && c.Values == 0 {
			refuse("texts of %d bytes at %#x", c.Bytes, c.Values)
		}
	}
	if align := Ptr(max(1, min(size, 8))); n > 0 && (values == 0 || values%align != 0) {
		refuse("values or offsets at %#x, of %d bytes", values, size)
	}
	if c.First < 0 {
		refuse("the first bit is %d", c.First)
	}
	if d := c.Dictionary; d != nil {
		most, _ := dispatch.MaxN(engine.Auto, input{Wide: true})
		if !out.Type.IsPosition() || d.Dictionary != nil || c.Entries < 0 || c.Entries > most {
			refuse("a dictionary of %d entries, for values of type %d", c.Entries, c.Type)
		}
		entries := d.checked(c.Entries, name+": dictionary")
		out.Dictionary = &entries
	}
	return out
}

// GatherColumnsDevice moves n rows of columns to those of sorted: row i becomes that of row order[i] of cols, whole, texts and nulls
// included. With the order of [Engine.OrderColumnsDevice], or its beginning, it sorts a table, or takes the first rows of it.
//
// sorted has a column for each, of its type, with memory for n rows: Values; Validity if the column of cols has one, which becomes all
// ones if it has not; for texts Offsets, which begin at 0, and Bytes as the size of Values, which may be larger than needed. Its First is 0,
// and bits come in words of 32, (n+31)/32 of them, at addresses divisible by 4; those after the last row are 0. Values that are positions in a dictionary move as they
// are, and sorted need not name it.
//
// Positions in order must be those of rows, which is not checked, and memory of sorted must not overlap any other. It takes a twentieth
// of a byte of device memory for each text. Waiting, concurrency and other errors are those of OrderDevice. Texts that need more than Bytes, and
// offsets that descend or exceed those of cols, are an error that names the column; this and later columns are incomplete then. It panics
// if a column lacks memory that its type needs, or if columns of cols and sorted differ in number or type.
func (e *Engine) GatherColumnsDevice(order Ptr, n int, cols, sorted []Column, after ...Stream) error {
	if len(cols) != len(sorted) || n < 0 {
		panic(fmt.Sprintf("sorter: gpu: %d rows of %d columns to %d", n, len(cols), len(sorted)))
	}
	checkWords(n, order, 0)
	from, to := make([]columns.Column, len(cols)), make([]columns.Column, len(cols))
	for i := range cols {
		name := fmt.Sprintf("column %d", i)
		from[i], to[i] = cols[i].checked(n, name), sorted[i].checked(n, name+" of sorted")
		bits := to[i].Validity
		if to[i].Type == columns.Bool {
			bits |= to[i].Values
		}
		if from[i].Type != to[i].Type || from[i].Validity != 0 && to[i].Validity == 0 || to[i].First != 0 || bits%4 != 0 {
			panic(fmt.Sprintf("sorter: gpu: %s of type %d with validity at %#x to type %d, validity at %#x from bit %d on", name, from[i].Type, from[i].Validity, to[i].Type, to[i].Validity, to[i].First))
		}
	}
	return e.toCaller(engine.Auto, after, func(s *transfer.Session) error {
		return columns.Gather(s.Workspace, cuda.Ptr(order), n, from, to)
	})
}
