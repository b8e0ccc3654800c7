package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
)

// pieceSize is what one worker reads of a file at a time.
const pieceSize = 4 << 20

// readWhole reads text, the front of a file, by several workers, and calls found for each piece
// that has been read, also by several. A file that has less has become shorter, which is an error: pieces were
// read at different times.
func readWhole(ctx context.Context, in *input, text []byte, workers int, m *meter, found func(i int)) error {
	errs := make([]error, pieces(len(text)))
	err := forEach(ctx, workers, len(errs), func(i int) {
		lo := i * pieceSize
		hi := min(lo+pieceSize, len(text))
		if _, errs[i] = in.file.ReadAt(text[lo:hi], int64(lo)); errs[i] == nil {
			m.add(hi - lo)
			found(i)
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
