package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// record has a field of every kind, each with few values, so that ties reach
// the later columns.
type record struct {
	Idx    uint32
	Nulls  uint32 // bit c: the value of column c is null
	Bool   bool
	I8     int8
	U16    uint16
	I32    int32
	I64    int64
	F32    float32
	F64    float64
	Text   string
	Blob   []byte
	At     time.Time
	V2     [2]float32
	V3     [3]float32
	V4     sorter.Float4
	ID     uuid
	Maybe  *float64 // nil one time in three: a key function that is called for it panics
	Remark *string
}

var (
	specials32 = specialFloats32()
	specials64 = specialFloats64()
	texts      = specialStrings()
)

func newRecord(i int, r *rand.Rand) record {
	pick := func(n int) int { return r.IntN(n) }
	few := uint64(pick(16)) << 60
	rec := record{
		Idx: uint32(i), Nulls: r.Uint32() & r.Uint32(), Bool: pick(2) == 0, I8: int8(pick(5) - 2), U16: uint16(pick(3)), I32: int32(few >> 32), I64: int64(few),
		F32: specials32[pick(len(specials32))], F64: specials64[pick(len(specials64))], Text: texts[pick(len(texts))],
		Blob: []byte(texts[pick(len(texts))]), At: time.Unix(int64(pick(3))<<33, int64(pick(2))),
		V2: [2]float32{float32(pick(3)), specials32[pick(4)]}, V3: [3]float32{2: float32(pick(4))}, V4: sorter.Float4{float32(pick(2)), 0, float32(pick(2)), float32(pick(2))},
		ID: uuid{0: byte(pick(2)), 8: byte(pick(2)), 15: byte(pick(3))},
	}
	if pick(3) > 0 {
		f, s := specials64[pick(len(specials64))], texts[pick(len(texts))]
		rec.Maybe, rec.Remark = &f, &s
	}
	return rec
}

func newRecords(n int, seed uint64) []record {
	r := dist.Rand(seed)
	s := make([]record, n)
	for i := range s {
		s[i] = newRecord(i, r)
	}
	return s
}

func sameRecord(a, b record) bool { return a.Idx == b.Idx }

// field is one field of record as a column of any direction and null place.
type field struct {
	name    string
	column  func(desc bool, calls *callCounter) sorter.Column[record]
	compare func(oracle.Order) func(a, b record) int
	null    func(record) bool // nil: nulls are those of Nulls
}

func fieldOf[K sorter.Key](name string, get func(record) K, order func(oracle.Order) func(a, b K) int) field {
	return field{
		name: name,
		column: func(desc bool, w *callCounter) sorter.Column[record] {
			key := func(r record) K {
				w.called(r)
				return get(r)
			}
			if desc {
				return sorter.Desc(key)
			}
			return sorter.Asc(key)
		},
		compare: func(o oracle.Order) func(a, b record) int {
			compare := order(o)
			return func(a, b record) int { return compare(get(a), get(b)) }
		},
	}
}

// nullable gives a field nulls that its key function cannot take.
func nullable(f field, null func(record) bool) field {
	f.null = null
	return f
}

var fields = []field{
	fieldOf("Bool", func(r record) bool { return r.Bool }, oracle.Bools[bool]),
	fieldOf("I8", func(r record) int8 { return r.I8 }, oracle.Ordered[int8]),
	fieldOf("U16", func(r record) uint16 { return r.U16 }, oracle.Ordered[uint16]),
	fieldOf("I32", func(r record) int32 { return r.I32 }, oracle.Ordered[int32]),
	fieldOf("I64", func(r record) int64 { return r.I64 }, oracle.Ordered[int64]),
	fieldOf("F32", func(r record) float32 { return r.F32 }, oracle.Ordered[float32]),
	fieldOf("F64", func(r record) float64 { return r.F64 }, oracle.Ordered[float64]),
	fieldOf("Text", func(r record) string { return r.Text }, oracle.Ordered[string]),
	fieldOf("Blob", func(r record) []byte { return r.Blob }, oracle.Bytes[[]byte]),
	fieldOf("At", func(r record) time.Time { return r.At }, oracle.Times),
	fieldOf("V2", func(r record) [2]float32 { return r.V2 }, oracle.Floats[[2]float32]),
	fieldOf("V3", func(r record) [3]float32 { return r.V3 }, oracle.Floats[[3]float32]),
	fieldOf("V4", func(r record) sorter.Float4 { return r.V4 }, oracle.Floats[sorter.Float4]),
	fieldOf("ID", func(r record) uuid { return r.ID }, oracle.Bytes16[uuid]),
	nullable(fieldOf("Maybe", func(r record) float64 { return *r.Maybe }, oracle.Ordered[float64]), func(r record) bool { return r.Maybe == nil }),
	nullable(fieldOf("Remark", func(r record) string { return *r.Remark }, oracle.Ordered[string]), func(r record) bool { return r.Remark == nil }),
}

func fieldNamed(name string) field {
	return fields[slices.IndexFunc(fields, func(f field) bool { return f.name == name })]
}

// callCounter counts the calls of one column's key function and notes calls for
// nulls.
type callCounter struct {
	name   string
	isNull func(record) bool // nil: no nulls
	calls  []atomic.Uint32   // by Idx; nil: not counted
	wrong  atomic.Uint32     // calls for a null
}

func (w *callCounter) called(r record) {
	if w.isNull != nil && w.isNull(r) {
		w.wrong.Add(1)
	}
	if w.calls != nil {
		w.calls[r.Idx].Add(1)
	}
}

type nullPlace int

const (
	noNulls nullPlace = iota
	nullsFirst
	nullsLast
)

// columnSpec is one column of a random ordering.
type columnSpec struct {
	field field
	desc  bool
	nans  oracle.NaNs
	nulls nullPlace
	bit   int // in record.Nulls
}

func (c columnSpec) String() string {
	text := c.field.name
	if c.desc {
		text += " desc"
	}
	text += []string{"", " NaNs first", " NaNs last", " total order"}[c.nans]
	return text + []string{"", " nulls first", " nulls last"}[c.nulls]
}

func (c columnSpec) isNull() func(record) bool {
	switch {
	case c.nulls == noNulls:
		return nil
	case c.field.null != nil:
		return c.field.null
	}
	return func(r record) bool { return r.Nulls>>c.bit&1 == 1 }
}

// column returns the column under test and the counter of its key function.
func (c columnSpec) column() (sorter.Column[record], *callCounter) {
	w := &callCounter{name: c.String(), isNull: c.isNull()}
	col := c.field.column(c.desc, w)
	switch c.nans {
	case oracle.First:
		col = col.NaNsFirst()
	case oracle.Last:
		col = col.NaNsLast()
	case oracle.Total:
		col = col.NaNsFirst().TotalOrder()
	}
	switch c.nulls {
	case nullsFirst:
		col = col.NullsFirst(w.isNull)
	case nullsLast:
		col = col.NullsLast(w.isNull)
	}
	return col, w
}

// reference is the column's comparison in a sort with the options of o.
func (c columnSpec) reference(o oracle.Order) func(a, b record) int {
	compare := c.field.compare(o.Of(oracle.Order{Desc: c.desc, NaNs: c.nans}))
	isNull := c.isNull()
	if isNull == nil {
		return compare
	}
	nullSide := 1 // where a null stands to a value, whatever the directions
	if c.nulls == nullsFirst {
		nullSide = -1
	}
	return func(a, b record) int {
		switch aNull, bNull := isNull(a), isNull(b); {
		case aNull && bNull:
			return 0
		case aNull:
			return nullSide
		case bNull:
			return -nullSide
		}
		return compare(a, b)
	}
}

// orderingSpec is an ordering under test and its reference.
type orderingSpec []columnSpec

func (s orderingSpec) String() string {
	var names []string
	for _, c := range s {
		names = append(names, c.String())
	}
	return "By(" + strings.Join(names, ", ") + ")"
}

func (s orderingSpec) build() (sorter.Ordering[record], []*callCounter) {
	var cols []sorter.Column[record]
	var counters []*callCounter
	for _, c := range s {
		col, w := c.column()
		cols, counters = append(cols, col), append(counters, w)
	}
	return sorter.By(cols...), counters
}

func (s orderingSpec) compare(o oracle.Order) func(a, b record) int {
	var compares []func(a, b record) int
	for _, c := range s {
		compares = append(compares, c.reference(o))
	}
	return func(a, b record) int {
		for _, compare := range compares {
			if c := compare(a, b); c != 0 {
				return c
			}
		}
		return 0
	}
}

// inOrder returns records in the stable order of s in a sort with the options of o.
func (s orderingSpec) inOrder(in []record, o oracle.Order) []record {
	by, _ := s.build()
	guess, _ := by.Order(in, orderOptions(o)...)
	return sortedStably(in, guess, s.compare(o))
}

// randomSpec draws up to five columns, the same field twice at times.
func randomSpec(r *rand.Rand) orderingSpec {
	var s orderingSpec
	for i := range 1 + r.IntN(5) {
		c := columnSpec{field: fields[r.IntN(len(fields))], desc: r.IntN(2) == 0, nans: oracle.NaNs(r.IntN(4)), bit: i}
		if c.nulls = nullPlace(r.IntN(3)); c.nulls == noNulls && c.field.null != nil {
			c.nulls = nullsLast
		}
		s = append(s, c)
	}
	return s
}

// usualSpecs are orderings as users write them, chosen to pack in every way:
// into less than 32 bits, exactly 64, one more than 64, a wide key first, in the
// middle and last.
func usualSpecs() []orderingSpec {
	f := fieldNamed
	return []orderingSpec{
		{},
		{{field: f("Bool")}},
		{{field: f("Bool"), nulls: nullsFirst}, {field: f("I8"), desc: true}},
		{{field: f("Bool"), desc: true}, {field: f("U16")}, {field: f("F32"), desc: true}},
		{{field: f("I32"), desc: true}, {field: f("F32")}},
		{{field: f("I32"), nulls: nullsLast}, {field: f("F32")}},
		{{field: f("I64"), nulls: nullsFirst}, {field: f("Bool")}},
		{{field: f("I64")}, {field: f("F64"), desc: true, nans: oracle.Last}},
		{{field: f("F64"), nulls: nullsLast, nans: oracle.Last}},
		{{field: f("F64"), desc: true, nulls: nullsFirst, nans: oracle.First}},
		{{field: f("V2"), desc: true, nulls: nullsFirst}, {field: f("V2")}},
		{{field: f("Text")}, {field: f("F64"), desc: true}},
		{{field: f("Text"), desc: true, nulls: nullsLast}, {field: f("Blob"), nulls: nullsFirst, bit: 1}},
		{{field: f("I8")}, {field: f("Text"), nulls: nullsFirst}, {field: f("At"), desc: true}, {field: f("Bool")}},
		{{field: f("U16")}, {field: f("ID"), desc: true}, {field: f("V3")}},
		{{field: f("At"), nulls: nullsLast}, {field: f("V4"), desc: true}, {field: f("ID"), nulls: nullsFirst, bit: 1}},
		{{field: f("Maybe"), nulls: nullsLast}, {field: f("Remark"), nulls: nullsFirst}},
		{{field: f("Maybe"), desc: true, nulls: nullsFirst, nans: oracle.Last}, {field: f("Remark"), desc: true, nulls: nullsLast}},
		{{field: f("Bool")}, {field: f("Bool"), desc: true}, {field: f("I8")}, {field: f("U16")}, {field: f("I8"), desc: true}, {field: f("I32")}, {field: f("I64")}},
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	sizes := []int{0, 1, 2, 3, 17, 60, 300, 2500}
	for i, spec := range usualSpecs() {
		for _, n := range sizes[:6] {
			for j, m := range modes {
				if !testkit.Thinned(i + j + n) {
					checkOrdering(t, spec, newRecords(n, uint64(n+i)), m)
				}
			}
		}
		for j, n := range []int{300, scaled(2500), scaled(4097)} {
			if testkit.Thinned(i + j) {
				continue
			}
			checkOrdering(t, spec, newRecords(n, uint64(n+i)), directions[(i+j)%len(directions)])
			checkOrdering(t, spec, newRecords(n, uint64(n+i)), modes[(i+j*3)%len(modes)])
		}
	}
	r := dist.Rand(42)
	for i := range testkit.Pick(20, 100) {
		spec := randomSpec(r)
		checkOrdering(t, spec, newRecords(sizes[i%len(sizes)]+i%3, uint64(i)), modes[i%len(modes)])
	}
}

func TestColumnsLarge(t *testing.T) {
	testkit.SkipUnlessLong(t)
	t.Parallel()
	r := dist.Rand(43)
	for i := range 6 {
		checkOrdering(t, randomSpec(r), newRecords(50_000, uint64(i)), modes[i%len(modes)])
	}
}

// checkOrdering holds every method of one ordering to its reference.
func checkOrdering(t *testing.T, spec orderingSpec, in []record, m mode) {
	t.Helper()
	name := fmt.Sprintf("%v, n=%d, %s", spec, len(in), m.name)
	want := spec.inOrder(in, m.order)
	checkOrderingSort(t, name, spec, in, want, m)
	checkOrderingOrder(t, name, spec, in, want, m)
	checkOrderingTopK(t, name, spec, in, want, m)
	checkOrderingMerge(t, name, spec, in, want, m)
	if m.order == (oracle.Order{}) {
		checkOrderingCompare(t, name, spec, in, want)
	}
}

func checkRecords(t *testing.T, name string, err error, got, want []record) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: unexpected error: %v", name, err)
	}
	if d := oracle.Diff(got, want, sameRecord); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
}

// checkCalls counts the key calls of call, which may make one per element and
// column and none for a null.
func checkCalls(t *testing.T, name string, counters []*callCounter, n int, call func()) {
	t.Helper()
	for _, w := range counters {
		w.calls = make([]atomic.Uint32, n)
	}
	call()
	for _, w := range counters {
		if wrong := w.wrong.Load(); wrong > 0 {
			t.Fatalf("%s: the key function of column %s was called for %d nulls", name, w.name, wrong)
		}
		for i := range w.calls {
			if c := w.calls[i].Load(); c > 1 {
				t.Fatalf("%s: the key function of column %s was called %d times for element %d", name, w.name, c, i)
			}
		}
		w.calls = nil
	}
}

func checkOrderingSort(t *testing.T, name string, spec orderingSpec, in, want []record, m mode) {
	t.Helper()
	by, counters := spec.build()
	got := slices.Clone(in)
	var err error
	checkCalls(t, "Sort: "+name, counters, len(in), func() { err = by.Sort(got, m.stable()...) })
	checkRecords(t, "Sort: "+name, err, got, want)
}

func checkOrderingOrder(t *testing.T, name string, spec orderingSpec, in, want []record, m mode) {
	t.Helper()
	by, counters := spec.build()
	got, left := make([]record, len(in)), slices.Clone(in)
	var p perm.Perm
	var err error
	checkCalls(t, "Order: "+name, counters, len(in), func() { p, err = by.Order(left, m.stable()...) })
	if err != nil || len(p) != len(in) {
		t.Fatalf("Order: %s: %d indices, error %v", name, len(p), err)
	}
	perm.Gather(got, in, p, 1)
	checkRecords(t, "Order: "+name, nil, got, want)
	checkRecords(t, "Order changed its input: "+name, nil, left, in)
}

func checkOrderingTopK(t *testing.T, name string, spec orderingSpec, in, want []record, m mode) {
	t.Helper()
	for i, k := range []int{0, min(1, len(in)), len(in) / 5, max(len(in)-1, 0), len(in) + 5} {
		if len(in) > 1000 && i%2 == 1 {
			continue
		}
		checkOrderingTop(t, k, name, spec, in, want, m)
	}
}

func checkOrderingTop(t *testing.T, k int, name string, spec orderingSpec, in, want []record, m mode) {
	t.Helper()
	name = fmt.Sprintf("TopK: k=%d, %s", k, name)
	by, counters := spec.build()
	got := slices.Clone(in)
	var err error
	checkCalls(t, name, counters, len(in), func() { err = by.TopK(got, k, m.stable()...) })
	top := min(k, len(in))
	checkRecords(t, name, err, got[:top], want[:top])
	slices.SortFunc(got, func(a, b record) int { return cmp.Compare(a.Idx, b.Idx) })
	checkRecords(t, name+": not a permutation", nil, got, in)
}

// TestColumnsTop selects the first few of many records, most of which tie with
// them in one column after the other.
func TestColumnsTop(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel()
	r := dist.Rand(45)
	for i, spec := range append(usualSpecs(), randomSpec(r), randomSpec(r), randomSpec(r)) {
		n := 9000
		if i%5 == 2 {
			n = scaled(100_000) // more than one worker takes
		}
		in, m := newRecords(n, uint64(i)), modes[(i*5)%len(modes)]
		want := spec.inOrder(in, m.order)
		for _, k := range []int{1, 100, n / 33} {
			checkOrderingTop(t, k, fmt.Sprintf("%v, n=%d, %s", spec, n, m.name), spec, in, want, m)
		}
	}
}

func checkOrderingMerge(t *testing.T, name string, spec orderingSpec, in, want []record, m mode) {
	t.Helper()
	by, counters := spec.build()
	a, b := spec.inOrder(in[:len(in)/3], m.order), spec.inOrder(in[len(in)/3:], m.order)
	got := make([]record, len(in))
	err := by.Merge(got, [][]record{a, b}, m.opts...)
	checkRecords(t, "Merge: "+name, err, got, want)
	clear(got)
	err = by.Merge(got, [][]record{a[:len(a)/4], nil, a[len(a)/4:], b[:len(b)/2], b[len(b)/2:]}, m.opts...)
	checkRecords(t, "Merge of many: "+name, err, got, want)
	for _, w := range counters {
		if w.wrong.Load() > 0 {
			t.Fatalf("Merge: %s: the key function of column %s was called for a null", name, w.name)
		}
	}
}

// checkOrderingCompare holds Compare and IsSorted, which take no options.
func checkOrderingCompare(t *testing.T, name string, spec orderingSpec, in, want []record) {
	t.Helper()
	by, _ := spec.build()
	compare := spec.compare(oracle.Order{})
	if !by.IsSorted(want) {
		t.Fatalf("%s: IsSorted is false for the stable sort", name)
	}
	if got, wantSorted := by.IsSorted(in), slices.IsSortedFunc(in, compare); got != wantSorted {
		t.Fatalf("%s: IsSorted is %v for the input", name, got)
	}
	checkOrderingSearch(t, name, by, compare, want)
	r := dist.Rand(7)
	for range min(200, len(in)*len(in)) {
		a, b := in[r.IntN(len(in))], in[r.IntN(len(in))]
		if got, want := cmp.Compare(by.Compare(a, b), 0), cmp.Compare(compare(a, b), 0); got != want {
			t.Fatalf("%s: Compare(%+v, %+v) has sign %d, want %d", name, a, b, got, want)
		}
	}
}

// checkOrderingSearch holds Search and Groups to the runs of elements that tie.
func checkOrderingSearch(t *testing.T, name string, by sorter.Ordering[record], compare func(a, b record) int, sorted []record) {
	t.Helper()
	at := 0
	for g := range by.Groups(sorted) {
		end := at + 1
		for end < len(sorted) && compare(sorted[at], sorted[end]) == 0 {
			end++
		}
		if len(g) != end-at || cap(g) != len(g) || &g[0] != &sorted[at] {
			t.Fatalf("%s: a group of %d elements with capacity %d, want s[%d:%d]", name, len(g), cap(g), at, end)
		}
		if i, found := by.Search(sorted, g[len(g)-1]); i != at || !found {
			t.Fatalf("%s: Search = %d, %v for the group at %d", name, i, found, at)
		}
		rest := sorted[end:]
		if i, found := by.Search(rest, g[0]); i != 0 || found {
			t.Fatalf("%s: Search = %d, %v for an element that comes before all", name, i, found)
		}
		at = end
	}
	if at != len(sorted) {
		t.Fatalf("%s: groups end at %d of %d", name, at, len(sorted))
	}
	for range by.Groups(sorted) {
		break // an early end is no error
	}
}

// TestRowsOrder orders row numbers by columns that lie elsewhere.
func TestRowsOrder(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 100, 5000, scaled(50_000)} {
		in := newRecords(n, uint64(n))
		spec := orderingSpec{{field: fieldNamed("I8"), desc: true}, {field: fieldNamed("Text")}}
		cols := []sorter.Column[int]{
			sorter.Desc(func(i int) int8 { return in[i].I8 }),
			sorter.Asc(func(i int) string { return in[i].Text }),
			sorter.Asc(func(i int) float64 { return *in[i].Maybe }).NullsFirst(func(i int) bool { return in[i].Maybe == nil }),
		}
		spec = append(spec, columnSpec{field: fieldNamed("Maybe"), nulls: nullsFirst})
		for i, m := range directions {
			if testkit.ThinnedTo(2, i+n) {
				continue
			}
			want := spec.inOrder(in, m.order)
			p, err := sorter.RowsBy(n, cols...).Order(m.stable()...)
			checkSame(t, fmt.Sprintf("n=%d, %s", n, m.name), err, p, indices(want))
		}
	}
}

// TestAscOfTakesKeysByRow orders by columns that are slices: rows in a row and not, with
// nulls between them, packed with others and in ties of others.
func TestAscOfTakesKeysByRow(t *testing.T) {
	t.Parallel()
	n := testkit.Pick(10_000, 50_000)
	r := dist.Rand(50_000)
	a, b, c := make([]int16, n), make([]float64, n), make([]string, n)
	rows := make([]int, n)
	for i := range n {
		a[i], b[i], c[i] = int16(r.IntN(5)-2), float64(r.IntN(50))/4, texts[r.IntN(len(texts))]
		rows[i] = i
	}
	missing := func(row int) bool { return row%7 == 3 }
	calls := []sorter.Column[int]{
		sorter.Desc(func(row int) int16 { return a[row] }).NullsLast(missing),
		sorter.Asc(func(row int) float64 { return b[row] }),
		sorter.Desc(func(row int) string { return c[row] }),
	}
	slice := []sorter.Column[int]{sorter.DescOf(a).NullsLast(missing), sorter.AscOf(b), sorter.DescOf(c)}
	calls = append(calls, calls[0], sorter.Asc(func(row int) int16 { return a[row] }), calls[2])
	slice = append(slice, slice[0], sorter.AscOf(a), slice[2])
	for from := range calls {
		if testkit.Thinned(from) {
			continue
		}
		want, err := sorter.RowsBy(n, calls[from:]...).Order(sorter.Stable())
		if err != nil {
			t.Fatal(err)
		}
		check := func(name string, opts ...sorter.Option) error {
			p, err := sorter.RowsBy(n, slice[from:]...).Order(append(opts, sorter.Stable())...)
			if !errors.Is(err, sorter.ErrMemoryLimit) {
				checkSame(t, fmt.Sprintf("rows by columns from %d on%s", from, name), err, p, want)
			}
			return err
		}
		check("")
		check(" under a context", sorter.WithContext(neverCancelled))
		check(" on another engine", sorter.On(&plainEngine{}), sorter.Workers(3))
		check(" by another algorithm", sorter.Use(sorter.MergeSort), sorter.Workers(1))
		for limit := int64(n); errors.Is(check(" in the least memory", sorter.MemoryLimit(limit)), sorter.ErrMemoryLimit); {
			limit += limit / 4
		}

		shuffled := slices.Clone(rows)
		r.Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again := slices.Clone(shuffled)
		err = sorter.By(slice[from:]...).Sort(shuffled, sorter.Stable())
		if other := sorter.By(calls[from:]...).Sort(again, sorter.Stable()); other != nil {
			t.Fatal(other)
		}
		checkSame(t, fmt.Sprintf("shuffled rows by columns from %d on", from), err, shuffled, again)
	}
}

// TestColumnOfFewerRows orders more rows than a column has keys: it panics before
// any key function is called, unless the rows after the column's end are nulls.
func TestColumnOfFewerRows(t *testing.T) {
	keys := mapped(ascending(5000), func(i int) int32 { return int32(-i) })
	calls := 0
	first := sorter.Asc(func(int) int8 { calls++; return 0 })
	for _, short := range []sorter.Column[int]{sorter.AscOf(keys), sorter.DescOf(keys).NaNsLast()} {
		for _, cols := range [][]sorter.Column[int]{{short}, {first, short}, {first, first, first, first, first, first, first, first, short}} {
			got := panicValue(func() { _, _ = sorter.RowsBy(len(keys)+1, cols...).Order(sorter.Workers(1)) })
			if got != "sorter: order of 5001 rows by a column of 5000" || calls > 0 {
				t.Errorf("%d columns: recovered %v after %d calls", len(cols), got, calls)
			}
		}
	}
	behind := func(row int) bool { return row >= len(keys) }
	p, err := sorter.RowsBy(len(keys)+3, sorter.AscOf(keys).NullsFirst(behind)).Order()
	want := perm.Perm{5000, 5001, 5002}
	for i := range keys {
		want = append(want, uint32(len(keys)-1-i))
	}
	checkSame(t, "nulls after the column", err, p, want)
}

// TestColumnOfTakesNoMore holds orders by a slice to the scratch memory that its
// keys take.
func TestColumnOfTakesNoMore(t *testing.T) {
	const n = 150_000
	numbers := mapped(fills(n), price)
	checkNoMore(t, numbers)
	checkNoMore(t, mapped(numbers, func(p float32) string { return fmt.Sprint("costs ", p) }))
	checkNoMore(t, mapped(numbers, func(p float32) [3]float32 { return [3]float32{0, 0, p} }))
}

func checkNoMore[K sorter.Key](t *testing.T, keys []K) {
	t.Helper()
	var alone, column sorter.Stats
	want, err := sorter.OrderKeys(keys, sorter.Stable(), sorter.Report(&alone))
	if err != nil {
		t.Fatal(err)
	}
	p, err := sorter.RowsBy(len(keys), sorter.AscOf(keys)).Order(sorter.Stable(), sorter.Report(&column))
	checkSame(t, fmt.Sprintf("Rows.Order by %T", keys), err, p, want)
	if column.Scratch > alone.Scratch*9/8 { // a pooled block may be larger than asked for
		t.Errorf("%T: %d bytes of scratch, OrderKeys takes %d", keys, column.Scratch, alone.Scratch)
	}
}

func indices(s []record) perm.Perm {
	p := make(perm.Perm, len(s))
	for i, r := range s {
		p[i] = r.Idx
	}
	return p
}

// TestColumnCopies derives columns from one another: each keeps its own
// direction and nulls.
func TestColumnCopies(t *testing.T) {
	isOdd := func(i int) bool { return i%2 == 1 }
	plain := sorter.Asc(func(i int) int { return i })
	first, last := plain.NullsFirst(isOdd), plain.NullsLast(isOdd)
	for _, c := range []struct {
		name string
		col  sorter.Column[int]
		want []int
	}{
		{"plain", plain, []int{1, 2, 3, 4}},
		{"nulls first", first, []int{3, 1, 2, 4}},
		{"nulls last", last, []int{2, 4, 3, 1}},
	} {
		s := []int{4, 3, 2, 1}
		err := sorter.By(c.col).Sort(s, sorter.Stable())
		checkSame(t, c.name, err, s, c.want)
	}
}

// TestOrderingKeepsItsColumns changes the slice that By was given.
func TestOrderingKeepsItsColumns(t *testing.T) {
	cols := []sorter.Column[int]{sorter.Asc(func(i int) int { return i })}
	by := sorter.By(cols...)
	cols[0] = sorter.Desc(func(i int) int { return i })
	s := []int{2, 3, 1}
	err := by.Sort(s)
	checkSame(t, "By with a changed argument", err, s, []int{1, 2, 3})
}
