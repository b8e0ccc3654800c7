package conformance_test

import (
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestDeepTexts sorts strings that differ far from their first byte.
func TestDeepTexts(t *testing.T) {
	testkit.SkipRace(t)
	t.Parallel()
	k := keyKind[string]{name: "string", order: oracle.Ordered[string]}
	b := keyKind[[]byte]{name: "bytes", order: oracle.Bytes[[]byte]}
	for i, family := range dist.Deep {
		for j, n := range []int{2, 9, 60, scaled(3000), scaled(20_000)} {
			texts := arrangedTexts(family.Draw(n, dist.Rand(uint64(n))), i+j)
			ref := newReference(family.Name, k.set(texts))
			for turn := range 2 {
				m := modes[(i+j+turn*7)%len(modes)]
				ref.checkSort(t, m)
				ref.checkSortKeys(t, m)
				ref.checkOrder(t, m)
				ref.checkTopK(t, n/3, m)
				ref.checkMerge(t, n/2, m)
			}
			ref.checkIsSorted(t, modes[0])
			ref = newReference(family.Name+", bytes", b.set(mapped(texts, func(s string) []byte { return []byte(s) })))
			ref.checkSort(t, modes[(i*3+j)%len(modes)])
		}
	}
}

// arrangedTexts returns texts unchanged, in order, falling, in order except for one, or
// in order except for several.
func arrangedTexts(texts []string, turn int) []string {
	if turn %= 5; turn == 0 || len(texts) == 0 {
		return texts
	}
	slices.Sort(texts)
	switch n := len(texts); turn {
	case 2:
		slices.Reverse(texts)
	case 3:
		texts = append(texts[1:], texts[0])
	case 4:
		for i := 0; i < n; i += 50 {
			j := i * 7919 % n
			texts[i], texts[j] = texts[j], texts[i]
		}
	}
	return texts
}

// TestDeepTextsByAllWorkers has runs of ties that all workers sort together, in memory
// and in place.
func TestDeepTextsByAllWorkers(t *testing.T) {
	if !testkit.Long() {
		t.Skip("sorts many strings with slices.SortStableFunc")
	}
	t.Parallel()
	k := keyKind[string]{name: "string", order: oracle.Ordered[string]}
	const n = 100_000 // more than one worker sorts
	for i, family := range dist.Deep {
		if i%4 > 0 && !testkit.Long() {
			continue
		}
		texts := family.Draw(n/100, dist.Rand(3))
		r := dist.Rand(4)
		for len(texts) < n {
			texts = append(texts, texts[r.IntN(n/100)])
		}
		ref := newReference(family.Name, k.set(texts))
		ref.checkSort(t, modes[4+i%3])
		ref.checkOrder(t, modes[9])
		ref.checkTopK(t, n/2, modes[5])
		ref.checkTopK(t, 1000, modes[1])
	}
}

// TestDeepColumns breaks ties of strings by later columns, strings among them.
func TestDeepColumns(t *testing.T) {
	t.Parallel()
	type row struct {
		a, b string
		c    uint8
		at   int
	}
	for i, first := range dist.Deep {
		second := dist.Deep[(i+5)%len(dist.Deep)]
		for _, n := range []int{50, scaled(3000), scaled(15_000)} {
			r := dist.Rand(uint64(n))
			a, b := first.Draw(n/4+1, r), second.Draw(n/8+1, r)
			s := make([]row, n)
			for i := range s {
				s[i] = row{a[r.IntN(len(a))], b[r.IntN(len(b))], uint8(r.IntN(3)), i}
			}
			null := func(e row) bool { return e.c == 2 }
			compare := func(x, y row) int {
				return inTurn(
					oracle.Ordered[string](oracle.Order{Desc: i%2 == 0})(x.a, y.a),
					boolsFirst(null(x), null(y)),
					pickInt(null(x), 0, oracle.Ordered[string](oracle.Order{})(x.b, y.b)),
					oracle.Ordered[uint8](oracle.Order{Desc: true})(x.c, y.c),
				)
			}
			one := sorter.Asc(func(e row) string { return e.a })
			if i%2 == 0 {
				one = sorter.Desc(func(e row) string { return e.a })
			}
			by := sorter.By(one, sorter.Asc(func(e row) string { return e.b }).NullsFirst(null), sorter.Desc(func(e row) uint8 { return e.c }))
			want := slices.Clone(s)
			testkit.SortStable(want, compare)
			name := fmt.Sprintf("%s, then %s, n=%d", first.Name, second.Name, n)

			got := slices.Clone(s)
			err := by.Sort(got, sorter.Stable(), sorter.Workers(1+i%3))
			checkSame(t, name, err, got, want)

			got = slices.Clone(s)
			err = by.TopK(got, n/5, sorter.Stable(), sorter.Workers(1+i%3))
			checkSame(t, name+", TopK", err, got[:n/5], want[:n/5])

			x, y := want[:n/3:n/3], want[n/3:]
			got = make([]row, n)
			err = by.Merge(got, [][]row{x, y})
			checkSame(t, name+", Merge", err, got, want)
		}
	}
}

func inTurn(results ...int) int {
	for _, c := range results {
		if c != 0 {
			return c
		}
	}
	return 0
}

// boolsFirst compares true before false.
func boolsFirst(a, b bool) int { return pickInt(a, -1, 0) + pickInt(b, 1, 0) }

func pickInt(first bool, a, b int) int {
	if first {
		return a
	}
	return b
}
