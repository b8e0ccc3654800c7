package parquetsort

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
)

// mover moves one column of the sources to the partitions of the result, as records of rows in the order in which they
// come. A record is
//
//   - of a column without lists whose values have one width: the definition level, where there are two, and the
//     value. Of columns whose pages all have a dictionary it is the number of the value, from the
//     top down the definition level of a null;
//   - else its length in 4 bytes, and of a column without lists the same as above;
//   - of a column with lists: the number of levels in 4 bytes, repetition levels, definition levels, and the values,
//     each after its length in 4 bytes where that varies, or the numbers of values.
type mover struct {
	s       *fileSort
	c       *column
	numbers *translation // nil: values are moved
	stride  int          // of records; 0: they begin with their length
	room    int          // bytes that records may take in memory
	memory  []byte       // of records of one width, a slot for each partition
	next    []int        // in memory: where the next record of each partition goes
	ends    []int        // of slots
	tails   []tail       // records of varying length of each partition
	blocks  *blocks
	spilled [][]extent // of each partition, in order
	file    *tempFile  // nil until something is spilled
	spaced  []byte     // records of a page
	row     nestedRow
	rows    int // that have come
}

// extent is records of a partition in a file.
type extent struct {
	at   int64
	size int
	sum  uint32
}

// newMover returns a mover that has room bytes of memory for records.
func newMover(s *fileSort, c *column, numbers bool, room int, memory *moverMemory) *mover {
	m := &mover{s: s, c: c, room: room, spilled: make([][]extent, s.layout.partCount())}
	switch {
	case numbers:
		m.numbers, m.stride = &translation{to: newDictionary(c)}, 4
	case c.width > 0 && c.definition > 0:
		m.stride = c.width + 1
	default:
		m.stride = c.width
	}
	if c.nested() {
		m.stride = 0
	}
	if m.stride > 0 {
		m.makeSlots(memory)
	} else {
		m.tails, m.blocks = make([]tail, s.layout.partCount()), memory.blocksOf(room, s.layout.partCount())
	}
	return m
}

// makeSlots gives each partition memory for all of its records, or an equal part of the room.
func (m *mover) makeSlots(memory *moverMemory) {
	l := m.s.layout
	m.next, m.ends = make([]int, l.partCount()), make([]int, l.partCount())
	if l.rows*m.stride <= m.room {
		m.memory = memory.slots(l.rows * m.stride)
		for p := range m.next {
			lo, hi := l.partRows(p)
			m.next[p], m.ends[p] = lo*m.stride, hi*m.stride
		}
		return
	}
	slot := max(m.room/l.partCount()/m.stride, 1) * m.stride
	m.memory = memory.slots(slot * l.partCount())
	for p := range m.next {
		m.next[p], m.ends[p] = p*slot, (p+1)*slot
	}
}

// grown returns n bytes, in the memory of b if that suffices.
func grown(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// distribute reads the column and moves it to its partitions.
func (m *mover) distribute() error {
	err := m.c.eachPage(m.s.ctx, m.page)
	if err == nil && m.c.nested() {
		err = m.endRow()
	}
	if err == nil && m.file != nil {
		err = m.spillAll()
	}
	return err
}

// page moves the rows of a page.
func (m *mover) page(p *page) error {
	var numbers []uint32
	if m.numbers != nil {
		if p.dictionary == nil {
			return errManyValues{}
		}
		var err error
		numbers, err = m.numbers.numbers(p, m.s.options.dictionaryValues(m.s.rows), m.s.options.dictionaryBytes())
		if err != nil {
			return err
		}
	}
	switch {
	case m.c.nested():
		return m.pageOfLists(p, numbers)
	case m.stride == 0:
		return m.pageOfBytes(p)
	}
	parts := m.s.layout.partOf[m.rows : m.rows+p.levels]
	m.rows += p.levels
	return m.scatter(parts, m.records(p, numbers))
}

// records returns the records of a page, all of one width.
func (m *mover) records(p *page, numbers []uint32) []byte {
	switch {
	case m.numbers != nil:
		return m.numberRecords(p, numbers)
	case m.c.definition == 0 && p.dictionary == nil:
		return p.values.data
	}
	data := p.values.data
	if p.dictionary != nil {
		data = p.dictionary.data
	}
	m.spaced = grown(m.spaced, p.levels*m.stride)
	w, i := m.c.width, 0
	for row := range p.levels {
		record := m.spaced[row*m.stride : (row+1)*m.stride]
		if m.c.definition > 0 {
			record[0] = p.definitions[row]
			record = record[1:]
			if p.definitions[row] != m.c.definition {
				clear(record)
				continue
			}
		}
		from := i * w
		if p.dictionary != nil {
			from = int(p.ids[i]) * w
		}
		i++
		switch w { // copy of a known length is a load and a store
		case 8:
			copy(record[:8], data[from:from+8])
		case 4:
			copy(record[:4], data[from:from+4])
		default:
			copy(record, data[from:from+w])
		}
	}
	return m.spaced
}

// nullNumber is the number of a null of definition level 0; greater levels have lower ones.
const nullNumber = math.MaxUint32

// numberRecords returns the numbers of the values of a page.
func (m *mover) numberRecords(p *page, numbers []uint32) []byte {
	m.spaced = grown(m.spaced, p.levels*4)
	if m.c.definition == 0 {
		for row, id := range p.ids {
			binary.NativeEndian.PutUint32(m.spaced[row*4:], numbers[id])
		}
		return m.spaced
	}
	i := 0
	for row, d := range p.definitions {
		number := nullNumber - uint32(d)
		if d == m.c.definition {
			number = numbers[p.ids[i]]
			i++
		}
		binary.NativeEndian.PutUint32(m.spaced[row*4:], number)
	}
	return m.spaced
}

// scatter moves records of one width to their partitions.
func (m *mover) scatter(parts []uint16, records []byte) error {
	next, ends, memory, stride := m.next, m.ends, m.memory, m.stride
	for i, p := range parts {
		if p == dropped {
			continue
		}
		at := next[p]
		if at == ends[p] {
			if err := m.spill(int(p)); err != nil {
				return err
			}
			at = next[p]
		}
		switch stride {
		case 4:
			copy(memory[at:at+4], records[i*4:i*4+4])
		case 8:
			copy(memory[at:at+8], records[i*8:i*8+8])
		case 9:
			copy(memory[at:at+9], records[i*9:i*9+9])
		default:
			copy(memory[at:at+stride], records[i*stride:])
		}
		next[p] = at + stride
	}
	return nil
}

// pageOfBytes moves byte arrays.
func (m *mover) pageOfBytes(p *page) error {
	parts := m.s.layout.partOf[m.rows : m.rows+p.levels]
	m.rows += p.levels
	i, levels, scratch := 0, min(len(p.definitions), 1), [5]byte{}
	for row, part := range parts {
		var v []byte
		if !p.isNull(m.c, row) {
			v = p.value(m.c, i)
			i++
		}
		if part == dropped {
			continue
		}
		if t := &m.tails[part]; t.free > 5+len(v) {
			at := t.blocks[len(t.blocks)-1]
			at = at[len(at)-t.free:]
			binary.NativeEndian.PutUint32(at, uint32(len(v)+levels))
			if levels > 0 {
				at[4] = p.definitions[row]
			}
			t.free -= 4 + levels + copy(at[4+levels:], v)
			continue
		}
		header := binary.NativeEndian.AppendUint32(scratch[:0], uint32(len(v)+levels))
		if levels > 0 {
			header = append(header, p.definitions[row])
		}
		if err := m.append(int(part), header, v); err != nil {
			return err
		}
	}
	return nil
}

// nestedRow is a row with lists, as far as it has come.
type nestedRow struct {
	repetitions, definitions, values []byte
	begun                            bool
}

// pageOfLists moves rows with lists, which may begin in a page and end in another.
func (m *mover) pageOfLists(p *page, numbers []uint32) error {
	i := 0
	for level, r := range p.repetitions {
		if r == 0 {
			if err := m.endRow(); err != nil {
				return err
			}
			m.row.begun = true
		}
		d := p.definitions[level] // a list has two levels at least
		m.row.repetitions, m.row.definitions = append(m.row.repetitions, r), append(m.row.definitions, d)
		if d != m.c.definition {
			continue
		}
		switch v := &m.row.values; {
		case numbers != nil:
			*v = binary.NativeEndian.AppendUint32(*v, numbers[p.ids[i]])
		case m.c.width > 0:
			*v = append(*v, p.value(m.c, i)...)
		default:
			x := p.value(m.c, i)
			*v = append(binary.NativeEndian.AppendUint32(*v, uint32(len(x))), x...)
		}
		i++
	}
	return nil
}

// errLongRow reports a row that no chunk can have.
var errLongRow = errors.New("a row of more than 2 GiB in a column")

// endRow moves the row that has come.
func (m *mover) endRow() error {
	row := &m.row
	if !row.begun {
		return nil
	}
	part := m.s.layout.partOf[m.rows]
	m.rows++
	if n := 4 + 2*len(row.repetitions) + len(row.values); part != dropped {
		if n > math.MaxInt32 {
			return errLongRow
		}
		header := binary.NativeEndian.AppendUint32(nil, uint32(n))
		header = binary.NativeEndian.AppendUint32(header, uint32(len(row.repetitions)))
		if err := m.append(int(part), header, row.repetitions, row.definitions, row.values); err != nil {
			return err
		}
	}
	row.repetitions, row.definitions, row.values, row.begun = row.repetitions[:0], row.definitions[:0], row.values[:0], false
	return nil
}

// append appends the parts of a record.
func (m *mover) append(p int, parts ...[]byte) error {
	t := &m.tails[p]
	for _, part := range parts {
		for len(part) > 0 {
			if t.free == 0 {
				block := m.blocks.take()
				if block == nil {
					if err := m.spillAll(); err != nil {
						return err
					}
					block = m.blocks.take()
				}
				t.blocks, t.free = append(t.blocks, block), len(block)
			}
			block := t.blocks[len(t.blocks)-1]
			n := copy(block[len(block)-t.free:], part)
			part, t.free = part[n:], t.free-n
		}
	}
	return nil
}

// spillAll writes all records that are in memory.
func (m *mover) spillAll() error {
	for p := range m.spilled {
		if err := m.spill(p); err != nil {
			return err
		}
	}
	return nil
}

// spill writes the records of a partition that are in memory.
func (m *mover) spill(p int) error {
	if m.stride > 0 {
		records := m.memory[m.begin(p):m.next[p]]
		m.next[p] = m.begin(p)
		return m.write(p, records)
	}
	for i := range m.tails[p].blocks {
		if err := m.write(p, m.tails[p].filled(i)); err != nil {
			return err
		}
	}
	m.blocks.giveBack(&m.tails[p])
	return nil
}

// write writes records of a partition.
func (m *mover) write(p int, records []byte) (err error) {
	if len(records) == 0 {
		return nil
	}
	if m.file == nil {
		if m.file, err = newTemp(m.s.options.disk, m.s.store.dir); err != nil {
			return err
		}
	}
	at, err := m.file.write(records)
	if err != nil {
		return err
	}
	m.s.store.spilled.Add(int64(len(records)))
	m.spilled[p] = append(m.spilled[p], extent{at, len(records), crc32.Checksum(records, castagnoli)})
	return nil
}

// begin returns where the slot of a partition begins.
func (m *mover) begin(p int) int {
	if p == 0 {
		return 0
	}
	return m.ends[p-1]
}

// load returns the records of a partition, in memory that may be that of buf.
func (m *mover) load(p int, buf []byte) (records, memory []byte, err error) {
	if m.file == nil && m.stride > 0 {
		return m.memory[m.begin(p):m.next[p]], buf, nil
	}
	if m.file == nil {
		buf = buf[:0]
		for i := range m.tails[p].blocks {
			buf = append(buf, m.tails[p].filled(i)...)
		}
		m.blocks.giveBack(&m.tails[p])
		return buf, buf, nil
	}
	size := 0
	for _, e := range m.spilled[p] {
		size += e.size
	}
	buf = grown(buf, size)
	rest := buf
	for _, e := range m.spilled[p] {
		if err := m.file.read(rest[:e.size], e.at); err != nil {
			return nil, buf, err
		}
		if crc32.Checksum(rest[:e.size], castagnoli) != e.sum {
			return nil, buf, errDamagedFile
		}
		rest = rest[e.size:]
	}
	return buf, buf, nil
}

// errDamagedFile reports values that differ from those written.
var errDamagedFile = errors.New("a temporary file does not hold what was written to it")

// close gives the file and the memory back.
func (m *mover) close() {
	for p := range m.tails {
		m.blocks.giveBack(&m.tails[p])
	}
	if m.file != nil {
		m.file.close()
	}
}
