package ranked

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
)

// Each of these draws calls, options and engines that fail: results are those of a stable sort, and a call that fails moves
// nothing.

func TestDrawnSorts(t *testing.T) { drawVerbs(t, 61, "sort", "by a comparison") }

func TestDrawnOrders(t *testing.T) {
	drawVerbs(t, 62, "order", "order by rows", "order with runs", "order by a comparison", "selected")
}

func TestDrawnFirst(t *testing.T) {
	drawVerbs(t, 63, "first", "first to the front", "first by a key", "ranks", "first of partitions")
}

func TestDrawnMerges(t *testing.T) { drawVerbs(t, 64, "merge", "within") }

func drawVerbs(t *testing.T, seed uint64, names ...string) {
	defer pipeline.OnPlanned(func(movement string, took, planned int64) {
		if took > planned {
			t.Errorf("%s took %d bytes, planned were %d", movement, took, planned)
		}
	})()
	defer registered.reset()
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needs(need) }
	r := dist.Rand(seed)
	for i := range testkit.Pick(50*len(names), 1000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := []int{0, 1, 2, 3, 100, 4096, 4097, 5000, 9000}[r.IntN(9)]
		if i%40 == 0 || names[i%len(names)] == "first of partitions" && i%3 == 0 {
			n = 15_000 + r.IntN(15_000)
		}
		d, restore := drawCall(r, n), func() {}
		lower := r.IntN(4) == 0
		if lower {
			restore = pipeline.LowerLimit(1 + r.IntN(n+10))
		}
		name := names[i%len(names)]
		s := slices.Clone(d.rows)
		got, err := drawnVerbs[name](r, d, s)
		restore()
		what := fmt.Sprintf("case %d, %s of %s", i, name, d.what)
		if need := needs(0); errors.As(err, &need) && !lower && slices.Contains([]string{"sort", "order", "order by rows", "by a comparison"}, name) { // the same call again
			if err = enough(r, d, name, int64(need)); err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			continue
		}
		if err != nil {
			known := errors.Is(err, engine.ErrMemoryLimit) && d.o.Limit > 0 || errors.Is(err, context.Canceled) && d.o.Ctx != nil || errors.Is(err, context.Canceled) && d.o.Ctx != nil || errors.Is(err, errLost) && d.o.Backend == registered ||
				errors.Is(err, engine.ErrTooLong) && name == "order by a comparison" && lower
			if !known || !slices.Equal(places(s), places(d.rows)) {
				t.Fatalf("%s: error %v, or elements were moved", what, err)
			}
			continue
		}
		if want := orderOfRows(d.rows, d.compare); got != nil && !slices.Equal(got, want[:len(got)]) {
			t.Fatalf("%s: wrong order", what)
		}
		if d.stats != nil && n > 0 && (d.stats.Scratch > d.o.Limit && d.o.Limit > 0 || d.stats.Elements != n && name != "selected" && name != "within") {
			t.Fatalf("%s: reported are %d elements, %d bytes", what, d.stats.Elements, d.stats.Scratch)
		}
		if d.stats != nil && n > 0 && (name == "sort" || strings.HasPrefix(name, "order")) {
			checkReport(t, what, d, strings.HasSuffix(name, "comparison"))
		}
		if most := int64(n) * int64(len(d.specs)); name == "sort" && d.calls.Load() > most && !chunkedCall(d) {
			t.Fatalf("%s: %d calls of key functions, at most %d", what, d.calls.Load(), most)
		}
		if t.Failed() {
			t.Fatal(what)
		}
	}
}

// checkReport checks what a sort, or an order, reports of its engine.
func checkReport(t *testing.T, what string, d *drawnCall, compared bool) {
	t.Helper()
	st := d.stats
	if st.Total <= 0 || st.Workers < 1 || st.Workers > int(d.o.Workers) || st.Algorithm == "" || compared != (st.Algorithm == "Comparison") && len(d.rows) > 4096 {
		t.Errorf("%s: %d workers, %s for %v", what, st.Workers, st.Algorithm, st.Total)
	}
	if len(d.rows) > 4096 && !compared && st.CodeBits == 0 {
		t.Errorf("%s: no bits of codes", what)
	}
	name := cpu.Host.Name()
	if d.o.Backend == registered && len(d.rows) > 1 || st.Fallback == nil && st.Engine == registered.Name() && registered.worth.Load() {
		name = registered.Name()
	}
	if st.Engine != name && len(d.rows) > 1 {
		t.Errorf("%s: on %s, want %s", what, st.Engine, name)
	}
	if failed := registered.fails.Load() >= 0; failed && name == registered.Name() || st.Fallback != nil && !failed && (d.o.Limit == 0 || registered.holds == 0) {
		t.Errorf("%s: on %s after %v", what, name, st.Fallback)
	}
}

// enough returns an error if a call fails with the memory that it needs, or if a sort by a comparison needs less.
func enough(r *rand.Rand, d *drawnCall, name string, need int64) error {
	registered.fails.Store(-1)
	registered.holds = 0
	d.o.Ctx, d.o.Limit = nil, need
	s := slices.Clone(d.rows)
	got, err := drawnVerbs[name](r, d, s)
	if want := orderOfRows(d.rows, d.compare); err != nil || !slices.Equal(got, want) {
		return fmt.Errorf("with %d bytes: %w", need, err)
	}
	d.o.Limit--
	if _, err = drawnVerbs[name](r, d, slices.Clone(d.rows)); name == "by a comparison" && !errors.Is(err, engine.ErrMemoryLimit) {
		return fmt.Errorf("%d bytes are enough, of %d that it needs", d.o.Limit, need)
	}
	return nil
}

// chunkedCall reports whether a call may have extracted keys twice: chunks are merged, or an engine failed after keys of later
// columns were read.
func chunkedCall(d *drawnCall) bool {
	return d.stats == nil || d.stats.Algorithm == "Chunks" || d.stats.Fallback != nil && len(d.specs) > 1
}
