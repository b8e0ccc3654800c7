package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// panics returns the panic of f, "" if there is none.
func panics(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text = fmt.Sprint(p)
		}
	}()
	f()
	return ""
}

// expect fails t unless a call panics with a text, or not at all for an empty one.
func expect(t *testing.T, what, want string, f func()) {
	t.Helper()
	if got := panics(f); (got == "") != (want == "") || !strings.Contains(got, want) {
		t.Errorf("%s: panics with %q, want %q", what, got, want)
	}
}

// TestRowsOfColumns gives columns of 10 keys, with nulls from some row on, more rows and fewer.
func TestRowsOfColumns(t *testing.T) {
	const keys = 10
	ints := make([]int64, keys)
	texts := InSlice(slices.Repeat([]string{"a"}, keys))
	for _, base := range []Spec{SpecOfSlice(sortkey.Int64, unsafe.Pointer(&ints[0]), keys), SpecOfFormat(texts)} {
		for _, nullFrom := range []int{-1, 8, 10, 11} {
			for _, bits := range []bool{false, true} {
				spec, rowBits := base, 1<<30
				if isNull := NullFunc[int](func(row int) bool { return row >= nullFrom && row < 20 }); nullFrom >= 0 && bits {
					null := make([]bool, 24)
					for i := range null {
						null[i] = isNull(i)
					}
					spec, rowBits = spec.WithBits(bitsOf(dist.Rand(1), null), NullsFirst), 24
					rowBits = spec.bits().rows()
				} else if nullFrom >= 0 {
					spec = spec.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), NullsFirst)
				}
				for n := range 26 {
					want := ""
					switch {
					case n > rowBits:
						want = fmt.Sprintf("by %d validity bits", rowBits)
					case n > keys && (nullFrom < 0 || nullFrom > keys || n > 20):
						want = "by a column of 10"
					}
					of := fmt.Sprintf("order of %d rows ", n)
					if want == "" {
						of = ""
					}
					what := fmt.Sprintf("%d rows, null from %d on, bits %t", n, nullFrom, bits)
					cols := AppendColumns(nil, []Spec{spec})
					expect(t, what, of+want, func() { ForRows(cols, n) })
					expect(t, what+", order of few", of+want, func() {
						p := ListOf([]Spec{spec}).OrderOf(n, nil)
						if len(p) != n {
							t.Errorf("%s: %d places", what, len(p))
						}
					})
					if want == "" && n > 0 {
						noNulls := nullFrom < 0 || bits && n <= nullFrom
						if (cols[0].Nulls == NoNulls) != noNulls || cols[0].numbered != (n <= keys) {
							t.Errorf("%s: nulls %d, numbered %t", what, cols[0].Nulls, cols[0].numbered)
						}
					}
					if n == 0 {
						continue
					}
					isNull := func(row int) bool { return nullFrom >= 0 && row >= nullFrom && row < 20 }
					row := n - 1
					want = ""
					if row >= rowBits {
						want = fmt.Sprintf("element %d is no row of %d validity bits", row, rowBits)
					} else if row >= keys && !isNull(row) {
						want = fmt.Sprintf("element %d is no row of a column of 10", row)
					}
					expect(t, what+", elements", want, func() { CheckElements([]Spec{spec}, []int{0, row, 1}) })
					want = ""
					if row >= rowBits {
						want = fmt.Sprintf("order of row %d by %d validity bits", row, rowBits)
					} else if row >= keys && !isNull(row) {
						want = fmt.Sprintf("order of row %d by a column of 10", row)
					}
					expect(t, what+", selected", want, func() {
						if above := ForSelected(AppendColumns(nil, []Spec{spec}), []uint32{0, uint32(row), 0}, n); above != n {
							t.Errorf("%s: above all is %d", what, above)
						}
					})
				}
				expect(t, "row -1", "element -1 is no row", func() { CheckElements([]Spec{spec}, []int{-1}) })
			}
		}
	}
	function := SpecOf(sortkey.Int8, Func[int, int8](nil)).WithBits(NewNullBits([]byte{255}, 0), NullsLast)
	expect(t, "bits of a function", "element 8 is no row of 8 validity bits", func() { CheckElements([]Spec{function}, []int{7, 8}) })
	expect(t, "bits of a function", "", func() { CheckElements([]Spec{function}, []int{7, 0}) })
	cols := AppendColumns(nil, []Spec{SpecOfSlice(sortkey.Int64, unsafe.Pointer(&ints[0]), keys)})
	expect(t, "row 5 of 5", "row 5 of 5 rows", func() { ForSelected(cols, []uint32{5}, 5) })
	expect(t, "no rows", "", func() {
		if ForSelected(cols, nil, 5) != 0 {
			t.Error("a number above none")
		}
	})
	expect(t, "zero column", "column without a key function", func() { AppendColumns(nil, []Spec{{}}) })
	expect(t, "zero column", "column without a key function", func() { ListOf([]Spec{{}}).OrderOf(3, nil) })
}

// TestMemoryOfOrders takes the memory that is given, unless it is too short, and refuses that of elements and columns.
func TestMemoryOfOrders(t *testing.T) {
	const n = 12
	memory := make([]uint32, 3*n)
	keys := memory[n : 2*n]
	texts := make([]string, 3*n)
	data, ends := make([]byte, 64), make([]uint32, n+1)
	forms := map[string]Spec{
		"slice":   SpecOfSlice(sortkey.Uint32, unsafe.Pointer(&keys[0]), n),
		"format":  SpecOfFormat(InSlice(keys)),
		"offsets": SpecOfFormat(Arena(data, memory[n:2*n+1])),
		"parts":   SpecOfFormat(concat(dist.Rand(2), n, func(lo, hi int) Format { return InSlice(keys[lo:hi]) })),
		"octets":  SpecOfFormat(Octets(bytesAt(keys), 3)),
		"wide":    SpecOfFormat(Octets(bytesAt(keys), 12)),
		"views":   SpecOfFormat(Views(bytesAt(keys), nil)),
		"buffer":  SpecOfFormat(Views(make([]byte, ViewSize*n), [][]byte{nil, bytesAt(keys)})),
		"data":    SpecOfFormat(Arena(bytesAt(keys), ends)),
	}
	own := SpecOf(sortkey.Uint32, Func[int, uint32](func(row int) uint32 { return 0 }))
	for name, spec := range forms {
		for lo := 0; lo <= 2*n; lo++ {
			into := perm.Perm(memory[lo : lo+n])
			want := ""
			if lo+n > n && lo < 2*n {
				want = "Into memory that holds a column to order by"
			}
			if (name == "octets" || name == "views" || name == "wide") && lo >= 2*n-1 {
				continue
			}
			rows := stream.RawOf(texts[:n])
			cols := AppendColumns(nil, []Spec{own, spec})
			if name == "offsets" && lo == 2*n {
				continue // the last offset
			}
			expect(t, name, want, func() { Result(rows, n, into, ListOf(cols)) })
			expect(t, name, want, func() { Result(rows, n, into, ListOf([]Spec{own, spec})) })
			expect(t, name, "", func() { Result(rows, n, into[:5:5], ListOf(cols)) })
			if rows := spec.get; name == "slice" && rows != nil {
				expect(t, name, want, func() { ListOf([]Spec{spec}).OrderOf(n, into) })
			} else if f, ok := rows.(*formatKey); ok && f.Len() >= 4 {
				few := into[:4]
				if lo+4 <= n && name != "x" {
					want = ""
				}
				expect(t, name, want, func() { ListOf([]Spec{spec}).OrderOf(4, few) })
			}
		}
	}
	elements := stream.RawOf(keys)
	for lo := 0; lo <= 2*n; lo++ {
		want := ""
		if lo+n > n && lo < 2*n {
			want = "Into memory that holds the elements to be ordered"
		}
		into := perm.Perm(memory[lo : lo+n])
		expect(t, "elements", want, func() { Result(elements, n, into, SpecList{}) })
	}
	into := make(perm.Perm, n-1, n)
	for _, p := range []perm.Perm{Result(stream.RawOf(texts[:n]), n, into, SpecList{}), ListOf[Spec](nil).OrderOf(n, into)} {
		if len(p) != n || &p[0] != &into[:1][0] {
			t.Errorf("an order of %d places in other memory", len(p))
		}
	}
	for _, into := range []perm.Perm{nil, make(perm.Perm, 0), make(perm.Perm, n-1)} {
		for _, p := range []perm.Perm{Result(stream.RawOf(texts[:n]), n, into, SpecList{}), ListOf[Spec](nil).OrderOf(n, into)} {
			if len(p) != n {
				t.Errorf("an order of %d places", len(p))
			}
		}
	}
	if p := Result(stream.Raw{}, 0, nil, SpecList{}); p == nil && len(p) != 0 {
		t.Error("no rows")
	}
	numbers := make([]int64, n)
	spec := SpecOfSlice(sortkey.Int64, unsafe.Pointer(&numbers[0]), n)
	expect(t, "elements in a column", "elements lie in the column", func() {
		CheckElements([]Spec{spec}, unsafe.Slice((*int)(unsafe.Pointer(&numbers[n-1])), 1))
	})
}

// bytesAt views numbers as bytes.
func bytesAt(numbers []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), 4*len(numbers))
}

// TestDamagedFormats reads texts that lie outside of their memory.
func TestDamagedFormats(t *testing.T) {
	data := []byte("abcdefghijklmnopqrstuvwxyz")
	read := func(f Format, row int) func() {
		return func() { f.(textFormat).text(row) }
	}
	all := func(f Format) func() {
		return func() { f.read(unsafe.Pointer(&make([]string, f.Len())[0]), 0, f.Len()) }
	}
	expect(t, "in order", "", all(Arena(data, []uint32{0, 0, 5, 26})))
	expect(t, "in order", "", all(Arena(data, []uint64{0, 0, 5, 26})))
	for _, f := range []Format{Arena(data, []uint32{0, 5, 4, 26}), Arena(data, []uint64{0, 5, 4, 26})} {
		expect(t, "row 1 falls", "row 1 lies at offsets 5 to 4 of an arena of 26 bytes", read(f, 1))
		expect(t, "row 1 falls", "row 1 lies at offsets 5 to 4 of an arena of 26 bytes", all(f))
	}
	for _, f := range []Format{Arena(data, []uint32{0, 5, 27}), Arena(data, []uint64{0, 5, 27})} {
		expect(t, "row 1 ends past the arena", "row 1 lies at offsets 5 to 27 of an arena", read(f, 1))
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
		expect(t, fmt.Sprint(c), c.want, read(Views(view(c.n, c.buffer, c.at), [][]byte{data}), 0))
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
		if n > 0 && !slices.Equal(sortkey.At[uint64](c.read(unsafe.Pointer(&buf[0]), lo, n), n), keys[lo:lo+n]) {
			t.Fatalf("rows %d to %d", lo, lo+n)
		}
	}
}
