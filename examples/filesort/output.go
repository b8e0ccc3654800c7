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
					dst = append(append(dst, row...), missingEnd(row, t.eol)...)
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
// file beside it, which then takes its place, its permissions and, where that is allowed, its
// owner. A link is followed; a pipe or a device is written to directly. A file that memory does
// not hold is written past the page cache, in buffers of past bytes; past is 0 for others.
func writeFile(name string, stdout io.Writer, past int, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(stdout)
	}
	name, old, err := followed(name)
	switch {
	case err != nil:
		return err
	case old != nil && !old.Mode().IsRegular():
		return writeDirectly(name, write)
	}
	temporary := temporaryFor(name)
	err = writeSynced(temporary, old, past, write)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		os.Remove(temporary)
	}
	return err
}

// checkOutput returns the error that writeFile would have from the begin, so that it comes before
// the input is read: a file that may not be written, or a folder.
func checkOutput(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	name, old, err := followed(name)
	if err != nil || old != nil && !old.Mode().IsRegular() && !old.IsDir() { // a pipe would wait for its reader
		return err
	}
	if old != nil {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		f.Close()
	}
	temporary := temporaryFor(name)
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(temporary))
}

// followed returns the name of the file that a link leads to, and the file, nil if there is none.
func followed(name string) (string, fs.FileInfo, error) {
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name = target
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return name, nil, nil
	}
	return name, info, err
}

// temporaryFor returns a name for a file beside the one called name. File systems take 255 bytes.
func temporaryFor(name string) string {
	base := filepath.Base(name)
	return filepath.Join(filepath.Dir(name), fmt.Sprintf(".%s.%08x.tmp", strings.ToValidUTF8(base[:min(len(base), 200)], ""), rand.Uint32()))
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

// writeSynced creates a file in the place of old, if that is not nil. Its bytes are on the disk
// when it returns nil, so that a crash after the renaming leaves the new file or the old one.
func writeSynced(name string, old fs.FileInfo, past int, write func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if old != nil {
		keepOwner(f, old)
		err = f.Chmod(mode) // the umask took bits
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
