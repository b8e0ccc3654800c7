package pipeline

import (
	"runtime"
	"sync/atomic"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/small"
)

// ScratchBytes bounds the scratch memory, in bytes, that the CPU takes to sort s by the columns
// of an ordering.
func ScratchBytes(by *small.Ordering, s cpu.Payload, n int, o *call.Options) int64 {
	words := extract.Words(by.Columns(), o.Order())
	if len(words) == 0 || n == 0 {
		return 0
	}
	f := facts{verb: toSort, n: n, workers: workersFor(o, n), words: words, sizes: []uintptr{s.Size()}, algorithm: o.Algorithm}
	m := f.movement()
	p, ok := f.apart(m)
	if !ok {
		p.bytes = f.hostBytes(m)
	}
	return p.bytes + f.timeBytes()
}

// workersFor returns how many workers take part in a call on n elements. More would have
// nothing to do, and count in the memory that a limit has to allow.
func workersFor(o *call.Options, n int) int {
	workers := int(o.Workers)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, n/cpu.LeastTurn+1)
}

// overrun is what [OnOverrun] was given, nil outside of tests.
var overrun atomic.Pointer[func(movement string, took, planned int64)]

// OnOverrun makes calls under a memory limit that end from now on report to f if they took more scratch
// memory than they had planned, until restore is called. It is for tests.
func OnOverrun(f func(movement string, took, planned int64)) (restore func()) {
	overrun.Store(&f)
	return func() { overrun.Store(nil) }
}

// audit reports to a test a call that took more than it had planned. Calls within the call that have plans
// of their own report themselves.
func (r *run) audit() {
	report := overrun.Load()
	if report == nil || r.Env.Limit == 0 || r.plan.engine == nil || r.plan.movement.inCalls() {
		return
	}
	took, planned := r.Arena.Peak(), r.plan.bytes
	if r.plan.movement == inPlace { // large runs of ties take what is left
		planned = max(planned, r.Env.Limit-r.Env.Held)
	}
	if took > planned {
		(*report)(r.plan.name(), took, planned)
	}
}
