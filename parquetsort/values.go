package parquetsort

import (
	"encoding/binary"
	"iter"

	"github.com/parquet-go/parquet-go"
)

// valueStore makes rows of values whose memory is their own. Many share an allocation.
type valueStore struct {
	values []parquet.Value
	bytes  []byte
	row    parquet.Row
}

// Sizes of allocations.
const (
	storedValues = 1 << 12
	storedBytes  = 1 << 16
)

// deconstruct returns rows of the values in Go values, which are pointers.
func (s *valueStore) deconstruct(schema *parquet.Schema, pointers iter.Seq[any]) (rows []parquet.Row) {
	for p := range pointers {
		s.row = schema.Deconstruct(s.row[:0], p)
		rows = append(rows, s.copy(s.row))
	}
	clear(s.row[:cap(s.row)])
	return rows
}

// copies returns copies of rows.
func (s *valueStore) copies(rows []parquet.Row) []parquet.Row {
	own := make([]parquet.Row, len(rows))
	for i, row := range rows {
		own[i] = s.copy(row)
	}
	return own
}

// copy returns a copy of a row.
func (s *valueStore) copy(row parquet.Row) parquet.Row {
	if cap(s.values)-len(s.values) < len(row) {
		s.values = make([]parquet.Value, 0, max(storedValues, len(row)))
	}
	from := len(s.values)
	for _, v := range row {
		s.values = append(s.values, s.own(v))
	}
	return parquet.Row(s.values[from:len(s.values):len(s.values)])
}

// own returns a value that shares no memory with v.
func (s *valueStore) own(v parquet.Value) parquet.Value {
	if v.IsNull() {
		return v
	}
	switch v.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray, parquet.Int96:
		b := v.Bytes()
		if cap(s.bytes)-len(s.bytes) < len(b) {
			s.bytes = make([]byte, 0, max(storedBytes, len(b)))
		}
		from := len(s.bytes)
		s.bytes = append(s.bytes, b...)
		return v.Kind().Value(s.bytes[from:len(s.bytes):len(s.bytes)]).Level(v.RepetitionLevel(), v.DefinitionLevel(), v.Column())
	}
	return v
}

// rowCodec is the codec of rows of values.
type rowCodec struct{ values []parquet.Value }

// null is the kind of a null as encoded; others are kinds of package parquet.
const null = 0xff

func (c *rowCodec) Append(dst []byte, rows []parquet.Row) []byte {
	for _, row := range rows {
		dst = binary.AppendUvarint(dst, uint64(len(row)))
		for _, v := range row {
			dst = appendStored(dst, v)
		}
	}
	return dst
}

// appendStored appends a value: kind, levels, column, and its bytes after their length where that
// is not of the kind.
func appendStored(dst []byte, v parquet.Value) []byte {
	kind := byte(null)
	if !v.IsNull() {
		kind = byte(v.Kind())
	}
	dst = append(dst, kind, byte(v.RepetitionLevel()), byte(v.DefinitionLevel()))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(v.Column()))
	if kind == null {
		return dst
	}
	if width := storedWidth(v.Kind()); width < 0 {
		dst = binary.AppendUvarint(dst, uint64(len(v.Bytes())))
	}
	return v.AppendBytes(dst)
}

// storedWidth returns the bytes of a value of a kind, -1 if they vary.
func storedWidth(kind parquet.Kind) int {
	switch kind {
	case parquet.Boolean:
		return 1
	case parquet.Int32, parquet.Float:
		return 4
	case parquet.Int64, parquet.Double:
		return 8
	}
	return -1
}

func (c *rowCodec) Decode(src []byte, rows []parquet.Row) {
	for i := range rows {
		var n int
		n, src = length(src)
		if cap(c.values)-len(c.values) < n {
			c.values = make([]parquet.Value, 0, max(storedValues, n))
		}
		from := len(c.values)
		for range n {
			var v parquet.Value
			v, src = decodeStored(src)
			c.values = append(c.values, v)
		}
		rows[i] = c.values[from:len(c.values):len(c.values)]
	}
}

// decodeStored decodes a value, whose bytes stay in src.
func decodeStored(src []byte) (v parquet.Value, rest []byte) {
	kind, repetition, definition := src[0], int(src[1]), int(src[2])
	column := int(binary.LittleEndian.Uint16(src[3:]))
	if src = src[5:]; kind != null {
		n := storedWidth(parquet.Kind(kind))
		if n < 0 {
			n, src = length(src)
		}
		v = parquet.Kind(kind).Value(src[:n:n])
		src = src[n:]
	}
	return v.Level(repetition, definition, column), src
}

// Own has nothing to do: rows come from a valueStore.
func (c *rowCodec) Own([]parquet.Row) {}
