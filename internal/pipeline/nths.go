package pipeline

import (
	"errors"
	"slices"
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/ties"
	"example.com/sorter/perm"
)

// Rows at several places of an order are found together: codes are extracted once, their leading
// digits counted once, and those that may be wanted collected in one pass.

// NthsOfKeys replaces each k of ks by the number of the key of s that comes k-th, from 0.
func NthsOfKeys(kind sortkey.Kind, s cpu.Payload, ks []int, o *call.Options) error {
	if own := *o; isSmall(o, s.Len()) {
		own.Into = nil
		return numbersAt(ks)(small.OrderWith(kind, s, extract.Own(kind), small.NoFunction, &own))
	}
	return nthsOf([]extract.Column{extract.SelfAs(kind)}, extract.InputOf(s), ks, *o)
}

// NthsN replaces each k of ks by the number of the row that comes k-th of the rows 0 … n-1, by
// columns of row numbers, which it changes.
func NthsN(cols []extract.Column, n int, ks []int, o *call.Options) error {
	extract.ForRows(cols, n)
	if own := *o; len(cols) > 0 && isSmall(o, n) {
		own.Into = nil
		return numbersAt(ks)(small.OrderRows(cols, n, &own))
	}
	return nthsOf(cols, extract.RowNumbers(n), ks, *o)
}

// numbersAt returns what replaces ks by the numbers of an order.
func numbersAt(ks []int) func(p perm.Perm, err error) error {
	return func(p perm.Perm, err error) error {
		if err == nil {
			pickNumbers(ks, p)
		}
		return err
	}
}

// mostScans is the most places that are searched each by itself, since too many rows share their
// leading digit. For more of them all rows are ordered.
const mostScans = 8

// wanted is an interval of codes, and the places of an order that are in it.
type wanted[C sortkey.Code] struct {
	interval[C]
	before int   // codes below the interval
	at     []int // indices of the places in the call
	found  []candidate
	next   atomic.Int64
}

// nthsBy is nthsOf by the codes of a source.
func nthsBy[C sortkey.Code](r *run, rows extract.Input, words []extract.Word, ks []int, src cpu.Source[C]) error {
	codes := scratch.Take[C](&r.Arena, r.n)
	all, err := extractAll(r, codes, src)
	if err != nil {
		return err
	}
	all.n = r.n
	counts := newDigits(r)
	parts := []*wanted[C]{{interval: all, at: sortedPlaces(ks)}}
	if all.n > fewFound && all.least < all.most {
		if err := all.count(r, codes, counts); err != nil {
			return err
		}
		parts = partsOf(all, ks, parts[0].at, counts[0])
	}
	var few []*wanted[C]
	scans, found := 0, 0
	for _, p := range parts {
		if p.n <= fewFound {
			few, found = append(few, p), found+p.n
		} else {
			scans += len(p.at)
		}
	}
	if scans > mostScans || found > mostFound(r.n) {
		return orderedNths(r, rows, words, codes, ks)
	}
	numbers := make([]int, len(ks)) // ks hold until nothing has to be ordered
	v := selector{t: ties.New(&r.Env, rows, words)}
	v.codes, v.at = scratch.Take[uint64](&r.Arena, engine.Block), scratch.Take[uint32](&r.Arena, engine.Block)
	if err := collectAll(r, codes, all.least, all.shift(), few); err != nil {
		return err
	}
	for _, p := range few {
		p.pick(&v, ks, numbers)
	}
	for _, p := range parts {
		for _, i := range p.at {
			if p.n <= fewFound {
				break
			}
			in := p.interval
			in.k = ks[i] - p.before
			if numbers[i], err = in.find(r, &v, codes, counts); err == errCrowded {
				return orderedNths(r, rows, words, codes, ks)
			} else if err != nil {
				return err
			}
		}
	}
	copy(ks, numbers)
	return v.t.Finish(nil)
}

// sortedPlaces returns the indices of ks, the largest k first.
func sortedPlaces(ks []int) []int {
	at := make([]int, len(ks))
	for i := range at {
		at[i] = i
	}
	slices.SortFunc(at, func(i, j int) int { return ks[j] - ks[i] })
	return at
}

// orderedNths replaces ks by the numbers of an order of all rows.
func orderedNths[C sortkey.Code](r *run, rows extract.Input, words []extract.Word, codes []C, ks []int) error {
	index, err := nthOrdered(r, rows, words, codes)
	if err == nil {
		pickNumbers(ks, index)
	}
	return err
}

// partsOf returns the intervals of the leading digits of the places at, which come largest first.
func partsOf[C sortkey.Code](all interval[C], ks, at, counts []int) (parts []*wanted[C]) {
	for len(at) > 0 {
		all.k = ks[at[0]]
		p := &wanted[C]{interval: all.part(counts)}
		p.before = all.k - p.k
		end := 1
		for end < len(at) && ks[at[end]] >= p.before {
			end++
		}
		p.at, at = at[:end], at[end:]
		parts = append(parts, p)
	}
	return parts
}

// collectAll writes the codes of intervals to their candidates. Several intervals are those of
// digits from shift on, above the least code.
func collectAll[C sortkey.Code](r *run, codes []C, least C, shift int, parts []*wanted[C]) error {
	var numbers [1 << findBits]uint16 // of the interval of a digit, from 1
	for i, p := range parts {
		p.found = scratch.Take[candidate](&r.Arena, p.n)[:p.n]
		if len(parts) == 1 {
			return p.interval.collect(r, codes, p.found)
		}
		for digit := (p.least - least) >> (shift & 63); digit <= (p.most-least)>>(shift&63); digit++ {
			numbers[digit] = uint16(i + 1)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return r.Stage("select", r.n, engine.Block, func(_, lo, hi int) {
		for i, c := range codes[lo:hi] {
			if k := numbers[(c-least)>>(shift&63)%(1<<findBits)]; k > 0 {
				p := parts[k-1]
				p.found[p.next.Add(1)-1] = candidate{uint64(c), uint32(lo + i)}
			}
		}
	})
}

// pick selects the places of the interval from its candidates, by whole keys.
func (p *wanted[C]) pick(v *selector, ks, numbers []int) {
	v.found = p.found
	for _, i := range p.at { // each selection leaves the candidates up to its place
		v.k = ks[i] - p.before + 1
		v.find()
		numbers[i] = int(v.last)
	}
}

// find returns the number of the row at place k of the interval.
func (in interval[C]) find(r *run, v *selector, codes []C, counts digits) (int, error) {
	for in.n > fewFound && in.least < in.most {
		if err := in.narrow(r, codes, counts); err != nil {
			return 0, err
		}
	}
	switch {
	case in.least == in.most && extract.Decisive(v.t.Words):
		return in.kth(r, codes)
	case in.n > mostFound(r.n):
		return 0, errCrowded
	}
	found := scratch.Take[candidate](&r.Arena, in.n)[:in.n]
	defer scratch.Give(&r.Arena, found, 1)
	if err := in.collect(r, codes, found); err != nil {
		return 0, err
	}
	v.found, v.k = found, in.k+1
	v.find()
	return int(v.last), r.Loop.Err()
}

// errCrowded reports that too many rows share the code of a place.
var errCrowded = errors.New("pipeline: too many rows tie")

// collect writes the codes of the interval to its candidates.
func (in *interval[C]) collect(r *run, codes []C, found []candidate) error {
	var next atomic.Int64
	return r.Stage("select", r.n, engine.Block, func(_, lo, hi int) {
		n := 0
		for _, c := range codes[lo:hi] {
			if c-in.least <= in.most-in.least {
				n++
			}
		}
		if n == 0 {
			return
		}
		at := int(next.Add(int64(n))) - n
		for i, c := range codes[lo:hi] {
			if c-in.least <= in.most-in.least {
				found[at] = candidate{uint64(c), uint32(lo + i)}
				at++
			}
		}
	})
}
