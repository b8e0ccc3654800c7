package extract

import (
	"math"
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// FieldSteps compares elements by their fields, where they lie. It calls no function of the caller and
// stores no codes.
type FieldSteps struct {
	elements stream.Raw
	columns  []fieldSteps
	loop     *parallel.Loop
}

// fieldSteps compares elements by one column.
type fieldSteps struct {
	Column
	of    *column.Field
	order func(a, b unsafe.Pointer) int // of keys that are neither null nor texts; made once, as it is allocated
}

// stepPiece is the number of elements that are compared with their predecessors at a time: together
// with that of the first a piece.
const stepPiece = Piece - 1

// stepBits has a bit for each of a piece of steps.
type stepBits [Piece / 64]uint64

// NewFieldSteps returns the comparison of the elements of s by words; ok is false unless all their
// columns are fields. Wide fields with nulls are none of these.
func NewFieldSteps(s cpu.Payload, words []Word, loop *parallel.Loop) (f FieldSteps, ok bool) {
	f.elements, f.loop = s.Raw(), loop
	for i := range words {
		l := &words[i]
		for k := range l.narrow {
			if !f.add(&l.narrow[k]) {
				return f, false
			}
		}
		if l.wide != nil && !f.add(l.wide) {
			return f, false
		}
	}
	return f, true
}

// add adds a column; false if it is no field.
func (f *FieldSteps) add(c *Column) bool {
	field := c.made.Field()
	if field == nil || field.Nullable() && c.Bits() > 64 {
		return false
	}
	own := fieldSteps{Column: *c, of: field}
	if !own.isText() {
		own.order = c.made.FieldComparison(c.Order)
	}
	f.columns = append(f.columns, own)
	return true
}

// Ordered reports whether a sample of elements is in order, or falls, except for a few steps.
func (f *FieldSteps) Ordered() bool {
	return presorted.SampleSteps(f.elements.Len(), func(lo, hi int) presorted.Steps { return f.Follow(lo, hi, nil) })
}

// Follow counts the steps to the elements [lo, hi), each from the one before it. The first has none. Where
// none rises, it sets the bits in ties of the elements that tie; nil: nobody asks.
func (f *FieldSteps) Follow(lo, hi int, ties engine.Ties) (seen presorted.Steps) {
	for lo = max(lo, 1); lo < hi; lo += stepPiece {
		steps, tied := f.steps(f.elements.Part(lo-1, min(lo+stepPiece, hi)))
		if seen = seen.Plus(steps); seen.Rises == 0 && steps.Ties > 0 && ties != nil {
			tied.mark(ties, lo)
		}
	}
	return seen
}

// mark sets the bits in ties of the elements of the set; bit 0 is that of element lo.
func (s *stepBits) mark(ties engine.Ties, lo int) {
	for w, set := range s {
		if set == math.MaxUint64 {
			ties.SetAll(lo+64*w, lo+64*w+64)
			continue
		}
		for ; set != 0; set &= set - 1 {
			ties.Set(lo + 64*w + bits.TrailingZeros64(set))
		}
	}
}

// steps counts the steps between the elements of a block, 2 of them up to a piece, and returns those of
// elements that tie.
func (f *FieldSteps) steps(block stream.Raw) (seen presorted.Steps, tied stepBits) {
	n := block.Len() - 1
	for i := range (n + 63) / 64 {
		tied[i] = math.MaxUint64 >> max(0, 64*(i+1)-n)
	}
	for i := range f.columns {
		var rises, falls stepBits
		f.columns[i].steps(&rises, &falls, &tied, block, f.loop)
		left := uint64(0)
		for w := range tied {
			up, down := rises[w]&tied[w], falls[w]&tied[w]
			seen.Rises += bits.OnesCount64(up)
			seen.Falls += bits.OnesCount64(down)
			tied[w] &^= up | down
			left |= tied[w]
		}
		if left == 0 {
			return seen, tied
		}
	}
	seen.Ties = n - seen.Rises - seen.Falls
	return seen, tied
}

// steps sets bit i of rises if element i+1 is above element i, and of falls if it is below, at least
// where bit i of tied is set. Codes are made in the first-level cache.
func (c *fieldSteps) steps(rises, falls, tied *stepBits, block stream.Raw, loop *parallel.Loop) {
	switch {
	case c.isText():
		c.textSteps(rises, falls, tied, block, loop)
		return
	case c.Bits() > 64:
		for w, set := range tied {
			for ; set != 0; set &= set - 1 {
				i := 64*w + bits.TrailingZeros64(set)
				setStep(rises, falls, i, c.compare(block.At(i), block.At(i+1), loop))
			}
		}
		return
	}
	buf := pieces.Get().(*[Piece]uint64)
	defer pieces.Put(buf)
	if codes := buf[:block.Len()]; c.Bits() > 32 || c.Nulls != column.NoNulls {
		c.Codes(codes, Batch{Block: block})
		presorted.StepBits(rises[:], falls[:], codes)
	} else {
		codes := sortkey.As[uint32](codes)
		c.Key.codes32(codes, Batch{Block: block}, &c.Column)
		presorted.StepBits(rises[:], falls[:], codes)
	}
}

// Compare compares elements i and j.
func (f *FieldSteps) Compare(i, j uint32) int {
	a, b := f.elements.At(int(i)), f.elements.At(int(j))
	for k := range f.columns {
		if c := f.columns[k].compare(a, b, f.loop); c != 0 {
			return c
		}
	}
	return 0
}

// compare compares the elements at two addresses by the column.
func (c *fieldSteps) compare(a, b unsafe.Pointer, loop *parallel.Loop) int {
	switch {
	case c.isText():
		if c.Order.Desc {
			a, b = b, a
		}
		return texts.ComparePrefixed(loop, *c.of.Text(a), *c.of.Text(b))
	case c.Nulls == column.NoNulls:
	case c.of.IsNull(a):
		if c.of.IsNull(b) {
			return 0
		}
		return c.ofNull()
	case c.of.IsNull(b):
		return -c.ofNull()
	}
	return c.order(a, b)
}

// ofNull compares a null with a key.
func (c *fieldSteps) ofNull() int {
	if c.Nulls == column.NullsFirst {
		return -1
	}
	return 1
}

// isText reports whether keys are strings or byte slices.
func (c *fieldSteps) isText() bool { return c.kind == sortkey.String || c.kind == sortkey.Bytes }

// setStep sets the bit of step i for the comparison of the elements before and after it.
func setStep(rises, falls *stepBits, i, compared int) {
	switch bit := uint64(1) << (i % 64); {
	case compared < 0:
		rises[i/64] |= bit
	case compared > 0:
		falls[i/64] |= bit
	}
}

// textSteps is steps of strings and byte slices. After two that are equal it searches for the end of the
// run.
func (c *fieldSteps) textSteps(rises, falls, tied *stepBits, block stream.Raw, loop *parallel.Loop) {
	if c.Order.Desc {
		rises, falls = falls, rises
	}
	for i, n := 0, block.Len()-1; i < n; i++ {
		if left := tied[i/64] >> (i % 64); left&1 == 0 {
			if left == 0 {
				i |= 63
			}
			continue
		}
		a, b := c.of.Text(block.At(i)), c.of.Text(block.At(i+1))
		if compared := texts.ComparePrefixed(loop, *a, *b); compared != 0 {
			setStep(rises, falls, i, compared)
			continue
		}
		i += texts.Same(loop, unsafe.Pointer(b), block.Size(), n-i, *b) - 1
	}
}

// FieldUpTo is [column.Field.UpTo] of the first column, by which elements come before others if it is the only one; ok is
// false unless it is a field.
func (l *Word) FieldUpTo(masks []uint64, block stream.Raw, than unsafe.Pointer, before bool, most int) (count int, ok bool) {
	if len(l.narrow) == 0 || l.narrow[0].Nulls != column.NoNulls {
		return 0, false
	}
	c := &l.narrow[0]
	field := c.made.Field()
	if field == nil {
		return 0, false
	}
	before = before && l.Columns() == 1 && c.Order.NaNs != sortkey.TotalOrder // which has zeros before others
	return field.UpTo(masks, block, than, c.Order.Desc, before, most)
}
