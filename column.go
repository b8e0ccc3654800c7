package sorter

import (
	"fmt"
	"reflect"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
)

// Column is one key of an [Ordering]: a key function, a direction, and where
// nulls and NaNs go. Its methods return a changed copy.
type Column[E any] struct {
	spec column.Spec // without the type of the elements
}

// Asc returns a column that orders by key, smallest first. It panics if key is
// nil.
func Asc[E any, K Key](key func(E) K) Column[E] {
	if key == nil {
		panic("sorter: nil key function")
	}
	return Column[E]{column.SpecOf(sortkey.KindOf[K](), column.Func[E, K](key))}
}

// Desc returns a column that orders by key, largest first. It panics if key is
// nil.
func Desc[E any, K Key](key func(E) K) Column[E] {
	return Column[E]{Asc(key).spec.Descending()}
}

// AscEncoded returns a column that orders by the bytes that encode appends to dst, compared from the first on.
// It is for keys that no [Key] holds: large integers, versions, tuples that another system has encoded.
//
// encode appends to dst, which is empty, and returns the result, as append does. It must not keep dst. It may return
// other bytes, which must not change while sorts run. Goroutines call it at the same time, each with memory of its own:
// n keys take their bytes and no allocation each. No [MemoryLimit] counts these, as it counts no memory of key
// functions. [Ordering.Compare], and all that compares elements, encodes both each time.
//
// It panics if encode is nil.
func AscEncoded[E any](encode func(dst []byte, e E) []byte) Column[E] {
	if encode == nil {
		panic("sorter: nil key function")
	}
	return Column[E]{column.SpecOf(sortkey.Bytes, column.Encoded[E](encode))}
}

// DescEncoded is [AscEncoded], largest first.
func DescEncoded[E any](encode func(dst []byte, e E) []byte) Column[E] {
	return Column[E]{AscEncoded(encode).spec.Descending()}
}

// AscOf returns a column for [RowsBy] whose keys are the elements of col by row number,
// smallest first. It orders like Asc(func(row int) K { return col[row] }), without a
// call for each row, and keys are not copied unless the column has nulls.
//
// Sorts panic, before they begin, if a row that is not null has a number not below len(col). Null
// functions are called once more for such rows. col must not change while they run. In an [Ordering] the
// column is one of ints that are row numbers, see [Ordering.Sort]; keys themselves are for [SortKeys].
func AscOf[K Key](col []K) Column[int] {
	return sliceColumn(sortkey.KindOf[K](), unsafe.Pointer(unsafe.SliceData(col)), len(col))
}

// sliceColumn is inlined into [AscOf], as extract.SpecOfSlice is not: the compiler keeps the body
// of another package's function only where it has inlined it into one that is not generic.
func sliceColumn(kind sortkey.Kind, data unsafe.Pointer, n int) Column[int] {
	return Column[int]{column.SpecOfSlice(kind, data, n)}
}

// DescOf is [AscOf], largest first.
func DescOf[K Key](col []K) Column[int] {
	return Column[int]{AscOf(col).spec.Descending()}
}

// NullsFirst puts the elements for which isNull holds before all others, whatever the direction.
// They tie with each other, and the key function is not called for them. It panics if isNull is nil.
func (c Column[E]) NullsFirst(isNull func(E) bool) Column[E] {
	return c.withNulls(isNull, column.NullsFirst)
}

// NullsLast puts the elements for which isNull holds after all others, whatever the direction.
// They tie with each other, and the key function is not called for them. It panics if isNull is nil.
func (c Column[E]) NullsLast(isNull func(E) bool) Column[E] {
	return c.withNulls(isNull, column.NullsLast)
}

// NullsFirstBits is [Column.NullsFirst] of the rows whose bit is 0 in a validity bitmap, as
// Apache Arrow has it. The bit of row i is bit (offset+i)%8, from the lowest, of
// valid[(offset+i)/8]. Without a bitmap, valid == nil, no row is null.
//
// It is for columns by row number, such as those of [AscOf]. No function is called for a row: nulls
// are counted and parted 64 at a time, and a bitmap without nulls costs a count of its bits. valid
// must not change while sorts run. It panics if elements are no ints or if offset is negative.
// Sorts panic if a row has no bit, those of rows 0 … n-1 before they begin.
func (c Column[E]) NullsFirstBits(valid []byte, offset int) Column[E] {
	return c.withBits(valid, offset, column.NullsFirst)
}

// NullsLastBits is [Column.NullsLast] of the rows whose bit is 0 in a validity bitmap; see
// [Column.NullsFirstBits].
func (c Column[E]) NullsLastBits(valid []byte, offset int) Column[E] {
	return c.withBits(valid, offset, column.NullsLast)
}

func (c Column[E]) withBits(valid []byte, offset int, place column.NullPlace) Column[E] {
	rows, ok := any(c).(Column[int])
	switch {
	case !ok:
		panic(fmt.Sprintf("sorter: validity bits of elements of type %v, which are no row numbers", reflect.TypeFor[E]()))
	case offset < 0:
		panic(fmt.Sprintf("sorter: validity bits from offset %d on", offset))
	case valid == nil:
		rows.spec = rows.spec.WithoutNulls()
	default:
		rows.spec = rows.spec.WithBits(column.NewNullBits(valid, offset), place)
	}
	return any(rows).(Column[E])
}

func (c Column[E]) withNulls(isNull func(E) bool, place column.NullPlace) Column[E] {
	if isNull == nil {
		panic("sorter: nil null function")
	}
	// Sound: a function value is an address.
	return Column[E]{c.spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), place)}
}

// NaNsFirst puts NaN keys of this column before all other keys, after nulls that come first,
// whatever the direction.
func (c Column[E]) NaNsFirst() Column[E] {
	return Column[E]{c.spec.WithNaNs(sortkey.NaNsFirst)}
}

// NaNsLast puts NaN keys of this column after all other keys, before nulls that come last,
// whatever the direction.
func (c Column[E]) NaNsLast() Column[E] {
	return Column[E]{c.spec.WithNaNs(sortkey.NaNsLast)}
}

// TotalOrder orders the float keys of this column by the total order of IEEE 754, section 5.10.
// That is NaNs with a sign, −Inf, …, −0, +0, …, +Inf, NaNs without one. NaNs of one sign are in
// the order of their bits, by magnitude. Descending columns have the reverse. Keys are equal only if
// their bits are. It has no effect on other keys, and replaces NaNsFirst and NaNsLast.
func (c Column[E]) TotalOrder() Column[E] {
	return Column[E]{c.spec.WithNaNs(sortkey.TotalOrder)}
}

// comparator returns the comparison of two elements by this column.
func comparator[E any](c *extract.Column) func(a, b E) int {
	compare := comparing[E](c)
	if c.Nulls == column.NoNulls {
		return compare
	}
	first, isNull := c.Nulls == column.NullsFirst, nullsOf[E](c)
	return func(a, b E) int {
		null := isNull(a)
		switch {
		case null && isNull(b):
			return 0
		case !null && !isNull(b):
			return compare(a, b)
		case null == first:
			return -1
		}
		return 1
	}
}

// comparing returns the comparison of two elements that are not null.
func comparing[E any](c *extract.Column) func(a, b E) int {
	switch compare := c.Comparison().(type) {
	case func(a, b E) int:
		return compare
	case func(a, b unsafe.Pointer) int: // of the fields at their addresses
		return func(a, b E) int { return compare(addressOf(&a), addressOf(&b)) }
	}
	panic("sorter: a column of other elements")
}

// nullsOf returns the null function of a column.
func nullsOf[E any](c *extract.Column) func(E) bool {
	switch nulls := c.AreNull.(type) {
	case *column.NullBits:
		return any(nulls.IsNull).(func(E) bool)
	case *column.Field:
		return func(e E) bool { return nulls.IsNull(addressOf(&e)) }
	default:
		return nulls.(column.NullFunc[E])
	}
}

// addressOf returns the address of an element, which stays on the stack. Sound: a field keeps
// no address, see [cpu.Hidden].
func addressOf[E any](e *E) unsafe.Pointer { return cpu.Hidden(unsafe.Pointer(e)) }

// Keys are the keys of the rows 0, 1, … in the memory where a program has them. They lie in chunks,
// in an arena, in views, or as bytes of one width. [Keys.Asc] and [Keys.Desc] make columns of them for
// [RowsBy] and for an [Ordering] of row numbers.
//
// Nothing is copied: sorts read keys where they lie, without a call for each row, and take no scratch
// for them unless the column has nulls. That memory must not change while sorts run. What is said of
// [AscOf] about rows holds for these columns.
type Keys struct{ format column.Format }

// Chunks returns the keys of the rows of several slices, one slice after the other, as columnar
// formats have them. chunks may be empty, and may have empty chunks.
//
// It takes time proportional to the number of chunks, and 100 bytes per chunk. Sorts take as long
// as by one slice, or 1.1 times. They take up to 1.3 times where they read rows in no order, as for
// the ties of a column before.
func Chunks[K Key](chunks [][]K) Keys {
	if len(chunks) == 0 {
		return Keys{column.InSlice[K](nil)}
	}
	parts := make([]column.Format, len(chunks))
	for i, chunk := range chunks {
		parts[i] = column.InSlice(chunk)
	}
	all, _ := column.Concat(parts)
	return Keys{all}
}

// Concat returns the keys of the rows of all parts, one part after the other: those of chunks that are
// arenas, for example. It panics without parts, and if their keys are not of one type; text is one
// type, however it lies.
//
// It takes time proportional to the number of parts, and 100 bytes per part.
func Concat(parts ...Keys) Keys {
	layouts := make([]column.Format, len(parts))
	for i, part := range parts {
		layouts[i] = part.made()
	}
	if len(parts) == 0 {
		panic("sorter: Concat of no keys")
	}
	all, ok := column.Concat(layouts)
	if !ok {
		panic("sorter: Concat of keys of different types")
	}
	return Keys{all}
}

// Arena returns keys that are byte strings in one arena, as in the string and binary arrays of
// Apache Arrow. That of row i is data[offsets[i]:offsets[i+1]]. There are
// len(offsets)-1 rows, none without offsets. Offsets need not begin at 0.
//
// It panics if the last offset is past the arena. Sorts panic if they read a row that begins after its
// end or ends past the arena.
func Arena[O ~int32 | ~int64](data []byte, offsets []O) Keys {
	if n := len(offsets); n > 0 && (offsets[n-1] < 0 || int64(offsets[n-1]) > int64(len(data))) {
		panic(fmt.Sprintf("sorter: last offset %d of an arena of %d bytes", offsets[n-1], len(data)))
	}
	// A negative offset becomes a number past any arena.
	if unsafe.Sizeof(*new(O)) == 4 {
		return Keys{column.Arena(data, sortkey.As[uint32](offsets))}
	}
	return Keys{column.Arena(data, sortkey.As[uint64](offsets))}
}

// Views returns keys that are byte strings in views, as the string and binary views of Apache Arrow
// have them. A view is 16 bytes of views, numbers in little-endian order: the length (int32), and then
// the bytes themselves where they are at most 12, padded with zeros; otherwise the first 4 bytes, the
// number of a buffer (int32), and the offset there (int32).
//
// It panics unless len(views) is a multiple of 16. Sorts panic if they read a view of bytes that no
// buffer has.
func Views(views []byte, buffers ...[]byte) Keys {
	if len(views)%column.ViewSize != 0 {
		panic(fmt.Sprintf("sorter: views of %d bytes, which is no multiple of %d", len(views), column.ViewSize))
	}
	return Keys{column.Views(views, buffers)}
}

// FixedBinary returns keys that are byte strings of one width: that of row i is
// data[i*width:(i+1)*width]. They are ordered bytewise. Up to 8 bytes, and 16, are the fastest.
//
// It panics if width is below 1, or len(data) no multiple of it.
func FixedBinary(data []byte, width int) Keys {
	if width < 1 || len(data)%width != 0 {
		panic(fmt.Sprintf("sorter: %d bytes in keys of %d bytes", len(data), width))
	}
	return Keys{column.Octets(data, width)}
}

// Len returns the number of rows.
func (k Keys) Len() int { return k.made().Len() }

// Asc returns the column of the keys by row number, smallest first.
func (k Keys) Asc() Column[int] {
	return Column[int]{column.SpecOfFormat(k.made())}
}

// Desc returns the column of the keys by row number, largest first.
func (k Keys) Desc() Column[int] {
	return Column[int]{k.Asc().spec.Descending()}
}

func (k Keys) made() column.Format {
	if k.format == nil {
		panic("sorter: keys of no layout; make them with Chunks, Arena, Views, FixedBinary or Concat")
	}
	return k.format
}
