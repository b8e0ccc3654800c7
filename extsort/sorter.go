package extsort

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/spill"
)

// Sorter takes any number of elements and hands them out in order. It is for one goroutine at
// a time. After an error the elements that were accepted are still there: see Retry.
type Sorter[E any] struct {
	options
	order  sorter.Ordering[E]
	layout layout
	sort   []sorter.Option // of runs
	store  *spill.Store
	id     uint64 // of this sort, in all checksums

	memory []E            // of elements: two halves while runs are made, then the buffers of parts; nil before the first run
	arena  *scratch.Arena // of memory, or of fill
	buf    []byte         // of the writer
	half   int            // of memory, that is filled
	fill   []E            // elements that wait for their run; in that half, if there is memory
	ready  bool           // fill is in order, without elements to drop
	bound  *E             // elements that do not come before it are dropped; nil: none
	out    *writing[E]
	runs   []*run[E]

	written int64 // runs so far: numbers of the next
	handed  bool  // the elements have been handed out
	running bool  // a loop over All or Batches, which releases the memory when it ends
	closed  bool
	closing error // of closing files
	stats   Stats
}

// New returns a Sorter for elements without pointers, which go to disk as they are in memory,
// padding included. The order is that of o, and stable: elements that tie come out as they
// were appended. Key functions are called once per element when its run is sorted, again when
// its part of the result is, and for elements near the cuts between parts: by several
// goroutines at a time, with one worker as well. If they change their results, the output ends
// with an error, or has every element once, in some order.
//
// Its memory grows with the elements, up to [MemoryLimit]. It panics if E holds pointers. The error is [ErrMemoryLimit].
func New[E any](o sorter.Ordering[E], opts ...Option) (*Sorter[E], error) {
	if t := reflect.TypeFor[E](); scratch.HoldsPointers(t) {
		panic(fmt.Sprintf("extsort: elements of type %v hold pointers", t))
	}
	s := &Sorter[E]{options: optionsOf(opts), order: o, id: rand.Uint64()}
	var err error
	s.layout, err = layOut(o, s.options.memory, s.crew())
	if err != nil {
		return nil, err
	}
	s.sort = s.sortOptions(s.layout.workers)
	if s.engine != nil {
		s.sort = append(s.sort, sorter.On(s.engine))
	}
	s.store = spill.NewStore(s.disk, s.dirs, s.diskLimit)
	return s, nil
}

// crew returns the number of goroutines that may sort.
func (s *Sorter[E]) crew() int {
	if s.workers > 0 {
		return s.workers
	}
	return runtime.GOMAXPROCS(0)
}

func (s *Sorter[E]) sortOptions(workers int) []sorter.Option {
	all := []sorter.Option{sorter.Stable(), sorter.Workers(workers)}
	if s.ctx != nil {
		all = append(all, sorter.WithContext(s.ctx))
	}
	return all
}

// err returns the error of the context.
func (o *options) err() error {
	if o.ctx == nil {
		return nil
	}
	return o.ctx.Err()
}

// Sort sorts the elements of in by a key and yields them in order: see [New] and
// [Sorter.All]. An error is yielded once, as the last pair, with a zero element.
func Sort[E any, K sorter.Key](in iter.Seq[E], key func(E) K, opts ...Option) iter.Seq2[E, error] {
	if key == nil {
		panic("extsort: nil key function")
	}
	return func(yield func(E, error) bool) {
		s, err := New(sorter.By(sorter.Asc(key)), opts...)
		if err != nil {
			yield(*new(E), err)
			return
		}
		defer s.Close()
		if err := s.AppendSeq(in); err != nil {
			yield(*new(E), err)
			return
		}
		s.All()(yield)
	}
}

// Append appends elements. It copies them, and sorts and writes a run whenever memory is full.
// Of several elements, those before the failure of a run are accepted: Len counts them.
func (s *Sorter[E]) Append(e ...E) error {
	for len(e) > 0 {
		if len(s.fill) == cap(s.fill) {
			if err := s.makeRoom(len(e)); err != nil {
				return err
			}
		}
		if s.bound != nil {
			before := s.order.Compare(e[0], *s.bound) < 0
			if s.accepted(1); before {
				s.fill = append(s.fill, e[0])
			} else {
				s.stats.Dropped++
			}
			e = e[1:]
			continue
		}
		n := min(len(e), cap(s.fill)-len(s.fill))
		s.fill = append(s.fill, e[:n]...)
		s.accepted(int64(n))
		e = e[n:]
	}
	return nil
}

// accepted counts n elements.
func (s *Sorter[E]) accepted(n int64) {
	s.stats.Elements += n
	s.ready = false
}

// AppendSeq appends the elements of a sequence, see Append. After an error the element at
// which it stopped is not accepted.
func (s *Sorter[E]) AppendSeq(in iter.Seq[E]) error {
	for e := range in {
		if s.bound == nil && len(s.fill) < cap(s.fill) {
			s.fill = append(s.fill, e)
			s.accepted(1)
		} else if err := s.Append(e); err != nil {
			return err
		}
	}
	return nil
}

// Len returns the number of elements accepted so far, also after an error, and those that
// Limit and Unique dropped.
func (s *Sorter[E]) Len() int64 { return s.stats.Elements }

// makeRoom makes room in fill, which is full or not begun, for more elements if it can.
func (s *Sorter[E]) makeRoom(more int) error {
	if s.handed || s.closed {
		return ErrEnded
	}
	if cap(s.fill) < s.layout.fill {
		s.grow(more)
		return nil
	}
	if err := s.settle(); err != nil {
		return err
	}
	if len(s.fill) <= cap(s.fill)/2 { // elements were dropped
		return nil
	}
	if s.memory == nil {
		s.takeMemory()
	}
	return s.writeRun()
}

// take returns pooled memory for n elements, which begins with those of fill, and gives the
// memory of fill back.
func (s *Sorter[E]) take(n int) []E {
	old := s.arena
	s.arena = new(scratch.Arena)
	all := scratch.Take[E](s.arena, n)
	copy(all, s.fill)
	if old != nil {
		old.Release(s.layout.workers)
	}
	return all
}

// grow makes room for more elements, and four times those that fill has, up to the elements of
// a run. So a short input takes little memory, and a long one is seldom copied.
func (s *Sorter[E]) grow(more int) {
	n := min(max(4*len(s.fill), len(s.fill)+more, leastGrown), s.layout.fill)
	s.fill = s.take(n)[:len(s.fill)]
	size := int64(unsafe.Sizeof(*new(E)))
	s.stats.Memory = min(2*int64(n)*size+scratchBytes(s.order, n, s.layout.workers), s.layout.bytes)
}

// leastGrown is the number of elements that the first Append makes room for.
const leastGrown = 1024

// takeMemory takes the memory of the whole sort, when more elements come than a run has. What
// fill had is given back before the scratch memory of another sort is taken.
func (s *Sorter[E]) takeMemory() {
	s.memory = s.take(2 * s.layout.fill)
	s.fill = s.halfOf(0)[:len(s.fill)]
	s.buf = make([]byte, s.layout.buffer)
	s.stats.Memory = s.layout.bytes
	scratch.Trim()
}

// settle sorts the elements that wait, and drops those that Limit and Unique do not want.
func (s *Sorter[E]) settle() error {
	if s.ready {
		return nil
	}
	start := time.Now()
	if unsafe.Sizeof(*new(E)) > 0 {
		if err := s.order.Sort(s.fill, s.sort...); err != nil {
			return err
		}
	}
	s.stats.Sort += time.Since(start)
	n := len(s.fill)
	if s.unique {
		s.fill = compact(s.order, s.fill)
	}
	if s.limit > 0 && int64(len(s.fill)) >= s.limit {
		s.fill = s.fill[:s.limit]
		bound := s.fill[s.limit-1]
		s.bound = &bound
	}
	s.stats.Dropped += int64(n - len(s.fill))
	s.ready = true
	return nil
}

// compact moves the first element of each group of equals to the front, in order.
func compact[E any](o sorter.Ordering[E], s []E) []E {
	n := 0
	for i, e := range s {
		if i == 0 || o.Compare(s[n-1], e) != 0 {
			s[n] = e
			n++
		}
	}
	return s[:n]
}

// writing is a run that is being written. Its elements stay until it is on disk.
type writing[E any] struct {
	from []E
	done chan struct{}
	run  *run[E] // after done
	err  error   // after done
}

// writeRun begins to write the sorted elements that wait, and goes on with the other half of
// the memory once the run before is on disk.
func (s *Sorter[E]) writeRun() error {
	if err := s.waitForRun(); err != nil {
		return err
	}
	s.out = &writing[E]{from: s.fill}
	s.startWriting()
	s.half = 1 - s.half
	s.fill, s.ready = s.halfOf(s.half), false
	return nil
}

// halfOf returns an empty half of the memory.
func (s *Sorter[E]) halfOf(half int) []E {
	n := s.layout.fill
	return s.memory[half*n : half*n : (half+1)*n]
}

func (s *Sorter[E]) startWriting() {
	w := s.out
	w.done, w.err = make(chan struct{}), nil
	block, number := s.blockLen(), s.nextNumber()
	go func() {
		defer close(w.done)
		w.run, w.err = s.write(w.from, block, number)
	}()
}

// nextNumber returns the number of the next run, for checksums.
func (s *Sorter[E]) nextNumber() uint64 {
	s.written++
	return s.id + uint64(s.written)*0x9e3779b97f4a7c15
}

// write writes one run.
func (s *Sorter[E]) write(from []E, block int, number uint64) (*run[E], error) {
	w, err := s.newRunWriter(int64(len(from)), block, number)
	if err != nil {
		return nil, err
	}
	defer w.discard()
	if err := w.append(from); err != nil {
		return nil, err
	}
	return w.close()
}

// waitForRun waits until the run that is being written is on disk. After an error it stays to
// be written again.
func (s *Sorter[E]) waitForRun() error {
	if s.out == nil {
		return nil
	}
	start := time.Now()
	<-s.out.done
	s.stats.Write += time.Since(start)
	if s.out.err != nil {
		return public(s.out.err)
	}
	s.stats.Written += s.out.run.bytes.Size()
	s.runs = append(s.runs, s.out.run)
	s.stats.Runs++
	s.out = nil
	s.tell("runs", s.stats.Elements, 0)
	return nil
}

func (s *Sorter[E]) tell(stage string, done, total int64) {
	if s.progress != nil {
		s.progress(Progress{stage, done, total})
	}
}

// Retry writes again what could not be written, after room was made.
func (s *Sorter[E]) Retry() error {
	if s.handed || s.closed {
		return ErrEnded
	}
	if s.waitForRun() == nil {
		return nil
	}
	s.startWriting()
	return s.waitForRun()
}

// AddDir adds a directory for runs, and writes there what could not be written.
func (s *Sorter[E]) AddDir(dir string) error {
	s.dirs = append(s.dirs[:len(s.dirs):len(s.dirs)], dir)
	s.store.Add(dir)
	return s.Retry()
}

// Close ends the sort and frees its memory and its files. It may be called again, and in the
// body of a loop over All or Batches, which then ends with [ErrEnded] and frees them. The error
// is one of closing files, or of giving their space back earlier: nothing is lost by it.
func (s *Sorter[E]) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	if s.out != nil {
		<-s.out.done
	}
	if s.running {
		return nil
	}
	s.reportTo()
	s.release()
	return public(s.closing)
}

// reportTo writes the statistics to where Report said.
func (s *Sorter[E]) reportTo() {
	if s.report == nil {
		return
	}
	s.stats.Disk = s.store.Peak()
	s.stats.Dirs, s.stats.InMemory = s.dirs, nil
	for _, dir := range s.dirs {
		if spill.InMemory(dir) {
			s.stats.InMemory = append(s.stats.InMemory, dir)
		}
	}
	*s.report = s.stats
}
