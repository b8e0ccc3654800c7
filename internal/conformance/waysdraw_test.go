package conformance_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// wayColumn is a column whose keys are in the order of numbers.
type wayColumn struct {
	kind       string // of keys: int64, int32, int8, float64, float32, string
	values     []int64
	null       []bool // nil: there are none
	nullsFirst bool
	desc       bool
	given      bool // keys, and which are null, lie in memory
	form       int  // in which they lie there
	nans       oracle.NaNs
	ownNaNs    bool // nans, whatever the call says
	seed       uint64
}

// wayNaN is the number of a NaN, among floats.
const wayNaN = math.MinInt64

func (c *wayColumn) float(row int) float64 {
	if c.values[row] == wayNaN {
		return math.NaN()
	}
	return float64(c.values[row])
}

func (c *wayColumn) text(row int) string {
	return fmt.Sprintf("https://example.com/%016d", c.values[row])
}

// redrawn returns columns with the same keys and other properties.
func redrawn(cols []wayColumn, r *rand.Rand) []wayColumn {
	cols = slices.Clone(cols)
	for i := range cols {
		c := &cols[i]
		c.nullsFirst, c.desc, c.given = r.IntN(2) == 0, r.IntN(3) == 0, r.IntN(2) == 0
		c.form, c.seed = r.IntN(4), r.Uint64()
		c.nans, c.ownNaNs = oracle.NaNs(r.IntN(4)), c.kind == "float64" && r.IntN(4) == 0
		if c.desc && r.IntN(2) == 0 { // the same order by other keys
			c.values = mapped(c.values, func(v int64) int64 {
				if v == wayNaN || c.kind == "string" || c.kind == "int8" {
					return v
				}
				return -v
			})
		}
	}
	return cols
}

func (c wayColumn) String() string {
	return fmt.Sprintf("%s(desc %v, nulls %v, first %v, given %v, form %d, own NaNs %v %v)", c.kind, c.desc, c.null != nil, c.nullsFirst, c.given, c.form, c.ownNaNs, c.nans)
}

func ofRow(row int) int { return row }

// ofElement is the row of an element.
func ofElement(e wayElement) int { return e.row }

type wayElement struct {
	row int
	_   [2]int64
}

// columnsOfWay returns columns of elements of the given rows.
func columnsOfWay[E any](cols []wayColumn, row func(e E) int) (all []sorter.Column[E]) {
	for i := range cols {
		c := &cols[i]
		col := functionOfWay(c, row)
		if c.given {
			if rows, ok := any(sliceOfWay(c)).(sorter.Column[E]); ok {
				col = rows
			}
		}
		if c.ownNaNs {
			switch c.nans {
			case oracle.First:
				col = col.NaNsFirst()
			case oracle.Last:
				col = col.NaNsLast()
			case oracle.Total:
				col = col.TotalOrder()
			}
		}
		null := func(e E) bool { return c.null[row(e)] }
		switch {
		case c.null == nil:
		case c.given && c.nullsFirst:
			col = col.NullsFirst(null)
			if rows, ok := any(col).(sorter.Column[int]); ok {
				col = any(rows.NullsFirstBits(validWayBits(c.null), 5)).(sorter.Column[E])
			}
		case c.nullsFirst:
			col = col.NullsFirst(null)
		default:
			col = col.NullsLast(null)
		}
		all = append(all, col)
	}
	return all
}

// validWayBits has a bit for each row that is not null, from the fifth on.
func validWayBits(null []bool) []byte {
	valid := make([]byte, (len(null)+5+7)/8)
	for i, is := range null {
		if !is {
			valid[(i+5)/8] |= 1 << ((i + 5) % 8)
		}
	}
	return valid
}

func functionOfWay[E any](c *wayColumn, row func(e E) int) sorter.Column[E] {
	switch c.kind {
	case "int64":
		return directedWay(c, func(e E) int64 { return c.values[row(e)] })
	case "int8":
		return directedWay(c, func(e E) int8 { return int8(c.values[row(e)]) })
	case "int16":
		return directedWay(c, func(e E) int16 { return int16(c.values[row(e)]) })
	case "float64":
		return directedWay(c, func(e E) float64 { return c.float(row(e)) })
	case "float32":
		return directedWay(c, func(e E) float32 { return float32(c.values[row(e)]) })
	case "int32":
		return directedWay(c, func(e E) int32 { return int32(c.values[row(e)]) })
	}
	return directedWay(c, func(e E) string { return c.text(row(e)) })
}

func directedWay[E any, K sorter.Key](c *wayColumn, key func(e E) K) sorter.Column[E] {
	if c.desc {
		return sorter.Desc(key)
	}
	return sorter.Asc(key)
}

func sliceOfWay(c *wayColumn) sorter.Column[int] {
	rows := ascending(len(c.values))
	switch c.kind {
	case "int64":
		return directedWayOf(c, c.values)
	case "int8":
		return directedWayOf(c, mapped(c.values, func(v int64) int8 { return int8(v) }))
	case "int16":
		return directedWayOf(c, mapped(c.values, func(v int64) int16 { return int16(v) }))
	case "float64":
		return directedWayOf(c, mapped(rows, c.float))
	case "float32":
		return directedWayOf(c, mapped(rows, func(row int) float32 { return float32(c.values[row]) }))
	case "int32":
		return directedWayOf(c, mapped(c.values, func(v int64) int32 { return int32(v) }))
	}
	texts := mapped(rows, c.text)
	switch c.form {
	case 1:
		return c.directed(sorter.Arena(testkit.ArenaOf[int32](texts)))
	case 2:
		views, buffers := testkit.ViewsOf(texts, func(row int) bool { return c.null != nil && c.null[row] }, rand.New(rand.NewPCG(c.seed, 1)))
		return c.directed(sorter.Views(views, buffers...))
	}
	return directedWayOf(c, texts)
}

func (c *wayColumn) directed(keys sorter.Keys) sorter.Column[int] {
	if c.desc {
		return keys.Desc()
	}
	return keys.Asc()
}

func directedWayOf[K sorter.Key](c *wayColumn, keys []K) sorter.Column[int] {
	if c.form == 3 {
		return c.directed(sorter.Chunks(testkit.Cut(keys, rand.New(rand.NewPCG(c.seed, 2)))))
	}
	if c.desc {
		return sorter.DescOf(keys)
	}
	return sorter.AscOf(keys)
}

// compareWays compares rows by columns under the order of a call.
func compareWays(cols []wayColumn, call oracle.Order) func(a, b uint32) int {
	return func(a, b uint32) int {
		for i := range cols {
			if c := cols[i].compare(int(a), int(b), call); c != 0 {
				return c
			}
		}
		return 0
	}
}

func (c *wayColumn) compare(a, b int, call oracle.Order) int {
	if c.null != nil && (c.null[a] || c.null[b]) {
		switch {
		case c.null[a] && c.null[b]:
			return 0
		case c.null[a] == c.nullsFirst:
			return -1
		}
		return 1
	}
	call.Desc = call.Desc != c.desc
	if c.ownNaNs && c.nans != oracle.Least {
		call.NaNs = c.nans
	}
	if c.kind == "float64" {
		return oracle.Ordered[float64](call)(c.float(a), c.float(b))
	}
	sign := 1
	if call.Desc {
		sign = -1
	}
	return sign * cmp.Compare(c.values[a], c.values[b])
}

// wayRuns are the runs that a call is asked for, of rows that are equal by the first columns.
type wayRuns struct {
	columns int // -1: all
	perm.Runs
}

// drawWayOptions draws options, and returns the order that they ask for.
func drawWayOptions(r *rand.Rand, n, columns int) (call oracle.Order, opts []sorter.Option, asked []*wayRuns, name string) {
	call.Desc = r.IntN(2) == 0
	call.NaNs = []oracle.NaNs{oracle.Least, oracle.First, oracle.Last, oracle.Total}[r.IntN(4)]
	opts = append(orderOptions(call)[1:], sorter.Stable())
	name = fmt.Sprintf("%+v", call)
	add := func(as string, o sorter.Option) { opts, name = append(opts, o), name+", "+as }
	switch r.IntN(8) {
	case 0:
		limit := []int64{1 << 30, 300*int64(n) + 1<<21}[r.IntN(2)]
		add(fmt.Sprint("limit ", limit), sorter.MemoryLimit(limit))
	case 1:
		add("progress", sorter.OnProgress(func(sorter.Progress) {}))
	case 2:
		add("CPU", sorter.On(sorter.CPU()))
	case 3:
		a := []sorter.Algorithm{sorter.Radix, sorter.BucketRadix, sorter.IndexGather, sorter.MergeSort, sorter.SampleSort}[r.IntN(5)]
		add(a.String(), sorter.Use(a))
	case 4:
		add("context", sorter.WithContext(neverCancelled))
	}
	if r.IntN(3) == 0 {
		asked = append(asked, &wayRuns{columns: -1})
		add("runs", sorter.MarkRuns(&asked[0].Runs))
	}
	if r.IntN(6) == 0 {
		by := &wayRuns{columns: r.IntN(columns + 1)}
		asked = append(asked, by)
		add(fmt.Sprintf("runs by %d", by.columns), sorter.MarkRunsBy(by.columns, &by.Runs))
	}
	if r.IntN(4) == 0 {
		add("into", sorter.Into(make(perm.Perm, r.IntN(50_000))))
	}
	if r.IntN(2) == 0 {
		workers := 1 + r.IntN(4)
		add(fmt.Sprintf("%d workers", workers), sorter.Workers(workers))
	}
	return call, opts, asked, name
}

// checkWayRuns compares the runs that were asked for with those of the order.
func checkWayRuns(t *testing.T, name string, asked []*wayRuns, cols []wayColumn, call oracle.Order, order []uint32) {
	t.Helper()
	for _, runs := range asked {
		by := cols
		if runs.columns >= 0 {
			by = cols[:runs.columns]
		}
		if got, want := runs.Offsets(), wayOffsets(order, compareWays(by, call)); !slices.Equal(got, want) {
			t.Fatalf("%s: runs by %d columns: %s", name, runs.columns, oracle.Diff(got, want, func(a, b int) bool { return a == b }))
		}
	}
}

// wayOffsets are the offsets of the runs of equal rows in an order.
func wayOffsets(order []uint32, compare func(a, b uint32) int) []int {
	offsets := []int{0}
	for i := range order {
		if i > 0 && compare(order[i-1], order[i]) != 0 {
			offsets = append(offsets, i)
		}
	}
	return append(offsets, len(order))
}

// checkWayVerbs calls verbs on rows by columns, under drawn options.
func checkWayVerbs(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	n := len(cols[0].values)
	call, opts, asked, as := drawWayOptions(r, n, len(cols))
	name = fmt.Sprintf("%s: %v, %s", name, cols, as)
	want := perm.Identity(n)
	testkit.SortStable(want, compareWays(cols, call))
	byRow := func() []sorter.Column[int] { return columnsOfWay(cols, ofRow) }

	p, err := sorter.RowsBy(n, byRow()...).Order(opts...)
	checkSame(t, name+", Rows.Order", err, p, want)
	checkWayRuns(t, name, asked, cols, call, want)

	picked := make([]bool, n)
	var rows []uint32
	for i := range picked {
		if picked[i] = r.IntN(4) > 0; picked[i] {
			rows = append(rows, uint32(i))
		}
	}
	err = sorter.RowsBy(n, byRow()...).Sort(rows, opts...)
	checkSame(t, name+", Rows.Sort", err, rows, slices.DeleteFunc(slices.Clone(want), func(row uint32) bool { return !picked[row] }))

	k := []int{1, n / 40, n / 3}[r.IntN(3)]
	first, err := sorter.RowsBy(n, byRow()...).Top(k, opts...)
	checkSame(t, name+", Rows.Top", err, first, want[:k])

	ks := mapped(make([]int, 1+r.IntN(12)), func(int) int { return r.IntN(n) })
	found, err := sorter.RowsBy(n, byRow()...).Nth(ks, opts...)
	checkSame(t, name+", Rows.Nth", err, found, mapped(ks, func(k int) uint32 { return want[k] }))
	checkWayPartitions(t, name, cols, call, want, opts, r)
	if c := &cols[0]; len(cols) == 1 && c.null == nil && !c.desc && !c.ownNaNs { // keys alone
		switch rows := ascending(n); c.kind {
		case "int64":
			checkWayKeys(t, name, c.values, want, opts)
		case "int8":
			checkWayKeys(t, name, mapped(c.values, func(v int64) int8 { return int8(v) }), want, opts)
		case "int16":
			checkWayKeys(t, name, mapped(c.values, func(v int64) int16 { return int16(v) }), want, opts)
		case "int32":
			checkWayKeys(t, name, mapped(c.values, func(v int64) int32 { return int32(v) }), want, opts)
		case "float64":
			checkWayKeys(t, name, mapped(rows, c.float), want, opts)
		case "string":
			checkWayKeys(t, name, mapped(rows, c.text), want, opts)
		}
	}
	checkWaySorted(t, name, cols, r)
}

// checkWayPartitions calls verbs on rows that are partitioned by the first column. want is their order.
func checkWayPartitions(t *testing.T, name string, cols []wayColumn, call oracle.Order, want []uint32, opts []sorter.Option, r *rand.Rand) {
	t.Helper()
	n, all := len(want), columnsOfWay(cols, ofRow)
	parts := wayOffsets(want, compareWays(cols[:1], call))
	k := []int{1, 2, 1 + r.IntN(40)}[r.IntN(3)]
	var first []uint32
	count := []int{1, 3, 1 + r.IntN(20)}[r.IntN(3)]
	ks := mapped(make([]int, count), func(int) int { return r.IntN(1 + n/len(parts)) })
	var ranked []uint32
	for i, lo := range parts[:len(parts)-1] {
		hi := parts[i+1]
		first = append(first, want[lo:min(hi, lo+k)]...)
		for _, k := range ks {
			row := uint32(sorter.NoRow)
			if lo+k < hi {
				row = want[lo+k]
			}
			ranked = append(ranked, row)
		}
	}
	per := sorter.RowsBy(n, all[1:]...).Per(all[0])
	rows, _, err := per.Top(k, opts...)
	checkSame(t, fmt.Sprintf("%s, Partitions.Top of %d", name, k), err, rows, first)
	places, err := per.Nth(ks, opts...)
	checkSame(t, fmt.Sprintf("%s, Partitions.Nth at %v", name, ks), err, places, ranked)
}

// checkWayKeys sorts keys alone, and with their row numbers.
func checkWayKeys[K cmp.Ordered](t *testing.T, name string, keys []K, order []uint32, opts []sorter.Option) {
	t.Helper()
	want := mapped(order, func(row uint32) K { return keys[row] })
	equal := func(a, b K) bool { return cmp.Compare(a, b) == 0 }
	got := slices.Clone(keys)
	if err := sorter.SortKeys(got, opts...); err != nil || !slices.EqualFunc(got, want, equal) {
		t.Fatalf("%s, SortKeys: %s, error %v", name, oracle.Diff(got, want, equal), err)
	}
	got, rows := slices.Clone(keys), perm.Identity(len(keys))
	err := sorter.SortPairs(got, rows, opts...)
	checkSame(t, name+", values of SortPairs", err, rows, order)
	if !slices.EqualFunc(got, want, equal) {
		t.Fatalf("%s, keys of SortPairs: %s", name, oracle.Diff(got, want, equal))
	}
}

// checkWaySorted sorts elements by the columns, and merges them.
func checkWaySorted(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	n := len(cols[0].values)
	call, opts, _, as := drawWayOptions(r, n, len(cols))
	want := perm.Identity(n)
	testkit.SortStable(want, compareWays(cols, call))
	wanted := mapped(want, func(row uint32) wayElement { return wayElement{row: int(row)} })
	by := sorter.By(columnsOfWay(cols, ofElement)...)
	all := mapped(ascending(n), func(row int) wayElement { return wayElement{row: row} })
	for turn := range 2 { // few elements take another way the second time
		s := slices.Clone(all)
		err := by.Sort(s, opts...)
		checkSame(t, fmt.Sprintf("%s, Sort, %s, time %d", name, as, turn), err, s, wanted)
	}
	k := n / (1 + r.IntN(60))
	s := slices.Clone(all)
	err := by.TopK(s, k, opts...)
	checkSame(t, fmt.Sprintf("%s, TopK of %d, %s", name, k, as), err, s[:k], wanted[:k])
}
