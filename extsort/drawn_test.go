package extsort_test

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

var drawnSorts = flag.Int("drawn", 0, "sorts that TestDrawnSorts draws; 0: as many as fit its time")

// TestDrawnSorts draws whole sorts: elements, how they are appended, by whom and in how many lives of the process, options
// and the verb of the output. It compares each with a stable sort of what was appended.
func TestDrawnSorts(t *testing.T) {
	n := cmp.Or(*drawnSorts, testkit.Pick(30, 120))
	for seed := range n {
		if testkit.ThinnedTo(3, seed) {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(seed), 155))
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			switch r.IntN(4) {
			case 0:
				drawnSort(t, r, drawnRows(r))
			case 1:
				drawnSort(t, r, drawnTexts(r))
			case 2:
				drawnSort(t, r, drawnFloats(r))
			case 3:
				drawnSort(t, r, drawnNamed(r))
			}
		})
	}
}

// drawnKind is elements of a type and their order.
type drawnKind[E any] struct {
	name    string
	bytes   int // of an element, about
	draw    func(at int) E
	order   sorter.Ordering[E]
	compare func(a, b E) int
	equal   func(a, b E) bool
	codec   extsort.Codec[E] // nil: of a type without pointers
}

// spread is the number of keys: all tie, few, about as many as elements, or any.
func spread(r *rand.Rand) uint64 { return []uint64{1, 3, 500, 50_000, math.MaxUint64}[r.IntN(5)] }

// shaped returns the keys of elements of some shape.
func shaped(r *rand.Rand) func(at int) uint64 {
	keys := spread(r)
	switch r.IntN(5) {
	case 0:
		return func(at int) uint64 { return uint64(at) % keys }
	case 1:
		return func(at int) uint64 { return uint64(-at) % keys }
	case 2: // long runs
		return func(at int) uint64 { return uint64(at/3000*7919+at) % keys }
	}
	return func(int) uint64 { return r.Uint64N(keys) }
}

func drawnRows(r *rand.Rand) drawnKind[row] {
	key := shaped(r)
	return drawnKind[row]{
		name: "rows", bytes: 24, order: byKey(), compare: func(a, b row) int { return cmp.Compare(a.Key, b.Key) },
		draw: func(at int) row { return row{Key: key(at), At: uint64(at)} }, equal: func(a, b row) bool { return a == b },
	}
}

func drawnTexts(r *rand.Rand) drawnKind[string] {
	key, length := shaped(r), 1+r.IntN(1<<r.IntN(12))
	head := strings.Repeat("x", r.IntN(20))
	kind := drawnKind[string]{
		name: "texts", bytes: length/2 + 20, order: byText(), compare: cmp.Compare[string], equal: func(a, b string) bool { return a == b },
		codec: extsort.Strings(),
	}
	pad := strings.Repeat("y", length)
	kind.draw = func(at int) string { return head + fmt.Sprint(key(at)) + pad[:r.IntN(length)] }
	if r.IntN(2) == 0 { // by the first bytes alone: texts that differ tie
		first := func(s string) string { return s[:min(len(s), len(head)+2)] }
		kind.order, kind.compare = sorter.By(sorter.Desc(first)), func(a, b string) int { return cmp.Compare(first(b), first(a)) }
	}
	return kind
}

type measured struct {
	Value float64
	At    int32
	Few   int8
}

func drawnFloats(r *rand.Rand) drawnKind[measured] {
	key, few := shaped(r), 1+r.Int32N(100)
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0}
	return drawnKind[measured]{
		name: "floats", bytes: 16, order: sorter.By(sorter.Desc(func(e measured) int8 { return e.Few }), sorter.Asc(func(e measured) float64 { return e.Value })),
		compare: func(a, b measured) int { return cmp.Or(cmp.Compare(b.Few, a.Few), cmp.Compare(a.Value, b.Value)) },
		draw: func(at int) measured {
			e := measured{float64(key(at)) / 8, int32(at), int8(r.Int32N(few))}
			if r.IntN(30) == 0 {
				e.Value = special[r.IntN(len(special))]
			}
			return e
		},
		equal: func(a, b measured) bool {
			return a.At == b.At && a.Few == b.Few && math.Float64bits(a.Value) == math.Float64bits(b.Value)
		},
	}
}

type named struct {
	Name string
	Rank *int64
	At   int
}

func drawnNamed(r *rand.Rand) drawnKind[named] {
	key := shaped(r)
	codec, err := extsort.Struct[named]()
	if err != nil {
		panic(err)
	}
	rank := func(e named) int64 { return *e.Rank }
	null := func(e named) bool { return e.Rank == nil }
	last := r.IntN(2) == 0
	by := sorter.Asc(rank).NullsFirst(null)
	if last {
		by = sorter.Asc(rank).NullsLast(null)
	}
	return drawnKind[named]{
		name: "named", bytes: 60, order: sorter.By(sorter.Asc(func(e named) string { return e.Name }), by), codec: codec,
		compare: func(a, b named) int {
			if c := cmp.Compare(a.Name, b.Name); c != 0 || null(a) && null(b) {
				return c
			}
			switch {
			case null(a) && last, null(b) && !last:
				return 1
			case null(a), null(b):
				return -1
			}
			return cmp.Compare(*a.Rank, *b.Rank)
		},
		draw: func(at int) named {
			e := named{Name: fmt.Sprint("name ", key(at)%1000), At: at}
			if r.IntN(3) > 0 {
				rank := int64(key(at) >> 3)
				e.Rank = &rank
			}
			return e
		},
		equal: func(a, b named) bool {
			return a.Name == b.Name && a.At == b.At && (a.Rank == nil) == (b.Rank == nil) && (a.Rank == nil || *a.Rank == *b.Rank)
		},
	}
}

// drawnLife is a sort whose input comes by lanes: the first is that of Append, the others of appenders.
type drawnLife[E any] struct {
	kind  drawnKind[E]
	opts  []extsort.Option
	dir   string // of kept runs, or none
	lanes [][]E
	done  []int // elements of each lane that are appended
	kept  bool  // there are runs of a life before
	said  string
}

func drawnSort[E any](t *testing.T, r *rand.Rand, kind drawnKind[E]) {
	var st extsort.Stats
	limit := int64(256<<10) << r.IntN(5)
	n := r.IntN(1 + int(limit)*(1+r.IntN(4))/kind.bytes)
	workers := r.IntN(6)
	d := &drawnLife[E]{kind: kind, opts: []extsort.Option{extsort.MemoryLimit(limit), extsort.Report(&st), extsort.Workers(workers)}}
	d.said = fmt.Sprintf("%d %s in %d bytes, %d workers", n, kind.name, limit, workers)
	all := make([]E, n)
	for i := range all {
		all[i] = kind.draw(i)
	}
	d.lanes = [][]E{all}
	if r.IntN(3) == 0 {
		d.share(r, all)
	}
	d.done = make([]int, len(d.lanes))
	want := slices.Concat(d.lanes...)
	slices.SortStableFunc(want, kind.compare)
	if c := extsort.Compression(r.IntN(4)); c == extsort.Adaptive || c == extsort.None || limit > int64(c-1)<<20 {
		d.add(fmt.Sprint("compression ", c), extsort.Compress(c))
	}
	if r.IntN(3) == 0 {
		d.add("unique", extsort.Unique())
		want = slices.CompactFunc(want, func(a, b E) bool { return kind.compare(a, b) == 0 })
	}
	if r.IntN(3) == 0 {
		k := 1 + r.IntN(n+10)
		d.add(fmt.Sprint("limit ", k), extsort.Limit(int64(k)))
		want = want[:min(k, len(want))]
	}
	if r.IntN(4) == 0 {
		d.dir = t.TempDir()
		d.said += ", kept"
	} else {
		d.opts = append(d.opts, extsort.TempDir(t.TempDir()))
	}
	got, err := d.run(r)
	if err != nil {
		t.Fatalf("%s: %v", d.said, err)
	}
	if len(got) != len(want) {
		t.Fatalf("%s: %d elements of %d", d.said, len(got), len(want))
	}
	for i := range got {
		if !kind.equal(got[i], want[i]) {
			t.Fatalf("%s: element %d of %d is %.99v, want %.99v", d.said, i, len(got), got[i], want[i])
		}
	}
	checkMemory(t, &st, limit)
}

func (d *drawnLife[E]) add(said string, opt extsort.Option) {
	d.said += ", " + said
	d.opts = append(d.opts, opt)
}

// share gives elements to lanes.
func (d *drawnLife[E]) share(r *rand.Rand, all []E) {
	lanes := 2 + r.IntN(4)
	d.lanes = make([][]E, lanes)
	for _, e := range all {
		i := r.IntN(lanes)
		if r.IntN(3) == 0 {
			i = lanes - 1
		}
		d.lanes[i] = append(d.lanes[i], e)
	}
	d.said += fmt.Sprintf(", %d appenders", lanes-1)
}

// run appends all elements, in several lives if runs are kept, and returns the result.
func (d *drawnLife[E]) run(r *rand.Rand) (got []E, err error) {
	for lives := r.IntN(3); d.dir != "" && lives > 0; lives-- {
		if err := d.live(r, 1+r.IntN(4)); err != nil {
			return nil, err
		}
	}
	s, appenders, err := d.open()
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := s.Close(); err == nil {
			err = failed
		}
	}()
	if err := d.append(r, s, appenders, 1); err != nil {
		return nil, err
	}
	switch verb := r.IntN(4); verb {
	case 0:
		d.said += ", Batches"
		for batch, err := range s.Batches() {
			if err != nil {
				return got, err
			}
			for _, e := range batch {
				got = append(got, d.own(e))
			}
		}
		return got, nil
	case 1:
		return d.parts(s, 1+r.IntN(7))
	default:
		d.said += ", All"
		return drain(s)
	}
}

// own copies the bytes of an element of a batch, which is valid until the next.
func (d *drawnLife[E]) own(e E) E {
	switch p := any(&e).(type) {
	case *string:
		*p = strings.Clone(*p)
	case *named:
		p.Name = strings.Clone(p.Name)
	}
	return e
}

// parts reads parts on a goroutine each.
func (d *drawnLife[E]) parts(s *extsort.Sorter[E], n int) (got []E, err error) {
	d.said += fmt.Sprintf(", %d parts", n)
	parts, err := s.Parts(n)
	if err != nil {
		return nil, err
	}
	results, errs := make([][]E, n), make([]error, n)
	var all sync.WaitGroup
	for i, p := range parts {
		all.Go(func() {
			for e, err := range p.All() {
				if err != nil {
					errs[i] = err
					return
				}
				results[i] = append(results[i], e)
			}
		})
	}
	all.Wait()
	for i := range n {
		got, err = append(got, results[i]...), cmp.Or(err, errs[i])
	}
	return got, err
}

// open begins the sort, or goes on with it.
func (d *drawnLife[E]) open() (s *extsort.Sorter[E], appenders []*extsort.Appender[E], err error) {
	switch {
	case d.kind.codec == nil && d.kept:
		s, err = extsort.Resume(d.dir, d.kind.order, d.opts...)
	case d.kept:
		s, err = extsort.ResumeCoded(d.dir, d.kind.order, d.kind.codec, d.opts...)
	default:
		opts := d.opts
		if d.dir != "" {
			opts = append(slices.Clone(opts), extsort.Keep(d.dir))
		}
		if d.kind.codec == nil {
			s, err = extsort.New(d.kind.order, opts...)
		} else {
			s, err = extsort.NewCoded(d.kind.order, d.kind.codec, opts...)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	clear(d.done)
	for i, n := range s.Durable() {
		d.done[i] = int(n)
	}
	for range len(d.lanes) - 1 {
		appenders = append(appenders, s.Appender())
	}
	return s, appenders, nil
}

// live appends a part of what is left, and ends as a process does.
func (d *drawnLife[E]) live(r *rand.Rand, part int) error {
	s, appenders, err := d.open()
	if err != nil {
		return err
	}
	d.kept = true
	d.said += ", a life"
	if err := d.append(r, s, appenders, part); err != nil {
		return err
	}
	if r.IntN(2) == 0 {
		d.said += " with Sync"
		if err := s.Sync(); err != nil {
			return err
		}
		for i, n := range s.Durable() {
			if i < len(d.done) && int(n) != d.done[i] {
				return fmt.Errorf("%d elements of %d are durable in lane %d", n, d.done[i], i)
			}
		}
	}
	return s.Close()
}

// append appends a part of what is left of each lane, in slices, one by one or as a sequence.
func (d *drawnLife[E]) append(r *rand.Rand, s *extsort.Sorter[E], appenders []*extsort.Appender[E], part int) error {
	errs := make([]error, len(d.lanes))
	var all sync.WaitGroup
	for i, lane := range d.lanes {
		left := lane[d.done[i]:]
		left = left[:len(left)/part]
		d.done[i] += len(left)
		most := 1 + r.IntN(1<<r.IntN(14))
		to := s.Append
		if i > 0 {
			to = appenders[i-1].Append
		} else if r.IntN(4) == 0 {
			d.said += ", AppendSeq"
			to = func(e ...E) error { return s.AppendSeq(slices.Values(e)) }
		}
		all.Go(func() {
			for len(left) > 0 && errs[i] == nil {
				n := min(most, len(left))
				errs[i] = to(left[:n]...)
				left = left[n:]
			}
		})
	}
	all.Wait()
	return cmp.Or(errs...)
}
