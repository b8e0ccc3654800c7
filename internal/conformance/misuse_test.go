package conformance_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/perm"
)

// TestMisuse holds every programmer error to its panic: call, message. Those of the other packages are in
// their own tests of this name.
func TestMisuse(t *testing.T) {
	s := []int{3, 1, 2}
	id := func(i int) int { return i }
	var noKey func(int) int
	var noNull func(int) bool
	four := make([]int, 4)
	by, cols, none := sorter.By(sorter.Asc(id)), []sorter.Column[int]{sorter.Asc(id)}, []sorter.Column[int]{{}}
	runs, nan := new(perm.Runs), []float64{.5, -1}
	for _, c := range []struct {
		name, message string
		call          func()
	}{
		{"Sort, nil key", "sorter: nil key function", func() { _ = sorter.Sort(s, noKey) }},
		{"Sort of nothing, nil key", "sorter: nil key function", func() { _ = sorter.Sort(nil, noKey) }},
		{"Order, nil key", "sorter: nil key function", func() { _, _ = sorter.Order(s, noKey) }},
		{"TopK, nil key", "sorter: nil key function", func() { _ = sorter.TopK(s, 1, noKey) }},
		{"TopK, negative k", "sorter: TopK of -1 elements", func() { _ = sorter.TopK(s, -1, id) }},
		{"Ordering.TopK, negative k", "sorter: TopK of -1 elements", func() { _ = by.TopK(s, -1) }},
		{"Merge, nil key", "sorter: nil key function", func() { _ = sorter.Merge(four, [][]int{s, s[:1]}, noKey) }},
		{"Merge, dst too short", "sorter: merging runs of 4 elements into 3", func() { _ = sorter.Merge(four[:3], [][]int{s, s[:1]}, id) }},
		{"Merge, dst too long", "sorter: merging runs of 3 elements into 4", func() { _ = sorter.Merge(four, [][]int{s, nil}, id) }},
		{"Merge, dst is a", "sorter: merging into a slice that overlaps a run", func() { _ = sorter.Merge(s, [][]int{s, nil}, id) }},
		{"Merge, dst is b", "sorter: merging into a slice that overlaps a run", func() { _ = sorter.Merge(s, [][]int{nil, s}, id) }},
		{"Merge, dst begins in a", "sorter: merging into a slice that overlaps a run", func() { _ = sorter.Merge(four[1:], [][]int{four[:2], s[:1]}, id) }},
		{"Merge, dst ends in b", "sorter: merging into a slice that overlaps a run", func() { _ = sorter.Merge(four[:3], [][]int{s[:1], four[2:]}, id) }},
		{"Ordering.Merge, dst too short", "sorter: merging runs of 4 elements into 3", func() { _ = by.Merge(four[:3], [][]int{s, s[:1]}) }},
		{"Ordering.Merge, dst is a", "sorter: merging into a slice that overlaps a run", func() { _ = by.Merge(s, [][]int{s, nil}) }},
		{"Merge of many, dst too long", "sorter: merging runs of 3 elements into 4", func() { _ = sorter.Merge(four, [][]int{s}, id) }},
		{"Merge of many of nothing, dst too long", "sorter: merging runs of 0 elements into 4", func() { _ = sorter.Merge(four, nil, id) }},
		{"Merge of many, dst is the last run", "sorter: merging into a slice that overlaps a run", func() { _ = sorter.Merge(four, [][]int{nil, four}, id) }},
		{"Ordering.Merge of many, dst is a run", "sorter: merging into a slice that overlaps a run", func() { _ = by.Merge(s, [][]int{s}) }},
		{"IsSorted, nil key", "sorter: nil key function", func() { _ = sorter.IsSorted(s, noKey) }},
		{"Search, nil key", "sorter: nil key function", func() { _, _ = sorter.Search(s, noKey, 1) }},
		{"Groups, nil key", "sorter: nil key function", func() {
			for range sorter.Groups(s, noKey) {
			}
		}},
		{"SortPairs, fewer values", "sorter: 3 keys with 2 values", func() { _ = sorter.SortPairs(s, four[:2]) }},
		{"SortPairs, more values", "sorter: 3 keys with 4 values", func() { _ = sorter.SortPairs(s, four) }},
		{"SortPairs, keys are values", "sorter: keys and values share memory", func() { _ = sorter.SortPairs(s, s) }},
		{"SortPairs, keys begin in values", "sorter: keys and values share memory", func() { _ = sorter.SortPairs(four[1:], four[:3]) }},
		{"Rows.Order, negative n", "sorter: RowsBy of -1 rows", func() { _, _ = sorter.RowsBy(-1, sorter.Asc(id)).Order() }},
		{"Asc, nil key", "sorter: nil key function", func() { sorter.Asc(noKey) }},
		{"Desc, nil key", "sorter: nil key function", func() { sorter.Desc(noKey) }},
		{"NullsFirst, nil function", "sorter: nil null function", func() { sorter.Asc(id).NullsFirst(noNull) }},
		{"NullsLast, nil function", "sorter: nil null function", func() { sorter.Asc(id).NullsLast(noNull) }},
		{"Workers(-1)", "sorter: Workers(-1): need at least 0", func() { _ = sorter.Sort(s, id, sorter.Workers(-1)) }},
		{"MemoryLimit(0)", "sorter: MemoryLimit(0): need at least 1 byte", func() { _ = sorter.Sort(s, id, sorter.MemoryLimit(0)) }},
		{"MemoryLimit(-1)", "sorter: MemoryLimit(-1): need at least 1 byte", func() { _ = sorter.Sort(s, id, sorter.MemoryLimit(-1)) }},
		{"Use(99)", "sorter: Use(99): no such algorithm", func() { _ = sorter.Sort(s, id, sorter.Use(99)) }},
		{"On(nil)", "sorter: On(nil)", func() { _ = sorter.Sort(s, id, sorter.On(nil)) }},
		{"WithContext(nil)", "sorter: WithContext(nil)", func() { _ = sorter.Sort(s, id, sorter.WithContext(context.Context(nil))) }},
		{"Report(nil)", "sorter: Report(nil)", func() { _ = sorter.Sort(s, id, sorter.Report(nil)) }},
		{"OnProgress(nil)", "sorter: OnProgress(nil)", func() { _ = sorter.Sort(s, id, sorter.OnProgress(nil)) }},
		{"By a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _ = sorter.By(sorter.Column[int]{}).Sort(s) }},
		{"Compare by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { sorter.By(sorter.Column[int]{}).Compare(1, 2) }},
		{"Rows.Order by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _ = sorter.RowsBy(3, none...).Order() }},
		{"Rows.Order of many by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _ = sorter.RowsBy(5000, none...).Order() }},
		{"Rows.Sort by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _ = sorter.RowsBy(3, none...).Sort([]uint32{1}) }},
		{"Rows.Within by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _ = sorter.RowsBy(3, none...).Within([]int{0, 3}) }},
		{"Rows.Top by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _ = sorter.RowsBy(3, none...).Top(1) }},
		{"Partitions.Top by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _, _ = sorter.RowsBy(3, cols...).Per(none...).Top(1) }},
		{"Partitions.Nth by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _ = sorter.RowsBy(3, none...).Per(cols...).Nth([]int{0}) }},
		{"quantiles of values by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { _, _ = sorter.RowsBy(3, sorter.AscOf(s)).Per(none...).Quantiles(nil) }},
		{"Rows.SearchRange by a zero column", "sorter: column without a key function; make it with Asc or Desc", func() { sorter.RowsBy(3, none...).SearchRange(1) }},
		{"a zero column with nulls", "sorter: column without a key function; make it with Asc or Desc", func() {
			_, _ = sorter.RowsBy(3, none[0].NullsFirst(func(int) bool { return true })).Order()
		}},
		{"Rows.SearchRange of -1", "sorter: RowsBy of -1 rows", func() { sorter.RowsBy(-1, cols...).SearchRange(0) }},
		{"SearchRange, nil key", "sorter: nil key function", func() { sorter.By(sorter.Asc(noKey)).SearchRange(s, 1) }},
		{"TopOrder, nil key", "sorter: nil key function", func() { _, _ = sorter.By(sorter.Asc(noKey)).TopOrder(s, 1) }},
		{"Nth, nil key", "sorter: nil key function", func() { _, _ = sorter.By(sorter.Asc(noKey)).Nth(s, []int{1}) }},
		{"SortWithin, nil key", "sorter: nil key function", func() { _ = sorter.By(sorter.Asc(noKey)).SortWithin(s, nil) }},
		{"TopKeys of -1", "sorter: TopK of -1 elements", func() { _ = sorter.TopKeys(s, -1) }},
		{"TopOrder of -1", "sorter: the first -1 of 3 rows", func() { _, _ = sorter.By(sorter.Asc(id)).TopOrder(s, -1) }},
		{"Ordering.TopOrder of -1", "sorter: the first -1 of 3 rows", func() { _, _ = by.TopOrder(s, -1) }},
		{"Rows.Top of -1 rows", "sorter: RowsBy of -1 rows", func() { _, _ = sorter.RowsBy(-1, cols...).Top(1) }},
		{"Rows.Top at -1", "sorter: the first -1 of 3 rows", func() { _, _ = sorter.RowsBy(3, cols...).Top(-1) }},
		{"Partitions.Top of -1 rows", "sorter: RowsBy of -1 rows", func() { _, _, _ = sorter.RowsBy(-1, cols...).Per(cols...).Top(1) }},
		{"Partitions.Top at -1", "sorter: the first -1 of 3 rows", func() { _, _, _ = sorter.RowsBy(3, cols...).Per(cols...).Top(-1) }},
		{"Nth at -1", "sorter: rank -1 of 3 rows", func() { _, _ = sorter.By(sorter.Asc(id)).Nth(s, []int{-1}) }},
		{"Nth at the end", "sorter: rank 3 of 3 rows", func() { _, _ = sorter.By(sorter.Asc(id)).Nth(s, []int{3}) }},
		{"Ordering.Nth at the end", "sorter: rank 3 of 3 rows", func() { _, _ = by.Nth(s, []int{3}) }},
		{"Rows.Nth of one of -1 rows", "sorter: RowsBy of -1 rows", func() { _, _ = sorter.RowsBy(-1, cols...).Nth([]int{0}) }},
		{"Rows.Nth of -1 rows", "sorter: RowsBy of -1 rows", func() { _, _ = sorter.RowsBy(-1, cols...).Nth(nil) }},
		{"Rows.Nth at the end", "sorter: rank 3 of 3 rows", func() { _, _ = sorter.RowsBy(3, cols...).Nth([]int{3}) }},
		{"Partitions.Nth of -1 rows", "sorter: RowsBy of -1 rows", func() { _, _ = sorter.RowsBy(-1, cols...).Per(cols...).Nth(nil) }},
		{"Partitions.Nth at -1", "sorter: Nth at -1", func() { _, _ = sorter.RowsBy(3, cols...).Per(cols...).Nth([]int{-1}) }},
		{"Rows.Quantiles of -1 rows", "sorter: RowsBy of -1 rows", func() { _, _ = sorter.RowsBy(-1, cols...).Quantiles(nil) }},
		{"Rows.Quantiles of nothing", "sorter: quantile 0.5 of no rows", func() { _, _ = sorter.RowsBy(0, cols...).Quantiles([]float64{.5}) }},
		{"Rows.Quantiles at -1", "sorter: quantile -1, which is not in [0, 1]", func() { _, _ = sorter.RowsBy(3, cols...).Quantiles(nan) }},
		{"Partitions.Quantiles at -1", "sorter: quantile -1, which is not in [0, 1]", func() { _, _ = sorter.RowsBy(3, cols...).Per(cols...).Quantiles(nan) }},
		{"quantiles of values at -1", "sorter: quantile -1, which is not in [0, 1]", func() { _, _ = sorter.RowsBy(3, sorter.AscOf(s)).Per(cols...).Quantiles(nan) }},
		{"Quantiles at -1", "sorter: quantile -1, which is not in [0, 1]", func() { _, _ = sorter.Quantiles(s, nan) }},
		{"SortWithin of falling offsets", "sorter: offsets[1] is 1, below 2", func() { _ = sorter.By(sorter.Asc(id)).SortWithin(s, []int{2, 1}) }},
		{"SortWithin from -1", "sorter: offsets[0] is -1, below 0", func() { _ = sorter.By(sorter.Asc(id)).SortWithin(s, []int{-1, 1}) }},
		{"SortWithin past the end", "sorter: segments end at 4 of 3 elements", func() { _ = sorter.By(sorter.Asc(id)).SortWithin(s, []int{0, 4}) }},
		{"Ordering.SortWithin past the end", "sorter: segments end at 4 of 3 elements", func() { _ = by.SortWithin(s, []int{0, 4}) }},
		{"Rows.Within of falling offsets", "sorter: offsets[1] is 1, below 2", func() { _, _ = sorter.RowsBy(3, cols...).Within([]int{2, 1}) }},
		{"Rows.Within from -1", "sorter: offsets[0] is -1, below 0", func() { _, _ = sorter.RowsBy(3, cols...).Within([]int{-1}) }},
		{"MarkRuns(nil)", "sorter: nil runs", func() { sorter.MarkRuns(nil) }},
		{"MarkRunsBy(1, nil)", "sorter: nil runs", func() { sorter.MarkRunsBy(1, nil) }},
		{"MarkRunsBy(-1)", "sorter: MarkRunsBy(-1): need at least 0 columns", func() { sorter.MarkRunsBy(-1, runs) }},
		{"Rows.Order, runs of two columns", "sorter: runs by 2 columns of an order by 1", func() { _, _ = sorter.RowsBy(3, cols...).Order(sorter.MarkRunsBy(2, runs)) }},
		{"Rows.Order of many, runs of two", "sorter: runs by 2 columns of an order by 1", func() { _, _ = sorter.RowsBy(5000, cols...).Order(sorter.MarkRunsBy(2, runs)) }},
		{"OrderKeys, runs of two columns", "sorter: runs by 2 columns of an order by 1", func() { _, _ = sorter.OrderKeys(s, sorter.MarkRunsBy(2, runs)) }},
		{"Ordering.Order, runs of two", "sorter: runs by 2 columns of an order by 1", func() { _, _ = by.Order(s, sorter.MarkRunsBy(2, runs)) }},
		{"Rows.Within, runs of two columns", "sorter: runs by 2 columns of an order by 1", func() { _, _ = sorter.RowsBy(3, cols...).Within([]int{0, 3}, sorter.MarkRunsBy(2, runs)) }},
		{"Rows.Sort, runs of two columns", "sorter: runs by 2 columns of an order by 1", func() { _ = sorter.RowsBy(3, cols...).Sort([]uint32{1, 0}, sorter.MarkRunsBy(2, runs)) }},
		{"NullsFirstBits from -1", "sorter: validity bits from offset -1 on", func() { sorter.AscOf(s).NullsFirstBits([]byte{0xff}, -1) }},
		{"bits of strings", "sorter: validity bits of elements of type string, which are no row numbers", func() { sorter.Asc(func(s string) string { return s }).NullsLastBits([]byte{0xff}, 0) }},
		{"bits from past their end", "sorter: order of 3 rows by 0 validity bits", func() {
			_, _ = sorter.RowsBy(3, sorter.AscOf(s).NullsLastBits([]byte{0xff}, 100)).Order()
		}},
		{"Keys of no layout", "sorter: keys of no layout; make them with Chunks, Arena, Views, FixedBinary or Concat", func() { sorter.Keys{}.Asc() }},
		{"Concat of nothing", "sorter: Concat of no keys", func() { sorter.Concat() }},
		{"Concat of types", "sorter: Concat of keys of different types", func() { sorter.Concat(sorter.Chunks([][]int{s}), sorter.Chunks([][]string{nil})) }},
		{"Arena past its end", "sorter: last offset 4 of an arena of 3 bytes", func() { sorter.Arena([]byte("abc"), []int32{0, 4}) }},
		{"Views of 3 bytes", "sorter: views of 3 bytes, which is no multiple of 16", func() { sorter.Views(make([]byte, 3)) }},
		{"FixedBinary of 0", "sorter: 0 bytes in keys of 0 bytes", func() { sorter.FixedBinary(nil, 0) }},
		{"FixedBinary of 3", "sorter: 4 bytes in keys of 3 bytes", func() { sorter.FixedBinary(make([]byte, 4), 3) }},
		{"Sort, nil option", "sorter: nil option", func() { _ = sorter.Sort(s, id, nil) }},
		{"Rows.Order, nil option after another", "sorter: nil option", func() { _, _ = sorter.RowsBy(3, cols...).Order(sorter.Stable(), nil) }},
		{"NewTop, nil option", "sorter: nil option", func() { sorter.NewTop(by, 1, nil) }},
		{"NewTop of -1", "sorter: NewTop of -1 elements", func() { sorter.NewTop(by, -1) }},
		{"Top.Merge, nil Top", "sorter: Merge of a nil Top", func() { sorter.NewTop(by, 1).Merge(nil) }},
		{"Top.Merge of another k", "sorter: Merge of the first 1 elements and the first 2, which must be as many, by one Ordering", func() { sorter.NewTop(by, 1).Merge(sorter.NewTop(by, 2)) }},
		{"NewTopPer of -1", "sorter: NewTopPer of -1 elements", func() { sorter.NewTopPer(by, by, -1) }},
		{"NewTopPer, nil option", "sorter: nil option", func() { sorter.NewTopPer(by, by, 1, nil) }},
		{"SortFunc, nil comparison", "sorter: nil comparison", func() { _ = sorter.SortFunc(s, nil) }},
		{"OrderFunc, nil comparison", "sorter: nil comparison", func() { _, _ = sorter.OrderFunc(s, nil) }},
		{"OrderFunc, runs of two columns", "sorter: runs by 2 columns of an order by 1", func() { _, _ = sorter.OrderFunc(s, cmp.Compare[int], sorter.MarkRunsBy(2, runs)) }},
		{"Rows.Sort, a row past the end", "sorter: row 3 of 3 rows", func() { _ = sorter.RowsBy(3, cols...).Sort([]uint32{1, 3}) }},
		{"Rows.Order, a column too short", "sorter: order of 4 rows by a column of 3", func() { _, _ = sorter.RowsBy(4, sorter.AscOf(s)).Order() }},
		{"By AscOf, an element past the column", "sorter: element 3 is no row of a column of 3", func() { _ = sorter.By(sorter.AscOf(s)).Sort([]int{2, 3}) }},
		{"By AscOf, an element below 0", "sorter: element -1 is no row of a column of 3", func() { _, _ = sorter.By(sorter.DescOf(s)).Order([]int{2, -1}) }},
		{"By Keys, an element past them", "sorter: element 7 is no row of a column of 3", func() { _, _ = sorter.By(sorter.Chunks([][]int{s}).Asc()).Nth([]int{7}, []int{0}) }},
		{"By AscOf after another column", "sorter: element 7 is no row of a column of 3", func() { _, _ = sorter.By(sorter.Asc(id), sorter.AscOf(s)).TopOrder([]int{7}, 1) }},
		{"By AscOf, an element without a bit", "sorter: element 8 is no row of 8 validity bits", func() { _ = sorter.By(sorter.AscOf(s).NullsLastBits([]byte{0}, 0)).Sort([]int{8}) }},
		{"By AscOf of the elements", "sorter: elements lie in the column that orders them, and are no row numbers: SortKeys and OrderKeys order keys", func() { _ = sorter.By(sorter.AscOf(s)).Sort(s) }},
		{"By AscOf of part of the elements", "sorter: elements lie in the column that orders them, and are no row numbers: SortKeys and OrderKeys order keys", func() { _ = sorter.By(sorter.AscOf(s[2:])).TopK(s, 1) }},
		{"Ordering.Merge by AscOf, a run past the column", "sorter: element 3 is no row of a column of 3", func() { _ = sorter.By(sorter.AscOf(s)).Merge(four[:2], [][]int{{1}, {3}}) }},
		{"Ordering.SortWithin by AscOf, a segment past the column", "sorter: element 3 is no row of a column of 3", func() { _ = sorter.By(sorter.AscOf(s)).SortWithin([]int{9, 1, 3, 9}, []int{1, 3}) }},
	} {
		if value := panicValue(c.call); value != c.message {
			t.Errorf("%s: panicked with %v, want %q", c.name, value, c.message)
		}
	}
	checkSame(t, "the slice after all misuse", nil, s, []int{3, 1, 2})
	checkSame(t, "dst after all misuse", nil, four, make([]int, 4))
}

// TestAdjacentIsNotOverlapping merges parts of one array that only touch.
func TestAdjacentIsNotOverlapping(t *testing.T) {
	all := []int{0, 0, 0, 0, 1, 3, 2, 4}
	err := sorter.Merge(all[:4], [][]int{all[4:6], all[6:]}, func(i int) int { return i })
	checkSame(t, "Merge into the front of one array", err, all, []int{1, 2, 3, 4, 1, 3, 2, 4})
	none := all[2:2]
	err = sorter.Merge(none, [][]int{none, nil}, func(i int) int { return i })
	checkSame(t, "Merge of nothing into nothing", err, none, nil)
}

// TestOptionsLastWins applies options of one kind in order.
func TestOptionsLastWins(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := []int{3, 1, 2}
	err := sorter.SortKeys(s, sorter.WithContext(ctx), sorter.WithContext(context.Background()), sorter.Workers(3), sorter.Workers(1))
	checkSame(t, "a cancelled context, then another one", err, s, []int{1, 2, 3})
}

// TestWorkersDefault: Workers(0) is the default.
func TestWorkersDefault(t *testing.T) {
	keys, most := make([]int, 1<<16), runtime.GOMAXPROCS(0)
	for name, opts := range map[string][]sorter.Option{"none": nil, "0": {sorter.Workers(0)}, "1, then 0": {sorter.Workers(1), sorter.Workers(0)}} {
		var st sorter.Stats
		if err := sorter.SortKeys(keys, append(opts, sorter.Report(&st))...); err != nil || st.Workers != most {
			t.Errorf("Workers %s: %v, %d workers, want %d", name, err, st.Workers, most)
		}
	}
}

func TestErrors(t *testing.T) {
	all := []error{sorter.ErrTooLong, sorter.ErrNoDevice, sorter.ErrMemoryLimit}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("errors.Is(%v, %v) is %v", a, b, i != j)
			}
		}
		if !strings.HasPrefix(a.Error(), "sorter: ") {
			t.Errorf("%q does not begin with \"sorter: \"", a)
		}
	}
	cause := errors.New("cable pulled")
	var err error = &sorter.DeviceError{Device: "GPU 0", Op: "cuMemAlloc_v2", Code: 2, Err: cause}
	for _, part := range []string{"GPU 0", "cuMemAlloc_v2", "2", "cable pulled"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not tell %q", err, part)
		}
	}
	for want, short := range map[string]sorter.MemoryError{
		"sorter: memory limit too small: 8 bytes for 9 elements, need 90":                         {Limit: 8, Need: 90, Elements: 9},
		"sorter: memory limit too small: 8 bytes for 9 elements, need more than can be addressed": {Limit: 8, Need: math.MaxInt64, Elements: 9},
		"sorter: memory limit too small: 8 bytes":                                                 {Limit: 8},
	} {
		if err := error(&short); err.Error() != want || !errors.Is(err, sorter.ErrMemoryLimit) || !errors.Is(err, extsort.ErrMemoryLimit) {
			t.Errorf("%+v is %q, want %q", short, err, want)
		}
	}
	var device *sorter.DeviceError
	if wrapped := fmt.Errorf("outer: %w", err); !errors.As(wrapped, &device) || !errors.Is(wrapped, cause) {
		t.Errorf("%v does not unwrap to *DeviceError and its cause", wrapped)
	}
}
