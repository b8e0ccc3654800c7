package conformance_test

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

var (
	drawnSeed = flag.Uint64("drawn.seed", 0, "draw this case of TestDrawnCalls alone, as its failure says")
	drawnFor  = flag.Duration("drawn.for", 0, "draw cases of TestDrawnCalls for this long, other ones in each run")
	drawnVerb = flag.String("drawn.verb", "", "check verbs of TestDrawnCalls whose names have this in them")
	drawnSize = flag.Int("drawn.size", 0, "about the most rows of a case of TestDrawnCalls, 0: as many as fit its time")
)

// TestDrawnCalls draws columns, calls and options, and holds the results to a stable sort by a
// comparison that was written from the documents. Each case prints its seed if it fails.
func TestDrawnCalls(t *testing.T) { checkDrawnCases(t, nil, testkit.Pick(60, 250)) }

// checkDrawnCases draws the number of cases given. Some calls run on the device, unless it is nil.
func checkDrawnCases(t *testing.T, device sorter.Backend, cases int) {
	t.Helper()
	switch {
	case *drawnSeed != 0:
		checkDrawnCase(t, *drawnSeed, device)
	case *drawnFor != 0:
		first := uint64(time.Now().UnixNano())
		n := uint64(0)
		for end := time.Now().Add(*drawnFor); time.Now().Before(end); n++ {
			checkDrawnCase(t, first+n, device)
		}
		t.Log(n, "cases from seed", first)
	default:
		for i := range cases {
			if !testkit.ThinnedTo(4, i) {
				checkDrawnCase(t, uint64(1+i), device)
			}
		}
	}
}

// drawnCase is the rows that several calls take: n rows by columns, and by those of partitions.
type drawnCase struct {
	*rand.Rand
	t         *testing.T
	seed      uint64
	largest   int // size of a case
	n         int
	cols      []drawnColumn
	partition []drawnColumn
	ordering  *sorter.Ordering[int] // by cols, which may have sorted before
	sorted    map[sortedBy][]int
	device    sorter.Backend // nil: none
}

// sortedBy names a stable order of the rows of a case.
type sortedBy struct {
	oracle.Order
	parted bool // by the columns of partitions first
}

// checkDrawnCase draws a case and some calls of it.
func checkDrawnCase(t *testing.T, seed uint64, device sorter.Backend) {
	t.Helper()
	c := &drawnCase{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, seed: seed, largest: cmp.Or(*drawnSize, testkit.Pick(70_000, 200_000)), device: device, sorted: map[sortedBy][]int{}}
	c.n = drawSize(c.Rand, c.largest)
	for range c.drawWidth() {
		c.cols = append(c.cols, drawKind(c.Rand).drawColumn(c.n+1+c.IntN(3), c.Rand))
	}
	c.drawPartition()
	verbs := c.verbs()
	for _, i := range c.Perm(len(verbs))[:7] {
		if strings.Contains(verbs[i].name, *drawnVerb) {
			c.check(verbs[i])
		}
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

// verbs lists all verbs that take a case.
func (c *drawnCase) verbs() []verbDrawn {
	verbs := slices.Concat(sliceVerbs, rowVerbs, perVerbs, permVerbs)
	if len(c.cols) > 0 {
		verbs = slices.Concat(verbs, keyVerbs)
	}
	return verbs
}

// drawnCall is one call of a verb.
type drawnCall struct {
	*drawnCase
	*optionsDrawn
	verb    string
	details []string // drawn by the verb
}

// check draws the options of a verb, and reports a panic of it as a failure.
func (c *drawnCase) check(v verbDrawn) {
	c.t.Helper()
	x := &drawnCall{drawnCase: c, optionsDrawn: &optionsDrawn{}, verb: v.name}
	defer func() {
		if value := recover(); value != nil {
			x.fail("panic: %v\n%s", value, debug.Stack())
		}
	}()
	v.do(x)
}

// draw draws options for a call of n elements by cols columns.
func (x *drawnCall) draw(n, cols int) []sorter.Option {
	x.optionsDrawn = x.drawOptions(n, cols)
	return x.list
}

// note adds to the description of the call.
func (x *drawnCall) note(format string, args ...any) {
	x.details = append(x.details, fmt.Sprintf(format, args...))
}

// fail reports a failure, with all that was drawn.
func (x *drawnCall) fail(format string, args ...any) {
	x.t.Helper()
	message := fmt.Sprintf(format, args...)
	x.t.Errorf("-drawn.seed=%d -drawn.size=%d: %s of %d rows %v\noptions %v\ncolumns %v\npartitions %v\n%s",
		x.seed, x.largest, x.verb, x.n, x.details, x.names, x.cols, x.partition, message)
}

// same fails unless rows are those wanted.
func (x *drawnCall) same(what string, got, want []int) {
	x.t.Helper()
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
	guess, _ := sorter.RowsBy(c.n, asColumns(cols, c.Rand)...).Order(orderOptions(by.Order)...)
	c.sorted[by] = oracle.StableRows(c.n, guess, compareInTurn(compares(cols, by.Order)))
	return c.sorted[by]
}

// stableOf returns rows, any selection of those of the case, in stable order.
func (c *drawnCase) stableOf(rows []int, o oracle.Order) []int {
	if c.areAll(rows) {
		return slices.Clone(c.inOrder(sortedBy{Order: o}))
	}
	rows = slices.Clone(rows)
	oracle.SortStable(rows, c.compare(o))
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

// asColumns makes columns of drawn ones.
func asColumns(cols []drawnColumn, r *rand.Rand) []sorter.Column[int] {
	return mapped(cols, func(c drawnColumn) sorter.Column[int] { return c.column(r) })
}
