package arrowsort_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"example.com/sorter/internal/testkit"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// orderedRow is a row of a reader of TestMergeReadersOrderOptions.
type orderedRow struct {
	values []any // of the keys
	reader int
	number int // in its reader
}

// merging draws readers, of which some are not sorted, and merges them.
type merging struct {
	r       *rand.Rand
	keys    []arrowsort.SortKey
	readers [][]orderedRow
	unique  bool
	limit   int // 0: none
}

var mergingSchema = arrow.NewSchema([]arrow.Field{
	{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "reader", Type: arrow.PrimitiveTypes.Int64}, {Name: "number", Type: arrow.PrimitiveTypes.Int64},
}, nil)

func newMerging(r *rand.Rand) *merging {
	m := &merging{r: r, unique: r.IntN(3) > 0}
	for _, i := range r.Perm(2)[:1+r.IntN(2)] {
		key := arrowsort.SortKey{ColumnIndex: i}
		if r.IntN(2) == 0 {
			key.Order = arrowsort.SortOrderDescending
		}
		if r.IntN(2) == 0 {
			key.NullPlacement = arrowsort.SortNullsAtStart
		}
		m.keys = append(m.keys, key)
	}
	rows, values, damaged := 1+r.IntN([]int{5, 100, 3000}[r.IntN(3)]), 1+r.IntN([]int{3, 20, 5000}[r.IntN(3)]), r.IntN(4)
	for i := range 1 + r.IntN(4) {
		of := make([]orderedRow, 1+r.IntN(rows))
		for j := range of {
			of[j].values = []any{any(int64(r.IntN(values))), any(string(rune('a' + r.IntN(3))))}
			of[j].reader = i
			for k := range of[j].values {
				if r.IntN(10) == 0 {
					of[j].values[k] = nil
				}
			}
		}
		sort.SliceStable(of, func(a, b int) bool { return m.compare(of[a], of[b]) < 0 })
		if r.IntN(4) < damaged {
			of = m.damage(of)
		}
		for j := range of {
			of[j].number = j
		}
		m.readers = append(m.readers, of)
	}
	if r.IntN(3) == 0 {
		m.limit = 1 + r.IntN(1+len(m.want()))
	}
	return m
}

func (m *merging) compare(a, b orderedRow) int { return compareRows(a.values, b.values, m.keys) }

// damage puts rows out of order.
func (m *merging) damage(rows []orderedRow) []orderedRow {
	rows = slices.Clone(rows)
	i, j := m.r.IntN(len(rows)), m.r.IntN(len(rows))
	switch lo, hi := min(i, j), max(i, j)+1; m.r.IntN(5) {
	case 0: // neighbors
		j = max(i-1, 0)
		fallthrough
	case 1:
		rows[i], rows[j] = rows[j], rows[i]
	case 2: // some come again later
		rows = slices.Insert(rows, m.r.IntN(len(rows)+1), slices.Clone(rows[lo:hi])...)
	case 3:
		slices.Reverse(rows[lo:hi])
	case 4: // all come again
		rows = append(rows, rows...)
	}
	return rows
}

// want returns the rows of the stable merge without the limit, if all readers are sorted.
func (m *merging) want() []orderedRow {
	all := slices.Concat(m.readers...)
	slices.SortStableFunc(all, m.compare)
	if m.unique {
		all = slices.CompactFunc(all, func(a, b orderedRow) bool { return m.compare(a, b) == 0 })
	}
	return all
}

// sorted reports whether the first rows are sorted.
func (m *merging) sorted(reader, first int) bool {
	return slices.IsSortedFunc(m.readers[reader][:first], m.compare)
}

// open returns a reader of rows in batches of random lengths.
func (m *merging) open(rows []orderedRow) array.RecordReader {
	var batches []arrow.RecordBatch
	for most := 1 + m.r.IntN(400); len(rows) > 0; {
		n := min(len(rows), m.r.IntN(most+1))
		b := array.NewRecordBuilder(memory.DefaultAllocator, mergingSchema)
		for _, row := range rows[:n] {
			if v := row.values[0]; v == nil {
				b.Field(0).AppendNull()
			} else {
				b.Field(0).(*array.Int64Builder).Append(v.(int64))
			}
			if v := row.values[1]; v == nil {
				b.Field(1).AppendNull()
			} else {
				b.Field(1).(*array.StringBuilder).Append(v.(string))
			}
			b.Field(2).(*array.Int64Builder).Append(int64(row.reader))
			b.Field(3).(*array.Int64Builder).Append(int64(row.number))
		}
		batches, rows = append(batches, b.NewRecordBatch()), rows[n:]
	}
	in, err := array.NewRecordReader(mergingSchema, batches)
	must(err)
	return in
}

// merge returns the rows that a merge hands out, and its error, with the first limit of memory that is enough.
func (m *merging) merge(st *arrowsort.ReaderStats) ([]orderedRow, error) {
	for memory := int64(256 << 10); ; memory *= 2 {
		rows, err := m.mergeIn(memory, st)
		if !errors.Is(err, sorter.ErrMemoryLimit) {
			return rows, err
		}
	}
}

// mergeIn is merge with a limit of memory.
func (m *merging) mergeIn(memory int64, st *arrowsort.ReaderStats) (rows []orderedRow, err error) {
	opts := []arrowsort.ReaderOption{arrowsort.ReportReader(st), arrowsort.BatchRows(1 + m.r.IntN(500)), arrowsort.MemoryLimit(memory)}
	if m.unique {
		opts = append(opts, arrowsort.UniqueKeys())
	}
	if m.limit > 0 {
		opts = append(opts, arrowsort.Limit(int64(m.limit)))
	}
	var in []array.RecordReader
	for _, of := range m.readers {
		in = append(in, m.open(of))
	}
	out, err := arrowsort.MergeReaders(context.Background(), in, m.keys, opts...)
	must(err)
	defer out.Release()
	for out.Next() {
		batch := out.RecordBatch()
		reader, number := batch.Column(2).(*array.Int64), batch.Column(3).(*array.Int64)
		for i := range reader.Len() {
			rows = append(rows, m.readers[reader.Value(i)][number.Value(i)])
		}
	}
	return rows, out.Err()
}

// check holds the rows and the error of a merge to what MergeReaders says of them.
func (m *merging) check(t *testing.T, got []orderedRow, err error) {
	t.Helper()
	sorted := true
	for i, of := range m.readers {
		sorted = sorted && m.sorted(i, len(of))
	}
	for i := 1; i < len(got); i++ {
		if by := m.compare(got[i-1], got[i]); by > 0 || by == 0 && m.unique {
			t.Fatalf("%v: row %d of the output comes after %v", got[i], i, got[i-1])
		}
	}
	if err != nil {
		if sorted || !errors.Is(err, arrowsort.ErrOrder) {
			t.Fatalf("sorted: %v, error %v", sorted, err)
		}
		return
	}
	if m.limit == 0 || len(got) < m.limit {
		if !sorted {
			t.Fatalf("no error of readers that are not sorted, after %d rows with limit %d, unique: %v", len(got), m.limit, m.unique)
		}
	}
	for _, row := range got {
		if !m.sorted(row.reader, row.number+1) {
			t.Fatalf("no error of reader %d, which is not sorted up to row %d of the output", row.reader, row.number)
		}
	}
	if !sorted {
		return
	}
	want := m.want()
	if m.limit > 0 {
		want = want[:min(m.limit, len(want))]
	}
	if !slices.EqualFunc(got, want, func(a, b orderedRow) bool { return a.reader == b.reader && a.number == b.number }) {
		t.Fatalf("%d rows, not the %d of the merge", len(got), len(want))
	}
}

// TestMergeReadersOrderOptions expects ErrOrder of readers that are not sorted, whatever UniqueKeys and Limit drop, and the
// merge of those that are.
func TestMergeReadersOrderOptions(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	var failed, passed, passedLimit, windows int
	for range testkit.Pick(250, 1500) {
		m := newMerging(r)
		var st arrowsort.ReaderStats
		got, err := m.merge(&st)
		m.check(t, got, err)
		switch {
		case err != nil:
			failed++
		case m.limit > 0:
			passedLimit++
		default:
			passed++
		}
		if st.Windows > 1 {
			windows++
		}
	}
	if failed < 50 || passed < 50 || passedLimit < 25 || windows < 10 {
		t.Errorf("%d failed, %d passed, %d with a limit, %d of several windows", failed, passed, passedLimit, windows)
	}
}
