// Package pipeline runs one call: it decides on an engine, on an algorithm and on how the
// payload moves, and then does it. Data flows one way: keys, codes, permutation, payload.
package pipeline

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/small"
	"example.com/sorter/internal/ties"
	"example.com/sorter/internal/vecsort"
)

// Request is one call: its options, its environment, and the choices made for it.
type Request struct {
	engine.Env
	call.Options
	N            int
	Most         int // elements that are sorted or merged as one
	start        time.Time
	Plan         plan
	tried        int64            // bytes of the largest plan of a way
	result       int64            // bytes of the result, where that is scratch memory of a call around this one
	tight        bool             // the limit has no room for memory that only saves time, see saveTime
	used         call.Stats       // for Report
	untranslated bool             // the numbers of picked elements are wanted in place of their places in the input
	marks        ties.Marks       // of the order, nil if no runs are asked for
	devices      []engine.Backend // registered engines that run the algorithm, where the caller names none
}

// lowered is the largest number of elements that are sorted or merged as one, if tests lower it.
var lowered atomic.Int64

// LowerLimit makes calls that begin from now on sort at most n elements as one, and longer
// slices in chunks, until restore is called. It is for tests: the limit is 1<<32-1 otherwise.
func LowerLimit(n int) (restore func()) {
	before := lowered.Swap(int64(n))
	return func() { lowered.Store(before) }
}

// IsSmall reports whether the small path serves a call on n elements.
func IsSmall(o *call.Options, n int) bool {
	most := int(lowered.Load())
	return small.Serves(o, n) && (most == 0 || n <= most)
}

// Begin starts a call on n elements.
func Begin(o call.Options, n int) (*Request, error) {
	r := &Request{Options: o, N: n, Most: MaxPositions}
	if most := lowered.Load(); most > 0 {
		r.Most = int(most)
	}
	r.Loop.Ctx, r.Env.Limit, r.Env.Held = o.Ctx, o.Limit, o.Held
	r.Loop.Workers, r.Loop.Progress = workersFor(&o, n), o.Progress
	if r.start = time.Now(); r.Report != nil {
		r.Trace.Vectors = new(atomic.Bool)
	}
	if n > maxLen {
		return r, TooLong(n)
	}
	if err := r.findDevices(); err != nil {
		return r, err
	}
	return r, r.Loop.Err()
}

// do runs f as a call on n elements, unless there are none, and reports its time.
func do(o call.Options, n int, f func(r *Request) error) error {
	r, err := Begin(o, n)
	defer r.End()
	if err != nil || n == 0 {
		return err
	}
	return r.observed(f(r))
}

// workersFor returns how many workers take part in a call on n elements. More would have
// nothing to do, and count in the memory that a limit has to allow.
func workersFor(o *call.Options, n int) int {
	workers := int(o.Workers)
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, n/engine.LeastTurn+1)
}

// Nothing is a call on n elements that has nothing to do. Its options may be wrong or cancel it, as those of
// other calls.
func Nothing(n int, o *call.Options) error {
	r, err := Begin(*o, n)
	r.End()
	return err
}

// within returns a call on n elements within r: of the same options, on memory that r counts.
// It ends by adopt.
func (r *Request) within(n int) *Request {
	own := &Request{Options: r.Options, N: n, Most: r.Most, devices: r.devices}
	own.Report = nil
	own.Loop.Inherit(&r.Loop, min(r.Loop.Workers, n/engine.LeastTurn+1))
	own.Loop.Progress = r.Loop.Progress
	own.Arena.Outer = &r.Arena
	own.Trace.Vectors = r.Trace.Vectors
	own.Env.Limit, own.Env.Held = r.Env.Limit, r.Env.Held+r.Arena.Used()
	return own
}

// Nest runs f as a call on n elements within r.
func (r *Request) Nest(n int, f func(own *Request) error) error {
	own := r.within(n)
	defer r.adopt(own)
	return f(own)
}

// OnHost makes a call within another one that of the CPU in its own way, whatever the caller asked for.
func (r *Request) OnHost() { r.Backend, r.devices, r.Algorithm = nil, nil, engine.Auto }

// adopt ends a call within r.
func (r *Request) adopt(own *Request) {
	own.audit()
	r.Adopt(&own.Env)
	st := own.Trace
	r.Trace.Rounds, r.Trace.Ties = max(r.Trace.Rounds, st.Rounds), r.Trace.Ties+st.Ties
	r.adoptEngine(own)
}

// adoptEngine reports the engine of a call within r as that of r. Of several such calls it is one that is not the CPU. If an
// engine failed in one of them it is the CPU, with the first failure.
func (r *Request) adoptEngine(own *Request) {
	r.used.Fallback = cmp.Or(r.used.Fallback, own.used.Fallback)
	switch host := cpu.Host.Name(); {
	case r.used.Fallback != nil:
		r.used.Engine, r.Trace.Device = host, ""
	case r.used.Engine == "" || r.used.Engine == host:
		r.used.Engine, r.Trace.Device = cmp.Or(own.used.Engine, r.used.Engine), own.Trace.Device
	}
}

// adoptPlan reports the order of a call within r as that of r.
func (r *Request) adoptPlan(own *Request) {
	r.used.CodeBits, r.Trace.Algorithm, r.Plan = own.used.CodeBits, own.Trace.Algorithm, own.Plan
	r.Plan.bytes += own.Env.Held - r.Env.Held
}

// findDevices asks engines once which of them run the algorithm, since their answers
// may change while the sort goes on. It returns an error if none runs it.
func (r *Request) findDevices() error {
	if r.Backend != nil {
		if r.Backend.Runs(r.Algorithm) {
			return nil
		}
		return fmt.Errorf("%w that runs %v: %s does not", engine.ErrNoDevice, r.Algorithm, r.Backend.Name())
	}
	r.devices = slices.DeleteFunc(engine.Registered(), func(b engine.Backend) bool { return !b.Runs(r.Algorithm) })
	if len(r.devices) == 0 && !cpu.Host.Runs(r.Algorithm) {
		return fmt.Errorf("%w that runs %v", engine.ErrNoDevice, r.Algorithm)
	}
	return nil
}

// Decide makes the plan of a call that has no ways.
func (r *Request) Decide(f Facts) error {
	r.complete(&f)
	return r.choose(&f)
}

// complete adds the options to the facts.
func (r *Request) complete(f *Facts) {
	f.n, f.most, f.workers, f.reported, f.marked = r.N, r.Most, r.Loop.Workers, r.Report != nil, r.Marks != nil
	f.limit, f.held = r.Env.Limit, r.Env.Held
	f.free = r.Free()
	f.algorithm, f.backend, f.devices = r.Algorithm, r.Backend, r.devices
}

// choose makes the plan of the call, for the ways that were not asked yet.
func (r *Request) choose(f *Facts) (err error) {
	if r.Plan, err = decide(f); err == nil {
		r.saveTime(f)
		r.Plan.bytes += r.result
	}
	r.used.Calibration = r.Plan.calibration
	if len(f.Words) > 0 {
		r.used.CodeBits = f.Words[0].Bits
	}
	return err
}

// saveTime adds memory that only saves time to the plan, if the limit has room for it.
func (r *Request) saveTime(f *Facts) {
	more := f.timeBytes()
	r.tight = !f.fits(r.Plan.bytes+more) || f.limit > 0 && r.Plan.engine != cpu.Host
	if !r.tight {
		r.Plan.bytes += more
	}
}

// Sampled returns what samples rows.
func (r *Request) Sampled(rows extract.Input, words []extract.Word) func() engine.Sample {
	return func() engine.Sample { return extract.SampleRows(&r.Env, rows, words) }
}

// observed returns the error of a call. If it is nil, it reports the time to the plan's observer.
// Times of inputs with a shape that no sample found, such as those in order, are not reported.
func (r *Request) observed(err error) error {
	if r.Plan.observer != nil && err == nil && r.used.Fallback == nil && (!r.Shaped() || r.Plan.work.Sample != engine.Mixed) {
		r.Plan.observer.Observe(r.Plan.work, r.Plan.engine != cpu.Host, time.Since(r.start))
	}
	return err
}

// End reports and gives the scratch memory back.
func (r *Request) End() {
	r.audit()
	if r.Report != nil {
		st := &r.used
		st.Device, st.Shape, st.Rounds, st.Ties, st.Stages = r.Trace.Device, r.Trace.Shape, r.Trace.Rounds, r.Trace.Ties, r.Trace.Stages
		st.Elements, st.Workers, st.Scratch = r.N, r.Loop.Workers, r.Arena.Peak()
		if st.Engine == "" {
			st.Engine = cpu.Host.Name()
		}
		switch {
		case r.Trace.Algorithm != "":
			st.Algorithm = r.Trace.Algorithm
		case r.Plan.engine != nil:
			st.Algorithm = r.Plan.Movement.String()
		}
		if r.Trace.Vectors.Load() {
			st.Vectors = vecsort.Instructions()
		}
		st.Total = time.Since(r.start)
		r.Report.Report(st)
	}
	r.Arena.Release(r.Loop.Workers)
}

// piece returns the number of elements, of n, that a worker takes at a time in stages
// with random access.
func (r *Request) piece(n int) int { return cpu.GatherPiece(&r.Env, n) }

// Addressable returns ErrTooLong unless there can be memory for n elements of a size.
func Addressable(n int, size uintptr) error {
	if scratch.Size(n, size) < scratch.TooLarge {
		return nil
	}
	return TooLong(n)
}

// audited is what [OnPlanned] was given, nil outside of tests.
var audited atomic.Pointer[func(movement string, took, planned int64)]

// OnPlanned makes calls under a memory limit that end from now on report to f how much scratch memory they took, and
// how much they had planned, until restore is called. It is for tests.
func OnPlanned(f func(movement string, took, planned int64)) (restore func()) {
	audited.Store(&f)
	return func() { audited.Store(nil) }
}

// audit reports the memory of a call to a test. Calls within the call that have plans of their own report themselves.
func (r *Request) audit() {
	report := audited.Load()
	if report == nil || r.Env.Limit == 0 || r.Plan.engine == nil || r.Plan.Movement.inCalls() {
		return
	}
	took, planned := r.Arena.Peak(), max(r.tried, r.Plan.bytes)
	if r.Plan.Movement == InPlace { // large runs of ties take what is left
		planned = max(planned, r.Env.Limit-r.Env.Held)
	}
	(*report)(r.Plan.Movement.String(), took, planned)
}

// Allow returns an error unless the call may take the given bytes besides those of its plan.
func (r *Request) Allow(bytes int64) error {
	return required(r.N, r.Env.Limit, r.Env.Held+r.Plan.bytes+bytes)
}

// translate replaces places of picked rows by their numbers, unless an order has written those.
func (r *Request) translate(rows extract.Input, index []uint32, err error) error {
	if err != nil || !r.untranslated {
		return err
	}
	return r.Stage("rows", r.N, r.piece(r.N), func(_, lo, hi int) { rows.Translate(index[lo:hi], index[lo:hi]) })
}
