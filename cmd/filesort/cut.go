package main

import (
	"encoding/binary"
	"slices"

	"example.com/sorter"
)

// diskForm is how lines go to disk: as they are, or after their keys, if these are copies, which would take
// memory that nobody counts. Those that are combined begin with their count.
type diskForm struct {
	order   sorter.Ordering[string]
	keys    func(dst []byte, line string) []byte // appends those of the next line; nil: lines go without
	counted bool
	tying
}

func (cmd *command) onDisk() *diskForm {
	o := &cmd.order
	f := &diskForm{counted: cmd.combines()}
	if cmd.shuffle {
		n := int64(-1)
		f.order, f.keys = orderPacked, func(dst []byte, _ string) []byte {
			n++
			return shuffled(dst, cmd.seed, 0, n)
		}
		return f
	}
	switch {
	case o.copies() > 0 && o.last:
		f.order, f.keys = sorter.By(append(slices.Clip(packedColumns), directed(f.line, o.desc))...), o.appendKeys
	case o.copies() > 0:
		f.order, f.keys = orderPacked, o.appendKeys
	case f.counted:
		f.order = orderLines(*o, f.line)
	default:
		f.order = orderLines(*o, func(s string) string { return s })
	}
	f.tying = tying{func(a, b string) bool { return f.order.Compare(a, b) == 0 }, f.hashing(o), f.countedLine}
	return f
}

// hashing returns a hash of elements that is the same of those that tie.
func (f *diskForm) hashing(o *lineOrder) func(e string) uint64 {
	switch {
	case o.last: // lines that tie are the same
		return hashOf(f.line)
	case f.keys != nil:
		return hashOf(keyOf)
	}
	var key []byte
	return hashOf(func(e string) string {
		key = o.appendKeys(key[:0], f.line(e))
		return stringOf(key)
	})
}

// countedLine returns the line of an element, after the count if it has one.
func (f *diskForm) countedLine(e string) string {
	if f.keys == nil {
		return e
	}
	return rowOf(e)
}

// line returns the line of an element.
func (f *diskForm) line(e string) string {
	line := f.countedLine(e)
	if f.counted {
		_, line = cutCount(line)
	}
	return line
}

// cutChunk is a part of a chunk and its lines.
type cutChunk struct {
	memory []byte // of the chunk, unless that has a line which is longer; nil: other parts follow
	text   []byte
	bytes  int64 // of the budget
	cutLines
}

// cutLines are lines as they go to disk.
type cutLines struct {
	lines  []string
	packed []byte // lines after their keys and counts
	ends   []int  // of these
}

// cutPart bounds the bytes of parts of several lines: of short lines, the references take 16 times as many.
const cutPart = 128 << 10

// part returns the length of the part that text begins with.
func (s shape) part(text []byte) int {
	switch {
	case len(text) <= cutPart:
		return len(text)
	case s.whole(text[:cutPart]) > 0:
		return s.whole(text[:cutPart])
	}
	return min(s.length(text)+1-min(s.record, 1), len(text))
}

// cut sets l to the lines of a part, in its memory. Parts come in order, one at a time.
func (f *diskForm) cut(l *cutLines, s shape, text []byte) {
	l.lines = slices.Grow(l.lines[:0], s.ends(text, 0, len(text)))
	if f.keys == nil && !f.counted {
		l.lines = slices.AppendSeq(l.lines, s.lines(text))
		return
	}
	var length [binary.MaxVarintLen64]byte
	l.packed, l.ends = slices.Grow(l.packed[:0], 2*len(text)), l.ends[:0]
	for line := range s.lines(text) {
		if f.keys != nil {
			at := len(l.packed)
			l.packed = f.keys(l.packed, line)
			n := binary.PutUvarint(length[:], uint64(len(l.packed)-at))
			l.packed = slices.Insert(l.packed, at, length[:n]...)
		}
		if f.counted {
			l.packed = append(l.packed, 1)
		}
		l.packed = append(l.packed, line...)
		l.ends = append(l.ends, len(l.packed))
	}
	from := 0
	for _, end := range l.ends {
		l.lines = append(l.lines, stringOf(l.packed[from:end]))
		from = end
	}
}

// appendAll appends the lines of st, then those of in. Chunks are read, some of which wait, cut
// into lines, and appended at the same time.
func (cmd *command) appendAll(s *combiner, f *diskForm, st *store, in *chunks, waiting int) error {
	copies := cmd.order.copies()
	if f.counted {
		copies++
	}
	old := st.chunks
	*st = store{}
	free, freeLines := make(chan []byte, waiting+busyChunks), make(chan cutLines, cutChunks)
	for _, memory := range pastBuffersOf(cap(free), in.size+pageSize) {
		free <- memory
	}
	memory := newBudget(int64(cap(free) * in.size))
	next, end := ahead(waiting, func() (c cutChunk, more bool, err error) {
		if len(old) > 0 {
			c.memory, c.text, old[0] = old[0], old[0], nil
			old = old[1:]
			return c, true, nil
		}
		c.memory = receive(free)
		if c.memory == nil {
			c.memory = make([]byte, in.size+pageSize)
		}
		if c.text, err = in.next(c.memory); cap(c.text) > cap(c.memory) { // a long line
			c.bytes = int64(cap(c.text)) * (1 + copies)
			memory.take(c.bytes)
		}
		return c, c.text != nil, err
	})
	defer end()
	defer memory.end()
	cut := func(c cutChunk) (cutChunk, error) {
		c.cutLines = receive(freeLines)
		f.cut(&c.cutLines, cmd.shape, c.text)
		return c, nil
	}
	err := pipeline(1, cmd.shape.parts(next), cut, func(c cutChunk) error {
		err := s.Append(c.lines...)
		if err != nil {
			memory.end() // the reader may wait for memory
		}
		if c.memory != nil {
			memory.give(c.bytes)
			offer(free, c.memory)
		}
		if len(c.packed) <= packedShare*cutPart { // none of them is long
			offer(freeLines, c.cutLines)
		}
		return err
	})
	if err != nil {
		return err
	}
	return s.Flush()
}

// parts returns the parts of the chunks that next returns.
func (s shape) parts(next func() (cutChunk, bool, error)) func() (cutChunk, bool, error) {
	var rest cutChunk
	return func() (c cutChunk, more bool, err error) {
		if len(rest.text) == 0 {
			if rest, more, err = next(); !more || err != nil {
				return c, more, err
			}
		}
		c = rest
		n := s.part(rest.text)
		if rest.text = rest.text[n:]; len(rest.text) > 0 {
			c.text, c.memory = c.text[:n], nil
		}
		return c, true, nil
	}
}
