package extract

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"example.com/sorter/internal/parallel"
)

// Key functions and null functions are the caller's, and may be slow. While a sort
// can be cancelled they are called at the pace of this file only, so that wherever its
// time goes it stops after the calls then running, or after few that are quick.

// turn is the number of calls between two questions to the context where calls are
// quick. A question takes 5 ns with all that belongs to it (EPYC of 2022).
const turn = 16

// quick bounds the time of quick calls that are measured together, up to a turn of them.
// Where the next ones take up to 3 ms each, the turn still ends within 50 ms.
const quick = time.Millisecond

// seldom is the number of turns of quick calls of which one is measured. To read the
// clock twice takes 52 ns.
const seldom = 64

// Pace is that of the calls of one function.
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

// Each is the context to ask before each call, nil if none is asked so often.
func (p *Pace) Each() context.Context {
	if p == nil || !p.few {
		return nil
	}
	return p.Loop.Ctx
}

// Paces are those of the functions of a column: one may be quick and the other slow. They
// are nil where nothing cancels the calls.
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
// After the loop, t.lo is the number of elements that had their turn: all of them
// unless the sort was cancelled.
type turns struct {
	pace   *Pace
	ctx    context.Context // of the sort
	lo, hi int
	n      int
	step   int           // elements of the next turn
	wait   int           // turns until the clock is read
	start  time.Duration // since epoch, of the turns that are measured; 0 if none are
}

// Epoch makes durations of times: it takes half as long to read those.
var Epoch = time.Now()

// begin says how many calls the first turn has, and which turn is measured.
func (t *turns) begin() {
	if t.ctx = t.pace.Loop.Ctx; !t.pace.Loop.Cancellable() {
		t.ctx = context.Background()
	}
	if t.pace.few { // to ask before each costs less than to read the clock
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

// measure reads the clock. The first calls make longer and longer turns, as long as all
// of them were quick together.
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
		if t.n > turn { // few calls say little before the last
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
