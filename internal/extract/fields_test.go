package extract

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/internal/testkit"
)

// cell is an element with a key in several fields.
type cell[K any] struct {
	Number int16
	Key    K
	Pair   optional[K]
	Ptr    *K
	_      byte
}

// optional is a key as package database/sql has it.
type optional[K any] struct {
	Value K
	Valid bool
}

// cells are the elements of a list, with the columns that they have.
type cells struct {
	payload cpu.Payload
	keys    cpu.Payload // elements that are their own keys
	forms   map[string]column.Spec
}

// cellsOf returns a list and elements with its keys.
func cellsOf[K sortkey.Key](draw func(r *rand.Rand) K) func(r *rand.Rand, n int) (*list, cells) {
	return func(r *rand.Rand, n int) (*list, cells) {
		l := listOf(draw)(r, n)
		l.forms = nil
		keys := stream.SliceOf[K](l.keys)
		elements := make([]cell[K], n)
		for i := range elements {
			e := &elements[i]
			if e.Number, e.Key = int16(i), keys[i]; !l.null[i] {
				e.Pair, e.Ptr = optional[K]{keys[i], true}, &keys[i]
			}
		}
		c := cells{payload: cpu.PayloadOf(elements), keys: cpu.PayloadOf(keys), forms: map[string]column.Spec{
			"function": column.SpecOf(l.kind, column.Func[cell[K], K](func(e cell[K]) K { l.asked[e.Number]++; return e.Key })),
		}}
		for _, name := range []string{"Key", "Pair", "Ptr"} {
			f, err := column.FieldOf(reflect.TypeFor[cell[K]](), name)
			if err != nil {
				panic(err)
			}
			if c.forms[name] = f.Spec(); f.Nullable() {
				c.forms[name] = f.Spec().WithNulls(unsafe.Pointer(f), column.NullPlace(1+r.IntN(2)))
			}
		}
		isNull := column.NullFunc[cell[K]](func(e cell[K]) bool { return l.null[e.Number] })
		function := *(*unsafe.Pointer)(unsafe.Pointer(&isNull))
		c.forms["function and nulls"] = column.SpecOf(l.kind, column.Func[cell[K], K](func(e cell[K]) K {
			if l.null[e.Number] {
				panic("asked for the key of a null")
			}
			l.asked[e.Number]++
			return e.Key
		})).WithNulls(function, column.NullPlace(1+r.IntN(2)))
		return l, c
	}
}

var cellLists = []func(r *rand.Rand, n int) (*list, cells){
	cellsOf(func(r *rand.Rand) bool { return r.IntN(2) == 0 }),
	cellsOf(func(r *rand.Rand) int8 { return int8(word(r)) }),
	cellsOf(func(r *rand.Rand) uint16 { return uint16(word(r)) }),
	cellsOf(func(r *rand.Rand) int32 { return int32(word(r)) }),
	cellsOf(word),
	cellsOf(func(r *rand.Rand) int64 { return int64(word(r)) }),
	cellsOf(func(r *rand.Rand) float32 { return float32(float(r)) }),
	cellsOf(float),
	cellsOf(func(r *rand.Rand) [3]float32 { return [3]float32{1, float32(r.IntN(2)), float32(float(r))} }),
	cellsOf(func(r *rand.Rand) sortkey.Int128 { return sortkey.Int128{Lo: word(r), Hi: int64(r.IntN(3)) - 1} }),
	cellsOf(func(r *rand.Rand) time.Time { return time.Unix(int64(r.IntN(3)), int64(r.IntN(1e9))) }),
	cellsOf(func(r *rand.Rand) (k [5]byte) { bytesOf(r, k[:]); return k }),
	cellsOf(func(r *rand.Rand) (k [20]byte) { bytesOf(r, k[:]); return k }),
	cellsOf(testkit.Text), cellsOf(testkit.Text), cellsOf(func(r *rand.Rand) []byte { return []byte(testkit.Text(r)) }),
	cellsOf(addr),
}

// drawCells draws elements, and one column of them, or two: the number that they have is the last one.
func drawCells(r *rand.Rand, n int) (drawn, column.Spec) {
	l, c := cellLists[r.IntN(len(cellLists))](r, n)
	name, spec := drawSpec(r, &list{forms: c.forms})
	d := drawn{what: fmt.Sprintf("kind %d by %s of %d", l.kind, name, n), lists: []*list{l}, call: sortkey.Order{Desc: r.IntN(4) == 0}, rows: InputOf(c.payload)}
	for i := range n {
		d.row = append(d.row, i)
	}
	specs := []column.Spec{spec}
	if r.IntN(2) == 0 {
		number, err := column.FieldOf(c.payload.Type(), "Number")
		if err != nil {
			panic(err)
		}
		numbers := make([]int16, n)
		for i := range numbers {
			numbers[i] = int16(i)
		}
		specs, d.lists = append(specs, number.Spec()), append(d.lists, &list{kind: sortkey.Int16, keys: stream.RawOf(numbers)})
	}
	d.cols = AppendColumns(nil, specs)
	return d, spec
}

// TestDrawnCells is TestDrawnWords for elements that have their keys.
func TestDrawnCells(t *testing.T) {
	r := dist.Rand(12)
	for i := range testkit.Pick(250, 10_000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		d, spec := drawCells(r, sizes[r.IntN(len(sizes))])
		d.check(t, r)
		checkFields(t, r, &d)
		checkFieldUpTo(t, r, &d, spec)
		if t.Failed() {
			t.Fatal(i, d.what)
		}
	}
}

// TestDrawnSelf is TestDrawnWords for elements that are their own keys.
func TestDrawnSelf(t *testing.T) {
	r := dist.Rand(15)
	for i := range testkit.Pick(150, 3000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := sizes[r.IntN(len(sizes))]
		l, c := cellLists[i%len(cellLists)](r, n)
		col := ColumnAs(l.kind, nil)
		col.Order = sortkey.Order{Desc: r.IntN(2) == 0, NaNs: sortkey.NaNs(r.IntN(int(sortkey.NaNPlaces)))}
		d := drawn{what: fmt.Sprintf("kind %d of %d", l.kind, n), lists: []*list{l}, cols: []Column{col}, rows: InputOf(c.keys)}
		for i := range n {
			d.row = append(d.row, i)
		}
		if d.check(t, r); t.Failed() {
			t.Fatal(i, d.what)
		}
		words := FreshScattered(Words(d.cols, d.call)) // of elements that lie in any memory
		if wide := words[0].wide; wide != nil {
			if words[0].InMemory || words[0].needsNoElement {
				t.Fatalf("%s: full keys are not kept", d.what)
			}
			env := drawnEnv(r, t)
			words[0].Open(Input{Len: n}, env)
			codes := make([]uint64, n)
			words[0].Codes(codes, Batch{Block: c.keys.Raw()})
			d.checkCodes(t, r, &words[0], codes, 0, 1)
			continue
		}
		codes := make([]uint64, n)
		d.cols[0].Codes(codes, Batch{Block: c.keys.Raw()})
		d.checkCodes(t, r, &words[0], codes, 0, 1)
		if d.cols[0].Bits() <= 32 {
			narrow := make([]uint32, n)
			d.cols[0].Codes32(narrow, Batch{Block: c.keys.Raw()})
			for i, c := range narrow {
				if uint64(c) != codes[i] {
					t.Fatalf("%s: code %#x is %#x in 32 bits", d.what, codes[i], c)
				}
			}
		}
	}
}

// checkFields compares neighbours by fields where they lie.
func checkFields(t *testing.T, r *rand.Rand, d *drawn) {
	var loop parallel.Loop
	n, words := len(d.row), Words(d.cols, d.call)
	f, ok := NewFieldSteps(d.rows.Slice, words, &loop)
	c := &d.cols[0]
	if want := c.made.Field() != nil && (c.Nulls == column.NoNulls || c.Bits() <= 64); ok != want {
		t.Errorf("compared where they lie: %t, want %t", ok, want)
	}
	if !ok {
		return
	}
	compare := func(i, j int) int { return d.compare(0, len(d.cols), i, j) }
	for _, p := range pairs(r, n, compare) {
		if got := f.Compare(uint32(p[0]), uint32(p[1])); sign(got) != compare(p[0], p[1]) {
			t.Fatalf("elements %v compared as %d", p, got)
		}
	}
	lo := r.IntN(n)
	hi := lo + r.IntN(n-lo+1)
	ties := make(engine.Ties, engine.TieWords(n))
	var want presorted.Steps
	for x := max(lo, 1); x < hi; x++ {
		switch compare(x-1, x) {
		case -1:
			want.Rises++
		case 1:
			want.Falls++
		default:
			want.Ties++
		}
	}
	if got := f.Follow(lo, hi, ties); got != want || f.Follow(lo, hi, nil) != want {
		t.Fatalf("follows %d to %d: %v, want %v", lo, hi, got, want)
	}
	for x := range n {
		if tie := lo <= x && max(x, 1) == x && x < hi && compare(x-1, x) == 0; want.Rises == 0 && ties.Tied(x) != tie {
			t.Fatalf("follows %d to %d: element %d ties: %t", lo, hi, x, !tie)
		}
	}
}

// checkFieldUpTo compares a field with that of one element.
func checkFieldUpTo(t *testing.T, r *rand.Rand, d *drawn, spec column.Spec) {
	n, words := len(d.row), Words(d.cols, d.call)
	masks := make([]uint64, (n+63)/64)
	for range 3 {
		than, before, most := r.IntN(n), r.IntN(2) == 0, n
		if r.IntN(3) == 0 {
			most = r.IntN(n)
		}
		count, ok := words[0].FieldUpTo(masks, d.rows.Slice.Raw(), d.rows.Slice.Raw().At(than), before, most)
		number := spec.Kind() >= sortkey.Int8 && spec.Kind() <= sortkey.Float64
		if want := spec.Field() != nil && number && spec.Nulls() == column.NoNulls; ok != want {
			t.Fatalf("compared: %t, want %t", ok, want)
		}
		if !ok || count > most {
			continue
		}
		set := 0
		for i := range n {
			c := d.compare(0, 1, i, than)
			is := masks[i/64]>>(i%64)&1 != 0
			if is {
				set++
			}
			floats := spec.Kind() >= sortkey.Float32
			alone := before && words[0].Columns() == 1 && spec.Order().NaNs != sortkey.TotalOrder
			if c < 0 && !is || c == 0 && !alone && !is || c > 0 && is && !floats || c == 0 && alone && is && !floats && !atEnd(d, than) {
				t.Fatalf("element %d, %d against %d, before %t: %t", i, c, than, before, is)
			}
			if floats && is && (c > 0 || c == 0 && alone) && !unordered(d, i, than) {
				t.Fatalf("float %d, %d against %d, before %t", i, c, than, before)
			}
		}
		if set != count {
			t.Fatalf("%d bits, counted %d", set, count)
		}
	}
}

// atEnd reports whether no number comes before that of an element.
func atEnd(d *drawn, x int) bool {
	c := d.cols[0].Under(d.call)
	var code [1]uint64
	sortkey.EncodeAt(d.lists[0].kind, code[:], d.lists[0].keys.At(x), c.Order)
	return code[0] == 0
}

// unordered reports whether one of two floats is no number, or a zero or infinite.
func unordered(d *drawn, i, j int) bool {
	for _, x := range []int{i, j} {
		var f float64
		if d.lists[0].kind == sortkey.Float32 {
			f = float64(*(*float32)(d.lists[0].keys.At(x)))
		} else {
			f = *(*float64)(d.lists[0].keys.At(x))
		}
		if f != f || f == 0 || f-f != 0 {
			return true
		}
	}
	return false
}

// TestFewOf compares the keys and nulls of a few elements or rows with those of a list.
func TestFewOf(t *testing.T) {
	r := dist.Rand(13)
	for range testkit.Pick(600, 5000) {
		n := 1 + r.IntN(70)
		e, l := column.FewOf{Rows: r.IntN(2) == 0}, lists[r.IntN(len(lists))](r, n)
		_, spec := drawSpec(r, l)
		if !e.Rows && r.IntN(2) == 0 {
			var c cells
			l, c = cellLists[r.IntN(len(cellLists))](r, n)
			_, spec = drawSpec(r, &list{forms: c.forms})
			e.Block = c.payload.Raw()
		} else if !e.Rows {
			all := make([]int, n)
			for i := range all {
				all[i] = i
			}
			e.Block = stream.RawOf(all)
		}
		at := drawFew(r, n)
		if e.Rows {
			r.Shuffle(len(at), func(i, j int) { at[i], at[j] = at[j], at[i] })
		}
		if spec.Nulls() != column.NoNulls {
			want := uint64(0)
			var others []uint32
			for i, x := range at {
				if l.null[x] {
					want |= 1 << i
				} else {
					others = append(others, x)
				}
			}
			if got := e.NullsOf(&spec, at); got != want {
				t.Fatalf("nulls of %v are %b, want %b", at, got, want)
			}
			if at = others; len(at) == 0 {
				continue
			}
		}
		keys := stream.RawOf(make([][64]byte, column.OnStack))
		memory := reflect.New(reflect.ArrayOf(column.OnStack, reflect.TypeFor[netip.Addr]())).UnsafePointer()
		switch l.kind {
		case sortkey.String:
			memory = unsafe.Pointer(&make([]string, column.OnStack)[0])
		case sortkey.Bytes:
			memory = unsafe.Pointer(&make([][]byte, column.OnStack)[0])
		case sortkey.Time:
			memory = unsafe.Pointer(&make([]time.Time, column.OnStack)[0])
		case sortkey.Addr:
		default:
			memory = keys.Data()
		}
		to := stream.RawAt(memory, l.kind.Size(), len(at)+r.IntN(column.OnStack-len(at)+1))
		e.KeysOf(&spec, to, at)
		for i, x := range at {
			if compareKeys(l.kind, to.At(i), l.keys.At(int(x)), sortkey.Order{NaNs: sortkey.TotalOrder}) != 0 {
				t.Fatalf("kind %d, rows %t: key %d of %v", l.kind, e.Rows, i, at)
			}
		}
		_, inSlice := spec.Slice()
		in, ok := e.InPlace(&spec)
		if ok != (e.Rows && inSlice) || ok && in.Data() != l.keys.Data() {
			t.Fatalf("keys in place: %t", ok)
		}
	}
}

// drawFew draws up to OnStack of n numbers that ascend: neighbours, most of those in a range, or any.
func drawFew(r *rand.Rand, n int) (at []uint32) {
	lo, step := r.IntN(n), []int{1, 2, 4, 20}[r.IntN(4)]
	for x := lo; x < n && len(at) <= r.IntN(2*column.OnStack) && len(at) < column.OnStack; x += 1 + r.IntN(step) {
		at = append(at, uint32(x))
	}
	if len(at) == 0 {
		return []uint32{uint32(lo)}
	}
	return at
}

// TestFieldsLike finds the strings in a type, at least 16 of them, wherever they lie.
func TestFieldsLike(t *testing.T) {
	type named string
	type element struct {
		a string
		b int64
		c struct {
			d [3]struct {
				x byte
				e named
			}
			none [0]string
			ints [4]int
		}
		f []byte
		g []named
		h [2][2]string
	}
	var e element
	text := func(p unsafe.Pointer) uintptr { return uintptr(p) - uintptr(unsafe.Pointer(&e)) }
	want := []uintptr{0, text(unsafe.Pointer(&e.c.d[0].e)), text(unsafe.Pointer(&e.c.d[1].e)), text(unsafe.Pointer(&e.c.d[2].e)),
		text(unsafe.Pointer(&e.h[0][0])), text(unsafe.Pointer(&e.h[0][1])), text(unsafe.Pointer(&e.h[1][0])), text(unsafe.Pointer(&e.h[1][1]))}
	if got := fieldsLike(reflect.TypeFor[element](), reflect.TypeFor[string]()); !slices.Equal(got, want) {
		t.Errorf("strings at %v, want %v", got, want)
	}
	if got := fieldsLike(reflect.TypeFor[element](), reflect.TypeFor[[]byte]()); !slices.Equal(got, []uintptr{text(unsafe.Pointer(&e.f))}) {
		t.Errorf("byte slices at %v", got)
	}
	for n := 1; n < 40; n++ {
		fields := make([]reflect.StructField, n)
		for i := range fields {
			fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[string]()}
		}
		for _, of := range []reflect.Type{reflect.ArrayOf(n, reflect.TypeFor[string]()), reflect.StructOf(fields)} {
			if got := len(fieldsLike(of, reflect.TypeFor[string]())); got != min(n, 16) {
				t.Errorf("%d of %d strings", got, n)
			}
		}
	}
}

// TestInPlaceKeys has a key function return the fields of elements, or other texts, more or less often.
func TestInPlaceKeys(t *testing.T) {
	type pair struct{ a, b string }
	r := dist.Rand(14)
	for range testkit.Pick(300, 3000) {
		n, others, second := 1+r.IntN(600), r.IntN(5), r.IntN(2) == 0
		elements, want := make([]pair, n), make([]string, n)
		for i := range elements {
			elements[i] = pair{testkit.Text(r), testkit.Text(r)}
			want[i] = elements[i].a
			if second {
				want[i] = elements[i].b
			}
			if r.IntN(4) < others {
				want[i] = []string{"", testkit.Text(r), strings.Clone(want[i]), elements[i].a}[r.IntN(4)]
			}
		}
		next := 0
		col := ColumnOf[string](column.Func[pair, string](func(pair) string { next++; return want[next-1] }))
		words := Words([]Column{col}, sortkey.Order{})
		env := drawnEnv(r, t)
		rows := InputOf(cpu.PayloadOf(elements))
		words[0].Open(rows, env)
		codes := make([]uint64, n)
		for lo := 0; lo < n; {
			hi := min(n, lo+1+r.IntN(300))
			Source64(rows, &words[0])(codes[lo:hi], lo)
			lo = hi
		}
		full := words[0].Full.(*Strings[string])
		for i := range n {
			if codes[i] != sortkey.Prefix(want[i]) || full.text(uint32(i)) != want[i] {
				t.Fatalf("key %d of %d is %q, want %q", i, n, full.text(uint32(i)), want[i])
			}
		}
		env.Arena.Release(1)
	}
}
