package beamsort

import (
	"cmp"
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
	TopK(s, beam.ParDo(s, &someRowsFn{5}, beam.Impulse(s)), 3, byU64)
	edges, _, err := p.Build()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(edges, func(e *graph.MultiEdge) bool {
		return e.Op == graph.ParDo && strings.Contains(e.DoFn.Name(), "candidatesFn")
	}) {
		t.Error("TopK without candidatesFn")
	}
}
