package columns

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"unsafe"

	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/kernels"
)

// field is struct Field of columns.cuh, and the bits that it has in the key.
type field struct {
	values, validity, offsets, ranks cuda.Ptr
	first, bytes                     uint64
	sign, zero, most, nan, turn      uint64
	flip, mask, least                uint64
	kind, part                       uint32
	left                             int32
	content, length                  uint32
	bits                             uint32 // the kernels do not read it
}

// fieldRange is struct FieldRange of columns.cuh.
type fieldRange struct{ low, most, first, wrong, nulls uint64 }

const (
	fieldBytes = int(unsafe.Sizeof(field{}))
	rangeBytes = int(unsafe.Sizeof(fieldRange{}))
)

const _ = -uint(fieldBytes ^ kernels.FieldBytes) // 0, or it does not compile

// key is a column whose values have been read once.
type key struct {
	fields []field // of the codes of values, those that differ
	text   *text   // instead
	nulls  *field  // the bit that says which rows are null, if some are and others not
}

// text is a column of texts.
type text struct {
	field
	desc                    bool
	shortest, longest, like uint64 // lengths, and the first row that is not null
}

// fieldsOf returns the fields of a column's values, of all bits.
func fieldsOf(c Column, ranks cuda.Ptr) []field {
	l := layouts[c.Type]
	f := field{
		values: c.Values, validity: c.Validity, offsets: c.Offsets, ranks: ranks, first: uint64(c.First), bytes: uint64(c.Bytes),
		kind: uint32(l.kind), mask: math.MaxUint64,
	}
	switch {
	case ranks != 0:
		f.bytes = uint64(c.Entries)
		return []field{f}
	case c.Type.IsText():
		return []field{f}
	case c.Type == Float32:
		f.setFloats(sortkey.Floats[uint32](c.orderOf()).Fields, 32)
		return []field{f}
	case c.Type == Float64:
		f.setFloats(sortkey.Floats[uint64](c.orderOf()).Fields, 64)
		return []field{f}
	}
	width := max(1, 8*min(l.bytes, 8))
	f.mask >>= 64 - width
	if c.Desc {
		f.flip = f.mask
	}
	low := f
	if l.signed {
		f.flip ^= 1 << (width - 1)
	}
	if l.bytes < 16 {
		return []field{f}
	}
	f.values += 8
	return []field{f, low}
}

func (c Column) orderOf() sortkey.Order { return sortkey.Order{Desc: c.Desc, NaNs: c.NaNs} }

func (f *field) setFloats(numbers func() (zero, most, nan, turn, flip uint64), width int) {
	f.zero, f.most, f.nan, f.turn, f.flip = numbers()
	f.mask >>= 64 - width
	f.sign = 1 << (width - 1)
}

// nullsOf returns the bit that says whether a row is null.
func nullsOf(f field, first bool) *field {
	f.part, f.bits, f.flip, f.mask = kernels.NullsLast, 1, 0, math.MaxUint64
	if first {
		f.part = kernels.NullsFirst
	}
	return &f
}

// at returns the field of a text's bytes from depth on.
func (t *text) at(depth uint64) field {
	f, left := t.field, t.longest-min(depth, t.longest)
	if t.shortest == t.longest {
		f.content, f.length = uint32(min(left, 8)), 0
	} else {
		f.content, f.length = uint32(min(left, 7)), 4
	}
	f.bits = 8*f.content + f.length
	f.mask = math.MaxUint64 >> (64 - f.bits)
	if t.desc {
		f.flip = f.mask
	}
	return f
}

// examine reads each column once: it checks texts and positions in dictionaries, and finds the bits that fields need.
// Columns whose values are all equal have none and are left out.
func (c *call) examine(columns []Column) ([]key, error) {
	var fields []field
	first := make([]int, len(columns)+1) // field of each column
	for i, col := range columns {
		ranks, err := c.rank(col)
		if e, ok := err.(invalid); ok {
			return nil, invalid{fmt.Sprintf("column %d: dictionary", i), e.what}
		}
		if err != nil {
			return nil, err
		}
		fields = append(fields, fieldsOf(col, ranks)...)
		first[i+1] = len(fields)
	}
	ranges, err := c.rangesOf(fields)
	if err != nil {
		return nil, err
	}
	var keys []key
	for i, col := range columns {
		fields, ranges := fields[first[i]:first[i+1]], ranges[first[i]:first[i+1]]
		if r := ranges[0]; r.wrong != 0 {
			return nil, wrong(i, col, c.n-int(r.wrong))
		}
		if k := keyOf(col, c.n, fields, ranges); k.nulls != nil || k.text != nil || len(k.fields) > 0 {
			keys = append(keys, k)
		}
	}
	return keys, nil
}

func keyOf(col Column, n int, fields []field, ranges []fieldRange) (k key) {
	r := ranges[0]
	nulls := int(r.nulls)
	if nulls == n {
		return k
	}
	if nulls > 0 {
		k.nulls = nullsOf(fields[0], col.NullsFirst)
	}
	if col.Dictionary == nil && col.Type.IsText() {
		if r.most > 0 {
			k.text = &text{field: fields[0], desc: col.Desc, shortest: ^r.low, longest: r.most, like: uint64(n) - r.first}
		}
		return k
	}
	for i, f := range fields {
		f.least = ^ranges[i].low
		f.bits = uint32(bits.Len64(ranges[i].most - f.least))
		if f.bits > 0 {
			k.fields = append(k.fields, f)
		}
	}
	return k
}

// invalid is the error of a column whose memory says what cannot be.
type invalid struct{ where, what string }

func (e invalid) Error() string { return "sorter: gpu: " + e.where + ": " + e.what }

// wrong returns the error of the first invalid row of a column.
func wrong(i int, col Column, row int) error {
	what := fmt.Sprintf("row %d: offsets[%d] is below offsets[%d] or above %d", row, row+1, row, col.Bytes)
	if col.Dictionary != nil {
		what = fmt.Sprintf("row %d has no position in a dictionary of %d entries", row, col.Entries)
	}
	return invalid{fmt.Sprintf("column %d", i), what}
}

// rangesOf finds the range of each field.
func (c *call) rangesOf(fields []field) ([]fieldRange, error) {
	ranges := make([]fieldRange, 0, len(fields))
	q := c.w.Queue()
	for some := range slices.Chunk(fields, kernels.MostFields) {
		c.upload(&q, some)
		q.Fill(c.ranges, 0, rangeBytes/4*len(some))
		for i := range some {
			q.Run("range_of_column", min(4*c.w.Info.SMs, c.grid((c.n-1)/kernels.ColumnItems+1)), kernels.ColumnThreads, kernels.ColumnShared, uint64(c.fields), uint64(i), uint64(c.n), uint64(c.ranges))
		}
		q.ToHost(unsafe.Pointer(&c.note.ranges), c.ranges, rangeBytes*len(some))
		if err := q.Sync(); err != nil {
			return nil, err
		}
		ranges = append(ranges, c.note.ranges[:len(some)]...)
	}
	return ranges, nil
}

// upload brings fields to the device, all work of whose kernels must have ended.
func (c *call) upload(q *device.Queue, fields []field) {
	copy(c.note.fields[:], fields)
	q.ToDevice(c.head.fields, unsafe.Pointer(&c.note.fields), fieldBytes*len(fields))
}

// rank returns the ranks of the entries of a column's dictionary, in memory that is held until the end of the call; 0 if the
// column has none.
func (c *call) rank(col Column) (cuda.Ptr, error) {
	if col.Dictionary == nil {
		return 0, nil
	}
	n := col.Entries
	ranks, err := c.w.Take(4*n + 4)
	if err != nil {
		return 0, err
	}
	c.held = append(c.held, ranks)
	if n == 0 {
		return ranks.At, nil
	}
	var order, ties cuda.Ptr
	block, err := c.w.Lay(func(a *device.Area) { order, ties = a.Take(4*n), a.Take(codes.TiesBytes(n)) })
	if err != nil {
		return 0, err
	}
	defer c.w.Put(block)
	d := *col.Dictionary
	d.Desc, d.NaNs = col.Desc, col.NaNs
	if err := Order(c.w, []Column{d}, n, c.whole, Result{order, ties}); err != nil {
		return 0, err
	}
	q := c.w.Queue()
	q.Run("rank_dictionary", 1, 1024, kernels.TieShared, uint64(order), uint64(ties), uint64(d.Validity), uint64(d.First), uint64(n), uint64(ranks.At))
	return ranks.At, q.Sync()
}
