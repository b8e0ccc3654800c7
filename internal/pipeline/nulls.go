package pipeline

import (
	"slices"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/ties"
)

// Rows whose leading key is null are parted from the others, which are ordered by the codes of a
// column without nulls. A null flag would make a 64-bit code a prefix of 65 bits. The code of a
// null would also lie far from those of keys in order, of few values or of a narrow range. Rows
// with a null are ordered by the other columns.

// partsNulls reports whether rows with a null leading key are ordered apart from the others: not if elements are
// large, which are to be copied twice more, or another way is asked for. Where functions return the keys, and a code
// holds them, nulls get a code of theirs in less time (Xeon, 2026-11-28, 40-byte elements by int64, a tenth null,
// 10^5 and 10^6: 0.93 and 0.84 to 0.91 of the time apart; by strings 1.2 times).
func (f *Facts) partsNulls() bool {
	switch {
	case f.part || extract.LeadingNulls(f.Words) == column.NoNulls || f.Sizes[0] > moveBytes:
		return false
	case !extract.LeadingWide(f.Words) && !extract.LeadingInMemory(f.Words):
		return false
	case f.Verb == toSort:
		return f.movement() == withCodes && f.algorithm == engine.Auto && !f.insists()
	}
	return true
}

// apartBytes bounds an order of the nulls apart: the set of nulls, the blocks of row numbers that a
// null function reads, the parted elements or their numbers, and the sort or the order of a part.
func (f *Facts) apartBytes() int64 {
	bytes := scratch.Size(extract.NullWords(f.n), 8)
	part := *f
	if f.Verb == toSort && inCache(f.n, f.Sizes[0]) {
		bytes, part.Verb = bytes+f.indexBytes(throughIndex), toOrder
	}
	if part.Picked = part.Verb == toOrder; part.Picked {
		bytes += scratch.Size(f.n, 4) + int64(f.workers)*scratch.Size(engine.Block, f.Sizes[0])
	} else {
		bytes += scratch.Size(f.n, f.Sizes[0])
	}
	values, nulls := extract.ApartWords(f.Words)
	part.Words = values
	most := part.hostBytes(part.movement())
	if part.Words = nulls; len(nulls) > 0 {
		most = max(most, part.hostBytes(part.movement()))
	}
	return bytes + most
}

// nullsFound are the rows whose leading key is null.
type nullsFound struct {
	rows   extract.Input
	cols   []extract.Column // the first without nulls
	first  bool             // nulls come first
	set    extract.NullSet
	before []int // by block: nulls in the blocks before
	count  int
	grain  int // rows that a worker takes at a time: whole blocks
}

// findNulls finds the nulls of the first column, once.
func (t *task) findNulls() (*nullsFound, error) {
	if t.nulls != nil {
		return t.nulls, nil
	}
	r, n := t.r, t.rows.Len
	t.rows.Arena = &r.Arena
	f := &nullsFound{rows: t.rows, cols: extract.Columns(t.f.Words), before: make([]int, n/engine.Block+2)}
	t.nulls, f.set = f, scratch.Take[uint64](&r.Arena, extract.NullWords(n))
	f.grain = r.Loop.Turn(n, 4*engine.Block, 32*engine.Block) / engine.Block * engine.Block
	lead := f.cols[0]
	lead.OpenNulls(&r.Env)
	err := f.eachBlock(r, func(block, lo, hi int) { f.before[block] = lead.FindNulls(f.rows, f.set, lo, hi) })
	for i, count := range f.before {
		f.before[i], f.count = f.count, f.count+count
	}
	f.first, f.cols[0] = lead.Nulls == column.NullsFirst, lead.WithoutNulls()
	return f, err
}

// eachBlock calls use for all blocks of rows.
func (f *nullsFound) eachBlock(r *Request, use func(block, lo, hi int)) error {
	n := f.rows.Len
	return r.Stopped(r.Stage("nulls", n, f.grain, func(_, lo, hi int) {
		for ; lo < hi && r.Loop.Err() == nil; lo += engine.Block {
			use(lo/engine.Block, lo, min(lo+engine.Block, hi))
		}
	}))
}

// places returns the first places of the values and of the nulls.
func (f *nullsFound) places() (values, nulls int) {
	if f.first {
		return f.count, 0
	}
	return 0, f.rows.Len - f.count
}

// cachedBytes is the size of all elements up to which they are gathered through an order. Larger
// ones are read from memory once per pass instead of once per element (EPYC 2025, 2 processors,
// 2026-11, 32-byte elements of which 10 % are null: 16 instead of 26 ns each for 65536, 24 and 28
// for 131072, 49 and 30 for 262144).
const cachedBytes = 4 << 20

func inCache(n int, size uintptr) bool { return int64(n)*int64(size) <= cachedBytes }

// sortApart sorts elements.
func sortApart(t *task) (done bool, err error) {
	r, s := t.r, t.elements
	if !inCache(r.N, s.Size()) {
		return true, sortParts(t)
	}
	r.Marks = nil // a sort delivers no runs
	t.index = scratch.Take[uint32](&r.Arena, r.N)
	if _, err = orderApart(t); err != nil || r.inOrder(t.index) {
		return true, err
	}
	return true, gatherThrough(r, t.index, gathered{s, s.Take(&r.Arena, r.N)})
}

// sortParts parts copies of the elements and sorts both parts.
func sortParts(t *task) error {
	r, s := t.r, t.elements
	f, err := t.findNulls()
	if err != nil {
		return err
	}
	values, nulls := f.places()
	parted := s
	if f.count > 0 && f.count < r.N {
		parted = s.Take(&r.Arena, r.N)
		err = f.eachBlock(r, func(block, lo, hi int) {
			var at [2][engine.Block]uint32
			x := f.before[block]
			k := f.set.Split(at[0][:], at[1][:], lo, hi)
			parted.Part(values+lo-x, values+lo-x+k).Gather(s, at[0][:k])
			parted.Part(nulls+x, nulls+x+hi-lo-k).Gather(s, at[1][:hi-lo-k])
		})
		if err != nil {
			return err
		}
	}
	err = sortPart(r, parted.Part(nulls, nulls+f.count), f.cols[1:])
	if err == nil {
		err = sortPart(r, parted.Part(values, values+r.N-f.count), f.cols)
	}
	if err != nil || parted.Data() == s.Data() {
		return err
	}
	r.Commit() // from here on the sort finishes
	return r.copyAll(s, parted)
}

// sortPart sorts a part of the elements of r by columns of its words.
func sortPart(r *Request, s cpu.Payload, cols []extract.Column) error {
	if s.Len() < 2 || len(cols) == 0 {
		return nil
	}
	return r.nestPart(s.Len(), nil, func(own *Request) error { return sortColumns(own, s, cols) })
}

// nestPart runs f as a call on a part of n of the rows of r.
func (r *Request) nestPart(n int, asked *call.Marks, f func(own *Request) error) error {
	return r.Nest(n, func(own *Request) error {
		own.Marks = asked
		err := f(own)
		if own.used.CodeBits > 0 { // there are columns left to order by
			r.used.CodeBits, r.Trace.Algorithm = own.used.CodeBits, own.Trace.Algorithm
		}
		return err
	})
}

// orderApart writes the order of rows, and delivers the runs that are asked for.
func orderApart(t *task) (done bool, err error) {
	r, index := t.r, t.index
	f, err := t.findNulls()
	if err != nil {
		return false, err
	}
	values, nulls, err := f.list(r)
	if err != nil {
		return false, err
	}
	at, nullsAt := f.places()
	unknown, err := orderPart(r, nulls, f.cols[1:], r.Marks.After(1), index[nullsAt:][:nulls.Len])
	if err != nil {
		return false, err
	}
	known, err := orderPart(r, values, f.cols, r.Marks, index[at:][:values.Len])
	if err != nil {
		return false, err
	}
	known.At, unknown.At, unknown.Before = at, nullsAt, 1
	ties.JoinRuns(r.Marks, r.N, known, unknown)
	return true, nil
}

// list returns the rows that are not null, and those that are.
func (f *nullsFound) list(r *Request) (values, nulls extract.Input, err error) {
	values, nulls = f.rows, f.rows
	switch f.count {
	case 0:
		nulls.Len = 0
		return values, nulls, nil
	case f.rows.Len:
		values.Len = 0
		return values, nulls, nil
	}
	list := scratch.Take[uint32](&r.Arena, f.rows.Len)
	known, unknown := list[f.count:], list[:f.count]
	err = f.eachBlock(r, func(block, lo, hi int) {
		x, next := f.before[block], f.before[block+1]
		some, others := known[lo-x:hi-next], unknown[x:next]
		f.set.Split(some, others, lo, hi)
		f.rows.Translate(some, some)
		f.rows.Translate(others, others)
	})
	return values.Pick(known), nulls.Pick(unknown), err
}

// orderPart writes the order of a part of the rows of r to index, by columns of its words, and returns
// the ties that are asked for.
func orderPart(r *Request, rows extract.Input, cols []extract.Column, asked *call.Marks, index []uint32) (part ties.PartMarks, err error) {
	if rows.Len == 0 {
		return part, nil
	}
	if rows.Picked != nil {
		cols = slices.Clone(cols)
		extract.ForPicked(cols, rows.Picked)
	}
	err = r.nestPart(rows.Len, asked, func(own *Request) error {
		t := own.orderTask(rows, cols)
		t.f.part = true
		return t.run(func(t *task) error {
			own.takeMarks(t.f.Words)
			part = ties.PartMarks{Marks: own.marks, Words: t.f.Words, Rows: rows.Len}
			return OrderTo(own, t.rows, t.f.Words, index)
		})
	})
	return part, err
}
