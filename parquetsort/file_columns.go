package parquetsort

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// moveColumns moves all columns, and encodes them.
func (s *fileSort) moveColumns() error {
	order := slices.Clone(s.columns) // the longest first, so that workers end together
	slices.SortStableFunc(order, func(a, b *column) int { return cmp.Compare(b.bytes, a.bytes) })
	s.chunks = make([][]*chunk, len(s.layout.groups)-1)
	for g := range s.chunks {
		s.chunks[g] = make([]*chunk, len(s.columns))
	}
	crew := newCrew(s.ctx, s.movers())
	room := s.columnRoom()
	var memory reused[moverMemory]
	err := crew.each(len(order), func(i int) error {
		own := memory.take()
		defer memory.giveBack(own)
		if err := s.moveColumn(crew, order[i], int(room), own); err != nil {
			return fmt.Errorf("column %s: %w", order[i], err)
		}
		return nil
	})
	s.stats.Spilled = s.store.spilled.Load()
	return err
}

// moveColumn moves a column by the numbers of its values if all pages have a dictionary, or else by its values.
func (s *fileSort) moveColumn(crew *crew, c *column, room int, memory *moverMemory) error {
	if c.hasDictionaries() {
		err := s.moveAs(crew, c, true, room, memory)
		if _, many := err.(errManyValues); !many {
			return err
		}
	}
	return s.moveAs(crew, c, false, room, memory)
}

func (s *fileSort) moveAs(crew *crew, c *column, numbers bool, room int, memory *moverMemory) error {
	m := newMover(s, c, numbers, room/2, memory)
	defer m.close()
	if err := m.distribute(); err != nil {
		return err
	}
	var ordered []uint32
	if numbers {
		ordered = m.numbers.to.ordered()
	}
	return crew.each(s.layout.partCount(), func(p int) error {
		e := s.encoders.take()
		defer s.encoders.giveBack(e)
		return s.encodePart(e, m, ordered, p)
	})
}

// encodePart encodes the row groups of a partition.
func (s *fileSort) encodePart(e *chunkEncoder, m *mover, ordered []uint32, p int) error {
	if err := e.order(m, p); err != nil {
		return err
	}
	l := s.layout
	first, _ := l.partRows(p)
	for g := l.parts[p]; g < l.parts[p+1]; g++ {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		c, err := e.encode(m, ordered, l.groups[g]-first, l.groups[g+1]-first)
		if err != nil {
			return err
		}
		s.chunks[g][m.c.index] = c
	}
	return nil
}

// reused is memory that one goroutine after the other uses. A sync.Pool would drop it at each collection.
type reused[T any] struct {
	mu   sync.Mutex
	free []*T
}

func (r *reused[T]) take() *T {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.free)
	if n == 0 {
		return new(T)
	}
	t := r.free[n-1]
	r.free = r.free[:n-1]
	return t
}

func (r *reused[T]) giveBack(t *T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, t)
}

// dictionaryValues bounds the distinct values of a column that is moved by their numbers.
func (o *fileOptions) dictionaryValues(rows int) int {
	if o.mostDictionary > 0 {
		return o.mostDictionary
	}
	return min(1<<20, rows/4+1)
}

// dictionaryBytes bounds their memory.
func (o *fileOptions) dictionaryBytes() int {
	return int(min(64<<20, o.memory/8/int64(o.workers)))
}

// crew is the workers of a call. Loops may lie within each other: a worker helps wherever there is work.
type crew struct {
	ctx     context.Context
	helpers chan struct{} // one for each worker beside the caller that is idle
}

func newCrew(ctx context.Context, workers int) *crew {
	c := &crew{ctx, make(chan struct{}, workers-1)}
	for range workers - 1 {
		c.helpers <- struct{}{}
	}
	return c
}

// each calls f with 0 to n-1, on the caller's goroutine and on those of idle workers. It returns when all calls have: the
// first error, after which no call begins. A panic, or the end of a goroutine, reaches the caller.
func (c *crew) each(n int, f func(i int) error) error {
	l := loop{n: int64(n), f: f}
	var wg sync.WaitGroup
	for !l.ended() {
		select {
		case <-c.helpers:
			wg.Go(func() {
				defer func() { c.helpers <- struct{}{} }()
				for l.step(c.ctx) {
				}
			})
			continue
		default:
		}
		if !l.step(c.ctx) {
			break
		}
	}
	wg.Wait()
	switch {
	case l.panicked != nil:
		panic(l.panicked)
	case l.exited:
		runtime.Goexit()
	}
	return l.err
}

// loop is the calls of a function.
type loop struct {
	n, next  int64
	f        func(int) error
	stop     atomic.Bool
	mu       sync.Mutex
	err      error
	panicked any
	exited   bool
}

func (l *loop) ended() bool { return l.stop.Load() || atomic.LoadInt64(&l.next) >= l.n }

// step makes the next call. It reports whether there may be others.
func (l *loop) step(ctx context.Context) bool {
	i := atomic.AddInt64(&l.next, 1) - 1
	if i >= l.n || l.stop.Load() {
		return false
	}
	if ctx.Err() != nil {
		l.fail(context.Cause(ctx), nil, false)
		return false
	}
	returned := false
	defer func() {
		if !returned {
			p := recover()
			l.fail(nil, p, p == nil)
		}
	}()
	err := l.f(int(i))
	returned = true
	if err != nil {
		l.fail(err, nil, false)
	}
	return err == nil
}

// fail keeps the first failure.
func (l *loop) fail(err error, panicked any, exited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stop.CompareAndSwap(false, true) {
		l.err, l.panicked, l.exited = err, panicked, exited
	}
}
