package arrowsort

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// extentsOf returns the offsets of parts of text or lists, from row 0 to the end. A part of nulls
// without offsets has zeros.
func extentsOf[O int32 | int64](parts []part) [][]O {
	all, width := make([][]O, len(parts)), int(unsafe.Sizeof(O(0)))
	for i, p := range parts {
		if p.rows > 0 {
			all[i] = castTo[O](p.octets(1, width, p.rows+1), p.rows+1)
		}
	}
	return all
}

// textBytes returns the text of parts.
func textBytes(parts []part) [][]byte {
	all := make([][]byte, len(parts))
	for i, p := range parts {
		if b := p.data.Buffers()[2]; b != nil {
			all[i] = b.Bytes()
		}
	}
	return all
}

// pickText returns rows of text with offsets of type O.
func pickText[O int32 | int64](c *call, typ arrow.DataType, parts []part, rows []position) (*array.Data, error) {
	from, text, valid := extentsOf[O](parts), textBytes(parts), bitsOfParts(parts, 0)
	offsets := c.newBuffer((len(rows) + 1) * int(unsafe.Sizeof(O(0))))
	ends, begins := castTo[O](offsets.Bytes(), len(rows)+1), scratch[O](c, len(rows))
	total, nulls, spans := int64(0), anyNulls(valid), inSpans(rows)
	ends[0] = 0
	for i, p := range rows {
		if !nulls || !isNull(valid, p) {
			at := from[p.chunk()][p.row():]
			begins[i] = at[0]
			total += int64(at[1] - at[0])
		}
		ends[i+1] = O(total)
	}
	if unsafe.Sizeof(O(0)) == 4 && total > c.mostText {
		return nil, errTooLong
	}
	values := c.newBuffer(int(total))
	if spans {
		copySpans(values.Bytes(), ends, begins, text, rows)
	} else {
		copyTexts(values.Bytes(), ends, begins, text, rows)
	}
	return c.made(typ, parts, rows, nil, offsets, values), nil
}

// copyTexts copies the text of each row: short ones as words, of which the last may overlap the next row, or
// the words before.
func copyTexts[O int32 | int64](dst []byte, ends, begins []O, text [][]byte, rows []position) {
	const words = 32
	for i, p := range rows {
		to, n := dst[ends[i]:], int(ends[i+1]-ends[i])
		if n == 0 {
			continue
		}
		from := text[p.chunk()][begins[i]:]
		switch {
		case n <= words && len(to) >= words && len(from) >= words:
			*(*[words]byte)(to) = [words]byte(from)
		case n > words && n <= 2*words:
			*(*[words]byte)(to) = [words]byte(from)
			*(*[words]byte)(to[n-words:]) = [words]byte(from[n-words:])
		default:
			copy(to[:n], from)
		}
	}
}

// copySpans copies the text of spans of rows: at once where that of one follows that of the other.
// Nulls may have text, which is left out.
func copySpans[O int32 | int64](dst []byte, ends, begins []O, text [][]byte, rows []position) {
	for i := 0; i < len(rows); {
		for end := spanFrom(rows, i); i < end; {
			next := i + 1
			for next < end && begins[next] == begins[next-1]+ends[next]-ends[next-1] {
				next++
			}
			if n := ends[next] - ends[i]; n > 0 {
				copy(dst[ends[i]:ends[next]], text[rows[i].chunk()][begins[i]:begins[i]+n])
			}
			i = next
		}
	}
}

// pickViews returns rows of views into one buffer of the text that views do not hold.
func (c *call) pickViews(typ arrow.DataType, parts []part, rows []position) (*array.Data, error) {
	from, valid := valuesOf[arrow.ViewHeader](parts, 1), bitsOfParts(parts, 0)
	buffer := c.newBuffer(len(rows) * arrow.ViewHeaderSizeBytes)
	views := castTo[arrow.ViewHeader](buffer.Bytes(), len(rows))
	total := int64(0)
	for i, p := range rows {
		views[i] = arrow.ViewHeader{}
		if !isNull(valid, p) {
			views[i] = from[p.chunk()][p.row()]
		}
		if !views[i].IsInline() {
			total += int64(views[i].Len())
		}
	}
	if total > c.mostText {
		return nil, errTooLong
	}
	if total == 0 {
		return c.made(typ, parts, rows, nil, buffer), nil
	}
	values := c.newBuffer(int(total))
	dst, at := values.Bytes(), 0
	for i, p := range rows {
		v := &views[i]
		if v.IsInline() {
			continue
		}
		text := parts[p.chunk()].data.Buffers()[2+v.BufferIndex()].Bytes()[v.BufferOffset():]
		v.SetIndexOffset(0, int32(at))
		at += copy(dst[at:at+v.Len()], text)
	}
	return c.made(typ, parts, rows, nil, buffer, values), nil
}
