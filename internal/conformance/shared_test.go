package conformance_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// sharedFamilies are texts that all begin alike, and have ties in their first eight bytes.
var sharedFamilies = []struct {
	name string
	of   func(r *rand.Rand) string
}{
	{"digits after 5 bytes", func(r *rand.Rand) string { return fmt.Sprintf("name-%06d", r.IntN(2000)) }},
	{"more than 8 after 5 bytes", func(r *rand.Rand) string { return fmt.Sprintf("name-%012d", r.IntN(2000)) }},
	{"digits after 24 bytes", func(r *rand.Rand) string { return fmt.Sprintf("https://www.example.com/%d", r.IntN(2000)) }},
	{"zeros after 8 bytes", func(r *rand.Rand) string { return "8 bytes:" + zeros(r, 9) }},
	{"zeros after 3 bytes", func(r *rand.Rand) string { return "key" + zeros(r, 9) }},
	{"a zero in 3 bytes", func(r *rand.Rand) string { return "k\x00y" + zeros(r, 9) }},
	{"the end at a zero", func(r *rand.Rand) string { return "ab" + strings.Repeat("\x00", r.IntN(4)) }},
	{"ends among zeros", func(r *rand.Rand) string { return "ab\x00\x00\x00c"[:2+r.IntN(5)] }},
	{"one a prefix of all", func(r *rand.Rand) string { return "12345678abcdefgh"[:8+r.IntN(9)] }},
	{"two lengths", func(r *rand.Rand) string { return strings.Repeat("x", 70+5*r.IntN(2)) + zeros(r, 3) }},
}

// zeros returns up to n bytes, many of them zero.
func zeros(r *rand.Rand, n int) string {
	b := make([]byte, r.IntN(n+1))
	for i := range b {
		b[i] = "\x00\x00\x01\xff"[r.IntN(4)]
	}
	return string(b)
}

// TestSharedTexts sorts and merges texts that begin alike.
func TestSharedTexts(t *testing.T) {
	t.Parallel()
	k := keyKind[string]{name: "string", order: oracle.Ordered[string]}
	b := keyKind[[]byte]{name: "bytes", order: oracle.Bytes[[]byte]}
	for i, family := range sharedFamilies {
		r := dist.Rand(uint64(i))
		texts := make([]string, 6000) // more than the small path takes
		for i := range texts {
			texts[i] = family.of(r)
		}
		ref := newReference(family.name, k.set(texts))
		for turn := range 3 {
			m := modes[(i+turn*5)%len(modes)]
			ref.checkSort(t, m)
			ref.checkOrder(t, m)
			ref.checkMerge(t, len(texts)/2, m)
			ref.checkMergeRuns(t, (i+turn)%len(cuts), m)
		}
		ref = newReference(family.name+", bytes", b.set(mapped(texts, func(s string) []byte { return []byte(s) })))
		ref.checkSort(t, modes[i%len(modes)])
		ref.checkMergeRuns(t, i%len(cuts), modes[i%len(modes)])
	}
}

// TestSharedTextsThenNumbers merges texts that begin alike, and numbers, by a further column.
func TestSharedTextsThenNumbers(t *testing.T) {
	t.Parallel()
	type row struct {
		text   string
		number int64
		score  float64
		at     int
	}
	for i, family := range sharedFamilies {
		r := dist.Rand(uint64(i))
		all := make([]row, 6000)
		for i := range all {
			all[i] = row{family.of(r), r.Int64N(500) << 40, float64(r.IntN(9)), i}
		}
		for _, text := range []bool{true, false} {
			first := sorter.Asc(func(e row) int64 { return e.number })
			if text {
				first = sorter.Asc(func(e row) string { return e.text })
			}
			by := sorter.By(first, sorter.Desc(func(e row) float64 { return e.score }))
			want := slices.Clone(all)
			testkit.SortStable(want, by.Compare)
			got := slices.Clone(all)
			checkSame(t, family.name, by.Sort(got, sorter.Stable(), sorter.Workers(1+i%3)), got, want)

			runs := slices.Collect(slices.Chunk(slices.Clone(all), 700))
			for _, run := range runs {
				testkit.SortStable(run, by.Compare)
			}
			checkSame(t, family.name+", Merge of many", by.Merge(got, runs), got, want)
		}
	}
}

// TestSharedTextsUnsorted merges texts whose first and last begin alike, and some of the others are
// shorter: every element comes once.
func TestSharedTextsUnsorted(t *testing.T) {
	dst := make([]int, 6000)
	key := func(i int) string { return "shared by most"[:min(2+(i+500)%1000, 14)] }
	checkSame(t, "error", sorter.Merge(dst, cutAt(reversed(6000), 1700, 3700), key), nil, []int(nil))
	checkPermuted(t, "unsorted runs", dst, 6000)
}

// reversed returns n-1 … 0.
func reversed(n int) []int {
	s := ascending(n)
	slices.Reverse(s)
	return s
}
