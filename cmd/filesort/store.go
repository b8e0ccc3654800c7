package main

import (
	"bytes"
	"iter"
	"strings"
	"unsafe"
)

// line is a line of a store: 40 bits of its offset, 24 of its length. A sort moves lines.
type line uint64

const (
	lineBytes  = 8
	lengthBits = 24
	longLine   = 1<<lengthBits - 1 // the length of a line has to be looked for
	maxOffset  = 1 << (64 - lengthBits)

	slotBits = 23
	slotSize = 1 << slotBits
)

// store is text in memory. An offset counts slots of 8 MiB; a chunk begins with a slot and
// takes as many as it needs.
type store struct {
	chunks [][]byte
	slots  [][]byte // from the offset on to the end of the chunk
	shape  shape
	size   int64 // bytes of all chunks
}

// shape is how text is cut into lines.
type shape struct {
	eol    byte // ends a line, also the last one, where it may be missing
	record int  // bytes of a record, which has no eol; 0: lines
}

// add appends a chunk and returns its offset. The caller has checked that it fits.
func (s *store) add(chunk []byte) (base uint64) {
	base = uint64(len(s.slots)) << slotBits
	for at := 0; at < len(chunk); at += slotSize {
		s.slots = append(s.slots, chunk[at:])
	}
	s.chunks = append(s.chunks, chunk)
	s.size += int64(len(chunk))
	return base
}

// fits reports whether the offsets of another chunk fit a line.
func (s *store) fits(chunk []byte) bool {
	return (uint64(len(s.slots))+1)<<slotBits+uint64(len(chunk)) <= maxOffset
}

// text returns a line, without its eol.
func (s *store) text(l line) string {
	at := uint64(l) >> lengthBits
	rest := s.slots[at>>slotBits][at&(slotSize-1):]
	n := int(l & longLine)
	if n == longLine {
		n = s.shape.length(rest)
	}
	return stringOf(rest[:n])
}

// first returns the first byte of a line, or of the bytes after an empty one.
func (s *store) first(l line) byte {
	at := uint64(l) >> lengthBits
	return s.slots[at>>slotBits][at&(slotSize-1)]
}

// stringOf returns b as a string. It is for memory that does not change as long as the string is
// used.
func stringOf(b []byte) string {
	// Sound: the string keeps the memory alive, and nothing writes to it.
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// length returns the length of the line that text begins with.
func (s shape) length(text []byte) int {
	if s.record > 0 {
		return s.record
	}
	if n := bytes.IndexByte(text, s.eol); n >= 0 {
		return n
	}
	return len(text)
}

// cut returns the line that text begins with, and the text after its eol.
func (s shape) cut(text string) (line, rest string) {
	if s.record > 0 {
		return text[:s.record], text[s.record:]
	}
	if n := strings.IndexByte(text, s.eol); n >= 0 {
		return text[:n], text[n+1:]
	}
	return text, ""
}

// lines yields the lines of a chunk, as parts of it.
func (s shape) lines(chunk []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		for rest := stringOf(chunk); rest != ""; {
			var text string
			if text, rest = s.cut(rest); !yield(text) {
				return
			}
		}
	}
}

// whole returns the length of the whole lines at the front of text.
func (s shape) whole(text []byte) int {
	if s.record > 0 {
		return len(text) - len(text)%s.record
	}
	return bytes.LastIndexByte(text, s.eol) + 1
}
