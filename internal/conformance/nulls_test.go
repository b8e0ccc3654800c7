package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// Rows whose leading key is null are ordered apart from the others: by every verb, for nulls
// anywhere, and with other columns after the first.

// nullRow is small enough that its nulls are parted from other rows.
type nullRow struct {
	at    uint32
	nulls uint8 // bit k: the k-th column is null
	few   int8
	small int32
	num   int64
	real  float64
	text  string
}

// nullPatterns say which rows have null in the first column.
var nullPatterns = []struct {
	name string
	null func(i, n int, r *rand.Rand) bool
}{
	{"none", func(_, _ int, _ *rand.Rand) bool { return false }},
	{"all", func(_, _ int, _ *rand.Rand) bool { return true }},
	{"every other", func(i, _ int, _ *rand.Rand) bool { return i%2 == 0 }},
	{"a tenth", func(_, _ int, r *rand.Rand) bool { return r.IntN(10) == 0 }},
	{"most", func(_, _ int, r *rand.Rand) bool { return r.IntN(50) > 0 }},
	{"the first", func(i, _ int, _ *rand.Rand) bool { return i == 0 }},
	{"the last", func(i, n int, _ *rand.Rand) bool { return i == n-1 }},
	{"the second half", func(i, n int, _ *rand.Rand) bool { return i >= n/2 }},
	{"blocks", func(i, _ int, _ *rand.Rand) bool { return i/2048%2 == 1 }},
}

func nullRows(n int, null func(i, n int, r *rand.Rand) bool) []nullRow {
	r := dist.Rand(uint64(n))
	rows := make([]nullRow, n)
	for i := range rows {
		rows[i] = nullRow{at: uint32(i), nulls: uint8(r.Uint32()&r.Uint32()) &^ 1, few: int8(r.IntN(3)), small: int32(r.IntN(1000) - 500),
			num:  []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, math.MaxInt64 - 1, math.MaxInt64, r.Int64(), r.Int64N(100)}[r.IntN(8)],
			real: specials64[r.IntN(len(specials64))], text: texts[r.IntN(len(texts))]}
		if null(i, n, r) {
			rows[i].nulls |= 1
		}
	}
	return rows
}

// comparableRows replaces NaNs, which differ from themselves.
func comparableRows(rows []nullRow) []nullRow {
	for i := range rows {
		if math.IsNaN(rows[i].real) {
			rows[i].real = 0
		}
	}
	return rows
}

// nullColumn is a column of rows that elements of type E stand for.
type nullColumn[E any] struct {
	name    string
	column  func(k int) sorter.Column[E] // the k-th of an ordering
	compare func(o oracle.Order) func(a, b *nullRow) int
	desc    bool
	place   nullPlace
}

// nullCounter counts the calls of key functions by column and row, and those for nulls.
type nullCounter struct {
	calls [4][]atomic.Uint32
	wrong atomic.Uint32
}

func (c *nullCounter) reset(n int) {
	for k := range c.calls {
		c.calls[k] = make([]atomic.Uint32, n)
	}
}

// nullColumnOf returns a column of a key in every direction and with nulls at either end.
func nullColumnOf[E any, K sorter.Key](name string, get func(E) *nullRow, c *nullCounter, key func(*nullRow) K, desc bool, place nullPlace, order func(oracle.Order) func(a, b K) int) nullColumn[E] {
	return nullColumn[E]{
		name: fmt.Sprintf("%s desc=%v nulls=%d", name, desc, place), desc: desc, place: place,
		column: func(k int) sorter.Column[E] {
			col := sorter.Asc(func(e E) K {
				row := get(e)
				c.calls[k][row.at].Add(1)
				if place != noNulls && row.nulls>>k&1 != 0 {
					c.wrong.Add(1)
				}
				return key(row)
			})
			if desc {
				col = sorter.Desc(func(e E) K { return key(get(e)) })
			}
			null := func(e E) bool { return get(e).nulls>>k&1 != 0 }
			switch place {
			case nullsFirst:
				col = col.NullsFirst(null)
			case nullsLast:
				col = col.NullsLast(null)
			}
			return col
		},
		compare: func(o oracle.Order) func(a, b *nullRow) int {
			compare := order(o.Of(oracle.Order{Desc: desc}))
			return func(a, b *nullRow) int { return compare(key(a), key(b)) }
		},
	}
}

// nullOrderings are orderings of which each begins with a column that may be null.
func nullOrderings[E any](get func(E) *nullRow, c *nullCounter) [][]nullColumn[E] {
	num := func(desc bool, place nullPlace) nullColumn[E] {
		return nullColumnOf("int64", get, c, func(r *nullRow) int64 { return r.num }, desc, place, oracle.Ordered[int64])
	}
	real := func(desc bool, place nullPlace) nullColumn[E] {
		return nullColumnOf("float64", get, c, func(r *nullRow) float64 { return r.real }, desc, place, oracle.Ordered[float64])
	}
	small := func(desc bool, place nullPlace) nullColumn[E] {
		return nullColumnOf("int32", get, c, func(r *nullRow) int32 { return r.small }, desc, place, oracle.Ordered[int32])
	}
	few := func(desc bool, place nullPlace) nullColumn[E] {
		return nullColumnOf("int8", get, c, func(r *nullRow) int8 { return r.few }, desc, place, oracle.Ordered[int8])
	}
	text := func(desc bool, place nullPlace) nullColumn[E] {
		return nullColumnOf("string", get, c, func(r *nullRow) string { return r.text }, desc, place, oracle.Ordered[string])
	}
	return [][]nullColumn[E]{
		{num(false, nullsFirst)},
		{num(true, nullsLast)},
		{num(false, nullsLast), text(true, nullsFirst)},
		{real(true, nullsFirst), few(false, noNulls)},
		{real(false, nullsLast)},
		{small(true, nullsFirst)},
		{small(false, nullsLast), num(true, nullsFirst), few(false, nullsLast)},
		{few(false, nullsFirst), few(true, noNulls), small(false, nullsLast)},
		{text(false, nullsLast), real(true, nullsLast)},
		{few(true, nullsLast), num(false, noNulls), text(false, noNulls)},
	}
}

// comparison is that of an ordering by some of its columns, in a call with options of o.
func comparison[E any](cols []nullColumn[E], o oracle.Order) func(a, b *nullRow) int {
	var compares []func(a, b *nullRow) int
	for _, c := range cols {
		compares = append(compares, c.compare(o))
	}
	return func(a, b *nullRow) int {
		for k := range cols {
			c := &cols[k]
			if c.place != noNulls {
				if x, y := a.nulls>>k&1, b.nulls>>k&1; x != y {
					if c.place == nullsFirst {
						x, y = y, x
					}
					return cmp.Compare(x, y)
				} else if x != 0 {
					continue
				}
			}
			if d := compares[k](a, b); d != 0 {
				return d
			}
		}
		return 0
	}
}

func columnsOf[E any](spec []nullColumn[E]) (cols []sorter.Column[E], name string) {
	for k, c := range spec {
		cols = append(cols, c.column(k))
		name += c.name + ", "
	}
	return cols, name
}

// wantRows returns the places of rows in the stable order.
func wantRows[E any](rows []nullRow, spec []nullColumn[E], o oracle.Order) perm.Perm {
	p := perm.Identity(len(rows))
	compare := comparison(spec, o)
	testkit.SortStable(p, func(a, b uint32) int { return compare(&rows[a], &rows[b]) })
	return p
}

// check fails unless key functions were called once at most, and never for nulls.
func (c *nullCounter) check(t *testing.T, name string) {
	t.Helper()
	if wrong := c.wrong.Load(); wrong > 0 {
		t.Fatalf("%s: key functions were called for %d nulls", name, wrong)
	}
	for k := range c.calls {
		for i := range c.calls[k] {
			if calls := c.calls[k][i].Load(); calls > 1 {
				t.Fatalf("%s: the key function of column %d was called %d times for row %d", name, k, calls, i)
			}
		}
	}
}

// nullOptions are options under which the pipeline serves inputs of any length.
var nullOptions = []struct {
	name  string
	opts  []sorter.Option
	order oracle.Order
}{
	{"one worker", []sorter.Option{sorter.Workers(1), sorter.MemoryLimit(1 << 30)}, oracle.Order{}},
	{"descending, NaNs last", []sorter.Option{sorter.Descending(), sorter.NaNsLast(), sorter.MemoryLimit(1 << 30)}, oracle.Order{Desc: true, NaNs: oracle.Last}},
	{"three workers under a context", []sorter.Option{sorter.Workers(3), sorter.WithContext(neverCancelled)}, oracle.Order{}},
	{"another engine", []sorter.Option{sorter.On(&plainEngine{}), sorter.Workers(3)}, oracle.Order{}},
	{"another algorithm", []sorter.Option{sorter.Use(sorter.MergeSort)}, oracle.Order{}},
	{"buckets", []sorter.Option{sorter.Use(sorter.BucketRadix)}, oracle.Order{}},
}

// TestNullsApart sorts and orders rows by columns with nulls, by functions.
func TestNullsApart(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, pattern := range nullPatterns {
		for _, n := range []int{0, 1, 2, 63, 64, 65, 2049, 5000, 20_000} {
			rows, c := nullRows(n, pattern.null), &nullCounter{}
			for i, spec := range nullOrderings(func(r *nullRow) *nullRow { return r }, c) {
				if turn++; n > 100 && turn%testkit.Pick(11, 3) != 0 || testkit.Thinned(turn) {
					continue
				}
				o := nullOptions[turn%len(nullOptions)]
				_, name := columnsOf(spec)
				name = fmt.Sprintf("%s nulls, n=%d, by %s%s", pattern.name, n, name, o.name)
				want := wantRows(rows, spec, o.order)
				checkNullSort(t, name, rows, i, want, o.opts)
				checkNullOrder(t, name, rows, c, spec, want, o.order, o.opts)
				checkNullRowsOrder(t, name, rows, i, want, o.opts)
			}
		}
	}
}

// TestNullsApartLarge has rows that are sorted in parts, not through an index.
func TestNullsApartLarge(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel()
	const n = 90_000
	for p, pattern := range nullPatterns {
		rows, c := nullRows(n, pattern.null), &nullCounter{}
		for i, spec := range nullOrderings(func(r *nullRow) *nullRow { return r }, c) {
			if (i+p)%len(nullPatterns) != 0 || !testkit.Long() && i%3 != 0 {
				continue
			}
			o := nullOptions[i%3]
			_, name := columnsOf(spec)
			name = fmt.Sprintf("%s nulls, n=%d, by %s%s", pattern.name, n, name, o.name)
			want := wantRows(rows, spec, o.order)
			checkNullSort(t, name, rows, i, want, o.opts)
			checkNullOrder(t, name, rows, c, spec, want, o.order, o.opts)
		}
	}
}

// checkNullSort sorts the rows themselves, by the i-th ordering.
func checkNullSort(t *testing.T, name string, rows []nullRow, i int, want perm.Perm, opts []sorter.Option) {
	t.Helper()
	c := &nullCounter{}
	c.reset(len(rows))
	cols, _ := columnsOf(nullOrderings(func(r nullRow) *nullRow { return &r }, c)[i])
	got, sorted := slices.Clone(rows), make([]nullRow, len(rows))
	var st sorter.Stats
	var runs perm.Runs
	err := sorter.By(cols...).Sort(got, append(opts, sorter.Stable(), sorter.Report(&st), sorter.MarkRuns(&runs))...)
	perm.Gather(sorted, rows, want, 1)
	if err != nil || oracle.Diff(got, sorted, func(a, b nullRow) bool { return a.at == b.at }) != "" || runs.Rows() > 0 {
		t.Fatalf("Sort: %s: %v, %s", name, err, oracle.Diff(got, sorted, func(a, b nullRow) bool { return a.at == b.at }))
	}
	c.check(t, "Sort: "+name)
	if st.Elements != len(rows) || st.Total <= 0 {
		t.Fatalf("Sort: %s: statistics %+v", name, st)
	}
}

// checkNullOrder orders pointers to the rows, and marks runs.
func checkNullOrder(t *testing.T, name string, rows []nullRow, c *nullCounter, spec []nullColumn[*nullRow], want perm.Perm, o oracle.Order, opts []sorter.Option) {
	t.Helper()
	c.reset(len(rows))
	cols, _ := columnsOf(spec)
	pointers := make([]*nullRow, len(rows))
	for i := range rows {
		pointers[i] = &rows[i]
	}
	runs := make([]perm.Runs, len(spec)+2)
	opts = append(opts, sorter.Stable(), sorter.MarkRuns(&runs[len(spec)+1]))
	for k := range runs[:len(spec)+1] {
		opts = append(opts, sorter.MarkRunsBy(k, &runs[k]))
	}
	p, err := sorter.By(cols...).Order(pointers, opts...)
	checkSame(t, "Order: "+name, err, p, want)
	c.check(t, "Order: "+name)
	for k, r := range runs {
		compare := comparison(spec[:min(k, len(spec))], o)
		checkRuns(t, fmt.Sprintf("runs by %d columns, %s", k, name), p, r, func(a, b uint32) bool { return compare(&rows[a], &rows[b]) == 0 })
	}
}

// checkNullRowsOrder orders row numbers, whose keys lie in slices.
func checkNullRowsOrder(t *testing.T, name string, rows []nullRow, i int, want perm.Perm, opts []sorter.Option) {
	t.Helper()
	c := &nullCounter{}
	spec := nullOrderings(func(row int) *nullRow { return &rows[row] }, c)[i]
	var cols, bits []sorter.Column[int]
	for k, col := range spec {
		cols = append(cols, slicesOf(rows, col, k, false))
		bits = append(bits, slicesOf(rows, col, k, true))
	}
	p, err := sorter.RowsBy(len(rows), cols...).Order(append(opts, sorter.Stable())...)
	checkSame(t, "Rows.Order: "+name, err, p, want)
	p, err = sorter.RowsBy(len(rows), bits...).Order(append(opts, sorter.Stable())...)
	checkSame(t, "Rows.Order by bitmaps: "+name, err, p, want)
}

// validBits returns a bitmap from an offset on, in which other bits are random.
func validBits(rows []nullRow, k, offset int) []byte {
	r := dist.Rand(uint64(len(rows) + offset))
	valid := make([]byte, (len(rows)+offset+7)/8)
	for i := range valid {
		valid[i] = byte(r.Uint32())
	}
	for i := range rows {
		at := offset + i
		if valid[at/8] |= 1 << (at % 8); rows[i].nulls>>k&1 != 0 {
			valid[at/8] &^= 1 << (at % 8)
		}
	}
	return valid
}

// slicesOf returns the k-th column of rows, with its keys in a slice and its nulls known to a
// function or to a bitmap.
func slicesOf(rows []nullRow, c nullColumn[int], k int, bits bool) sorter.Column[int] {
	of := func(of func(desc bool) sorter.Column[int]) sorter.Column[int] {
		null := func(row int) bool { return rows[row].nulls>>k&1 != 0 }
		offset := len(rows) % 71
		switch col := of(c.desc); {
		case c.place == noNulls:
			return col
		case c.place == nullsFirst && bits:
			return col.NullsFirstBits(validBits(rows, k, offset), offset)
		case c.place == nullsFirst:
			return col.NullsFirst(null)
		case bits:
			return col.NullsLastBits(validBits(rows, k, offset), offset)
		default:
			return col.NullsLast(null)
		}
	}
	var name string
	fmt.Sscan(c.name, &name)
	switch name {
	case "int64":
		return of(sliceColumn(rows, func(r nullRow) int64 { return r.num }))
	case "float64":
		return of(sliceColumn(rows, func(r nullRow) float64 { return r.real }))
	case "int32":
		return of(sliceColumn(rows, func(r nullRow) int32 { return r.small }))
	case "int8":
		return of(sliceColumn(rows, func(r nullRow) int8 { return r.few }))
	}
	return of(sliceColumn(rows, func(r nullRow) string { return r.text }))
}

func sliceColumn[K sorter.Key](rows []nullRow, key func(nullRow) K) func(desc bool) sorter.Column[int] {
	return func(desc bool) sorter.Column[int] {
		keys := mapped(rows, key)
		if desc {
			return sorter.DescOf(keys)
		}
		return sorter.AscOf(keys)
	}
}

// TestNullsApartInLittleMemory lowers the limit until nothing is left of the ways to part nulls.
func TestNullsApartInLittleMemory(t *testing.T) {
	testkit.SkipRace(t)
	for _, n := range []int{9000, 120_000} {
		rows := comparableRows(nullRows(n, nullPatterns[3].null))
		spec := nullOrderings(func(r nullRow) *nullRow { return &r }, &nullCounter{})[2]
		by := sorter.By(sorter.Asc(func(r nullRow) int64 { return r.num }).NullsLast(func(r nullRow) bool { return r.nulls&1 != 0 }),
			sorter.Desc(func(r nullRow) string { return r.text }).NullsFirst(func(r nullRow) bool { return r.nulls&2 != 0 }))
		want, order := make([]nullRow, n), wantRows(rows, spec, oracle.Order{})
		perm.Gather(want, rows, order, 1)
		refused := false
		for limit := int64(n) * 400; limit > 1000 && !refused; limit -= limit / testkit.Pick[int64](3, 5) {
			refused = !checkLimit(t, "nulls", rows, want, limit, func(s []nullRow, opts ...sorter.Option) error {
				return by.Sort(s, append(opts, sorter.Stable(), sorter.Workers(2))...)
			})
			var st sorter.Stats
			p, err := by.Order(rows, sorter.MemoryLimit(limit), sorter.Report(&st), sorter.Stable())
			if !errors.Is(err, sorter.ErrMemoryLimit) {
				checkSame(t, fmt.Sprintf("order, limit %d", limit), err, p, order)
			}
			if st.Scratch > limit {
				t.Errorf("%d bytes of scratch under a limit of %d", st.Scratch, limit)
			}
		}
		if !refused {
			t.Error("no limit was too small")
		}
	}
}

// TestNullsApartCancelled cancels sorts of rows with nulls.
func TestNullsApartCancelled(t *testing.T) {
	testkit.SkipInstrumented(t)
	n := scaled(400_000)
	rows, get := comparableRows(nullRows(n, nullPatterns[3].null)), func(r nullRow) *nullRow { return &r }
	all := &nullCounter{}
	all.reset(n)
	spec := nullOrderings(get, all)
	var tasks []task
	for _, i := range []int{1, 6} { // descending: the counter is left alone
		cols, name := columnsOf(spec[i])
		tasks = append(tasks, taskOn("Sort by "+name, rows, func(s []nullRow, opts ...sorter.Option) error {
			return sorter.By(cols...).Sort(s, opts...)
		}), taskOn("Order by "+name, rows, func(s []nullRow, opts ...sorter.Option) error {
			_, err := sorter.By(cols...).Order(s, opts...)
			return err
		}))
	}
	checkCancels(t, tasks, 6)
}

// TestNullBits has bitmaps that other tests leave out.
func TestNullBits(t *testing.T) {
	for _, n := range []int{5, 9000} {
		keys := mapped(ascending(n), func(i int) int64 { return int64(-i) })
		want, _ := sorter.OrderKeys(keys)
		all := slices.Repeat([]byte{255}, n/8+2)
		for name, col := range map[string]sorter.Column[int]{
			"no bitmap":             sorter.AscOf(keys).NullsLastBits(nil, 3),
			"no nulls":              sorter.AscOf(keys).NullsFirstBits(all, 9),
			"nulls, and then none":  sorter.AscOf(keys).NullsFirst(func(int) bool { return true }).NullsLastBits(nil, 0),
			"by a function":         sorter.Asc(func(i int) int64 { return keys[i] }).NullsFirstBits(all, 7),
			"bits that are too far": sorter.AscOf(keys).NullsLastBits(append(slices.Clone(all), 0, 0), 1),
		} {
			p, err := sorter.RowsBy(n, col).Order()
			checkSame(t, fmt.Sprintf("%s, n=%d", name, n), err, p, want)
		}
		none := make([]byte, n/8+1)
		p, err := sorter.RowsBy(n, sorter.AscOf(keys[:0]).NullsFirstBits(none, 0), sorter.AscOf(keys)).Order()
		checkSame(t, "all null, by a column without keys", err, p, want)
		var runs perm.Runs
		p, err = sorter.RowsBy(n, sorter.AscOf(keys[:0]).NullsFirstBits(none, 0)).Order(sorter.MarkRuns(&runs))
		checkSame(t, "all null", err, p, perm.Identity(n))
		if runs.Len() != 1 {
			t.Errorf("%d runs of nulls", runs.Len())
		}

		// Rows as elements of another sequence, and in other verbs.
		odd := slices.Repeat([]byte{0xaa}, n/8+1) // odd rows are valid
		by := sorter.By(sorter.AscOf(keys).NullsLastBits(odd, 0), sorter.AscOf(keys))
		function := sorter.By(sorter.AscOf(keys).NullsLast(func(i int) bool { return i%2 == 0 }), sorter.AscOf(keys))
		rows, same := ascending(n), ascending(n)
		slices.Reverse(rows)
		slices.Reverse(same)
		err = function.Sort(same)
		if other := by.Sort(rows); other != nil {
			t.Fatal(other)
		}
		checkSame(t, "rows as elements", err, rows, same)
		if !by.IsSorted(rows) || by.Compare(0, 1) != 1 || by.Compare(2, 4) != 1 {
			t.Error("rows compare in another way")
		}
		cols := []sorter.Column[int]{sorter.AscOf(keys).NullsLastBits(odd, 0), sorter.AscOf(keys)}
		first, err := sorter.RowsBy(n, cols...).Top(3)
		checkSame(t, "Rows.Top", err, first, []uint32{uint32(rows[0]), uint32(rows[1]), uint32(rows[2])})
		p, err = sorter.RowsBy(n, cols...).Within([]int{0, 2, n})
		if err != nil || !by.IsSorted(mapped(p[2:], func(i uint32) int { return int(i) })) || p[0] != 1 {
			t.Errorf("Rows.Within: %v, %v", p[:3], err)
		}
		if nth, err := sorter.RowsBy(n, cols...).Nth([]int{2}); err != nil || len(nth) != 1 || int(nth[0]) != rows[2] {
			t.Errorf("Rows.Nth of one: %d, %v", nth, err)
		}
	}
}

// TestNullBitsMisuse has bitmaps that are too short, and elements that are no rows.
func TestNullBitsMisuse(t *testing.T) {
	keys := make([]int64, 5000)
	for want, call := range map[string]func(){
		"sorter: order of 5000 rows by 4999 validity bits": func() {
			_, _ = sorter.RowsBy(5000, sorter.AscOf(keys).NullsLastBits(make([]byte, 626), 9)).Order()
		},
		"sorter: order of 3 rows by 0 validity bits": func() {
			_, _ = sorter.RowsBy(3, sorter.AscOf(keys).NullsLastBits([]byte{}, 9)).Order()
		},
		"sorter: validity bits from offset -1 on": func() { sorter.AscOf(keys).NullsLastBits(nil, -1) },
		"sorter: validity bits of elements of type int64, which are no row numbers": func() {
			sorter.Asc(func(k int64) int64 { return k }).NullsFirstBits(nil, 0)
		},
	} {
		if got := panicValue(call); got != want {
			t.Errorf("recovered %v, want %q", got, want)
		}
	}
}

// TestNullsApartReport has the statistics of the order of the values.
func TestNullsApartReport(t *testing.T) {
	rows := nullRows(9000, nullPatterns[3].null)
	var st sorter.Stats
	_, err := sorter.RowsBy(len(rows), sorter.AscOf(mapped(rows, func(r nullRow) int64 { return r.num })).NullsLast(func(i int) bool { return rows[i].nulls&1 != 0 })).Order(sorter.Report(&st))
	if err != nil || st.CodeBits != 64 || st.Elements != len(rows) || st.Algorithm != "IndexGather" || st.Engine != "cpu" {
		t.Errorf("%v, %+v", err, st)
	}
	if !slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "nulls" }) {
		t.Errorf("no stage parts the nulls: %v", st.Stages)
	}
}

// TestNullsApartPanic has a null function and a key function that panic.
func TestNullsApartPanic(t *testing.T) {
	in := ascending(9000)
	for name, col := range map[string]sorter.Column[int]{
		"null": sorter.Asc(func(i int) int { return i }).NullsFirst(func(i int) bool { return i%3 == 0 || i/(i-8000) < 0 }),
		"key":  sorter.Asc(func(i int) int { return i / (i - 8000) }).NullsFirst(func(i int) bool { return i%3 == 0 }),
	} {
		s := slices.Clone(in)
		if got := panicValue(func() { _ = sorter.By(col).Sort(s, sorter.Workers(2)) }); got == nil {
			t.Errorf("%s: no panic", name)
		}
		checkSame(t, name+": after a panic", nil, s, in)
	}
}
