package conformance_test

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// Ties of leading codes, in runs of all lengths and at all places: engines mark
// them, and the library breaks them.

// tied is an element whose leading code is lead, and whose ties rest breaks, or
// nothing.
type tied struct {
	lead uint64
	rest uint32
	at   int
}

func (e tied) bytes() (key [16]byte) {
	binary.BigEndian.PutUint64(key[:], e.lead)
	binary.BigEndian.PutUint32(key[8:], e.rest)
	return key
}

func (e tied) text() string { key := e.bytes(); return string(key[:]) + "!" }

// tieLayouts are the lengths of the runs of equal leading codes in the order, over
// and over, for n elements.
var tieLayouts = []struct {
	name    string
	lengths func(n int) []int
}{
	{"none", func(int) []int { return []int{1} }},
	{"all", func(n int) []int { return []int{n} }},
	{"pairs", func(int) []int { return []int{2} }},
	{"some pairs", func(int) []int { return []int{1, 1, 2, 40, 1, 2, 65} }},
	{"whole words", func(int) []int { return []int{32} }},
	{"almost words", func(int) []int { return []int{31, 1, 33, 2, 30} }},
	{"all but the ends", func(n int) []int { return []int{1, max(1, n-2), 1} }},
	{"over the border of a piece", func(int) []int { return []int{1<<15 - 1, 2, 1<<15 - 2, 3, 1<<15 - 2, 1} }},
	{"from border to border", func(int) []int { return []int{1 << 15} }},
	{"for all workers together", func(int) []int { return []int{70_000, 5, 1} }},
}

// tiedElements returns elements in random order, that order, and how many of
// them tie with another.
func tiedElements(n int, lengths []int, seed uint64) (in, sorted []tied, ties int) {
	r := dist.Rand(seed)
	for run := 0; len(in) < n; run++ {
		length := min(lengths[run%len(lengths)], n-len(in))
		if length > 1 {
			ties += length
		}
		for range length {
			in = append(in, tied{lead: uint64(run) * 0x1_0000_0001, rest: r.Uint32N(4) << 30})
		}
	}
	r.Shuffle(n, func(i, j int) { in[i], in[j] = in[j], in[i] })
	for i := range in {
		in[i].at = i
	}
	guess, _ := tiedColumns.Order(in, sorter.Stable())
	sorted = sortedStably(in, guess, func(a, b tied) int {
		return cmp.Or(cmp.Compare(a.lead, b.lead), cmp.Compare(a.rest, b.rest))
	})
	return in, sorted, ties
}

var tiedColumns = sorter.By(sorter.Asc(func(e tied) uint64 { return e.lead }), sorter.Asc(func(e tied) uint32 { return e.rest }))

// checkTiedOn breaks the ties of every layout by keys of each kind that one code
// does not hold, on an engine.
func checkTiedOn(t *testing.T, sizes []int, opts ...sorter.Option) {
	verbs := []func(s []tied, opts ...sorter.Option) error{
		func(s []tied, opts ...sorter.Option) error { return sorter.Sort(s, tied.bytes, opts...) },
		func(s []tied, opts ...sorter.Option) error { return sorter.Sort(s, tied.text, opts...) },
		tiedColumns.Sort,
		func(s []tied, opts ...sorter.Option) error {
			keys := mapped(s, tied.bytes)
			p, err := sorter.OrderKeys(keys, opts...)
			copy(s, mapped(p, func(i uint32) tied { return s[i] }))
			return err
		},
	}
	for i, layout := range tieLayouts {
		for j, n := range sizes {
			if testkit.Thinned(i + 3*j) {
				continue
			}
			in, sorted, ties := tiedElements(n, layout.lengths(n), uint64(n))
			for k, sort := range verbs {
				if n > 1000 && (i+j+k)%2 == 0 {
					continue
				}
				var st sorter.Stats
				s := slices.Clone(in)
				name := fmt.Sprintf("ties: %s, n=%d, verb %d", layout.name, n, k)
				err := sort(s, append(opts, sorter.Stable(), sorter.Report(&st), sorter.Workers(1+(i+j+k)%3))...)
				checkSame(t, name, err, s, sorted)
				if st.Ties != ties {
					t.Errorf("%s: the report has %d ties, there are %d", name, st.Ties, ties)
				}
			}
		}
	}
}

// tiedSizes are around the words and the pieces that ties are read by.
var tiedSizes = []int{1, 2, 31, 32, 33, 64, 65, 1000, 1<<15 - 1, 1 << 15, 1<<15 + 1, 100_001}

func TestTiedOnAnotherEngine(t *testing.T) {
	t.Parallel()
	checkTiedOn(t, testkit.Pick(tiedSizes, tiedSizes), sorter.On(&plainEngine{}))
}

func TestTiedByAlgorithms(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel()
	all := []sorter.Algorithm{sorter.MergeSort, sorter.Radix, sorter.Bitonic}
	if !testkit.Long() {
		all = all[:1]
	}
	for i, a := range all {
		checkTiedOn(t, tiedSizes[i:], sorter.Use(a), sorter.On(sorter.CPU()))
	}
}

// TestTiedInPlace breaks ties in the least memory, where codes are in order beside
// the index.
func TestTiedInPlace(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel()
	for i, layout := range tieLayouts {
		n := tiedSizes[len(tiedSizes)-1-i%4]
		in, sorted, ties := tiedElements(n, layout.lengths(n), uint64(n))
		keys := mapped(in, tied.bytes)
		err := sorter.ErrMemoryLimit
		for limit := int64(n); errors.Is(err, sorter.ErrMemoryLimit); limit += limit / 4 {
			var st sorter.Stats
			var p []uint32
			if p, err = sorter.OrderKeys(keys, sorter.MemoryLimit(limit), sorter.Report(&st), sorter.Workers(1+i%3)); err != nil {
				continue
			}
			name := fmt.Sprintf("ties in place: %s, n=%d", layout.name, n)
			checkSame(t, name, nil, mapped(p, func(i uint32) tied { return in[i] }), sorted)
			if st.Ties != ties || st.Scratch > limit {
				t.Errorf("%s: %d ties, want %d; %d bytes, may take %d", name, st.Ties, ties, st.Scratch, limit)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
}

// TestTiesTakeLittleMemory has another engine order given keys. For their ties the library
// takes a bit per element, and a workspace per worker.
func TestTiesTakeLittleMemory(t *testing.T) {
	testkit.SkipRace(t)
	const n = 300_000
	in, sorted, _ := tiedElements(n, []int{1, 2}, 1)
	var st sorter.Stats
	p, err := sorter.OrderKeys(mapped(in, tied.bytes), sorter.On(&plainEngine{}), sorter.Report(&st), sorter.Workers(2))
	checkSame(t, "OrderKeys", err, mapped(p, func(i uint32) tied { return in[i] }), sorted)
	if st.Scratch > n/4+2*8<<10 {
		t.Errorf("%d bytes of scratch for %d elements and two workers", st.Scratch, n)
	}
}

// TestConstantColumns sorts by columns of which the first are constant, and calls each key
// function once per element.
func TestConstantColumns(t *testing.T) {
	t.Parallel()
	const n = 70_000
	type row struct {
		text string
		num  int
		at   int
	}
	r := rand.New(rand.NewPCG(9, 10))
	rows := make([]row, n)
	for i := range rows {
		rows[i] = row{fmt.Sprintf("the same prefix %d", r.IntN(1000)), r.IntN(5000), i}
	}
	shapes := map[string]func(i int) row{
		"drawn":  func(i int) row { return rows[i] },
		"sorted": func(i int) row { return row{fmt.Sprintf("%08d", i/3), i / 3, i} },
		"alternating": func(i int) row {
			return row{strings.Repeat("x", i%2), i % 2 << 20, i}
		},
	}
	turn := 0
	for shape, at := range shapes {
		in := make([]row, n)
		for i := range in {
			in[i] = at(i)
		}
		var calls [4]atomic.Int64
		constant := sorter.Asc(func(row) int64 { calls[0].Add(1); return 7 })
		flag := sorter.Asc(func(row) [16]byte { calls[1].Add(1); return [16]byte{3: 1} })
		text := sorter.Asc(func(r row) string { calls[2].Add(1); return r.text })
		num := sorter.Desc(func(r row) int { calls[3].Add(1); return r.num })
		for name, cols := range map[string][]sorter.Column[row]{
			"one constant":  {constant, num},
			"text after it": {constant, text, num},
			"two constants": {constant, constant, num, text},
			"wide constant": {constant, flag, text},
			"all constant":  {constant, flag},
		} {
			for _, workers := range []int{1, 3} {
				if turn++; testkit.Thinned(turn) {
					continue
				}
				order, name := sorter.By(cols...), fmt.Sprintf("%s, %s, %d workers", shape, name, workers)
				want := slices.Clone(in)
				testkit.SortStable(want, order.Compare)
				for i := range calls {
					calls[i].Store(0)
				}
				got := slices.Clone(in)
				checkSame(t, name, order.Sort(got, sorter.Workers(workers)), got, want)
				if calls[0].Load() > int64(len(cols))*n || calls[1].Load() > n || calls[2].Load() > n || calls[3].Load() > n {
					t.Errorf("%s: %d, %d, %d and %d calls of key functions for %d rows", name, calls[0].Load(), calls[1].Load(), calls[2].Load(), calls[3].Load(), n)
				}
				p, err := order.Order(in, sorter.Workers(workers))
				checkSame(t, name+", Order", err, mapped(p, func(i uint32) row { return in[i] }), want)
			}
		}
	}
}
