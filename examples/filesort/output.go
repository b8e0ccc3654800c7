package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// write writes the head and the rows. A last row of the input that has no line
// end gets one: another row may follow it now.
func (t *table) write(ctx context.Context, w io.Writer, workers int, m *meter) error {
	m.stage("write", "rows", int64(len(t.rows)))
	if _, err := io.WriteString(w, t.head); err != nil {
		return err
	}
	return writeRows(ctx, w, len(t.rows), workers, copier{
		size: func(i int) int { return int(t.rows[i].size) },
		append: func(dst []byte, lo, hi int) []byte {
			for group := range slices.Chunk(t.rows[lo:hi], touched) {
				dst = touch(dst, group, t.first)
				for _, r := range group {
					row := t.text[r.off : r.off+int(r.size)]
					dst = append(dst, row...)
					if !strings.HasSuffix(row, "\n") {
						dst = append(dst, t.eol...)
					}
				}
			}
			return dst
		},
	}, m)
}

// first returns the first byte of a row.
func (t *table) first(r row) byte { return t.text[r.off] }

// writeFile gives write the file called name, or stdout for "" and "-".
//
// A file appears under its name complete or not at all: write gets a temporary
// file beside it, which then takes its place and its permissions. A link is
// followed; a pipe or a device is written to directly. A file that memory does not hold is written
// past the page cache, in buffers of past bytes; past is 0 for others.
func writeFile(name string, stdout io.Writer, past int, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(stdout)
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	mode := fs.FileMode(0o666)
	info, err := os.Stat(name)
	switch {
	case err == nil && info.Mode().IsRegular():
		mode = info.Mode().Perm()
	case err == nil:
		return writeDirectly(name, write)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	temporary := filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x.tmp", filepath.Base(name), rand.Uint32()))
	err = writeSynced(temporary, mode, info != nil, past, write)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		os.Remove(temporary)
	}
	return err
}

// sink writes a file. It is ended once, also after an error.
type sink interface {
	io.Writer
	end() error
}

func writeDirectly(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeSynced creates a file whose bytes are on the disk when it returns nil,
// so that a crash after the renaming leaves the new file or the old one.
func writeSynced(name string, mode fs.FileMode, exact bool, past int, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if exact { // where the umask took bits that the replaced file has
		err = f.Chmod(mode)
	}
	if err == nil {
		out := sinkOf(f, past)
		err = write(out)
		err = cmp.Or(err, out.end())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
