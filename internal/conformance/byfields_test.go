package conformance_test

import (
	"database/sql"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

type place struct {
	Street string `csv:"road" json:"street,omitempty"`
	No     uint16
}

type amount float64

// order is an element with a field of each kind of type that ByFields takes.
type orderRow struct {
	ID      int64 `db:"order_id" json:"id"`
	Country string
	Total   amount `json:"total"`
	Paid    bool
	At      time.Time
	Key     [16]byte
	Corner  [3]float32
	Tag     [5]byte
	From    netip.Addr
	Via     *[24]byte
	Raw     []byte
	small   int8
	place          // embedded
	Ship    *place // nil for some
	Rate    *float32
	Tax     sql.NullFloat64
	Note    sql.Null[string]
	Skip    map[string]int
	pos     int
}

func orderRows(n int) []orderRow {
	r := dist.Rand(uint64(n))
	rows := make([]orderRow, n)
	for i := range rows {
		text := fmt.Sprint("text ", r.IntN(9))
		row := orderRow{ID: r.Int64N(20) - 10, Country: []string{"SE", "DE", ""}[r.IntN(3)], Total: amount(r.IntN(7)) / 3, Paid: r.IntN(2) == 0,
			At: time.Unix(r.Int64N(5), 0), Key: [16]byte{8: byte(r.IntN(4))}, Corner: [3]float32{0, float32(r.IntN(3))}, Raw: []byte(text),
			small: int8(r.IntN(5) - 2), place: place{text, uint16(r.IntN(3))}, pos: i}
		row.Tag, row.From = [5]byte{4: byte(r.IntN(3))}, addrOf(uint64(r.IntN(4))<<62)
		if r.IntN(3) > 0 {
			row.Via = &[24]byte{23: byte(r.IntN(3))}
			row.Ship = &place{text[5:], uint16(r.IntN(2))}
		}
		if r.IntN(3) > 0 {
			rate := float32(r.IntN(4))
			row.Rate = &rate
		}
		row.Tax = sql.NullFloat64{Float64: float64(r.IntN(3)), Valid: r.IntN(2) == 0}
		row.Note = sql.Null[string]{V: text, Valid: r.IntN(2) == 0}
		rows[i] = row
	}
	return rows
}

// byField are names and the columns that they stand for.
var byField = []struct {
	name   string
	column sorter.Column[orderRow]
}{
	{"ID", sorter.Asc(func(r orderRow) int64 { return r.ID })},
	{"order_id", sorter.Asc(func(r orderRow) int64 { return r.ID })},
	{"id", sorter.Asc(func(r orderRow) int64 { return r.ID })},
	{"Country", sorter.Asc(func(r orderRow) string { return r.Country })},
	{"total", sorter.Asc(func(r orderRow) amount { return r.Total })},
	{"Paid", sorter.Asc(func(r orderRow) bool { return r.Paid })},
	{"At", sorter.Asc(func(r orderRow) time.Time { return r.At })},
	{"Key", sorter.Asc(func(r orderRow) [16]byte { return r.Key })},
	{"Tag", sorter.Asc(func(r orderRow) [5]byte { return r.Tag })},
	{"-From", sorter.Desc(func(r orderRow) netip.Addr { return r.From })},
	{"Via", sorter.Asc(func(r orderRow) [24]byte { return *r.Via }).NullsLast(func(r orderRow) bool { return r.Via == nil })},
	{"Corner", sorter.Asc(func(r orderRow) [3]float32 { return r.Corner })},
	{"Raw", sorter.Asc(func(r orderRow) []byte { return r.Raw })},
	{"small", sorter.Asc(func(r orderRow) int8 { return r.small })},
	{"Street", sorter.Asc(func(r orderRow) string { return r.Street })},
	{"road", sorter.Asc(func(r orderRow) string { return r.Street })},
	{"place.No", sorter.Asc(func(r orderRow) uint16 { return r.No })},
	{"Ship.street", sorter.Asc(func(r orderRow) string { return r.Ship.Street }).NullsLast(func(r orderRow) bool { return r.Ship == nil })},
	{"Rate", sorter.Asc(func(r orderRow) float32 { return *r.Rate }).NullsLast(func(r orderRow) bool { return r.Rate == nil })},
	{"Tax", sorter.Asc(func(r orderRow) float64 { return r.Tax.Float64 }).NullsLast(func(r orderRow) bool { return !r.Tax.Valid })},
	{"Tax.Float64", sorter.Asc(func(r orderRow) float64 { return r.Tax.Float64 })},
	{"Note", sorter.Asc(func(r orderRow) string { return r.Note.V }).NullsLast(func(r orderRow) bool { return !r.Note.Valid })},
	{"-ID", sorter.Desc(func(r orderRow) int64 { return r.ID })},
	{"-Rate", sorter.Desc(func(r orderRow) float32 { return *r.Rate }).NullsLast(func(r orderRow) bool { return r.Rate == nil })},
	{"-Note", sorter.Desc(func(r orderRow) string { return r.Note.V }).NullsLast(func(r orderRow) bool { return !r.Note.Valid })},
}

func TestByFields(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 13, 50, 300, testkit.Pick(5000, 40_000)} {
		in := orderRows(n)
		for i, f := range byField {
			for j, second := range []int{-1, (5*i + n) % len(byField)} {
				if testkit.Thinned(i + 4*j + n) {
					continue
				}
				names, cols := []string{f.name}, []sorter.Column[orderRow]{f.column}
				if second >= 0 {
					names, cols = append(names, byField[second].name), append(cols, byField[second].column)
				}
				checkByFields(t, in, names, cols)
			}
		}
	}
}

func checkByFields(t *testing.T, in []orderRow, names []string, cols []sorter.Column[orderRow]) {
	t.Helper()
	name, by := fmt.Sprintf("ByFields(%q), n=%d", names, len(in)), sorter.By(cols...)
	fields, err := sorter.ByFields[orderRow](names...)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	position := func(r orderRow) int { return r.pos }
	guess, _ := by.Order(in)
	want, got := sortedStably(in, guess, by.Compare), slices.Clone(in)
	err = fields.Sort(got, sorter.Stable())
	checkSame(t, name, err, mapped(got, position), mapped(want, position))

	pointers := make([]*orderRow, len(in))
	for i := range in {
		pointers[i] = &in[i]
	}
	ofPointers, err := sorter.ByFields[*orderRow](names...)
	if err == nil {
		err = ofPointers.Sort(pointers, sorter.Stable(), sorter.Workers(2))
	}
	checkSame(t, name+", of pointers", err, mapped(pointers, func(r *orderRow) int { return r.pos }), mapped(want, position))

	for i := 1; i < min(len(in), 100); i++ {
		if a, b := fields.Compare(in[i-1], in[i]), by.Compare(in[i-1], in[i]); a != b {
			t.Errorf("%s: Compare is %d, want %d", name, a, b)
		}
		if a, b := ofPointers.Compare(&in[i-1], &in[i]), by.Compare(in[i-1], in[i]); a != b {
			t.Errorf("%s: Compare of pointers is %d, want %d", name, a, b)
		}
	}
}

// TestByFieldsOfNilPointers sorts nil pointers last.
func TestByFieldsOfNilPointers(t *testing.T) {
	a, b := &place{"a", 1}, &place{"b", 2}
	by, err := sorter.ByFields[*place]("-Street")
	if err != nil {
		t.Fatal(err)
	}
	s := []*place{nil, a, nil, b}
	checkSame(t, "nil pointers", by.Sort(s), s, []*place{b, a, nil, nil})
	if i, ok := by.Search(s, nil); i != 2 || !ok {
		t.Errorf("Search finds nil at %d, %v", i, ok)
	}
}

// itself is a pointer to its own type.
type itself *itself

func TestByFieldsErrors(t *testing.T) {
	type twice struct {
		A int `json:"x"`
		B int `db:"x"`
	}
	type unnamed struct {
		A int `json:",omitempty"`
	}
	type endless struct{ P itself }
	for _, c := range []struct {
		of   func() error
		says []string
	}{
		{byFieldsError[orderRow]("Country", "Nation"), []string{`"Nation"`, "orderRow", "Country"}},
		{byFieldsError[orderRow]("Skip"), []string{`"Skip"`, "map[string]int", "no key"}},
		{byFieldsError[orderRow]("Country.X"), []string{"Country.X", "string", "no struct"}},
		{byFieldsError[orderRow]("--ID"), []string{`"-ID"`}},
		{byFieldsError[orderRow](""), []string{`""`}},
		{byFieldsError[orderRow]("place"), []string{"no key"}},
		{byFieldsError[orderRow]("omitempty"), []string{`"omitempty"`}},
		{byFieldsError[int]("x"), []string{"int is no struct"}},
		{byFieldsError[twice]("x"), []string{`"x"`, "A", "B"}},
		{byFieldsError[any]("x"), []string{"no struct"}},
		{byFieldsError[unnamed](""), []string{`""`, "A"}},
		{byFieldsError[unnamed]("-"), []string{`""`, "A"}},
		{byFieldsError[endless]("P"), []string{`"P"`, "itself", "no key"}},
		{byFieldsError[endless]("P.P"), []string{`"P.P"`, "itself", "no struct"}},
	} {
		err := c.of()
		for _, word := range append(c.says, "sorter: ByFields: ") {
			if err == nil || !strings.Contains(err.Error(), word) {
				t.Errorf("error %v does not say %q", err, word)
			}
		}
	}
	if by, err := sorter.ByFields[orderRow](); err != nil || by.Compare(orderRow{ID: 1}, orderRow{}) != 0 {
		t.Errorf("no names: error %v", err)
	}
}

func byFieldsError[E any](names ...string) func() error {
	return func() error { _, err := sorter.ByFields[E](names...); return err }
}
