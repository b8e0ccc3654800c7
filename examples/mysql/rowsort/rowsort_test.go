package rowsort

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// sample is a type and values of it, as columns and expressions have them.
type sample struct {
	name   string
	typ    sql.Type
	draw   func(r *rand.Rand) any
	engine bool // the engine's comparator sorts
}

func pick(values ...any) func(*rand.Rand) any {
	return func(r *rand.Rand) any { return values[r.IntN(len(values))] }
}

func drawText(r *rand.Rand) any {
	letters := []rune("aAbBäÄßzZ09 _-\u00e9e\u0301日本𝄞\u2028\ufffd\ue000\uffff")
	text := make([]rune, r.IntN(4))
	for i := range text {
		text[i] = letters[r.IntN(len(letters))]
	}
	return string(text)
}

func drawBytes(r *rand.Rand) any {
	b := make([]byte, r.IntN(4))
	for i := range b {
		b[i] = []byte{0, 1, 'a', 'b', 0x7f, 0x80, 0xc3, 0xff}[r.IntN(8)]
	}
	return b
}

func drawDecimal(r *rand.Rand) any {
	if r.IntN(8) == 0 {
		d, _ := decimal.NewFromString([]string{
			"99999999999999999999999999999999999", "-99999999999999999999999999999999999.5", "0.000000000000000000000000000001",
			"9223372036854775808", "-9223372036854775808", "100", "-100", "0",
		}[r.IntN(8)])
		return d
	}
	return decimal.New(r.Int64N(2001)-1000, int32(r.IntN(5))-3)
}

func drawTime(r *rand.Rand) any {
	t := time.Date(1+r.IntN(9999), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), 0, 0, r.IntN(3)*1000, time.UTC)
	if r.IntN(2) == 0 {
		t = time.Date(2024, 2, 29, r.IntN(3), 0, r.IntN(2), r.IntN(2)*1000, time.UTC)
	}
	return t
}

func samples() []sample {
	enumType := types.MustCreateEnumType([]string{"low", "mid", "top"}, sql.Collation_Default)
	return []sample{
		{name: "int64", typ: types.Int64, draw: pick(int64(math.MinInt64), int64(-1), int64(0), int64(7), int64(math.MaxInt64))},
		{name: "int8", typ: types.Int8, draw: pick(int8(-128), int8(0), int8(127), int64(400), int32(-300), int16(12))},
		{name: "int64 of others", typ: types.Int64, draw: pick("12", "x", " 7", "1e3", []byte{1, 2}, 2.5, float32(-1.5), true, uint64(math.MaxUint64), uint8(3), decimal.New(25, -1), time.Unix(9, 0))},
		{name: "int64 of JSON", typ: types.Int64, draw: pick(int64(1), types.JSONDocument{Val: 2.0}), engine: true},
		{name: "uint64", typ: types.Uint64, draw: pick(uint64(0), uint64(1), uint64(math.MaxInt64), uint64(1<<63), uint64(math.MaxUint64))},
		{name: "uint8", typ: types.Uint8, draw: pick(uint8(0), uint8(255), uint16(700), uint32(9), int64(-5), "31", true)},
		{name: "uint64 of no number", typ: types.Uint64, draw: pick(uint64(1), "x"), engine: true},
		{name: "float64", typ: types.Float64, draw: pick(math.Inf(-1), -1.5, math.Copysign(0, -1), 0.0, 1e-300, 2.5, math.Inf(1))},
		{name: "float32", typ: types.Float32, draw: pick(float32(-1.5), float32(0), 2.25, int64(3), "4.5", uint64(1<<63))},
		{name: "float64 with NaN", typ: types.Float64, draw: pick(1.0, math.NaN()), engine: true},
		{name: "boolean", typ: types.Boolean, draw: pick(true, false, int8(1), int8(0))},
		{name: "decimal", typ: types.MustCreateDecimalType(65, 30), draw: drawDecimal},
		{name: "decimal column", typ: types.MustCreateColumnDecimalType(10, 2), draw: drawDecimal},
		{name: "decimal of others", typ: types.InternalDecimalType, draw: pick("1.50", "1.5", int64(2), 0.25, uint8(1), "-3e2")},
		{name: "varchar binary", typ: types.MustCreateString(sqltypes.VarBinary, 10, sql.Collation_binary), draw: drawBytes},
		{name: "blob", typ: types.Blob, draw: pick("x", []byte("xa"), []byte{}, "\xff", []byte{0xfe})},
		{name: "text default", typ: types.Text, draw: drawText},
		{name: "text malformed", typ: types.Text, draw: pick("a\xff", "a\xc3", "a\xff\xff", "a\ufffd", "a\u00e9", "a")},
		{name: "text of others", typ: types.LongText, draw: pick("x", []byte("y"), int64(12), 2.5, decimal.New(5, -1), true)},
		{name: "text ci", typ: types.MustCreateString(sqltypes.VarChar, 20, sql.Collation_utf8mb4_0900_ai_ci), draw: drawText},
		{name: "long text", typ: types.Text, draw: func(r *rand.Rand) any { return strings.Repeat("ab", 250+r.IntN(3)) + drawText(r).(string) }},
		{name: "date", typ: types.Date, draw: drawTime},
		{name: "datetime", typ: types.DatetimeMaxPrecision, draw: drawTime},
		{name: "timestamp", typ: types.Timestamp, draw: drawTime},
		{name: "datetime of text", typ: types.Datetime, draw: pick("2020-01-02", time.Unix(0, 0)), engine: true},
		{name: "datetime with nanoseconds", typ: types.DatetimeMaxPrecision, draw: pick(time.Unix(0, 1), time.Unix(0, 2)), engine: true},
		{name: "time", typ: types.Time, draw: pick(types.Timespan(-5), types.Timespan(0), types.Timespan(1e9), "10:11:12", int64(59))},
		{name: "year", typ: types.Year, draw: pick(int16(1901), int16(2155), int16(0), int64(70), "69")},
		{name: "bit", typ: types.MustCreateBitType(64), draw: pick(uint64(0), uint64(1), uint64(math.MaxUint64), true)},
		{name: "enum", typ: enumType, draw: pick(uint16(1), uint16(2), uint16(3), "low", "top", "none", uint16(9))},
		{name: "set", typ: types.MustCreateSetType([]string{"a", "b", "c"}, sql.Collation_Default), draw: pick(uint64(0), uint64(1), uint64(6), "a,c", "b")},
		{name: "null", typ: types.Null, draw: pick(nil)},
		{name: "json", typ: types.JSON, draw: pick(types.JSONDocument{Val: 1.0}, types.JSONDocument{Val: "a"}, types.JSONDocument{Val: true}), engine: true},
		{name: "tuple", typ: types.CreateTuple(types.Int64, types.Int64), draw: pick([]any{int64(1), int64(2)}, []any{int64(1), int64(1)}), engine: true},
	}
}

// table draws n rows of the samples' types, a share of nulls among them, and the row's number.
func table(r *rand.Rand, n int, nulls float64, of ...sample) []sql.Row {
	rows := make([]sql.Row, n)
	for i := range rows {
		for _, s := range of {
			var v any
			if r.Float64() >= nulls {
				v = s.draw(r)
			}
			rows[i] = append(rows[i], v)
		}
		rows[i] = append(rows[i], i)
	}
	return rows
}

func numbers(rows []sql.Row) []int {
	n := make([]int, len(rows))
	for i, row := range rows {
		n[i] = row[len(row)-1].(int)
	}
	return n
}

// check compares Sort and Partition with the engine and returns how they sorted.
func check(t *testing.T, fields []sql.SortField, rows []sql.Row) Counts {
	t.Helper()
	ctx := sql.NewEmptyContext()
	want := append([]sql.Row(nil), rows...)
	oracle := &expression.Sorter{SortFields: fields, Rows: want, Ctx: ctx}
	sort.Stable(oracle)

	got := append([]sql.Row(nil), rows...)
	before := Counted()
	err := Sort(ctx, fields, got)
	after := Counted()
	if fmt.Sprint(err) != fmt.Sprint(oracle.LastError) {
		t.Fatalf("error %v, want %v", err, oracle.LastError)
	}
	if !reflect.DeepEqual(numbers(got), numbers(want)) {
		t.Fatalf("order of %v\n got %v\nwant %v", rows, got, want)
	}
	copy(got, rows)
	if oracle.LastError == nil {
		checkPartition(t, ctx, fields, got, want)
	}
	return Counts{Many: after.Many - before.Many, Engine: after.Engine - before.Engine}
}

// checkPartition compares Partition of rows, by as many leading fields as may be expressions of a
// partition, with the sorted rows.
func checkPartition(t *testing.T, ctx *sql.Context, fields []sql.SortField, rows, want []sql.Row) {
	t.Helper()
	by := 0
	var partitionBy []sql.Expression
	for by < len(fields) && by < 2 && fields[by].Order == sql.Ascending && fields[by].NullOrdering == sql.NullsFirst {
		partitionBy = append(partitionBy, fields[by].Column)
		by++
	}
	places, partitions, err := Partition(ctx, partitionBy, fields[by:], rows)
	if err != nil || !reflect.DeepEqual(numbers(rows), numbers(want)) {
		t.Fatalf("Partition: %v, error %v\nwant %v", numbers(rows), err, numbers(want))
	}
	if !reflect.DeepEqual(places, numbers(want)) {
		t.Fatalf("places %v, want %v", places, numbers(want))
	}
	if partitions == nil {
		return // the engine's comparator sorted, or there are no rows
	}
	next := 0
	for k, p := range partitions {
		if p.Start != next || p.End <= p.Start {
			t.Fatalf("partition %v after %d", p, next)
		}
		next = p.End
		for i := p.Start; i < p.End; i++ {
			if i > p.Start && differ(t, ctx, partitionBy, want[i-1], want[i]) {
				t.Fatalf("rows %v and %v in one partition", want[i-1], want[i])
			}
		}
		if k > 0 && !differ(t, ctx, partitionBy, want[p.Start-1], want[p.Start]) {
			t.Fatalf("rows %v and %v in two partitions", want[p.Start-1], want[p.Start])
		}
	}
	if next != len(rows) {
		t.Fatalf("partitions end at %d of %d", next, len(rows))
	}
}

// differ is the engine's isNewPartition.
func differ(t *testing.T, ctx *sql.Context, by []sql.Expression, a, b sql.Row) bool {
	t.Helper()
	for _, e := range by {
		av, errA := e.Eval(ctx, a)
		bv, errB := e.Eval(ctx, b)
		cmp, err := e.Type().Compare(ctx, av, bv)
		if err := errors.Join(errA, errB, err); err != nil {
			t.Fatal(err)
		}
		if cmp != 0 {
			return true
		}
	}
	return false
}

func directions(e sql.Expression) []sql.SortField {
	return []sql.SortField{
		{Column: e, Order: sql.Ascending, NullOrdering: sql.NullsFirst},
		{Column: e, Order: sql.Ascending, NullOrdering: sql.NullsLast},
		{Column: e, Order: sql.Descending, NullOrdering: sql.NullsFirst},
		{Column: e, Order: sql.Descending, NullOrdering: sql.NullsLast},
	}
}

var sizes = []int{0, 1, 2, 3, 10, fewRows, fewRows + 1, 200}

func TestTypes(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for _, n := range sizes {
				for _, f := range directions(expression.NewGetField(0, s.typ, "c", true)) {
					for _, nulls := range []float64{0, 0.3} {
						rows := table(r, n, nulls, s)
						how := check(t, []sql.SortField{f}, rows)
						if n == 200 && (how.Engine == 1) != s.engine {
							t.Fatalf("sorted by %+v", how)
						}
					}
				}
			}
		})
	}
}

func TestManyFields(t *testing.T) {
	all := samples()
	r := rand.New(rand.NewPCG(3, 4))
	for range 400 {
		of := make([]sample, 1+r.IntN(4))
		fields := make([]sql.SortField, len(of))
		for i := range of {
			of[i] = all[r.IntN(len(all))]
			var e sql.Expression = expression.NewGetField(i, of[i].typ, "c", true)
			if r.IntN(3) == 0 {
				e = expression.NewAlias("computed", e) // no plain column
			}
			fields[i] = directions(e)[r.IntN(4)]
		}
		check(t, fields, table(r, sizes[r.IntN(len(sizes))], []float64{0, 0.1, 0.9}[r.IntN(3)], of...))
	}
}

func TestCollations(t *testing.T) {
	collations := sql.NewCollationsIterator()
	tested := 0
	for c, ok := collations.Next(); ok; c, ok = collations.Next() {
		if c.Sorter == nil || c.CharacterSet.Encoder() == nil {
			continue
		}
		tested++
		typ := types.MustCreateString(sqltypes.VarChar, 20, c.ID)
		if c.ID == sql.Collation_binary {
			typ = types.LongBlob
		}
		r := rand.New(rand.NewPCG(5, uint64(c.ID)))
		for _, n := range []int{fewRows, 150} {
			s := sample{typ: typ, draw: func(r *rand.Rand) any {
				if r.IntN(3) == 0 {
					return string(rune(r.IntN(0x110000))) + string(rune(r.IntN(0x3000)))
				}
				return drawText(r)
			}}
			f := directions(expression.NewGetField(0, typ, "c", true))[r.IntN(4)]
			if how := check(t, []sql.SortField{f}, table(r, n, 0.05, s)); how.Engine != 0 {
				t.Errorf("%s: sorted by the engine", c.Name)
			}
		}
	}
	if tested < 100 {
		t.Errorf("only %d collations", tested)
	}
}

// TestWeights encodes weights of every length in order.
func TestWeights(t *testing.T) {
	weights := []int32{0, 1, 0x7f, 0x80, 0x81, 0x407f, 0x4080, 0x4081, math.MaxInt32 - 1, math.MaxInt32}
	last := ""
	for i, w := range weights {
		key, ok := appendWeight(nil, w)
		if !ok || len(key) > maxWeight || i > 0 && string(key) <= last || i > 0 && strings.HasPrefix(string(key), last) {
			t.Errorf("weight %#x: %x after %x", w, key, last)
		}
		last = string(key)
	}
	if _, ok := appendWeight(nil, -1); ok {
		t.Error("a negative weight has a code")
	}
}

func TestDecimalOutOfRange(t *testing.T) {
	for _, d := range []decimal.Decimal{decimal.New(1, 200), decimal.New(1, -200)} {
		if key, ok := appendDecimal(nil, d, make([]byte, 0, 96)); ok {
			t.Errorf("%v has the key %x", d, key)
		}
	}
}

// counting is an expression that counts its evaluations and fails where told.
type counting struct {
	sql.Expression
	calls *int
	fail  func(row sql.Row) error
}

func (c counting) Eval(ctx *sql.Context, row sql.Row) (any, error) {
	*c.calls++
	if c.fail != nil {
		if err := c.fail(row); err != nil {
			return nil, err
		}
	}
	return c.Expression.Eval(ctx, row)
}

func TestExpressionsAreEvaluatedOnce(t *testing.T) {
	for _, n := range []int{2, 20, 500} {
		rows := make([]sql.Row, n)
		for i := range rows {
			rows[i] = sql.Row{int64(i * 7 % 11 / 2), int64(i * 7 % 11), i}
		}
		var first, second, third int
		fields := []sql.SortField{
			{Column: counting{expression.NewGetField(0, types.Int64, "a", false), &first, nil}},
			{Column: counting{expression.NewGetField(1, types.Int64, "b", false), &second, nil}},
			{Column: counting{expression.NewGetField(2, types.Int64, "c", false), &third, nil}},
		}
		if err := Sort(sql.NewEmptyContext(), fields, rows); err != nil {
			t.Fatal(err)
		}
		if first != n || second > n || third > second {
			t.Errorf("%d rows: %d, %d and %d evaluations", n, first, second, third)
		}
	}
}

func TestRowsThatDoNotTieAreNotEvaluated(t *testing.T) {
	for _, n := range []int{10, 100} {
		rows := make([]sql.Row, n)
		for i := range rows {
			rows[i] = sql.Row{int64(n - i), int64(0), i}
		}
		rows[3][0] = rows[7][0]
		calls := 0
		if err := Sort(sql.NewEmptyContext(), []sql.SortField{
			{Column: expression.NewGetField(0, types.Int64, "a", false)},
			{Column: counting{expression.NewGetField(1, types.Int64, "b", false), &calls, nil}},
		}, rows); err != nil {
			t.Fatal(err)
		}
		if calls != 2 {
			t.Errorf("%d rows: %d evaluations for two that tie", n, calls)
		}
	}
}

func TestErrorsOfExpressions(t *testing.T) {
	broken := errors.New("broken")
	for _, n := range []int{2, 10, 300} {
		for _, column := range []int{0, 1} {
			r := rand.New(rand.NewPCG(7, uint64(n)))
			ints := samples()[0]
			calls := 0
			fields := []sql.SortField{
				{Column: expression.NewGetField(0, ints.typ, "a", true)},
				{Column: expression.NewGetField(1, ints.typ, "b", true)},
			}
			fields[column].Column = counting{fields[column].Column, &calls, func(row sql.Row) error {
				if row[2] == n/2 {
					return broken
				}
				return nil
			}}
			check(t, fields, table(r, n, 0, ints, ints))
		}
	}
	// The error is the engine's, of its kind and with its cause.
	calls := 0
	f := sql.SortField{Column: counting{expression.NewGetField(0, types.Int64, "a", true), &calls, func(sql.Row) error { return broken }}}
	if err := Sort(sql.NewEmptyContext(), []sql.SortField{f}, table(rand.New(rand.NewPCG(1, 1)), 100, 0, samples()[0])); !sql.ErrUnableSort.Is(err) {
		t.Errorf("error %v", err)
	}
}

func TestCancelled(t *testing.T) {
	parent, cancel := context.WithCancel(context.Background())
	ctx := sql.NewContext(parent)
	rows := table(rand.New(rand.NewPCG(9, 9)), 5000, 0, samples()[0])
	want := numbers(rows)
	calls := 0
	f := sql.SortField{Column: counting{expression.NewGetField(0, types.Int64, "a", true), &calls, func(sql.Row) error {
		if calls == 2000 {
			cancel()
		}
		return nil
	}}}
	if err := Sort(ctx, []sql.SortField{f}, rows); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if calls > 2000+rowsPerCheck {
		t.Errorf("%d evaluations", calls)
	}
	if !reflect.DeepEqual(numbers(rows), want) {
		t.Error("rows have moved")
	}
}

func TestNoFields(t *testing.T) {
	for _, n := range sizes {
		check(t, nil, table(rand.New(rand.NewPCG(1, 1)), n, 0, samples()[0]))
	}
}

func TestFieldOutsideTheRow(t *testing.T) {
	check(t, directions(expression.NewGetField(9, types.Int64, "gone", true))[:1], table(rand.New(rand.NewPCG(1, 1)), 40, 0, samples()[0]))
}

func TestByPlace(t *testing.T) {
	for _, n := range []int{0, 1, 2, 30, 1000} {
		rows := make([]sql.Row, n)
		for i, place := range rand.New(rand.NewPCG(11, 12)).Perm(n) {
			rows[i] = sql.Row{2 * place, 2 * place}
		}
		if err := ByPlace(rows); err != nil {
			t.Fatal(err)
		}
		for i, row := range rows {
			if !reflect.DeepEqual(row, sql.Row{2 * i}) {
				t.Fatalf("row %d of %d is %v", i, n, row)
			}
		}
	}
	none := []sql.Row{{"a result of no rows", nil}}
	if err := ByPlace(none); err != nil || !reflect.DeepEqual(none[0], sql.Row{"a result of no rows"}) {
		t.Errorf("%v, error %v", none, err)
	}
}

// TestConcurrentSorts shares the pool and the collations.
func TestConcurrentSorts(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(13, 14))
			f := directions(expression.NewGetField(0, s.typ, "c", true))
			for range 10 {
				rows := table(r, 2+r.IntN(60), 0.1, s)
				_ = Sort(sql.NewEmptyContext(), f[:1], rows)
				oracle := &expression.Sorter{SortFields: f[:1], Rows: append([]sql.Row(nil), rows...), Ctx: sql.NewEmptyContext()}
				sort.Stable(oracle)
				if !s.engine && !reflect.DeepEqual(numbers(rows), numbers(oracle.Rows)) {
					t.Fatal("out of order")
				}
			}
		})
	}
}
