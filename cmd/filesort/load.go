package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"math/bits"
	"sync/atomic"

	"example.com/sorter"
)

// loading is a store that is being filled. Lines are counted before they take memory: of short ones it is
// many times that of the text.
type loading struct {
	*store
	cmd    *command
	pieces []piece
	lines  atomic.Int64 // of the pieces, those of a file that is being read included
	wide   atomic.Int64 // bytes beyond ASCII in them, if keys in a locale have copies of these
	full   bool         // a chunk was given back
}

// piece is bytes [lo, hi) of a chunk, and the lines that end in them.
type piece struct {
	text   []byte // the chunk
	base   uint64 // its offset
	lo, hi int
	lines  int
	wide   int64
}

// loadChunk returns the size of chunks that are read into a store.
func loadChunk(memory int64) int { return max(int(min(slotSize, memory/16)), leastChunk) }

// fits reports whether the lines so far can be sorted in memory.
func (l *loading) fits() bool { return !l.full && l.need(0) <= l.cmd.memory }

// need returns the memory for a sort of the lines so far, with some more bytes of text.
func (l *loading) need(more int) int64 {
	n := l.lines.Load()
	size, o := l.size+int64(more), &l.cmd.order
	text := size*(1+o.copies()) - max(size-l.wide.Load(), 0)*o.inLocale()*(localeCopies-asciiCopies)
	scratch := l.cmd.orderOf(l.store).ScratchBytes(int(n), sorter.Workers(l.cmd.workers))
	if o.inLocale() > 0 {
		scratch = max(scratch, newLocaleLines(*o, l.store).scratchBytes(int(n), l.cmd.workers))
	}
	return text + n*lineBytes + scratch
}

// next adds a file or a chunk; more is false at the end of the input.
func (l *loading) next(in *chunks) (more bool, err error) {
	text, err := in.whole(l.cmd.memory/2 - l.size)
	if err != nil {
		return false, err
	}
	if text != nil {
		return true, l.whole(in, text)
	}
	if text, err = in.next(nil); err != nil || text == nil {
		return false, err
	}
	l.chunk(in, text)
	return true, nil
}

// chunk adds a chunk, or gives it back if memory does not hold it.
func (l *loading) chunk(in *chunks, text []byte) {
	pieces := l.shape.pieces(text)
	for i := range pieces {
		l.count(&pieces[i])
	}
	if l.size+int64(len(text)) > l.cmd.memory/2 || !l.store.fits(text) || l.need(len(text)) > l.cmd.memory {
		in.unread, l.full = text, true
		return
	}
	l.add(text, pieces)
	if cap(text) > in.size { // a chunk that has grown for a line
		l.size += int64(cap(text) - len(text))
	}
}

// whole reads the open file into text, and adds it. Nothing of the file counts as read if memory does not
// hold its lines.
func (l *loading) whole(in *chunks, text []byte) error {
	pieces := l.shape.pieces(text)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var read atomic.Int64
	err := readWhole(ctx, in.in, text, l.cmd.workers, in.m, func(i int) {
		read.Add(int64(pieces[i].hi - pieces[i].lo))
		if l.count(&pieces[i]); l.need(len(text)) > l.cmd.memory {
			stop()
		}
	})
	if ctx.Err() != nil {
		in.m.add(-int(read.Load())) // it is read again
		l.full = true
		return nil
	}
	if err != nil {
		return in.in.failed(err)
	}
	size, err := in.endWhole(text)
	if size < len(text) { // its last line goes on
		for _, p := range pieces {
			l.lines.Add(-int64(p.lines))
			l.wide.Add(-p.wide)
		}
		if pieces = l.shape.pieces(text[:size]); err == nil {
			for i := range pieces {
				l.count(&pieces[i])
			}
		}
	}
	l.add(text[:size], pieces)
	return err
}

// count counts the lines of a piece, which has been read.
func (l *loading) count(p *piece) {
	p.lines = l.shape.ends(p.text, p.lo, p.hi)
	l.lines.Add(int64(p.lines))
	if l.cmd.order.inLocale() > 0 {
		p.wide = beyondASCII(p.text[p.lo:p.hi])
		l.wide.Add(p.wide)
	}
}

// beyondASCII returns how many bytes are no ASCII.
func beyondASCII(text []byte) (n int64) {
	const high = 0x8080808080808080
	for ; len(text) >= 8; text = text[8:] {
		n += int64(bits.OnesCount64(binary.LittleEndian.Uint64(text) & high))
	}
	for _, b := range text {
		n += int64(b >> 7)
	}
	return n
}

// add adds a chunk, which is pieces.
func (l *loading) add(text []byte, pieces []piece) {
	base := l.store.add(text)
	for _, p := range pieces {
		p.base = base
		l.pieces = append(l.pieces, p)
	}
}

// find returns the lines of all pieces.
func (l *loading) find() ([]line, error) {
	lines := make([]line, l.lines.Load())
	parts := make([][]line, len(l.pieces))
	rest := lines
	for i, p := range l.pieces {
		parts[i], rest = rest[:p.lines], rest[p.lines:]
	}
	err := forEach(context.Background(), l.cmd.workers, len(parts), func(i int) { l.shape.fill(parts[i], l.pieces[i]) })
	return lines, err
}

// pieces cuts a chunk into pieces.
func (s shape) pieces(text []byte) []piece {
	all := make([]piece, pieces(len(text)))
	for i := range all {
		lo := i * pieceSize
		all[i] = piece{text: text, lo: lo, hi: min(lo+pieceSize, len(text))}
	}
	return all
}

// ends returns the number of lines that end in bytes [lo, hi) of a chunk. The last one may lack its eol.
func (s shape) ends(text []byte, lo, hi int) int {
	if s.record > 0 {
		return hi/s.record - lo/s.record
	}
	n := bytes.Count(text[lo:hi], []byte{s.eol})
	if hi == len(text) && lo < hi && text[hi-1] != s.eol {
		n++
	}
	return n
}

// fill sets lines to those that end in a piece.
func (s shape) fill(lines []line, p piece) {
	if s.record > 0 {
		for i := range lines {
			at := (p.lo/s.record + i) * s.record
			lines[i] = lineAt(p.base, at, at+s.record)
		}
		return
	}
	if len(lines) == 0 { // the piece is part of a line, which is not read again
		return
	}
	start, at := bytes.LastIndexByte(p.text[:p.lo], s.eol)+1, p.lo
	for i := range lines {
		end := at + s.length(p.text[at:p.hi])
		lines[i] = lineAt(p.base, start, end)
		start, at = end+1, end+1
	}
}

// lineAt returns the line of bytes [start, end) of a chunk at an offset.
func lineAt(base uint64, start, end int) line {
	return line((base+uint64(start))<<lengthBits | uint64(min(end-start, longLine)))
}
