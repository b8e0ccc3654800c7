package ranked

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// large is an element that is gathered through an index.
type large struct {
	row
	_ [100]byte
}

// plannedRows are rows whose wide keys, and texts, tie in pairs, beyond the bytes of a code.
func plannedRows(n int) []row {
	r, s := dist.Rand(81), make([]row, n)
	for i := range s {
		k := r.IntN(n / 2)
		s[i] = row{narrow: int32(k), wide: int64(k)<<40 - 7, text: fmt.Sprintf("%09d beyond a code %d", k, i%3), few: int64(k % 97), null: i%5 == 0, place: int32(i)}
	}
	return s
}

// someCall is a call of a verb. Its result is a permutation, or that the result is right.
type someCall func(s []row, o *call.Options) (perm.Perm, error)

// sortsBy returns a sort of elements by columns of rows.
func sortsBy(specs ...column.Spec) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		err := pipeline.SortRows(cols(specs), cpu.PayloadOf(s), *o)
		return places(s), err
	}
}

// ordersBy returns an order of rows by columns of row numbers.
func ordersBy(specs ...func(s []row) column.Spec) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		return pipeline.OrderRows(rowColumns(s, specs), len(s), o)
	}
}

// wideOf, narrowOf, fewOf and textOf are keys of elements.
func wideOf(e row) int64   { return e.wide }
func narrowOf(e row) int32 { return e.narrow }
func fewOf(e row) int64    { return e.few }
func textOf(e row) string  { return e.text }
func runOf(e row) int64    { return int64(e.place) / 300 }

// byFunc returns the column of a key function of rows.
func byFunc[K sortkey.Key](f func(row) K) column.Spec {
	return column.SpecOf(sortkey.KindOf[K](), column.Func[row, K](f))
}

// pairsBy returns a sort of pairs of keys and values.
func pairsBy[K sortkey.Key, V any](key func(row) K, value func(row) V, place func(V) int32) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		keys, values, p := make([]K, len(s)), make([]V, len(s)), make(perm.Perm, len(s))
		for i, e := range s {
			keys[i], values[i] = key(e), value(e)
		}
		err := pipeline.SortPairs(keys, values, o)
		for i, v := range values {
			p[i] = uint32(place(v))
		}
		return p, err
	}
}

// keysBy returns a sort of keys, whose result is that their order is right.
func keysBy[K sortkey.Key](key func(row) K) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		keys := make([]K, len(s))
		for i, e := range s {
			keys[i] = key(e)
		}
		before := slices.Clone(keys)
		err, compare := pipeline.SortKeys(keys, o), sortkey.Comparator[K](o.Order())
		if err != nil && !slices.EqualFunc(keys, before, func(a, b K) bool { return compare(a, b) == 0 }) {
			return nil, errors.New("keys were moved before an error")
		}
		if err == nil && !slices.IsSortedFunc(keys, compare) {
			err = errors.New("wrong order")
		}
		return nil, err
	}
}

// mergesBy returns a merge of some runs by columns of rows.
func mergesBy(runs int, specs []column.Spec, compare func(a, b row) int, merge func([]column.Spec, cpu.Payload, []cpu.Payload, *call.Options) error) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		var all []cpu.Payload
		for i := range runs {
			run := s[i*len(s)/runs : (i+1)*len(s)/runs]
			slices.SortStableFunc(run, compare)
			all = append(all, cpu.PayloadOf(run))
		}
		dst := make([]row, len(s))
		err := merge(specs, cpu.PayloadOf(dst), all, o)
		return places(dst), err
	}
}

func merged(specs []column.Spec, dst cpu.Payload, runs []cpu.Payload, o *call.Options) error {
	return pipeline.Merge(cols(specs), dst, runs, ranges.TwoOf[row]{}, o)
}

func mergedChecked(specs []column.Spec, dst cpu.Payload, runs []cpu.Payload, o *call.Options) error {
	return pipeline.MergeChecked(cols(specs), dst, runs, ranges.TwoOf[row]{}, o)
}

// inChunks makes a call one of more elements than are sorted as one.
func inChunks(f someCall) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		defer pipeline.LowerLimit(len(s)/3 + 1)()
		return f(s, o)
	}
}

// largeBy returns a sort of elements that are gathered through an index.
func largeBy[K sortkey.Key](f func(row) K) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		all, p := make([]large, len(s)), make(perm.Perm, len(s))
		for i, e := range s {
			all[i].row = e
		}
		by := column.SpecOf(sortkey.KindOf[K](), column.Func[large, K](func(e large) K { return f(e.row) }))
		err := pipeline.SortRows(cols([]column.Spec{by}), cpu.PayloadOf(all), *o)
		for i, e := range all {
			p[i] = uint32(e.place)
		}
		return p, err
	}
}

// byRow returns a column by row number.
func byRow[K sortkey.Key](f func(row) K) func(s []row) column.Spec {
	return func(s []row) column.Spec { return sliceOf(s, f) }
}

// withNulls returns a column by row number of which some rows are null.
func withNulls(of func(s []row) column.Spec) func(s []row) column.Spec {
	return func(s []row) column.Spec {
		isNull := column.NullFunc[int](func(i int) bool { return s[i].null })
		return of(s).WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
	}
}

// nullsOf returns a column of elements of which some are null.
func nullsOf(of column.Spec) column.Spec {
	isNull := column.NullFunc[row](func(e row) bool { return e.null })
	return of.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), column.NullsLast)
}

func rowColumns(s []row, specs []func(s []row) column.Spec) []extract.Column {
	var all []column.Spec
	for _, f := range specs {
		all = append(all, f(s))
	}
	return cols(all)
}

// withOffsets returns an order, and after it the offsets of runs.
func withOffsets(p perm.Perm, runs perm.Runs) perm.Perm {
	all := slices.Clone(p)
	for _, at := range runs.Offsets() {
		all = append(all, uint32(at))
	}
	return all
}

func byWide(a, b row) int { return cmp.Compare(a.wide, b.wide) }
func byText(a, b row) int { return strings.Compare(a.text, b.text) }

// on makes a call one on an engine, or by an algorithm.
func on(b engine.Backend, a engine.Algorithm, f someCall) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		own := *o
		own.Backend, own.Algorithm = b, a
		return f(s, &own)
	}
}

// worth makes a call one for which an engine is worth the work.
func worth(f someCall) someCall {
	return func(s []row, o *call.Options) (perm.Perm, error) {
		registered.worth.Store(true)
		defer registered.worth.Store(false)
		return f(s, o)
	}
}

// orderingOf returns the ordering by columns of elements.
func orderingOf(specs ...column.Spec) *small.Ordering {
	by := new(small.Ordering)
	by.Init(specs)
	return by
}

// segmentsOf are the offsets of segments of many lengths.
func segmentsOf(n int) []int {
	offsets := []int{0}
	for at, i := 0, 0; at < n; i++ {
		at = min(n, at+[]int{1, 30, 7, 900, 0, n / 4}[i%6])
		offsets = append(offsets, at)
	}
	return offsets
}

// orderWithRuns is an order, and the offsets of its runs.
func orderWithRuns(s []row, o *call.Options) (perm.Perm, error) {
	var runs perm.Runs
	own := *o
	own.Marks = &call.Marks{Columns: call.AllColumns, Runs: &runs}
	p, err := pipeline.OrderRows(rowColumns(s, []func(s []row) column.Spec{byRow(wideOf)}), len(s), &own)
	return withOffsets(p, runs), err
}

// plannedCalls are calls, and the plans that each makes as its limit falls, with their kilobytes for 10,000 rows.
var plannedCalls = []struct {
	name, plans string
	do          someCall
}{
	{"by a key", "BucketRadix 1933, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		err := pipeline.Sort(sortkey.Int64, cpu.PayloadOf(s), column.Func[row, int64](wideOf), o)
		return places(s), err
	}},
	{"by columns", "BucketRadix 5442, BucketRadix 5294, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		err := pipeline.SortByColumns(orderingOf(byFunc(wideOf), byFunc(textOf)), cpu.PayloadOf(s), o)
		return places(s), err
	}},
	{"order by a key", "IndexGather 4639, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return pipeline.Order(sortkey.String, cpu.PayloadOf(s), column.Func[row, string](textOf), o)
	}},
	{"order by columns", "IndexGather 4590, IndexGather 4442, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return pipeline.OrderByColumns(orderingOf(byFunc(fewOf), byFunc(narrowOf)), cpu.PayloadOf(s), o)
	}},
	{"first by a key", "IndexGather 2184, Select 516, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		k := len(s) / 30
		err := TopK(sortkey.Int64, cpu.PayloadOf(s), k, column.Func[row, int64](wideOf), o, FrontOf(s))
		return places(s[:k]), err
	}},
	{"first by columns", "IndexGather 4917, IndexGather 4770, Select 1425, Select 1278, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		k := len(s) / 30
		err := TopKByColumns(orderingOf(byFunc(fewOf), byFunc(textOf)), cpu.PayloadOf(s), k, o, FrontOf(s))
		return places(s[:k]), err
	}},
	{"the first, which are all", "BucketRadix 1933, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		err := TopK(sortkey.Int64, cpu.PayloadOf(s), len(s)+1, column.Func[row, int64](wideOf), o, FrontOf(s))
		return places(s), err
	}},
	{"numbers of the first", "IndexGather 4655, IndexGather 4508, Select 4163, Select 4015, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return FirstByColumns(orderingOf(byFunc(fewOf), byFunc(wideOf)), cpu.PayloadOf(s), len(s)/2+1, o)
	}},
	{"rows of elements of ranks", "Select 5081, Select 4934, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return NthByColumns(orderingOf(byFunc(textOf), byFunc(wideOf)), cpu.PayloadOf(s), []int{len(s) - 1, 0, len(s) / 3}, o)
	}},
	{"comparison that falls", "Comparison 1208, IndexGather 665, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		own := *o
		own.Descending = true
		err := pipeline.SortFunc(s, byText, &own)
		return places(s), err
	}},
	{"order by a comparison that falls", "IndexGather 75", func(s []row, o *call.Options) (perm.Perm, error) {
		own := *o
		own.Descending = true
		return pipeline.OrderFunc(s, byText, &own)
	}},
	{"wide", "BucketRadix 1933, InPlace", sortsBy(byFunc(wideOf))},
	{"narrow", "BucketRadix 1343, InPlace", sortsBy(byFunc(narrowOf))},
	{"few, wide", "BucketRadix 5180, BucketRadix 5032, InPlace", sortsBy(byFunc(fewOf), byFunc(wideOf))},
	{"text", "BucketRadix 5229, InPlace", sortsBy(byFunc(textOf))},
	{"text with nulls", "IndexGather 6034, IndexGather 5886, BucketRadix 5442, BucketRadix 5294, InPlace", sortsBy(nullsOf(byFunc(textOf)), byFunc(wideOf))},
	{"large by wide", "IndexGather 3925, InPlace", largeBy(wideOf)},
	{"large by text", "IndexGather 6446, InPlace", largeBy(textOf)},
	{"order of wide", "IndexGather 2118, InPlace", ordersBy(byRow(wideOf))},
	{"order of few, text", "IndexGather 4532, IndexGather 4385, InPlace", ordersBy(byRow(fewOf), byRow(textOf))},
	{"order of wide with nulls", "IndexGather 2251, InPlace", ordersBy(withNulls(byRow(wideOf)))},
	{"order of text with nulls, few", "IndexGather 4928, IndexGather 4780, IndexGather 4680, InPlace", ordersBy(withNulls(byRow(textOf)), byRow(fewOf))},
	{"order with runs", "IndexGather 2118, InPlace", orderWithRuns},
	{"selected", "IndexGather 2216, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		p := make(perm.Perm, len(s))
		for i := range p {
			p[i] = uint32(i)
		}
		err := pipeline.OrderSelected(rowColumns(s, []func(s []row) column.Spec{byRow(wideOf)}), p, len(s), o)
		return p, err
	}},
	{"pairs", "BucketRadix 2839, InPlace", pairsBy(wideOf, func(e row) row { return e }, func(e row) int32 { return e.place })},
	{"narrow pairs", "BucketRadix 1434, InPlace", pairsBy(narrowOf, func(e row) int32 { return e.place }, func(p int32) int32 { return p })},
	{"text pairs", "IndexGather 4770, InPlace", pairsBy(textOf, func(e row) int32 { return e.place }, func(p int32) int32 { return p })},
	{"float pairs", "IndexGather 2380, InPlace", pairsBy(func(e row) float64 { return []float64{0, math.Copysign(0, -1), 1}[e.few%3] }, func(e row) int32 { return e.place }, func(p int32) int32 { return p })},
	{"large pairs", "IndexGather 4056, InPlace", pairsBy(wideOf, func(e row) large { return large{row: e} }, func(e large) int32 { return e.place })},
	{"keys", "BucketRadix 1892, InPlace", keysBy(wideOf)},
	{"narrow keys", "BucketRadix 1136, InPlace", keysBy(narrowOf)},
	{"text keys", "BucketRadix 4704, InPlace", keysBy(textOf)},
	{"keys by an index", "IndexGather 2315, InPlace", on(nil, engine.Radix, keysBy(wideOf))},
	{"keys through an index", "IndexGather 1368, InPlace", on(nil, engine.IndexGather, keysBy(narrowOf))},
	{"elements by an algorithm", "IndexGather 5180, IndexGather 5032, InPlace", on(nil, engine.MergeSort, sortsBy(byFunc(fewOf), byFunc(wideOf)))},
	{"elements on an engine", "IndexGather 2916", on(registered, engine.Auto, sortsBy(byFunc(fewOf), byFunc(wideOf)))},
	{"rows on an engine", "IndexGather 2269", on(registered, engine.Auto, ordersBy(byRow(fewOf), byRow(textOf)))},
	{"keys on an engine", "BucketRadix 65", on(registered, engine.Auto, keysBy(narrowOf))},
	{"elements where an engine is worth it", "IndexGather 5165, BucketRadix 5032, InPlace", worth(sortsBy(byFunc(fewOf), byFunc(wideOf)))},
	{"pairs where an engine is worth it", "IndexGather 2380, InPlace", worth(pairsBy(wideOf, func(e row) int32 { return e.place }, func(p int32) int32 { return p }))},
	{"keys where an engine is worth it", "BucketRadix 1892, InPlace", worth(keysBy(wideOf))},
	{"selected by two", "IndexGather 4893, IndexGather 4745, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		p := make(perm.Perm, len(s))
		for i := range p {
			p[i] = uint32(i)
		}
		err := pipeline.OrderSelected(rowColumns(s, []func(s []row) column.Spec{byRow(fewOf), byRow(textOf)}), p, len(s), o)
		return p, err
	}},
	{"order where an engine fails", "IndexGather 2118, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		defer registered.fails.Store(-1)
		registered.fails.Store(0)
		return worth(ordersBy(byRow(wideOf)))(s, o)
	}},
	{"order of rows in order by the first", "IndexGather 4532, IndexGather 4385, InPlace", ordersBy(byRow(runOf), byRow(wideOf))},
	{"order of elements in order by the first", "IndexGather 4590, IndexGather 4442, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return pipeline.OrderByColumns(orderingOf(byFunc(runOf), byFunc(wideOf)), cpu.PayloadOf(s), o)
	}},
	{"in order by the first", "BucketRadix 5180, BucketRadix 5032, InPlace", sortsBy(byFunc(runOf), byFunc(wideOf))},
	{"segments", "Segments 5511", func(s []row, o *call.Options) (perm.Perm, error) {
		err := pipeline.SortWithin(cols([]column.Spec{byFunc(textOf)}), cpu.PayloadOf(s), segmentsOf(len(s)*9/10), o)
		return places(s), err
	}},
	{"order of segments", "Segments 2798", func(s []row, o *call.Options) (perm.Perm, error) {
		return pipeline.OrderWithin(rowColumns(s, []func(s []row) column.Spec{byRow(wideOf)}), len(s), segmentsOf(len(s)*9/10), o)
	}},
	{"merge", "RangeMerge 1540, RangeMerge 1082, RangeMerge 836", mergesBy(3, []column.Spec{byFunc(wideOf)}, byWide, merged)},
	{"merge by text", "RangeMerge 2080, RangeMerge 1933, RangeMerge 1622, RangeMerge 1475, RangeMerge 1376, RangeMerge 1229", mergesBy(2, []column.Spec{byFunc(textOf), byFunc(wideOf)}, byText, mergedChecked)},
	{"merge of very many", "BucketRadix 1933, InPlace", mergesBy(ranges.MostRuns+1, []column.Spec{byFunc(wideOf)}, byWide, merged)},
	{"merge of parts", "RangeMerge 508", inChunks(mergesBy(3, []column.Spec{byFunc(textOf)}, byText, merged))},
	{"chunks", "RangeMerge 510", inChunks(sortsBy(byFunc(fewOf), byFunc(wideOf)))},
	{"chunks of pairs", "RangeMerge 1540, RangeMerge 1082, RangeMerge 836", inChunks(pairsBy(wideOf, func(e row) int32 { return e.place }, func(p int32) int32 { return p }))},
	{"chunks of keys", "RangeMerge 1540, RangeMerge 1082, RangeMerge 836", inChunks(keysBy(wideOf))},
	{"counted keys", "Counting 524", inChunks(keysBy(func(e row) int16 { return int16(e.narrow) }))},
	{"comparison", "Comparison 1208, IndexGather 665, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		err := pipeline.SortFunc(s, byWide, o)
		return places(s), err
	}},
	{"comparison of large", "IndexGather 1882, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		all, p := make([]large, len(s)), make(perm.Perm, len(s))
		for i, e := range s {
			all[i].row = e
		}
		err := pipeline.SortFunc(all, func(a, b large) int { return byWide(a.row, b.row) }, o)
		for i, e := range all {
			p[i] = uint32(e.place)
		}
		return p, err
	}},
	{"order by a comparison", "IndexGather 75", func(s []row, o *call.Options) (perm.Perm, error) { return pipeline.OrderFunc(s, byWide, o) }},
	{"first few", "Select 294, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return FirstRows(rowColumns(s, []func(s []row) column.Spec{byRow(wideOf)}), len(s), 20, o)
	}},
	{"first half", "IndexGather 4442, Select 3802, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return FirstRows(rowColumns(s, []func(s []row) column.Spec{byRow(textOf)}), len(s), len(s)/2, o)
	}},
	{"first of chunks", "Select 287, InPlace", inChunks(func(s []row, o *call.Options) (perm.Perm, error) {
		err := topRows(cols([]column.Spec{byFunc(wideOf)}), cpu.PayloadOf(s), 20, *o, FrontOf(s))
		return places(s[:20]), err
	})},
	{"rows of ranks", "Select 4762, Select 4614, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return NthRows(rowColumns(s, []func(s []row) column.Spec{byRow(wideOf), byRow(textOf)}), len(s), []int{len(s) / 2, len(s) / 9}, o)
	}},
	{"first of partitions", "IndexGather 4572, IndexGather 4425, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		first, parts, err := FirstOfPartitions(rowColumns(s, []func(s []row) column.Spec{byRow(fewOf)}), rowColumns(s, []func(s []row) column.Spec{byRow(wideOf)}), len(s), 2, o)
		return withOffsets(first, parts), err
	}},
	{"ranks of partitions", "IndexGather 4572, IndexGather 4425, InPlace", func(s []row, o *call.Options) (perm.Perm, error) {
		return NthOfPartitions(rowColumns(s, []func(s []row) column.Spec{byRow(fewOf)}), rowColumns(s, []func(s []row) column.Spec{byRow(wideOf)}), len(s), 3, func(size, j int) int { return j * size / 2 }, o)
	}},
}
