package conformance_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Nulls of 64-bit keys that functions return have the code of an end of the range, which keys may have, too.

// keyedRow is an element by a key that may be null.
type keyedRow[K any] struct {
	at   uint32
	lead int32
	null bool
	key  K
}

func TestNullsOfKeyFunctions(t *testing.T) {
	t.Parallel()
	for _, keys := range laterInts() {
		testNullsOfKeyFunctions(t, keys)
	}
	for _, keys := range laterUints() {
		testNullsOfKeyFunctions(t, keys)
	}
	for _, keys := range laterFloats() {
		testNullsOfKeyFunctions(t, keys)
	}
}

func testNullsOfKeyFunctions[K interface {
	sorter.Key
	cmp.Ordered
}](t *testing.T, keys laterKeys[K]) {
	turn := 0
	for lead, first := range laterLeads {
		for _, n := range []int{3, 20, 300, 3000, 20_000} {
			for _, pattern := range nullPatterns {
				if turn++; testkit.Thinned(turn) || n > 10_000 && !testkit.Long() && turn%5 != 0 {
					continue
				}
				r := dist.Rand(uint64(turn))
				rows := make([]keyedRow[K], n)
				for i := range rows {
					rows[i] = keyedRow[K]{at: uint32(i), lead: first(i, n, r), null: pattern.null(i, n, r), key: keys.draw(r)}
				}
				c := keyedCase[K]{rows: rows, calls: make([]atomic.Uint32, n), desc: turn&1 != 0, first: turn&2 != 0, late: turn%3 > 0}
				c.name = fmt.Sprintf("%s, lead %s, n=%d, %s null, desc=%v, first=%v, later=%v", keys.name, lead, n, pattern.name, c.desc, c.first, c.late)
				o := nullOptions[turn%len(nullOptions)]
				c.check(t, o.opts, o.order, r)
			}
		}
	}
}

// keyedCase is rows by a key that may be null, after another column or not.
type keyedCase[K interface {
	sorter.Key
	cmp.Ordered
}] struct {
	name              string
	rows              []keyedRow[K]
	calls             []atomic.Uint32 // by row
	desc, first, late bool
}

// ordering returns the order by key functions that count their calls.
func (c *keyedCase[K]) ordering() sorter.Ordering[keyedRow[K]] {
	key := func(e keyedRow[K]) K {
		if c.calls[e.at].Add(1); e.null {
			panic("the key of a null")
		}
		return e.key
	}
	col, isNull := sorter.Asc(key), func(e keyedRow[K]) bool { return e.null }
	if c.desc {
		col = sorter.Desc(key)
	}
	if col = col.NullsLast(isNull); c.first {
		col = col.NullsFirst(isNull)
	}
	if c.late {
		return sorter.By(sorter.Asc(func(e keyedRow[K]) int32 { return e.lead }), col)
	}
	return sorter.By(col)
}

// compare compares two rows.
func (c *keyedCase[K]) compare(o oracle.Order) func(a, b keyedRow[K]) int {
	of, leads := oracle.Ordered[K](o.Of(oracle.Order{Desc: c.desc})), oracle.Ordered[int32](o)
	return func(a, b keyedRow[K]) int {
		if d := leads(a.lead, b.lead); c.late && d != 0 {
			return d
		}
		switch {
		case a.null && b.null:
			return 0
		case a.null != b.null && a.null == c.first:
			return -1
		case a.null != b.null:
			return 1
		}
		return of(a.key, b.key)
	}
}

// sameKeyed reports whether two rows are the same one: NaNs differ from themselves.
func sameKeyed[K any](a, b keyedRow[K]) bool { return a.at == b.at }

// check compares the results of all verbs with the oracle's.
func (c *keyedCase[K]) check(t *testing.T, opts []sorter.Option, o oracle.Order, r *rand.Rand) {
	t.Helper()
	by, compare, n := c.ordering(), c.compare(o), len(c.rows)
	opts = append(slices.Clone(opts), sorter.Stable())
	guess, _ := c.ordering().Order(c.rows, opts...)
	want, got := sortedStably(c.rows, guess, compare), slices.Clone(c.rows)
	verb := func(name string, run func() error) {
		t.Helper()
		for i := range c.calls {
			c.calls[i].Store(0)
		}
		if err := run(); err != nil {
			t.Fatalf("%s: %s: %v", name, c.name, err)
		}
		for i := range c.calls {
			if calls := c.calls[i].Load(); calls > 1 {
				t.Fatalf("%s: %s: the key function was called %d times for row %d", name, c.name, calls, i)
			}
		}
	}
	differ := func(name string, got, want []keyedRow[K]) {
		t.Helper()
		if diff := oracle.Diff(got, want, sameKeyed[K]); diff != "" {
			t.Fatalf("%s: %s: %s", name, c.name, diff)
		}
	}
	verb("Sort", func() error { return by.Sort(got, opts...) })
	differ("Sort", got, want)
	verb("Order", func() error {
		p, err := by.Order(c.rows, opts...)
		for i, at := range p {
			got[i] = c.rows[at]
		}
		return err
	})
	differ("Order", got, want)
	copy(got, c.rows)
	k := 1 + r.IntN(n)
	verb("TopK", func() error { return by.TopK(got, k, opts...) })
	differ("TopK", got[:k], want[:k])

	cuts := []int{0, r.IntN(n + 1), r.IntN(n + 1), n}
	slices.Sort(cuts)
	var runs [][]keyedRow[K]
	for i := range cuts[1:] {
		runs = append(runs, slices.DeleteFunc(slices.Clone(want), func(e keyedRow[K]) bool {
			return int(e.at) < cuts[i] || int(e.at) >= cuts[i+1]
		}))
	}
	verb("Merge of many", func() error { return by.Merge(got, runs, opts...) })
	differ("Merge of many", got, want)
}

// TestNullsOfOneOrdering has one ordering sort other rows in turn: keys with the code of nulls, and then nulls
// in their places.
func TestNullsOfOneOrdering(t *testing.T) {
	for _, first := range []bool{false, true} {
		rows := make([]keyedRow[uint64], 200)
		c := keyedCase[uint64]{rows: rows, calls: make([]atomic.Uint32, len(rows)), first: first, late: true}
		by := c.ordering()
		for i := range rows {
			rows[i] = keyedRow[uint64]{at: uint32(i)}
			if !first {
				rows[i].key--
			}
		}
		for turn := range 6 {
			for i := range rows {
				rows[i].null = turn%2 != 0 && i != 64
			}
			want, got := slices.Clone(rows), slices.Clone(rows)
			testkit.SortStable(want, c.compare(oracle.Order{}))
			err := by.Sort(got, sorter.Stable())
			if diff := oracle.Diff(got, want, sameKeyed[uint64]); err != nil || diff != "" {
				t.Errorf("nulls first %v, turn %d: %v, %s", first, turn, err, diff)
			}
		}
	}
}

// TestNullsMovedByBuckets has more rows than are sorted in the cache: what there is of a key beside its code
// moves with the elements.
func TestNullsMovedByBuckets(t *testing.T) {
	testkit.SkipRace(t)
	n, r := 200_000, dist.Rand(31)
	for _, keys := range laterInts()[:4] {
		for turn, pattern := range nullPatterns[2:5] {
			rows := make([]keyedRow[int64], n)
			for i := range rows {
				rows[i] = keyedRow[int64]{at: uint32(i), null: pattern.null(i, n, r), key: keys.draw(r)}
			}
			c := keyedCase[int64]{rows: rows, calls: make([]atomic.Uint32, n), first: turn != 1}
			want := slices.Clone(rows)
			testkit.SortStable(want, c.compare(oracle.Order{}))
			err := c.ordering().Sort(rows, sorter.Stable(), sorter.Use(sorter.BucketRadix), sorter.Workers(1+turn))
			if diff := oracle.Diff(rows, want, sameKeyed[int64]); err != nil || diff != "" {
				t.Errorf("%s, %s null: %v, %s", keys.name, pattern.name, err, diff)
			}
		}
	}
}
