package parquetsort_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"example.com/sorter/parquetsort"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
)

// rowWriter is what both writers have.
type rowWriter[T any] interface {
	Write([]T) (int, error)
	WriteRows([]parquet.Row) (int, error)
	Flush() error
	Reset(io.Writer)
	Close() error
	SetKeyValueMetadata(key, value string)
	Schema() *parquet.Schema
	File() parquet.FileView
}

var (
	_ rowWriter[any] = (*parquet.SortingWriter[any])(nil)
	_ rowWriter[any] = (*parquetsort.Writer[any])(nil)
)

// trial is a way to write a file.
type trial struct {
	rows     int
	limit    int64
	batch    int
	drop     bool
	group    int64 // most rows of a row group; 0: one group
	compress bool
	files    bool // temporary files, not memory
	flushes  bool // after each batch
}

func (c trial) options(dir string, columns []parquet.SortingColumn) []parquet.WriterOption {
	sorting := []parquet.SortingOption{parquet.SortingColumns(columns...), parquet.DropDuplicatedRows(c.drop)}
	if c.files {
		sorting = append(sorting, parquet.SortingBuffers(parquet.NewFileBufferPool(dir, "rows.*")))
	}
	options := []parquet.WriterOption{parquet.SortingWriterConfig(sorting...)}
	if c.group > 0 {
		options = append(options, parquet.MaxRowsPerRowGroup(c.group))
	}
	if c.compress {
		options = append(options, parquet.Compression(&parquet.Zstd))
	}
	return options
}

var trials = []trial{
	{rows: 0, limit: 10, batch: 1},
	{rows: 1, limit: 1, batch: 1},
	{rows: 300, limit: 1000, batch: 300},
	{rows: 300, limit: 70, batch: 7, drop: true},
	{rows: 300, limit: 60, batch: 50},
	{rows: 300, limit: 49, batch: 300, drop: true, files: true},
	{rows: 300, limit: 100, batch: 64, group: 130, compress: true},
	{rows: 300, limit: 64, batch: 90, group: 60, drop: true, flushes: true},
	{rows: 40, limit: 1, batch: 33},
	{rows: 300, limit: 1000, batch: 7, drop: true},
}

// writeTrial writes rows, and returns the values of the file and its row groups.
func writeTrial[T any](t *testing.T, w rowWriter[T], out *bytes.Buffer, rows []T, c trial) ([]parquet.Row, []int64) {
	t.Helper()
	for batch := range slices.Chunk(rows, c.batch) {
		if n, err := w.Write(batch); n != len(batch) || err != nil {
			t.Fatalf("Write of %d rows: %d, %v", len(batch), n, err)
		}
		if c.flushes {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return readAll(t, out.Bytes())
}

func readAll(t *testing.T, file []byte) (rows []parquet.Row, groups []int64) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range f.RowGroups() {
		groups = append(groups, g.NumRows())
		r := g.Rows()
		buf := make([]parquet.Row, 100)
		for {
			n, err := r.ReadRows(buf)
			for _, row := range buf[:n] {
				rows = append(rows, row.Clone())
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows, groups
}

// oracle sorts the values of rows with package slices and the comparison of package parquet.
func oracle[T any](schema *parquet.Schema, rows []T, columns []parquet.SortingColumn, drop bool) []parquet.Row {
	var want []parquet.Row
	for i := range rows {
		want = append(want, schema.Deconstruct(nil, &rows[i]).Clone())
	}
	compare := schema.Comparator(columns...)
	slices.SortStableFunc(want, compare)
	if drop {
		want = slices.CompactFunc(want, func(a, b parquet.Row) bool { return compare(a, b) == 0 })
	}
	return want
}

func sameRows(t *testing.T, what string, got, want []parquet.Row) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !got[i].Equal(want[i]) {
			t.Fatalf("%s: row %d is %+v, want %+v", what, i, got[i], want[i])
		}
	}
}

// check writes random rows with both writers.
func check[T any](t *testing.T, typed bool, random func(r *rand.Rand, i int) T, orders ...[]parquet.SortingColumn) {
	t.Helper()
	for o, columns := range orders {
		if testing.Short() && o%3 != 0 {
			continue
		}
		for i, c := range trials {
			if i < 2 && o > 0 || i >= 2 && i%3 != o%3 { // each trial with a third of the orders
				continue
			}
			r := rand.New(rand.NewPCG(uint64(o), uint64(i)))
			rows := make([]T, c.rows)
			for i := range rows {
				rows[i] = random(r, i)
			}
			name := fmt.Sprintf("%v %+v", columns, c)
			var out, theirs bytes.Buffer
			w := parquetsort.NewWriter[T](&out, c.limit, c.options(t.TempDir(), columns)...)
			parquetsort.Shrink(w)
			if parquetsort.Typed(w) != typed {
				t.Fatalf("%s: typed is %t", name, !typed)
			}
			want := oracle(w.Schema(), rows, columns, c.drop)
			got, groups := writeTrial(t, w, &out, rows, c)
			sameRows(t, name, got, want)
			if c.group == 0 && len(groups) > 1 {
				t.Errorf("%s: %d row groups", name, len(groups))
			}
			for _, n := range groups {
				if c.group > 0 && n > c.group {
					t.Errorf("%s: a row group of %d rows", name, n)
				}
			}
			if c.limit > 1 && (!c.drop || len(columns) > 0) {
				peer := parquet.NewSortingWriter[T](&theirs, c.limit, c.options(t.TempDir(), columns)...)
				other, _ := writeTrial(t, peer, &theirs, rows, c)
				sameKeys(t, name, w.Schema().Comparator(columns...), got, other)
			}
		}
	}
}

// sameKeys compares rows by their sorting columns: parquet.SortingWriter is not stable.
func sameKeys(t *testing.T, name string, compare func(a, b parquet.Row) int, got, want []parquet.Row) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b parquet.Row) bool { return compare(a, b) == 0 }) {
		t.Fatalf("%s: keys are not those of parquet.SortingWriter", name)
	}
}

// by returns sorting columns by name: a minus for descending, a tilde for nulls first.
func by(names ...string) (columns []parquet.SortingColumn) {
	for _, name := range names {
		desc, first := false, false
		for ; name[0] == '-' || name[0] == '~'; name = name[1:] {
			desc, first = desc || name[0] == '-', first || name[0] == '~'
		}
		path := splitPath(name)
		c := parquet.Ascending(path...)
		if desc {
			c = parquet.Descending(path...)
		}
		if first {
			c = parquet.NullsFirst(c)
		}
		columns = append(columns, c)
	}
	return columns
}

func splitPath(name string) (path []string) {
	for part := range bytes.SplitSeq([]byte(name), []byte(".")) {
		path = append(path, string(part))
	}
	return path
}

// each returns orders by one name in both directions, with nulls at one end for each.
func each(names ...string) (orders [][]parquet.SortingColumn) {
	for i, name := range names {
		if i%2 == 0 {
			orders = append(orders, by(name), by("-~"+name))
		} else {
			orders = append(orders, by("~"+name), by("-"+name))
		}
	}
	return orders
}

type numbers struct {
	Bool   bool          `parquet:"bool"`
	I8     int8          `parquet:"i8"`
	I16    int16         `parquet:"i16"`
	I32    int32         `parquet:"i32"`
	I64    int64         `parquet:"i64"`
	Int    int           `parquet:"int"`
	U8     uint8         `parquet:"u8"`
	U16    uint16        `parquet:"u16"`
	U32    uint32        `parquet:"u32"`
	U64    uint64        `parquet:"u64"`
	Uint   uint          `parquet:"uint"`
	F32    float32       `parquet:"f32"`
	F64    float64       `parquet:"f64"`
	AsInt  uint32        `parquet:"asint,int(32)"`
	AsUint int32         `parquet:"asuint,uint(32)"`
	Wide   int32         `parquet:"wide,int(64)"`
	WideU  uint32        `parquet:"wideu,uint(64)"`
	Cents  int64         `parquet:"cents,decimal(2:18)"`
	Day    int32         `parquet:"day,date"`
	Took   time.Duration `parquet:"took,time(nanosecond)"`
	Row    int64         `parquet:"row"`
}

func randomNumbers(r *rand.Rand, i int) numbers {
	v := int64(r.IntN(40)-20) << (r.IntN(3) * 20)
	f := float64(r.IntN(5)-2) / 2
	if r.IntN(4) == 0 {
		f = math.Copysign(f, -1)
	}
	return numbers{
		r.IntN(2) == 0, int8(v), int16(v), int32(v), v, int(v), uint8(v), uint16(v), uint32(v), uint64(v), uint(v),
		float32(f), f, uint32(v), int32(v), int32(v), uint32(v), v, int32(v), time.Duration(v), int64(i),
	}
}

func TestNumbers(t *testing.T) {
	var orders [][]parquet.SortingColumn
	for _, column := range parquet.SchemaOf(numbers{}).Columns() {
		orders = append(orders, by(column[0]), by("-"+column[0]))
	}
	orders = append(orders, nil, by("bool", "-f64", "i8"), by("u8", "i8", "-row"))
	check(t, true, randomNumbers, orders...)
}

type strings struct {
	Name  string    `parquet:"name"`
	Dict  string    `parquet:"dict,dict"`
	Kind  string    `parquet:"kind,enum"`
	Raw   []byte    `parquet:"raw"`
	ID    [16]byte  `parquet:"id,uuid"`
	Key   [5]byte   `parquet:"key"`
	Long  [37]byte  `parquet:"long"`
	At    time.Time `parquet:"at"`
	Milli time.Time `parquet:"milli,timestamp(millisecond)"`
	Micro time.Time `parquet:"micro,timestamp(microsecond)"`
	Row   int64     `parquet:"row"`
}

func randomString(r *rand.Rand) string {
	b := make([]byte, r.IntN(4)*r.IntN(12))
	for i := range b {
		b[i] = byte('a' + r.IntN(3)*r.IntN(2))
	}
	return string(b)
}

func randomTime(r *rand.Rand) time.Time {
	at := time.Unix(int64(r.IntN(7)-3), int64(r.IntN(5))*100_000)
	if r.IntN(2) == 0 {
		return at.UTC()
	}
	return at.In(time.FixedZone("", r.IntN(3600)))
}

func randomStrings(r *rand.Rand, i int) strings {
	s := strings{
		Name: randomString(r), Dict: randomString(r), Kind: randomString(r), Raw: []byte(randomString(r)),
		At: randomTime(r), Milli: randomTime(r), Micro: randomTime(r), Row: int64(i),
	}
	s.ID[r.IntN(16)], s.Key[r.IntN(5)], s.Long[r.IntN(37)] = byte(r.IntN(256)), byte(r.IntN(256)), byte(r.IntN(3))
	return s
}

func TestStrings(t *testing.T) {
	var orders [][]parquet.SortingColumn
	for _, column := range parquet.SchemaOf(strings{}).Columns() {
		orders = append(orders, by(column[0]), by("-"+column[0]))
	}
	check(t, true, randomStrings, append(orders, by("key", "-name", "long"))...)
}

type optionals struct {
	I    int32      `parquet:"i,optional"`
	U    uint64     `parquet:"u,optional"`
	B    bool       `parquet:"b,optional"`
	F    float64    `parquet:"f,optional"`
	S    string     `parquet:"s,optional"`
	Raw  []byte     `parquet:"raw,optional"`
	Key  [20]byte   `parquet:"key,optional"`
	At   time.Time  `parquet:"at,optional"`
	PI   *int64     `parquet:"pi"`
	PF   *float64   `parquet:"pf"`
	PS   *string    `parquet:"ps,optional"`
	PB   *bool      `parquet:"pb"`
	PID  *[16]byte  `parquet:"pid"`
	PAt  *time.Time `parquet:"pat"`
	Opt  []int32    `parquet:"opt,list,optional"`
	List []string   `parquet:"list,list"`
	Many []nested   `parquet:"many"`
	Deep *nested    `parquet:"deep"`
	In   nested     `parquet:"in"`
	Row  int64      `parquet:"row"`
}

type nested struct {
	A    *int32  `parquet:"a"`
	Name string  `parquet:"name"`
	More *deeper `parquet:"more"`
	Tags []int64 `parquet:"tags"`
}

type deeper struct {
	X float32 `parquet:"x"`
	Y []byte  `parquet:"y,optional"`
}

// some returns a pointer to v, or nil.
func some[V any](r *rand.Rand, v V) *V {
	if r.IntN(3) == 0 {
		return nil
	}
	return &v
}

func randomSlice[V any](r *rand.Rand, v func() V) (s []V) {
	if r.IntN(3) == 0 {
		return nil
	}
	s = []V{}
	for range r.IntN(4) {
		s = append(s, v())
	}
	return s
}

func randomNested(r *rand.Rand) nested {
	return nested{
		some(r, int32(r.IntN(5))), randomString(r),
		some(r, deeper{float32(r.IntN(3)), randomSlice(r, func() byte { return byte(r.IntN(3)) })}),
		randomSlice(r, r.Int64),
	}
}

func randomOptionals(r *rand.Rand, i int) optionals {
	o := optionals{
		I: int32(r.IntN(5) - 2), U: r.Uint64N(4) << 61, B: r.IntN(2) == 0, F: float64(r.IntN(4)), S: randomString(r),
		Raw: randomSlice(r, func() byte { return byte(r.IntN(3)) }), PI: some(r, r.Int64N(9)-4), PF: some(r, float64(r.IntN(5))-2),
		PS: some(r, randomString(r)), PB: some(r, r.IntN(2) == 0), PID: some(r, [16]byte{3: byte(r.IntN(200))}), PAt: some(r, randomTime(r)),
		Opt: randomSlice(r, r.Int32), List: randomSlice(r, func() string { return randomString(r) }),
		Many: randomSlice(r, func() nested { return randomNested(r) }), Deep: some(r, randomNested(r)), In: randomNested(r), Row: int64(i),
	}
	if r.IntN(2) == 0 {
		o.Key[r.IntN(20)] = byte(r.IntN(3))
	}
	if r.IntN(3) > 0 {
		o.At = randomTime(r)
	}
	return o
}

func TestOptionals(t *testing.T) {
	orders := each("i", "u", "b", "s", "raw", "key", "at", "pi", "pf", "ps", "pb", "pid", "pat", "deep.a", "deep.name",
		"deep.more.x", "deep.more.y", "in.a", "in.name", "in.more.y")
	check(t, true, randomOptionals, append(orders, by("in.more.x", "-~deep.a", "~s"))...)
}

// TestRepeated sorts by columns in lists, and by optional floats, on the second path.
func TestRepeated(t *testing.T) {
	orders := each("f", "list.list.element", "opt.list.element", "many.a", "many.name", "many.more.x", "many.more.y", "many.tags", "deep.tags")
	check(t, false, randomOptionals, append(orders, by("-~many.a", "i", "~many.more.x"))...)
}

// other has fields of types that only the second path takes.
type other struct {
	Map  map[string]int64 `parquet:"map"`
	Old  deprecated.Int96 `parquet:"old"`
	Text string           `parquet:"text,uuid"`
	JSON string           `parquet:"json,json"`
	Row  int64            `parquet:"row"`
}

func TestOtherTypes(t *testing.T) {
	random := func(r *rand.Rand, i int) other {
		o := other{
			Old: deprecated.Int96{r.Uint32N(3), r.Uint32N(2), r.Uint32N(2) << 31}, Text: fmt.Sprintf("%08x-0000-0000-0000-000000000000", r.Uint32N(9)<<28),
			JSON: fmt.Sprint(r.IntN(30)), Row: int64(i),
		}
		if r.IntN(2) == 0 {
			o.Map = map[string]int64{randomString(r): r.Int64N(3)}
		}
		return o
	}
	var orders [][]parquet.SortingColumn
	for _, name := range []string{"old", "text", "json", "map.key_value.key", "map.key_value.value", "row"} {
		orders = append(orders, by(name), by("-"+name))
	}
	check(t, false, random, orders...)
}

// TestAny writes maps with a schema of their own.
func TestAny(t *testing.T) {
	schema := parquet.NewSchema("any", parquet.Group{
		"a": parquet.Optional(parquet.Int(64)), "b": parquet.String(), "c": parquet.Repeated(parquet.Uint(32)),
	})
	for _, columns := range [][]parquet.SortingColumn{by("a"), by("-~a", "b"), by("b"), by("c", "-a")} {
		r := rand.New(rand.NewPCG(3, 4))
		rows := make([]any, 500)
		for i := range rows {
			m := map[string]any{"b": randomString(r), "c": []uint32{r.Uint32(), 2}[:r.IntN(3)]}
			if r.IntN(3) > 0 {
				m["a"] = r.Int64N(9)
			}
			rows[i] = m
		}
		var out bytes.Buffer
		w := parquetsort.NewWriter[any](&out, 60, schema, parquet.SortingWriterConfig(parquet.SortingColumns(columns...)))
		got, _ := writeTrial[any](t, w, &out, rows, trial{batch: 77})
		sameRows(t, fmt.Sprint(columns), got, oracle(schema, rows, columns, false))
	}
}

// TestOtherSchema writes a struct with a schema that has some of its columns.
func TestOtherSchema(t *testing.T) {
	schema := parquet.NewSchema("part", parquet.Group{"i64": parquet.Int(64), "row": parquet.Int(64)})
	r := rand.New(rand.NewPCG(3, 4))
	rows := make([]numbers, 300)
	for i := range rows {
		rows[i] = randomNumbers(r, i)
	}
	var out bytes.Buffer
	w := parquetsort.NewWriter[numbers](&out, 70, schema, parquet.SortingWriterConfig(parquet.SortingColumns(by("-i64")...)))
	got, _ := writeTrial[numbers](t, w, &out, rows, trial{batch: 300})
	sameRows(t, "part", got, oracle(schema, rows, by("-i64"), false))
}

// TestNaNs has NaNs before other floats, equal to each other.
func TestNaNs(t *testing.T) {
	type row struct {
		F    float64   `parquet:"f"`
		List []float32 `parquet:"list"`
		Row  int       `parquet:"row"`
	}
	r := rand.New(rand.NewPCG(5, 6))
	rows := make([]row, 500)
	for i := range rows {
		f := []float64{math.NaN(), math.Float64frombits(math.Float64bits(math.NaN()) | 1<<63), math.Copysign(0, -1), 0, 1, -1, math.Inf(1), math.Inf(-1)}[r.IntN(8)]
		rows[i] = row{f, []float32{float32(f)}, i}
	}
	for _, name := range []string{"f", "list"} {
		want := slices.Clone(rows)
		slices.SortStableFunc(want, func(a, b row) int { return cmp.Compare(a.F, b.F) })
		var out bytes.Buffer
		w := parquetsort.NewWriter[row](&out, 60, parquet.SortingWriterConfig(parquet.SortingColumns(by(name)...)))
		writeTrial(t, w, &out, rows, trial{batch: 100})
		got, err := parquet.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i].Row != want[i].Row {
				t.Fatalf("by %s: row %d is %v, want %v", name, i, got[i], want[i])
			}
		}
	}
}

// TestReused writes rows whose memory is changed after each Write.
func TestReused(t *testing.T) {
	type row struct {
		Raw  []byte            `parquet:"raw"`
		P    *int64            `parquet:"p"`
		List []string          `parquet:"list"`
		Map  map[string]string `parquet:"-"`
	}
	var out bytes.Buffer
	w := parquetsort.NewWriter[row](&out, 10, parquet.SortingWriterConfig(parquet.SortingColumns(by("raw")...)))
	raw, p, list := []byte{0}, new(int64), []string{""}
	rows := []row{{raw, p, list, nil}}
	for i := range 35 {
		raw[0], *p, list[0] = byte(35-i), int64(35-i), fmt.Sprint(35-i)
		if _, err := w.Write(rows); err != nil {
			t.Fatal(err)
		}
	}
	raw[0], *p, list[0] = 99, 99, "99"
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		v := int64(i + 1)
		if want := (row{[]byte{byte(v)}, &v, []string{fmt.Sprint(v)}, nil}); !reflect.DeepEqual(got[i], want) {
			t.Fatalf("row %d is %v, want %v", i, got[i], want)
		}
	}
}

// TestWriteRows mixes Write and WriteRows in all orders.
func TestWriteRows(t *testing.T) {
	columns := by("~deep.a", "-i")
	for _, c := range []trial{{limit: 1000}, {limit: 40}, {limit: 40, drop: true}} {
		for pattern := range 8 {
			r := rand.New(rand.NewPCG(7, uint64(pattern)))
			rows := make([]optionals, 300)
			for i := range rows {
				rows[i] = randomOptionals(r, i)
			}
			var out bytes.Buffer
			w := parquetsort.NewWriter[optionals](&out, c.limit, c.options("", columns)...)
			for i := range 3 {
				part := rows[i*100 : (i+1)*100]
				var n int
				var err error
				if pattern>>i&1 == 0 {
					n, err = w.Write(part)
				} else {
					values := oracle(w.Schema(), part, nil, false)
					n, err = w.WriteRows(values)
					for _, row := range values {
						clear(row)
					}
				}
				if n != len(part) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if parquetsort.Typed(w) != (pattern == 0) {
				t.Errorf("pattern %b: typed is %t", pattern, pattern != 0)
			}
			got, _ := readAll(t, out.Bytes())
			sameRows(t, fmt.Sprintf("pattern %b %+v", pattern, c), got, oracle(w.Schema(), rows, columns, c.drop))
		}
	}
}

// TestWriteRowsChecks writes rows that the schema does not have. Each is an error that names the column, and of the
// rows before none is lost in silence: all calls return the error.
func TestWriteRowsChecks(t *testing.T) {
	schema := parquet.NewSchema("rows", parquet.Group{
		"a": parquet.Leaf(parquet.Int64Type),
		"b": parquet.Optional(parquet.String()),
		"c": parquet.Repeated(parquet.Leaf(parquet.Int32Type)),
		"d": parquet.Leaf(parquet.FixedLenByteArrayType(2)),
	})
	a, b := parquet.Int64Value(1).Level(0, 0, 0), parquet.ByteArrayValue([]byte("b")).Level(0, 1, 1)
	c, d := parquet.Int32Value(3).Level(0, 1, 2), parquet.FixedLenByteArrayValue([]byte("dd")).Level(0, 0, 3)
	good := parquet.Row{a, b, c, parquet.Int32Value(4).Level(1, 1, 2), d}
	for name, test := range map[string]struct {
		row    parquet.Row
		column string
	}{
		"no row":               {parquet.Row{}, "a"},
		"a column is missing":  {parquet.Row{a, c, d}, "b"},
		"a value too many":     {parquet.Row{a, a, b, c, d}, "a"},
		"out of place":         {parquet.Row{a, b, c, d, b}, "column 1"},
		"beyond the schema":    {parquet.Row{a, b, c, d, parquet.Int64Value(1).Level(0, 0, 4)}, "column 4"},
		"no column":            {parquet.Row{parquet.Int64Value(1), b, c, d}, "a"},
		"null, required":       {parquet.Row{parquet.NullValue().Level(0, 0, 0), b, c, d}, "a"},
		"another type":         {parquet.Row{parquet.DoubleValue(1).Level(0, 0, 0), b, c, d}, "a"},
		"bytes for a number":   {parquet.Row{parquet.ByteArrayValue([]byte("12345678")).Level(0, 0, 0), b, c, d}, "a"},
		"value without levels": {parquet.Row{a, parquet.ByteArrayValue([]byte("b")).Level(0, 0, 1), c, d}, "b"},
		"null as a value":      {parquet.Row{a, parquet.NullValue().Level(0, 1, 1), c, d}, "b"},
		"level too high":       {parquet.Row{a, parquet.ByteArrayValue([]byte("b")).Level(0, 2, 1), c, d}, "b"},
		"list goes on":         {parquet.Row{a, b, parquet.Int32Value(3).Level(1, 1, 2), d}, "c"},
		"list begins twice":    {parquet.Row{a, b, c, c, d}, "c"},
		"bytes of another len": {parquet.Row{a, b, c, parquet.FixedLenByteArrayValue([]byte("ddd")).Level(0, 0, 3)}, "d"},
	} {
		var file bytes.Buffer
		w := parquetsort.NewWriter[any](&file, 2, schema, parquet.SortingWriterConfig(parquet.SortingColumns(parquet.Ascending("a"))))
		if n, err := w.WriteRows([]parquet.Row{good, good, good}); n != 3 || err != nil {
			t.Fatalf("good rows: %d, %v", n, err)
		}
		n, err := w.WriteRows([]parquet.Row{good, test.row, good})
		want := test.column
		if len(want) == 1 {
			want = "column " + want + ": "
		}
		if n != 1 || err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Errorf("%s: %d rows, %v, want an error of %s", name, n, err, want)
		}
		if _, again := w.WriteRows([]parquet.Row{good}); again != err {
			t.Errorf("%s: then %v", name, again)
		}
		if again := w.Close(); again != err || file.Len() > len("PAR1") {
			t.Errorf("%s: Close is %v, %d bytes are written", name, again, file.Len())
		}
		w.Reset(&file)
		if _, err := w.WriteRows([]parquet.Row{good}); err != nil || w.Close() != nil {
			t.Errorf("%s: after Reset: %v", name, err)
		}
	}
}
