package small_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// item is ordered by columns that tie often.
type item struct {
	group int64
	name  string
	when  time.Time
	price float64
	at    int
}

// names are made of the numbers of items, in their order.
var names = []func(i int) string{
	func(i int) string { return fmt.Sprintf("%06d", i/2) },
	func(i int) string { return fmt.Sprintf("a text of many bytes and %06d", i/2) },
	func(i int) string { return fmt.Sprintf("%09d", i/2) },
	func(i int) string { return fmt.Sprint(i / 2) },
	func(i int) string { return fmt.Sprintf("\x00%d\x00", i/2) },
	func(i int) string { return fmt.Sprintf("text of %03d and a tail: %06d", i/60, i/2) },
	func(i int) string { return strings.Repeat("long", 300) + fmt.Sprintf("%06d", i/2) },
	func(int) string { return "a text of many bytes" },
}

// items returns n items in the order of their numbers, of which the given number is then moved.
func items(r *rand.Rand, n, moved int, name func(i int) string) []item {
	s := make([]item, n)
	for i := range s {
		s[i] = item{int64(i / 4), name(i), time.Unix(int64(i/3), int64(i)), float64(i), i}
	}
	switch r.IntN(5) {
	case 0:
		slices.Reverse(s)
	case 1: // the last column is in no order
		for i := range s {
			s[i].price = r.Float64()
		}
	case 2: // items are equal
		for i := range s {
			s[i].price = float64(i / 8)
		}
	}
	for range moved {
		i := r.IntN(n)
		x := s[i]
		if r.IntN(3) == 0 { // a second one with these keys, except for the last
			x = s[r.IntN(n)]
			x.price = float64(i)
		}
		to := r.IntN(n)
		if r.IntN(2) == 0 {
			to = min(i+r.IntN(8), n-1)
		}
		s = slices.Insert(slices.Delete(s, i, i+1), to, x)
	}
	for i := range s {
		s[i].at = i
	}
	return s
}

var columns = []struct {
	name    string
	column  func(calls []int) sorter.Column[item]
	compare func(a, b item) int
}{
	{"group", func(calls []int) sorter.Column[item] {
		return sorter.Asc(func(e item) int64 { calls[e.at]++; return e.group })
	}, func(a, b item) int { return cmp.Compare(a.group, b.group) }},
	{"-group, few null", func(calls []int) sorter.Column[item] {
		return sorter.Desc(func(e item) int32 { calls[e.at]++; return int32(e.group) }).NullsFirst(func(e item) bool { return e.group == 1 })
	}, func(a, b item) int {
		return cmp.Or(-cmp.Compare(of(a.group == 1), of(b.group == 1)), -cmp.Compare(a.group, b.group))
	}},
	{"name", func(calls []int) sorter.Column[item] {
		return sorter.Asc(func(e item) string { calls[e.at]++; return e.name })
	}, func(a, b item) int { return strings.Compare(a.name, b.name) }},
	{"-name in bytes", func(calls []int) sorter.Column[item] {
		return sorter.Desc(func(e item) []byte { calls[e.at]++; return []byte(e.name) })
	}, func(a, b item) int { return -strings.Compare(a.name, b.name) }},
	{"when", func(calls []int) sorter.Column[item] {
		return sorter.Asc(func(e item) time.Time { calls[e.at]++; return e.when })
	}, func(a, b item) int { return a.when.Compare(b.when) }},
	{"price", func(calls []int) sorter.Column[item] {
		return sorter.Asc(func(e item) float64 { calls[e.at]++; return e.price })
	}, func(a, b item) int { return cmp.Compare(a.price, b.price) }},
	{"-price", func(calls []int) sorter.Column[item] {
		return sorter.Desc(func(e item) float32 { calls[e.at]++; return float32(e.price) })
	}, func(a, b item) int { return -cmp.Compare(float32(a.price), float32(b.price)) }},
}

func of(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestNearlyInOrder has items in order, falling or equal, of which few are moved, in orders by up to three
// columns. The second sort by an Ordering takes another way than the first. No key is asked for twice.
func TestNearlyInOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{3, 10, 16, 17, 40, 129, 500, 4096, 9001} { // the last are no longer few
		for turn := range max(16, 300-n/11) {
			if testkit.ThinnedByRace(turn) {
				continue
			}
			name := names[r.IntN(len(names))]
			in := items(r, n, r.IntN(3)*r.IntN(3), name)
			drawn := r.Perm(len(columns))[:1+r.IntN(3)]
			compare := func(a, b item) int {
				for _, c := range drawn {
					if order := columns[c].compare(a, b); order != 0 {
						return order
					}
				}
				return 0
			}
			by, calls, cols := "", make([][]int, len(drawn)), []sorter.Column[item](nil)
			for i, c := range drawn {
				calls[i] = make([]int, n)
				by, cols = by+", "+columns[c].name, append(cols, columns[c].column(calls[i]))
			}
			ordering := sorter.By(cols...)
			for use := range 4 {
				if use == 3 {
					r.Shuffle(n, func(i, j int) { in[i], in[j] = in[j], in[i] })
				}
				want := slices.Clone(in)
				testkit.SortStable(want, compare)
				for i := range calls {
					clear(calls[i])
				}
				got := slices.Clone(in)
				if err := ordering.Sort(got, sorter.Stable()); err != nil || !slices.Equal(got, want) {
					t.Fatalf("n=%d, turn %d, use %d, by%s, %q: error %v, or in no order", n, turn, use, by[1:], in[0].name, err)
				}
				for i := range calls {
					if most := slices.Max(calls[i]); most > 1 {
						t.Fatalf("n=%d, by%s: a key of column %d was asked for %d times", n, by[1:], i, most)
					}
				}
			}
		}
	}
}

// TestTextsNearlyInOrder has texts and other wide keys, as elements and in elements.
func TestTextsNearlyInOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	for _, n := range []int{3, 10, 16, 17, 40, 129, 500, 4096} {
		for turn := range 200 - n/22 {
			if testkit.ThinnedByRace(turn) {
				continue
			}
			name := names[r.IntN(len(names))]
			in := items(r, n, r.IntN(3)*r.IntN(3), name)
			opts, sign := []sorter.Option{sorter.Stable()}, 1
			if r.IntN(3) == 0 {
				opts, sign = append(opts, sorter.Descending()), -1
			}
			byName, byTime := slices.Clone(in), slices.Clone(in)
			testkit.SortStable(byName, func(a, b item) int { return sign * strings.Compare(a.name, b.name) })
			testkit.SortStable(byTime, func(a, b item) int { return sign * a.when.Compare(b.when) })
			check := func(verb string, err error, got, want []item) {
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s, n=%d, turn %d, %q: error %v, or in no order", verb, n, turn, in[0].name, err)
				}
			}
			got := slices.Clone(in)
			err := sorter.Sort(got, func(e item) string { return e.name }, opts...)
			check("by text", err, got, byName)
			copy(got, in)
			err = sorter.Sort(got, func(e item) []byte { return []byte(e.name) }, opts...)
			check("by bytes", err, got, byName)
			copy(got, in)
			err = sorter.Sort(got, func(e item) time.Time { return e.when }, opts...)
			check("by time", err, got, byTime)
			keys := make([]string, n)
			for i := range in {
				keys[i] = in[i].name
			}
			copy(got, in)
			err = sorter.SortPairs(slices.Clone(keys), got, opts...)
			check("SortPairs", err, got, byName)
			err = sorter.SortKeys(keys, opts...)
			for i := range keys {
				if keys[i] != byName[i].name || err != nil {
					t.Fatalf("SortKeys, n=%d, turn %d, %q: error %v, or in no order", n, turn, in[0].name, err)
				}
			}
		}
	}
}
