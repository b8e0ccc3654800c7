package pipeline

import (
	"context"
	"errors"
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
	narrow = wordsOf(extract.ColumnOf[int32](nil))
	whole  = wordsOf(extract.ColumnOf[int64](nil))
	text   = wordsOf(extract.ColumnOf[string](nil))
	nulls  = wordsOf(withNulls(extract.ColumnOf[string](nil)), extract.ColumnOf[string](nil))
	later  = wordsOf(extract.ColumnOf[int64](nil), withNulls(extract.ColumnOf[int64](nil)))
	two    = wordsOf(extract.ColumnOf[int64](nil), extract.ColumnOf[string](nil))
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
	for _, c := range []struct {
		name string
		facts
		want plan
	}{
		{"small elements", facts{words: whole, sizes: size(24)},
			plan{engine: cpu.Host, movement: withCodes}},
		{"elements of two lines", facts{words: whole, sizes: size(moveBytes)},
			plan{engine: cpu.Host, movement: withCodes}},
		{"large elements", facts{words: whole, sizes: size(moveBytes + 1)},
			plan{engine: cpu.Host, movement: throughIndex}},
		{"large elements with their codes", facts{words: whole, sizes: size(1000), algorithm: engine.BucketRadix},
			plan{engine: cpu.Host, movement: withCodes}},
		{"small elements through an index", facts{words: whole, sizes: size(8), algorithm: engine.IndexGather},
			plan{engine: cpu.Host, movement: throughIndex}},
		{"an algorithm of the CPU", facts{words: whole, sizes: size(24), algorithm: engine.Radix},
			plan{engine: cpu.Host, algorithm: engine.Radix, movement: throughIndex}},
		{"the CPU by name", facts{words: two, sizes: size(24), backend: cpu.Host, devices: both},
			plan{engine: cpu.Host, movement: withCodes}},
		{"an algorithm on the CPU by name", facts{words: two, sizes: size(24), backend: cpu.Host, algorithm: engine.MergeSort},
			plan{engine: cpu.Host, algorithm: engine.MergeSort, movement: throughIndex}},
		{"the first device that is worth it", facts{words: whole, sizes: size(24), devices: both},
			plan{engine: gpu, movement: throughIndex, mayFallBack: true}},
		{"no device that is worth it", facts{words: whole, sizes: size(24), devices: []engine.Backend{slow}},
			plan{engine: cpu.Host, movement: withCodes}},
		{"a device, and statistics", facts{words: whole, sizes: size(24), devices: []engine.Backend{slow}, reported: true},
			plan{engine: cpu.Host, movement: withCodes, calibration: "slow is calibrated"}},
		{"a device, and a sample in order", facts{words: whole, sizes: size(24), devices: both, sampled: yes},
			plan{engine: cpu.Host, movement: withCodes}},
		{"an algorithm, and a sample in order", facts{words: whole, sizes: size(24), devices: both, sampled: yes, algorithm: engine.Radix},
			plan{engine: gpu, algorithm: engine.Radix, movement: throughIndex, mayFallBack: true}},
		{"a device by name, however slow", facts{words: text, sizes: size(24), backend: slow, sampled: yes},
			plan{engine: slow, movement: throughIndex}},
		{"an algorithm that only devices have", facts{words: whole, sizes: size(24), devices: []engine.Backend{slow}, algorithm: engine.Hybrid},
			plan{engine: slow, algorithm: engine.Hybrid, movement: throughIndex}},
		{"pairs", facts{verb: toPair, words: whole, sizes: size(8, 16), decodable: true},
			plan{engine: cpu.Host, movement: withCodes}},
		{"pairs with large values", facts{verb: toPair, words: whole, sizes: size(8, 200), decodable: true},
			plan{engine: cpu.Host, movement: throughIndex}},
		{"pairs with wide keys", facts{verb: toPair, words: text, sizes: size(16, 8)},
			plan{engine: cpu.Host, movement: throughIndex}},
		{"pairs on a device", facts{verb: toPair, words: whole, sizes: size(8, 16), decodable: true, devices: both},
			plan{engine: gpu, movement: throughIndex, mayFallBack: true}},
		{"a permutation", facts{verb: toOrder, words: two, sizes: size(24)},
			plan{engine: cpu.Host, movement: toIndex}},
		{"a permutation on a device", facts{verb: toOrder, words: two, sizes: size(24), devices: both},
			plan{engine: gpu, movement: toIndex, mayFallBack: true}},
		{"a permutation of equal elements", facts{verb: toOrder, sizes: size(24), limit: 1},
			plan{engine: cpu.Host, movement: toIndex}},
		{"leading nulls", facts{words: nulls, sizes: size(24), devices: both},
			plan{engine: cpu.Host, movement: nullsApart}},
		{"nulls of a later column", facts{words: later, sizes: size(24)},
			plan{engine: cpu.Host, movement: withCodes}},
		{"leading nulls, large elements", facts{words: nulls, sizes: size(moveBytes + 1)},
			plan{engine: cpu.Host, movement: throughIndex}},
		{"leading nulls, elements with their codes", facts{words: nulls, sizes: size(24), algorithm: engine.BucketRadix},
			plan{engine: cpu.Host, movement: withCodes}},
		{"leading nulls on a device by name", facts{words: nulls, sizes: size(24), backend: slow},
			plan{engine: slow, movement: throughIndex}},
		{"a permutation, leading nulls", facts{verb: toOrder, words: nulls, sizes: size(24), backend: slow},
			plan{engine: cpu.Host, movement: nullsApart}},
		{"a permutation of a part, leading nulls", facts{verb: toOrder, words: nulls, sizes: size(24), part: true},
			plan{engine: cpu.Host, movement: toIndex}},
		{"the first few, leading nulls", facts{verb: toSelect, k: 100, words: nulls, sizes: size(24)},
			plan{engine: cpu.Host, movement: selected}},
		{"leading nulls, a long slice", facts{words: nulls, sizes: size(24), most: planned - 1},
			plan{engine: cpu.Host, movement: chunked}},
		{"keys", facts{verb: toDecode, words: narrow, sizes: size(4)},
			plan{engine: cpu.Host, movement: asCodes}},
		{"keys on a device", facts{verb: toDecode, words: narrow, sizes: size(4), devices: both},
			plan{engine: gpu, movement: asCodes, mayFallBack: true}},
		{"keys in order", facts{verb: toDecode, words: narrow, sizes: size(4), devices: both, sampled: yes},
			plan{engine: cpu.Host, movement: asCodes}},
		{"keys on a device by name", facts{verb: toDecode, words: narrow, sizes: size(4), backend: slow},
			plan{engine: slow, movement: asCodes}},
		{"keys by an algorithm of the CPU", facts{verb: toDecode, words: narrow, sizes: size(4), algorithm: engine.Radix},
			plan{engine: cpu.Host, algorithm: engine.Radix, movement: throughIndex}},
		{"keys in no memory", facts{verb: toDecode, words: narrow, sizes: size(4), limit: 1},
			plan{engine: cpu.Host, movement: inPlace}},
		{"keys by an algorithm in no memory", facts{verb: toDecode, words: narrow, sizes: size(4), limit: 1, algorithm: engine.Radix},
			plan{engine: cpu.Host, movement: inPlace}},
		{"the first few", facts{verb: toSelect, k: 100, words: whole, sizes: size(24), backend: gpu},
			plan{engine: cpu.Host, movement: selected}},
		{"the first half", facts{verb: toSelect, k: planned / 2, words: whole, sizes: size(24)},
			plan{engine: cpu.Host, movement: toIndex}},
		{"the first half on a device", facts{verb: toSelect, k: planned / 2, words: whole, sizes: size(24), backend: gpu},
			plan{engine: gpu, movement: toIndex}},
		{"segments", facts{verb: toSortWithin, words: text, sizes: size(24), devices: both, segments: cpu.NewSegments([]int{0, 9, planned})},
			plan{engine: cpu.Host, movement: withinSegments}},
		{"a permutation of segments", facts{verb: toOrderWithin, words: whole, sizes: size(8), numbered: true, segments: cpu.NewSegments([]int{0, 9})},
			plan{engine: cpu.Host, movement: withinSegments}},
		{"the first of partitions", facts{verb: toFilter, k: 3, words: whole, sizes: size(8), numbered: true, devices: both},
			plan{engine: cpu.Host, movement: selected}},
		{"the first of partitions under a limit", facts{verb: toFilter, k: 3, words: whole, sizes: size(8), numbered: true, limit: 1 << 40},
			plan{engine: cpu.Host, movement: toIndex}},
		{"the first of partitions on a device", facts{verb: toFilter, k: 3, words: whole, sizes: size(8), numbered: true, backend: gpu},
			plan{engine: cpu.Host, movement: toIndex}},
		{"the first of partitions by an algorithm", facts{verb: toFilter, k: 3, words: whole, sizes: size(8), numbered: true, algorithm: engine.Radix},
			plan{engine: cpu.Host, movement: toIndex}},
		{"a merge", facts{verb: toMerge, words: text, runs: 2, backend: gpu},
			plan{engine: cpu.Host, movement: merged}},
		{"a merge of very many runs", facts{verb: toMerge, words: whole, sizes: size(8), runs: ranges.MostRuns + 1},
			plan{engine: cpu.Host, movement: aside}},
		{"a long merge by codes", facts{verb: toMerge, words: whole, runs: 3, most: planned - 1},
			plan{engine: cpu.Host, movement: merged}},
		{"a long merge by whole keys", facts{verb: toMerge, words: text, runs: 3, most: planned - 1},
			plan{engine: cpu.Host, movement: parted}},
		{"a slice as long as the limit", facts{words: whole, sizes: size(24), most: planned},
			plan{engine: cpu.Host, movement: withCodes}},
		{"a long slice", facts{words: whole, sizes: size(24), most: planned - 1, devices: both},
			plan{engine: cpu.Host, movement: chunked}},
		{"long keys", facts{verb: toDecode, words: narrow, sizes: size(4), most: planned - 1},
			plan{engine: cpu.Host, movement: chunked}},
		{"long keys of few bits", facts{verb: toDecode, words: wordsOf(extract.ColumnOf[int16](nil)), sizes: size(2), most: planned - 1},
			plan{engine: cpu.Host, movement: counted}},
		{"long pairs", facts{verb: toPair, words: whole, sizes: size(8, 4), most: planned - 1},
			plan{engine: cpu.Host, movement: chunked}},
		{"a permutation beyond a limit that tests lower", facts{verb: toOrder, words: whole, sizes: size(24), most: planned - 1},
			plan{engine: cpu.Host, movement: toIndex}},
	} {
		got, err := decided(&c.facts)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		checkPlan(t, c.name, got, c.want)
	}
}

// TestDecideByMemory lowers the limit below what a plan needs: the next plan needs less,
// and the last error names what would do.
func TestDecideByMemory(t *testing.T) {
	gpu := device{name: "gpu", worth: true}
	for _, c := range []struct {
		name string
		facts
		want []plan // each under the largest limit that the one before does not fit
	}{
		{"a sort", facts{words: whole, sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, movement: withCodes},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"a sort on a device", facts{words: whole, sizes: []uintptr{24}, devices: []engine.Backend{gpu}}, []plan{
			{engine: gpu, movement: throughIndex, mayFallBack: true},
			{engine: cpu.Host, movement: withCodes},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"a sort by an algorithm on a device", facts{words: whole, sizes: []uintptr{24}, devices: []engine.Backend{gpu}, algorithm: engine.MergeSort}, []plan{
			{engine: gpu, algorithm: engine.MergeSort, movement: throughIndex, mayFallBack: true},
			{engine: cpu.Host, algorithm: engine.MergeSort, movement: throughIndex},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"a sort on a device by name", facts{words: whole, sizes: []uintptr{24}, backend: gpu}, []plan{
			{engine: gpu, movement: throughIndex},
		}},
		{"a permutation", facts{verb: toOrder, words: two, sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, movement: toIndex},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"leading nulls", facts{words: nulls, sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, movement: nullsApart},
			{engine: cpu.Host, movement: withCodes},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"a permutation, leading nulls", facts{verb: toOrder, words: nulls, sizes: []uintptr{8}, numbered: true}, []plan{
			{engine: cpu.Host, movement: nullsApart},
			{engine: cpu.Host, movement: toIndex},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"a selection of many", facts{verb: toSelect, k: planned / 2, words: whole, sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, movement: toIndex},
			{engine: cpu.Host, movement: inPlace},
		}},
		{"a selection of few", facts{verb: toSelect, k: 10, words: two, sizes: []uintptr{24}}, []plan{
			{engine: cpu.Host, movement: selected}, // an index takes more
		}},
		{"a merge", facts{verb: toMerge, words: two, runs: 2}, []plan{ // by smaller and smaller ranges
			{engine: cpu.Host, movement: merged}, {engine: cpu.Host, movement: merged}, {engine: cpu.Host, movement: merged},
			{engine: cpu.Host, movement: merged},
		}},
	} {
		for limit := int64(0); ; {
			f := c.facts
			f.limit = limit
			got, err := decided(&f)
			if len(c.want) == 0 {
				if !errors.Is(err, engine.ErrMemoryLimit) {
					t.Errorf("%s under a limit of %d: %v, want %v", c.name, limit, err, engine.ErrMemoryLimit)
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
	f := facts{words: whole, sizes: []uintptr{8, 16}, verb: toPair, decodable: true, workers: 3,
		devices: []engine.Backend{device{name: "gpu", asked: &asked}},
		sampled: func() engine.Sample { sampled++; return engine.Mixed }}
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
			p, err := decided(&facts{words: whole, sizes: []uintptr{8}, verb: v, devices: []engine.Backend{d}, sampled: func() engine.Sample { return c.sample }})
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
func decided(f *facts) (plan, error) {
	f.n = planned
	if f.workers == 0 {
		f.workers = 2
	}
	if f.sampled == nil {
		f.sampled = no
	}
	return decide(f)
}

// checkPlan compares plans, except for their memory.
func checkPlan(t *testing.T, name string, got, want plan) {
	t.Helper()
	got.bytes, got.grain, got.way = 0, ranges.Grain{}, nil
	byName := cmp.Comparer(func(a, b engine.Backend) bool { return a == b })
	movements := cmp.Transformer("movement", movement.text)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(plan{}, ranges.Grain{}), byName, movements); diff != "" {
		t.Errorf("%s: another plan (-want +got):\n%s", name, diff)
	}
}

// text is the name of a movement in differences.
func (m movement) text() string {
	return [movements]string{
		withCodes: "with codes", throughIndex: "through an index", toIndex: "to an index", inPlace: "in place", asCodes: "as codes",
		selected: "selected", merged: "merged", aside: "aside", chunked: "chunked", parted: "parted", withinSegments: "within segments",
		counted: "counted", withElements: "with elements", nullsApart: "nulls apart",
	}[m]
}
