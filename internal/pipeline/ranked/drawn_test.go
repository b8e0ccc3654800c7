package ranked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/small"
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

// slowEngine sorts slowly, or fails at some time.
type slowEngine struct {
	worth  atomic.Bool
	fails  atomic.Int64 // positions after which it fails; negative: it does not
	places bool         // emits positions where it might emit codes
	plain  bool         // reads keys in memory, and writes positions, or sorted keys, there
	holds  int64        // bytes that it takes itself, by element
	last   engine.Job
}

var errLost = errors.New("lost")

func (e *slowEngine) Name() string                 { return "slow" }
func (e *slowEngine) Worth(engine.Work) bool       { return e.worth.Load() }
func (e *slowEngine) Runs(a engine.Algorithm) bool { return a != engine.BucketRadix }

func (e *slowEngine) Order(_ context.Context, job *engine.Job) error {
	e.last = *job
	if job.Room != nil {
		if err := job.Room(e.holds * int64(job.N)); err != nil {
			return err
		}
	}
	if e.fails.Load() >= 0 { // its marks, and its name of a device, are of no use then
		job.Trace.Device, job.Trace.Rounds = "lost", 9
		for i := range job.Ties {
			job.Ties[i] |= 1 << (i % 32)
		}
	}
	codes, moves := make([]uint64, job.N), job.Elements
	plain := job.Plain != nil && e.plain && moves == nil
	var all []byte
	if moves != nil {
		all = make([]byte, job.N*moves.Size)
	}
	err := job.Loop.Run("pull", job.N, engine.Block, func(_, lo, hi int) {
		if plain {
			for i := lo; i < hi; i++ {
				codes[i] = job.Plain.Code.Of(plainBits(job, i), plainWidth(job))
			}
			job.Plain.Pass(lo, hi)
		} else if job.Bits > 32 {
			job.Codes64(codes[lo:hi], lo)
		} else {
			narrow := make([]uint32, hi-lo)
			job.Codes32(narrow, lo)
			for i, c := range narrow {
				codes[lo+i] = uint64(c)
			}
		}
		if moves != nil {
			moves.Pull(all[lo*moves.Size:hi*moves.Size], lo)
		}
	})
	if err = cmp.Or(err, job.Loop.Err()); err != nil { // once a context has ended, codes are missing
		return err
	}
	order := make([]uint32, job.N)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(codes[a], codes[b]) })
	sorted := make([]uint64, job.N)
	for i, at := range order {
		sorted[i] = codes[at]
	}
	if job.Ties != nil {
		engine.MarkTies(job.Ties, 0, false, sorted)
	}
	switch {
	case moves != nil:
		return e.move(job, order, all)
	case plain && job.Index != nil:
		copy(job.Index, order[:e.done(job.N)])
		return e.failure()
	case plain && job.Plain.Overwrite != nil:
		e.overwrite(job, order)
		return e.failure()
	}
	for lo := 0; lo < job.N; lo += 777 {
		hi := min(lo+777, job.N)
		if fails := e.fails.Load(); fails >= 0 && int64(lo) >= fails {
			return errLost
		}
		switch {
		case e.places || job.EmitCodes32 == nil && job.EmitCodes64 == nil:
			job.Emit(lo, order[lo:hi])
		case job.Bits > 32:
			job.EmitCodes64(lo, sorted[lo:hi])
		default:
			narrow := make([]uint32, hi-lo)
			for i, c := range sorted[lo:hi] {
				narrow[i] = uint32(c)
			}
			job.EmitCodes32(lo, narrow)
		}
	}
	return e.failure()
}

// reset makes it an engine that is worth no work, and does not fail.
func (e *slowEngine) reset() {
	e.worth.Store(false)
	e.fails.Store(-1)
	e.places, e.plain, e.holds = false, false, 0
}

// failure is the error of an engine that has failed.
func (e *slowEngine) failure() error {
	if e.fails.Load() >= 0 {
		return errLost
	}
	return nil
}

// done is the number of n elements after which the engine fails.
func (e *slowEngine) done(n int) int {
	if fails := e.fails.Load(); fails >= 0 {
		return int(min(fails, int64(n)))
	}
	return n
}

// plainWidth is the width in bits of the keys of a job in memory.
func plainWidth(job *engine.Job) int {
	if job.Bits > 32 {
		return 64
	}
	return 32
}

// plainBits returns the bits of a key of a job.
func plainBits(job *engine.Job, i int) uint64 {
	if job.Bits > 32 {
		return unsafe.Slice((*uint64)(job.Plain.At), job.N)[i]
	}
	return uint64(unsafe.Slice((*uint32)(job.Plain.At), job.N)[i])
}

// overwrite writes sorted keys where they were.
func (e *slowEngine) overwrite(job *engine.Job, order []uint32) {
	sorted := make([]uint64, job.N)
	for i, at := range order {
		sorted[i] = plainBits(job, int(at))
	}
	job.Commit()
	job.Plain.Overwrite()
	for i, key := range sorted[:e.done(job.N)] {
		if job.Bits > 32 {
			unsafe.Slice((*uint64)(job.Plain.At), job.N)[i] = key
		} else {
			unsafe.Slice((*uint32)(job.Plain.At), job.N)[i] = uint32(key)
		}
	}
}

// move emits positions of pieces with ties, and then moves the elements of the others.
func (e *slowEngine) move(job *engine.Job, order []uint32, all []byte) error {
	var free [][2]int
	for lo := 0; lo < job.N; lo += 777 {
		hi, tied := min(lo+777, job.N), lo/777%3 == 0
		for i := lo; i <= hi && i < job.N && job.Ties != nil; i++ {
			tied = tied || engine.Ties(job.Ties).Tied(i)
		}
		if tied {
			job.Emit(lo, order[lo:hi])
		} else {
			free = append(free, [2]int{lo, hi})
		}
	}
	if err := job.Elements.Settle(); err != nil {
		return err
	}
	job.Commit()
	for i, p := range free {
		if fails := e.fails.Load(); fails >= 0 && int64(i) >= fails%3 {
			return errLost
		}
		var piece []byte
		for _, at := range order[p[0]:p[1]] {
			piece = append(piece, all[int(at)*job.Elements.Size:][:job.Elements.Size]...)
		}
		job.Elements.Push(p[0], piece)
	}
	return e.failure()
}

// registered is an engine that is worth no work, unless a test says so.
var registered = func() *slowEngine {
	cpu.LinkApply()
	papers.Link()
	e := &slowEngine{}
	e.fails.Store(-1)
	engine.Register(e)
	return e
}()

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
	slices.SortStableFunc(p, func(i, j uint32) int { return compare(s[i], s[j]) })
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

// drawnVerbs do a call and return the rows that come first, of an order that may have all of them.
var drawnVerbs = map[string]func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error){
	"sort": func(_ *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		err := pipeline.SortRows(cols(d.specs), cpu.PayloadOf(s), d.o)
		return places(s), err
	},
	"order": func(_ *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		defer pipeline.LowerLimit(max(1, len(s)-1))() // not by the small path; an order has no other use of the limit
		var by small.Ordering
		by.Init(d.specs)
		return pipeline.OrderByColumns(&by, cpu.PayloadOf(s), &d.o)
	},
	"order by rows": func(_ *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		return pipeline.OrderRows(cols(d.byRow), len(s), &d.o)
	},
	"order with runs": func(_ *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		var all, first perm.Runs
		d.o.Marks = &call.Marks{Columns: call.AllColumns, Runs: &all, Next: &call.Marks{Columns: 0, Runs: &first}}
		p, err := pipeline.OrderRows(cols(d.byRow), len(s), &d.o)
		for lo, hi := range all.All() {
			if err == nil && (lo > 0 && d.compare(s[p[lo-1]], s[p[lo]]) == 0 || d.compare(s[p[lo]], s[p[hi-1]]) != 0) {
				return nil, fmt.Errorf("a run from %d to %d", lo, hi)
			}
		}
		return p, err
	},
	"selected": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		if len(s) == 0 {
			return nil, nil
		}
		p := make([]uint32, 0, len(s))
		for _, i := range r.Perm(len(s))[:1+r.IntN(len(s))] {
			p = append(p, uint32(i))
		}
		before, want := slices.Clone(p), slices.Clone(p)
		slices.SortStableFunc(want, func(i, j uint32) int { return d.compare(s[i], s[j]) })
		switch err := pipeline.OrderSelected(cols(d.byRow), p, len(s), &d.o); {
		case err != nil && !slices.Equal(p, before):
			return nil, errors.New("rows were moved before an error")
		case err == nil && !slices.Equal(p, want):
			return nil, errors.New("wrong order of selected rows")
		default:
			return nil, err
		}
	},
	"first": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		return FirstRows(cols(d.byRow), len(s), r.IntN(len(s)+2)/(1+r.IntN(40)), &d.o)
	},
	"first to the front": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		k := r.IntN(len(s)+2) / (1 + r.IntN(40))
		err := topRows(cols(d.specs), cpu.PayloadOf(s), k, d.o, FrontOf(s))
		return places(s[:min(k, len(s))]), err
	},
	"by a comparison": func(_ *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		d.o.Backend, d.o.Algorithm = nil, engine.Auto
		err := pipeline.SortFunc(s, d.compare, &d.o)
		return places(s), err
	},
	"order by a comparison": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		d.o.Backend, d.o.Algorithm = nil, engine.Auto
		var all, whole perm.Runs
		marked := r.IntN(2) == 0
		if marked {
			d.o.Marks = &call.Marks{Columns: 1, Runs: &all, Next: &call.Marks{Columns: 0, Runs: &whole}}
		}
		p, err := pipeline.OrderFunc(s, d.compare, &d.o)
		if err == nil && marked && len(s) > 0 {
			at := 0
			for lo, hi := range all.All() {
				if lo != at || lo > 0 && d.compare(s[p[lo-1]], s[p[lo]]) == 0 || d.compare(s[p[lo]], s[p[hi-1]]) != 0 {
					return nil, fmt.Errorf("a run from %d to %d", lo, hi)
				}
				at = hi
			}
			if at != len(s) || whole.Len() != 1 {
				return nil, fmt.Errorf("runs of %d rows, and %d of all", at, whole.Len())
			}
		}
		return p, err
	},
	"ranks": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		if len(s) == 0 {
			return nil, nil
		}
		ks := []int{r.IntN(len(s)), 0, len(s) - 1}[:1+r.IntN(3)]
		rows, err := NthRows(cols(d.byRow), len(s), ks, &d.o)
		want := orderOfRows(s, d.compare)
		for i, k := range ks {
			if err == nil && rows[i] != want[k] {
				return nil, fmt.Errorf("row %d of rank %d is %d", want[k], k, rows[i])
			}
		}
		return nil, err
	},
	"within": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		offsets := []int{0}
		for at := 0; at < len(s); at = min(len(s), at+r.IntN(1+r.IntN(len(s)+1))) {
			if offsets = append(offsets, at); len(offsets) > 1000 {
				break
			}
		}
		offsets = append(offsets, len(s))
		want := slices.Clone(s)
		for i := 1; i < len(offsets); i++ {
			slices.SortStableFunc(want[offsets[i-1]:offsets[i]], d.compare)
		}
		d.o.Backend, d.o.Algorithm = nil, engine.Auto
		p, err := pipeline.OrderWithin(cols(d.byRow), len(s), offsets, &d.o)
		if err == nil && !slices.Equal(p, places(want)) {
			return nil, errors.New("rows within segments")
		}
		before := places(s)
		if err = pipeline.SortWithin(cols(d.specs), cpu.PayloadOf(s), offsets, &d.o); err == nil && !slices.Equal(places(s), places(want)) || err != nil && !slices.Equal(places(s), before) {
			return nil, errors.New("elements within segments")
		}
		copy(s, d.rows)
		return nil, err
	},
	"merge": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		d.o.Backend, d.o.Algorithm = nil, engine.Auto
		var runs []cpu.Payload
		most := 1 + r.IntN(1+r.IntN(len(s)+1))
		if r.IntN(4) == 0 {
			most = 1 // more runs than are merged
		}
		for lo := 0; lo < len(s); {
			hi := min(len(s), lo+1+r.IntN(most))
			slices.SortStableFunc(s[lo:hi], d.compare)
			runs, lo = append(runs, cpu.PayloadOf(s[lo:hi])), hi
		}
		if len(runs) == 0 {
			return nil, nil
		}
		// Ties are in the sequence of runs, and of places within: that of the input.
		dst := make([]row, len(s))
		if len(runs) <= ranges.MostRuns && r.IntN(2) == 0 {
			if at := r.IntN(len(s)); r.IntN(2) == 0 && at > 0 && d.compare(s[at-1], s[at]) > 0 {
				runs = []cpu.Payload{cpu.PayloadOf(s[:at-1]), cpu.PayloadOf(s[at-1:])}[min(1, at-1)^1:]
				err := pipeline.MergeChecked(cols(d.specs), cpu.PayloadOf(dst), runs, ranges.TwoOf[row]{}, &d.o)
				switch unsorted := new(pipeline.Unsorted); {
				case errors.As(err, &unsorted) && runs[unsorted.Run].Len() > 1 && *unsorted == firstUnsorted(d, runs):
				case d.o.Limit > 0 && errors.Is(err, engine.ErrMemoryLimit), d.o.Ctx != nil && errors.Is(err, context.Canceled):
				default:
					return nil, fmt.Errorf("runs that are not sorted: %w, want %v", err, firstUnsorted(d, runs))
				}
				copy(s, d.rows)
				return nil, nil
			}
			err := pipeline.MergeChecked(cols(d.specs), cpu.PayloadOf(dst), runs, ranges.TwoOf[row]{}, &d.o)
			copy(s, d.rows)
			return places(dst), err
		}
		err := pipeline.Merge(cols(d.specs), cpu.PayloadOf(dst), runs, ranges.TwoOf[row]{}, &d.o)
		copy(s, d.rows)
		return places(dst), err
	},
	"first by a key": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		k := r.IntN(len(s) + 2)
		d.compare = func(a, b row) int { return cmp.Compare(a.narrow, b.narrow) }
		get := column.Func[row, int32](func(e row) int32 { return e.narrow })
		err := TopK(sortkey.Int32, cpu.PayloadOf(s), k, get, &d.o, FrontOf(s))
		return places(s[:min(k, len(s))]), err
	},
	"first of partitions": func(r *rand.Rand, d *drawnCall, s []row) (perm.Perm, error) {
		k := 1 + r.IntN(5)
		if d.o.Ctx != nil {
			d.o.Ctx = nil
		}
		rows, parts, err := FirstOfPartitions(cols(d.byRow)[:1], cols(d.byRow)[1:], len(s), k, &d.o)
		if err != nil || len(s) == 0 {
			return nil, err
		}
		var want perm.Perm
		lead, n := -1, 0
		order := orderOfRows(s, d.compare)
		one := cols(d.byRow)[:1]
		by, err := pipeline.OrderRows(one, len(s), &call.Options{Marks: &call.Marks{Columns: 1, Runs: &parts}})
		group := make([]int, len(s))
		for lo, hi := range parts.All() {
			for _, x := range by[lo:hi] {
				group[x] = lo
			}
		}
		for _, x := range order {
			if group[x] != lead {
				lead, n = group[x], 0
			}
			if n++; n <= k {
				want = append(want, x)
			}
		}
		if !slices.Equal(rows, want) {
			return nil, fmt.Errorf("%d first rows of partitions, want %d", len(rows), len(want))
		}
		return nil, err
	},
}

// firstUnsorted is the first element of runs that comes before the one before it.
func firstUnsorted(d *drawnCall, runs []cpu.Payload) pipeline.Unsorted {
	for i, run := range runs {
		s := cpu.Slice[row](run)
		for at := 1; at < len(s); at++ {
			if d.compare(s[at-1], s[at]) > 0 {
				return pipeline.Unsorted{Run: i, At: at}
			}
		}
	}
	return pipeline.Unsorted{}
}

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
		if took > planned && planned > 0 { // the sample by which runs are cut into parts has no plan
			t.Errorf("%s took %d bytes, planned were %d", movement, took, planned)
		}
	})()
	defer registered.reset()
	before := engine.NewMemoryError
	defer func() { engine.NewMemoryError = before }()
	engine.NewMemoryError = func(_, need int64, _ int) error { return needs(need) }
	r := dist.Rand(seed)
	for i := range testkit.Pick(50*len(names), 2000) {
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
		sampled := lower && name == "merge" // runs are cut into parts by a sample that no plan has
		if d.stats != nil && n > 0 && (d.stats.Scratch > d.o.Limit && d.o.Limit > 0 && !sampled || d.stats.Elements != n && name != "selected" && name != "within") {
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
	if st.Engine != name && len(d.rows) > 1 && st.Algorithm != "Chunks" { // a chunk may be of one row
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

// TestDrawnKeys sorts keys and pairs, and takes keys of some ranks.
func TestDrawnKeys(t *testing.T) {
	defer registered.reset()
	r := dist.Rand(65)
	odd := []float64{math.NaN(), math.Copysign(0, -1), 0, math.Inf(1), -1, 1}
	for i := range testkit.Pick(40, 333) {
		if testkit.ThinnedByRace(i) {
			continue
		}
		n := []int{1, 2, 100, 4096, 4097, 5000, 9000}[r.IntN(7)]
		few := 1 + r.IntN(1+r.IntN(n))
		draw := func() uint64 { return r.Uint64() }
		if r.IntN(2) == 0 {
			draw = func() uint64 { return uint64(r.IntN(few)) }
		}
		drawKeys(t, r, n, func() int16 { return int16(draw()) }, func(k int16) uint64 { return uint64(k) })
		drawKeys(t, r, n, func() int32 { return int32(draw()) }, func(k int32) uint64 { return uint64(k) })
		drawKeys(t, r, n, draw, func(k uint64) uint64 { return k })
		drawKeys(t, r, n, func() float32 { return float32(odd[r.IntN(6)]) + float32(draw()) }, func(k float32) uint64 { return uint64(math.Float32bits(k)) })
		drawKeys(t, r, n, func() float64 { return odd[draw()%6] }, math.Float64bits)
		drawKeys(t, r, n, func() string { return fmt.Sprintf("key %05d", draw()%99_999) }, func(k string) uint64 { return uint64(len(k)) })
	}
}

func drawKeys[K sortkey.Key](t *testing.T, r *rand.Rand, n int, draw func() K, bits func(K) uint64) {
	keys, values := make([]K, n), make([]uint32, n)
	for i := range keys {
		keys[i], values[i] = draw(), uint32(i)
	}
	if r.IntN(3) == 0 {
		slices.SortFunc(keys, sortkey.Comparator[K](sortkey.Order{}))
		for range r.IntN(3) * r.IntN(1+n/100) { // nearly in order
			i, j := r.IntN(n), r.IntN(n)
			keys[i], keys[j] = keys[j], keys[i]
		}
	}
	d := &drawnCall{}
	if d.drawOptions(r, n); d.o.Algorithm == engine.BucketRadix && d.o.Backend != nil {
		d.o.Backend = nil
	}
	d.o.Stable, d.o.Descending = r.IntN(2) == 0, r.IntN(2) == 0
	restore := func() {}
	if r.IntN(3) == 0 {
		restore = pipeline.LowerLimit(1 + r.IntN(n+10))
	}
	defer restore()
	compare := sortkey.Comparator[K](d.o.Order())
	want := make([]uint32, n)
	copy(want, values)
	slices.SortStableFunc(want, func(i, j uint32) int { return compare(keys[i], keys[j]) })
	got := slices.Clone(keys)
	what := fmt.Sprintf("%T, descending %t, stable %t, %s", keys, d.o.Descending, d.o.Stable, d.what)
	failed := func(err error) bool {
		known := errors.Is(err, engine.ErrMemoryLimit) && d.o.Limit > 0 || errors.Is(err, context.Canceled) && d.o.Ctx != nil || errors.Is(err, errLost) && d.o.Backend == registered
		if err != nil && !known {
			t.Fatalf("%s: %v", what, err)
		}
		return err != nil
	}
	switch r.IntN(4) {
	case 0:
		failed := failed(pipeline.SortKeys(got, &d.o))
		for i := range got {
			at := want[i]
			if failed {
				at = uint32(i)
			}
			if compare(got[i], keys[at]) != 0 || (failed || d.o.Stable) && bits(got[i]) != bits(keys[at]) {
				t.Fatalf("%s: key %d, failed %t", what, i, failed)
			}
		}
	case 1:
		d.o.Stable = true
		failed := failed(pipeline.SortPairs(got, values, &d.o))
		for i := range got {
			at := want[i]
			if failed {
				at = uint32(i)
			}
			if values[i] != at || bits(got[i]) != bits(keys[at]) {
				t.Fatalf("%s: pair %d, failed %t", what, i, failed)
			}
		}
	case 2:
		k := r.IntN(n + 2)
		if !failed(TopK(sortkey.KindOf[K](), cpu.PayloadOf(got), k, nil, &d.o, FrontOf(got))) {
			for i := range min(k, n) {
				if compare(got[i], keys[want[i]]) != 0 {
					t.Fatalf("%s: key %d of the first %d", what, i, k)
				}
			}
		}
	default:
		if d.o.Descending {
			return
		}
		ks := []int{r.IntN(n), 0, n - 1, r.IntN(n)}[:1+r.IntN(4)]
		at := slices.Clone(ks)
		held, err := KeysAt(got, at, &d.o)
		for i, k := range ks {
			if !failed(err) && len(held) == n && compare(held[at[i]], keys[want[k]]) != 0 {
				t.Fatalf("%s: key of rank %d", what, k)
			}
		}
	}
}
