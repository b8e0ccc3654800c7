package conformance_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
	"example.com/sorter/internal/ways"
)

// Each way is taken on inputs that it was made for, and then switched off: results are those of the oracle, under all
// options and properties of columns. A way that is not taken fails, and so does one that is taken though it is off.

// wayInput is an input of a way.
type wayInput struct {
	is    ways.Way
	name  string
	n     int // rows
	least int // with fewer rows the way is not taken; 0: unknown
	cols  drawColumns
	verbs func(t *testing.T, name string, cols []wayColumn, r *rand.Rand) // nil: checkWayVerbs
}

// noWay stands for an input that has no way of its own.
const noWay = ways.Way(ways.Ways)

var wayInputs = []wayInput{
	{ways.TextsInOrder, "rising texts", 6000, 4097, one("string", rises(2)), nil},
	{ways.TextsInOrder, "texts with strays", 9000, 4097, one("string", strayedOnce), nil},
	{ways.FieldsInOrder, "rising fields", 9000, 4097, two("int64", rises(5), "string", rises(1)), checkWayFields},
	{ways.FieldsInOrder, "falling fields with equal ones", 9000, 4097, two("int64", falls(50), "float64", falls(3)), checkWayFields},
	{ways.SpareNulls, "later nulls", 5000, 4097, second(someNull(0.2, one("int64", below(1e15))), "int8", below(100)), nil},
	{ways.SpareNulls, "later nulls at the end of the range", 5000, 4097, second(someNull(0.2, one("int64", extremes)), "int8", below(100)), nil},
	{ways.SpareNulls, "nulls in segments", 5000, 4097, someNull(0.2, one("int64", below(1e15))), checkWayWithin},
	{ways.NullsInOrder, "nulls among rising rows", 9000, 4097, someNull(0.1, one("int64", rises(1))), nil},
	{ways.NullsInOrder, "nulls among falling rows", 9000, 4097, someNull(0.1, one("int64", falls(1))), nil},
	{ways.NullsInOrder, "nulls among rising rows, another column", 9000, 4097, someNull(0.1, two("float64", rises(1), "int64", below(9))), nil},
	{ways.NullsApart, "nulls", 9000, 4097, someNull(0.3, two("int64", below(1e15), "int8", below(100))), nil},
	{ways.NullsApart, "nulls of floats", 9000, 4097, someNull(0.3, one("float64", orNaN(9, below(9000)))), nil},
	{ways.NullsApart, "nulls of texts", 9000, 4097, someNull(0.3, two("string", below(3000), "int64", below(9))), nil},
	{ways.NullsApart, "nulls of many texts", 200_000, 0, someNull(0.3, one("string", below(1e5))), checkWaySorted},
	{ways.Segments, "a leading column in order", 9000, 4097, two("int64", rises(40), "int64", below(1e15)), nil},
	{ways.Segments, "a leading text in order", 9000, 4097, two("string", rises(40), "float64", orNaN(5, below(1e15))), nil},
	{ways.NarrowColumns, "columns of few values", 70_000, 1 << 16, two("int64", below(20_000), "int64", below(1e6)), nil},
	{ways.NarrowColumns, "three columns of few values, with nulls", 70_000, 1 << 16, second(someNull(0.2, two("int64", below(300), "float64", below(9))), "int64", below(10)), nil},
	{ways.NarrowColumns, "nulls first among all values of a byte", 70_000, 1 << 16, second(someNull(0.2, two("int8", allBytes, "int32", below(100))), "int64", below(20)), nil},
	{ways.NarrowColumns, "few values, then the ends of the range", 70_000, 1 << 16, second(two("int32", below(1000), "int64", extremes), "int64", below(100)), nil},
	{ways.Dealt, "few leading values", 9000, 4097, two("int8", below(60), "int64", below(1e15)), nil},
	{ways.Dealt, "few leading values, three columns", 9000, 4097, second(two("int64", below(1e15), "float64", below(3)), "int64", below(300)), nil},
	{ways.SelectFew, "the first of few", 1000, 64, one("int64", below(1e15)), nil},
	{ways.SelectFew, "the first of few with equal keys", 4096, 64, one("int32", below(50)), nil},
	{ways.SelectFew, "the first keys", 9000, 0, one("float64", orNaN(9, below(1e9))), checkWayFirst},
	{ways.SortForRanks, "quantiles", 9000, 0, one("float64", orNaN(9, below(1e9))), checkWayQuantiles},
	{ways.SelectRanks, "ranks", 9000, 4097, two("int64", below(500), "int64", below(1e15)), checkWayRanks},
	{ways.SelectRanks, "ranks of many rows", 150_000, 4097, one("float64", below(1e9)), checkWayRanks},
	{ways.SelectRanks, "quantiles of many", 150_000, 1 << 16, one("int64", below(1e12)), checkWayQuantiles},
	{ways.PartitionTable, "few partitions", 20_000, 1 << 14, two("int8", below(20), "int64", below(1e15)), checkWayPer},
	{ways.PartitionRuns, "partitions by texts", 20_000, 1 << 14, two("string", below(300), "int64", below(1e15)), checkWayPer},
	{ways.PartitionRuns, "many partitions", 20_000, 1 << 14, two("int64", below(9000), "float64", below(1e6)), checkWayPer},
	{noWay, "large partitions", 140_000, 0, two("int8", below(2), "int64", below(1e6)), checkWayPer},
	{noWay, "large partitions of few values", 140_000, 0, two("int8", below(2), "int64", below(7)), checkWayPer},
	{ways.FewValues, "few values far from each other", 9000, 4097, one("int64", fromFew(3)), nil},
	{ways.FewValues, "few values and others", 9000, 4097, one("int64", mostly(below(3))), nil},
	{ways.Counting, "a narrow range", 140_000, 0, one("int32", below(300)), nil},
	{ways.Counting, "keys of 8 bits", 9000, 4097, one("int8", allBytes), nil},
	{ways.Counting, "keys of 16 bits", 140_000, 1 << 17, one("int16", below(1<<15)), nil},
	{ways.KeysInOrder, "two columns in order", 9000, 4097, two("int64", rises(50), "int64", rises(1)), nil},
	{ways.KeysInOrder, "two columns that fall", 9000, 4097, two("string", falls(50), "float64", falls(2)), nil},
	{ways.KeysInOrder, "two columns with strays", 9000, 4097, two("string", strayedOnce, "int64", below(9)), nil},
	{ways.Constant, "a constant column", 9000, 4097, two("int64", below(1), "string", below(1e15)), nil},
	{ways.RunsInOrder, "a leading column in order, by a function", 9000, 4097, two("int64", rises(40), "int64", below(1e15)), nil},
	{ways.RunsInOrder, "a leading text in order, by a function", 9000, 4097, two("string", rises(40), "string", below(1e15)), nil},
	{ways.FinerCodes, "texts that begin alike", 6000, 4097, two("string", below(1e9), "int64", below(9)), nil},
	{ways.CodesInOrder, "reversed", 9000, 4097, one("float64", falls(2)), nil},
	{ways.CodesInOrder, "rotated", 9000, 4097, one("int64", func(i, n int, _ *rand.Rand) int64 { return int64((i + n/3) % n) }), nil},
	{ways.CodesInOrder, "strays", 9000, 4097, one("int64", strayed), nil},
	{ways.CodesInOrder, "falling with strays", 9000, 4097, one("int32", func(i, n int, r *rand.Rand) int64 { return -strayed(i, n, r) }), nil},
	{ways.SplitKeys, "keys of all magnitudes", 140_000, 0, one("int64", magnitudes), nil},
	{ways.SplitKeys, "keys of many values, often the same", 140_000, 0, one("int64", func(_, _ int, r *rand.Rand) int64 { return r.Int64N(1+r.Int64N(900)) * 1e12 }), nil},
	{ways.SplitRows, "rows by numbers of all magnitudes", 140_000, 0, one("int32", func(_, _ int, r *rand.Rand) int64 { return r.Int64N(1<<31) >> r.IntN(30) }), nil},
	{ways.Crowd, "a crowd", 70_000, 1024, one("int64", func(_, _ int, r *rand.Rand) int64 { return max(0, r.Int64N(2e15)-1e15) }), nil},
	{ways.Crowd, "later nulls of floats", 9000, 1024, second(someNull(0.2, one("float64", below(1e15))), "int8", below(2)), nil},
	{ways.SmallInOrder, "few with strays", 300, 0, one("int64", fewStrayed), nil},
	{ways.SmallInOrder, "few texts with strays", 300, 0, one("string", fewStrayed), nil},
	{ways.SmallInOrder, "few by two columns", 1000, 0, two("int64", rises(20), "int64", rises(1)), nil},
	{ways.SmallValues, "few of few values", 300, 0, one("int64", fromFew(3)), nil},
}

func extremes(_, _ int, r *rand.Rand) int64 {
	return []int64{-1 << 63, 1<<63 - 1, 0, r.Int64()}[r.IntN(4)]
}

// allBytes draws all values of an int8.
func allBytes(_, _ int, r *rand.Rand) int64 { return r.Int64N(256) - 128 }

// magnitudes draws from all powers of two alike.
func magnitudes(_, _ int, r *rand.Rand) int64 { return r.Int64() >> r.IntN(60) }

// mostly draws a value from few, and one of ten from many.
func mostly(few drawValue) drawValue { return mostlyOf(10, few) }

// mostlyOf draws a value from few, and one of a number from many.
func mostlyOf(each int, few drawValue) drawValue {
	return func(i, n int, r *rand.Rand) int64 {
		if r.IntN(each) == 0 {
			return r.Int64N(1e12)
		}
		return few(i, n, r)
	}
}

func fewStrayed(i, n int, r *rand.Rand) int64 {
	if r.IntN(100) == 0 {
		return r.Int64N(int64(n))
	}
	return int64(i)
}

// TestEveryWay lists a way without an input.
func TestEveryWay(t *testing.T) {
	for w := range ways.Way(ways.Ways) {
		if !slices.ContainsFunc(wayInputs, func(in wayInput) bool { return in.is == w }) {
			t.Errorf("no input takes %v", w)
		}
		if w.String() == "" || ways.Parse("-"+w.String()) != ways.Of(w) || w.Gain() == "" {
			t.Errorf("way %d is %q, with a gain of %q", w, w, w.Gain())
		}
	}
	if got := ways.Parse("-dealt,-counting,-none,dealt"); got != ways.Of(ways.Dealt, ways.Counting) {
		t.Errorf("the set of two ways is %v", got)
	}
}

var waysTurns = flag.Int("ways.turns", 0, "turns of TestWaysOff for each input; 0: as many as fit its time")

// TestWaysOff takes each way, and does without it.
func TestWaysOff(t *testing.T) { // alone: it watches all calls
	for i, in := range wayInputs {
		if testkit.ThinnedTo(8, i) {
			continue
		}
		taken := false
		for turn := range cmp.Or(*waysTurns, testkit.Pick(1, 3)) {
			seed := uint64(100*i + turn)
			r := dist.Rand(seed)
			undo := vecsort.Restrict(in.vectors(turn, seed))
			n := in.n
			if in.least > 0 && turn > 0 && r.IntN(3) == 0 {
				n = in.least - 1 + r.IntN(3)
			}
			cols := in.cols(n, r)
			if turn == 0 { // as they are, in memory and by functions
				for kind := range 4 {
					for c := range cols {
						cols[c].given, cols[c].desc = kind%2 == 0, kind/2 == 1
					}
					taken = in.watch(t, 0, cols, seed, false).Has(in.is) || taken
				}
			}
			cols = redrawn(cols, r)
			if on := in.watch(t, 0, cols, seed, true); on.Has(in.is) {
				taken = true
				// Other ways are off where that says something: those that come before it hide it.
				in.watch(t, ways.Of(in.is), cols, seed, true)
			}
			in.watch(t, ways.Set(r.Uint32())&ways.All, cols, seed, true)
			undo()
		}
		switch {
		case in.is == ways.Crowd && !vecsort.Enabled(): // other sorts of buckets do not mind a crowd
			continue
		case (in.is == ways.SplitKeys || in.is == ways.SplitRows) && (!vecsort.AVX512() || runtime.GOMAXPROCS(0) > 2):
			continue
		case in.is == ways.SelectFew && in.n > cpu.SmallLen && !bucket.Splits(): // which AVX-512 selects
			continue
		}
		if !taken && in.is != noWay {
			t.Errorf("%s: %v was not taken", in.name, in.is)
		}
	}
}

// TestWaysOffInChunks is TestWaysOff with more rows than are sorted as one.
func TestWaysOffInChunks(t *testing.T) {
	for i, in := range wayInputs {
		if in.n < 4096 || in.n > 20_000 || i%testkit.Pick(4, 1) != 0 {
			continue
		}
		restore := pipeline.LowerLimit(in.n/3 + 1)
		r := dist.Rand(uint64(i))
		undo := ways.SwitchOff(ways.Set(r.Uint32()) & ways.All)
		checkWaySorted(t, in.name+", in chunks", in.cols(in.n, r), r)
		undo()
		restore()
	}
}

// watch checks the verbs with some ways switched off, and returns the ways that were taken.
func (in *wayInput) watch(t *testing.T, off ways.Set, cols []wayColumn, seed uint64, drawn bool) ways.Set {
	t.Helper()
	defer ways.SwitchOff(off)()
	verbs := in.verbs
	if verbs == nil {
		verbs = checkWayVerbs
	}
	r := dist.Rand(seed)
	if !drawn {
		r = rand.New(plainWay{})
	}
	taken := ways.Watch(func() { verbs(t, fmt.Sprintf("%s, off %v", in.name, off), cols, r) })
	if wrong := taken & off; wrong != 0 {
		t.Errorf("%s: %v were taken, and are off", in.name, wrong)
	}
	return taken
}

// vectors returns the instructions of a turn: in the first all, or those of processors that the way is for.
func (in *wayInput) vectors(turn int, seed uint64) string {
	switch {
	case turn > 0:
		return []string{"", "", "avx2", "none"}[dist.Rand(^seed).IntN(4)]
	case in.is == ways.FewValues || in.is == ways.SmallValues:
		return "avx2"
	}
	return ""
}

// plainWay draws no options.
type plainWay struct{}

func (plainWay) Uint64() uint64 { return 1<<64 - 1 }

// checkWayPer calls verbs on partitions.
func checkWayPer(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	n := len(cols[0].values)
	call, opts, _, as := drawWayOptions(r, n, len(cols))
	want := wayOrder(cols, call)
	checkWayPartitions(t, fmt.Sprintf("%s: %v, %s", name, cols, as), cols, call, want, opts, r)
	checkWayNth(t, name, cols, want, opts, r)
}

// checkWayRanks selects rows at ranks.
func checkWayRanks(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	call, opts, _, as := drawWayOptions(r, len(cols[0].values), len(cols))
	checkWayNth(t, fmt.Sprintf("%s: %v, %s", name, cols, as), cols, wayOrder(cols, call), opts, r)
}

// checkWayNth selects rows at a rank, and at several.
func checkWayNth(t *testing.T, name string, cols []wayColumn, want []uint32, opts []sorter.Option, r *rand.Rand) {
	t.Helper()
	n := len(want)
	ks := mapped(make([]int, 1+r.IntN(12)), func(int) int { return r.IntN(n) })
	for _, ks := range [][]int{ks, ks[:1]} {
		found, err := sorter.RowsBy(n, columnsOfWay(cols, ofRow)...).Nth(ks, opts...)
		checkSame(t, fmt.Sprintf("%s, Rows.Nth at %v", name, ks), err, found, mapped(ks, func(k int) uint32 { return want[k] }))
	}
}

// wayOrder is the order of rows by the oracle.
func wayOrder(cols []wayColumn, call oracle.Order) []uint32 {
	order := make([]uint32, len(cols[0].values))
	for i := range order {
		order[i] = uint32(i)
	}
	testkit.SortStable(order, compareWays(cols, call))
	return order
}

// checkWayWithin orders segments of rows.
func checkWayWithin(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	n := len(cols[0].values)
	call, opts, asked, as := drawWayOptions(r, n, len(cols))
	offsets := []int{n / 9, n / 9, n / 3, n - 1, n}
	want := make([]uint32, n)
	for i := range want {
		want[i] = uint32(i)
	}
	for i, lo := range offsets[:len(offsets)-1] {
		testkit.SortStable(want[lo:offsets[i+1]], compareWays(cols, call))
	}
	got, err := sorter.RowsBy(n, columnsOfWay(cols, ofRow)...).Within(offsets, opts...)
	checkSame(t, fmt.Sprintf("%s: %v, %s, Rows.Within", name, cols, as), err, got, want)
	for _, runs := range asked {
		if runs.Rows() != n {
			t.Fatalf("%s: runs of %d rows", name, runs.Rows())
		}
	}
}

// checkWayFirst compares the first keys, and checks that the others follow them.
func checkWayFirst(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	keys := mapped(ascending(len(cols[0].values)), cols[0].float)
	call, opts, _, as := drawWayOptions(r, len(keys), 1)
	sorted, got, k := slices.Clone(keys), slices.Clone(keys), 1+r.IntN(len(keys)/20)
	slices.SortStableFunc(sorted, oracle.Ordered[float64](call))
	if err := sorter.TopKeys(got, k, opts...); err != nil {
		t.Fatalf("%s, %s: the first %d: %v", name, as, k, err)
	}
	slices.SortStableFunc(got[k:], oracle.Ordered[float64](call))
	for i := range got {
		if x, y := got[i], sorted[i]; i < k && math.Float64bits(x) != math.Float64bits(y) || x != y && x == x {
			t.Fatalf("%s, %s: key %d of the first %d and the rest is %v, want %v", name, as, i, k, x, y)
		}
	}
}

// checkWayQuantiles compares quantiles of keys.
func checkWayQuantiles(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	c := &cols[0]
	call, opts, _, as := drawWayOptions(r, len(c.values), 1)
	name = fmt.Sprintf("%s: %s", name, as)
	if c.kind == "float64" {
		checkWayQuantilesOf(t, name, mapped(ascending(len(c.values)), c.float), call, opts, r)
		return
	}
	checkWayQuantilesOf(t, name, c.values, call, opts, r)
}

func checkWayQuantilesOf[K int64 | float64](t *testing.T, name string, keys []K, call oracle.Order, opts []sorter.Option, r *rand.Rand) {
	t.Helper()
	sorted := slices.Clone(keys)
	slices.SortStableFunc(sorted, oracle.Ordered[K](call))
	at := mapped(make([]int, 1+r.IntN(6)), func(int) int { return r.IntN(len(keys)) })
	qs := mapped(at, func(k int) float64 { return float64(k) / float64(len(keys)-1) })
	got, err := sorter.Quantiles(keys, qs, opts...)
	if err != nil || len(got) != len(qs) {
		t.Fatalf("%s: %d quantiles, error %v", name, len(got), err)
	}
	for i, q := range qs {
		h := q * float64(len(keys)-1)
		lo := int(h)
		least, most := float64(sorted[lo]), float64(sorted[min(lo+1, len(keys)-1)])
		if least > most {
			least, most = most, least
		}
		if nan := least != least || most != most; !nan && (got[i] < least || got[i] > most) {
			t.Fatalf("%s: quantile %v is %v, not from %v to %v", name, q, got[i], least, most)
		}
	}
}

// wayRecord is an element whose keys are fields.
type wayRecord struct {
	A   int64
	B   string
	C   float64
	row int
}

// checkWayFields sorts elements by their fields.
func checkWayFields(t *testing.T, name string, cols []wayColumn, r *rand.Rand) {
	t.Helper()
	cols = slices.Clone(cols)
	n := len(cols[0].values)
	call, opts, _, as := drawWayOptions(r, n, len(cols))
	records, names := make([]wayRecord, n), []string{}
	for i := range cols {
		c := &cols[i]
		c.null, c.ownNaNs = nil, false
		field := map[string]string{"int64": "A", "string": "B", "float64": "C"}[c.kind]
		if c.desc {
			field = "-" + field
		}
		names = append(names, field)
	}
	for row := range records {
		e := &records[row]
		e.row = row
		for i := range cols {
			switch c := &cols[i]; c.kind {
			case "int64":
				e.A = c.values[row]
			case "string":
				e.B = c.text(row)
			default:
				e.C = c.float(row)
			}
		}
	}
	by, err := sorter.ByFields[wayRecord](names...)
	if err != nil {
		t.Fatal(err)
	}
	want := wayOrder(cols, call)
	got := slices.Clone(records)
	err = by.Sort(got, opts...)
	rows := mapped(got, func(e wayRecord) uint32 { return uint32(e.row) })
	checkSame(t, fmt.Sprintf("%s: %v, %s, Sort by fields", name, names, as), err, rows, want)
	p, err := by.Order(records, opts...)
	checkSame(t, fmt.Sprintf("%s: %v, %s, Order by fields", name, names, as), err, p, want)
	if !slices.IsSortedFunc(records, func(a, b wayRecord) int { return cmp.Compare(a.row, b.row) }) {
		t.Fatalf("%s: Order moved elements", name)
	}
}
