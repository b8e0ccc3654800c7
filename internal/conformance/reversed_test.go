package conformance_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/perm"
)

// falling is an element whose fields all order it in the same way.
type falling struct {
	Text   string
	Hi, Lo int64
	Wide   [16]byte
	id     int
}

func fallingOf(key, id int) falling {
	e := falling{Text: fmt.Sprintf("text of %09d", key), Hi: int64(key / 8), Lo: int64(key % 8), id: id}
	binary.BigEndian.PutUint64(e.Wide[8:], uint64(key))
	return e
}

// fallingRuns draws n keys that fall, in runs of equal ones, a few of them long. Many begin with the last
// element of a block, as which parts of workers end.
func fallingRuns(n int, r *rand.Rand) (s []falling) {
	for key := n; len(s) < n; key-- {
		long := 1 + r.IntN(2)*r.IntN(3)
		if r.IntN(200) == 0 {
			long = 70
		} else if r.IntN(n) < 2 {
			long = 5000
		}
		if left := 2047 - len(s)%2048; left == 0 {
			long = 3
		} else if long < 5000 {
			long = min(long, left)
		}
		for range min(long, n-len(s)) {
			s = append(s, fallingOf(key, len(s)))
		}
	}
	return s
}

// reverseSorts sort by the same order in the ways of different keys.
var reverseSorts = map[string]func(s []falling, opts ...sorter.Option) error{
	"text": func(s []falling, opts ...sorter.Option) error {
		return sorter.Sort(s, func(e falling) string { return e.Text }, opts...)
	},
	"columns": sorter.By(sorter.Asc(func(e falling) int64 { return e.Hi }), sorter.Asc(func(e falling) int64 { return e.Lo })).Sort,
	"fields":  fieldsOf("Hi", "Lo").Sort,
	"a text":  fieldsOf("Text").Sort,
	"bytes":   fieldsOf("Wide").Sort,
	"an order": func(s []falling, opts ...sorter.Option) error {
		p, err := sorter.Order(s, func(e falling) string { return e.Text }, opts...)
		if err == nil {
			perm.Apply(s, p, 0)
		}
		return err
	},
}

func fieldsOf(names ...string) sorter.Ordering[falling] {
	by, err := sorter.ByFields[falling](names...)
	if err != nil {
		panic(err)
	}
	return by
}

// TestReversedRuns sorts elements that fall and tie: runs keep their sequence, wherever workers share the input.
func TestReversedRuns(t *testing.T) {
	t.Parallel()
	turn := 0
	for _, n := range []int{4097, 8192, 40_000, testkit.Pick(70_001, 200_000)} {
		for seed := range uint64(4) {
			r := dist.Rand(uint64(n) + seed)
			in := fallingRuns(n, r)
			if seed == 3 { // one rises
				at := r.IntN(n)
				in[at] = fallingOf(r.IntN(n), at)
			}
			want := slices.Clone(in)
			slices.SortStableFunc(want, func(a, b falling) int { return slices.Compare(a.Wide[:], b.Wide[:]) })
			for name, sort := range reverseSorts {
				if turn++; testkit.ThinnedTo(11, turn) {
					continue
				}
				for _, workers := range []int{1, 2, 5} {
					got := slices.Clone(in)
					err := sort(got, sorter.Workers(workers))
					checkSame(t, fmt.Sprintf("%s, n=%d, seed %d, %d workers", name, n, seed, workers), err, got, want)
				}
			}
		}
	}
}
