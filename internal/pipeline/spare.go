package pipeline

import (
	"math"
	"slices"
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/ways"
)

// spareSample is the number of codes of the columns before by which spareCodes decides whether rows tie.
// With fewer than leastSampled rows it takes longer than the pass that it may save.
const spareSample, leastSampled = 512, 1 << 17 // EPYC, 2026-11: bench/results/constants.md

// mayHaveSpare reports whether a spare code may make a column narrow. The first is left out if its nulls are ordered apart.
func (r *Request) mayHaveSpare(cols []extract.Column, apart bool) bool {
	for i := range cols {
		if c := cols[i].Under(r.Order()); c.MayHaveSpare() && (i > 0 || !apart) {
			return true
		}
	}
	return false
}

func (f *Facts) mayHaveSpare() bool { return !f.part && f.spare != nil && f.spare() }

// spareNulls gives nulls of later columns codes that no key has.
func spareNulls(t *task) (done bool, err error) {
	t.r.findSpare(t.rows, t.cols, true)
	t.f.Words = t.r.markedWords(t.cols)
	return true, nil
}

// SpareCodes does the ways of columns whose nulls are not ordered apart. It changes cols.
func (r *Request) SpareCodes(rows extract.Input, cols []extract.Column) {
	t := &task{r: r, rows: rows, cols: cols}
	t.f.spare = func() bool { return r.mayHaveSpare(cols, false) }
	_, _ = ways.First(&t.f, t, columnWays) // none fails
}

// spareCodes gives nulls of all columns codes that no key has.
func spareCodes(t *task) (done bool, err error) {
	t.r.findSpare(t.rows, t.cols, false)
	return true, nil
}

// findSpare looks for codes that no key has, for the nulls of columns of 64-bit keys. It changes cols.
// The first is left out if its nulls are ordered apart. Later ones are needed only if rows tie.
func (r *Request) findSpare(rows extract.Input, cols []extract.Column, apart bool) {
	for i := range cols {
		c := cols[i].Under(r.Order())
		switch {
		case !c.MayHaveSpare() || i == 0 && apart:
			continue
		case i > 0 && !r.ties(rows, cols[:i]):
			return
		}
		if least, most, err := r.codeBounds(rows, &c); err == nil {
			cols[i].Spare(least, most)
		}
	}
}

// ties reports whether rows of a sample tie on columns, as far as their keys lie in memory.
func (r *Request) ties(rows extract.Input, cols []extract.Column) bool {
	lead := extract.Words(cols, r.Order())[0]
	if !lead.InMemory || rows.Len < leastSampled {
		return true
	}
	var codes [spareSample]uint64
	return r.sampledTies(rows, &lead, codes[:]) > 0
}

// sampledTies samples codes of a word, as many as it is given memory for, and returns how many of them are those of others before.
func (r *Request) sampledTies(rows extract.Input, word *extract.Word, codes []uint64) int {
	word.Open(rows, &r.Env)
	src := extract.Source64(rows, word)
	for i := range codes {
		src(codes[i:i+1], int(uint64(rows.Len)*uint64(i)/uint64(len(codes))))
	}
	slices.Sort(codes)
	return presorted.StepsOf(codes).Ties
}

// codeBounds returns bounds of the codes of a column in memory.
func (r *Request) codeBounds(rows extract.Input, c *extract.Column) (least, most uint64, err error) {
	var mu sync.Mutex
	least = math.MaxUint64
	err = r.Stage("survey", rows.Len, r.piece(rows.Len), func(_, lo, hi int) {
		a, b := uint64(math.MaxUint64), uint64(0)
		for ; lo < hi && (a > 0 || b < math.MaxUint64) && r.Loop.Err() == nil; lo += engine.Block {
			some, others := c.CodeBounds(rows, lo, min(lo+engine.Block, hi))
			a, b = min(a, some), max(b, others)
		}
		mu.Lock()
		defer mu.Unlock()
		least, most = min(least, a), max(most, b)
	})
	return least, most, r.Stopped(err)
}

// With fewer than leastNarrowed rows, samples and passes take longer than they save, and with fewer than leastOverDealt those of two
// words that may be dealt by the first.
const leastNarrowed, leastOverDealt = 1 << 16, 1 << 20 // Xeon, 2026-11: bench/results/constants.md

// One of narrowStep rows, and mostNarrowRows at most, have the codes of their first word sampled. Bounds of keys are sampled at narrowSpots
// places, of narrowKeys rows that lie side by side.
const narrowStep, mostNarrowRows, narrowSpots, narrowKeys = 256, 4096, 8, 32

// mayNarrow reports whether most rows tie in the first word of the columns, as far as a sample says, and whether more columns would
// fit it if each took the bits of its keys alone.
func (t *task) mayNarrow() bool {
	r := t.r
	words := r.markedWords(t.cols)
	if t.rows.Len < leastNarrowed || len(words) < 2 || !words[0].InMemory || !words[0].Exact() {
		return false
	}
	span, tie := r.mostTie(t.rows, &words[0])
	if !tie || len(words) == 2 && t.rows.Len < leastOverDealt && t.f.mayDeal() && fewDigits(span, t.rows.Len) {
		return false
	}
	_, better, _ := t.narrowed(func(c *extract.Column) (least, most uint64, err error) {
		least = math.MaxUint64
		for k := range narrowSpots {
			at := (t.rows.Len - narrowKeys) / (narrowSpots - 1) * k
			a, b := c.CodeBounds(t.rows, at, at+narrowKeys)
			least, most = min(least, a), max(most, b)
		}
		return least, most, nil
	})
	return better
}

// narrowed returns the columns with those narrowed that may be, by bounds of their codes, until the first word is full. better reports
// whether more columns fit this word then.
func (t *task) narrowed(bounds func(c *extract.Column) (least, most uint64, err error)) (cols []extract.Column, better bool, err error) {
	r := t.r
	cols = slices.Clone(t.cols)
	full := func(i int) bool { return i > 0 && extract.Words(cols[:i], r.Order())[0].Bits == 64 }
	for i := 0; i < len(cols) && !full(i); i++ {
		c := cols[i].Under(r.Order())
		if !c.MayNarrow() || i == 0 && c.Nulls != column.NoNulls { // nulls of the first are ordered apart
			continue
		}
		least, most, err := bounds(&c)
		if err != nil {
			return nil, false, err
		}
		cols[i].Narrow(least, most)
	}
	return cols, r.markedWords(cols)[0].Columns() > r.markedWords(t.cols)[0].Columns(), nil
}

// mostTie reports whether, by a sample of the codes of a word, rows tie that make up a fifth of all or more: with d ties in a
// sample of s, codes have about s*s/2d values, and n rows of v values tie except for a share of exp(-n/v). It returns the span of the
// sample.
func (r *Request) mostTie(rows extract.Input, word *extract.Word) (span uint64, tie bool) {
	n, buffer := rows.Len, sampledCodes.Get().(*[mostNarrowRows]uint64)
	defer sampledCodes.Put(buffer)
	s := min(n/narrowStep, mostNarrowRows)
	again := r.sampledTies(rows, word, buffer[:s])
	return buffer[s-1] - buffer[0], again > s*s/8/n
}

var sampledCodes = sync.Pool{New: func() any { return new([mostNarrowRows]uint64) }}

// narrowColumns gives the columns that fit the first word then the bits of their keys.
func narrowColumns(t *task) (done bool, err error) {
	cols, better, err := t.narrowed(func(c *extract.Column) (least, most uint64, err error) { return t.r.codeBounds(t.rows, c) })
	if better {
		copy(t.cols, cols)
		t.f.Words = t.r.markedWords(t.cols)
	}
	return true, err
}

func (f *Facts) narrowsColumns() bool { return !f.part && f.narrow != nil && f.narrow() }
