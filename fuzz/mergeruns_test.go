package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter/internal/pipeline"
	"example.com/sorter/internal/testkit"
)

// FuzzMergeRuns merges sorted runs of any lengths, and sorts their elements, with a limit that a
// slice exceeds: the results are the stable sort of the whole, because ties take earlier runs
// first. Each byte of cuts ends a run.
func FuzzMergeRuns(f *testing.F) {
	for kind := range kinds {
		if testkit.ThinnedByRace(kind) {
			continue
		}
		f.Add(byte(kind), byte(kind), byte(30), byte(0xff), []byte{20, 20, 90, 255}, []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80"))
		f.Add(byte(kind), byte(kind*5), byte(165+kind*5), byte(3), []byte("many runs of other lengths"), []byte("cut at samples of keys"))
	}
	f.Fuzz(func(t *testing.T, kind, bits, size, mask byte, cuts, data []byte) {
		keys := draw(kind, size, mask, data)
		order, opts := options(bits)
		compare := keys.compare(order)
		all := ascending(keys.len())
		slices.Sort(cuts)
		var runs [][]int
		from := 0
		for _, cut := range append(cuts, 255) {
			to := len(all) * int(cut) / 255
			testkit.SortStable(all[from:to], compare)
			runs = append(runs, all[from:to])
			from = to
		}
		kept, want := slices.Clone(all), sorted(keys.len(), compare)

		dst := make([]int, len(all))
		err := keys.mergeRuns(dst, runs, opts...)
		check(t, "Merge of many", err, dst, want)
		check(t, "Merge changed the runs", nil, all, kept)

		defer pipeline.LowerLimit(max(1, len(all)/3))()
		clear(dst)
		err = keys.mergeRuns(dst, runs, opts...)
		check(t, "Merge of many in parts", err, dst, want)
		rows := ascending(keys.len())
		err = keys.sort(rows, opts...)
		check(t, "Sort in chunks", err, rows, want)
	})
}
