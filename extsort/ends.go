package extsort

import "sync"

// ends keeps, of each run, the block in which a part ended. The next part begins there, and does not
// read it again. A loader that comes before the block is kept reads it.
type ends struct {
	blocks []endBlock // of runs; of none that there is no memory for
}

type endBlock struct {
	mu     sync.Mutex
	most   int    // bytes of a block of the run
	number int    // in the run
	bytes  []byte // nil, or memory for any block
	kept   bool
}

// newEnds returns ends for loaders of parts of runs, in some bytes of memory: each loader has a block as
// well.
func newEnds[E any](runs []*run[E], loaders int, bytes int64) *ends {
	bytes -= int64(loaders * longest(runs))
	e := &ends{make([]endBlock, 0, len(runs))}
	for _, r := range runs {
		if bytes -= int64(r.bytes.Block()); bytes < 0 {
			break
		}
		e.blocks = append(e.blocks, endBlock{most: r.bytes.Block()})
	}
	return e
}

// endsBytes returns the memory of ends of all runs, for a number of loaders.
func endsBytes[E any](runs []*run[E], loaders int) int64 {
	bytes := int64(loaders * longest(runs))
	for _, r := range runs {
		bytes += int64(r.bytes.Block())
	}
	return bytes
}

// put keeps a copy of a block of run k, unless a later part has come further.
func (e *ends) put(k, number int, p []byte) {
	if !e.keeps(k) {
		return
	}
	b := &e.blocks[k]
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.kept || number >= b.number {
		if b.bytes == nil {
			b.bytes = make([]byte, 0, b.most)
		}
		b.bytes, b.number, b.kept = append(b.bytes[:0], p...), number, true
	}
}

// keeps reports whether there is memory for blocks of run k.
func (e *ends) keeps(k int) bool { return k < len(e.blocks) }

// has reports whether a block of run k is kept.
func (e *ends) has(k, number int) bool {
	if !e.keeps(k) {
		return false
	}
	b := &e.blocks[k]
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.kept && b.number == number
}

// endOf returns the bytes of a block of run k if it is kept, until the next call, or nil.
func (from *loader) endOf(k, number int) []byte {
	if !from.ends.keeps(k) {
		return nil
	}
	b := &from.ends.blocks[k]
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.kept || b.number != number {
		return nil
	}
	b.kept = false
	from.end = append(from.end[:0], b.bytes...)
	return from.end
}
