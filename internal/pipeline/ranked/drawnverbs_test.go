package ranked

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

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
		testkit.SortStable(want, func(i, j uint32) int { return d.compare(s[i], s[j]) })
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
			testkit.SortStable(want[offsets[i-1]:offsets[i]], d.compare)
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
			testkit.SortStable(s[lo:hi], d.compare)
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
