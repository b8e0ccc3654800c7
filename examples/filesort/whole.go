package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
)

// pieceSize is what one worker reads of a file at a time.
const pieceSize = 4 << 20

// readWhole reads text, the front of a file, by several workers, and calls found for each piece
// that has been read, also by several. A file that has less has become shorter, which is an error: pieces were
// read at different times.
func readWhole(ctx context.Context, in *input, text []byte, workers int, m *meter, found func(i, lo, hi int)) error {
	errs := make([]error, pieces(len(text)))
	err := forEach(ctx, workers, len(errs), func(i int) {
		lo := i * pieceSize
		hi := min(lo+pieceSize, len(text))
		if _, errs[i] = in.file.ReadAt(text[lo:hi], int64(lo)); errs[i] == nil {
			m.add(hi - lo)
			found(i, lo, hi)
		}
	})
	if err = cmp.Or(err, cmp.Or(errs...)); err == io.EOF {
		return fmt.Errorf("it became shorter: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// goesOn reports whether a file has bytes after the first size, as one that grows has. They are read next.
func (in *input) goesOn(size int64) (bool, error) {
	n, err := in.file.ReadAt(make([]byte, 1), size)
	if n == 0 && err == io.EOF {
		return false, nil
	}
	if err == nil {
		_, err = in.file.Seek(size, io.SeekStart)
	}
	in.Reader = in.file
	return true, err
}

func pieces(size int) int { return (size + pieceSize - 1) / pieceSize }

// found are the lines of a text that begin after an eol in one piece of it.
type found struct {
	lines []line
	first int // the first eol, -1 if there is none
	last  int // where the last line begins, whose length is not known yet
}

// findLines returns the lines of piece [lo, hi) of a chunk at an offset.
func (s shape) findLines(text []byte, lo, hi int, base uint64) found {
	piece := text[lo:hi]
	f := found{first: -1, last: -1, lines: make([]line, 0, bytes.Count(piece, []byte{s.eol})+1)}
	start := -1
	if lo == 0 {
		start = 0
	}
	for at := 0; ; {
		n := bytes.IndexByte(piece[at:], s.eol)
		if n < 0 {
			break
		}
		eol := lo + at + n
		if f.first < 0 {
			f.first = eol
		}
		if start >= 0 {
			f.lines = append(f.lines, lineAt(base, start, eol))
		}
		start = eol + 1
		at += n + 1
	}
	if start >= 0 && start < len(text) {
		f.last = start
		f.lines = append(f.lines, 0)
	}
	return f
}

// lineAt returns the line of bytes [start, end) of a chunk at an offset.
func lineAt(base uint64, start, end int) line {
	return line((base+uint64(start))<<lengthBits | uint64(min(end-start, longLine)))
}

// joinLines returns the lines of all pieces of a text of size bytes.
func joinLines(all []found, base uint64, size int) []line {
	end := size
	parts := make([][]line, len(all))
	for i, f := range slices.Backward(all) {
		if f.last >= 0 {
			f.lines[len(f.lines)-1] = lineAt(base, f.last, end)
		}
		if f.first >= 0 {
			end = f.first
		}
		parts[i] = f.lines
	}
	return slices.Concat(parts...)
}
