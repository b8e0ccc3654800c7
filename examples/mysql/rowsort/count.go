package rowsort

import "sync/atomic"

var counts struct{ few, many, engine atomic.Int64 }

// Counts are numbers of sorts of two rows or more.
type Counts struct {
	Few    int64 // by insertion, of up to fewRows rows
	Many   int64 // by package sorter
	Engine int64 // by the engine's comparator, for want of a key
}

// Counted returns the sorts of this process so far. It may be called at any time.
func Counted() Counts {
	return Counts{Few: counts.few.Load(), Many: counts.many.Load(), Engine: counts.engine.Load()}
}
