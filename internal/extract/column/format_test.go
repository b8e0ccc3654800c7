package column

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
)

// TestDamagedFormats reads texts that lie outside of their memory.
func TestDamagedFormats(t *testing.T) {
	data := []byte("abcdefghijklmnopqrstuvwxyz")
	read := func(f Format, row int) func() {
		return func() { f.(TextFormat).Text(row) }
	}
	all := func(f Format) func() {
		return func() { f.Read(unsafe.Pointer(&make([]string, f.Len())[0]), 0, f.Len()) }
	}
	testkit.ExpectPanic(t, "in order", "", all(Arena(data, []uint32{0, 0, 5, 26})))
	testkit.ExpectPanic(t, "in order", "", all(Arena(data, []uint64{0, 0, 5, 26})))
	for _, f := range []Format{Arena(data, []uint32{0, 5, 4, 26}), Arena(data, []uint64{0, 5, 4, 26})} {
		testkit.ExpectPanic(t, "row 1 falls", "row 1 lies at offsets 5 to 4 of an arena of 26 bytes", read(f, 1))
		testkit.ExpectPanic(t, "row 1 falls", "row 1 lies at offsets 5 to 4 of an arena of 26 bytes", all(f))
	}
	for _, f := range []Format{Arena(data, []uint32{0, 5, 27}), Arena(data, []uint64{0, 5, 27})} {
		testkit.ExpectPanic(t, "row 1 ends past the arena", "row 1 lies at offsets 5 to 27 of an arena", read(f, 1))
	}
	view := func(n, buffer, at byte) []byte {
		return []byte{n, 0, 0, 0, 'a', 'b', 'c', 'd', buffer, 0, 0, 0, at, 0, 0, 0}
	}
	for _, c := range []struct {
		n, buffer, at byte
		want          string
	}{
		{13, 0, 0, ""}, {13, 0, 13, ""}, {26, 0, 0, ""}, {12, 9, 9, ""}, {0, 9, 9, ""},
		{13, 1, 0, "offset 0 of buffer 1 with 13 bytes"}, {13, 0, 14, "offset 14 of buffer 0"}, {27, 0, 0, "offset 0 of buffer 0 with 27 bytes"}, {13, 0, 200, "past the buffers"},
	} {
		testkit.ExpectPanic(t, fmt.Sprint(c), c.want, read(Views(view(c.n, c.buffer, c.at), [][]byte{data}), 0))
	}
	if _, ok := Concat([]Format{Octets(data, 2), Octets(data, 13)}); ok {
		t.Error("parts of unlike kinds")
	}
	for _, widths := range [][2]int{{3, 4}, {5, 8}, {2, 2}, {16, 16}} {
		one, _ := Concat([]Format{Octets(data[:0], widths[0]), Octets(make([]byte, 240), widths[0]), Octets(make([]byte, 240), widths[0])})
		if _, ok := Concat([]Format{one, Octets(make([]byte, 240), widths[1])}); ok != (widths[0] == widths[1]) {
			t.Errorf("parts of widths %v: %t", widths, ok)
		}
	}
}

// TestParts finds rows in parts of all lengths.
func TestParts(t *testing.T) {
	r := dist.Rand(41)
	for range testkit.Pick(300, 3000) {
		var parts []Format
		var keys []uint64
		for range 1 + r.IntN(40) {
			part := make([]uint64, r.IntN(2)*r.IntN(2+r.IntN(200)))
			for i := range part {
				part[i] = uint64(len(keys) + i)
			}
			keys, parts = append(keys, part...), append(parts, InSlice(part))
		}
		all, ok := Concat(parts)
		if !ok || all.Len() != len(keys) {
			t.Fatalf("%d rows, want %d", all.Len(), len(keys))
		}
		c, ok := all.(*chunks)
		if !ok {
			continue // one part
		}
		if n := len(c.first); n > 2*blocksOfPart*len(c.parts)+1 || len(keys) >= blocksOfPart*len(c.parts) && n < blocksOfPart*len(c.parts) {
			t.Fatalf("a table of %d for %d parts of %d rows", n, len(c.parts), len(keys))
		}
		for row := range keys {
			if part, i := c.of(row); stream.SliceOf[uint64](c.parts[part].(*inSlice).keys)[i] != keys[row] {
				t.Fatalf("row %d is number %d of part %d", row, i, part)
			}
		}
		lo := r.IntN(len(keys))
		buf := make([]uint64, len(keys)-lo)
		n := r.IntN(len(buf) + 1)
		if n > 0 && !slices.Equal(sortkey.At[uint64](c.Read(unsafe.Pointer(&buf[0]), lo, n), n), keys[lo:lo+n]) {
			t.Fatalf("rows %d to %d", lo, lo+n)
		}
	}
}
