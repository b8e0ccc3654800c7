//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
)

// The planner beside both engines and all algorithms that they run: the cost of its
// choice, for every distribution and size.

// crossCase is a kind of sort, by keys of a width in bits.
type crossCase struct {
	name string
	size uintptr // of an element
	run  func(c *crossing, d dist.Codes, powers []int) error
}

var crossCases = []crossCase{
	{"OrderKeys, float32", 4, func(c *crossing, d dist.Codes, powers []int) error {
		return crossLines(c, d, powers, 32, func(v uint64) float32 { return float32(v) }, orderKeys)
	}},
	{"SortKeys, uint32", 4, func(c *crossing, d dist.Codes, powers []int) error {
		return crossLines(c, d, powers, 32, func(v uint64) uint32 { return uint32(v) }, sorter.SortKeys[uint32])
	}},
	{"SortKeys, uint64", 8, func(c *crossing, d dist.Codes, powers []int) error {
		return crossLines(c, d, powers, 64, func(v uint64) uint64 { return v }, sorter.SortKeys[uint64])
	}},
	{"Sort, 24 bytes by float32", unsafe.Sizeof(record24{}), func(c *crossing, d dist.Codes, powers []int) error {
		of := func(v uint64) record24 { return record24{key: float32(v), id: int64(v)} }
		return crossLines(c, d, powers, 32, of, sorted(func(r record24) float32 { return r.key }))
	}},
	{"Sort, 64 bytes by int64", unsafe.Sizeof(record64{}), func(c *crossing, d dist.Codes, powers []int) error {
		of := func(v uint64) record64 { return record64{key: int64(v - 1<<63)} }
		return crossLines(c, d, powers, 64, of, sorted(func(r record64) int64 { return r.key }))
	}},
}

// Sizes of a case, as powers of two: all of the first distribution; of the others few,
// in slices of up to othersBytes.
const (
	crossLeast, crossStep = 10, 2
	othersBytes           = 256 << 20
)

var othersPowers = []int{12, 16, 20, 22, 24}

// A way that takes lostBy times as long as the best takes no further turns in its row
// after the first; from fromN elements on, one that takes as much longer than the best
// of its own engine is left out of larger rows of that case and distribution.
const (
	lostBy = 2
	fromN  = 1 << 16
)

// A row ends when its ways had mostTurns turns, or took enoughTime ms in all, but not
// before they had enoughTurns.
const mostTurns, enoughTurns, enoughTime = 41, 3, 120

// crossing prints the table.
type crossing struct {
	engine *gpu.Engine
	name   string    // of the case
	bound  float64   // on a row's ratio
	end    time.Time // rows are left out from then on
	worst  float64
	above  []string // rows whose ratio is above the bound
	left   int      // rows left out
}

// crossover measures all cases with keys of all distributions, of up to 2^most
// elements in slices of at most bytes bytes. It fails if the planner's time is above
// bound times that of the best way in some row, or if there was no time for all rows.
func crossover(e *gpu.Engine, most, bytes int, bound float64, limit time.Duration) error {
	c := &crossing{engine: e, bound: bound, end: time.Now().Add(limit)}
	calibration, err := calibrated()
	if err != nil {
		return err
	}
	if err := heading("ms, medians; a row above the bound is measured again, twice at most"); err != nil {
		return err
	}
	fmt.Printf("measured by the planner: %s\n\n", calibration)
	fmt.Println("| case | distribution | n | CPU | GPU | best way | its time | planner | chose | planner / best |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	for i, d := range distributions(dist.Shapes, 32) {
		for _, k := range crossCases {
			c.name = k.name
			powers, fit := othersPowers, min(bytes, othersBytes)
			if i == 0 {
				powers, fit = evenPowers(most), bytes
			}
			powers = slices.DeleteFunc(slices.Clone(powers), func(p int) bool { return p > most || int(k.size)<<p > fit })
			if err := k.run(c, d, powers); err != nil {
				return fmt.Errorf("%s, %s: %w", k.name, d.Name, err)
			}
			runtime.GC()
		}
	}
	return c.verdict()
}

func evenPowers(most int) (powers []int) {
	for p := crossLeast; p <= most; p += crossStep {
		powers = append(powers, p)
	}
	return powers
}

func (c *crossing) verdict() (err error) {
	fmt.Printf("\nworst ratio %.2f\n", c.worst)
	if len(c.above) > 0 {
		err = fmt.Errorf("the planner took more than %.2f times as long as the best way: %s", c.bound, strings.Join(c.above, "; "))
	}
	if c.left > 0 {
		err = errors.Join(err, fmt.Errorf("no time was left for %d rows", c.left))
	}
	return err
}

// calibrated has the planner open the first device and measure, and returns the
// calibration.
func calibrated() (string, error) {
	const n = 1 << 20
	column, records := make([]float32, n), make([]record24, n)
	var st sorter.Stats
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err := orderKeys(column, sorter.Report(&st)); err != nil {
			return "", err
		}
		if st.Calibration == "" {
			continue
		}
		if err := sorter.Sort(records, func(r record24) float32 { return r.key }, sorter.Report(&st)); err != nil {
			return "", err
		}
		if strings.Contains(st.Calibration, "gather") {
			return st.Calibration, nil
		}
	}
	return "", errors.New("nothing was measured within 10 s")
}

// crossWay is one way to sort: an algorithm on an engine, or, without an engine, the
// planner's choice.
type crossWay struct {
	on    sorter.Backend
	by    sorter.Algorithm
	times []float64 // of a row, except the first turn
	lost  bool
}

// crossWays are the planner's choice and all that it chooses from.
func crossWays(e *gpu.Engine) []*crossWay {
	ways := []*crossWay{{}}
	for _, b := range []sorter.Backend{sorter.CPU(), e} {
		for a := sorter.Auto; a < engine.Algorithms; a++ {
			if b.Runs(a) {
				ways = append(ways, &crossWay{on: b, by: a})
			}
		}
	}
	return ways
}

func (w *crossWay) options() []sorter.Option {
	if w.on == nil {
		return nil
	}
	return []sorter.Option{sorter.On(w.on), sorter.Use(w.by)}
}

// named reports whether the way is neither the planner nor what an engine does by
// itself: only those may be left out.
func (w *crossWay) named() bool { return w.by != sorter.Auto }

func (w *crossWay) String() string { return fmt.Sprintf("%s %v", w.on.Name(), w.by) }

// crossLines measures one case with keys of one distribution, at all sizes.
func crossLines[E any](c *crossing, d dist.Codes, powers []int, bits int, of func(v uint64) E, sort func([]E, ...sorter.Option) error) error {
	ways := crossWays(c.engine)
	for _, power := range powers {
		if time.Now().After(c.end) {
			c.left++
			continue
		}
		n := 1 << power
		in, s := make([]E, n), make([]E, n)
		each(n, func(r *rand.Rand, lo, hi int) {
			for i := lo; i < hi; i++ {
				in[i] = of(d.At(r, i, n, bits))
			}
		})
		restore := func() { each(n, func(_ *rand.Rand, lo, hi int) { copy(s[lo:hi], in[lo:hi]) }) }
		try := func(w *crossWay, opts ...sorter.Option) error { return sort(s, append(w.options(), opts...)...) }
		row, err := takeTurns(ways, restore, try)
		for range 2 {
			if err != nil || row.ratio <= c.bound {
				break
			}
			var again crossRow
			if again, err = takeTurns(ways, restore, try); again.ratio < row.ratio {
				row = again
			}
		}
		if err != nil {
			return fmt.Errorf("%d elements: %w", n, err)
		}
		c.print(d, n, row)
		if n >= fromN {
			leaveOut(ways)
		}
	}
	return nil
}

// crossRow has the measurements of one input.
type crossRow struct {
	onCPU, onGPU, planner, best, ratio float64
	way                                string // the best one
	chose                              string
}

// takeTurns measures all ways that are not left out, which take turns on the same
// input, each time in another sequence: what came before leaves its traces.
func takeTurns(ways []*crossWay, restore func(), try func(*crossWay, ...sorter.Option) error) (row crossRow, err error) {
	for _, w := range ways {
		w.times = nil
	}
	spent, best := 0.0, 0.0
	r, sequence := rand.New(rand.NewPCG(1, 2)), slices.Clone(ways)
	for turn := 0; turn < mostTurns && (spent < enoughTime || turn <= enoughTurns); turn++ {
		r.Shuffle(len(sequence), func(i, j int) { sequence[i], sequence[j] = sequence[j], sequence[i] })
		for _, w := range sequence {
			if w.lost || w.named() && len(w.times) > 0 && w.times[0] > lostBy*best {
				continue
			}
			restore()
			took := timed(func() { err = try(w) })
			if err != nil {
				return row, err
			}
			if spent += took; turn > 0 { // the first warms up
				w.times = append(w.times, took)
			}
		}
		if turn == 1 {
			for _, w := range ways {
				if len(w.times) > 0 && (best == 0 || w.times[0] < best) {
					best = w.times[0]
				}
			}
		}
	}
	var st sorter.Stats
	restore()
	if err := try(ways[0], sorter.Report(&st)); err != nil {
		return row, err
	}
	return rowOf(ways, st), nil
}

// rowOf returns the row of measured ways, of which the planner's has statistics.
func rowOf(ways []*crossWay, st sorter.Stats) (row crossRow) {
	row.chose = st.Engine + " " + st.Algorithm
	for _, w := range ways {
		if len(w.times) == 0 {
			continue
		}
		took := median(w.times)
		switch {
		case w.on == nil:
			row.planner = took
			continue
		case w.named():
		case w.on == sorter.CPU():
			row.onCPU = took
		default:
			row.onGPU = took
		}
		if row.best == 0 || took < row.best {
			row.best, row.way = took, w.String()
		}
	}
	row.ratio = row.planner / row.best
	return row
}

func (c *crossing) print(d dist.Codes, n int, row crossRow) {
	c.worst = max(c.worst, row.ratio)
	if row.ratio > c.bound {
		c.above = append(c.above, fmt.Sprintf("%s, %s, %d: %.2f", c.name, d.Name, n, row.ratio))
	}
	fmt.Printf("| %s | %s | %d | %.3f | %.3f | %s | %.3f | %.3f | %s | %.2f |\n", c.name, d.Name, n, row.onCPU, row.onGPU, row.way, row.best, row.planner, row.chose, row.ratio)
}

// leaveOut leaves the algorithms out that lost the last row to others of their engine.
func leaveOut(ways []*crossWay) {
	best := map[sorter.Backend]float64{}
	for _, w := range ways {
		if len(w.times) > 0 && (best[w.on] == 0 || median(w.times) < best[w.on]) {
			best[w.on] = median(w.times)
		}
	}
	for _, w := range ways {
		w.lost = w.lost || w.named() && median(w.times) > lostBy*best[w.on]
	}
}
