package extsort_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/sorter"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

// TestUniqueOfMergedRuns takes so little memory that runs are merged into longer ones before the
// last merge. Every run has most keys, so those that tie would fill more than a part.
func TestUniqueOfMergedRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 72))
	for _, distinct := range []uint64{300, 3000} {
		rows := rowsOf(make([]uint64, 16_000))
		for i := range rows {
			rows[i].Key = r.Uint64N(distinct)
		}
		for _, opts := range [][]extsort.Option{nil, {extsort.Compress(extsort.S2), extsort.MemoryLimit(300 << 10)}} {
			opts = append([]extsort.Option{extsort.MemoryLimit(48 << 10), extsort.Unique()}, opts...)
			t.Run(fmt.Sprintf("rows/distinct=%d/options=%d", distinct, len(opts)), func(t *testing.T) {
				want := slices.CompactFunc(sorted(rows), func(a, b row) bool { return a.Key == b.Key })
				sameElements(t, collect(t, filled(t, rows, opts...)), want)
			})
		}
	}
	for _, longest := range []int{40, 2900} {
		texts := make([]string, 12_000)
		for i := range texts { // the short ones differ, the others are long and few
			if texts[i] = fmt.Sprint("text ", r.IntN(3000)); r.IntN(30) == 0 {
				texts[i] = strings.Repeat("x", longest-r.IntN(20))
			}
		}
		for _, codec := range []extsort.Codec[string]{extsort.Strings(), copiedStrings{}} {
			t.Run(fmt.Sprintf("texts/longest=%d/%T", longest, codec), func(t *testing.T) {
				var st extsort.Stats
				s, err := extsort.NewCoded(sorter.By(sorter.Asc(strings.Clone)), codec, extsort.MemoryLimit(96<<10),
					extsort.Unique(), extsort.TempDir(t.TempDir()), extsort.Report(&st))
				must(t, err)
				defer s.Close()
				must(t, s.Append(texts...))
				want := slices.Clone(texts)
				testkit.SortStable(want, cmp.Compare[string])
				want = slices.Compact(want)
				sameElements(t, collect(t, s), want)
				if st.Merges == 0 || st.Dropped != int64(len(texts)-len(want)) {
					t.Errorf("%d merges, %d elements dropped of %d", st.Merges, st.Dropped, len(texts)-len(want))
				}
			})
		}
	}
}

// copiedStrings is a codec whose elements have memory of their own.
type copiedStrings struct{}

func (copiedStrings) Append(dst []byte, e string) ([]byte, error) { return append(dst, e...), nil }

func (copiedStrings) Decode(src []byte) (string, error) { return string(src), nil }

// TestMorePartsThanMemoryHas asks for more parts than blocks fit the memory: some parts are empty.
func TestMorePartsThanMemoryHas(t *testing.T) {
	for _, opts := range [][]extsort.Option{nil, {extsort.Unique()}, {extsort.Compress(extsort.Zstd), extsort.MemoryLimit(4 << 20)}} {
		for _, n := range []int{30, 300} {
			type wide struct {
				row
				_ [23]uint64
			}
			all := make([]wide, 20_000)
			for i := range all {
				all[i].row = row{Key: uint64(i*7919) % 20_011, At: uint64(i)}
			}
			s, err := extsort.New(sorter.By(sorter.Asc(func(e wide) uint64 { return e.Key })),
				append([]extsort.Option{extsort.MemoryLimit(1 << 20), extsort.TempDir(t.TempDir())}, opts...)...)
			must(t, err)
			defer s.Close()
			must(t, s.Append(all...))
			parts, err := s.Parts(n)
			must(t, err)
			if len(parts) != n {
				t.Fatalf("%d parts of %d", len(parts), n)
			}
			got, empty := []wide(nil), 0
			for _, p := range parts {
				if p.Start() != int64(len(got)) {
					t.Fatalf("a part begins at %d, says %d", len(got), p.Start())
				}
				if p.Len() == 0 {
					empty++
				}
				for e, err := range p.All() {
					must(t, err)
					got = append(got, e)
				}
			}
			testkit.SortStable(all, func(a, b wide) int { return cmp.Compare(a.Key, b.Key) })
			sameElements(t, got, all)
			if empty == 0 {
				t.Errorf("none of %d parts is empty", n)
			}
		}
	}
}
