package parquetsort

import (
	"encoding/binary"
	"fmt"

	"github.com/parquet-go/parquet-go"
)

// table is rows that are taken apart into their columns. Rows are added one by one, and come out in any order.
type table struct {
	columns []tableColumn
	rows    int
}

// tableColumn is the values and nulls of a column, its entries: one of each row, or any number where it is repeated.
type tableColumn struct {
	name       string
	kind       parquet.Kind
	width      int // bytes of a value, a byte for a bool; 0: they vary
	definition int // most levels
	repetition int

	starts      []int   // of repeated columns: the first entry of each row, and the end
	definitions []byte  // of columns with a definition level
	repetitions []byte  // of repeated columns
	data        []byte  // of values, zeros for a null where they have a width
	offsets     []int64 // of values that vary: the first byte of each entry, and the end
}

// newTable returns a table without rows.
func newTable(schema *parquet.Schema) *table {
	t := &table{}
	for _, path := range schema.Columns() {
		leaf, _ := schema.Lookup(path...)
		typ := leaf.Node.Type()
		c := tableColumn{
			name: joined(path), kind: typ.Kind(), width: widthOf(typ.Kind(), typ.Length()),
			definition: int(leaf.MaxDefinitionLevel), repetition: int(leaf.MaxRepetitionLevel),
		}
		t.columns = append(t.columns, c)
	}
	t.reset()
	return t
}

// reset drops all rows and keeps their memory.
func (t *table) reset() {
	t.rows = 0
	for i := range t.columns {
		c := &t.columns[i]
		c.definitions, c.repetitions, c.data = c.definitions[:0], c.repetitions[:0], c.data[:0]
		if c.repetition > 0 {
			c.starts = append(c.starts[:0], 0)
		}
		if c.width == 0 {
			c.offsets = append(c.offsets[:0], 0)
		}
	}
}

// add appends a row. It checks what a column writer of package parquet takes for granted.
func (t *table) add(row parquet.Row) error {
	at := 0
	for i := range t.columns {
		from := at
		for at < len(row) && row[at].Column() == i {
			at++
		}
		if err := t.columns[i].add(row[from:at]); err != nil {
			return fmt.Errorf("parquetsort: column %s: %w", t.columns[i].name, err)
		}
	}
	if at < len(row) {
		return fmt.Errorf("parquetsort: a row has a value of column %d after one of column %d", row[at].Column(), row[max(at, 1)-1].Column())
	}
	t.rows++
	return nil
}

// add appends the entries of a row.
func (c *tableColumn) add(entries []parquet.Value) error {
	if len(entries) != 1 && (len(entries) == 0 || c.repetition == 0) {
		return fmt.Errorf("a row has %d values", len(entries))
	}
	for i := range entries {
		if err := c.addEntry(&entries[i], i == 0); err != nil {
			return err
		}
	}
	if c.repetition > 0 {
		c.starts = append(c.starts, len(c.definitions))
	}
	return nil
}

// addEntry appends a value or a null.
func (c *tableColumn) addEntry(v *parquet.Value, first bool) error {
	null := v.IsNull()
	if definition := v.DefinitionLevel(); null != (definition < c.definition) || definition > c.definition {
		if null && c.definition == 0 {
			return fmt.Errorf("a null, and it is required")
		}
		return fmt.Errorf("definition level %d of %v, the most is %d", definition, *v, c.definition)
	}
	if repetition := v.RepetitionLevel(); first != (repetition == 0) || repetition > c.repetition {
		return fmt.Errorf("repetition level %d of %v, the most is %d", repetition, *v, c.repetition)
	}
	if c.definition > 0 {
		c.definitions = append(c.definitions, byte(v.DefinitionLevel()))
	}
	if c.repetition > 0 {
		c.repetitions = append(c.repetitions, byte(v.RepetitionLevel()))
	}
	switch {
	case null:
		c.data = append(c.data, make([]byte, c.width)...)
	case v.Kind() != c.kind && !(isByteKind(v.Kind()) && isByteKind(c.kind)):
		return fmt.Errorf("a value of type %v, of %v", v.Kind(), c.kind)
	case isByteKind(c.kind):
		b := v.ByteArray()
		if c.kind == parquet.FixedLenByteArray && len(b) != c.width {
			return fmt.Errorf("a value of %d bytes, of %d", len(b), c.width)
		}
		c.data = append(c.data, b...)
	case c.width == 8:
		c.data = binary.NativeEndian.AppendUint64(c.data, v.Uint64())
	case c.width == 4:
		c.data = binary.NativeEndian.AppendUint32(c.data, v.Uint32())
	default:
		c.data = v.AppendBytes(c.data)
	}
	if c.width == 0 {
		c.offsets = append(c.offsets, int64(len(c.data)))
	}
	return nil
}

// isByteKind reports whether values are bytes of one length or of any.
func isByteKind(k parquet.Kind) bool { return k == parquet.ByteArray || k == parquet.FixedLenByteArray }

// span returns the entries of a row.
func (c *tableColumn) span(row uint32) (lo, hi int) {
	if c.repetition == 0 {
		return int(row), int(row) + 1
	}
	return c.starts[row], c.starts[row+1]
}

// bytes returns the values of some entries that follow each other.
func (c *tableColumn) bytes(lo, hi int) []byte {
	if c.width == 0 {
		return c.data[c.offsets[lo]:c.offsets[hi]]
	}
	return c.data[lo*c.width : hi*c.width]
}

// isNull reports whether an entry is a null.
func (c *tableColumn) isNull(entry int) bool {
	return c.definition > 0 && int(c.definitions[entry]) < c.definition
}

// value returns an entry, which shares its bytes with the column.
func (c *tableColumn) value(entry int) parquet.Value {
	if c.isNull(entry) {
		return parquet.Value{}
	}
	b := c.bytes(entry, entry+1)
	switch c.kind {
	case parquet.ByteArray:
		return parquet.ByteArrayValue(b)
	case parquet.Int64:
		return parquet.Int64Value(int64(u64(b)))
	case parquet.Double:
		return parquet.DoubleValue(f64(b))
	case parquet.Int32:
		return parquet.Int32Value(int32(u32(b)))
	case parquet.Float:
		return parquet.FloatValue(f32(b))
	}
	return c.kind.Value(b)
}

// fetch loads the first byte of the entries of rows. Nothing waits for a byte, so the processor loads many at a time; what
// comes next finds them in the cache.
func (c *tableColumn) fetch(rows []uint32) (sum byte) {
	if c.repetition > 0 {
		for _, row := range rows {
			if lo, hi := c.span(row); lo < hi {
				sum += c.definitions[lo] + c.repetitions[lo]
			}
		}
	}
	for _, row := range rows {
		lo, hi := c.span(row)
		if b := c.bytes(lo, hi); len(b) > 0 {
			sum += b[0]
		}
		if c.definition > 0 && lo < hi {
			sum += c.definitions[lo]
		}
	}
	return sum
}

// appendValues appends the entries of rows to dst, as a column writer takes them: with levels if the column has them.
func (c *tableColumn) appendValues(dst []parquet.Value, column int, rows []uint32) []parquet.Value {
	c.fetch(rows)
	if c.definition == 0 {
		return c.appendRequired(dst, rows)
	}
	for _, row := range rows {
		lo, hi := c.span(row)
		for entry := lo; entry < hi; entry++ {
			repetition := 0
			if c.repetition > 0 {
				repetition = int(c.repetitions[entry])
			}
			dst = append(dst, c.value(entry).Level(repetition, int(c.definitions[entry]), column))
		}
	}
	return dst
}

// appendRequired is appendValues of a column without nulls.
func (c *tableColumn) appendRequired(dst []parquet.Value, rows []uint32) []parquet.Value {
	switch data := c.data; c.kind {
	case parquet.Int64:
		for _, row := range rows {
			dst = append(dst, parquet.Int64Value(int64(u64(data[8*int(row):]))))
		}
	case parquet.Double:
		for _, row := range rows {
			dst = append(dst, parquet.DoubleValue(f64(data[8*int(row):])))
		}
	case parquet.ByteArray:
		for _, row := range rows {
			dst = append(dst, parquet.ByteArrayValue(data[c.offsets[row]:c.offsets[row+1]]))
		}
	default:
		for _, row := range rows {
			dst = append(dst, c.value(int(row)))
		}
	}
	return dst
}

// encode appends rows to dst, column by column, as decode takes them.
func (t *table) encode(dst []byte, rows []uint32) []byte {
	for i := range t.columns {
		dst = t.columns[i].encode(dst, rows)
	}
	return dst
}

func (c *tableColumn) encode(dst []byte, rows []uint32) []byte {
	c.fetch(rows)
	if c.repetition > 0 {
		for _, row := range rows {
			lo, hi := c.span(row)
			dst = binary.AppendUvarint(dst, uint64(hi-lo))
		}
		for _, row := range rows {
			lo, hi := c.span(row)
			dst = append(dst, c.repetitions[lo:hi]...)
		}
	}
	if c.definition > 0 {
		for _, row := range rows {
			lo, hi := c.span(row)
			dst = append(dst, c.definitions[lo:hi]...)
		}
	}
	if c.width == 0 {
		for _, row := range rows {
			lo, hi := c.span(row)
			for entry := lo; entry < hi; entry++ {
				dst = binary.AppendUvarint(dst, uint64(c.offsets[entry+1]-c.offsets[entry]))
			}
		}
	}
	if c.width == 8 && c.repetition == 0 {
		for _, row := range rows {
			dst = append(dst, c.data[8*int(row):][:8]...)
		}
		return dst
	}
	for _, row := range rows {
		dst = append(dst, c.bytes(c.span(row))...)
	}
	return dst
}

// decode appends a number of rows as encode made them.
func (t *table) decode(src []byte, rows int) {
	for i := range t.columns {
		src = t.columns[i].decode(src, rows)
	}
	t.rows += rows
}

func (c *tableColumn) decode(src []byte, rows int) (rest []byte) {
	entries := rows
	if c.repetition > 0 {
		entries = 0
		at := c.starts[len(c.starts)-1]
		for range rows {
			var n int
			n, src = length(src)
			entries += n
			c.starts = append(c.starts, at+entries)
		}
		c.repetitions, src = append(c.repetitions, src[:entries]...), src[entries:]
	}
	if c.definition > 0 {
		c.definitions, src = append(c.definitions, src[:entries]...), src[entries:]
	}
	bytes := entries * c.width
	if c.width == 0 {
		at := c.offsets[len(c.offsets)-1]
		bytes = 0
		for range entries {
			var n int
			n, src = length(src)
			bytes += n
			c.offsets = append(c.offsets, at+int64(bytes))
		}
	}
	c.data = append(c.data, src[:bytes]...)
	return src[bytes:]
}

// addRows appends some rows of another table of the same schema.
func (t *table) addRows(from *table, lo, hi int) {
	for i := range t.columns {
		t.columns[i].addRows(&from.columns[i], lo, hi)
	}
	t.rows += hi - lo
}

func (c *tableColumn) addRows(from *tableColumn, lo, hi int) {
	if c.repetition > 0 {
		base := c.starts[len(c.starts)-1] - from.starts[lo]
		for _, start := range from.starts[lo+1 : hi+1] {
			c.starts = append(c.starts, base+start)
		}
		lo, hi = from.starts[lo], from.starts[hi]
		c.repetitions = append(c.repetitions, from.repetitions[lo:hi]...)
	}
	if c.definition > 0 {
		c.definitions = append(c.definitions, from.definitions[lo:hi]...)
	}
	if c.width == 0 {
		base := c.offsets[len(c.offsets)-1] - from.offsets[lo]
		for _, offset := range from.offsets[lo+1 : hi+1] {
			c.offsets = append(c.offsets, base+offset)
		}
	}
	c.data = append(c.data, from.bytes(lo, hi)...)
}

// cut drops all rows but the first ones.
func (t *table) cut(rows int) {
	for i := range t.columns {
		c := &t.columns[i]
		entries := rows
		if c.repetition > 0 {
			entries = c.starts[rows]
			c.starts = c.starts[:rows+1]
			c.repetitions = c.repetitions[:entries]
		}
		if c.definition > 0 {
			c.definitions = c.definitions[:entries]
		}
		c.data = c.data[:len(c.bytes(0, entries))]
		if c.width == 0 {
			c.offsets = c.offsets[:entries+1]
		}
	}
	t.rows = rows
}
