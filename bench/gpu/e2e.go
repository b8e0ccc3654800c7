//go:build linux && (amd64 || arm64)

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unsafe"

	pargo "github.com/exascience/pargo/sort"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/perm"
)

// End to end: from Go slices to Go slices, extraction of codes, transfers and
// the movement of elements included. Inputs are restored outside of the timed
// part; every buffer was used by a run before, except for results that are said to be
// new memory.

const e2eReps, e2eWarm = 5, 2

// From fewN elements on the CPU engine, which takes most of the time, sorts fewReps
// times after one sort that warms up.
const fewN, fewReps = 1 << 26, 3

// record24 and record64 are elements as programs have them.
type (
	record24 struct {
		key float32
		id  int64
		_   int64
	}
	record64 struct {
		key int64
		_   [7]int64
	}
)

// e2eCase is one line of the table, at a size of its choice.
type e2eCase struct {
	name string
	run  func(b *e2e, name string, n int) error
}

var e2eCases = []e2eCase{
	{"OrderKeys, float32", func(b *e2e, name string, n int) error {
		return orderLines(b, name, n, float32s, orderKeys)
	}},
	{"Rows.Order, float32 column", func(b *e2e, name string, n int) error {
		return orderLines(b, name, n, float32s, orderRows)
	}},
	{"Sort, float4 by component", func(b *e2e, name string, n int) error {
		return line(b, name, n, float4s, sorted(func(v sorter.Float4) sorter.Float4 { return v }), compareFloat4)
	}},
	{"Sort, 24 bytes by float32", func(b *e2e, name string, n int) error {
		of := func(r *rand.Rand) record24 { return record24{key: r.Float32(), id: r.Int64()} }
		key := func(r record24) float32 { return r.key }
		return line(b, name, n, of, sorted(key), func(a, b record24) int { return cmp.Compare(a.key, b.key) })
	}},
	{"Sort, 64 bytes by int64", func(b *e2e, name string, n int) error {
		of := func(r *rand.Rand) record64 { return record64{key: r.Int64()} }
		key := func(r record64) int64 { return r.key }
		return line(b, name, n, of, sorted(key), func(a, b record64) int { return cmp.Compare(a.key, b.key) })
	}},
	{"SortPairs, uint32 with uint32", func(b *e2e, name string, n int) error {
		return pairsLine(b, name, n, (*rand.Rand).Uint32, (*rand.Rand).Uint32)
	}},
	{"SortPairs, uint64 with uint64", func(b *e2e, name string, n int) error {
		return pairsLine(b, name, n, (*rand.Rand).Uint64, (*rand.Rand).Uint64)
	}},
	{"Merge, 24 bytes by float32", mergeLine},
	{"SortKeys, uint32", func(b *e2e, name string, n int) error {
		return line(b, name, n, func(r *rand.Rand) uint32 { return r.Uint32() }, sorter.SortKeys[uint32], cmp.Compare[uint32])
	}},
	{"SortKeys, uint64", func(b *e2e, name string, n int) error {
		return line(b, name, n, func(r *rand.Rand) uint64 { return r.Uint64() }, sorter.SortKeys[uint64], cmp.Compare[uint64])
	}},
}

// pairsLine measures both engines with keys and values in two slices.
func pairsLine[K sorter.Key, V any](b *e2e, name string, n int, key func(*rand.Rand) K, value func(*rand.Rand) V) error {
	keys, values := drawn(n, key), drawn(n, value)
	k, v := make([]K, n), make([]V, n)
	restore := func() {
		each(n, func(_ *rand.Rand, lo, hi int) {
			copy(k[lo:hi], keys[lo:hi])
			copy(v[lo:hi], values[lo:hi])
		})
	}
	var st [2]sorter.Stats
	var times [2][]float64
	for i, on := range []sorter.Backend{b.engine, sorter.CPU()} {
		var err error
		times[i], err = repeated(e2eWarm, e2eReps, restore, func() error { return sorter.SortPairs(k, v, sorter.On(on), sorter.Report(&st[i])) })
		if err != nil {
			return err
		}
		if !sorter.IsSorted(k, func(k K) K { return k }) {
			return errors.New("not sorted")
		}
	}
	fmt.Printf("| %s | %d | %s | %s | %.2f | | | | |\n", name, n, spread(times[0]), spread(times[1]), median(times[1])/median(times[0]))
	b.note(name, n, &st[0])
	b.note(name, n, &st[1])
	return nil
}

// mergeLine measures the CPU's Merge of two sorted halves beside the device's Sort of
// both: a merge there would have to send and fetch as much, and to extract and move as
// many elements.
func mergeLine(b *e2e, name string, n int) error {
	key := func(r record24) float32 { return r.key }
	in := drawn(n, func(r *rand.Rand) record24 { return record24{key: r.Float32(), id: r.Int64()} })
	dst, s := make([]record24, n), make([]record24, n)
	for _, half := range [][]record24{in[:n/2], in[n/2:]} {
		if err := sorter.Sort(half, key); err != nil {
			return err
		}
	}
	restore := func() { copy(s, in) }
	var st, onCPU sorter.Stats
	ours, err := repeated(e2eWarm, e2eReps, restore, func() error { return sorter.Sort(s, key, sorter.On(b.engine), sorter.Report(&st)) })
	if err != nil {
		return err
	}
	merged, err := repeated(e2eWarm, e2eReps, func() {}, func() error {
		return sorter.Merge(dst, [][]record24{in[:n/2], in[n/2:]}, key, sorter.Report(&onCPU))
	})
	if err != nil {
		return err
	}
	fmt.Printf("| %s; Sort of both on the device | %d | %s | %s | %.2f | | | | |\n", name, n, spread(ours), spread(merged), median(merged)/median(ours))
	b.note("Sort for Merge", n, &st)
	b.note("Merge", n, &onCPU)
	return nil
}

func float32s(r *rand.Rand) float32 { return r.Float32() }

func float4s(r *rand.Rand) sorter.Float4 {
	return sorter.Float4{r.Float32(), r.Float32(), r.Float32(), r.Float32()}
}

func orderKeys(s []float32, opts ...sorter.Option) error {
	_, err := sorter.OrderKeys(s, opts...)
	return err
}

func orderRows(s []float32, opts ...sorter.Option) error {
	_, err := sorter.RowsBy(len(s), sorter.AscOf(s)).Order(opts...)
	return err
}

func sorted[E any, K sorter.Key](key func(E) K) func([]E, ...sorter.Option) error {
	return func(s []E, opts ...sorter.Option) error { return sorter.Sort(s, key, opts...) }
}

func compareFloat4(a, b sorter.Float4) int { return slices.Compare(a[:], b[:]) }

// e2e prints the table.
type e2e struct {
	engine *gpu.Engine
	peers  int // largest size at which others sort
	failed bool
	stages strings.Builder
}

// endToEnd measures all cases at the given sizes, and columns at columnN too.
func endToEnd(engine *gpu.Engine, sizes []int, columnN, peers int) error {
	if err := heading(fmt.Sprintf("%s; ms, median (least–most) of %d, of the CPU engine %d from %d elements on; peers once", engine.Name(), e2eReps, fewReps, fewN)); err != nil {
		return err
	}
	up, down, err := transfers()
	if err != nil {
		return err
	}
	fmt.Printf("1 GiB up %.1f, 1 GiB down %.1f, one after the other %.1f\n\n", up, down, up+down)
	fmt.Println("| case | n | GPU engine | CPU engine | ratio | slices.SortFunc | ratio | pargo | ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	b := &e2e{engine: engine, peers: peers}
	for i, c := range e2eCases {
		all := sizes
		if !strings.Contains(c.name, *e2eOnly) {
			continue
		}
		if columns := i < 2 || strings.HasPrefix(c.name, "SortKeys"); columns && columnN > 0 {
			all = append(slices.Clone(sizes), columnN)
		}
		for _, n := range all {
			if err := c.run(b, c.name, n); err != nil {
				fmt.Printf("| %s | %d | %v | | | | | | |\n", c.name, n, err)
				b.failed = true
			}
			runtime.GC()
		}
	}
	fmt.Printf("\nStages of the last run on each engine:\n\n%s", b.stages.String())
	if b.failed {
		return errors.New("some cases failed")
	}
	return nil
}

// orderLines measures a case that returns an order, which has no peer: written to
// memory that was used before, as all other buffers were, and to new memory, whose
// pages the system has to clear.
func orderLines[E any](b *e2e, name string, n int, of func(r *rand.Rand) E, order func([]E, ...sorter.Option) error) error {
	p := make(perm.Perm, n)
	kept := func(s []E, opts ...sorter.Option) error { return order(s, append(opts, sorter.Into(p))...) }
	return errors.Join(line(b, name, n, of, kept, nil), line(b, name+", new memory", n, of, order, nil))
}

// line measures one case. A nil compare stands for one that has no peer.
func line[E any](b *e2e, name string, n int, of func(r *rand.Rand) E, sort func([]E, ...sorter.Option) error, compare func(a, b E) int) error {
	in, s := drawn(n, of), make([]E, n)
	restore := func() { each(n, func(_ *rand.Rand, lo, hi int) { copy(s[lo:hi], in[lo:hi]) }) }
	var st sorter.Stats
	ours, err := repeated(e2eWarm, e2eReps, restore, func() error { return sort(s, sorter.On(b.engine), sorter.Report(&st)) })
	if err != nil {
		return err
	}
	if compare != nil && !slices.IsSortedFunc(s, compare) {
		return errors.New("not sorted")
	}
	var onCPU sorter.Stats
	warm, reps := e2eWarm, e2eReps
	if n >= fewN {
		warm, reps = 1, fewReps
	}
	theirs, err := repeated(warm, reps, restore, func() error { return sort(s, sorter.On(sorter.CPU()), sorter.Report(&onCPU)) })
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %d | %s | %s | %.2f |", name, n, spread(ours), spread(theirs), median(theirs)/median(ours))
	if compare == nil || n > b.peers {
		fmt.Println(" | | | |")
	} else {
		restore()
		one := timed(func() { slices.SortFunc(s, compare) })
		restore()
		many := timed(func() { pargo.Sort(parallel[E]{s, compare}) })
		fmt.Printf(" %.0f | %.1f | %.0f | %.1f |\n", one, one/median(ours), many, many/median(ours))
	}
	b.note(name, n, &st)
	b.note(name, n, &onCPU)
	return nil
}

// note keeps where the time of the last run went.
func (b *e2e) note(name string, n int, st *sorter.Stats) {
	fmt.Fprintf(&b.stages, "- %s, %d, %s:", name, n, st.Engine)
	for _, stage := range st.Stages {
		fmt.Fprintf(&b.stages, " %s %.1f,", stage.Name, ms(stage.Time))
	}
	fmt.Fprintf(&b.stages, " all %.1f\n", ms(st.Total))
}

// repeated returns the times of f after the warm-up, each on a restored input.
func repeated(warm, reps int, restore func(), f func() error) (times []float64, err error) {
	for i := range warm + reps {
		restore()
		took := timed(func() { err = f() })
		if err != nil {
			return nil, err
		}
		if i >= warm {
			times = append(times, took)
		}
	}
	return times, nil
}

func timed(f func()) float64 {
	start := time.Now()
	f()
	return ms(time.Since(start))
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

// parallel is a slice as pargo wants it.
type parallel[E any] struct {
	s       []E
	compare func(a, b E) int
}

func (p parallel[E]) Len() int                { return len(p.s) }
func (p parallel[E]) Less(i, j int) bool      { return p.compare(p.s[i], p.s[j]) < 0 }
func (p parallel[E]) Swap(i, j int)           { p.s[i], p.s[j] = p.s[j], p.s[i] }
func (p parallel[E]) SequentialSort(i, j int) { slices.SortFunc(p.s[i:j], p.compare) }

// drawn returns n elements.
func drawn[E any](n int, of func(r *rand.Rand) E) []E {
	s := make([]E, n)
	each(n, func(r *rand.Rand, lo, hi int) {
		for i := lo; i < hi; i++ {
			s[i] = of(r)
		}
	})
	return s
}

// turns counts the calls of each: columns of a table are drawn by different numbers, the same in every run.
var turns uint64

// each runs f for parts of [0, n) on all processors.
func each(n int, f func(r *rand.Rand, lo, hi int)) {
	workers := runtime.GOMAXPROCS(0)
	turns++
	turn := turns
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() { f(rand.New(rand.NewPCG(uint64(w), turn)), n*w/workers, n*(w+1)/workers) })
	}
	wait.Wait()
}

// transfers times 1 GiB up and 1 GiB down, between pinned and device memory:
// what a column of 2^28 floats and its order take at least, in ms.
func transfers() (up, down float64, err error) {
	const bytes = 1 << 30
	driver, err := cuda.Open()
	if err != nil {
		return 0, 0, err
	}
	c, err := driver.Retain(0)
	if err != nil {
		return 0, 0, err
	}
	defer c.Release()
	device, err := c.Alloc(bytes)
	if err != nil {
		return 0, 0, err
	}
	defer c.Free(device)
	host, err := c.HostAlloc(bytes)
	if err != nil {
		return 0, 0, err
	}
	defer c.HostFree(host)
	clear(unsafe.Slice((*uint64)(host), bytes/8))
	one := func(copy func() error) float64 {
		times, failed := repeated(e2eWarm, e2eReps, func() {}, func() error { return errors.Join(copy(), c.SyncStream(0)) })
		if err = errors.Join(err, failed); err != nil {
			return 0
		}
		return median(times)
	}
	up = one(func() error { return c.CopyToDevice(device, host, bytes, 0) })
	down = one(func() error { return c.CopyToHost(host, device, bytes, 0) })
	return up, down, err
}
