package extsort

import "sync/atomic"

// Observe sets the function that gets the statistics of each sort of the process, when its [Sorter] is closed. They are
// those that [Report] gives for one sort. It replaces the function set before; nil ends it. A sort that
// is closed within a loop over its elements is reported when that has its last batch, before ErrEnded.
//
// f is called on the goroutine that closes the Sorter, with or without an error before. Sorters that are closed at the same time
// call f at the same time. The Stats are f's own. f must not panic, and must not use the Sorter. [Merge] is not observed. The sorts of runs
// are calls of package sorter, see [example.com/sorter.Observe].
func Observe(f func(*Stats)) {
	if f == nil {
		observer.Store(nil)
		return
	}
	observer.Store(&f)
}

// observer is what Observe was given; nil: nobody observes.
var observer atomic.Pointer[func(*Stats)]
