// Package columns orders rows by several columns in device memory, on a device. Columns lie as Apache Arrow has them. The key
// of a row is a sequence of bits, see kernels/columns.cuh: its words of up to 64 bits are sorted one after the other, each
// but the first for rows that tie so far alone.
package columns

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/kernels"
)

// Type is the type of a column's values.
type Type uint8

const (
	Bool Type = iota // a bit each
	Int8
	Int16
	Int32
	Int64
	Int128 // 16 bytes, the lowest first
	Uint8
	Uint16
	Uint32
	Uint64
	Uint128
	Float32
	Float64
	Text32 // bytes, whose offsets have 32 bits
	Text64 // and 64
	Types  // the number of types
)

// Column is a column in device memory.
type Column struct {
	Type     Type
	Values   cuda.Ptr // of texts: their bytes
	Offsets  cuda.Ptr // of texts: one more than rows
	Bytes    int      // of texts: the size of Values
	Validity cuda.Ptr // a bit for each row, 0 if it is null; 0: no row is null
	First    int      // number of the first row's bit in Validity, and in Values of Bool

	Desc, NullsFirst bool
	NaNs             sortkey.NaNs

	Dictionary *Column // whose entries Values are positions of; nil: none
	Entries    int
}

// IsText reports whether values are bytes with offsets.
func (t Type) IsText() bool { return t == Text32 || t == Text64 }

// IsPosition reports whether values may be positions in a dictionary.
func (t Type) IsPosition() bool {
	return t >= Int8 && t <= Int64 || t >= Uint8 && t <= Uint64
}

// Bytes returns the size of a value, or of an offset; 0 for bits.
func (t Type) Bytes() int { return layouts[t].bytes }

// layouts is how the values of each type lie, and which bit is that of a sign.
var layouts = [Types]struct {
	kind, bytes int
	signed      bool
}{
	Bool: {kernels.FieldBit, 0, false},
	Int8: {kernels.Field8, 1, true}, Int16: {kernels.Field16, 2, true}, Int32: {kernels.Field32, 4, true}, Int64: {kernels.Field64, 8, true}, Int128: {kernels.FieldPair, 16, true},
	Uint8: {kernels.Field8, 1, false}, Uint16: {kernels.Field16, 2, false}, Uint32: {kernels.Field32, 4, false}, Uint64: {kernels.Field64, 8, false}, Uint128: {kernels.FieldPair, 16, false},
	Float32: {kernels.Field32, 4, false}, Float64: {kernels.Field64, 8, false},
	Text32: {kernels.FieldText32, 4, false}, Text64: {kernels.FieldText64, 8, false},
}

// Result is where the order goes, and marks of the rows that tie with the row before them, as in engine.Job; 0: nowhere.
type Result struct{ Order, Ties cuda.Ptr }

// Modules has the kernels of columns.
var Modules = []*device.Module{{Image: kernels.Columns, Kernels: map[string]int{
	"range_of_column": kernels.ColumnShared, "prefix_of_texts": 0, "pack_codes_u32": kernels.FieldsShared, "pack_codes_u64": kernels.FieldsShared,
	"place_rows_of_list": 0, "count_ties": kernels.TieShared, "scan_ties": kernels.TieShared, "list_ties": kernels.TieListShared,
	"common_of_texts": 0, "refine_marks": 0, "rank_dictionary": kernels.TieShared,
}}}

// Order writes the stable order of n rows by columns. It returns when the device is done. Offsets of texts that descend or
// exceed their bytes, and positions that a dictionary lacks, are an error; nothing is written then. whole sorts codes.
func Order(w *device.Workspace, columns []Column, n int, whole codes.Whole, to Result) error {
	if n == 0 {
		return nil
	}
	if err := w.Load(Modules); err != nil {
		return err
	}
	note, err := device.Pinned[note](w)
	if err != nil {
		return err
	}
	c := call{w: w, n: n, whole: whole, to: to, note: note}
	defer c.free()
	head, err := w.Lay(func(a *device.Area) { c.head = layOut(a) })
	if err != nil {
		return err
	}
	c.held = append(c.held, head)
	keys, err := c.examine(columns)
	if err != nil {
		return err
	}
	return c.order(keys)
}

// note is pinned memory.
type note struct {
	fields [kernels.MostFields]field
	ranges [kernels.MostFields]fieldRange
	lists  [2]tieList
	common uint64 // bytes that texts have in common
	ties   uint64 // rows that tie << 32 | runs of them
	open   uint64 // whether texts of a run differ
}

// head is the device memory of every call.
type head struct{ fields, ranges, lists, common, ties, open cuda.Ptr }

func layOut(a *device.Area) head {
	return head{
		fields: a.Take(kernels.FieldBytes * kernels.MostFields),
		ranges: a.Take(kernels.FieldRangeBytes * kernels.MostFields),
		lists:  a.Take(2 * kernels.TieListBytes),
		common: a.Take(8), ties: a.Take(8), open: a.Take(8),
	}
}

// call is the order of one list of rows.
type call struct {
	head
	w     *device.Workspace
	n     int
	whole codes.Whole
	to    Result
	note  *note
	held  []device.Block // head, and ranks of dictionaries

	list  *list  // rows that tie in the words sorted so far; nil before the first word
	depth uint64 // bytes that the texts of all rows have in common, before the first word
	done  bool   // no rows tie
}

func (c *call) free() {
	c.dropList()
	for _, b := range c.held {
		c.w.Put(b)
	}
}

// grid returns blocks of kernels.ColumnThreads threads that read n elements.
func (c *call) grid(n int) int {
	return max(1, min(16*c.w.Info.SMs, (n-1)/kernels.ColumnThreads+1))
}

// order sorts by one column after the other. Fields wait until they fill a word, or until the next bytes of a text depend on
// which rows tie.
func (c *call) order(keys []key) error {
	var waiting []field
	for i, k := range keys {
		more := i+1 < len(keys) || c.to.Ties != 0
		if k.text != nil {
			if err := c.orderByText(waiting, k, more); err != nil {
				return err
			}
			waiting = nil
			continue
		}
		if k.nulls != nil {
			waiting = append(waiting, *k.nulls)
		}
		waiting = append(waiting, k.fields...)
	}
	if err := c.sortBy(waiting, 0, c.to.Ties != 0); err != nil {
		return err
	}
	return c.finish()
}

// finish writes the result where no word has been sorted: all rows tie.
func (c *call) finish() error {
	if c.list != nil || c.done {
		return nil
	}
	q := c.w.Queue()
	q.Then(func() error { return codes.Identity(c.w, codes.Input{N: c.n}, c.to.Order) })
	if c.to.Ties != 0 {
		last, first, end := words(c.n)-1, ^uint32(1), ^uint32(0)>>(31-uint(c.n-1)%32)
		if last == 0 {
			first &= end
		}
		q.Fill(c.to.Ties, ^uint32(0), last+1)
		q.Fill(c.to.Ties+cuda.Ptr(4*last), end, 1)
		q.Fill(c.to.Ties, first, 1)
	}
	return q.Sync()
}
