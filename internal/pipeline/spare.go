package pipeline

import (
	"math"
	"slices"
	"sync"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/ways"
)

// spareSample is the number of codes of the columns before by which spareCodes decides whether rows tie.
// With fewer than leastSampled rows it takes longer than the pass that it may save.
const spareSample, leastSampled = 512, 1 << 17 // EPYC, 2026-11: bench/results/constants.md

// mayHaveSpare reports whether a spare code may make a column narrow. The first is left out if its nulls are ordered apart.
func (r *request) mayHaveSpare(cols []extract.Column, apart bool) bool {
	for i := range cols {
		if c := cols[i].Under(r.Order()); c.MayHaveSpare() && (i > 0 || !apart) {
			return true
		}
	}
	return false
}

func (f *facts) mayHaveSpare() bool { return !f.part && f.spare != nil && f.spare() }

// spareNulls gives nulls of later columns codes that no key has.
func spareNulls(t *task) (done bool, err error) {
	t.r.findSpare(t.rows, t.cols, true)
	t.f.words = t.r.markedWords(t.cols)
	return false, nil
}

// spareCodes is findSpare of columns whose nulls are not ordered apart.
func (r *request) spareCodes(rows extract.Input, cols []extract.Column) {
	if ways.On(ways.SpareNulls) && r.mayHaveSpare(cols, false) {
		r.findSpare(rows, cols, false)
		ways.Took(ways.SpareNulls)
	}
}

// findSpare looks for codes that no key has, for the nulls of columns of 64-bit keys. It changes cols.
// The first is left out if its nulls are ordered apart. Later ones are needed only if rows tie.
func (r *request) findSpare(rows extract.Input, cols []extract.Column, apart bool) {
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
func (r *request) ties(rows extract.Input, cols []extract.Column) bool {
	lead := extract.Words(cols, r.Order())[0]
	if !lead.InMemory || rows.Len < leastSampled {
		return true
	}
	var codes [spareSample]uint64
	lead.Open(rows, &r.Env)
	src := extract.Source64(rows, &lead)
	for i := range codes {
		src(codes[i:i+1], int(uint64(rows.Len)*uint64(i)/spareSample))
	}
	slices.Sort(codes[:])
	return presorted.StepsOf(codes[:]).Ties > 0
}

// codeBounds returns bounds of the codes of a column that may have a spare one.
func (r *request) codeBounds(rows extract.Input, c *extract.Column) (least, most uint64, err error) {
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
