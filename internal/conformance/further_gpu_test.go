//go:build cudacpu && linux && amd64

package conformance_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/cudacpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
	"example.com/sorter/perm"
)

// Orders by several columns and by texts, whose ties a device breaks by further codes.

// TestGPUFurther orders rows by drawn columns, with runs by some of them, where the device breaks ties from some number on.
func TestGPUFurther(t *testing.T) {
	r := dist.Rand(79)
	sizes := append(slices.Clone(gpuSizes), 60, 64, 65, 2500)
	for i, least := range []int{1, 2, 300, 3000} {
		t.Run(fmt.Sprint(least), func(t *testing.T) {
			e := onGPU(t, settings.LeastTied(least))
			for j := range testkit.Pick(20, 120) {
				cudacpu.Seed(uint64(100*i + j))
				spec := randomSpec(r)
				if j < len(usualSpecs()) && j%4 == i {
					spec = usualSpecs()[j]
				}
				in := newRecords(sizes[r.IntN(len(sizes))], uint64(j))
				lengthen(in, r)
				m := directions[r.IntN(len(directions))]
				m.name, m.opts = fmt.Sprintf("%s, case %d", m.name, j), append(slices.Clone(m.opts), sorter.On(e))
				checkOrderingRuns(t, spec, in, m)
				want := spec.inOrder(in, m.order)
				checkOrderingOrder(t, m.name, spec, in, want, m)
				checkOrderingSort(t, m.name, spec, in, want, m)
			}
		})
	}
}

// lengthen gives texts of records more in common.
func lengthen(in []record, r *rand.Rand) {
	shared, several := strings.Repeat("\x00/path", r.IntN(9)), 1+r.IntN(3)
	for i := range in {
		x := &in[i]
		before := shared[:len(shared)*(1+r.IntN(several))/several]
		x.Text, x.Blob = before+x.Text, append([]byte(before), x.Blob...)
		if x.Remark != nil {
			*x.Remark = before + *x.Remark
		}
	}
}

// furtherTable is columns of slices by which a device orders alone.
type furtherTable struct {
	name string
	cols func(n int) []sorter.Column[int]
	left bool // some ties are left to the host
}

var furtherTables = []furtherTable{
	{"three int64 of few values", func(n int) (cols []sorter.Column[int]) {
		for k := range 3 {
			v := drawnOf(n, uint64(k), func(r *rand.Rand) int64 { return int64(r.IntN(5)) << 60 })
			cols = append(cols, sorter.AscOf(v))
		}
		return cols
	}, false},
	{"int64 and nullable float64", func(n int) []sorter.Column[int] {
		ids := drawnOf(n, 1, func(r *rand.Rand) int64 { return r.Int64N(2) << 62 })
		floats := drawnOf(n, 2, func(r *rand.Rand) float64 { return float64(r.IntN(n)) })
		valid := drawnOf(n/8+1, 3, func(r *rand.Rand) byte { return byte(r.Uint32() | r.Uint32()) })
		return []sorter.Column[int]{sorter.AscOf(ids), sorter.DescOf(floats).NullsFirstBits(valid, 0)}
	}, false},
	{"int32 of few values and int64", func(n int) []sorter.Column[int] {
		few := drawnOf(n, 1, func(r *rand.Rand) int32 { return r.Int32N(9) })
		return []sorter.Column[int]{sorter.AscOf(few), sorter.AscOf(drawnOf(n, 2, func(r *rand.Rand) int64 { return r.Int64N(100) << 33 }))}
	}, false},
	{"texts", func(n int) []sorter.Column[int] {
		texts := drawnOf(n, 1, func(r *rand.Rand) string { return fmt.Sprint("a long way that all share/", r.IntN(n)) })
		return []sorter.Column[int]{sorter.AscOf(texts)}
	}, false},
	{"long texts", func(n int) []sorter.Column[int] {
		texts := drawnOf(n, 1, func(r *rand.Rand) string {
			return fmt.Sprint(r.IntN(3), strings.Repeat(".", 40+r.IntN(2)), r.IntN(n))
		})
		return []sorter.Column[int]{sorter.AscOf(texts)}
	}, true},
}

func drawnOf[T any](n int, seed uint64, one func(*rand.Rand) T) []T {
	r, v := dist.Rand(seed), make([]T, n)
	for i := range v {
		v[i] = one(r)
	}
	return v
}

// TestGPUBreaksTies finds out who has broken the ties of rows in slices: the device, unless it is kept from it, an algorithm was
// asked for, or texts are long.
func TestGPUBreaksTies(t *testing.T) {
	n := 2*kernels.Tile + 3
	for _, c := range []struct {
		name  string
		least int
		host  bool
		opts  []sorter.Option
	}{
		{"device", 1, false, nil}, {"all ties and more", n + 1, true, nil}, {"never", math.MaxInt, true, nil},
		{"radix", 1, true, []sorter.Option{sorter.Use(sorter.Radix)}}, {"gather", 1, false, []sorter.Option{sorter.Use(sorter.IndexGather)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			opts := append(c.opts, sorter.On(onGPU(t, settings.LeastTied(c.least))))
			for _, table := range furtherTables {
				checkBreaksTies(t, table, n, c.host || table.left, opts)
			}
		})
	}
}

func checkBreaksTies(t *testing.T, table furtherTable, n int, host bool, opts []sorter.Option) {
	t.Helper()
	rows := sorter.RowsBy(n, table.cols(n)...)
	var want, got perm.Runs
	p, err := rows.Order(sorter.On(sorter.CPU()), sorter.MarkRuns(&want))
	if err != nil {
		t.Fatal(err)
	}
	var st sorter.Stats
	order, err := rows.Order(append(opts, sorter.MarkRuns(&got), sorter.Report(&st))...)
	checkSame(t, table.name, err, order, p)
	for i := range n {
		if got.Begins(i) != want.Begins(i) {
			t.Fatalf("%s: a run begins at position %d: %v", table.name, i, got.Begins(i))
		}
	}
	byHost := slices.ContainsFunc(st.Stages, func(s sorter.Stage) bool { return s.Name == "ties" })
	if byHost != host || st.Ties < n*9/10 || st.Shape != "" || !strings.HasPrefix(st.Engine, "cuda") {
		t.Errorf("%s: %+v", table.name, st)
	}
}
