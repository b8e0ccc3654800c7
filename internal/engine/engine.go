// Package engine is the contract between the library and whatever orders
// codes: the CPU engine, a GPU, or an engine of the tests. An engine sees
// unsigned integers only; keys and payload stay on the library's side.
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
	// Worth reports whether the engine expects to be faster than the CPU
	// engine. It must be cheap and may not open a device for work that is not
	// worth one.
	Worth(w Work) bool
	// Runs reports whether the engine has a; every engine has Auto and
	// IndexGather. It opens no device: an engine that finds out behind that
	// what its device lacks returns ErrNoDevice from Order.
	Runs(a Algorithm) bool
	// Order pulls the codes of job, orders them ascending with ties in input
	// order, and pushes the resulting input positions to job.Emit, or the
	// sorted codes where job takes those, or the elements where it offers them. A
	// nil error means that every position, or element, was emitted exactly once, and
	// job.Ties filled. Errors returned after the first Emit are allowed: the library
	// can undo what a sink wrote.
	Order(ctx context.Context, job *Job) error
}

// Calibrated is a backend that judges work by what it measured.
type Calibrated interface {
	// Calibration says what was measured, "" before it was.
	Calibration() string
}

// Work is a sort for an engine to judge.
type Work struct {
	N, Bits int     // elements, and bits of their codes
	Payload uintptr // bytes of an element that moves with its code; 0 for an argsort, and for keys alone
	Keys    bool    // elements are nothing but their codes
	Workers int     // goroutines at most
}

// Job is one ordering of N codes. The engine calls the source and the sink
// from as many goroutines as Loop allows, through Loop, so that a panicking
// key function reaches the caller and a cancelled context stops the work.
type Job struct {
	N    int // elements, N <= 1<<32-1
	Bits int // a code is below 1<<Bits; Bits <= 32: pull with Codes32, else with Codes64

	// Algorithm is how to order the codes, one that the engine runs, or Auto.
	Algorithm Algorithm

	// Codes32 and Codes64 extract the codes of elements [lo, lo+len(dst))
	// into dst, the engine's own buffer, in blocks: lo is a multiple of Block
	// and len(dst) is Block, or less at the end. Every element is pulled
	// exactly once. Between blocks the engine asks Loop.Err, without which a
	// block may be incomplete.
	Codes32 func(dst []uint32, lo int)
	Codes64 func(dst []uint64, lo int)

	// Emit takes the input positions of the elements that come lo-th,
	// lo+1-th, … in the order. Ranges are disjoint and come in any sequence;
	// order belongs to the engine again when Emit returns.
	Emit func(lo int, order []uint32)

	// EmitCodes32 and EmitCodes64, the one that Bits says, are there where
	// elements are nothing but their codes: an engine may push the codes that
	// come lo-th, lo+1-th, … to it, on the same terms, and no positions. It
	// has all of them in order before it pushes the first, and then asks the
	// context no more ([Env.Commit]): this is the write that is finished.
	// Where it found the input in order it need push nothing.
	EmitCodes32 func(lo int, codes []uint32)
	EmitCodes64 func(lo int, codes []uint64)

	// Ties, unless it is nil, has a bit for each place of the order: the engine
	// sets bit i%32 of Ties[i/32] if the code that comes i-th equals the one
	// before it. All of them are clear when it gets the job, and those behind
	// the last place mean nothing. It is there where codes do not decide alone,
	// and everything that the library asks about them: an engine has them in its
	// own memory, in order or beside it, while the library would have to keep
	// them and to read them through the order, a cache miss each.
	Ties []uint32

	// Room, unless it is nil, is asked before an engine takes memory of the host, with
	// all bytes that it will hold at a time. The engine gives up on an error: the memory
	// limit forbids it.
	Room func(bytes int64) error

	// Elements, unless it is nil, is what follows the order in the end, where it
	// holds no pointers: an engine may take it along, and push what comes at a place
	// of the order instead of emitting its position. Of places with ties, and of those
	// just before one, it emits positions, which the library has to settle.
	Elements *Elements

	*Env
}

// Elements are the bytes of what a sort moves. Memory that the engine gives is aligned
// for any type.
type Elements struct {
	Size int // bytes of one

	// Pull copies the bytes of elements from lo on to dst, whole ones. The engine
	// calls it for the block whose codes it has just pulled, with the same lo, as
	// long as that is in the cache, and for every block once.
	Pull func(dst []byte, lo int)

	// Settle is called once, behind the last Emit and before the first Push: ties
	// are broken while every element is still where it was. An engine gives up if it
	// fails.
	Settle func() error

	// Push takes the bytes of the elements that come lo-th, lo+1-th, … in the
	// order, on the terms of EmitCodes.
	Push func(lo int, elements []byte)
}

// TieWords is the length of Ties for n elements.
func TieWords(n int) int {
	return n/32 + min(n%32, 1) // an int may not hold n+31
}

// Ties are the ties of an order as [Job.Ties] has them.
type Ties []uint32

// Tied reports whether the code at place i equals the one before it.
func (t Ties) Tied(i int) bool { return t[i/32]>>(i%32)&1 != 0 }

// Next returns the first place from i on, below n, that is tied or is not; n if
// there is none.
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

// MarkTies sets the bits of codes that come lo-th, lo+1-th, … in the order. tied
// says whether the first of them equals the one before it. It may be called from
// several goroutines, for ranges that do not overlap.
func MarkTies[C Code](ties []uint32, lo int, tied bool, codes []C) {
	if len(codes) == 0 {
		return
	}
	last := codes[0]
	if !tied {
		last = ^last // any other code
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

// Env is what one sort shares with its engine.
type Env struct {
	Loop  parallel.Loop // workers, cancellation, progress
	Arena scratch.Arena // host memory of the sort, accounted
	Trace Trace         // of the work
	Limit int64         // bytes of host memory that the sort may hold at a time, 0: any number
}

// Fits reports whether the limit allows the given number of bytes, and they can be
// addressed.
func (e *Env) Fits(bytes int64) bool { return Fits(e.Limit, bytes) }

// Fits reports whether a limit, 0 for none, allows the given number of bytes, and they can
// be addressed.
func Fits(limit, bytes int64) bool {
	return (limit == 0 || bytes <= limit) && bytes < scratch.TooLarge && uint64(bytes) <= math.MaxUint
}

// Stage runs one stage of a sort: [parallel.Loop.Run], timed.
func (e *Env) Stage(name string, n, grain int, body func(worker, lo, hi int)) error {
	start := time.Now()
	err := e.Loop.Run(name, n, grain, body)
	e.Trace.add(name, time.Since(start))
	return err
}

// Stopped returns err, or the context's error: a body that stops in the middle of its
// range because the context was cancelled looks finished to the loop.
func (e *Env) Stopped(err error) error {
	if err != nil {
		return err
	}
	return e.Loop.Err()
}

// Commit is called once, just before the input is written to: from here on the sort
// finishes, whatever its context says. Whatever is still to fail has failed before.
func (e *Env) Commit() { e.Loop.Finish() }

// Revoke takes Commit back, after the input has been made what it was.
func (e *Env) Revoke() { e.Loop.Resume() }

// Scoped runs f in an environment of its own, whose memory is given back when f
// returns. It begins with the rounds of e, to which f's are not added.
func (e *Env) Scoped(f func(*Env) error) error {
	own := e.within(e.Loop.Workers)
	own.Loop.Progress = e.Loop.Progress
	defer func() {
		for _, s := range own.Trace.Stages {
			e.Trace.add(s.Name, s.Time)
		}
	}()
	defer own.Arena.Release(e.Loop.Workers)
	return f(own)
}

// Alone is Scoped for a worker in the middle of a stage, which goes on in f: it
// starts no goroutine and leaves no trace. Workers may call it at the same time.
func (e *Env) Alone(f func(*Env) error) error {
	own := e.within(1)
	defer own.Arena.Release(1)
	return f(own)
}

func (e *Env) within(workers int) *Env {
	own := new(Env)
	own.Loop.Inherit(&e.Loop, workers)
	own.Arena.Outer = &e.Arena
	own.Trace.Rounds, own.Limit = e.Trace.Rounds, e.Limit
	return own
}

// Block is the largest number of elements that one call of a source extracts:
// a block of codes stays in the first-level cache while it is encoded, and a
// key function that takes 10 µs still lets a cancellation through in 20 ms.
const Block = 2048

// Errors that a backend and the library share; the root package re-exports them.
var (
	ErrTooLong     = errors.New("sorter: slice too long")
	ErrNoDevice    = errors.New("sorter: no device")
	ErrMemoryLimit = errors.New("sorter: memory limit too small")
)

// DeviceError is the failure of one driver call.
type DeviceError struct {
	Device string // name of the device, or of the engine where none was reached
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

// Register offers b for automatic choice. It must not touch a device: a
// program registers engines at import and may never sort.
func Register(b Backend) {
	registry.Lock()
	defer registry.Unlock()
	registry.list = append(registry.list, b)
}

// Off returns nil, or an error that wraps ErrNoDevice if the operator switched
// devices off with SORTER_BACKEND=cpu. Whoever opens one asks before.
func Off() error {
	if os.Getenv("SORTER_BACKEND") == "cpu" {
		return fmt.Errorf("%w: SORTER_BACKEND=cpu is in the environment", ErrNoDevice)
	}
	return nil
}

// Registered returns the registered backends in registration order, none if
// devices are off.
func Registered() []Backend {
	if Off() != nil {
		return nil
	}
	registry.Lock()
	defer registry.Unlock()
	return append([]Backend(nil), registry.list...)
}
