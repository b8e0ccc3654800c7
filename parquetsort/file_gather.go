package parquetsort

import (
	"encoding/binary"
	"slices"
)

// chunkRows are the rows of a chunk in order.
type chunkRows struct {
	rows        int
	begins      []int  // the first level of each row, and the end; empty without lists
	definitions []byte // empty if the column has one level only
	repetitions []byte // empty without lists
	levels      int
	count       int      // values that are no nulls
	numbers     []uint32 // of a dictionary; nil if values are there
	values      values
}

// gatherer puts the records of a partition in order. Its memory is used for one partition after the other.
type gatherer struct {
	loaded  []byte
	ordered []byte // records of one width
	starts  []int  // of records of varying length, in order
	records []byte
	rows    chunkRows
	own     values // memory of rows.values
	numbers []uint32
}

// order puts the records of a partition in order.
func (g *gatherer) order(m *mover, part int) (err error) {
	if g.records, g.loaded, err = m.load(part, g.loaded); err != nil {
		return err
	}
	lo, hi := m.s.layout.partRows(part)
	places := m.s.layout.places[lo:hi]
	if m.stride > 0 {
		g.ordered = grown(g.ordered, len(places)*m.stride)
		placeRecords(g.ordered, g.records, places, m.stride)
		return nil
	}
	g.starts = slices.Grow(g.starts[:0], len(places))[:len(places)]
	at := 0
	for _, p := range places {
		g.starts[p] = at
		at += 4 + int(binary.NativeEndian.Uint32(g.records[at:]))
	}
	return nil
}

// placeRecords copies records of one width to their places.
func placeRecords(dst, records []byte, places []uint32, stride int) {
	switch stride {
	case 4:
		for i, p := range places {
			copy(dst[int(p)*4:int(p)*4+4], records[i*4:i*4+4])
		}
	case 8:
		for i, p := range places {
			copy(dst[int(p)*8:int(p)*8+8], records[i*8:i*8+8])
		}
	case 9:
		for i, p := range places {
			copy(dst[int(p)*9:int(p)*9+9], records[i*9:i*9+9])
		}
	default:
		for i, p := range places {
			copy(dst[int(p)*stride:(int(p)+1)*stride], records[i*stride:])
		}
	}
}

// take returns some rows of the partition. They are valid until the next call.
func (g *gatherer) take(m *mover, from, to int) (*chunkRows, error) {
	r := &g.rows
	*r = chunkRows{rows: to - from, begins: r.begins[:0], definitions: r.definitions[:0], repetitions: r.repetitions[:0]}
	g.own.reset()
	g.numbers = g.numbers[:0]
	switch {
	case m.c.nested():
		if err := g.takeLists(m, from, to); err != nil {
			return nil, err
		}
	case m.numbers != nil:
		g.takeNumbers(m, from, to)
	case m.stride == 0:
		if err := g.takeBytes(m, from, to); err != nil {
			return nil, err
		}
	default:
		g.takeFixed(m, from, to)
	}
	return r, nil
}

func (g *gatherer) takeNumbers(m *mover, from, to int) {
	r := &g.rows
	r.levels = r.rows
	for row := from; row < to; row++ {
		number := binary.NativeEndian.Uint32(g.ordered[row*4:])
		if m.c.definition > 0 {
			if d := nullNumber - number; d < uint32(m.c.definition) {
				r.definitions = append(r.definitions, byte(d))
				continue
			}
			r.definitions = append(r.definitions, m.c.definition)
		}
		g.numbers = append(g.numbers, number)
	}
	r.numbers, r.count = g.numbers, len(g.numbers)
}

func (g *gatherer) takeFixed(m *mover, from, to int) {
	r := &g.rows
	r.levels = r.rows
	if m.c.definition == 0 {
		r.values.data, r.count = g.ordered[from*m.stride:to*m.stride], r.rows
		return
	}
	w := m.c.width
	g.own.data = grown(g.own.data, r.rows*w)
	at := 0
	for row := from; row < to; row++ {
		record := g.ordered[row*m.stride : (row+1)*m.stride]
		r.definitions = append(r.definitions, record[0])
		if record[0] != m.c.definition {
			continue
		}
		if w == 8 {
			copy(g.own.data[at:at+8], record[1:9])
		} else {
			copy(g.own.data[at:], record[1:])
		}
		at += w
	}
	r.values.data, r.count = g.own.data[:at], at/w
}

// mostChunk bounds the bytes of the values of a chunk, as offsets have 32 bits.
const mostChunk int64 = 1<<32 - 1

func (g *gatherer) takeBytes(m *mover, from, to int) error {
	r := &g.rows
	r.levels = r.rows
	for row := from; row < to; row++ {
		record := g.record(row)
		if m.c.definition > 0 {
			r.definitions = append(r.definitions, record[0])
			if record[0] != m.c.definition {
				continue
			}
			record = record[1:]
		}
		if int64(len(g.own.data)+len(record)) > mostChunk {
			return errLongChunk
		}
		g.own.add(m.c, record)
		r.count++
	}
	r.values = g.own
	return nil
}

// record returns a record of varying length, without the length.
func (g *gatherer) record(row int) []byte {
	at := g.starts[row]
	n := int(binary.NativeEndian.Uint32(g.records[at:]))
	return g.records[at+4 : at+4+n]
}

func (g *gatherer) takeLists(m *mover, from, to int) error {
	r := &g.rows
	for row := from; row < to; row++ {
		record := g.record(row)
		levels := int(binary.NativeEndian.Uint32(record))
		r.begins = append(r.begins, len(r.repetitions))
		r.repetitions = append(r.repetitions, record[4:4+levels]...)
		definitions := record[4+levels : 4+2*levels]
		r.definitions = append(r.definitions, definitions...)
		if err := g.takeElements(m, definitions, record[4+2*levels:]); err != nil {
			return err
		}
	}
	r.begins = append(r.begins, len(r.repetitions))
	r.levels = len(r.repetitions)
	if m.numbers != nil {
		r.numbers, r.count = g.numbers, len(g.numbers)
	} else {
		r.values = g.own
	}
	return nil
}

// takeElements takes the values of a row with lists.
func (g *gatherer) takeElements(m *mover, definitions, encoded []byte) error {
	for _, d := range definitions {
		if d != m.c.definition {
			continue
		}
		if m.numbers != nil {
			g.numbers = append(g.numbers, binary.NativeEndian.Uint32(encoded))
			encoded = encoded[4:]
			continue
		}
		n := m.c.width
		if n == 0 {
			n = int(binary.NativeEndian.Uint32(encoded))
			encoded = encoded[4:]
		}
		if int64(len(g.own.data)+n) > mostChunk {
			return errLongChunk
		}
		g.own.add(m.c, encoded[:n])
		encoded = encoded[n:]
		g.rows.count++
	}
	return nil
}
