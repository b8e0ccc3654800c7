package conformance_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"reflect"
	"runtime/debug"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Most tests sort positions: element i of the input is i, and its key is looked
// up. All kinds of keys share that element type, or compiling the tests would
// take minutes; the tests of payloads have their keys inside.

// TestMain lets the heap grow unless the run is a long one: collections were a tenth of
// the time. Tests of the collector set its pace themselves.
func TestMain(m *testing.M) {
	flag.Parse() // for Long
	if !testkit.Long() {
		debug.SetGCPercent(400)
	}
	m.Run()
}

func same[T comparable](a, b T) bool { return a == b }

// mode is a set of options and the order that they ask for. Results must not
// depend on anything but the order.
type mode struct {
	name  string
	order oracle.Order
	opts  []sorter.Option
}

var modes = []mode{
	{"ascending", oracle.Order{}, nil},
	{"descending", oracle.Order{Desc: true}, []sorter.Option{sorter.Descending()}},
	{"NaNs last", oracle.Order{NaNs: oracle.Last}, []sorter.Option{sorter.NaNsLast()}},
	{"descending, NaNs last", oracle.Order{Desc: true, NaNs: oracle.Last}, []sorter.Option{sorter.NaNsLast(), sorter.Descending()}},
	{"descending, NaNs first", oracle.Order{Desc: true, NaNs: oracle.First}, []sorter.Option{sorter.NaNsFirst(), sorter.Descending()}},
	{"1 worker", oracle.Order{}, []sorter.Option{sorter.Workers(1)}},
	{"2 workers", oracle.Order{}, []sorter.Option{sorter.Workers(2)}},
	{"5 workers", oracle.Order{}, []sorter.Option{sorter.Workers(5)}},
	{"BucketRadix", oracle.Order{}, []sorter.Option{sorter.Use(sorter.BucketRadix)}},
	{"IndexGather", oracle.Order{}, []sorter.Option{sorter.Use(sorter.IndexGather)}},
	{"BucketRadix, 5 workers, descending", oracle.Order{Desc: true}, []sorter.Option{sorter.Use(sorter.BucketRadix), sorter.Workers(5), sorter.Descending()}},
	{"IndexGather, 5 workers, descending", oracle.Order{Desc: true}, []sorter.Option{sorter.Use(sorter.IndexGather), sorter.Workers(5), sorter.Descending()}},
	{"on the CPU", oracle.Order{}, []sorter.Option{sorter.On(sorter.CPU())}},
	{"under a context", oracle.Order{}, []sorter.Option{sorter.WithContext(neverCancelled)}},
	{"Bitonic", oracle.Order{}, []sorter.Option{sorter.Use(sorter.Bitonic)}},
	{"QuickMerge, 3 workers", oracle.Order{}, []sorter.Option{sorter.Use(sorter.QuickMerge), sorter.Workers(3)}},
	{"CPUBucket, descending", oracle.Order{Desc: true}, []sorter.Option{sorter.Use(sorter.CPUBucket), sorter.Descending()}},
	{"Radix, on the CPU", oracle.Order{}, []sorter.Option{sorter.Use(sorter.Radix), sorter.On(sorter.CPU())}},
	{"MergeSort, NaNs last", oracle.Order{NaNs: oracle.Last}, []sorter.Option{sorter.Use(sorter.MergeSort), sorter.NaNsLast()}},
	{"SampleSort, 5 workers", oracle.Order{}, []sorter.Option{sorter.Use(sorter.SampleSort), sorter.Workers(5)}},
	{"total order", oracle.Order{NaNs: oracle.Total}, []sorter.Option{sorter.TotalOrder()}},
	{"total order, descending, 3 workers", oracle.Order{Desc: true, NaNs: oracle.Total}, []sorter.Option{sorter.NaNsLast(), sorter.TotalOrder(), sorter.Descending(), sorter.Workers(3)}},
}

// neverCancelled could be, which [context.Background] could not.
var neverCancelled, _ = context.WithCancel(context.Background())

// directions are the modes that differ in the order alone.
var directions = modes[:5]

// stable returns the mode's options and Stable, in a slice of its own.
func (m mode) stable() []sorter.Option { return append([]sorter.Option{sorter.Stable()}, m.opts...) }

// reference holds an input and its stable orders.
type reference struct {
	keySet
	name   string // for messages
	rows   []int
	sorted map[oracle.Order][]int
}

func newReference(name string, keys keySet) *reference {
	n := keys.len()
	return &reference{keys, fmt.Sprintf("%s, n=%d", name, n), ascending(n), map[oracle.Order][]int{}}
}

// drawn returns the reference of keys drawn from a kind.
func drawn(k keyCase, input string, n int, seed uint64) *reference {
	return newReference(k.Name()+", "+input, k.draw(input, n, seed))
}

// in returns the rows in order o, ties in input order. Callers must not write
// to the result.
func (r *reference) in(o oracle.Order) []int {
	if !r.hasNaNs() {
		o.NaNs = oracle.Least
	}
	if s, ok := r.sorted[o]; ok {
		return s
	}
	guess, _ := r.orderRows(orderOptions(o)...)
	s := oracle.StableRows(r.len(), guess, r.compare(o))
	r.sorted[o] = s
	return s
}

// sortedStably returns s in the stable order of compare. The library's order of s is only a guess, which
// makes a sort by comparisons unnecessary if it is right.
func sortedStably[E any](s []E, guess perm.Perm, compare func(a, b E) int) []E {
	rows := oracle.StableRows(len(s), guess, func(a, b int) int { return compare(s[a], s[b]) })
	return mapped(rows, func(row int) E { return s[row] })
}

// orderOptions ask for an order, in the way in which most sorts go.
func orderOptions(o oracle.Order) (opts []sorter.Option) {
	opts = append(opts, sorter.On(sorter.CPU()))
	if o.Desc {
		opts = append(opts, sorter.Descending())
	}
	switch o.NaNs {
	case oracle.First:
		opts = append(opts, sorter.NaNsFirst())
	case oracle.Last:
		opts = append(opts, sorter.NaNsLast())
	case oracle.Total:
		opts = append(opts, sorter.TotalOrder())
	}
	return opts
}

// among returns the sorted rows of r that lie in [lo, hi): they are in stable order, too.
func (r *reference) among(o oracle.Order, lo, hi int) []int {
	rows := make([]int, 0, hi-lo)
	for _, row := range r.in(o) {
		if lo <= row && row < hi {
			rows = append(rows, row)
		}
	}
	return rows
}

// scaled returns n in a long run, a half of it above 20,000, and otherwise, and for the race
// detector, a fifth of it.
func scaled(n int) int { return testkit.Pick(n/5, max(min(n, 20_000), n/2)) }

// ascending returns 0 … n-1.
func ascending(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

// permOf returns sorted positions as the permutation that they are.
func permOf(rows []int) perm.Perm {
	return mapped(rows, func(i int) uint32 { return uint32(i) })
}

// guarded returns a copy of s in the middle of a longer array, at an alignment
// that turn chooses, and a function that shows a write outside of it.
func guarded[E any](s []E, turn int) (inside []E, check func() error) {
	const margin = 9
	all := make([]E, len(s)+2*margin)
	from := turn % margin
	to := from + len(s)
	copy(all[from:], s)
	return all[from:to], func() error {
		same := func(a, b E) bool { return reflect.DeepEqual(a, b) }
		if d := oracle.Diff(all[:from], make([]E, from), same); d != "" {
			return fmt.Errorf("wrote before the slice of %d: %s", len(s), d)
		}
		if d := oracle.Diff(all[to:], make([]E, len(all)-to), same); d != "" {
			return fmt.Errorf("wrote after the slice of %d: %s", len(s), d)
		}
		return nil
	}
}

// checkSame fails t if got is not want, and shows the first difference.
func checkSame[T comparable](t *testing.T, name string, err error, got, want []T) {
	t.Helper()
	if d := diffOf(err, got, want); d != "" {
		t.Fatalf("%s: %s", name, d)
	}
}

// reportSame is checkSame for goroutines that may not end the test, and for tests that
// go on.
func reportSame[T comparable](t *testing.T, name string, err error, got, want []T) {
	t.Helper()
	if d := diffOf(err, got, want); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

// diffOf returns "" if there is no error and got is want.
func diffOf[T comparable](err error, got, want []T) string {
	if err != nil {
		return fmt.Sprintf("unexpected error: %v", err)
	}
	return oracle.Diff(got, want, same[T])
}

// measured are the fields of a report that depend on the machine, on the schedule of its
// goroutines or on the tuning of the library.
var measured = []string{"Device", "Workers", "Rounds", "Ties", "Scratch", "Stages", "Total", "Vectors", "Calibration"}

// reportDiff returns "" if a report is want in all fields that are not measured or in
// others, and otherwise shows the fields. Fallback is compared as errors.Is does.
func reportDiff(got, want sorter.Stats, others ...string) string {
	return oracle.DiffValues(got, want, cmpopts.EquateErrors(), cmpopts.IgnoreFields(sorter.Stats{}, append(others, measured...)...))
}

// checkReport reports an unexpected error, and how a report differs from want: see
// reportDiff.
func checkReport(t *testing.T, name string, err error, got, want sorter.Stats, others ...string) {
	t.Helper()
	if err != nil {
		t.Errorf("%s: unexpected error: %v", name, err)
	}
	if d := reportDiff(got, want, others...); d != "" {
		t.Errorf("%s: the report is another (-want +got):\n%s", name, d)
	}
}

// checkPermuted fails t unless got holds each of the n positions once.
func checkPermuted(t *testing.T, name string, got []int, n int) {
	t.Helper()
	seen := make([]bool, n)
	for at, i := range got {
		if i < 0 || i >= n || seen[i] {
			t.Fatalf("%s: position %d holds element %d, which the input lacks or which came before", name, at, i)
		}
		seen[i] = true
	}
	if len(got) != n {
		t.Fatalf("%s: %d elements, want %d", name, len(got), n)
	}
}

// checkTies fails t unless got is in order where ties may come in any order.
func checkTies[E any](t *testing.T, name string, compare func(a, b E) int, got []E) {
	t.Helper()
	for i := 1; i < len(got); i++ {
		if compare(got[i-1], got[i]) > 0 {
			t.Fatalf("%s: positions %d and %d are out of order: %v before %v", name, i-1, i, got[i-1], got[i])
		}
	}
}

// panicValue runs f and returns the value of its panic, nil if there was none.
func panicValue(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// fill is an element as users have it: 40 bytes, comparable.
type fill struct {
	ID    int64
	Price float32
	Side  bool
	Venue uint16
	Qty   float64
	Pos   uint64 // position in the input
}

func price(t fill) float32 { return t.Price }

// fills returns n elements with about n different prices.
func fills(n int) []fill {
	s := make([]fill, n)
	h := uint64(1)
	for i := range s {
		h = h*6364136223846793005 + 1442695040888963407
		s[i] = fill{ID: int64(h), Price: float32(h>>33) / 1000, Side: h>>62&1 == 0, Venue: uint16(h >> 40), Qty: float64(h >> 50), Pos: uint64(i)}
	}
	return s
}

// byPrice returns s sorted by price, ties in input order.
func byPrice(s []fill) []fill {
	guess, _ := sorter.Order(s, price, sorter.On(sorter.CPU()))
	return sortedStably(s, guess, func(a, b fill) int { return cmp.Compare(a.Price, b.Price) })
}
