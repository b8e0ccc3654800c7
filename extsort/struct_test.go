package extsort_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unique"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// leaves are types of fields that are no structs, arrays or pointers.
var leaves = []reflect.Type{
	reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[complex64](), reflect.TypeFor[complex128](),
	reflect.TypeFor[string](), reflect.TypeFor[[]byte](), reflect.TypeFor[time.Time](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[netip.Prefix](), reflect.TypeFor[netip.AddrPort](), reflect.TypeFor[time.Duration](), reflect.TypeFor[embedded](),
}

// embedded has unexported fields, and bytes between fields.
type embedded struct {
	flag bool
	word int64
	name string
	_    func()
}

// drawType draws a type of fields, structs mostly.
func drawType(r *rand.Rand, depth int) reflect.Type {
	switch n := r.IntN(8); {
	case depth == 0 || depth < 3 && n < 3:
		return leaves[r.IntN(len(leaves))]
	case depth < 3 && n == 3:
		return reflect.PointerTo(drawType(r, depth-1))
	case depth < 3 && n == 4:
		return reflect.ArrayOf(r.IntN(9), drawType(r, depth-1))
	}
	fields := make([]reflect.StructField, r.IntN(9))
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: drawType(r, depth-1)}
	}
	return reflect.StructOf(fields)
}

// drawValue sets a value that can be set.
func drawValue(v reflect.Value, r *rand.Rand) {
	switch old := v.Interface().(type) {
	case time.Time:
		zones := []*time.Location{time.UTC, time.Local, time.FixedZone("", r.IntN(9)*1000), time.FixedZone("", -r.IntN(9)*3600)}
		v.Set(reflect.ValueOf(time.Unix(r.Int64N(1<<40)-1<<39, r.Int64N(1e9)).In(zones[r.IntN(4)])))
		return
	case netip.Addr:
		v.Set(reflect.ValueOf(drawAddr(r)))
		return
	case netip.Prefix:
		v.Set(reflect.ValueOf(netip.PrefixFrom(drawAddr(r).WithZone(""), r.IntN(33))))
		return
	case netip.AddrPort:
		v.Set(reflect.ValueOf(netip.AddrPortFrom(drawAddr(r), uint16(r.Uint32()))))
		return
	case embedded:
		old.flag, old.word, old.name = r.IntN(2) > 0, r.Int64(), strings.Repeat("n", r.IntN(3))
		v.Set(reflect.ValueOf(old))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) > 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64() - math.MaxInt64/2)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(r.NormFloat64())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(r.Float64(), -r.Float64()))
	case reflect.String:
		v.SetString(strings.Repeat("s", drawLength(r)))
	case reflect.Slice:
		if r.IntN(4) > 0 {
			v.SetBytes(bytes.Repeat([]byte{byte(r.Uint32())}, drawLength(r)))
		}
	case reflect.Pointer:
		if r.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			drawValue(v.Elem(), r)
		}
	case reflect.Array:
		for i := range v.Len() {
			drawValue(v.Index(i), r)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			drawValue(v.Field(i), r)
		}
	}
}

func drawLength(r *rand.Rand) int {
	return []int{0, 1, 5, 126, 127, 128, 129, 300, 16_384}[min(r.IntN(9), r.IntN(9))]
}

func drawAddr(r *rand.Rand) netip.Addr {
	var b [16]byte
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	switch r.IntN(4) {
	case 0:
		return netip.Addr{}
	case 1:
		return netip.AddrFrom4([4]byte(b[:]))
	case 2:
		return netip.AddrFrom16(b)
	}
	return netip.AddrFrom16(b).WithZone(strings.Repeat("z", drawLength(r)))
}

// FuzzStruct draws a type and a value of it. The value comes back equal. Bytes of the fuzzer, and its encoding damaged, are
// no value, or one whose encoding they are; no memory is taken that they do not account for.
func FuzzStruct(f *testing.F) {
	for seed := range uint64(testkit.Pick(300, 20_000)) {
		f.Add(seed, []byte{byte(seed), 1, 0, 2, 200, 1, byte(seed >> 1)})
	}
	f.Fuzz(func(t *testing.T, seed uint64, data []byte) {
		r := rand.New(rand.NewPCG(seed, 1))
		typ := drawType(r, 3)
		p, err := extsort.ProgramOf(typ)
		if err != nil {
			t.Fatal(err)
		}
		value, got := reflect.New(typ), reflect.New(typ)
		drawValue(value.Elem(), r)
		code := p.Append([]byte("before"), value)
		if string(code[:6]) != "before" {
			t.Fatal("Append overwrote what was there")
		}
		code = slices.Clip(code[6:])
		if !p.Decode(code, got) || !reflect.DeepEqual(value.Interface(), got.Interface()) {
			t.Fatalf("%v: %#v is not %#v", typ, got.Elem(), value.Elem())
		}
		for i := range code {
			code[i] ^= 0xff // texts are copies
		}
		if !reflect.DeepEqual(value.Interface(), got.Interface()) {
			t.Fatalf("%v: %#v points to its encoding", typ, got.Elem())
		}
		for i := range code {
			code[i] ^= 0xff
		}
		checkDecode(t, p, typ, data)
		for range 20 {
			damaged := slices.Clone(code)
			switch r.IntN(3) {
			case 0:
				damaged = damaged[:r.IntN(len(damaged)+1)]
			case 1:
				damaged = append(damaged, byte(r.Uint32()))
			default:
				if len(damaged) > 0 {
					damaged[r.IntN(len(damaged))] ^= 1 << r.IntN(8)
				}
			}
			checkDecode(t, p, typ, damaged)
		}
	})
}

// checkDecode decodes bytes that may be no encoding.
func checkDecode(t *testing.T, p extsort.Program, typ reflect.Type, src []byte) {
	t.Helper()
	v := reflect.New(typ)
	src = slices.Clip(slices.Clone(src))
	if p.Decode(src, v) {
		if again := p.Append(nil, v); !bytes.Equal(again, src) {
			t.Fatalf("%v: %x decodes to %#v, whose encoding is %x", typ, src, v.Elem(), again)
		}
	}
}

// TestStructTakesNoMemoryForNothing decodes short encodings of types with pointers to large values.
func TestStructTakesNoMemoryForNothing(t *testing.T) {
	type large struct {
		Some *[1 << 20]int64
		Text *[1 << 16]string
		Name string
	}
	p, err := extsort.ProgramOf(reflect.TypeFor[large]())
	must(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, src := range [][]byte{{1}, {1, 1}, {0, 1, 1}, {0, 1, 5, 1, 1}, {1, 0, 0, 0}, {0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f}, {0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		if p.Decode(src, reflect.New(reflect.TypeFor[large]())) {
			t.Errorf("%x is a value", src)
		}
	}
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes", after.TotalAlloc-before.TotalAlloc)
	}
}

// TestStructRefusesEncodings decodes bytes that Append does not make, though they could be read.
func TestStructRefusesEncodings(t *testing.T) {
	at := func(nanoseconds uint32) []byte {
		return binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, 1), nanoseconds)
	}
	for _, c := range []struct {
		typ reflect.Type
		src []byte
		ok  bool
	}{
		{reflect.TypeFor[struct{ B bool }](), []byte{1}, true},
		{reflect.TypeFor[struct{ B bool }](), []byte{2}, false},
		{reflect.TypeFor[struct {
			P *struct{ B bool }
			S string
		}](), []byte{1, 2, 'x', 'x'}, false},
		{reflect.TypeFor[struct{ S string }](), []byte{1, 'x'}, true},
		{reflect.TypeFor[struct{ S string }](), []byte{0x81, 0, 'x'}, false},
		{reflect.TypeFor[struct{ S string }](), []byte{0x80, 0x80, 0}, false},
		{reflect.TypeFor[struct{ B []byte }](), []byte{0x80, 0}, false},
		{reflect.TypeFor[struct{ T time.Time }](), at(1e9 - 1), true},
		{reflect.TypeFor[struct{ T time.Time }](), at(1e9), false},
		{reflect.TypeFor[struct{ T time.Time }](), at(3 << 30), false},
		{reflect.TypeFor[struct{ T time.Time }](), append(at(2<<30), make([]byte, 8)...), true},
		{reflect.TypeFor[struct{ T time.Time }](), append(at(2<<30), make([]byte, 7)...), false},
		{reflect.TypeFor[struct{ P *int8 }](), []byte{1, 5}, true},
		{reflect.TypeFor[struct{ P *int8 }](), []byte{2, 5}, false},
		{reflect.TypeFor[struct{ A netip.Addr }](), []byte{4, 1, 2, 3, 4}, true},
		{reflect.TypeFor[struct{ A netip.Addr }](), []byte{5, 1, 2, 3, 4, 5}, false},
	} {
		p, err := extsort.ProgramOf(c.typ)
		must(t, err)
		if ok := p.Decode(c.src, reflect.New(c.typ)); ok != c.ok {
			t.Errorf("%v of %x: %v", c.typ, c.src, ok)
		}
	}
}

// TestStructJoinsFields encodes fields of fixed size that follow each other.
func TestStructJoinsFields(t *testing.T) {
	type fields struct {
		A, B uint32
		C    [3]uint8
		D    uint8
	}
	p, err := extsort.ProgramOf(reflect.TypeFor[fields]())
	must(t, err)
	in, out := fields{1, 2, [3]uint8{3, 4, 5}, 6}, fields{}
	src := p.Append(nil, reflect.ValueOf(&in))
	if !p.Decode(src, reflect.ValueOf(&out)) || in != out || len(src) != 12 {
		t.Errorf("%v is %v after %x", in, out, src)
	}
}

// part is an element of NewStruct.
type part struct {
	Name  string
	Qty   int
	At    time.Time
	Price *float64
	Tags  [2]string
	Raw   []byte
	from  netip.Addr
	more  *part2
}

type part2 struct {
	Note string
	Last *time.Time
}

func partsOf(n int, r *rand.Rand) []part {
	all := make([]part, n)
	for i := range all {
		drawPart := part{Name: fmt.Sprint("part ", r.IntN(n/3+1)), Qty: i, At: time.Unix(r.Int64N(1e9), 0).In([]*time.Location{time.UTC, time.FixedZone("", 7200)}[r.IntN(2)]), from: drawAddr(r)}
		if r.IntN(2) > 0 {
			price, last := r.Float64(), time.Unix(int64(i), 1)
			drawPart.Price, drawPart.Tags[r.IntN(2)], drawPart.Raw = &price, "tag", []byte(drawPart.Name)
			drawPart.more = &part2{"note", &last}
		}
		all[i] = drawPart
	}
	return all
}

// TestNewStruct sorts structs that take several times the memory, and in enough memory, and resumes a sort.
func TestNewStruct(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	in := partsOf(testkit.Pick(8000, 40_000), r)
	o := sorter.By(sorter.Asc(func(p part) string { return p.Name }), sorter.Desc(func(p part) time.Time { return p.At }))
	want := slices.Clone(in)
	testkit.SortStable(want, o.Compare)
	for _, limit := range []int64{384 << 10, 64 << 20} {
		s, err := extsort.NewStruct(o, extsort.MemoryLimit(limit), extsort.TempDir(t.TempDir()))
		must(t, err)
		must(t, s.Append(in...))
		if got := collect(t, s); !reflect.DeepEqual(got, want) {
			t.Errorf("limit %d: wrong order", limit)
		}
		must(t, s.Close())
	}
	dir := t.TempDir()
	s, err := extsort.NewStruct(o, extsort.MemoryLimit(1<<20), extsort.Keep(dir))
	must(t, err)
	must(t, s.Append(in[:len(in)/2]...))
	must(t, s.Sync())
	must(t, s.Close())
	c, err := extsort.Struct[part]()
	must(t, err)
	s, err = extsort.ResumeCoded(dir, o, c, extsort.MemoryLimit(1<<20))
	must(t, err)
	defer s.Discard()
	must(t, s.Append(in[len(in)/2:]...))
	if got := collect(t, s); !reflect.DeepEqual(got, want) {
		t.Error("resumed: wrong order")
	}
}

// TestNewStructWithoutPointers: elements go to disk as they are.
func TestNewStructWithoutPointers(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	rows := rowsOf(keysOf("few", 5000, r))
	s, err := extsort.NewStruct(byKey(), extsort.MemoryLimit(128<<10), extsort.TempDir(t.TempDir()))
	must(t, err)
	defer s.Close()
	must(t, s.Append(rows...))
	testkit.SortStable(rows, byKey().Compare)
	sameElements(t, collect(t, s), rows)
}

// TestStructKeepsBits has floats whose bits differ though they are equal, or not, and times with a clock reading.
func TestStructKeepsBits(t *testing.T) {
	type value struct {
		F    [3]float64
		At   time.Time
		Name string
	}
	c, err := extsort.Struct[value]()
	must(t, err)
	now := time.Now()
	in := value{[3]float64{math.Copysign(0, -1), math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) ^ 5)}, now, ""}
	code, err := c.Append(nil, in)
	must(t, err)
	out, err := c.Decode(code)
	must(t, err)
	for i := range in.F {
		if math.Float64bits(in.F[i]) != math.Float64bits(out.F[i]) {
			t.Errorf("%v became %v", in.F[i], out.F[i])
		}
	}
	if out.At != now.Round(0) {
		t.Errorf("%v became %v", now, out.At)
	}
	if _, err := c.Decode(code[:len(code)-1]); err == nil {
		t.Error("no error of a part of an encoding")
	}
}

// TestStructRefuses lists types that have no codec, and the field that the error names.
func TestStructRefuses(t *testing.T) {
	type deep struct{ Inner struct{ Lines []string } }
	type list struct {
		Name string
		Next *list
	}
	for field, typ := range map[string]reflect.Type{
		"Inner.Lines of ":     reflect.TypeFor[deep](),
		"Next of ":            reflect.TypeFor[list](),
		"A[] of ":             reflect.TypeFor[struct{ A [9]map[string]int }](),
		"B[].C of ":           reflect.TypeFor[struct{ B [2]struct{ C chan int } }](),
		"P of ":               reflect.TypeFor[struct{ P *any }](),
		"F of ":               reflect.TypeFor[struct{ F func() }](),
		"Handle.value of ":    reflect.TypeFor[struct{ Handle unique.Handle[string] }](),
		"N.abs of ":           reflect.TypeFor[struct{ N *big.Int }](),
		"extsort: []int has ": reflect.TypeFor[[]int](),
	} {
		if _, err := extsort.ProgramOf(typ); err == nil || !strings.Contains(err.Error(), field) || !strings.Contains(err.Error(), "NewCoded") {
			t.Errorf("%v: %v", typ, err)
		}
	}
	if _, err := extsort.NewStruct(sorter.By(sorter.Asc(func(d deep) int { return len(d.Inner.Lines) }))); err == nil {
		t.Error("NewStruct of a slice of strings")
	}
	if _, err := extsort.NewStruct(sorter.By(sorter.Asc(func(p part) int { return p.Qty })), extsort.MemoryLimit(100)); !errors.Is(err, extsort.ErrMemoryLimit) {
		t.Errorf("100 bytes: %v", err)
	}
}

// TestResumeOfOtherStruct: runs of a struct are not those of one with other fields.
func TestResumeOfOtherStruct(t *testing.T) {
	dir := t.TempDir()
	{
		type item struct {
			Key  string
			Size int
		}
		s, err := extsort.NewStruct(sorter.By(sorter.Asc(func(e item) string { return e.Key })), extsort.Keep(dir))
		must(t, err)
		must(t, s.Append(item{"a", 1}))
		must(t, s.Sync())
		must(t, s.Close())
	}
	type item struct {
		Key  string
		Size uint
	}
	c, err := extsort.Struct[item]()
	must(t, err)
	if _, err := extsort.ResumeCoded(dir, sorter.By(sorter.Asc(func(e item) string { return e.Key })), c); !errors.Is(err, extsort.ErrMismatch) {
		t.Errorf("%v", err)
	}
}
