package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/internal/ties"
)

// row has keys for all columns. The first of some columns decides seldom.
type row struct {
	part  uint32
	small uint32
	wide  uint64
	text  string
}

// drawnRows are rows in an order by some columns.
type drawnRows struct {
	rows    []row
	columns []extract.Column
	compare []func(a, b *row) int
	reads   atomic.Int64 // calls of key functions
}

// addColumn adds a column, descending if desc is set.
func addColumn[K sortkey.Key](d *drawnRows, desc bool, key func(x row) K, compare func(a, b *row) int) {
	c := extract.ColumnOf[K](column.Func[row, K](func(x row) K {
		d.reads.Add(1)
		return key(x)
	}))
	c.Order.Desc = desc
	d.columns = append(d.columns, c)
	if desc {
		ascending := compare
		compare = func(a, b *row) int { return ascending(b, a) }
	}
	d.compare = append(d.compare, compare)
}

// drawRows draws n rows and columns of them. Keys have few values or many.
func drawRows(r *rand.Rand, n int) *drawnRows {
	d := &drawnRows{rows: make([]row, n)}
	values := func() func() int {
		most := 1 + r.IntN([]int{1, 4, 1 + n/4, 1 << 20}[r.IntN(4)])
		switch rises := r.IntN(6); rises {
		case 0, 1: // rising or falling
			next, up := 0, 1-2*rises
			return func() int { next++; return 1<<20 + up*next*most/n }
		}
		return func() int { return r.IntN(most) }
	}
	part, small, wide, text, shared := values(), values(), values(), values(), strings.Repeat("s", r.IntN(12))
	for i := range d.rows {
		d.rows[i] = row{uint32(part()), uint32(small()), uint64(wide()) << 42, fmt.Sprintf("%s%06d", shared, text())}
	}
	for range 1 + r.IntN(3) {
		desc := r.IntN(2) == 0
		switch r.IntN(3) {
		case 0:
			addColumn(d, desc, func(x row) uint32 { return x.small }, func(a, b *row) int { return cmp.Compare(a.small, b.small) })
		case 1:
			addColumn(d, desc, func(x row) uint64 { return x.wide }, func(a, b *row) int { return cmp.Compare(a.wide, b.wide) })
		default:
			addColumn(d, desc, func(x row) string { return x.text }, func(a, b *row) int { return strings.Compare(a.text, b.text) })
		}
	}
	return d
}

func (d *drawnRows) words() []extract.Word { return extract.Words(d.columns, sortkey.Order{}) }

func (d *drawnRows) input(env *engine.Env) extract.Input {
	input := extract.InputOf(cpu.PayloadOf(d.rows))
	input.Arena = &env.Arena
	return input
}

// bytes bounds the memory in which n candidates are compared beyond their first codes.
func (d *drawnRows) bytes(words []extract.Word, workers, n int) int64 {
	if extract.Decisive(words) {
		return ties.WorkBytes(workers)
	}
	size := cpu.PayloadOf(d.rows).Size()
	return extract.EarlyBytes(len(d.rows), words) + extract.FullBytes(len(d.rows), words) +
		ties.Bytes(workers, size, words, n) + ties.PairsBytes(workers, words, n) + ties.LargeTieBytes(words, n)
}

// order returns the numbers of the rows in order.
func (d *drawnRows) order() []uint32 {
	order := make([]uint32, len(d.rows))
	for i := range order {
		order[i] = uint32(i)
	}
	testkit.SortStable(order, func(i, j uint32) int {
		for _, compare := range d.compare {
			if c := compare(&d.rows[i], &d.rows[j]); c != 0 {
				return c
			}
		}
		return 0
	})
	return order
}

// newEnv returns an environment of up to three workers, which a context cancels in a part of all cases.
func newEnv(t *testing.T, r *rand.Rand, cancels bool) (*engine.Env, *testkit.Ending) {
	env, ctx := new(engine.Env), &testkit.Ending{Context: t.Context()}
	env.Loop.Workers = r.IntN(4)
	ctx.Left.Store(1 << 60)
	if cancels {
		ctx.Left.Store(r.Int64N(1 + r.Int64N(1<<r.IntN(9))))
		env.Loop.Ctx = ctx
	}
	return env, ctx
}

// stopped reports whether a call was cancelled, and fails unless it has reported that.
func stopped(t *testing.T, ctx *testkit.Ending, name string, err error) bool {
	t.Helper()
	cancelled := ctx.Left.Load() < 0
	if cancelled != errors.Is(err, context.Canceled) || !cancelled && err != nil {
		t.Fatalf("%s: cancelled %t, error %v", name, cancelled, err)
	}
	return cancelled
}

// lengths are those at which blocks, samples and candidates begin to matter, and one more and less.
var lengths = []int{1, 2, 15, 16, 17, 200, compared - 1, compared, compared + 1, 511, 512, 513, 1000, engine.Block - 1, engine.Block, engine.Block + 1, 5*engine.Block + 3, 40_000}

// TestDrawnFirst selects the first rows by whole keys. It reads each key once, and takes no more memory than was said.
func TestDrawnFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for i := range testkit.Pick(700, 2333) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := lengths[r.IntN(len(lengths))]
		if n > 10_000 && i%8 != 0 {
			n = 3000
		}
		d, k := drawRows(r, n), 1+r.IntN(1+r.IntN(n))
		if k = min(k, n); r.IntN(8) == 0 {
			k = n
		}
		cancels := r.IntN(4) == 0
		env, ctx := newEnv(t, r, cancels)
		words := d.words()
		name := fmt.Sprintf("case %d: the first %d of %d rows by %d columns, %d words, %d workers", i, k, n, len(d.columns), len(words), env.Loop.Workers)
		got, err := First(env, d.input(env), words, k)
		if stopped(t, ctx, name, err) {
			env.Arena.Release(1)
			continue
		}
		if want := d.order()[:k]; !slices.Equal(got, want) {
			t.Fatalf("%s: rows %d, want %d", name, got, want)
		}
		if most := FirstBytes(n, k, env.Loop.Workers, extract.CodeSize(words)) + d.bytes(words, env.Loop.Workers, k); env.Arena.Peak() > most {
			t.Fatalf("%s: %d bytes, of %d", name, env.Arena.Peak(), most)
		}
		if reads := d.reads.Load(); reads > int64(n*len(d.columns)) || len(words) == 1 && reads < int64(n*len(d.columns)) {
			t.Fatalf("%s: %d keys are read", name, reads)
		}
		env.Arena.Release(1)
	}
}

// TestDrawnRanks selects rows of ranks by whole keys.
func TestDrawnRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	selected := 0
	for i := range testkit.Pick(300, 1000) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := lengths[r.IntN(len(lengths))]
		if n > 10_000 && i%8 != 0 {
			n = 3000
		}
		if i%60 == 0 {
			n = fewFound - 1 + r.IntN(3)*r.IntN(fewFound)
		}
		d := drawRows(r, n)
		ks := make([]int, 1+r.IntN([]int{1, 3, 20, MostRanks}[r.IntN(4)]))
		near := r.IntN(n)
		for j := range ks {
			if ks[j] = r.IntN(n); r.IntN(2) == 0 {
				ks[j] = min(n-1, near+r.IntN(5))
			}
		}
		any := r.IntN(2) == 0
		env, ctx := newEnv(t, r, r.IntN(4) == 0)
		words := d.words()
		words[0].Open(d.input(env), env)
		name := fmt.Sprintf("case %d: %d ranks of %d rows by %d columns, any %t, %d workers", i, len(ks), n, len(d.columns), any, env.Loop.Workers)
		rows, crowded, err := slices.Clone(ks), false, error(nil)
		if words[0].Bits <= 32 {
			crowded, err = ranked(env, d, words, rows, extract.Source32(d.input(env), &words[0]), any)
		} else {
			crowded, err = ranked(env, d, words, rows, extract.Source64(d.input(env), &words[0]), any)
		}
		if stopped(t, ctx, name, err) {
			env.Arena.Release(1)
			continue
		}
		order := d.order()
		if crowded {
			if n <= fewFound && len(ks) <= mostPicked {
				t.Fatalf("%s: not selected", name)
			}
			if !slices.Equal(rows, ks) {
				t.Fatalf("%s: not selected, but ranks were changed", name)
			}
			env.Arena.Release(1)
			continue
		}
		selected++
		for j, k := range ks {
			tied := true
			for _, compare := range d.compare {
				tied = tied && compare(&d.rows[rows[j]], &d.rows[order[k]]) == 0
			}
			if rows[j] != int(order[k]) && !(any && tied) {
				t.Fatalf("%s: row %d at rank %d, want %d", name, rows[j], k, order[k])
			}
		}
		if reads := d.reads.Load(); reads > int64(n*len(d.columns)) {
			t.Fatalf("%s: %d keys are read", name, reads)
		}
		codes, candidates := RanksBytes(n, len(ks), env.Loop.Workers, extract.CodeSize(words))
		if most := codes + candidates + d.bytes(words, env.Loop.Workers, n); env.Arena.Peak() > most {
			t.Fatalf("%s: %d bytes, of %d", name, env.Arena.Peak(), most)
		}
		env.Arena.Release(1)
	}
	if selected < 100 && !testkit.ThinnedByRace(1) {
		t.Errorf("%d selections", selected)
	}
}

func ranked[C sortkey.Code](env *engine.Env, d *drawnRows, words []extract.Word, ks []int, src cpu.Source[C], any bool) (crowded bool, err error) {
	codes, err := Ranks(env, d.input(env), words, ks, src, any)
	return codes != nil, err
}
