// Package call has the options of one call, as the public package collects them, and the
// statistics that it reports.
package call

import (
	"context"
	"time"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/perm"
)

// Options are the options of one call. They stay on the stack of the public function, so
// that a small sort allocates nothing for them. The fields fill whole vectors: copies of
// such a size wait for the stores of the copy before where their last vectors overlap,
// 20 ns in a small sort.
type Options struct {
	Stable     bool
	Descending bool
	NaNs       sortkey.NaNs
	Algorithm  engine.Algorithm
	Workers    int32           // 0: GOMAXPROCS, which takes a lock to read
	Backend    engine.Backend  // nil: the planner chooses
	Ctx        context.Context // nil: none
	Limit      int64           // bytes of scratch memory, 0: any number
	Report     Reporter        // nil: nobody asks
	Progress   func(stage string, done, total int)
	Into       perm.Perm // memory for a result
	Marks      *Marks    // nil: nobody asks for runs
	Held       int64     // bytes of a result that is scratch memory of a call around this one
}

// Marks asks for the runs of rows that are equal by the first columns.
type Marks struct {
	Columns int // AllColumns, or their number
	Runs    *perm.Runs
	Next    *Marks // another request of the same call
}

// After returns the request for rows whose first k columns are equal: the runs by the columns
// after these.
func (m *Marks) After(k int) *Marks {
	if m == nil {
		return nil
	}
	next := &Marks{Columns: m.Columns, Runs: m.Runs, Next: m.Next.After(k)}
	if m.Columns != AllColumns {
		next.Columns = max(0, m.Columns-k)
	}
	return next
}

// AllColumns stands for the number of all columns.
const AllColumns = -1

// Order returns the order that the options give a single key.
func (o *Options) Order() sortkey.Order {
	return sortkey.Order{Desc: o.Descending, NaNs: o.NaNs}
}

// Context returns the context of the call, which is never nil.
func (o *Options) Context() context.Context {
	if o.Ctx != nil {
		return o.Ctx
	}
	return context.Background()
}

// Monitored reports whether the call has a context or reports statistics.
func (o *Options) Monitored() bool { return o.Ctx != nil || o.Report != nil }

// Free reports whether the engine, the algorithm and the memory are left to the library.
func (o *Options) Free() bool {
	return o.Limit == 0 && o.Backend == nil && o.Algorithm == engine.Auto
}

// Cancellable reports whether a context may end the call.
func (o *Options) Cancellable() bool { return o.Ctx != nil && o.Ctx.Done() != nil }

// Reporter takes the statistics of a call.
type Reporter interface{ Report(*Stats) }

// Stats are the statistics of a call. The public type of that name says what its
// fields mean.
type Stats struct {
	Engine, Device, Algorithm string
	Shape                     engine.Shape
	Elements, CodeBits        int
	Workers, Rounds, Ties     int
	Scratch                   int64
	Stages                    []engine.Stage
	Total                     time.Duration
	Fallback                  error
	Vectors                   string
	Calibration               string
}
