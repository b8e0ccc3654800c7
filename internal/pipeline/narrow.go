package pipeline

import (
	"math"
	"slices"
	"sync"

	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
)

// With fewer than leastNarrowed rows, samples and passes take longer than they save.
const leastNarrowed = 1 << 16 // Xeon, 2026-11: bench/results/constants.md

// One of narrowStep rows, and mostNarrowRows at most, have the codes of their first word sampled. Bounds of keys are sampled at narrowSpots
// places, of narrowKeys rows that lie side by side.
const narrowStep, mostNarrowRows, narrowSpots, narrowKeys = 256, 4096, 8, 32

// mayNarrow reports whether most rows tie in the first word of the columns, as far as a sample says, and whether more columns would
// fit it if each took the bits of its keys alone.
func (t *task) mayNarrow() bool {
	r := t.r
	words := r.markedWords(t.cols)
	if t.rows.Len < leastNarrowed || len(words) < 2 || !words[0].InMemory || !words[0].Exact() || !r.mostTie(t.rows, &words[0]) {
		return false
	}
	cols := slices.Clone(t.cols)
	for i := range cols {
		c := cols[i].Under(r.Order())
		if !narrows(i, &c) {
			continue
		}
		least, most := uint64(math.MaxUint64), uint64(0)
		for k := range narrowSpots {
			at := (t.rows.Len - narrowKeys) / (narrowSpots - 1) * k
			a, b := c.CodeBounds(t.rows, at, at+narrowKeys)
			least, most = min(least, a), max(most, b)
		}
		cols[i].Narrow(least, most)
	}
	return r.markedWords(cols)[0].Columns() > words[0].Columns()
}

// mostTie reports whether, by a sample of the codes of a word, rows tie that make up a fifth of all or more: with d ties in a
// sample of s, codes have about s*s/2d values, and n rows of v values tie except for a share of exp(-n/v).
func (r *request) mostTie(rows extract.Input, word *extract.Word) bool {
	n, buffer := rows.Len, sampledCodes.Get().(*[mostNarrowRows]uint64)
	defer sampledCodes.Put(buffer)
	codes := buffer[:min(n/narrowStep, mostNarrowRows)]
	word.Open(rows, &r.Env)
	src := extract.Source64(rows, word)
	for i := range codes {
		src(codes[i:i+1], int(uint64(n)*uint64(i)/uint64(len(codes))))
	}
	slices.Sort(codes)
	return presorted.StepsOf(codes).Ties > len(codes)*len(codes)/8/n
}

var sampledCodes = sync.Pool{New: func() any { return new([mostNarrowRows]uint64) }}

// narrows reports whether the i-th column may be narrowed. Nulls of the first one are ordered apart.
func narrows(i int, c *extract.Column) bool {
	return c.MayNarrow() && (i > 0 || c.Nulls == column.NoNulls)
}

// narrowColumns gives the columns that fit the first word then the bits of their keys.
func narrowColumns(t *task) (done bool, err error) {
	r, cols := t.r, slices.Clone(t.cols)
	for i := range cols {
		c := cols[i].Under(r.Order())
		if !narrows(i, &c) {
			continue
		}
		if i > 0 && extract.Words(cols[:i], r.Order())[0].Bits == 64 {
			break
		}
		least, most, err := r.codeBounds(t.rows, &c)
		if err != nil {
			return false, err
		}
		cols[i].Narrow(least, most)
	}
	if r.markedWords(cols)[0].Columns() > r.markedWords(t.cols)[0].Columns() {
		copy(t.cols, cols)
		t.f.words = r.markedWords(t.cols)
	}
	return false, nil
}

func (f *facts) narrowsColumns() bool { return !f.part && f.narrow != nil && f.narrow() }
