package ranked

import (
	"context"
	"math/bits"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ways"
)

// TestSortForRanks sorts a copy of keys where ranks are not selected in less time: of many ranks, of fewer keys than a selection is worth,
// of few values. Keys stay where they are, and no device takes part.
func TestSortForRanks(t *testing.T) {
	defer registered.reset()
	registered.worth.Store(true)
	registered.last = engine.Job{}
	const many = fewSorted + valueSample // keys
	for _, c := range []struct {
		name             string
		n, values, ranks int
		want             bool
	}{
		{"a median of few keys", leastAlone - 1, many, 1, true},
		{"a median", leastAlone, many, 1, !bucket.Splits()},
		{"two ranks", leastAlone, many, 2, !bucket.Splits()},
		{"three ranks", leastAlone, many, 3, true},
		{"three ranks of the most keys that are sorted for them", fewSorted, many, 3, true},
		{"three ranks of more keys", fewSorted + 1, many, 3, false},
		{"a median of more keys", fewSorted + 1, many, 1, false},
		{"a median of few values", many, valueSample / 8, 1, true},
		{"a median of more values", many, valueSample/8 + 1, 1, false},
		{"as many ranks as are selected", many, many, selection.MostRanks, false},
		{"one more", many, many, selection.MostRanks + 1, true},
	} {
		keys := make([]int64, c.n)
		for i := range keys {
			keys[i] = int64((c.n-1-i)/(many/valueSample)*7919%c.values)<<20 - int64(i%(many/valueSample))*int64(c.values/many)
		}
		before := slices.Clone(keys)
		want := slices.Sorted(slices.Values(keys))
		ks := make([]int, c.ranks)
		for i := range ks {
			ks[i] = (i + 1) * c.n / (c.ranks + 1)
		}
		at := slices.Clone(ks)
		taken := ways.Watch(func() {
			held, err := KeysAt(keys, at, &call.Options{Workers: 1})
			for i, k := range ks {
				if err != nil || held[at[i]] != want[k] {
					t.Fatalf("%s: another key of rank %d, %v", c.name, k, err)
				}
			}
			if sorted := &held[0] != &keys[0]; sorted != c.want {
				t.Errorf("%s: keys of a copy: %t", c.name, sorted)
			}
		})
		if taken.Has(ways.SortForRanks) != c.want || !slices.Equal(keys, before) {
			t.Errorf("%s: ways %v", c.name, taken)
		}
		if registered.last.N != 0 {
			t.Errorf("%s: a device sorted %d keys", c.name, registered.last.N)
			registered.last = engine.Job{}
		}
	}
	if taken := ways.Watch(func() { _, _ = KeysAt(make([]int64, 9), []int{3}, &call.Options{Workers: 1, Limit: 1 << 40}) }); taken.Has(ways.SortForRanks) {
		t.Error("keys under a limit were copied")
	}
}

// TestSpareOfCalls gives nulls codes of their own in each call by rows whose keys lie in memory. Where rows are asked for by rank, the
// first column has them, too.
func TestSpareOfCalls(t *testing.T) {
	s := plannedRows(5000)
	nulls := func() []extract.Column {
		valid := make([]byte, (len(s)+7)/8)
		for i, e := range s {
			if !e.null {
				valid[i/8] |= 1 << (i % 8)
			}
		}
		c := sliceOf(s, fewOf).WithBits(column.NewNullBits(valid, 0), column.NullsLast)
		return cols([]column.Spec{c})
	}
	second := func() []extract.Column { return append(cols([]column.Spec{sliceOf(s, fewOf)}), nulls()...) }
	plain := func() []extract.Column { return cols([]column.Spec{sliceOf(s, fewOf)}) }
	ranks := func(cols []extract.Column, o *call.Options) error {
		_, err := NthRows(cols, len(s), []int{7}, o)
		return err
	}
	first := func(cols []extract.Column, o *call.Options) error {
		_, err := FirstRows(cols, len(s), 9, o)
		return err
	}
	order := func(cols []extract.Column, o *call.Options) error {
		_, err := pipeline.OrderRows(cols, len(s), o)
		return err
	}
	segments := func(cols []extract.Column, o *call.Options) error {
		_, err := pipeline.OrderWithin(cols, len(s), []int{0, 2000, 5000}, o)
		return err
	}
	for _, c := range []struct {
		name string
		cols []extract.Column
		do   func(cols []extract.Column, o *call.Options) error
		want int // bits of the last column
		took bool
	}{
		{"ranks", nulls(), ranks, 64, true},
		{"first", nulls(), first, 64, true},
		{"segments", nulls(), segments, 64, true},
		{"order", nulls(), order, 65, false},
		{"ranks by two", second(), ranks, 64, true},
		{"ranks without nulls", plain(), ranks, 64, false},
	} {
		taken := ways.Watch(func() {
			if err := c.do(c.cols, &call.Options{Workers: 1}); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		})
		if bits := c.cols[len(c.cols)-1].Bits(); bits != c.want || taken.Has(ways.SpareNulls) != c.took {
			t.Errorf("%s: keys of %d bits, ways %v", c.name, bits, taken)
		}
	}
}

// TestSelectRanks selects rows of few ranks, unless that way is off, and calls key functions once: where too many rows share a code they
// are ordered by the codes that the selection made.
func TestSelectRanks(t *testing.T) {
	const n = 70_000
	var calls atomic.Int64
	narrow := column.SpecOf(sortkey.Int64, column.Func[int, int64](func(row int) int64 { calls.Add(1); return int64(row ^ 1) }))
	text := column.SpecOf(sortkey.String, column.Func[int, string](func(row int) string {
		calls.Add(1)
		return [...]string{"the same bytes, b", "the same bytes, a"}[row%2]
	}))
	for _, c := range []struct {
		name string
		off  ways.Set
		by   column.Spec
		want uint32 // row of rank n/2
		took bool
	}{
		{"numbers", 0, narrow, n/2 + 1, true},
		{"numbers, in order", ways.Of(ways.SelectRanks), narrow, n/2 + 1, false},
		{"texts that share a code", 0, text, 0, false},
	} {
		calls.Store(0)
		restore := ways.SwitchOff(c.off)
		taken := ways.Watch(func() {
			rows, err := NthRows(cols([]column.Spec{c.by}), n, []int{n / 2}, &call.Options{Workers: 1})
			if err != nil || rows[0] != c.want {
				t.Errorf("%s: row %d, want %d, %v", c.name, rows, c.want, err)
			}
		})
		if restore(); taken.Has(ways.SelectRanks) != c.took || calls.Load() != n {
			t.Errorf("%s: ways %v, %d calls", c.name, taken, calls.Load())
		}
	}
}

// TestEndedRank asks for a key of a call that has ended.
func TestEndedRank(t *testing.T) {
	for _, n := range []int{100, 1000, 5000, 100_000} {
		if _, err := KeysAt(make([]int64, n), []int{n / 2}, &call.Options{Ctx: endedContext()}); err != context.Canceled {
			t.Errorf("a key of %d: %v", n, err)
		}
	}
}

// TestNoRanks asks for no rank, which calls no key function.
func TestNoRanks(t *testing.T) {
	for _, n := range []int{100, 5000} {
		var calls atomic.Int64
		by := column.SpecOf(sortkey.Int64, column.Func[int, int64](func(row int) int64 { calls.Add(1); return int64(-row) }))
		rows, err := NthRows(cols([]column.Spec{by}), n, nil, &call.Options{Limit: 1 << 40})
		if err != nil || len(rows) != 0 || calls.Load() != 0 {
			t.Errorf("%d rows of no rank, %d calls, %v", len(rows), calls.Load(), err)
		}
	}
}

// TestMostRows picks rows of the most that numbers number, and of one more, by no column.
func TestMostRows(t *testing.T) {
	const n = pipeline.MaxPositions
	if bits.UintSize == 32 {
		t.Skip("there are no such rows")
	}
	if rows, err := NthRows(nil, n, []int{n - 1, 3}, &call.Options{}); err != nil || !slices.Equal(rows, []uint32{n - 1, 3}) {
		t.Errorf("ranks: %d, %v", rows, err)
	}
	if rows, err := FirstRows(nil, n, 2, &call.Options{}); err != nil || !slices.Equal(rows, []uint32{0, 1}) {
		t.Errorf("first: %d, %v", rows, err)
	}
	if rows, err := NthRows(nil, n+1, []int{n}, &call.Options{}); err == nil {
		t.Errorf("a rank of one more: %d", rows)
	}
	if rows, err := FirstRows(nil, n+1, 2, &call.Options{}); err == nil {
		t.Errorf("the first of one more: %d", rows)
	}
	if rows, err := NthRows(nil, n+1, []int{n}, &call.Options{Ctx: endedContext()}); err != context.Canceled {
		t.Errorf("a rank of a call that has ended: %d, %v", rows, err)
	}
}

func endedContext() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
