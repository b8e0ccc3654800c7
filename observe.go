package sorter

import (
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
)

// Observe sets the function that gets the statistics of each call of the process that sorts, orders, selects or merges.
// They are those that [Report] gives for one call. It replaces the function set before; nil ends it. Calls that other
// packages of the module make for their own are among them, such as the sorts of runs of extsort. Of the
// accumulators, [Top] is not observed, and [TopPer] by the sorts that it makes of its blocks and of its result.
//
// f is called on the goroutine of the call, before that returns, with or without an error. Calls that run at the same
// time call f at the same time. The Stats are f's own. A call that f makes is observed as well. f must not panic.
//
// Without a function a call takes an atomic load more, with one the time of [Report] and of f. Package tracing has the
// stages of calls in traces and profiles.
func Observe(f func(*Stats)) {
	if f == nil {
		observer.Store(nil)
		return
	}
	observer.Store(&observation{report: func(s *call.Stats) {
		st := new(Stats)
		(*reportTo)(st).Report(s)
		f(st)
	}})
}

// observer is what Observe was given; nil: nobody observes.
var observer atomic.Pointer[observation]

// observation passes the statistics of calls to an observer, after another reporter. It does not name Stats: it becomes
// an interface in every call, and the linker would keep the methods of all types that it names.
type observation struct {
	report func(*call.Stats)
	next   call.Reporter
}

func (o *observation) Report(s *call.Stats) {
	if o.next != nil {
		o.next.Report(s)
	}
	o.report(s)
}

// observe makes a call report to the observer, too.
func observe(c *config) {
	o := observer.Load()
	switch {
	case o == nil:
	case c.Report == nil:
		c.Report = o
	default:
		c.Report = &observation{o.report, c.Report}
	}
}

// isPlain reports whether a call on n elements has nothing but its elements to care for.
func isPlain(opts []Option, n int) bool {
	return len(opts) == 0 && n <= cpu.SmallLen && observer.Load() == nil
}
