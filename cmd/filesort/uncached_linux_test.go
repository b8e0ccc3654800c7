package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
)

// uncachedInput opens a file that is read past the page cache, whatever that has of it.
func uncachedInput(t *testing.T, name string) *uncached {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	past, err := os.OpenFile(name, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		t.Skipf("no reads past the page cache: %v", err)
	}
	t.Cleanup(func() { f.Close(); past.Close() })
	return &uncached{cached: f, past: past}
}

// TestUncached reads files whose lengths are around those of pages and reads, by reads of any
// length to any address.
func TestUncached(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	text := make([]byte, 5*leastUncached+pageSize)
	for i := range text {
		text[i] = byte(r.Uint32())
	}
	memory := make([]byte, 4*leastUncached)
	for _, size := range []int{0, 1, pageSize, leastUncached - 1, leastUncached, leastUncached + 1, 3 * leastUncached, len(text) - 1, len(text)} {
		name := fileOf(t, "x", string(text[:size]))
		for range 20 {
			u, got := uncachedInput(t, name), []byte(nil)
			for {
				p := begin(memory[r.IntN(2)*r.IntN(pageSize):], nil)
				p = p[:cap(p)]
				if r.IntN(2) == 0 {
					p = p[:r.IntN(len(p))]
				}
				n, err := u.Read(p)
				got = append(got, p[:n]...)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatalf("%d bytes, at %d: %v", size, len(got), err)
				}
			}
			if !bytes.Equal(got, text[:size]) {
				t.Fatalf("%d bytes: got %d", size, len(got))
			}
		}
	}
}

// TestUncachedFails has a read fail: its error names the file.
func TestUncachedFails(t *testing.T) {
	name := fileOf(t, "x", strings.Repeat("a\n", leastUncached))
	for _, size := range []int{1, leastUncached} {
		u := uncachedInput(t, name)
		u.past.Close()
		u.cached.Close()
		p := begin(make([]byte, size+2*pageSize), nil)
		if n, err := u.Read(p[:size]); n != 0 || err == nil || !strings.Contains(err.Error(), "read "+name) {
			t.Errorf("%d bytes: %d, %v", size, n, err)
		}
	}
}

// TestUncachedLines sorts a file that the page cache has not, on disk.
func TestUncachedLines(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	var b strings.Builder
	for range 300_000 {
		fmt.Fprintf(&b, "%d\n", r.Uint64())
	}
	name := fileOf(t, "x", b.String())
	want, _, _ := filesort(b.String(), "-")
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	const dontNeed = 4 // POSIX_FADV_DONTNEED
	syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0)
	if mostlyCached(f, int64(b.Len())) {
		t.Skip("the page cache keeps the file")
	}
	in, err := openInput(name, nil, "none", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := in.Reader.(*uncached); !ok {
		t.Errorf("it is read by a %T", in.Reader)
	}
	in.Close()
	for _, args := range [][]string{{"-S", "2M"}, {"-S", "2M", "-by", "1:string", "-no-header", "-format", "csv"}} {
		got, stderr, code := filesort("", append(args, name)...)
		if got != want || code != 0 {
			t.Errorf("%q: %d bytes, want %d %s", args, len(got), len(want), stderr)
		}
	}
	if _, err := io.Copy(io.Discard, f); err != nil {
		t.Fatal(err)
	}
	if !mostlyCached(f, int64(b.Len())) {
		t.Error("it was read, and the page cache does not have it")
	}
}

// TestBegin: what is read after the front of a buffer is at the begin of a page.
func TestBegin(t *testing.T) {
	memory := make([]byte, 5*pageSize)
	for skip := 0; skip < pageSize; skip += 257 {
		for _, n := range []int{0, 1, 100, pageSize - 1, pageSize, pageSize + 1} {
			rest := bytes.Repeat([]byte{'x'}, n)
			buf := begin(memory[skip:], rest)
			room := buf[len(buf):cap(buf)]
			if !bytes.Equal(buf, rest) || pageOffset(room) != 0 || len(room) < 2*pageSize || len(room)%pageSize != 0 {
				t.Errorf("after %d bytes, %d from %d on: offset %d, room for %d", n, len(buf), skip, pageOffset(room), len(room))
			}
		}
	}
	if buf := begin(memory[:10:10], []byte("abc")); string(buf) != "abc" {
		t.Errorf("in short memory: %q", buf)
	}
}
