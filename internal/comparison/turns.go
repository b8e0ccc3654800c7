package comparison

import (
	"context"
	"time"
)

// Turns checks a context between the calls of a comparison, which may be slow, on one goroutine. A
// cancelled sort ends by a panic that [Turns.run] recovers: the loops of this package need no checks.
//
// Quick calls are made in turns of 16 between two checks, and one of 64 turns is timed. After a turn
// of 1 ms or more each call is a turn, until one is quick.
type Turns struct {
	ctx     context.Context
	left    int           // calls until the next check
	size    int           // calls of a turn
	wait    int           // turns until the clock is read
	start   time.Duration // since epoch, of the turn that is timed; 0 if none is
	stopped bool          // the panic is of this sort's own making
}

const (
	turn   = 16
	seldom = 64
	quick  = time.Millisecond
)

// epoch is the origin of all durations. time.Since takes half the time of time.Now.
var epoch = time.Now()

// NewTurns returns the turns of a goroutine, nil if ctx cannot be cancelled.
func NewTurns(ctx context.Context) *Turns {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	return &Turns{ctx: ctx, size: 1}
}

// in returns compare, called in turns of t.
func in[E any](t *Turns, compare func(a, b E) int) func(a, b E) int {
	if t == nil {
		return compare
	}
	return func(a, b E) int {
		if t.left == 0 {
			t.next()
		}
		t.left--
		return compare(a, b)
	}
}

// next begins a turn.
func (t *Turns) next() {
	t.check()
	t.left = t.size
	if t.wait > 0 {
		t.wait--
		return
	}
	now := time.Since(epoch)
	if t.start == 0 {
		t.start = now
		return
	}
	if t.size, t.wait = turn, seldom; now-t.start >= quick {
		t.size, t.wait = 1, 0
	}
	t.left, t.start = t.size, 0
}

// check ends the sort if the context was cancelled.
func (t *Turns) check() {
	if t.ctx.Err() != nil {
		t.stopped = true
		panic(t)
	}
}

// run runs f, which returns early if the context is cancelled.
func (t *Turns) run(f func()) {
	if t == nil {
		f()
		return
	}
	defer func() {
		if t.stopped {
			recover()
		}
	}()
	f()
}
