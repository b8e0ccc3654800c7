package extract

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/parallel"
)

// Key functions and null functions are the caller's, and may be slow. If a sort can be
// cancelled, they are called only in turns of this file, which check the context. So a
// cancelled sort stops after the calls that are running, or after at most a turn of quick ones.

// turn is the number of quick calls between two checks of the context. A check takes 5 ns
// with its loop (EPYC of 2022).
const turn = 16

// quick bounds the time of quick calls that are measured together, up to a turn of them.
// Where the next ones take up to 3 ms each, the turn still ends within 50 ms.
const quick = time.Millisecond

// seldom is the number of turns of quick calls of which one is measured. Two readings of
// the clock take 52 ns.
const seldom = 64

// Pace is the pace of the calls of one function: one by one, or in turns.
type Pace struct {
	Loop  *parallel.Loop
	quick atomic.Bool // the calls measured last were
	few   bool        // a call of the library makes no more than a turn of them
}

// restart prepares p for another call of the library, on n elements.
func (p *Pace) restart(n int) {
	if p.quick.Load() { // a store takes longer
		p.quick.Store(false)
	}
	p.few = n <= turn
}

// Each is the context to check before each call; nil if it is checked per turn or never.
func (p *Pace) Each() context.Context {
	if p == nil || !p.few {
		return nil
	}
	return p.Loop.Ctx
}

// Paces are the paces of a column's functions: one may be quick and the other slow. They
// are nil if nothing can cancel the calls.
type Paces struct{ Key, Null *Pace }

func newPaces(loop *parallel.Loop) Paces {
	if loop.Ctx == nil || loop.Ctx.Done() == nil {
		return Paces{}
	}
	both := &[2]Pace{{Loop: loop}, {Loop: loop}}
	return Paces{&both[0], &both[1]}
}

// Restart prepares both for another call of the library, on n elements, if there are any.
func (p Paces) Restart(n int) {
	if p.Key != nil {
		p.Key.restart(n)
		p.Null.restart(n)
	}
}

// turns cuts the calls for n elements into turns [lo, hi):
//
//	t := turns{pace: p, n: n}
//	for t.begin(); t.lo < n && t.next(); t.end() {
//		… // call for elements [t.lo, t.hi)
//	}
//
// After the loop, t.lo is the number of elements done: n unless the sort was cancelled.
type turns struct {
	pace   *Pace
	ctx    context.Context // of the sort
	lo, hi int
	n      int
	step   int           // elements of the next turn
	wait   int           // turns until the clock is read
	start  time.Duration // since epoch, of the turns that are measured; 0 if none are
}

// Epoch is the origin of all durations. time.Since takes half the time of time.Now.
var Epoch = time.Now()

// begin sets the number of calls of the first turn, and the turn that is measured.
func (t *turns) begin() {
	if t.ctx = t.pace.Loop.Ctx; !t.pace.Loop.Cancellable() {
		t.ctx = context.Background()
	}
	if t.pace.few { // a check per call costs less than reading the clock
		t.step = 1
		return
	}
	known := t.n == 1 || t.pace.quick.Load()
	if t.step = 1; known {
		t.step = turn
	}
	if t.wait = int(rand.Uint32() % seldom); t.wait == 0 || !known {
		t.start, t.wait = time.Since(Epoch), 1
	}
}

// next begins the next turn, unless the sort was cancelled. It is inlined.
func (t *turns) next() bool {
	t.hi = min(t.lo+t.step, t.n)
	return t.ctx.Err() == nil
}

// end ends a turn.
func (t *turns) end() {
	t.lo = t.hi
	if t.wait--; t.wait == 0 {
		t.measure()
	}
}

// measure reads the clock. At first each turn is twice the one before, as long as all turns
// measured together are quick.
func (t *turns) measure() {
	now := time.Since(Epoch)
	if t.start == 0 {
		t.start, t.wait = now, 1
		return
	}
	quickly := now-t.start < quick
	switch {
	case !quickly:
		t.step = 1
	case t.step < turn && t.lo < t.n:
		if t.n > turn { // a few calls are measured together, at the end
			t.step *= 2
		}
		t.wait = 1
		return
	}
	t.start = 0
	if t.pace.quick.Load() != quickly { // workers share it
		t.pace.quick.Store(quickly)
	}
}
