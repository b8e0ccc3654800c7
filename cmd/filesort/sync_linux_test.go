package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestDirect writes files past the page cache, whose lengths are around those of pages and
// buffers.
func TestDirect(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	text := make([]byte, 9*writeBuffer)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	path := filepath.Join(t.TempDir(), "x")
	for _, size := range []int{0, 1, pageSize - 1, pageSize, pageSize + 1, writeBuffer - 1, writeBuffer, writeBuffer + pageSize, len(text) - 1, len(text)} {
		err := writeFile(path, nil, writeBuffer, func(w io.Writer) error {
			if _, ok := w.(*direct); !ok {
				t.Skipf("%s goes through the page cache", path)
			}
			for rest := text[:size]; len(rest) > 0; {
				n := 1 + r.IntN(min(len(rest), 3*writeBuffer))
				if _, err := w.Write(rest[:n]); err != nil {
					return err
				}
				rest = rest[n:]
			}
			return nil
		})
		got, failed := os.ReadFile(path)
		if err != nil || failed != nil || !bytes.Equal(got, text[:size]) {
			t.Errorf("%d bytes: %d, %v, %v", size, len(got), err, failed)
		}
	}
}

// TestDirectFails has writes fail: their error is that of the output, which keeps its content.
func TestDirectFails(t *testing.T) {
	path := fileOf(t, "x", "old")
	for _, size := range []int{1, pageSize, 20 * writeBuffer} {
		err := writeFile(path, nil, writeBuffer, func(w io.Writer) error {
			d, ok := w.(*direct)
			if !ok {
				t.Skipf("%s goes through the page cache", path)
			}
			d.past.Close()
			d.cached.Close()
			_, err := w.Write(make([]byte, size))
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "file already closed") {
			t.Errorf("%d bytes: %v", size, err)
		}
		expectFile(t, path, "old", 0)
	}
}

// A file that root sorts in place stays that of its owner.
func TestOutputKeepsOwner(t *testing.T) {
	path := fileOf(t, "x", "b\na\n")
	if err := os.Chown(path, 12345, 54321); err != nil {
		t.Skip(err)
	}
	if _, stderr, code := filesort("", "-o", path, path); code != 0 {
		t.Error(stderr)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st := info.Sys().(*syscall.Stat_t); st.Uid != 12345 || st.Gid != 54321 {
		t.Errorf("it is that of %d:%d", st.Uid, st.Gid)
	}
}
