package rowsort

import "sync/atomic"

var counts struct{ many, engine atomic.Int64 }

// Counts are numbers of sorts. Those of up to fewRows rows that need no comparator of the engine
// are not counted, since that takes a tenth of their time.
type Counts struct {
	Many   int64 // by package sorter
	Engine int64 // by the engine's comparator, for want of a key
}

// Counted returns the sorts of this process so far. It may be called at any time.
func Counted() Counts {
	return Counts{Many: counts.many.Load(), Engine: counts.engine.Load()}
}
