package pipeline

import (
	"context"
	"math/bits"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/sortkey"
)

// device is a backend for plans only: it has every algorithm but BucketRadix.
type device struct {
	name  string
	worth bool
	asked *engine.Work  // of the last question
	not   engine.Sample // codes that it is not worth for, unless mixed
}

func (d device) Name() string { return d.name }

func (d device) Worth(w engine.Work) bool {
	if d.asked != nil {
		*d.asked = w
	}
	return d.worth && (d.not == engine.Mixed || w.Sample != d.not)
}

func (d device) Runs(a engine.Algorithm) bool { return a != engine.BucketRadix }

func (d device) Order(context.Context, *engine.Job) error { panic("a plan orders nothing") }

func (d device) Calibration() string { return d.name + " is calibrated" }

func wordsOf(cols ...extract.Column) []extract.Word { return extract.Words(cols, sortkey.Order{}) }

var (
	narrow = wordsOf(dummyOf[int32]())
	whole  = wordsOf(dummyOf[int64]())
	text   = wordsOf(dummyOf[string]())
	nulls  = wordsOf(withNulls(dummyOf[string]()), dummyOf[string]())
	later  = wordsOf(dummyOf[int64](), withNulls(dummyOf[int64]()))
	two    = wordsOf(dummyOf[int64](), dummyOf[string]())
)

func withNulls(c extract.Column) extract.Column {
	c.Nulls = column.NullsLast
	return c
}

const planned = 1 << 20 // elements

// TestDecide is the table of plans.
func TestDecide(t *testing.T) {
	gpu, slow, second := device{name: "gpu", worth: true}, device{name: "slow"}, device{name: "second", worth: true}
	both := []engine.Backend{slow, gpu, second}
	size := func(s ...uintptr) []uintptr { return s }
	rows := extract.AppendColumns(nil, []column.Spec{columnOf(make([]int64, planned))})
	extract.ForRows(rows, planned)
	inMemory := wordsOf(withNulls(rows[0]), dummyOf[string]())
	for _, c := range []struct {
		name string
		Facts
		want plan
	}{
		{"small elements", Facts{Words: whole, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 89_395_576}},
		{"elements of two lines", Facts{Words: whole, Sizes: size(moveBytes)},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 214_026_320}},
		{"large elements", Facts{Words: whole, Sizes: size(moveBytes + 1)},
			plan{engine: cpu.Host, Movement: throughIndex, bytes: 251_301_576}},
		{"large elements with their codes", Facts{Words: whole, Sizes: size(1000), algorithm: engine.BucketRadix},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 1_259_007_200}},
		{"small elements through an index", Facts{Words: whole, Sizes: size(8), algorithm: engine.IndexGather},
			plan{engine: cpu.Host, Movement: throughIndex, bytes: 106_298_496}},
		{"an algorithm of the CPU", Facts{Words: whole, Sizes: size(24), algorithm: engine.Radix},
			plan{engine: cpu.Host, algorithm: engine.Radix, Movement: throughIndex, bytes: 125_472_456}},
		{"the CPU by name", Facts{Words: two, Sizes: size(24), backend: cpu.Host, devices: both},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 152_724_720}},
		{"an algorithm on the CPU by name", Facts{Words: two, Sizes: size(24), backend: cpu.Host, algorithm: engine.MergeSort},
			plan{engine: cpu.Host, algorithm: engine.MergeSort, Movement: throughIndex, bytes: 171_336_160}},
		{"the first device that is worth it", Facts{Words: whole, Sizes: size(24), devices: both},
			plan{engine: gpu, Movement: throughIndex, mayFallBack: true, bytes: 135_059_432}},
		{"no device that is worth it", Facts{Words: whole, Sizes: size(24), devices: []engine.Backend{slow}},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 89_395_576}},
		{"a device, and statistics", Facts{Words: whole, Sizes: size(24), devices: []engine.Backend{slow}, reported: true},
			plan{engine: cpu.Host, Movement: withCodes, calibration: "slow is calibrated", bytes: 89_395_576}},
		{"a device, and a sample in order", Facts{Words: whole, Sizes: size(24), devices: both, Sampled: yes},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 89_395_576}},
		{"an algorithm, and a sample in order", Facts{Words: whole, Sizes: size(24), devices: both, Sampled: yes, algorithm: engine.Radix},
			plan{engine: gpu, algorithm: engine.Radix, Movement: throughIndex, mayFallBack: true, bytes: 135_059_432}},
		{"a device by name, however slow", Facts{Words: text, Sizes: size(24), backend: slow, Sampled: yes},
			plan{engine: slow, Movement: throughIndex, bytes: 79_500_048}},
		{"an algorithm that only devices have", Facts{Words: whole, Sizes: size(24), devices: []engine.Backend{slow}, algorithm: engine.Hybrid},
			plan{engine: slow, algorithm: engine.Hybrid, Movement: throughIndex, bytes: 33_554_424}},
		{"few leading nulls", Facts{n: 50_000, Words: nulls, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: nullsApart, bytes: 21_585_912}},
		{"few leading nulls, one column", Facts{n: 50_000, Words: nulls[:1], Sizes: size(24), workers: 5},
			plan{engine: cpu.Host, Movement: nullsApart, bytes: 27_133_384}},
		{"a permutation, leading nulls, one column", Facts{Verb: toOrder, Words: nulls[:1], Sizes: size(8), Numbered: true},
			plan{engine: cpu.Host, Movement: nullsApart, bytes: 142_722_680}},
		{"picked rows", Facts{Verb: toOrder, Words: text, Sizes: size(8), Numbered: true, Picked: true, workers: 3},
			plan{engine: cpu.Host, Movement: toIndex, bytes: 159_390_104}},
		{"pairs", Facts{Verb: toPair, Words: whole, Sizes: size(8, 16), decodable: true},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 125_472_456}},
		{"pairs with large values", Facts{Verb: toPair, Words: whole, Sizes: size(8, 200), decodable: true},
			plan{engine: cpu.Host, Movement: throughIndex, bytes: 345_973_008}},
		{"pairs with wide keys", Facts{Verb: toPair, Words: text, Sizes: size(16, 8)},
			plan{engine: cpu.Host, Movement: throughIndex, bytes: 171_287_008}},
		{"pairs on a device", Facts{Verb: toPair, Words: whole, Sizes: size(8, 16), decodable: true, devices: both},
			plan{engine: gpu, Movement: throughIndex, mayFallBack: true, bytes: 135_059_432}},
		{"a permutation", Facts{Verb: toOrder, Words: two, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: toIndex, bytes: 137_781_736}},
		{"a permutation on a device", Facts{Verb: toOrder, Words: two, Sizes: size(24), devices: both},
			plan{engine: gpu, Movement: toIndex, mayFallBack: true, bytes: 147_499_784}},
		{"a permutation of equal elements", Facts{Verb: toOrder, Sizes: size(24), limit: 1},
			plan{engine: cpu.Host, Movement: toIndex}},
		{"leading nulls", Facts{Words: nulls, Sizes: size(24), devices: both},
			plan{engine: cpu.Host, Movement: nullsApart, bytes: 220_760_888}},
		{"nulls of a later column", Facts{Words: later, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 134_749_128}},
		{"leading nulls, large elements", Facts{Words: nulls, Sizes: size(moveBytes + 1)},
			plan{engine: cpu.Host, Movement: throughIndex, bytes: 316_683_304}},
		{"leading nulls, elements with their codes", Facts{Words: nulls, Sizes: size(24), algorithm: engine.BucketRadix},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 191_868_880}},
		{"leading nulls on a device by name", Facts{Words: nulls, Sizes: size(24), backend: slow},
			plan{engine: slow, Movement: throughIndex, bytes: 98_723_160}},
		{"a permutation, leading nulls", Facts{Verb: toOrder, Words: nulls, Sizes: size(24), backend: slow},
			plan{engine: cpu.Host, Movement: nullsApart, bytes: 162_142_400}},
		{"a permutation of a part, leading nulls", Facts{Verb: toOrder, Words: nulls, Sizes: size(24), part: true},
			plan{engine: cpu.Host, Movement: toIndex, bytes: 156_955_696}},
		{"the first few, leading nulls", Facts{Verb: ToSelect, K: 100, Words: nulls, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: Selected, bytes: 49_752_376}},
		{"leading nulls, a long slice", Facts{Words: nulls, Sizes: size(24), most: planned - 1},
			plan{engine: cpu.Host, Movement: chunked, bytes: 86_282_808}},
		{"keys", Facts{Verb: toDecode, Words: narrow, Sizes: size(4)},
			plan{engine: cpu.Host, Movement: asCodes, bytes: 33_978_160}},
		{"keys on a device", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), devices: both},
			plan{engine: gpu, Movement: asCodes, mayFallBack: true, bytes: 33_978_160}},
		{"keys in order", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), devices: both, Sampled: yes},
			plan{engine: cpu.Host, Movement: asCodes, bytes: 33_978_160}},
		{"keys on a device by name", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), backend: slow},
			plan{engine: slow, Movement: asCodes, bytes: 4_793_488}},
		{"keys by an algorithm of the CPU", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), algorithm: engine.Radix},
			plan{engine: cpu.Host, algorithm: engine.Radix, Movement: throughIndex, bytes: 70_046_928}},
		{"keys in no memory", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), limit: 1},
			plan{engine: cpu.Host, Movement: InPlace}},
		{"keys by an algorithm in no memory", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), limit: 1, algorithm: engine.Radix},
			plan{engine: cpu.Host, Movement: InPlace}},
		{"the first few", Facts{Verb: ToSelect, K: 100, Words: whole, Sizes: size(24), backend: gpu},
			plan{engine: cpu.Host, Movement: Selected, bytes: 364_392}},
		{"the first half", Facts{Verb: ToSelect, K: planned / 2, Words: whole, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: toIndex, bytes: 96_711_520}},
		{"the first half on a device", Facts{Verb: ToSelect, K: planned / 2, Words: whole, Sizes: size(24), backend: gpu},
			plan{engine: gpu, Movement: toIndex, bytes: 4_793_488}},
		{"keys by an algorithm that only devices have", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), devices: []engine.Backend{watching{slow}}, algorithm: engine.Hybrid, reported: true},
			plan{engine: watching{slow}, algorithm: engine.Hybrid, Movement: asCodes, bytes: 4_793_488}},
		{"keys by an algorithm on a device by name", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), backend: slow, algorithm: engine.Radix},
			plan{engine: slow, algorithm: engine.Radix, Movement: asCodes, bytes: 4_793_488}},
		{"the first few rows", Facts{Verb: ToSelect, K: 100, Words: two, Sizes: size(8), Numbered: true},
			plan{engine: cpu.Host, Movement: Selected, bytes: 30_586_608}},
		{"a row by its rank", Facts{Verb: ToFind, K: 3, Words: two, Sizes: size(8), Numbered: true, workers: 3},
			plan{engine: cpu.Host, Movement: Selected, bytes: 173_887_304}},
		{"an element by its rank", Facts{Verb: ToFind, K: 1, Words: whole, Sizes: size(24)},
			plan{engine: cpu.Host, Movement: Selected, bytes: 106_331_264}},
		{"a permutation, leading nulls of rows in memory", Facts{Verb: toOrder, Words: inMemory, Sizes: size(8), Numbered: true},
			plan{engine: cpu.Host, Movement: nullsApart, bytes: 142_734_968}},
		{"segments", Facts{Verb: toSortWithin, Words: text, Sizes: size(24), devices: both, Segments: cpu.NewSegments([]int{0, 9, planned})},
			plan{engine: cpu.Host, Movement: withinSegments, bytes: 201_416_872}},
		{"a permutation of segments", Facts{Verb: ToOrderWithin, Words: whole, Sizes: size(8), Numbered: true, Segments: cpu.NewSegments([]int{0, 9})},
			plan{engine: cpu.Host, Movement: withinSegments, bytes: 27_514_848}},
		{"the first of partitions", Facts{Verb: ToFilter, K: 3, Words: whole, Sizes: size(8), Numbered: true, devices: both},
			plan{engine: cpu.Host, Movement: Selected}},
		{"the first of partitions under a limit", Facts{Verb: ToFilter, K: 3, Words: whole, Sizes: size(8), Numbered: true, limit: 1 << 40},
			plan{engine: cpu.Host, Movement: toIndex}},
		{"the first of partitions on a device", Facts{Verb: ToFilter, K: 3, Words: whole, Sizes: size(8), Numbered: true, backend: gpu},
			plan{engine: cpu.Host, Movement: toIndex}},
		{"the first of partitions by an algorithm", Facts{Verb: ToFilter, K: 3, Words: whole, Sizes: size(8), Numbered: true, algorithm: engine.Radix},
			plan{engine: cpu.Host, Movement: toIndex}},
		{"a merge", Facts{Verb: toMerge, Words: text, runs: 2, backend: gpu},
			plan{engine: cpu.Host, Movement: merged, bytes: 34_335_784}},
		{"a merge of very many runs", Facts{Verb: toMerge, Words: whole, Sizes: size(8), runs: ranges.MostRuns + 1},
			plan{engine: cpu.Host, Movement: aside, bytes: 23_967_440}},
		{"a merge of many runs", Facts{Verb: toMerge, Words: whole, Sizes: size(8), runs: ranges.MostRuns},
			plan{engine: cpu.Host, Movement: merged, bytes: 45_618_696}},
		{"a long merge by codes", Facts{Verb: toMerge, Words: whole, runs: 3, most: planned - 1},
			plan{engine: cpu.Host, Movement: merged, bytes: 15_162_016}},
		{"a merge of as many as are merged as one", Facts{Verb: toMerge, Words: text, runs: 2, most: planned},
			plan{engine: cpu.Host, Movement: merged, bytes: 34_335_784}},
		{"a long merge by whole keys", Facts{Verb: toMerge, Words: text, runs: 3, most: planned - 1},
			plan{engine: cpu.Host, Movement: parted, bytes: 28_760_936}},
		{"a slice as long as the limit", Facts{Words: whole, Sizes: size(24), most: planned},
			plan{engine: cpu.Host, Movement: withCodes, bytes: 89_395_576}},
		{"a long slice", Facts{Words: whole, Sizes: size(24), most: planned - 1, devices: both},
			plan{engine: cpu.Host, Movement: chunked, bytes: 38_347_912}},
		{"long keys", Facts{Verb: toDecode, Words: narrow, Sizes: size(4), most: planned - 1},
			plan{engine: cpu.Host, Movement: chunked, bytes: 9_586_976}},
		{"long keys of few bits", Facts{Verb: toDecode, Words: wordsOf(dummyOf[int16]()), Sizes: size(2), most: planned - 1},
			plan{engine: cpu.Host, Movement: counted, bytes: 1_048_576}},
		{"long pairs", Facts{Verb: toPair, Words: whole, Sizes: size(8, 4), most: planned - 1},
			plan{engine: cpu.Host, Movement: chunked, bytes: 23_967_440}},
		{"a permutation beyond a limit that tests lower", Facts{Verb: toOrder, Words: whole, Sizes: size(24), most: planned - 1},
			plan{engine: cpu.Host, Movement: toIndex, bytes: 91_918_032}},
	} {
		got, err := decided(&c.Facts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		checkPlan(t, c.name, got, c.want)
	}
}

// dummyOf returns a column of keys that a function returns.
func dummyOf[K sortkey.Key]() extract.Column { return extract.ColumnOf[K](column.Func[int, K](nil)) }

// TestDecideByMemory lowers the limit below what a plan needs: the next plan needs less,
// and the last error names what would do.
func TestDecideByMemory(t *testing.T) {
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needed(need) }
	gpu := device{name: "gpu", worth: true}
	for _, c := range []struct {
		name string
		Facts
		want []plan // each under the largest limit that the one before does not fit
	}{
		{"a sort", Facts{Words: whole, Sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, Movement: withCodes},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"a sort on a device", Facts{Words: whole, Sizes: []uintptr{24}, devices: []engine.Backend{gpu}}, []plan{
			{engine: gpu, Movement: throughIndex, mayFallBack: true},
			{engine: cpu.Host, Movement: withCodes},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"a sort by an algorithm on a device", Facts{Words: whole, Sizes: []uintptr{24}, devices: []engine.Backend{gpu}, algorithm: engine.MergeSort}, []plan{
			{engine: gpu, algorithm: engine.MergeSort, Movement: throughIndex, mayFallBack: true},
			{engine: cpu.Host, algorithm: engine.MergeSort, Movement: throughIndex},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"a sort on a device by name", Facts{Words: whole, Sizes: []uintptr{24}, backend: gpu}, []plan{
			{engine: gpu, Movement: throughIndex},
		}},
		{"a permutation", Facts{Verb: toOrder, Words: two, Sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, Movement: toIndex},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"leading nulls", Facts{Words: nulls, Sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, Movement: nullsApart},
			{engine: cpu.Host, Movement: withCodes},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"a permutation, leading nulls", Facts{Verb: toOrder, Words: nulls, Sizes: []uintptr{8}, Numbered: true}, []plan{
			{engine: cpu.Host, Movement: nullsApart},
			{engine: cpu.Host, Movement: toIndex},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"a selection of many", Facts{Verb: ToSelect, K: planned / 2, Words: whole, Sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, Movement: toIndex},
			{engine: cpu.Host, Movement: InPlace},
		}},
		{"a selection of few", Facts{Verb: ToSelect, K: 10, Words: two, Sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, Movement: Selected}, // an index takes more
		}},
		{"a merge", Facts{Verb: toMerge, Words: two, runs: 2}, []plan{ // by smaller and smaller ranges
			{engine: cpu.Host, Movement: merged}, {engine: cpu.Host, Movement: merged}, {engine: cpu.Host, Movement: merged},
			{engine: cpu.Host, Movement: merged},
		}},
	} {
		for limit := int64(0); ; {
			f := c.Facts
			f.limit = limit
			got, err := decided(&f)
			if len(c.want) == 0 {
				if err != needed(limit+1) {
					t.Errorf("%s under a limit of %d: %v", c.name, limit, err)
				}
				break
			}
			if err != nil {
				t.Errorf("%s under a limit of %d: %v", c.name, limit, err)
				break
			}
			checkPlan(t, c.name, got, c.want[0])
			if got.bytes <= 0 || limit > 0 && got.bytes > limit {
				t.Errorf("%s: a plan of %d bytes under a limit of %d", c.name, got.bytes, limit)
				break
			}
			limit, c.want = got.bytes-1, c.want[1:]
		}
	}
}

// TestDecideAsks checks what a device is told of the work, and that a sample is taken for
// nothing else.
func TestDecideAsks(t *testing.T) {
	var asked engine.Work
	sampled := 0
	f := Facts{Words: whole, Sizes: []uintptr{8, 16}, Verb: toPair, decodable: true, workers: 3,
		devices: []engine.Backend{device{name: "gpu", asked: &asked}},
		Sampled: func() engine.Sample { sampled++; return engine.Mixed }}
	if _, err := decided(&f); err != nil {
		t.Fatal(err)
	}
	want := engine.Work{N: planned, Bits: 64, Payload: 24, Workers: 3}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("the device was asked about another sort (-want +got):\n%s", diff)
	}
	if sampled != 0 {
		t.Error("a sample was taken before a device that is not worth it")
	}
}

// watching is a device that learns from times.
type watching struct{ device }

func (watching) Observe(engine.Work, bool, time.Duration) {}

// TestDecideSamples asks a device again where a sample says something about the codes.
func TestDecideSamples(t *testing.T) {
	for _, c := range []struct {
		sample engine.Sample
		not    engine.Sample
		want   bool
		asked  engine.Sample
	}{
		{engine.Mixed, engine.Mixed, true, engine.Mixed},
		{engine.Drifting, engine.Mixed, true, engine.Drifting},
		{engine.Drifting, engine.Drifting, false, engine.Drifting},
		{engine.Few, engine.Drifting, true, engine.Few},
		{engine.Ordered, engine.Mixed, false, engine.Mixed},
	} {
		for _, v := range []verb{toSort, toDecode} {
			var asked engine.Work
			d := watching{device{name: "gpu", worth: true, asked: &asked, not: c.not}}
			p, err := decided(&Facts{Words: whole, Sizes: []uintptr{8}, Verb: v, devices: []engine.Backend{d}, Sampled: func() engine.Sample { return c.sample }})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.engine != cpu.Host; got != c.want || asked.Sample != c.asked {
				t.Errorf("%v codes: on the device %v; asked about %v ones", c.sample, got, asked.Sample)
			}
			if learns := c.sample != engine.Ordered; learns != (p.observer != nil) || learns && p.work != asked {
				t.Errorf("%v codes: observed %v, as %+v", c.sample, p.observer != nil, p.work)
			}
		}
	}
}

func yes() engine.Sample { return engine.Ordered }

func no() engine.Sample { return engine.Mixed }

// decided is decide of facts that say what most calls have in common.
func decided(f *Facts) (plan, error) {
	if f.n == 0 {
		f.n = planned
	}
	if f.workers == 0 {
		f.workers = 2
	}
	if f.Sampled == nil {
		f.Sampled = no
	}
	return decide(f)
}

// checkPlan compares plans. Their memory depends on the width of an int.
func checkPlan(t *testing.T, name string, got, want plan) {
	t.Helper()
	if got.grain, got.way = (ranges.Grain{}), nil; want.bytes == 0 || bits.UintSize == 32 {
		want.bytes = got.bytes
	}
	byName := cmp.Comparer(func(a, b engine.Backend) bool { return a == b })
	movements := cmp.Transformer("movement", movement.text)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(plan{}, ranges.Grain{}), byName, movements); diff != "" {
		t.Errorf("%s: another plan (-want +got):\n%s", name, diff)
	}
}

// text is the name of a movement in differences.
func (m movement) text() string {
	return [movements]string{
		withCodes: "with codes", throughIndex: "through an index", toIndex: "to an index", InPlace: "in place", asCodes: "as codes",
		Selected: "selected", merged: "merged", aside: "aside", chunked: "chunked", parted: "parted", withinSegments: "within segments",
		counted: "counted", withElements: "with elements", nullsApart: "nulls apart",
	}[m]
}
