package sorter

import (
	"sync/atomic"
	"time"

	"example.com/sorter/internal/parallel"
)

// Key functions and null functions are the caller's, and may be slow. While a sort
// can be cancelled they are called at the pace of this file only, so that wherever its
// time goes it stops after the calls then running, or after few that are quick.

// turn is the number of calls between two questions to the context where calls are
// quick. A question takes 8 ns with all that belongs to it (EPYC of 2022).
const turn = 16

// quick bounds the time of the first calls of a batch, turn-1 of them, where others
// make up whole turns. Those may take 3 ms each and are still over in 50 ms together.
const quick = time.Millisecond

// pace is that of the calls of one function; nil where nothing cancels them.
type pace struct {
	loop  *parallel.Loop
	quick atomic.Bool // the calls measured last were
}

// paces are those of the functions of a column: one may be quick and the other slow.
type paces struct{ key, null *pace }

func newPaces(loop *parallel.Loop) paces {
	if loop.Ctx == nil || loop.Ctx.Done() == nil {
		return paces{}
	}
	both := &[2]pace{{loop: loop}, {loop: loop}}
	return paces{&both[0], &both[1]}
}

// turns cuts the calls for n elements into turns [lo, hi):
//
//	t := p.turns(n)
//	for t.next() {
//		… // call for elements [t.lo, t.hi)
//	}
//
// Behind the loop, t.hi is the number of elements that had their turn: all of them
// unless the sort was cancelled.
type turns struct {
	*pace
	lo, hi int
	n      int
	step   int       // elements of the next turn
	most   int       // the largest step
	start  time.Time // zero unless calls are measured
}

func (p *pace) turns(n int) turns {
	if p == nil || n == 1 || n <= turn && p.quick.Load() {
		return turns{pace: p, n: n, step: n, most: n}
	}
	return turns{pace: p, n: n, step: 1, most: turn, start: time.Now()}
}

// next begins the next turn, if there is one.
func (t *turns) next() bool {
	if t.lo = t.hi; t.step < t.most && t.lo > 0 {
		t.measure()
	}
	if t.lo == t.n || t.pace != nil && t.loop.Err() != nil {
		return false
	}
	t.hi = min(t.lo+t.step, t.n)
	return true
}

// measure makes turns longer, as long as all calls so far were quick together.
func (t *turns) measure() {
	switch {
	case time.Since(t.start) >= quick:
		t.step, t.most = 1, 1
		t.quick.Store(false)
	case t.n > turn:
		t.step *= 2
	}
	if known := t.quick.Load(); !known && t.most > 1 && (t.step == t.most || t.lo == t.n) {
		t.quick.Store(true)
	}
}
