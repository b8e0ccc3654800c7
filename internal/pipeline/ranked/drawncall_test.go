package ranked

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// row is an element with keys of several kinds.
type row struct {
	narrow int32
	wide   int64
	text   string
	few    int64
	null   bool
	place  int32
}

// needs is an error of a memory limit.
type needs int64

func (needs) Error() string        { return "memory" }
func (needs) Is(target error) bool { return target == engine.ErrMemoryLimit }

// report keeps statistics.
type report struct{ call.Stats }

func (r *report) Report(s *call.Stats) { r.Stats = *s }

// drawnCall is rows, columns and options of a call.
type drawnCall struct {
	what    string
	rows    []row
	specs   []column.Spec // of rows as elements
	byRow   []column.Spec // the same keys by row number
	compare func(a, b row) int
	o       call.Options
	stats   *report
	calls   *atomic.Int64
}

// elementsOf returns the column of a key function of rows, which counts its calls.
func elementsOf[K sortkey.Key](calls *atomic.Int64, f func(row) K) column.Spec {
	return column.SpecOf(sortkey.KindOf[K](), column.Func[row, K](func(e row) K { calls.Add(1); return f(e) }))
}

// sliceOf returns the column of keys by row number.
func sliceOf[K sortkey.Key](s []row, f func(row) K) column.Spec {
	keys := make([]K, len(s))
	for i, e := range s {
		keys[i] = f(e)
	}
	return column.SpecOfSlice(sortkey.KindOf[K](), unsafe.Pointer(unsafe.SliceData(keys)), len(keys))
}

func drawRows(r *rand.Rand, n int) []row {
	s, values, step, strays := make([]row, n), 1+r.IntN(1+r.IntN(n+2)), r.IntN(3), r.IntN(3)
	some := r.IntN(4)
	if r.IntN(4) == 0 {
		values = n // in order without ties, if at all
	}
	for i := range s {
		k := r.IntN(values)
		if step == 1 && (strays > 0 || r.IntN(200) > 0) {
			k = i * values / n
		}
		s[i] = row{narrow: int32(k) - 3, few: int64(k%97) - 50, wide: int64(k/3)<<40 - 7, text: fmt.Sprintf("text %06d", k/2), null: r.IntN(4) < some, place: int32(i)}
		if strays == 0 {
			s[i].wide = int64(r.Uint64())
		}
	}
	return s
}

// drawCall draws a call on n rows.
func drawCall(r *rand.Rand, n int) *drawnCall {
	d := &drawnCall{rows: drawRows(r, n), calls: new(atomic.Int64)}
	place := column.NullPlace(1 + r.IntN(2))
	isNull := column.NullFunc[row](func(e row) bool { return e.null })
	rowIsNull := column.NullFunc[int](func(i int) bool { return d.rows[i].null })
	var compares []func(a, b row) int
	for range 1 + r.IntN(3) {
		var e, by column.Spec
		var compare func(a, b row) int
		switch kind := r.IntN(4); kind {
		case 0:
			e, by = elementsOf(d.calls, func(e row) int32 { return e.narrow }), sliceOf(d.rows, func(e row) int32 { return e.narrow })
			compare = func(a, b row) int { return cmp.Compare(a.narrow, b.narrow) }
		case 1:
			e, by = elementsOf(d.calls, func(e row) int64 { return e.wide }), sliceOf(d.rows, func(e row) int64 { return e.wide })
			compare = func(a, b row) int { return cmp.Compare(a.wide, b.wide) }
		case 2:
			e, by = elementsOf(d.calls, func(e row) int64 { return e.few }), sliceOf(d.rows, func(e row) int64 { return e.few })
			compare = func(a, b row) int { return cmp.Compare(a.few, b.few) }
		default:
			e, by = elementsOf(d.calls, func(e row) string { return e.text }), sliceOf(d.rows, func(e row) string { return e.text })
			compare = func(a, b row) int { return strings.Compare(a.text, b.text) }
		}
		if r.IntN(2) == 0 {
			ascending := compare
			e, by, compare = e.Descending(), by.Descending(), func(a, b row) int { return ascending(b, a) }
		}
		d.what += fmt.Sprintf("kind %d, ", e.Kind())
		if r.IntN(2) == 0 {
			e = e.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&isNull)), place)
			by = by.WithNulls(*(*unsafe.Pointer)(unsafe.Pointer(&rowIsNull)), place)
			keys := compare
			d.what += "null, "
			compare = func(a, b row) int {
				switch {
				case a.null && b.null:
					return 0
				case a.null != b.null:
					if a.null == (place == column.NullsFirst) {
						return -1
					}
					return 1
				}
				return keys(a, b)
			}
		}
		d.specs, d.byRow, compares = append(d.specs, e), append(d.byRow, by), append(compares, compare)
	}
	d.compare = func(a, b row) int {
		for _, c := range compares {
			if x := c(a, b); x != 0 {
				return x
			}
		}
		return 0
	}
	d.drawOptions(r, n)
	return d
}

func (d *drawnCall) drawOptions(r *rand.Rand, n int) {
	d.o = call.Options{Stable: true, Workers: int32(1 + r.IntN(3))}
	if r.IntN(2) == 0 {
		d.stats = new(report)
		d.o.Report = d.stats
	}
	switch r.IntN(4) {
	case 0:
		d.o.Limit = 1 << (8 + r.IntN(14))
	case 1:
		d.o.Limit = int64(n) * int64(1+r.IntN(200))
	}
	switch r.IntN(4) {
	case 0:
		d.o.Ctx = context.Background()
	case 1:
		ctx := &testkit.Ending{Context: context.Background()}
		ctx.Left.Store(int64(r.IntN(1 << r.IntN(14))))
		d.o.Ctx = ctx
	}
	registered.fails.Store(-1)
	registered.worth.Store(r.IntN(3) == 0)
	if r.IntN(3) == 0 {
		registered.fails.Store(int64(r.IntN(n + 1)))
	}
	registered.plain, registered.holds = r.IntN(2) == 0, int64(r.IntN(3)*r.IntN(20))
	switch registered.places = r.IntN(2) == 0; r.IntN(6) {
	case 0:
		d.o.Backend = registered
	case 1:
		d.o.Algorithm = []engine.Algorithm{engine.Radix, engine.MergeSort, engine.IndexGather, engine.BucketRadix}[r.IntN(4)]
	case 2:
		d.o.Backend = cpu.Host
	}
	d.what += fmt.Sprintf("%d rows, %d workers, limit %d, backend %v, algorithm %v, engine worth %t, fails %d", n, d.o.Workers, d.o.Limit, d.o.Backend != nil, d.o.Algorithm, registered.worth.Load(), registered.fails.Load())
}

// cols returns the columns of specs.
func cols(specs []column.Spec) []extract.Column { return extract.AppendColumns(nil, specs) }

// order returns the order of rows by a comparison.
func orderOfRows(s []row, compare func(a, b row) int) perm.Perm {
	p := make(perm.Perm, len(s))
	for i := range p {
		p[i] = uint32(i)
	}
	testkit.SortStable(p, func(i, j uint32) int { return compare(s[i], s[j]) })
	return p
}

// places returns the first places of elements.
func places(s []row) perm.Perm {
	p := make(perm.Perm, len(s))
	for i, e := range s {
		p[i] = uint32(e.place)
	}
	return p
}
