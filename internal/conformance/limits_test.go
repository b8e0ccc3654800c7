package conformance_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// A memory limit is a promise: calls drawn at random keep to it, by their own count and
// by the runtime's, or return ErrMemoryLimit.

// besidesScratch bounds the other allocations of a call under a limit: its result apart,
// closures, goroutines and lists of pieces.
const besidesScratch = 32 << 10

// trade is an element with keys of several kinds.
type trade struct {
	name, venue string
	id          [16]byte
	num         uint64
	small       uint32
	at          uint32
}

// tradeColumns are the columns that orderings are drawn from; wide keys are kept, unless
// they are fields.
var tradeColumns = []struct {
	name   string
	column sorter.Column[trade]
}{
	{"name", sorter.Asc(func(e trade) string { return e.name })},
	{"part of venue", sorter.Desc(func(e trade) string { return strings.TrimPrefix(e.venue, "prefix/") })},
	{"id", sorter.Asc(func(e trade) [16]byte { return e.id })},
	{"num", sorter.Desc(func(e trade) uint64 { return e.num })},
	{"small", sorter.Asc(func(e trade) uint32 { return e.small })},
}

// valueShapes draw the i-th of n values.
var valueShapes = []struct {
	name string
	draw func(r *rand.Rand, i, n int) uint64
}{
	{"uniform", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64() }},
	{"few", func(r *rand.Rand, _, _ int) uint64 { return r.Uint64N(5) << 60 }},
	{"pairs", func(r *rand.Rand, _, n int) uint64 { return r.Uint64N(uint64(n)/2+1) << 40 }},
	{"one", func(*rand.Rand, int, int) uint64 { return 7 }},
	{"sorted", func(_ *rand.Rand, i, _ int) uint64 { return uint64(i) << 30 }},
	{"falling", func(_ *rand.Rand, i, n int) uint64 { return uint64(n-i) << 30 }},
	{"nearly sorted", func(r *rand.Rand, i, n int) uint64 {
		if r.IntN(50) == 0 {
			i = r.IntN(n)
		}
		return uint64(i) << 30
	}},
	{"long runs", func(r *rand.Rand, _, _ int) uint64 { // codes that agree in their leading bits, runs in runs
		v := r.Uint64N(1000)
		for bit := 63; bit > 10 && r.IntN(3) == 0; bit -= 1 + r.IntN(20) {
			v |= 1 << bit
		}
		return v
	}},
}

// textsOf make strings of values, most of them monotone.
var textsOf = []func(v uint64) string{
	decimal,
	func(v uint64) string { return "http://example.com/a/rather/long/prefix/" + decimal(v) },
	func(v uint64) string { return strings.Repeat("prefix/", 6)[:v%40] },
	func(v uint64) string { return strings.Repeat("ab", int(v%60)) },
}

// drawTrades returns n elements and a description of them.
func drawTrades(r *rand.Rand, n int) (in []trade, name string) {
	first, second := valueShapes[r.IntN(len(valueShapes))], valueShapes[r.IntN(len(valueShapes))]
	text, other := r.IntN(len(textsOf)), r.IntN(len(textsOf))
	in = make([]trade, n)
	for i := range in {
		v, w := first.draw(r, i, n), second.draw(r, i, n)
		in[i] = trade{name: textsOf[text](v), venue: textsOf[other](w), num: v, small: uint32(w >> 20), at: uint32(i)}
		copy(in[i].id[:], decimal(v))
	}
	return in, fmt.Sprintf("n=%d, %s by %d, %s by %d", n, first.name, text, second.name, other)
}

// limited is a call to be held to limits.
type limited struct {
	name   string
	run    func(opts ...sorter.Option) error // on a fresh copy of the input
	wrong  func() string                     // the difference of the result, "" if it is right
	clean  func() string                     // how the input differs from before, "" if it does not
	result int64                             // bytes of the result
	slack  int64                             // bytes that it may ask for and not use
}

// drawLimited draws a call on n elements.
func drawLimited(r *rand.Rand, n int) limited {
	in, name := drawTrades(r, n)
	names := mapped(in, func(e trade) string { return e.name })
	nums := mapped(in, func(e trade) uint64 { return e.num })
	byNum := sorter.By(sorter.Asc(func(e trade) uint64 { return e.num }))
	switch r.IntN(8) {
	default:
		var cols []sorter.Column[trade]
		for range 1 + r.IntN(4) {
			c := tradeColumns[r.IntN(len(tradeColumns))]
			cols, name = append(cols, c.column), c.name+", "+name
		}
		return drawOrdered(r, sorter.By(cols...), in, len(cols), name)
	case 0:
		return drawOrdered(r, byNum, in, 1, "num alone, "+name)
	case 1:
		return limitedKeys("SortKeys of strings, "+name, names)
	case 2:
		return limitedKeys("SortKeys of numbers, "+name, nums)
	case 3:
		return limitedPairs("SortPairs of strings, "+name, names)
	case 4:
		return limitedPairs("SortPairs of numbers, "+name, nums)
	}
}

// drawOrdered draws a verb of an ordering of the given number of columns.
func drawOrdered(r *rand.Rand, by sorter.Ordering[trade], in []trade, columns int, name string) limited {
	n, s := len(in), slices.Clone(in)
	want := slices.Clone(in)
	testkit.SortStable(want, by.Compare)
	c := limited{clean: func() string { return oracle.Diff(s, in, same[trade]) }, slack: tieSlack(n, columns, unsafe.Sizeof(trade{}))}
	switch verb := r.IntN(5); verb {
	case 0:
		c.name = "Sort by " + name
		c.run = func(opts ...sorter.Option) error { copy(s, in); return by.Sort(s, opts...) }
		c.wrong = func() string { return diffOf(nil, s, want) }
	case 1:
		var p perm.Perm
		c.name, c.result = "Order by "+name, 4*int64(n)
		c.run = func(opts ...sorter.Option) (err error) { p, err = by.Order(s, opts...); return err }
		c.wrong = func() string { return diffOf(nil, mapped(p, func(at uint32) trade { return in[at] }), want) }
	case 2:
		rows := sorter.Asc(func(row int) string { return in[row].name })
		names := mapped(in, func(e trade) string { return e.venue })
		cols := []sorter.Column[int]{rows, sorter.AscOf(names)}
		if r.IntN(2) == 0 {
			slices.Reverse(cols)
		}
		wantRows := ascending(n)
		testkit.SortStable(wantRows, sorter.By(cols...).Compare)
		var p perm.Perm
		c.name, c.result = "Rows.Order of "+name, 4*int64(n)
		c.run = func(opts ...sorter.Option) (err error) { p, err = sorter.RowsBy(n, cols...).Order(opts...); return err }
		c.wrong = func() string {
			return diffOf(nil, mapped(p, func(at uint32) trade { return in[at] }), mapped(wantRows, func(row int) trade { return in[row] }))
		}
	case 3:
		k := r.IntN(n + 1)
		if r.IntN(2) == 0 {
			k = r.IntN(n/32 + 1)
		}
		c.name = fmt.Sprintf("TopK of %d by %s", k, name)
		c.run = func(opts ...sorter.Option) error { copy(s, in); return by.TopK(s, k, opts...) }
		c.wrong = func() string { return diffOf(nil, s[:k], want[:k]) }
	case 4:
		cut := r.IntN(n + 1)
		testkit.SortStable(in[:cut], by.Compare)
		testkit.SortStable(in[cut:], by.Compare)
		want = slices.Clone(in)
		testkit.SortStable(want, by.Compare)
		if at := r.IntN(cut + 1); r.IntN(2) == 0 {
			c.name = "Merge of many by " + name
			c.clean = func() string { return oracle.Diff(s, make([]trade, n), same[trade]) }
			c.run = func(opts ...sorter.Option) error {
				clear(s)
				return by.Merge(s, [][]trade{in[:at], in[at:cut], in[cut:]}, opts...)
			}
			c.wrong = func() string { return diffOf(nil, s, want) }
			break
		}
		c.name = "Merge by " + name
		c.clean = func() string { return oracle.Diff(s, make([]trade, n), same[trade]) }
		c.run = func(opts ...sorter.Option) error {
			clear(s)
			return by.Merge(s, [][]trade{in[:cut], in[cut:]}, opts...)
		}
		c.wrong = func() string { return diffOf(nil, s, want) }
	}
	return c
}

// tieSlack bounds what an order in place of n elements of a size asks for and does not
// use where the leading codes of its columns do not tie, or tie in short runs: the codes
// of a run, once for one worker and once for all, the keys of every column, and, for each
// worker, a workspace and a piece of the elements.
func tieSlack(n, columns int, size uintptr) int64 {
	workers := int64(n/2048 + 1)
	return int64(n)*(32+32*int64(columns)) + workers*(8<<10+512*int64(size)) + 1024
}

// limitedKeys is SortKeys of in.
func limitedKeys[K cmp.Ordered](name string, in []K) limited {
	s, want := slices.Clone(in), slices.Clone(in)
	slices.Sort(want)
	return limited{
		name:  name,
		run:   func(opts ...sorter.Option) error { copy(s, in); return sortOrdered(s, opts...) },
		clean: func() string { return oracle.Diff(s, in, same[K]) },
		slack: tieSlack(len(in), 0, unsafe.Sizeof(in[0])),
		wrong: func() string { return oracle.Diff(s, want, same[K]) },
	}
}

// sortOrdered is SortKeys of the types of limitedKeys.
func sortOrdered[K cmp.Ordered](s []K, opts ...sorter.Option) error {
	switch s := any(s).(type) {
	case []string:
		return sorter.SortKeys(s, opts...)
	case []uint64:
		return sorter.SortKeys(s, opts...)
	}
	panic("no such keys")
}

// limitedPairs is SortPairs of in with positions.
func limitedPairs[K sorter.Key](name string, in []K) limited {
	n := len(in)
	keys, values, positions := make([]K, n), make([]uint32, n), perm.Identity(n)
	want, err := sorter.OrderKeys(in, sorter.Stable())
	return limited{
		name: name,
		run: func(opts ...sorter.Option) error {
			copy(keys, in)
			copy(values, positions)
			return sorter.SortPairs(keys, values, append(opts, sorter.Stable())...)
		},
		clean: func() string { return oracle.Diff(values, positions, same[uint32]) },
		slack: tieSlack(n, 0, unsafe.Sizeof(in[0])),
		wrong: func() string { return diffOf(err, values, want) },
	}
}

// drawOptions draws options that do not change results.
func drawOptions(r *rand.Rand) (opts []sorter.Option, name string) {
	workers := 1 + r.IntN(16)
	opts, name = append(opts, sorter.Workers(workers)), fmt.Sprintf("%d workers", workers)
	if r.IntN(3) == 0 {
		opts, name = append(opts, sorter.WithContext(neverCancelled)), name+", under a context"
	}
	if a := sorter.Algorithm(r.IntN(int(engine.Algorithms))); r.IntN(2) == 0 && sorter.CPU().Runs(a) {
		opts, name = append(opts, sorter.Use(a)), fmt.Sprintf("%s, %v", name, a)
	}
	return opts, name
}

// hold runs c under a limit and checks that it keeps to it. It returns the call's
// statistics, and whether the limit was enough.
func (c *limited) hold(t *testing.T, name string, limit int64, opts []sorter.Option) (st sorter.Stats, enough bool) {
	t.Helper()
	var err error
	all := append(slices.Clone(opts), sorter.MemoryLimit(limit), sorter.Report(&st))
	used := allocated(func() { err = c.run(all...) })
	name = fmt.Sprintf("%s, %s, limit %d, %s", name, c.name, limit, st.Algorithm)
	if st.Scratch > limit {
		t.Errorf("%s: Stats.Scratch is %d", name, st.Scratch)
	}
	if used > limit+c.result+besidesScratch {
		t.Errorf("%s: allocated %d bytes, Stats.Scratch is %d", name, used, st.Scratch)
	}
	switch {
	case err == nil:
		if d := c.wrong(); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	case !errors.Is(err, sorter.ErrMemoryLimit):
		t.Errorf("%s: %v", name, err)
	default:
		if d := c.clean(); d != "" {
			t.Errorf("%s: %v, but changed the input: %s", name, err, d)
		}
	}
	return st, err == nil
}

// TestMemoryLimitDrawn draws calls, and limits around their scratch memory. A limit of the
// scratch memory that a call has used, plus the slack stated for it, is enough.
func TestMemoryLimitDrawn(t *testing.T) {
	testkit.SkipRace(t)
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would empty pools, and allocations count twice
	calls, enough := testkit.Pick(25, 50), 0
	for seed := range calls {
		r := dist.Rand(uint64(seed))
		n := 1 + int(20_000*r.Float64()*r.Float64())
		if seed%25 == 0 {
			n = 100_000 + r.IntN(50_000)
		}
		c := drawLimited(r, n)
		opts, how := drawOptions(r)
		name := fmt.Sprintf("seed %d, %s", seed, how)
		var free sorter.Stats
		if err := c.run(append(opts, sorter.Report(&free))...); err != nil {
			t.Fatalf("%s, %s: %v", name, c.name, err)
		}
		if d := c.wrong(); d != "" {
			t.Fatalf("%s, %s: %s", name, c.name, d)
		}
		for range 2 {
			limit := 1 + int64(float64(free.Scratch+12*int64(n))*math.Exp(3*r.Float64()-2))
			st, ok := c.hold(t, name, limit, opts)
			if !ok {
				continue
			}
			enough++
			if _, ok := c.hold(t, name+", what was used", st.Scratch+c.slack, opts); !ok {
				t.Errorf("%s, %s: ErrMemoryLimit under what was used, %d bytes, and a slack of %d", name, c.name, st.Scratch, c.slack)
			}
		}
	}
	if enough < calls/4 || enough > calls*7/4 {
		t.Errorf("%d of %d limits were enough: the others say little", enough, 2*calls)
	}
}

// TestMemoryLimitNested has keys whose ties are nested, of which each level takes
// memory.
func TestMemoryLimitNested(t *testing.T) {
	testkit.SkipRace(t) // one worker
	r := rand.New(rand.NewPCG(7, 3))
	for _, n := range []int{129, 5000, 7000, 8000} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = strings.Repeat("prefix/", 6)[:r.IntN(40)]
		}
		for _, c := range []limited{limitedKeys("SortKeys", keys), limitedPairs("SortPairs", keys)} {
			for limit, ok := int64(1000), false; !ok || limit < 300*int64(n); limit += limit / 2 {
				_, ok = c.hold(t, fmt.Sprintf("n=%d", n), limit, []sorter.Option{sorter.Workers(1)})
			}
		}
	}
}

// TestMemoryLimitMerge merges by several wide columns, of which each takes a block.
func TestMemoryLimitMerge(t *testing.T) {
	const n = 5000
	in := make([]trade, n)
	for i := range in {
		in[i] = trade{name: decimal(uint64(i)), venue: decimal(uint64(i)), at: uint32(i)}
	}
	text := func(e trade) string { return strings.Clone(e.name) }
	by := sorter.By(sorter.Asc(text), sorter.Asc(text), sorter.Asc(text))
	for limit, err := int64(1000), error(sorter.ErrMemoryLimit); err != nil; limit += limit / 16 {
		var st sorter.Stats
		dst := make([]trade, n)
		err = by.Merge(dst, [][]trade{in[:n/3], in[n/3:]}, sorter.MemoryLimit(limit), sorter.Report(&st))
		if err != nil && !errors.Is(err, sorter.ErrMemoryLimit) || st.Scratch > limit {
			t.Errorf("limit %d: %v, Stats.Scratch %d", limit, err, st.Scratch)
		}
		if err == nil {
			reportSame(t, fmt.Sprintf("limit %d", limit), nil, dst, in)
		}
	}
}

// TestLeastMemoryOfWorkers compares the least memory that is asked for by numbers of
// workers: those who would have nothing to do need none.
func TestLeastMemoryOfWorkers(t *testing.T) {
	for _, n := range []int{300, 8193, 20_000, 60_000} {
		keys := make([]string, n)
		for i := range keys {
			keys[i] = decimal(uint64(i) * 0x9e3779b97f4a7c15)
		}
		least := func(workers int) int64 {
			for limit := int64(n); ; limit += limit / 20 {
				if _, err := sorter.OrderKeys(keys, sorter.Workers(workers), sorter.MemoryLimit(limit)); err == nil {
					return limit
				}
			}
		}
		one, many := least(1), least(1024)
		if most := int64(48*n + 16<<10); one > most || many > most {
			t.Errorf("%d strings: %d bytes for one worker, %d for many, want at most %d", n, one, many, most)
		}
	}
}

// TestTooLongFor32Bits sorts elements of no size, whose codes have more bytes than a 32-bit
// int counts. It needs no memory.
func TestTooLongFor32Bits(t *testing.T) {
	if math.MaxInt > math.MaxInt32 {
		t.Skip("a 64-bit int counts the bytes of any codes")
	}
	called := "a key of a slice that is too long was asked for"
	wide := sorter.Asc(func(struct{}) string { panic(called) })
	by := sorter.By(sorter.Asc(func(struct{}) uint32 { panic(called) }), wide)
	key := func(struct{}) uint64 { panic(called) }
	row := func(int) uint64 { panic(called) }
	for _, n := range []int{1 << 28, 1 << 29, 1<<30 + 7, math.MaxInt} {
		s := make([]struct{}, n)
		for name, call := range map[string]func(opts ...sorter.Option) error{
			"Sort":  func(opts ...sorter.Option) error { return sorter.Sort(s, key, opts...) },
			"Order": func(opts ...sorter.Option) error { _, err := sorter.Order(s, key, opts...); return err },
			"Rows.Order": func(opts ...sorter.Option) error {
				_, err := sorter.RowsBy(n, sorter.Asc(row)).Order(opts...)
				return err
			},
			"TopK": func(opts ...sorter.Option) error { return sorter.TopK(s, n/3, key, opts...) },
			"Merge": func(opts ...sorter.Option) error {
				return sorter.Merge(s, [][]struct{}{s[:n/2], s[n/2:]}, key, opts...)
			},
			"Ordering.Sort":  func(opts ...sorter.Option) error { return by.Sort(s, opts...) },
			"Ordering.Order": func(opts ...sorter.Option) error { _, err := by.Order(s, opts...); return err },
			"Ordering.TopK":  func(opts ...sorter.Option) error { return by.TopK(s, n/100, opts...) },
		} {
			for how, c := range map[string]struct {
				want error
				opts []sorter.Option
			}{
				"no options":          {sorter.ErrTooLong, nil},
				"BucketRadix":         {sorter.ErrTooLong, []sorter.Option{sorter.Use(sorter.BucketRadix), sorter.Workers(3)}},
				"Radix":               {sorter.ErrTooLong, []sorter.Option{sorter.Use(sorter.Radix)}},
				"a limit":             {sorter.ErrMemoryLimit, []sorter.Option{sorter.MemoryLimit(100 << 20)}},
				"a limit beyond 4 GB": {sorter.ErrMemoryLimit, []sorter.Option{sorter.MemoryLimit(1 << 50)}},
			} {
				want := c.want
				if n == math.MaxInt {
					want = sorter.ErrTooLong // as for 1<<32 elements
				}
				err := call(c.opts...)
				if !errors.Is(err, want) {
					t.Errorf("%s of %d elements, %s: %v, want %v", name, n, how, err, want)
				}
				var short *sorter.MemoryError
				if errors.As(err, &short) != (want == sorter.ErrMemoryLimit) || short != nil && (short.Need <= short.Limit || short.Elements <= 0) {
					t.Errorf("%s of %d elements, %s: %v, %+v", name, n, how, err, short)
				}
			}
		}
	}
}

// TestNoRowsTakeNothing orders no elements by columns of all kinds under a limit of a byte.
func TestNoRowsTakeNothing(t *testing.T) {
	for _, c := range tradeColumns {
		for name, f := range map[string]func(opts ...sorter.Option) error{
			"Ordering.Order": func(opts ...sorter.Option) error {
				_, err := sorter.By(c.column).Order(nil, opts...)
				return err
			},
			"Ordering.Sort": func(opts ...sorter.Option) error { return sorter.By(c.column).Sort(nil, opts...) },
			"Rows.Order": func(opts ...sorter.Option) error {
				_, err := sorter.RowsBy(0, sorter.Asc(func(int) string { return "" })).Order(opts...)
				return err
			},
		} {
			var st sorter.Stats
			if err := f(sorter.MemoryLimit(1), sorter.Report(&st)); err != nil || st.Scratch != 0 {
				t.Errorf("%s by %s: scratch of %d bytes, %v", name, c.name, st.Scratch, err)
			}
		}
	}
}
