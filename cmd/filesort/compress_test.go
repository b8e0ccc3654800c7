package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packedText returns text compressed.
func packedText(t *testing.T, compression, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if compression == "zstd" {
		w, _ = zstd.NewWriter(&b)
	}
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// unpacked returns what text that begins like a compressed one holds.
func unpacked(t *testing.T, text string) string {
	t.Helper()
	in := &input{Reader: strings.NewReader(text)}
	if err := in.decompress("auto"); err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	all, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestCompressedInput(t *testing.T) {
	for _, c := range []string{"gzip", "zstd"} {
		lines, rows := packedText(t, c, "b\na\n"), packedText(t, c, "n\n10\n9\n")
		for _, test := range []struct{ in, args, want string }{
			{lines, "", "a\nb\n"}, {lines, "-m -r", "b\na\n"}, {lines, "-record 2", "a\nb\n"},
			{rows, "-by n", "n\n9\n10\n"},
		} {
			for _, name := range []string{"-", fileOf(t, "x", test.in)} {
				got, stderr, _ := filesort(test.in, append(strings.Fields(test.args), name)...)
				if got != test.want {
					t.Errorf("%s, %s of %s: %q %s", c, test.args, name, got, stderr)
				}
			}
		}
		if got, _, _ := filesort(lines, "--compress=none"); got == "a\nb\n" {
			t.Errorf("%s: --compress=none decompresses", c)
		}
		if got, _, code := filesort("x\n"+lines, "-C"); got != "" || code > 1 {
			t.Errorf("%s: compressed text inside a file: exit %d", c, code)
		}
		if _, stderr, code := filesort(lines[:len(lines)-3], "-"); code != exitError || !strings.HasPrefix(stderr, "filesort: reading stdin: ") {
			t.Errorf("%s cut short: exit %d, %s", c, code, stderr)
		}
	}
}

// TestGzipEnds has several members, then zeros, or other bytes.
func TestGzipEnds(t *testing.T) {
	two := packedText(t, "gzip", "b\n") + packedText(t, "gzip", "a\n")
	for _, zeros := range []int{0, 1, 2, 511, 200_000} {
		if got, stderr, _ := filesort(two + strings.Repeat("\x00", zeros)); got != "a\nb\n" {
			t.Errorf("%d zeros: %q %s", zeros, got, stderr)
		}
	}
	for _, rest := range []string{"x", "xyz", "\x00x", "\x1f", "\x1f\x8b", "\x00" + two, two[:9], "\x1f\x8b\x08\x08\x00\x00\x00\x00\x00\x03na"} {
		if got, stderr, code := filesort(two + rest); code != exitError || got != "" || !strings.HasPrefix(stderr, "filesort: reading stdin: ") {
			t.Errorf("%q follows: exit %d, %q %s", rest, code, got, stderr)
		}
	}
}

// Zstd of several processors begins with a frame to skip, which says how long the next one is.
func TestZstdSkipsFrames(t *testing.T) {
	skip := "\x50\x2a\x4d\x18\x04\x00\x00\x00\x11\x00\x00\x00"
	in := skip + packedText(t, "zstd", "b\n") + "\x5f" + skip[1:] + packedText(t, "zstd", "a\n")
	if got, stderr, _ := filesort(in); got != "a\nb\n" {
		t.Errorf("%q %s", got, stderr)
	}
}

func TestCompressedOutput(t *testing.T) {
	for _, test := range []struct{ name, compress, begin string }{
		{"out.gz", "auto", magics["gzip"]}, {"out.ZST", "auto", magics["zstd"]}, {"out", "gzip", magics["gzip"]},
		{"out.gz", "none", "a\n"}, {"out.txt", "auto", "a\n"},
	} {
		path := filepath.Join(t.TempDir(), test.name)
		if _, stderr, code := filesort("b\na\n", "-o", path, "--compress", test.compress); code != 0 {
			t.Error(stderr)
		}
		text, _ := os.ReadFile(path)
		if !strings.HasPrefix(string(text), test.begin) || unpacked(t, string(text)) != "a\nb\n" {
			t.Errorf("%s, %s: %q", test.name, test.compress, text)
		}
	}
	if got, _, _ := filesort("b\na\n", "--compress", "zstd"); unpacked(t, got) != "a\nb\n" {
		t.Errorf("standard output is %q", got)
	}
	if got, _, _ := filesort(packedText(t, "gzip", "b,2\na,1\n"), "-by", "1", "-header", "no", "--compress", "gzip", "-"); unpacked(t, got) != "a,1\nb,2\n" {
		t.Errorf("columns: %q", got)
	}
}
