package extsort

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"
)

// Appender appends elements to a [Sorter]. It is for one goroutine at a time; different
// appenders may be used concurrently, and with [Sorter.Append].
type Appender[E any] struct {
	s        *Sorter[E]
	number   int
	accepted atomic.Int64
	dropped  atomic.Int64
	bound    atomic.Pointer[E] // of its own elements; see Sorter
	piece    piece[E]          // that is filled
	buf      []byte            // of an element that is encoded
	ended    bool
	rows     rows[E] // full pieces; of the lock of the Sorter
	taken    int64   // accepted elements that are in rows or before; of that lock
}

// piece is memory that an appender fills without a lock.
type piece[E any] struct {
	all  []E    // elements without pointers
	code []byte // encoded elements
	n    int    // of them
	most int    // elements that it may have
	size int    // elements, or bytes of encoded ones, that there is memory for
}

// sharing is the state of a Sorter that has appenders.
type sharing[E any] struct {
	all    atomic.Pointer[[]*Appender[E]] // the first is that of Sorter.Append
	before int64                          // elements that were appended before
	begun  bool                           // these are those of the first appender
	ended  bool                           // elements are in fill or in runs, and no others are taken
	bytes  int64                          // of elements in full pieces so far
	n      int64                          // elements in them
}

// Appender returns an appender, for a goroutine of its own. Elements that tie come out by
// appender, in the order in which they were made and after those of [Sorter.Append], and then as
// they were appended.
//
// Appenders share the memory of the sort: each fills a small piece of it, and when all is taken,
// the elements of the appender that has most are sorted and written. The rest of the memory is for
// that, so that runs are about as long as those without appenders. While appenders append,
// Appender, Len, Retry and AddDir may be called; all others end the input, or wait for no
// append. The first call may not be concurrent with Append of the Sorter.
func (s *Sorter[E]) Appender() *Appender[E] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared == nil {
		s.shared = &sharing[E]{before: s.stats.Elements}
		s.shared.all.Store(new([]*Appender[E]))
		s.slice, s.pack = nil, nil
		s.addAppender()
	}
	return s.addAppender()
}

func (s *Sorter[E]) addAppender() *Appender[E] {
	all := *s.shared.all.Load()
	a := &Appender[E]{s: s, number: len(all), ended: s.handed || s.closed || s.shared.ended}
	all = append(slices.Clip(all), a)
	s.shared.all.Store(&all)
	return a
}

// accepted returns the number of elements that were accepted so far.
func (h *sharing[E]) accepted() int64 {
	n := h.before
	for _, a := range *h.all.Load() {
		n += a.accepted.Load()
	}
	return n
}

// countShared counts the elements of all appenders.
func (s *Sorter[E]) countShared() {
	s.stats.Elements = s.shared.accepted()
	for _, a := range *s.shared.all.Load() {
		s.stats.Dropped += a.dropped.Swap(0)
	}
}

// stopSharing ends all appenders.
func (s *Sorter[E]) stopSharing() {
	if s.shared == nil {
		return
	}
	s.countShared()
	s.shared.ended = true
	for _, a := range *s.shared.all.Load() {
		a.ended, a.piece = true, piece[E]{}
		if a.rows != nil {
			a.rows.Release()
		}
	}
}

// Append appends elements, see [Sorter.Append]: it copies them, and writes a run whenever the
// memory is full. After an error of a disk each appender returns it, until [Sorter.Retry] or
// [Sorter.AddDir] has written that run.
func (a *Appender[E]) Append(e ...E) error {
	for len(e) > 0 {
		if a.ended {
			return ErrEnded
		}
		some := e
		if bound := a.bound.Load(); bound != nil {
			if a.s.order.Compare(e[0], *bound) >= 0 {
				a.accepted.Add(1)
				a.dropped.Add(1)
				e = e[1:]
				continue
			}
			some = e[:1]
		}
		n, need, err := a.put(some)
		a.accepted.Add(int64(n))
		if err != nil {
			return err
		}
		if e = e[n:]; need > 0 {
			n, err := a.s.refill(a, e, need)
			if e = e[n:]; err != nil {
				return err
			}
		}
	}
	return nil
}

// put appends the first elements of e to the piece, as many as there is room for, and returns
// how many. Without room for the next, need is the size of its encoding with the length, or 1.
func (a *Appender[E]) put(e []E) (n, need int, err error) {
	p := &a.piece
	f := a.s.coded
	if f == nil {
		n = min(len(e), cap(p.all)-len(p.all))
		if p.all = append(p.all, e[:n]...); n < len(e) {
			need = 1
		}
		return n, need, nil
	}
	for i := range e {
		src, err := f.encode(&a.buf, e[i])
		if err != nil {
			return i, 0, err
		}
		need := lengthBytes(len(src)) + len(src)
		if p.n == p.most || cap(p.code)-len(p.code) < need {
			return i, need, nil
		}
		p.code = appendCode(p.code, src)
		p.n++
	}
	return len(e), 0, nil
}

// refill takes the piece of an appender over and gives it another, for the first of e at least. If that is
// so long that it is alone, it is taken over at once. n is the number of elements that were.
func (s *Sorter[E]) refill(a *Appender[E], e []E, need int) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handed || s.closed {
		return 0, ErrEnded
	}
	if err := s.err(); err != nil {
		return 0, err
	}
	if err := s.beginSharing(); err != nil {
		return 0, err
	}
	s.takeOver(a)
	s.stats.Elements = s.shared.accepted()
	all := *s.shared.all.Load()
	size, elements := s.form.PieceLen(need, s.shared.bytes, s.shared.n)
	for {
		taken, held := int64(0), 0
		bytes, most := int64(0), 0 // the most of an appender
		for _, b := range all {
			pieceSize, pieceMost := b.piece.size, b.piece.most // its other fields are of its goroutine
			if b == a {
				pieceSize, pieceMost = size, elements
			}
			of := b.rows.Memory() + s.form.PieceBytes(pieceSize)
			taken += of
			held += b.rows.Len()
			bytes, most = max(bytes, of), max(most, b.rows.Len()+pieceMost)
		}
		account := s.form.Account()
		room := account.total
		if held > 0 {
			room -= account.less
		}
		if memory := account.sharing(taken, bytes, most); memory <= room {
			s.form.Count(memory)
			s.beyond = max(s.beyond, memory-(account.total-account.less))
			if a.piece = s.form.NewPiece(size, elements); elements == 1 {
				n, _, err = a.put(e[:1])
				a.accepted.Add(int64(n))
				s.takeOver(a)
			}
			return n, err
		}
		switch {
		case s.out != nil && (held == 0 || account.waits(bytes, most)):
			err = s.waitForRun()
		case held == 0:
			err = fmt.Errorf("%w for pieces of %d appenders", tooLittle(s.options.memory, 0), len(all)-1)
		default:
			err = s.spill(slices.MaxFunc(all, func(x, y *Appender[E]) int { return cmp.Compare(x.rows.Bytes(), y.rows.Bytes()) }))
		}
		if err != nil {
			return 0, err
		}
	}
}

// beginSharing gives the elements before the first appender to that of Append.
func (s *Sorter[E]) beginSharing() error {
	h := s.shared
	all := *h.all.Load()
	if !h.begun {
		fill, err := s.form.Share(s.fill)
		if err != nil {
			return err
		}
		h.begun = true
		s.lend()
		all[0].rows = fill
		all[0].bound.Store(s.bound)
		s.fill = nil
	}
	for _, a := range all {
		if a.rows == nil {
			a.rows = s.form.Input()
		}
	}
	return nil
}

// takeOver adds the piece of an appender to its rows.
func (s *Sorter[E]) takeOver(a *Appender[E]) {
	a.taken = a.accepted.Load()
	if a.piece.size == 0 {
		return
	}
	n, bytes := a.rows.Len(), a.rows.Bytes()
	a.rows.Adopt(a.piece)
	s.shared.n += int64(a.rows.Len() - n)
	s.shared.bytes += a.rows.Bytes() - bytes
	a.piece = piece[E]{}
}

// spill makes room: it drops elements of an appender, or begins to write them.
func (s *Sorter[E]) spill(a *Appender[E]) error {
	n := a.rows.Len()
	bound, err := s.settle(a.rows)
	if bound != nil {
		a.bound.Store(bound)
	}
	if err != nil {
		return err
	}
	if a.rows.Len() <= n/2 {
		a.rows.Reopen() // frees the memory of those that were dropped
		return nil
	}
	return s.writeOf(a)
}

// writeOf begins to write the elements of an appender, which are in order.
func (s *Sorter[E]) writeOf(a *Appender[E]) error {
	next, err := s.writeRun(a.rows, a)
	if err == nil {
		a.rows = next
	}
	return err
}

// writeShared writes the elements of all appenders.
func (s *Sorter[E]) writeShared() error {
	if err := s.beginSharing(); err != nil {
		return err
	}
	all := *s.shared.all.Load()
	for _, a := range all {
		s.takeOver(a)
	}
	return s.writeAll(all)
}

// writeAll writes the rows of appenders, each as a run.
func (s *Sorter[E]) writeAll(all []*Appender[E]) error {
	for _, a := range all {
		if a.rows.Len() == 0 {
			continue
		}
		if _, err := s.settle(a.rows); err != nil {
			return err
		}
		if err := s.writeOf(a); err != nil {
			return err
		}
	}
	return s.waitForRun()
}

// endSharing ends the input of all appenders: it is in fill, or written if anything was. Runs
// are in the order of their appenders.
func (s *Sorter[E]) endSharing() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shared.ended {
		return nil
	}
	if err := s.beginSharing(); err != nil {
		return err
	}
	all := *s.shared.all.Load()
	for _, a := range all {
		s.takeOver(a)
		a.rows.Reopen()
	}
	if len(s.runs) == 0 && s.out == nil {
		if joined := s.form.Join(all); joined != nil {
			for _, a := range all {
				a.rows = s.form.Input()
			}
			s.fill = joined
			s.stopSharing()
			return nil
		}
	}
	if err := s.writeAll(all); err != nil {
		return err
	}
	s.byAppender()
	s.fill = s.form.Input()
	s.stopSharing()
	return nil
}
