package ranked

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/vecsort"
	"example.com/sorter/perm"
)

// TestJobs offers an engine keys in memory where they are as wide as codes, and a payload that has no pointers.
func TestJobs(t *testing.T) {
	registered.plain = true
	defer registered.reset()
	s := plannedRows(5000)
	narrow := func(e row) int32 { return e.place }
	for name, c := range map[string]struct {
		do              someCall
		plain, elements bool
	}{
		"keys":                {keysBy(wideOf), true, false},
		"narrow keys":         {keysBy(narrowOf), true, false},
		"floats":              {keysBy(func(e row) float64 { return float64(e.wide) }), true, false},
		"narrow floats":       {keysBy(func(e row) float32 { return float32(e.wide) }), true, false},
		"keys of few bits":    {keysBy(func(e row) int16 { return int16(e.narrow) }), false, false},
		"texts":               {keysBy(textOf), false, false},
		"pairs":               {pairsBy(wideOf, narrow, func(p int32) int32 { return p }), false, true},
		"pairs with pointers": {pairsBy(wideOf, func(e row) row { return e }, func(e row) int32 { return e.place }), true, false},
		"elements":            {sortsBy(byFunc(wideOf)), false, false}, // with texts
		"order":               {ordersBy(byRow(wideOf)), true, false},
		"order by two":        {ordersBy(byRow(wideOf), byRow(fewOf)), true, false},
		"order of elements": {func(s []row, o *call.Options) (perm.Perm, error) {
			return pipeline.OrderByColumns(orderingOf(byFunc(wideOf)), cpu.PayloadOf(s), o)
		}, false, false},
	} {
		if _, err := on(registered, engine.Auto, c.do)(slices.Clone(s), &call.Options{Workers: 1}); err != nil {
			t.Error(name, err)
		}
		if plain, elements := registered.last.Plain != nil, registered.last.Elements != nil; plain != c.plain || elements != c.elements {
			t.Errorf("%s: keys in memory %t, elements %t", name, plain, elements)
		}
	}
	numbers := make([]int64, 5000)
	for i := range numbers {
		numbers[i] = int64(i * 7919 % 5000)
	}
	by := column.SpecOf(sortkey.Int64, column.Func[int64, int64](func(x int64) int64 { return x }))
	for _, specs := range [][]column.Spec{{by}, {by, by}} {
		if err := pipeline.SortRows(cols(specs), cpu.PayloadOf(slices.Clone(numbers)), call.Options{Backend: registered}); err != nil || (registered.last.Elements != nil) != (len(specs) == 1) {
			t.Errorf("elements by %d columns: %v", len(specs), err)
		}
	}
}

// TestFallBack finishes on the CPU what an engine fails in, and calls key functions once per element.
func TestFallBack(t *testing.T) {
	registered.worth.Store(true)
	defer registered.reset()
	all, calls := plannedRows(5000), 0
	counted := func(e row) int64 { calls++; return e.wide }
	bits := func(e row) int32 { calls++; return e.narrow }
	type pair struct{ key, place int64 }
	for name, c := range map[string]struct {
		do    someCall
		calls int
	}{
		"elements": {sortsBy(byFunc(counted)), len(all)}, "narrow": {sortsBy(byFunc(bits)), len(all)}, "large": {largeBy(counted), len(all)},
		"order": {func(s []row, o *call.Options) (perm.Perm, error) {
			return pipeline.Order(sortkey.Int64, cpu.PayloadOf(s), column.Func[row, int64](counted), o)
		}, len(all)},
		"rows": {ordersBy(byRow(wideOf)), 0}, "rows by two": {ordersBy(byRow(fewOf), byRow(wideOf)), 0}, "runs": {orderWithRuns, 0}, "keys": {keysBy(wideOf), 0}, "narrow keys": {keysBy(narrowOf), 0},
		"pairs": {pairsBy(wideOf, func(e row) int32 { return e.place }, func(p int32) int32 { return p }), 0},
		"elements without pointers": {func(s []row, o *call.Options) (perm.Perm, error) {
			pairs, p := make([]pair, len(s)), make(perm.Perm, len(s))
			for i, e := range s {
				pairs[i] = pair{e.wide, int64(e.place)}
			}
			err := pipeline.SortRows(cols([]column.Spec{column.SpecOf(sortkey.Int64, column.Func[pair, int64](func(e pair) int64 { calls++; return e.key }))}), cpu.PayloadOf(pairs), *o)
			for i, e := range pairs {
				p[i] = uint32(e.place)
			}
			return p, err
		}, len(all)},
	} {
		for i, fails := range []int64{-1, 0, 1, 2500, 5000} {
			for _, registered.plain = range []bool{false, true} {
				var st report
				registered.fails.Store(-1)
				want, _ := on(cpu.Host, engine.Auto, c.do)(slices.Clone(all), &call.Options{Stable: true, Workers: 1})
				registered.fails.Store(fails)
				calls = 0
				got, err := c.do(slices.Clone(all), &call.Options{Stable: true, Workers: 1, Report: &st, Limit: int64(i%2) << 40})
				if err != nil || !slices.Equal(got, want) || calls != c.calls || errors.Is(st.Fallback, errLost) != (fails >= 0) || (st.Engine == registered.Name()) != (fails < 0) || st.Device != "" || st.Rounds == 9 {
					t.Errorf("%s where an engine fails after %d: %d calls, on %s after %v, %v", name, fails, calls, st.Engine, st.Fallback, err)
				}
			}
		}
	}
}

// TestFallBackEnds ends a call while an engine fails that has written keys, and some questions later: keys are where they were.
func TestFallBackEnds(t *testing.T) {
	registered.worth.Store(true)
	defer registered.reset()
	registered.fails.Store(2500)
	registered.plain = true
	all := plannedRows(5000)
	keys := make([]int64, len(all))
	for i, e := range all {
		keys[i] = e.wide
	}
	for later := range int64(4) {
		ctx := &testkit.Ending{Context: context.Background()}
		ctx.Left.Store(1 << 40)
		registered.ends = func() { ctx.Left.Store(later) }
		s := slices.Clone(keys)
		if err := pipeline.SortKeys(s, &call.Options{Workers: 1, Ctx: ctx}); err != context.Canceled || !slices.Equal(s, keys) {
			t.Errorf("%d questions after an engine failed: keys were moved, or %v", later, err)
		}
	}
}

// TestEngineOfChunks reports the engine that sorted chunks, though the CPU merges them, and the CPU where the engine failed in any.
func TestEngineOfChunks(t *testing.T) {
	registered.worth.Store(true)
	defer registered.reset()
	defer pipeline.LowerLimit(2000)()
	all := plannedRows(5000) // three chunks
	for _, chunk := range []int32{-1, 0, 1, 2} {
		failed := false
		key := column.SpecOf(sortkey.Int64, column.Func[row, int64](func(e row) int64 {
			if !failed && e.place/1667 == chunk {
				failed = true
				registered.fails.Store(5000) // once it has emitted all
			}
			return e.wide
		}))
		registered.ends = func() { registered.fails.Store(-1) }
		s, st := slices.Clone(all), new(report)
		err := pipeline.SortRows(cols([]column.Spec{key}), cpu.PayloadOf(s), call.Options{Stable: true, Workers: 1, Report: st})
		if err != nil || st.Algorithm != "Chunks" || !slices.Equal(places(s), orderOfRows(all, byWide)) {
			t.Errorf("%s: wrong order, %v", st.Algorithm, err)
		}
		if name := registered.Name(); chunk < 0 && (st.Engine != name || st.Fallback != nil) || chunk >= 0 && (st.Engine != cpu.Host.Name() || st.Fallback != errLost) {
			t.Errorf("where an engine fails in chunk %d: on %s after %v", chunk, st.Engine, st.Fallback)
		}
	}
}

// TestPartsWithinLimits merges more elements than positions number, of many runs, of which every element is a sample: that
// takes no more than a limit, or fails with the elements untouched.
func TestPartsWithinLimits(t *testing.T) {
	defer pipeline.LowerLimit(1000)()
	const n, each = 6000, 5
	all, fails, merges := plannedRows(n), 0, 0
	s := make([]large, n)
	for i := range s {
		s[i].row = all[i]
	}
	compare := func(a, b large) int { return cmp.Or(byWide(a.row, b.row), byText(a.row, b.row)) }
	specs := []column.Spec{
		column.SpecOf(sortkey.Int64, column.Func[large, int64](func(e large) int64 { return e.wide })),
		column.SpecOf(sortkey.String, column.Func[large, string](func(e large) string { return e.text })),
	}
	for lo := 0; lo < n; lo += each {
		slices.SortStableFunc(s[lo:lo+each], compare)
	}
	want := slices.Clone(s)
	slices.SortStableFunc(want, compare)
	for limit := int64(50_000); limit < 1<<24; limit += limit / 9 {
		var runs []cpu.Payload
		for lo := 0; lo < n; lo += each {
			runs = append(runs, cpu.PayloadOf(s[lo:lo+each]))
		}
		dst, st := make([]large, n), new(report)
		err := pipeline.Merge(cols(specs), cpu.PayloadOf(dst), runs, ranges.TwoOf[large]{}, &call.Options{Workers: 2, Limit: limit, Report: st})
		switch {
		case errors.Is(err, engine.ErrMemoryLimit):
			fails++
			if !slices.Equal(dst, make([]large, n)) {
				t.Errorf("limit %d: elements were written", limit)
			}
		case err != nil || !slices.Equal(dst, want):
			t.Errorf("limit %d: wrong order, %v", limit, err)
		default:
			merges++
		}
		if st.Scratch > limit {
			t.Errorf("limit %d: %d bytes, %v", limit, st.Scratch, err)
		}
	}
	if fails < 5 || merges < 5 {
		t.Errorf("%d merges, %d have too little memory", merges, fails)
	}
}

// TestJoined reports the sort of most elements, with what all of them took.
func TestJoined(t *testing.T) {
	var to report
	j := join(&call.Options{Report: &to})
	for _, st := range []call.Stats{
		{Elements: 3, Engine: "first", Ties: 1, Scratch: 9, Stages: make([]engine.Stage, 1)}, {Elements: 7, Engine: "second", Ties: 2, Scratch: 5, Stages: make([]engine.Stage, 2)},
		{Elements: 5, Engine: "third", Ties: 4, Scratch: 7, Stages: make([]engine.Stage, 4)}, {Elements: 7, Engine: "last"},
	} {
		j.Report(&st)
	}
	j.report(&to, 11)
	if to.Engine != "last" || to.Elements != 11 || to.Ties != 7 || to.Scratch != 9 || len(to.Stages) != 7 || to.Total <= 0 {
		t.Errorf("%+v", to.Stats)
	}
	if j.Report(&call.Stats{Elements: 1, Engine: "few"}); j.Engine != "last" {
		t.Errorf("of %s", j.Engine)
	}
}

// TestNamed reports how keys and pairs were sorted.
func TestNamed(t *testing.T) {
	var keys, zeros, pairs report
	s := plannedRows(9000)
	_, err := keysBy(narrowOf)(s, &call.Options{Report: &keys})
	_, failed := pairsBy(func(e row) float64 { return []float64{0, math.Copysign(0, -1), 1}[e.few%3] }, fewOf, func(int64) int32 { return 0 })(s, &call.Options{Report: &zeros, Stable: true})
	_, of := pairsBy(func(e row) float64 { return float64(e.few % 3) }, fewOf, func(int64) int32 { return 0 })(s, &call.Options{Report: &pairs, Stable: true})
	if err = cmp.Or(err, failed, of); err != nil || zeros.Algorithm != "IndexGather" || pairs.Algorithm != "BucketRadix" {
		t.Errorf("pairs by floats: %s and %s, %v", zeros.Algorithm, pairs.Algorithm, err)
	}
	if vecsort.Enabled() && keys.Vectors != vecsort.Instructions() {
		t.Errorf("keys by vectors of %q, want %q", keys.Vectors, vecsort.Instructions())
	}
}

// TestFuncDirections sorts by a comparison what is in order, or falls, with one pass, and says so.
func TestFuncDirections(t *testing.T) {
	for _, n := range []int{2, 3, 4097, 5000} {
		s := plannedRows(n)
		for i := range s {
			s[i].wide = int64(i)
		}
		for _, c := range []struct {
			compare func(a, b row) int
			shape   engine.Shape
		}{{byWide, engine.Sorted}, {func(a, b row) int { return byWide(b, a) }, engine.Reversed}} {
			var st, of report
			got, calls := slices.Clone(s), 0
			count := func(a, b row) int { calls++; return c.compare(a, b) }
			err := pipeline.SortFunc(got, count, &call.Options{Workers: 1, Report: &st, Limit: 1 << 40})
			p, failed := pipeline.OrderFunc(s, count, &call.Options{Workers: 1, Report: &of, Limit: 1 << 40})
			want := orderOfRows(s, c.compare)
			if err = cmp.Or(err, failed); err != nil || !slices.Equal(places(got), want) || !slices.Equal(p, want) || st.Shape != c.shape || of.Shape != c.shape || calls > 2*n+8 {
				t.Errorf("%d elements, %q: %q and %q after %d calls, %v", n, c.shape, st.Shape, of.Shape, calls, err)
			}
		}
	}
}

// TestWithinOnHost sorts within a call on the CPU, whatever the call asks for.
func TestWithinOnHost(t *testing.T) {
	all := plannedRows(5000)
	for name, f := range map[string]someCall{
		"a merge of very many": mergesBy(ranges.MostRuns+1, []column.Spec{byFunc(wideOf)}, byWide, merged),
		"a merge of parts":     inChunks(mergesBy(3, []column.Spec{byFunc(textOf)}, byText, merged)),
	} {
		registered.last = engine.Job{}
		if _, err := on(registered, engine.Auto, f)(slices.Clone(all), &call.Options{Workers: 1}); err != nil || registered.last.N > 0 {
			t.Errorf("%s: %d elements on an engine, %v", name, registered.last.N, err)
		}
		if _, err := on(nil, engine.Radix, f)(slices.Clone(all), &call.Options{Workers: 1}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
