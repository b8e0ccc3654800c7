// Package engine is the contract between the library and an engine, which orders codes: the
// CPU engine, a GPU, or an engine of the tests. An engine sees unsigned integers only; keys
// and payload stay with the library.
package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/parallel"
	"example.com/sorter/internal/scratch"
)

// Backend orders codes. Its methods may be called concurrently.
type Backend interface {
	// Name identifies the engine in Stats and errors, for example "cpu".
	Name() string
	// Worth reports whether the engine expects to be faster than the CPU engine. It must be
	// cheap and may not open a device unless w is large enough to justify one.
	Worth(w Work) bool
	// Runs reports whether the engine has a; every engine has Auto and IndexGather. It opens
	// no device. An engine that later finds that its device cannot run a returns ErrNoDevice
	// from Order.
	Runs(a Algorithm) bool
	// Order pulls the codes of job, orders them ascending with ties in input order, and pushes
	// the result: input positions to job.Emit, or sorted codes or elements if the job takes
	// them. A nil error means that every position, code or element was emitted exactly once
	// and that job.Ties is filled. It may return an error after the first Emit: the library
	// can restore the input.
	Order(ctx context.Context, job *Job) error
}

// Calibrated is a backend that judges work by measurements.
type Calibrated interface {
	// Calibration returns the measurements as text, "" if there are none.
	Calibration() string
}

// Observer is a backend that learns from the sorts that it was asked about.
type Observer interface {
	// Observe reports that a sort for which Worth decided took a time, on the engine or on the
	// CPU. It may be called concurrently, and must be cheap.
	Observe(w Work, onEngine bool, took time.Duration)
}

// Work describes a sort for [Backend.Worth].
type Work struct {
	N, Bits int     // elements, and bits of their codes
	Payload uintptr // bytes of an element; 0 for an argsort, and for keys alone
	Keys    bool    // elements are fully determined by their codes
	Further int     // codes that may follow where these tie, see Further; 0: these decide alone
	Workers int     // goroutines at most
	Sample  Sample  // what a sample of the codes says; taken only where the work seems worth an engine
}

// Sample is what a sample of codes says about all of them.
type Sample uint8

const (
	Mixed    Sample = iota // or there is no sample
	Ordered                // all that were sampled ascend, or strictly fall
	Drifting               // their parts ascend or fall from one to the next: nearly in order
	Few                    // most have one of few values
	Samples                // the number of them
)

func (s Sample) String() string { return [Samples]string{"mixed", "ordered", "drifting", "few"}[s] }

// Job is one ordering of N codes. The engine calls source and sink from as many goroutines as
// Loop allows, through Loop, so that a panic of a key function reaches the caller and a
// cancelled context stops the work.
type Job struct {
	N    int // elements, N <= 1<<32-1
	Bits int // a code is below 1<<Bits; Bits <= 32: pull with Codes32, else with Codes64

	// Algorithm is the algorithm to use, one for which Runs holds, or Auto.
	Algorithm Algorithm

	// Codes32 and Codes64 extract the codes of elements [lo, lo+len(dst)) into dst, memory of
	// the engine, in blocks: lo is a multiple of Block and len(dst) is Block, or less at the
	// end. The engine pulls every element exactly once. It asks Loop.Err between blocks; after
	// an error a block may be incomplete.
	Codes32 func(dst []uint32, lo int)
	Codes64 func(dst []uint64, lo int)

	// Plain, unless nil, is the keys in memory.
	Plain *Plain

	// Emit takes the input positions of the elements that come lo-th, lo+1-th, … in the order.
	// Ranges are disjoint and come in any sequence. order is valid until Emit returns.
	Emit func(lo int, order []uint32)

	// Index, unless nil, is the memory that Emit fills, N positions. An engine may write all of
	// them there instead.
	Index []uint32

	// EmitCodes32 or EmitCodes64, chosen by Bits, is set if elements are fully determined by
	// their codes. An engine may push the codes that come lo-th, lo+1-th, … to it, on the
	// terms of Emit, instead of positions. Before the first push it has all codes in order and
	// calls [Env.Commit]. If it found the input in order it need push nothing.
	EmitCodes32 func(lo int, codes []uint32)
	EmitCodes64 func(lo int, codes []uint64)

	// Ties, unless nil, has a bit for each place of the order. The engine sets bit i%32 of
	// Ties[i/32] if the code that comes i-th equals its predecessor. All bits are clear at
	// first; those after the last place are ignored. Ties is set if codes do not decide alone,
	// and replaces the codes themselves: the library would have to keep these and read them
	// through the order, with a cache miss each.
	Ties []uint32

	// Further, unless nil, is further codes, by which an engine may break the ties that it would mark.
	Further *Further

	// Room, unless nil, is called before an engine takes memory of the host, with all bytes
	// that it will hold at a time. On an error, which reports the memory limit, the engine
	// gives up.
	Room func(bytes int64) error

	// Elements, unless nil, is the payload, which holds no pointers. An engine may move it
	// with the codes and push elements instead of positions. For places with ties, and the
	// place before each run of ties, it emits positions, since the library has to order those.
	Elements *Elements

	*Env
}

// Elements is the payload of a job as bytes. Memory that the engine provides is aligned for
// any type.
type Elements struct {
	Size int // bytes of an element

	// Pull copies the bytes of the elements from lo on to dst, whole ones. The engine calls it
	// once per block, after it pulled the codes of that block, with the same lo, while the
	// block is in the cache.
	Pull func(dst []byte, lo int)

	// Settle is called once, after the last Emit and before the first Push. It orders ties
	// while every element is still at its input position. On an error the engine gives up.
	Settle func() error

	// Push takes the bytes of the elements that come lo-th, lo+1-th, … in the order, on the
	// terms of EmitCodes32.
	Push func(lo int, elements []byte)
}

// TieWords is the length of Ties for n elements.
func TieWords(n int) int {
	return n/32 + min(n%32, 1) // an int may not hold n+31
}

// Ties is the ties of an order as in [Job.Ties].
type Ties []uint32

// Tied reports whether the code at place i equals the one before it.
func (t Ties) Tied(i int) bool { return t[i/32]>>(i%32)&1 != 0 }

// Set marks place i.
func (t Ties) Set(i int) { t[i/32] |= 1 << (i % 32) }

// SetAll marks the places [lo, hi).
func (t Ties) SetAll(lo, hi int) {
	for ; lo < hi && lo%32 > 0; lo++ {
		t.Set(lo)
	}
	for ; lo+32 <= hi; lo += 32 {
		t[lo/32] = ^uint32(0)
	}
	for ; lo < hi; lo++ {
		t.Set(lo)
	}
}

// Next returns the first place in [i, n) with Tied == tied; n if there is none.
func (t Ties) Next(tied bool, i, n int) int {
	flip := uint32(0)
	if !tied {
		flip = ^flip
	}
	for i < n {
		if word := (t[i/32] ^ flip) >> (i % 32); word != 0 {
			return min(i+bits.TrailingZeros32(word), n)
		}
		i = (i/32 + 1) * 32
	}
	return n
}

// MarkTies sets the bits of ties among codes that come lo-th, lo+1-th, … in the order. tied
// reports whether the first of them equals its predecessor. It may be called concurrently for
// disjoint ranges.
func MarkTies[C Code](ties []uint32, lo int, tied bool, codes []C) {
	if len(codes) == 0 {
		return
	}
	last := codes[0]
	if !tied {
		last = ^last // differs from codes[0]
	}
	for len(codes) > 0 {
		bit := lo % 32
		n := min(32-bit, len(codes))
		word := uint32(0)
		for i, c := range codes[:n] {
			if c == last {
				word |= 1 << (bit + i)
			}
			last = c
		}
		if word != 0 {
			atomic.OrUint32(&ties[lo/32], word) // neighbouring ranges share a word
		}
		lo, codes = lo+n, codes[n:]
	}
}

// Env is the state that one sort shares with its engine.
type Env struct {
	Loop  parallel.Loop // workers, cancellation, progress
	Arena scratch.Arena // host memory of the sort, accounted
	Trace Trace         // actions of the engine, for statistics
	Limit int64         // bytes of host memory that the call may hold at a time, 0: any number
	Held  int64         // of them, those that the call holds besides Arena, see Fits

	inner  bool // elements are a part of the input, see Inner
	shaped bool // see Shaped
}

// Found records the shape of the input, "" to revoke one. Shapes of parts of the input are not recorded.
func (e *Env) Found(shape Shape) {
	if !e.inner {
		e.Trace.Shape, e.shaped = shape, shape != ""
	}
}

// Shaped reports whether a shape of the input was found: then the time of the call says nothing of others.
func (e *Env) Shaped() bool { return e.shaped }

// Inner runs f on a part of the input.
func (e *Env) Inner(f func() error) error {
	before := e.inner
	defer func() { e.inner = before }()
	e.inner = true
	return f()
}

// Ran records the algorithm that ran on the input.
func (e *Env) Ran(algorithm string) {
	if !e.inner {
		e.Trace.Algorithm = algorithm
	}
}

// Fits reports whether the limit allows the given number of bytes in Arena, and they can be
// addressed.
func (e *Env) Fits(bytes int64) bool { return Fits(e.Limit, e.Held+bytes) }

// Fits reports whether a limit, 0 for none, allows the given number of bytes, and they can
// be addressed.
func Fits(limit, bytes int64) bool {
	return (limit == 0 || bytes <= limit) && bytes < scratch.TooLarge && uint64(bytes) <= math.MaxUint
}

// Stage runs one stage of a sort by [parallel.Loop.Run] and records its time.
func (e *Env) Stage(name string, n, grain int, body func(worker, lo, hi int)) error {
	start := time.Now()
	var err error
	if w := watcher.Load(); w != nil {
		err = e.watched(w, name, n, grain, body)
	} else {
		err = e.Loop.Run(name, n, grain, body)
	}
	e.Trace.add(name, time.Since(start))
	return err
}

// Stopped returns err, or the context's error. The loop cannot see that a body stopped early
// because the context was cancelled.
func (e *Env) Stopped(err error) error {
	if err != nil {
		return err
	}
	return e.Loop.Err()
}

// Commit is called once, just before the input is written. From then on the sort cannot be
// cancelled. Everything that can fail must have succeeded before.
func (e *Env) Commit() { e.Loop.Finish() }

// Revoke undoes Commit, after the input was restored.
func (e *Env) Revoke() { e.Loop.Resume() }

// Scoped runs f in an environment of its own, whose memory is given back when f returns. Its
// Rounds start at those of e; they are not added to e.
func (e *Env) Scoped(f func(*Env) error) error {
	own := e.within(e.Loop.Workers)
	own.Loop.Progress = e.Loop.Progress
	defer e.Adopt(own)
	return f(own)
}

// Adopt adds the stages of own, an environment within e, to e, and releases its memory.
func (e *Env) Adopt(own *Env) {
	for _, s := range own.Trace.Stages {
		e.Trace.add(s.Name, s.Time)
	}
	own.Arena.Release(e.Loop.Workers)
}

// Alone is [Env.Scoped] for a worker inside a stage: f runs on the calling goroutine alone and
// leaves no trace in e. It may be called concurrently.
func (e *Env) Alone(f func(*Env) error) error {
	own := e.within(1)
	defer own.Arena.Release(1)
	return f(own)
}

func (e *Env) within(workers int) *Env {
	own := new(Env)
	own.Loop.Inherit(&e.Loop, workers)
	own.Arena.Outer = &e.Arena
	own.Trace.Rounds, own.Trace.Vectors = e.Trace.Rounds, e.Trace.Vectors
	own.Limit, own.Held, own.inner = e.Limit, e.Held, e.inner
	return own
}

// Block is the largest number of elements that one call of a source extracts. A block of codes
// stays in the first-level cache while it is encoded, and a key function that takes 10 µs
// delays cancellation by 20 ms only.
const Block = 2048

// Errors that a backend and the library share; the root package re-exports them.
var (
	ErrTooLong     = errors.New("sorter: slice too long")
	ErrNoDevice    = errors.New("sorter: no device")
	ErrMemoryLimit = errors.New("sorter: memory limit too small")
)

// NewMemoryError makes an ErrMemoryLimit of a call on n elements. need is math.MaxInt64 if it cannot be
// addressed. The root package sets it at its initialization, and nobody later, to one that makes the
// public type.
var NewMemoryError = func(limit, need int64, n int) error {
	return fmt.Errorf("%w: %d bytes for %d elements, need %d", ErrMemoryLimit, limit, n, need)
}

// DeviceError is the failure of one driver call.
type DeviceError struct {
	Device string // name of the device, or of the engine if there was none
	Op     string // driver call, for example "cuMemAlloc_v2"; "allocation" if memory was short before one was made
	Code   int    // the driver's result code
	Err    error  // cause, may be nil
}

func (e *DeviceError) Error() string {
	text := fmt.Sprintf("sorter: %s: %s failed with code %d", e.Device, e.Op, e.Code)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

func (e *DeviceError) Unwrap() error { return e.Err }

var registry struct {
	sync.Mutex
	list []Backend
}

// Register offers b for automatic choice. It must not touch a device, since programs register
// engines at import and may never sort.
func Register(b Backend) {
	registry.Lock()
	defer registry.Unlock()
	registry.list = append(registry.list, b)
}

// Off returns an error that wraps ErrNoDevice if SORTER_BACKEND=cpu switches devices off,
// otherwise nil. It must be called before a device is opened.
func Off() error {
	if os.Getenv("SORTER_BACKEND") == "cpu" {
		return fmt.Errorf("%w: SORTER_BACKEND=cpu is in the environment", ErrNoDevice)
	}
	return nil
}

// Trimmer is a [Backend] that keeps memory between sorts.
type Trimmer interface {
	// Trim gives memory back that no sort holds.
	Trim() error
}

// Trim trims the registered engines. A device that fails to give memory back is lost, which the next sort
// on it reports.
func Trim() {
	for _, b := range Registered() {
		if t, ok := b.(Trimmer); ok {
			_ = t.Trim()
		}
	}
}

// Registered returns the registered backends in registration order, none if devices are
// switched off.
func Registered() []Backend {
	if Off() != nil {
		return nil
	}
	registry.Lock()
	defer registry.Unlock()
	return append([]Backend(nil), registry.list...)
}
