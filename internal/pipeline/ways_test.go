package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ways"
	"example.com/sorter/perm"
)

// columnOf returns a column of 64-bit keys by row number.
func columnOf(keys []int64) column.Spec {
	return column.SpecOfSlice(sortkey.Int64, unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
}

// TestRowsBesideNulls orders rows that are in order except for their nulls, or for a step at any place.
func TestRowsBesideNulls(t *testing.T) {
	r := dist.Rand(72)
	for i := range testkit.Pick(150, 1000) {
		n := []int{4097, 5000, 3 * engine.Block, 3*engine.Block + 1, 20_000}[r.IntN(5)]
		keys, others, null, share := make([]int64, n), make([]int64, n), make([]bool, n), []int{0, 1, 10, 99, 100}[r.IntN(5)]
		for k := range keys {
			keys[k], others[k], null[k] = int64(4*k), int64(r.IntN(50)), r.IntN(100) < share
		}
		at := []int{r.IntN(n-1) + 1, engine.Block, 2 * engine.Block, n - 1}[r.IntN(4)]
		switch r.IntN(3) {
		case 0:
			keys[at] = keys[at-1] // ties
		case 1:
			keys[at] = keys[at-1] - 1
		}
		isNull, place := column.NullFunc[int](func(row int) bool { return null[row] }), column.NullPlace(1+r.IntN(2))
		specs := []column.Spec{columnOf(keys).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), place), columnOf(others)}[:1+r.IntN(2)]
		want := make(perm.Perm, n)
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int {
			c := 0
			switch {
			case null[a] != null[b] && null[a] == (place == column.NullsFirst):
				return -1
			case null[a] != null[b]:
				return 1
			case !null[a]:
				c = cmp.Compare(keys[a], keys[b])
			}
			if c == 0 && len(specs) == 2 {
				c = cmp.Compare(others[a], others[b])
			}
			return c
		})
		p, err := OrderRows(extract.AppendColumns(nil, specs), n, &call.Options{Workers: int32(1 + r.IntN(3))})
		if err != nil || !slices.Equal(p, want) {
			t.Fatalf("case %d: %d rows, %d %% null, a step at %d, %d columns: wrong order, %v", i, n, share, at, len(specs), err)
		}
	}
}

// needed is an error of a memory limit.
type needed int64

func (needed) Error() string { return "memory" }

// TestRequired names the limit that is enough, or says that no memory is.
func TestRequired(t *testing.T) {
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needed(need) }
	for _, c := range []struct {
		limit, bytes int64
		want         error
	}{
		{0, 0, nil}, {0, 1 << 30, nil}, {10, 10, nil}, {10, 11, needed(11)}, {10, scratch.TooLarge - 1, needed(scratch.TooLarge - 1)}, {10, scratch.TooLarge, needed(math.MaxInt64)}, {1, scratch.TooLarge, needed(math.MaxInt64)},
	} {
		if got := required(5, c.limit, c.bytes); got != c.want {
			t.Errorf("limit %d, %d bytes: %v, want %v", c.limit, c.bytes, got, c.want)
		}
	}
	if err := required(5, 0, scratch.TooLarge); !errors.Is(err, engine.ErrTooLong) {
		t.Errorf("more than can be addressed: %v", err)
	}
}

// rowsOfField are elements with fields.
type rowsOfField struct {
	Number int64
	Text   string
}

// TestWaysTaken gives ways the inputs that they are for, and inputs that they give up.
func TestWaysTaken(t *testing.T) {
	r := dist.Rand(92)
	const n = 9000
	keys, null := make([]int64, n), make([]bool, n)
	for i := range keys {
		keys[i], null[i] = int64(i/3), i%5 == 0
	}
	mixed := slices.Clone(keys)
	r.Shuffle(n, func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	isNull := column.NullFunc[int](func(row int) bool { return null[row] })
	nullable := func(keys []int64) column.Spec {
		return columnOf(keys).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
	}
	rows := func(specs ...column.Spec) func(o *call.Options) error {
		return func(o *call.Options) error {
			_, err := OrderRows(extract.AppendColumns(nil, specs), n, o)
			return err
		}
	}
	byFields := func(keys []int64) func(o *call.Options) error {
		return func(o *call.Options) error {
			number, _ := column.FieldOf(reflect.TypeFor[rowsOfField](), "Number")
			s := make([]rowsOfField, n)
			for i := range s {
				s[i].Number = keys[i]
			}
			return SortRows(extract.AppendColumns(nil, []column.Spec{number.Spec()}), cpu.PayloadOf(s), *o)
		}
	}
	texts := func(keys []int64) func(o *call.Options) error {
		return func(o *call.Options) error {
			s := make([]string, n)
			for i := range s {
				s[i] = fmt.Sprintf("text %06d", keys[i])
			}
			return SortKeys(s, o)
		}
	}
	runs, tied := make([]int64, n), n
	for i := range runs {
		runs[i] = int64(i / 299)
		if runs[i] *= 1000; i%299 == 298 && i%7 > 0 { // the last of most runs ties with none
			runs[i], tied = runs[i]+1, tied-1
		}
	}
	nullTexts := func(o *call.Options) error {
		s := make([]string, n)
		for i := range s {
			if s[i] = fmt.Sprintf("text %06d", i); i > n-100 {
				s[i] = ""
			}
		}
		isNull := column.NullFunc[string](func(e string) bool { return e == "" })
		text := column.SpecOf(sortkey.String, column.Func[string, string](func(e string) string { return e }))
		return SortRows(extract.AppendColumns(nil, []column.Spec{text.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)}), cpu.PayloadOf(s), *o)
	}
	inRuns := func(o *call.Options) error {
		type numbered struct{ first, then int64 }
		s := make([]numbered, n)
		for i := range s {
			s[i] = numbered{runs[i], mixed[i]}
		}
		first := column.SpecOf(sortkey.Int64, column.Func[numbered, int64](func(e numbered) int64 { return e.first }))
		then := column.SpecOf(sortkey.Int64, column.Func[numbered, int64](func(e numbered) int64 { return e.then }))
		err := SortRows(extract.AppendColumns(nil, []column.Spec{first, then}), cpu.PayloadOf(s), *o)
		if !slices.IsSortedFunc(s, func(a, b numbered) int { return cmp.Or(cmp.Compare(a.first, b.first), cmp.Compare(a.then, b.then)) }) {
			t.Error("wrong order")
		}
		return err
	}
	for _, c := range []struct {
		name  string
		do    func(o *call.Options) error
		want  ways.Set
		shape engine.Shape
		bits  int
		ties  int
	}{
		{"texts in order", texts(keys), ways.Of(ways.TextsInOrder), engine.Sorted, 64, -1},
		{"texts", texts(mixed), 0, "", 64, -1},
		{"fields in order", byFields(keys), ways.Of(ways.FieldsInOrder), engine.Sorted, 64, -1},
		{"fields", byFields(mixed), 0, "", 64, -1},
		{"rows in order except for nulls", rows(nullable(keys)), ways.Of(ways.NullsInOrder), "", 64, -1},
		{"rows that tie, except for nulls", rows(nullable(keys), columnOf(mixed)), ways.Of(ways.NullsApart, ways.RunsInOrder), "", 64, -1},
		{"rows with nulls", rows(nullable(mixed)), ways.Of(ways.NullsApart), "", 64, -1},
		{"rows in order by the first column", rows(columnOf(runs), columnOf(mixed)), ways.Of(ways.Segments), engine.Segmented, 64, tied},
		{"elements in order, except for nulls", nullTexts, ways.Of(ways.NullsApart), "", 64, -1},
		{"elements in order by the first column", inRuns, ways.Of(ways.RunsInOrder), engine.Segmented, 64, tied},
	} {
		var st stats
		got := ways.Watch(func() {
			if err := c.do(&call.Options{Stable: true, Workers: 1, Report: &st}); err != nil {
				t.Error(err)
			}
		})
		mine := ways.Of(ways.TextsInOrder, ways.FieldsInOrder, ways.NullsInOrder, ways.NullsApart, ways.Segments, ways.RunsInOrder)
		if got&mine != c.want || st.CodeBits != c.bits || c.shape != "" && st.Shape != c.shape || c.ties >= 0 && st.Ties != c.ties {
			t.Errorf("%s: ways %v, shape %q, %d bits, %d ties; want %v, %q, %d, %d", c.name, got&mine, st.Shape, st.CodeBits, st.Ties, c.want, c.shape, c.bits, c.ties)
		}
	}
}

// stats keeps statistics.
type stats struct{ call.Stats }

func (s *stats) Report(st *call.Stats) { s.Stats = *st }
