package pipeline

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/presorted/bywords"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/selection"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/ties"
)

// The scratch memory of a call is bounded before any is taken: each of these functions
// bounds that of one way to sort, in bytes, whatever the keys, block by block as package
// scratch rounds them.

// hostBytes bounds a sort by the CPU.
func (f *Facts) hostBytes(m movement) int64 {
	if m != withCodes {
		return f.tieBytes(f.n) + f.orderBytes() + f.indexBytes(m)
	}
	size, code := f.Sizes[len(f.Sizes)-1], extract.CodeSize(f.Words)
	switch {
	case f.Verb == toPair:
		// Floats may tie without being the same, and then need an index.
		return max(cpu.SortPairsBytes(f.n, f.workers, size, code), f.hostBytes(throughIndex))
	case extract.Decisive(f.Words):
		return f.tieBytes(f.n) + cpu.MoveBytes(f.n, f.workers, size, code)
	}
	return f.tieBytes(f.n) + cpu.MoveRefinedBytes(f.n, f.workers, size, code, f.Words[0].FullSize())
}

// timeBytes bounds memory that a call on the CPU takes to save time, if there is room: codes of later words
// that are extracted before ties are known.
func (f *Facts) timeBytes() int64 { return extract.EarlyBytes(f.n, f.Words) }

// orderBytes bounds an order of codes by the CPU engine.
func (f *Facts) orderBytes() int64 {
	code := extract.CodeSize(f.Words)
	bytes := cpu.OrderBytes(f.n, f.workers, code)
	if engine.OrdersCodes(f.algorithm) && cpu.Host.Runs(f.algorithm) {
		bytes = max(bytes, papers.Bytes(f.algorithm, f.n, f.workers, code)+ties.MarkBytes(f.n, f.Words))
	}
	return bytes + f.numberBytes()
}

// numberBytes bounds the row numbers, or the picked elements, that workers pass to key functions.
func (f *Facts) numberBytes() int64 {
	if !f.Picked && (!f.Numbered || extract.AllInMemory(f.Words)) {
		return 0
	}
	return int64(f.workers) * scratch.Size(engine.Block, f.Sizes[0])
}

// indexBytes bounds an index and the copies of the elements that are gathered through it.
func (f *Facts) indexBytes(m movement) int64 {
	bytes := int64(0)
	if m != toIndex || f.Verb == ToSelect {
		bytes = scratch.Size(f.n, 4)
	}
	if m != toIndex {
		for _, size := range f.Sizes {
			bytes += scratch.Size(f.n, size)
		}
	}
	return bytes
}

// withinBytes bounds an order within segments and, in a sort, the index and the move of the
// elements.
func (f *Facts) withinBytes() int64 {
	bytes := f.tieBytes(f.n) + cpu.OrderWithinBytes(f.n, f.workers, f.Segments, extract.CodeSize(f.Words)) + f.numberBytes()
	if f.Verb == toSortWithin {
		bytes += scratch.Size(f.n, 4) + cpu.MoveWithinBytes(f.n, f.workers, f.Segments, f.Sizes[0])
	}
	return bytes
}

// fallBackBytes bounds the memory of a device sort besides that of the CPU, which may have to
// finish: the codes, since key functions are called once, and the ties that the device marks.
func (f *Facts) fallBackBytes() int64 {
	bytes := ties.MarkBytes(f.n, f.Words)
	if !f.Words[0].InMemory {
		bytes += scratch.Size(f.n, extract.CodeSize(f.Words))
	}
	return bytes
}

// deviceBytes bounds a sort that only a device does.
func (f *Facts) deviceBytes(m movement) int64 {
	return f.tieBytes(f.n) + ties.MarkBytes(f.n, f.Words) + f.indexBytes(m) + f.numberBytes()
}

// tieBytes bounds the memory of full keys and of breaking the ties of n elements.
func (f *Facts) tieBytes(n int) int64 {
	return extract.FullBytes(f.n, f.Words) + ties.Bytes(f.workers, f.Sizes[0], f.Words, n) +
		bywords.Bytes(f.workers, f.Sizes[0], f.Words) + ties.PairsBytes(f.workers, f.Words, n) + ties.LargeTieBytes(f.Words, n)
}

// inPlaceBytes bounds a sort in place: by an index, which a permutation is itself. Keys
// that codes hold entirely need none.
func (f *Facts) inPlaceBytes() int64 {
	if f.Verb == toDecode {
		return 0
	}
	bytes := max(cpu.InPlaceBytes(f.n, extract.CodeSize(f.Words)), ties.LargeTieBytes(f.Words, f.n)) +
		extract.FullBytes(f.n, f.Words) + ties.Bytes(f.workers, f.Sizes[0], f.Words, f.n) + f.numberBytes()
	if f.Verb != toOrder {
		bytes += scratch.Size(f.n, 4) + f.apply
	}
	return bytes
}

// movesBytes bounds a search for moves of elements, and the moves.
func (f *Facts) movesBytes() int64 { return cpu.SettleBytes(f.n, f.workers, f.Sizes[0]) }

// selectBytes bounds a selection: candidates and their order, and, where codes do not decide alone, keys and the
// codes of later words by element.
func (f *Facts) selectBytes() int64 {
	return selection.FirstBytes(f.n, f.K, f.workers, extract.CodeSize(f.Words)) + f.numberBytes() + f.selectorBytes(f.K)
}

// selectorBytes bounds the memory in which selections compare n candidates beyond their first codes.
func (f *Facts) selectorBytes(n int) int64 {
	if extract.Decisive(f.Words) {
		return ties.WorkBytes(f.workers)
	}
	return extract.EarlyBytes(f.n, f.Words) + f.tieBytes(n)
}

// findBytes bounds a search for one element: all codes, the counters of workers, and the
// candidates that are left, or an order of all by these codes.
func (f *Facts) findBytes() int64 {
	codes, found := selection.RanksBytes(f.n, f.K, f.workers, extract.CodeSize(f.Words))
	return codes + f.numberBytes() + max(found+f.selectorBytes(f.n), f.hostBytes(toIndex)+scratch.Size(f.n, 4))
}

// mergeBytes bounds a merge by ranges of a grain: the codes of all words, the keys that they
// keep, and the ranges.
func (f *Facts) mergeBytes(g ranges.Grain) int64 {
	code := extract.CodeSize(f.Words)
	bytes := scratch.Size(f.n, code) + g.Bytes(f.n, f.runs, f.workers, code)
	return bytes + int64(max(1, len(f.Words))-1)*scratch.Size(f.n, 8) + extract.FullBytes(f.n, f.Words)
}

// asideBytes bounds a sort of a copy of the elements.
func (f *Facts) asideBytes() int64 {
	return scratch.Size(f.n, f.Sizes[0]) + f.inPlaceBytes()
}

// partedBytes bounds the least that a merge of parts takes: the codes of all words, and the keys
// that they keep.
func (f *Facts) partedBytes() int64 {
	return scratch.Size(f.n, extract.CodeSize(f.Words)) + int64(len(f.Words)-1)*scratch.Size(f.n, 8) + extract.FullBytes(f.n, f.Words)
}

// chunkedBytes bounds the least that a sort of chunks takes: a copy of the elements, and what
// merges the chunks.
func (f *Facts) chunkedBytes() int64 {
	bytes := f.partedBytes()
	for _, size := range f.Sizes {
		bytes += scratch.Size(f.n, size)
	}
	return bytes
}

// ScratchBytes bounds the scratch memory, in bytes, that the CPU takes to sort s by the columns
// of an ordering.
func ScratchBytes(by *small.Ordering, s cpu.Payload, n int, o *call.Options) int64 {
	words := extract.Words(by.Columns(), o.Order())
	if len(words) == 0 || n == 0 {
		return 0
	}
	f := Facts{Verb: toSort, n: n, workers: workersFor(o, n), Words: words, Sizes: []uintptr{s.Size()}, algorithm: o.Algorithm}
	bytes := f.hostBytes(f.movement())
	if f.partsNulls() {
		bytes = f.apartBytes()
	}
	return bytes + f.timeBytes()
}
