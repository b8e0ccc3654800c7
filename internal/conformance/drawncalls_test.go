package conformance_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

var (
	drawnSeed  = flag.Uint64("drawn.seed", 0, "draw this case of TestDrawnCalls alone, as its failure says")
	drawnCutTo = flag.String("drawn.cut", "", "make this call of the case alone, as its failure says")
	drawnFor   = flag.Duration("drawn.for", 0, "draw cases of TestDrawnCalls for this long, other ones in each run")
	drawnFirst = flag.Uint64("drawn.first", 0, "seed of the first case of -drawn.for; 0: the time")
	drawnVerb  = flag.String("drawn.verb", "", "check verbs of TestDrawnCalls whose names have this in them")
	drawnSize  = flag.Int("drawn.size", 0, "about the most rows of a case of TestDrawnCalls, 0: as many as fit its time")
)

// TestDrawnCalls draws columns, calls and options, and holds the results to a stable sort by a
// comparison that was written from the documents. A call that fails is made smaller and printed as a test.
func TestDrawnCalls(t *testing.T) { checkDrawnCases(t, nil, testkit.Pick(60, 600)) }

// callsPerCase is how many verbs take the rows of a case.
const callsPerCase = 10

// mostFailures is after how many failures a test ends.
const mostFailures = 5

// checkDrawnCases draws the number of cases given. Some calls run on the device, unless it is nil.
func checkDrawnCases(t *testing.T, device sorter.Backend, cases int) {
	t.Helper()
	d := &drawing{t: t, device: device, largest: cmp.Or(*drawnSize, testkit.Pick(70_000, 200_000)), seen: newCoverage()}
	if *drawnFor > 0 && *drawnSize == 0 {
		d.largest = 200_000
	}
	start := time.Now()
	switch {
	case *drawnSeed != 0:
		d.checkCase(*drawnSeed, parseWanted(*drawnWant))
	case *drawnFor != 0:
		first := cmp.Or(*drawnFirst, uint64(start.UnixNano()))
		n := uint64(0)
		for ; time.Since(start) < *drawnFor && d.failures < mostFailures; n++ {
			d.checkCase(first+n, d.want(first+n))
		}
		t.Log(n, "cases from seed", first)
	default:
		for i := range cases {
			if !testkit.ThinnedTo(4, i) && d.failures < mostFailures {
				d.checkCase(uint64(1+i), nil)
			}
		}
	}
	d.seen.Seconds = time.Since(start).Seconds()
	d.seen.report(t)
}

// drawing is a run of drawn calls.
type drawing struct {
	t        *testing.T
	device   sorter.Backend // nil: none
	largest  int            // number of rows, about
	failures int
	seen     *coverage
	pending  pendingPairs
}

// drawnCase is the rows that several calls take: n rows by columns, and by those of partitions.
type drawnCase struct {
	*rand.Rand
	seed      uint64
	largest   int // size of a case
	n         int
	sought    wanted  // nil: nothing
	aim       *wayAim // nil: none
	cols      []drawnColumn
	partition []drawnColumn
	sorted    map[sortedBy][]int
	device    sorter.Backend            // nil: none
	onCPU     bool                      // the call runs on the CPU, whatever there is
	keyCalls  *atomic.Pointer[keyFault] // what calls of key functions lead to
}

// sortedBy names a stable order of the rows of a case.
type sortedBy struct {
	oracle.Order
	parted bool // by the columns of partitions first
}

// drawCase draws the rows of a case.
func (d *drawing) drawCase(seed uint64, want wanted) *drawnCase {
	c := &drawnCase{Rand: rand.New(rand.NewPCG(seed, 1)), seed: seed, sought: want, largest: d.largest, device: d.device, sorted: map[sortedBy][]int{}, keyCalls: &atomic.Pointer[keyFault]{}}
	if want != nil {
		c.drawWanted(d.largest)
		return c
	}
	one := 3 // in this number of cases has an aim
	if c.device != nil {
		one = 2
	}
	if c.IntN(one) == 0 && c.drawAim(d.largest) {
		return c
	}
	c.n = drawSize(c.Rand, drawLargest(c.Rand, d.largest))
	for range c.drawWidth() {
		c.cols = append(c.cols, c.drawColumn())
	}
	c.drawPartition()
	return c
}

// checkCase draws a case and some calls of it.
func (d *drawing) checkCase(seed uint64, want wanted) {
	d.t.Helper()
	c := d.drawCase(seed, want)
	if *drawnCutTo != "" {
		cut, err := parseCut(*drawnCutTo)
		if err != nil {
			d.t.Fatalf("-drawn.cut: %v", err)
		}
		d.check(c.cutTo(cut), cut)
		return
	}
	if want != nil {
		d.checkWanted(c)
		return
	}
	if *drawnVerb == "" {
		for _, cut := range c.aimedVerbs() {
			d.check(c, cut)
		}
	}
	verbs := slices.DeleteFunc(c.Perm(len(drawnVerbs)), func(i int) bool { return !strings.Contains(drawnVerbs[i].name, *drawnVerb) })
	for _, verb := range atMost(callsPerCase, verbs) {
		d.check(c, drawnCut{verb: verb})
	}
}

// check makes one call of a case, and reports its failure.
func (d *drawing) check(c *drawnCase, cut drawnCut) {
	d.t.Helper()
	x := c.call(cut)
	if d.seen.add(x); x.failure != "" {
		d.failures++
		d.t.Error(d.minimised(x, cut))
	}
}

// drawWidth draws the number of columns, fewer if there are many rows.
func (c *drawnCase) drawWidth() int {
	if c.n > 300_000 {
		return 1 + c.IntN(2)
	}
	return []int{1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 0}[c.IntN(13)]
}

// verbDrawn is a call, drawn and held to its oracle.
type verbDrawn struct {
	name string
	do   func(x *drawnCall)
}

// drawnVerbs are all verbs. Those that are listed twice are drawn more often.
var drawnVerbs = slices.Concat(sliceVerbs, rowVerbs, perVerbs, permVerbs, keyVerbs, funcVerbs, streamVerbs, externalVerbs, relationVerbs)

// drawnCall is one call of a verb.
type drawnCall struct {
	*drawnCase
	*optionsDrawn
	verb     string
	details  []string // drawn by the verb
	made     bool     // the verb took the case
	failure  string   // "": none
	times    int      // the library was called
	taken    []string // ways
	survived bool     // the verb caught the panic of a key function, and went on
	used     []usedColumn
	drops    uint64 // options that are left out

	statements string // the call as Go, see says
	rows, want []int
}

// call makes one call, whose draws are its own: they do not depend on other calls of the case.
func (c *drawnCase) call(cut drawnCut) *drawnCall {
	own := *c
	own.Rand = rand.New(rand.NewPCG(c.seed, 2+uint64(cut.verb)<<32+uint64(cut.turn)))
	x := &drawnCall{drawnCase: &own, optionsDrawn: &optionsDrawn{}, verb: drawnVerbs[cut.verb].name, made: true, drops: cut.options}
	defer func() {
		if value := recover(); value != nil {
			x.fail("panic: %v\n%s", value, debug.Stack())
		}
	}()
	drawnVerbs[cut.verb].do(x)
	return x
}

// skip says that a verb does not take the case.
func (x *drawnCall) skip() { x.made = false }

// draw draws options for a call of n elements by cols columns.
func (x *drawnCall) draw(n, cols int) []sorter.Option {
	x.optionsDrawn = x.drawOptions(n, cols)
	return x.list
}

// note adds to the description of the call.
func (x *drawnCall) note(format string, args ...any) {
	x.details = append(x.details, fmt.Sprintf(format, args...))
}

// fail notes the first failure.
func (x *drawnCall) fail(format string, args ...any) {
	if x.failure == "" {
		x.failure = fmt.Sprintf(format, args...)
	}
}

// String describes all that was drawn.
func (x *drawnCall) String() string {
	return fmt.Sprintf("%s of %d rows %v\noptions %v\ncolumns %v\npartitions %v", x.verb, x.n, x.details, x.names, x.cols, x.partition)
}

// same fails unless rows are those wanted.
func (x *drawnCall) same(what string, got, want []int) {
	if d := oracle.Diff(got, want, same[int]); d != "" {
		x.fail("%s %s", what, d)
	}
}

// compares are the comparisons of columns in a call with the options of o.
func compares(cols []drawnColumn, o oracle.Order) []func(a, b int) int {
	return mapped(cols, func(c drawnColumn) func(a, b int) int { return c.compare(o) })
}

// compare is the comparison by all columns.
func (c *drawnCase) compare(o oracle.Order) func(a, b int) int {
	return compareInTurn(compares(c.cols, o))
}

// inOrder returns the rows 0 … n-1 in stable order. Callers must not write to the result.
func (c *drawnCase) inOrder(by sortedBy) []int {
	if rows, ok := c.sorted[by]; ok {
		return rows
	}
	cols := c.cols
	if by.parted {
		cols = slices.Concat(c.partition, c.cols)
	}
	r := rand.New(rand.NewPCG(c.seed, 1)) // not that of the call, whose draws are the same if the order is known
	columns := mapped(cols, func(c drawnColumn) sorter.Column[int] { return first(c.column(r)) })
	guess, _ := sorter.RowsBy(c.n, columns...).Order(orderOptions(by.Order)...)
	c.sorted[by] = oracle.StableRows(c.n, guess, compareInTurn(compares(cols, by.Order)))
	return c.sorted[by]
}

func first[A, B any](a A, _ B) A { return a }

// stableOf returns rows, any selection of those of the case, in stable order.
func (c *drawnCase) stableOf(rows []int, o oracle.Order) []int {
	if c.areAll(rows) {
		return slices.Clone(c.inOrder(sortedBy{Order: o}))
	}
	rows = slices.Clone(rows)
	testkit.SortStable(rows, c.compare(o))
	return rows
}

func (c *drawnCase) areAll(rows []int) bool {
	if len(rows) != c.n {
		return false
	}
	for i, row := range rows {
		if i != row {
			return false
		}
	}
	return true
}

// drawRows draws the rows that a call takes: all, or any selection.
func (c *drawnCase) drawRows() []int {
	all := ascending(c.n)
	if c.n == 0 {
		return all
	}
	if c.sought.has("taken") && c.IntN(4) > 0 {
		return all // in the order that the way looks for
	}
	switch c.IntN(6) {
	case 0:
		c.Shuffle(c.n, func(i, j int) { all[i], all[j] = all[j], all[i] })
		return all[:c.IntN(c.n+1)]
	case 1:
		for i := range all {
			all[i] = c.IntN(c.n)
		}
	case 2:
		lo := c.IntN(c.n + 1)
		return all[lo : lo+c.IntN(c.n-lo+1)]
	}
	return all
}

// columns makes columns of drawn ones, in drawn layouts.
func (x *drawnCall) columns(cols []drawnColumn) []sorter.Column[int] {
	return mapped(cols, func(c drawnColumn) sorter.Column[int] {
		col, layout := x.sought.column(c, x.Rand)
		x.used = append(x.used, usedColumn{c, layout, len(x.used) == 0})
		return col
	})
}

// elementColumns notes that the columns of a call are functions of elements.
func (x *drawnCall) elementColumns(layout string) {
	for i, c := range x.cols {
		x.used = append(x.used, usedColumn{c, layout, i == 0})
	}
}
