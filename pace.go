package sorter

import (
	"time"

	"example.com/sorter/internal/parallel"
)

// Key functions and null functions are the caller's, and may be slow. While a sort
// can be cancelled they are called at the pace of this file only, so that wherever its
// time goes it stops after the calls then running, or after few that are quick.

// turn is the number of calls between two questions to the context where calls are
// quick. A question takes 8 ns (EPYC of 2022): 1 ns a call.
const turn = 8

// quick bounds the time of the first calls of a batch, turn-1 of them, where others
// make up whole turns. Those may take 6 ms each and are still over in 50 ms together.
const quick = time.Millisecond

// pace cuts the calls for n elements into turns [lo, hi):
//
//	p := paced(loop, n)
//	for p.next() {
//		… // call for elements [p.lo, p.hi)
//	}
//
// Behind the loop, p.hi is the number of elements that had their turn: all of them
// unless the context of the loop was cancelled.
type pace struct {
	loop   *parallel.Loop // nil: there is no context
	lo, hi int
	n      int
	step   int // elements of the next turn
	most   int // the largest step
	start  time.Time
}

// paced begins to pace the calls for n elements. Without a loop they are one turn.
func paced(loop *parallel.Loop, n int) pace {
	if loop == nil || loop.Ctx == nil || loop.Ctx.Done() == nil {
		return pace{n: n, step: n, most: n}
	}
	p := pace{loop: loop, n: n, step: 1, most: 1}
	if n > few { // a reading of the clock takes as long as several questions
		p.start, p.most = time.Now(), turn
	}
	return p
}

// next begins the next turn, if there is one.
func (p *pace) next() bool {
	if p.hi == p.n || p.loop != nil && p.loop.Err() != nil {
		return false
	}
	if p.lo = p.hi; p.step < p.most && p.lo > 0 {
		if p.step *= 2; time.Since(p.start) >= quick {
			p.step, p.most = 1, 1
		}
	}
	p.hi = min(p.lo+p.step, p.n)
	return true
}
