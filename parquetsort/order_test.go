package parquetsort_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/parquetsort"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"
)

// float16 is the type of FLOAT16, which package parquet has no constructor for.
type float16 struct{ parquet.Type }

func (float16) LogicalType() *format.LogicalType {
	return &format.LogicalType{Value: &format.Float16Type{}}
}

// typeOrder is the order of values of a type.
type typeOrder struct {
	name    string
	node    parquet.Node
	values  [][]parquet.Value // ascending; those of one group tie
	unknown bool              // to the format, so that files do not state it
}

func ints(values ...int64) (groups [][]parquet.Value) {
	for _, v := range values {
		groups = append(groups, []parquet.Value{parquet.Int64Value(v)})
	}
	return groups
}

func ints32(values ...int64) (groups [][]parquet.Value) {
	for _, v := range values {
		groups = append(groups, []parquet.Value{parquet.Int32Value(int32(v))})
	}
	return groups
}

func texts(values ...string) (groups [][]parquet.Value) {
	for _, v := range values {
		groups = append(groups, []parquet.Value{parquet.ByteArrayValue([]byte(v))})
	}
	return groups
}

func fixed(values ...string) (groups [][]parquet.Value) {
	for _, v := range values {
		groups = append(groups, []parquet.Value{parquet.FixedLenByteArrayValue([]byte(v))})
	}
	return groups
}

// fixedDecimals returns numbers of n bytes.
func fixedDecimals(n int, values ...int64) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(twosComplement(big.NewInt(v), n))
	}
	return all
}

// twosComplement returns a number as n big-endian bytes.
func twosComplement(v *big.Int, n int) []byte {
	if v.Sign() < 0 {
		v = new(big.Int).Add(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return v.FillBytes(make([]byte, n))
}

// halves returns groups of 16-bit floats.
func halves(groups ...[]uint16) (all [][]parquet.Value) {
	for _, g := range groups {
		var values []parquet.Value
		for _, h := range g {
			values = append(values, parquet.FixedLenByteArrayValue(binary.LittleEndian.AppendUint16(nil, h)))
		}
		all = append(all, values)
	}
	return all
}

func floats(of func(float64) parquet.Value) [][]parquet.Value {
	nan := []parquet.Value{of(math.NaN()), of(-math.NaN())}
	zero := []parquet.Value{of(0), of(math.Copysign(0, -1))}
	return [][]parquet.Value{nan, {of(math.Inf(-1))}, {of(-1.5)}, {of(-1e-40)}, zero, {of(1e-40)}, {of(2)}, {of(math.Inf(1))}}
}

// typeOrders are the types of parquet.thrift, and their order by ColumnOrder there.
var typeOrders = []typeOrder{
	{"BOOLEAN", parquet.Leaf(parquet.BooleanType), [][]parquet.Value{{parquet.BooleanValue(false)}, {parquet.BooleanValue(true)}}, false},
	{"INT32", parquet.Leaf(parquet.Int32Type), ints32(math.MinInt32, -1, 0, 1, math.MaxInt32), false},
	{"INT64", parquet.Leaf(parquet.Int64Type), ints(math.MinInt64, -1, 0, 1, math.MaxInt64), false},
	{"INT96", parquet.Leaf(parquet.Int96Type), [][]parquet.Value{
		{parquet.Int96Value(deprecated.Int96{5, 5, 1 << 31})}, {parquet.Int96Value(deprecated.Int96{1<<32 - 1, 1<<32 - 1, 1<<32 - 1})},
		{parquet.Int96Value(deprecated.Int96{0, 1, 0})}, {parquet.Int96Value(deprecated.Int96{7, 1, 0})}, {parquet.Int96Value(deprecated.Int96{0, 0, 1})},
	}, true},
	{"FLOAT", parquet.Leaf(parquet.FloatType), floats(func(f float64) parquet.Value { return parquet.FloatValue(float32(f)) }), false},
	{"DOUBLE", parquet.Leaf(parquet.DoubleType), floats(parquet.DoubleValue), false},
	{"BYTE_ARRAY", parquet.Leaf(parquet.ByteArrayType), texts("", "\x00", "\x00\x00", "\x00\x01", "a", "a\x00", "\x80", "\xff"), false},
	{"FIXED_LEN_BYTE_ARRAY(3)", parquet.Leaf(parquet.FixedLenByteArrayType(3)), fixed("\x00\x00\x01", "\x01\x00\x00", "\x7f\xff\xff", "\x80\x00\x00"), false},
	{"STRING", parquet.String(), texts("", "A", "a", "é", "\U0001f600"), false},
	{"ENUM", parquet.Enum(), texts("A", "B", "a", "é"), false},
	{"JSON", parquet.JSON(), texts("1", "10", "9", "{}"), false},
	{"BSON", parquet.BSON(), texts("\x05\x00\x00\x00\x00", "\x06", "\xff"), false},
	{"UUID", parquet.UUID(), fixed("0123456789abcdef", "\x7f123456789abcdef", "\x80123456789abcdef"), false},
	{"INT(8)", parquet.Int(8), ints32(-128, -1, 0, 127), false},
	{"INT(16)", parquet.Int(16), ints32(-1<<15, -1, 0, 1<<15-1), false},
	{"INT(32)", parquet.Int(32), ints32(math.MinInt32, -1, 0, 1), false},
	{"INT(64)", parquet.Int(64), ints(math.MinInt64, -1, 0, 1), false},
	{"UINT(8)", parquet.Uint(8), ints32(0, 1, 127, 128, 255), false},
	{"UINT(16)", parquet.Uint(16), ints32(0, 1, 1<<15, 1<<16-1), false},
	{"UINT(32)", parquet.Uint(32), ints32(0, 1, math.MaxInt32, math.MinInt32, -1), false},
	{"UINT(64)", parquet.Uint(64), ints(0, 1, math.MaxInt64, math.MinInt64, -1), false},
	{"DECIMAL(INT32)", parquet.Decimal(2, 9, parquet.Int32Type), ints32(-512, -1, 0, 5), false},
	{"DECIMAL(INT64)", parquet.Decimal(2, 18, parquet.Int64Type), ints(math.MinInt64, -1, 0, 5), false},
	{"DECIMAL(FIXED(4))", parquet.Decimal(2, 9, parquet.FixedLenByteArrayType(4)), fixed(fixedDecimals(4, math.MinInt32, -512, -1, 0, 5, math.MaxInt32)...), false},
	{"DECIMAL(FIXED(16))", parquet.Decimal(2, 38, parquet.FixedLenByteArrayType(16)), fixed(fixedDecimals(16, math.MinInt64, -512, -1, 0, 5, math.MaxInt64)...), false},
	{"DECIMAL(FIXED(33))", parquet.Decimal(0, 70, parquet.FixedLenByteArrayType(33)), fixed(fixedDecimals(33, math.MinInt64, -512, -1, 0, 5, math.MaxInt64)...), false},
	{"DECIMAL(BYTE_ARRAY)", parquet.Decimal(2, 38, parquet.ByteArrayType), [][]parquet.Value{
		slices.Concat(texts("\x80\x00\x00", "\xff\x80\x00\x00")...),
		slices.Concat(texts("\xff\x00", "\xff\xff\xff\xff\x00")...),
		slices.Concat(texts("\x80")...), slices.Concat(texts("\xfe")...),
		slices.Concat(texts("\xff", "\xff\xff\xff")...),
		slices.Concat(texts("", "\x00", "\x00\x00\x00")...),
		slices.Concat(texts("\x01", "\x00\x01")...), slices.Concat(texts("\x7f")...),
		slices.Concat(texts("\x00\x80", "\x00\x00\x80")...), slices.Concat(texts("\x01\x00")...), slices.Concat(texts("\x7f\x00\x00")...),
	}, false},
	{"FLOAT16", parquet.Leaf(float16{parquet.FixedLenByteArrayType(2)}), halves(
		[]uint16{0x7e00, 0xfe01}, []uint16{0xfc00}, []uint16{0xc000}, []uint16{0x8001}, []uint16{0x0000, 0x8000},
		[]uint16{0x0001}, []uint16{0x03ff}, []uint16{0x0400}, []uint16{0x3c00}, []uint16{0x7bff}, []uint16{0x7c00}), false},
	{"DATE", parquet.Date(), ints32(-1, 0, 20000), false},
	{"TIME(MILLIS)", parquet.Time(parquet.Millisecond), ints32(0, 1, 86_399_999), false},
	{"TIME(NANOS)", parquet.Time(parquet.Nanosecond), ints(0, 1, 86_399_999_999_999), false},
	{"TIMESTAMP(MILLIS)", parquet.Timestamp(parquet.Millisecond), ints(-1, 0, 1<<40), false},
	{"TIMESTAMP(NANOS)", parquet.Timestamp(parquet.Nanosecond), ints(math.MinInt64, -1, 0, 1<<60), false},
	{"INTERVAL", parquet.IntervalNode(), fixed("\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"), true},
}

// keyed is a row of a key in some group of its type; -1: null.
type keyed struct {
	value parquet.Value
	group int
}

// draw returns n keys, some of them null if that is allowed.
func (o typeOrder) draw(r *rand.Rand, n int, nulls bool) []keyed {
	rows := make([]keyed, n)
	for i := range rows {
		if g := r.IntN(len(o.values) + 1); g < len(o.values) {
			rows[i] = keyed{o.values[g][r.IntN(len(o.values[g]))], g}
		} else if nulls {
			rows[i].group = -1
		} else {
			rows[i] = keyed{o.values[0][0], 0}
		}
	}
	return rows
}

// compareKeyed is the oracle.
func compareKeyed(a, b keyed, c parquet.SortingColumn) int {
	if a.group < 0 || b.group < 0 {
		nullsLast := cmp.Compare(b.group>>31, a.group>>31)
		if c.NullsFirst() {
			return -nullsLast
		}
		return nullsLast
	}
	if c.Descending() {
		a, b = b, a
	}
	return cmp.Compare(a.group, b.group)
}

// TestOrderOfTypes sorts every type in memory and through runs, as a column of its own, an optional one
// and a list, in both directions and with nulls at both ends. The file states the order, unless the
// format has none.
func TestOrderOfTypes(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, o := range typeOrders {
		for form, node := range map[string]parquet.Node{"required": o.node, "optional": parquet.Optional(o.node), "list": parquet.Repeated(o.node)} {
			schema := parquet.NewSchema("types", parquet.Group{"k": node, "row": parquet.Leaf(parquet.Int64Type)})
			for _, column := range []string{"k", "-k", "~k", "-~k"} {
				for _, limit := range []int64{1000, 60} {
					name := fmt.Sprintf("%s %s by %s, %d rows at a time", form, o.name, column, limit)
					columns := by(column)
					rows := o.draw(r, 400, form == "optional")
					var out bytes.Buffer
					w := parquetsort.NewWriter[any](&out, limit, schema, parquet.SortingWriterConfig(parquet.SortingColumns(columns...)))
					parquetsort.Shrink(w)
					if _, err := w.WriteRows(rowsOfKeys(rows, form)); err != nil {
						t.Fatal(name, err)
					}
					if err := w.Close(); err != nil {
						t.Fatal(name, err)
					}
					checkOrder(t, name, out.Bytes(), rows, columns[0])
					checkStated(t, name, out.Bytes(), columns, !o.unknown)
				}
			}
		}
	}
}

// rowsOfKeys returns rows of a key and a number.
func rowsOfKeys(keys []keyed, form string) []parquet.Row {
	rows := make([]parquet.Row, len(keys))
	for i, k := range keys {
		definition := 0
		if form != "required" && k.group >= 0 {
			definition = 1
		}
		rows[i] = parquet.Row{k.value.Level(0, definition, 0), parquet.Int64Value(int64(i)).Level(0, 0, 1)}
	}
	return rows
}

// checkOrder compares a file with a stable sort of the rows.
func checkOrder(t *testing.T, name string, file []byte, rows []keyed, column parquet.SortingColumn) {
	t.Helper()
	want := make([]int64, len(rows))
	for i := range want {
		want[i] = int64(i)
	}
	slices.SortStableFunc(want, func(a, b int64) int { return compareKeyed(rows[a], rows[b], column) })
	got, _ := readAll(t, file)
	if len(got) != len(want) {
		t.Fatalf("%s: %d rows", name, len(got))
	}
	for i, row := range got {
		if number := row[len(row)-1].Int64(); number != want[i] {
			t.Fatalf("%s: row %d is %v, want %v", name, i, rows[number].value, rows[want[i]].value)
		}
	}
}

// checkStated fails unless all row groups state the sorting columns, or none of them do.
func checkStated(t *testing.T, name string, file []byte, columns []parquet.SortingColumn, stated bool) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(name, err)
	}
	for _, g := range f.RowGroups() {
		got := g.SortingColumns()
		if !stated && len(got) != 0 || stated && !slices.EqualFunc(got, columns, sameColumn) {
			t.Fatalf("%s: the file states %v", name, got)
		}
	}
}

func sameColumn(a, b parquet.SortingColumn) bool {
	return slices.Equal(a.Path(), b.Path()) && a.Descending() == b.Descending() && a.NullsFirst() == b.NullsFirst()
}

// TestStated: a file states the columns before the first without an order, each once.
func TestStated(t *testing.T) {
	schema := parquet.NewSchema("t", parquet.Group{
		"a": parquet.Int(64), "b": parquet.Int(64), "i": parquet.IntervalNode(), "old": parquet.Leaf(parquet.Int96Type),
	})
	for _, c := range []struct{ by, want []parquet.SortingColumn }{
		{by("b", "-a"), by("b", "-a")},
		{by("b", "b", "a"), by("b", "a")},
		{by("b", "-b"), by("b")},
		{by("-b", "i", "a"), by("-b")},
		{by("old", "b"), nil},
		{nil, nil},
	} {
		var out bytes.Buffer
		w := parquetsort.NewWriter[any](&out, 9, schema, parquet.SortingWriterConfig(parquet.SortingColumns(c.by...)))
		row := parquet.Row{parquet.Int64Value(1).Level(0, 0, 0), parquet.Int64Value(2).Level(0, 0, 1), parquet.FixedLenByteArrayValue(make([]byte, 12)).Level(0, 0, 2), parquet.Int96Value(deprecated.Int96{}).Level(0, 0, 3)}
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		checkStated(t, fmt.Sprint(c.by), out.Bytes(), c.want, true)
		var again bytes.Buffer
		w.Reset(&again)
		if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		checkStated(t, fmt.Sprint(c.by, " after Reset"), again.Bytes(), c.want, true)
	}
}

// TestMergeOfRowGroups merges files by package parquet: the result has the order of this package,
// unless that compares values of the type in another way.
func TestMergeOfRowGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	agree := 0
	for _, o := range typeOrders {
		if !o.agrees() {
			t.Logf("package parquet has another order of %s", o.name)
			continue
		}
		agree++
		schema := parquet.NewSchema("types", parquet.Group{"k": parquet.Optional(o.node), "row": parquet.Leaf(parquet.Int64Type)})
		for _, column := range []string{"k", "-k", "~k", "-~k"} {
			columns := by(column)
			sorting := parquet.SortingColumns(columns...)
			var groups []parquet.RowGroup
			for range 3 {
				var out bytes.Buffer
				w := parquetsort.NewWriter[any](&out, 50, schema, parquet.SortingWriterConfig(sorting))
				if _, err := w.WriteRows(rowsOfKeys(o.draw(r, 120, true), "optional")); err != nil {
					t.Fatal(err)
				}
				if err := w.Close(); err != nil {
					t.Fatal(err)
				}
				f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
				if err != nil {
					t.Fatal(err)
				}
				groups = append(groups, f.RowGroups()...)
			}
			merged, err := parquet.MergeRowGroups(groups, schema, parquet.SortingRowGroupConfig(sorting))
			if err != nil {
				t.Fatal(o.name, err)
			}
			o.checkMerged(t, merged, columns[0])
		}
	}
	if agree < 20 {
		t.Errorf("%d types agree", agree)
	}
}

// agrees reports whether package parquet compares values of the type as the format does.
func (o typeOrder) agrees() bool {
	compare := o.node.Type().Compare
	for i := range o.values {
		for j := range o.values {
			for _, a := range o.values[i] {
				for _, b := range o.values[j] {
					if compare(a, b) != cmp.Compare(i, j) {
						return false
					}
				}
			}
		}
	}
	return true
}

func (o typeOrder) checkMerged(t *testing.T, merged parquet.RowGroup, column parquet.SortingColumn) {
	t.Helper()
	from := merged.Rows()
	defer from.Close()
	last, all := keyed{}, 0
	buffer := make([]parquet.Row, 50)
	for {
		n, err := from.ReadRows(buffer)
		for _, row := range buffer[:n] {
			next := keyed{row[0], -1}
			if !row[0].IsNull() {
				next.group = slices.IndexFunc(o.values, func(g []parquet.Value) bool {
					return slices.ContainsFunc(g, func(v parquet.Value) bool { return bytes.Equal(v.Bytes(), row[0].Bytes()) })
				})
			}
			if all > 0 && compareKeyed(last, next, column) > 0 {
				t.Fatalf("%s by %v: %v after %v", o.name, column, next.value, last.value)
			}
			last, all = next, all+1
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if all != 360 {
		t.Fatalf("%s: %d rows", o.name, all)
	}
}

// decimals are Go values of decimals in bytes.
type decimals struct {
	Short    [4]byte  `parquet:"short,decimal(2:9)"`
	Wide     [16]byte `parquet:"wide,decimal(2:38)"`
	Long     [20]byte `parquet:"long,decimal(2:47)"`
	Longer   [33]byte `parquet:"longer,decimal(2:79)"`
	Optional [9]byte  `parquet:"optional,optional,decimal(0:20)"`
	Pointer  *[5]byte `parquet:"pointer,optional,decimal(0:11)"`
	Row      int64    `parquet:"row"`
}

// sliced is one that only the second path takes.
type sliced struct {
	Slice []byte `parquet:"slice,decimal(2:20)"`
	Row   int64  `parquet:"row"`
}

// TestDecimals sorts structs by decimals in bytes, whose oracle are big integers.
func TestDecimals(t *testing.T) {
	checkDecimals(t, true, randomDecimals, map[string]func(d *decimals) []byte{
		"short": func(d *decimals) []byte { return d.Short[:] }, "wide": func(d *decimals) []byte { return d.Wide[:] },
		"long": func(d *decimals) []byte { return d.Long[:] }, "longer": func(d *decimals) []byte { return d.Longer[:] },
		"optional": func(d *decimals) []byte {
			if d.Optional == [9]byte{} {
				return nil
			}
			return d.Optional[:]
		},
		"pointer": func(d *decimals) []byte {
			if d.Pointer == nil {
				return nil
			}
			return d.Pointer[:]
		},
	})
	random := func(r *rand.Rand, i int) sliced { return sliced{randomNumber(r, 9), int64(i)} }
	checkDecimals(t, false, random, map[string]func(*sliced) []byte{"slice": func(s *sliced) []byte { return s.Slice }})
}

func randomDecimals(r *rand.Rand, i int) decimals {
	d := decimals{Row: int64(i)}
	for _, b := range [][]byte{d.Short[:], d.Wide[:], d.Long[:], d.Longer[:], d.Optional[:]} {
		copy(b, randomNumber(r, len(b)))
	}
	if r.IntN(3) > 0 {
		d.Pointer = (*[5]byte)(randomNumber(r, 5))
	}
	return d
}

// randomNumber returns a number of n bytes.
func randomNumber(r *rand.Rand, n int) []byte {
	b := twosComplement(big.NewInt(int64(r.IntN(7)-3)), n)
	if r.IntN(2) == 0 {
		b[r.IntN(n)] ^= byte(r.IntN(256))
	}
	return b
}

// checkDecimals sorts rows by columns, whose bytes are nil if they are null.
func checkDecimals[T any](t *testing.T, typed bool, random func(r *rand.Rand, i int) T, columns map[string]func(*T) []byte) {
	r := rand.New(rand.NewPCG(15, 16))
	for name, of := range columns {
		for _, column := range []string{name, "-" + name, "~" + name, "-~" + name} {
			for _, limit := range []int64{1000, 70} {
				rows := make([]T, 500)
				for i := range rows {
					rows[i] = random(r, i)
				}
				columns := by(column)
				var out bytes.Buffer
				w := parquetsort.NewWriter[T](&out, limit, parquet.SortingWriterConfig(parquet.SortingColumns(columns...)))
				if parquetsort.Typed(w) != typed {
					t.Fatalf("%T: typed is %t", *new(T), !typed)
				}
				got, _ := writeTrial(t, w, &out, rows, trial{batch: 100})
				slices.SortStableFunc(rows, func(a, b T) int { return compareDecimals(of(&a), of(&b), columns[0]) })
				sameRows(t, fmt.Sprint(column, limit), got, oracle(w.Schema(), rows, nil, false))
			}
		}
	}
}

// compareDecimals compares big-endian numbers; nil is null.
func compareDecimals(a, b []byte, c parquet.SortingColumn) int {
	x, y := keyed{group: -1}, keyed{group: -1}
	if a != nil {
		x.group = 1
	}
	if b != nil {
		y.group = 1
	}
	if a != nil && b != nil {
		x.group += number(a).Cmp(number(b))
	}
	return compareKeyed(x, y, c)
}

// number returns the decimal in bytes.
func number(b []byte) *big.Int {
	v := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0]>>7 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return v
}
