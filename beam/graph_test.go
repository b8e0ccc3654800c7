package beamsort

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
)

// TestFlattensOfWorkers checks that workers make all inputs of a flatten. Beam's runners for Flink and
// Spark refuse a pipeline that flattens an impulse or a grouping with the output of a worker.
func TestFlattensOfWorkers(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	Sort(s, beam.ParDo(s, &someRowsFn{5}, beam.Impulse(s)), byU64, To("x"), Manifest())
	edges, nodes, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	makers := map[*graph.Node]graph.Opcode{}
	for _, e := range edges {
		for _, out := range e.Output {
			makers[out.To] = e.Op
		}
	}
	flattens := 0
	for _, e := range edges {
		if e.Op != graph.Flatten {
			continue
		}
		flattens++
		for _, in := range e.Input {
			if makers[in.From] != graph.ParDo {
				t.Errorf("%v flattens the output of %v", e.Name(), makers[in.From])
			}
		}
	}
	if flattens != 1 || len(nodes) == 0 {
		t.Errorf("%d flattens of %d collections: this test expects one", flattens, len(nodes))
	}
}

// TestTopKShuffle checks that not all elements of TopK reach its grouping, also on a runner that combines
// nothing before it.
func TestTopKShuffle(t *testing.T) {
	f := &candidatesFn[row]{Order: byU64.name, K: 3}
	var got []row
	emit := func(r row) { got = append(got, r) }
	rows := someRows(5000)
	for _, bundle := range [][]row{rows[:2], rows[2:]} {
		if err := f.StartBundle(emit); err != nil {
			t.Fatal(err)
		}
		for _, r := range bundle {
			if err := f.ProcessElement(r, emit); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.FinishBundle(emit); err != nil {
			t.Fatal(err)
		}
	}
	want := slices.Clone(rows[2:])
	slices.SortStableFunc(want, func(a, b row) int { return cmp.Compare(a.U64, b.U64) })
	if len(got) != 5 || !slices.Equal(got[2:], want[:3]) {
		t.Errorf("%d candidates of two bundles", len(got))
	}
	p, s := beam.NewPipelineWithRoot()
	col := beam.ParDo(s, &someRowsFn{5}, beam.Impulse(s))
	TopK(s, col, 3, byU64)
	TopPerKey(s, beam.ParDo(s, keyedRow, col), 3, byU64)
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"candidatesFn", "candidatesPerKeyFn"} {
		if !slices.ContainsFunc(edges, func(e *graph.MultiEdge) bool {
			return e.Op == graph.ParDo && strings.Contains(e.DoFn.Name(), name)
		}) {
			t.Errorf("no %s", name)
		}
	}
}

// TestTopPerKeyBundles compares the first of each key, of elements that come in bundles, with an oracle. Bundles have few
// keys of many elements, and more keys than one holds.
func TestTopPerKeyBundles(t *testing.T) {
	rows := someRows(200_000)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ keys, k, most int }{{1, 3, 64}, {7, 40, 1000}, {300, 2, 50_000}, {90_000, 2, 200_000}, {3, 70_000, 200_000}, {1, 1 << 40, 200_000}} {
		f := &candidatesPerKeyFn[row]{Order: byU64.name, K: c.k}
		got, want := map[string][]uint64{}, map[string][]uint64{}
		emitted := 0
		emit := func(key beam.X, r row) {
			got[key.(string)] = append(got[key.(string)], r.U64)
			emitted++
		}
		for i := 0; i < len(rows); i += c.most {
			must(f.StartBundle(emit))
			for j, r := range rows[i:min(i+c.most, len(rows))] {
				key := fmt.Sprint("key ", (i+j)*7919%c.keys)
				want[key] = append(want[key], r.U64)
				must(f.ProcessElement(key, r, emit))
			}
			must(f.FinishBundle(emit))
		}
		bundles := (len(rows) + c.most - 1) / c.most
		if most := bundles * c.keys * min(c.k, len(rows)); emitted > most && c.keys <= 300 { // of more, parts of a bundle are emitted
			t.Errorf("%+v: %d elements, want at most %d", c, emitted, most)
		}
		for key, all := range want {
			slices.Sort(all)
			slices.Sort(got[key])
			if n := min(c.k, len(all)); len(got[key]) < n || !slices.Equal(got[key][:n], all[:n]) {
				t.Fatalf("%+v, %s: another first %d", c, key, n)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%+v: %d keys, want %d", c, len(got), len(want))
		}
	}
}
