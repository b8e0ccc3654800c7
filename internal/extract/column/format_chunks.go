package column

import (
	"net/netip"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// Concat returns the format of the rows of all parts, one part after the other; ok is false if their
// keys differ in kind.
func Concat(parts []Format) (all Format, ok bool) {
	var some []Format // that have rows
	for _, part := range parts {
		if part.Kind() != parts[0].Kind() || widthOf(part) != widthOf(parts[0]) {
			return nil, false
		}
		switch part := part.(type) {
		case *chunks:
			some = append(some, part.parts...)
		case *textChunks:
			some = append(some, part.parts...)
		default:
			if part.Len() > 0 {
				some = append(some, part)
			}
		}
	}
	switch {
	case len(some) == 1:
		return some[0], true
	case len(some) == 0:
		return parts[0], true
	}
	c := newChunks(some)
	if c.Kind() != sortkey.String {
		return &c, true
	}
	t := &textChunks{chunks: c}
	for _, part := range some {
		t.texts = append(t.texts, part.(TextFormat))
	}
	return t, true
}

// widthOf returns the bytes of keys that are read as numbers, otherwise 0.
func widthOf(l Format) int {
	switch l := l.(type) {
	case *octets:
		return l.width
	case *chunks:
		return widthOf(l.parts[0])
	}
	return 0
}

// chunks is the format of keys of fixed size that lie in several parts, which all have rows.
//
// A row is found by a table of the first part of each block of rows: it is there or in one of the
// next. Blocks have a sixteenth to an eighth of the average length of a part, so a part is seldom
// passed, which branch predictors learn. The table takes 32 to 64 bytes per part.
type chunks struct {
	parts   []Format
	spans   []span  // by part
	first   []int32 // by block
	shift   uint    // of a row to its block
	inSlice bool    // all parts are slices
}

// span is the rows of a part.
type span struct {
	lo, hi int
	keys   unsafe.Pointer // if the part is a slice
}

// blocksOfPart is the least number of blocks of an average part.
const blocksOfPart = 8

func newChunks(parts []Format) chunks {
	c := chunks{parts: parts, inSlice: true}
	rows := 0
	for _, part := range parts {
		s := span{lo: rows, hi: rows + part.Len()}
		if in, ok := part.(*inSlice); ok {
			s.keys = in.keys.Data()
		} else {
			c.inSlice = false
		}
		c.spans, rows = append(c.spans, s), s.hi
	}
	for rows>>(c.shift+1) >= len(parts)*blocksOfPart {
		c.shift++
	}
	for i, s := range c.spans {
		for len(c.first)<<c.shift < s.hi {
			c.first = append(c.first, int32(i))
		}
	}
	return c
}

// of returns the part of a row and its number there.
func (c *chunks) of(row int) (part, i int) {
	part = int(c.first[uint(row)>>c.shift])
	for row >= c.spans[part].hi {
		part++
	}
	return part, row - c.spans[part].lo
}

func (c *chunks) Kind() sortkey.Kind { return c.parts[0].Kind() }

func (c *chunks) Len() int { return c.spans[len(c.spans)-1].hi }

func (c *chunks) overlaps(m stream.Raw) bool {
	return slices.ContainsFunc(c.parts, func(part Format) bool { return part.overlaps(m) })
}

func (c *chunks) Read(buf unsafe.Pointer, lo, n int) unsafe.Pointer {
	part, from := c.of(lo)
	if from+n <= c.parts[part].Len() {
		return c.parts[part].Read(buf, from, n)
	}
	size := c.Kind().Size()
	for to := buf; n > 0; part, from = part+1, 0 {
		some := min(n, c.parts[part].Len()-from)
		if keys := c.parts[part].Read(to, from, some); keys != to {
			copyKeys(c.Kind(), to, keys, some)
		}
		to = unsafe.Add(to, uintptr(some)*size)
		n -= some
	}
	return buf
}

// copyKeys copies n keys, those with pointers by their type.
func copyKeys(k sortkey.Kind, to, from unsafe.Pointer, n int) {
	switch k {
	case sortkey.String:
		copy(sortkey.At[string](to, n), sortkey.At[string](from, n))
	case sortkey.Time:
		copy(sortkey.At[time.Time](to, n), sortkey.At[time.Time](from, n))
	case sortkey.Addr:
		copy(sortkey.At[netip.Addr](to, n), sortkey.At[netip.Addr](from, n))
	default:
		bytes := n * int(k.Size())
		copy(sortkey.At[byte](to, bytes), sortkey.At[byte](from, bytes))
	}
}

func (c *chunks) Gather(buf unsafe.Pointer, rows []uint32) { gatherChunks(c, buf, rows) }

func (c *chunks) GatherInts(buf unsafe.Pointer, rows []int) { gatherChunks(c, buf, rows) }

func gatherChunks[I rowNumber](c *chunks, buf unsafe.Pointer, rows []I) {
	kind := c.Kind()
	size := kind.Size()
	if c.inSlice {
		switch {
		case kind == sortkey.Bytes16:
			gatherSlices[[16]byte](c, buf, rows)
			return
		case kind == sortkey.Integer128, kind == sortkey.Unsigned128:
			gatherSlices[[2]uint64](c, buf, rows)
			return
		case kind >= sortkey.Floats2, kind.IsArray(): // one by one
		case size == 1:
			gatherSlices[uint8](c, buf, rows)
			return
		case size == 2:
			gatherSlices[uint16](c, buf, rows)
			return
		case size == 4:
			gatherSlices[uint32](c, buf, rows)
			return
		default:
			gatherSlices[uint64](c, buf, rows)
			return
		}
	}
	for i, row := range rows {
		part, at := c.of(int(row))
		one := [1]int{at}
		c.parts[part].GatherInts(unsafe.Add(buf, uintptr(i)*size), hiddenRows(one[:]))
		runtime.KeepAlive(&one)
	}
}

// gatherSlices is gather of keys of type T that lie in slices. It finds the addresses of some keys
// before it reads these: more reads of memory overlap then.
//
// Sound: a part has as many rows as end before the next, and of returns one of them.
func gatherSlices[T any, I rowNumber](c *chunks, buf unsafe.Pointer, rows []I) {
	keys := sortkey.At[T](buf, len(rows))
	var at [32]unsafe.Pointer
	for len(rows) > 0 {
		n := min(len(rows), len(at))
		for i, row := range rows[:n] {
			part := c.first[uint(row)>>c.shift]
			for int(row) >= c.spans[part].hi {
				part++
			}
			s := &c.spans[part]
			at[i%len(at)] = unsafe.Add(s.keys, uintptr(int(row)-s.lo)*unsafe.Sizeof(keys[0]))
		}
		for i := range keys[:n] {
			keys[i] = *(*T)(at[i%len(at)])
		}
		keys, rows = keys[n:], rows[n:]
	}
}

// textChunks is [chunks] of texts.
type textChunks struct {
	chunks
	texts []TextFormat
}

func (t *textChunks) Text(row int) string {
	part, i := t.of(row)
	return t.texts[part].Text(i)
}

func (t *textChunks) Gather(buf unsafe.Pointer, rows []uint32) { gatherTextChunks(t, buf, rows) }

func (t *textChunks) GatherInts(buf unsafe.Pointer, rows []int) { gatherTextChunks(t, buf, rows) }

func gatherTextChunks[I rowNumber](t *textChunks, buf unsafe.Pointer, rows []I) {
	keys := sortkey.At[string](buf, len(rows))
	for i, row := range rows {
		keys[i] = t.Text(int(row))
	}
}
