package extsort

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

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

	form     form[E]
	coded    *coded[E] // form, or nil
	buf      []byte    // of the writer
	fill     rows[E]   // elements that wait for their run
	slice    *slice[E] // fill, or nil
	pack     *pack[E]  // fill, or nil
	bound    *E        // elements that do not come before it are dropped; nil: none
	out      *writing[E]
	runs     []*run[E]
	parts    []rows[E] // buffers of Parts
	lent     int64     // bytes of indices that runs leave to them
	beyond   int64     // bytes of indices and cuts that no memory was left for
	endLimit func()    // ends the limit on scratch memory that the first run sets; nil before

	mu       sync.Mutex  // of out, runs and the rows of appenders, if there are any
	shared   *sharing[E] // nil: there are no appenders
	written  int64       // runs so far: numbers of the next
	handed   bool        // the elements have been handed out
	running  bool        // a loop over All or Batches, which releases the memory when it ends
	closed   bool
	observed bool  // its statistics were reported to the observer
	closing  error // of closing files

	keeping     *keeping    // nil: runs are not kept
	consumed    atomic.Bool // all elements were handed out
	partsLeft   atomic.Int64
	partsHanded atomic.Int64 // elements of the others
	discarded   bool
	stats       Stats
}

// New returns a Sorter for elements without pointers, which go to disk as they are in memory,
// padding included. The order is that of o, and stable: elements that tie come out as they
// were appended. Key functions are called once per element when its run is sorted, again when
// its part of the result is, and for elements near the cuts between parts: by several
// goroutines at a time, with one worker as well. If they change their results, the output ends
// with an error, or has every element once, in some order.
//
// Its memory grows with the elements, up to [MemoryLimit]. It panics if E holds pointers. The error
// is [ErrMemoryLimit].
func New[E any](o sorter.Ordering[E], opts ...Option) (*Sorter[E], error) {
	return newFixed(o, opts, false)
}

func newFixed[E any](o sorter.Ordering[E], opts []Option, resume bool) (*Sorter[E], error) {
	t := fixedType[E]()
	if t.Size() == 0 { // memory holds any number of them, and a run would have no bytes
		return newOfCodec(o, Codec[E](emptyCodec[E]{}), opts, resume)
	}
	s := newSorter(o, opts)
	return s.open(fingerprint(t), resume, func() (f form[E], err error) {
		s.layout, err = layOut(o, s.options.memory, s.crew(), s.compress, s.packs)
		return &fixed[E]{s: s}, err
	})
}

// fixedType returns the type of elements. It panics if they hold pointers.
func fixedType[E any]() reflect.Type {
	t := reflect.TypeFor[E]()
	if scratch.HoldsPointers(t) {
		panic(fmt.Sprintf("extsort: elements of type %v hold pointers: use NewStruct for structs, or NewCoded", t))
	}
	return t
}

// NewCoded returns a Sorter for elements of any type, which are kept as a codec encodes them.
// The contents of an element are not used after Append. Of the order, key functions and errors
// everything said of [New] holds. The codec decodes an element when its run is sorted and again
// when its part of the result is, and some of them in between.
//
// An element is counted with its encoding, a length of one byte or more, and while it is sorted
// the size of E and scratch memory. Decoded elements of other codecs than [Strings] and [Bytes]
// are counted as long as their encoding, in addition. An encoding may have about a quarter of the memory, a
// tenth with [Unique] or other codecs, and less where the limit is near the least. Of a longer one
// Append returns a [LengthError], which names its length, the most and the limit that has room for it.
// It panics if c is nil.
func NewCoded[E any](o sorter.Ordering[E], c Codec[E], opts ...Option) (*Sorter[E], error) {
	return newOfCodec(o, c, opts, false)
}

func newOfCodec[E any](o sorter.Ordering[E], c Codec[E], opts []Option, resume bool) (*Sorter[E], error) {
	if c == nil {
		panic("extsort: nil codec")
	}
	s := newSorter(o, opts)
	elements := fmt.Sprintf("%v by %T", reflect.TypeFor[E](), c)
	if c, ok := c.(*structCodec[E]); ok {
		elements = c.fields()
	}
	return s.open(elements, resume, func() (form[E], error) { return newCoded(s, c) })
}

func newSorter[E any](o sorter.Ordering[E], opts []Option) *Sorter[E] {
	s := &Sorter[E]{options: optionsOf(opts), order: o, id: rand.Uint64()}
	s.refuseStreams()
	return s
}

// open begins a sort of elements of a form, whose runs are kept if that is wanted.
func (s *Sorter[E]) open(elements string, resume bool, lay func() (form[E], error)) (*Sorter[E], error) {
	name := ""
	if s.keep != "" {
		k, err := startKeeping(&s.options, elements, describe(s.order), resume)
		if err != nil {
			return nil, err
		}
		if k.begin(); !resume {
			k.manifest.ID = s.id
		}
		s.keeping, s.id, s.packs, s.dirs = k, k.manifest.ID, k.manifest.packs(), append([]string{k.dir}, k.manifest.Dirs...)
		name = runsName(s.id)
	}
	f, err := lay()
	if err == nil {
		s.begin(f, name)
		err = s.beginKeeping(resume)
	}
	if err != nil {
		if s.store != nil {
			err = errors.Join(err, s.store.Close())
		}
		if s.keeping != nil {
			err = errors.Join(err, s.keeping.lock.Release())
		}
		return nil, err
	}
	return s, nil
}

// begin prepares a sort of elements of a form.
func (s *Sorter[E]) begin(f form[E], name string) {
	s.form = f
	s.coded, _ = f.(*coded[E])
	s.setFill(f.Input())
	s.sort = s.sortOptions(s.layout.workers)
	if s.engine != nil {
		s.sort = append(s.sort, sorter.On(s.engine))
	}
	s.store = spill.NewStore(s.disk, s.dirs, s.diskLimit, s.layout.packing, name)
}

// setFill sets the rows that are filled.
func (s *Sorter[E]) setFill(r rows[E]) {
	s.fill = r
	s.slice, _ = r.(*slice[E])
	s.pack, _ = r.(*pack[E])
}

// put appends the first elements of e to the rows that are filled, as many as there is room for,
// and returns how many. Not by way of rows, through which e would escape: one allocation a call.
func (s *Sorter[E]) put(e []E) (int, error) {
	if s.slice != nil {
		return s.slice.append(e), nil
	}
	return s.pack.append(e)
}

// crew returns the number of goroutines that may sort.
func (o *options) crew() int {
	if o.workers > 0 {
		return o.workers
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
// [Sorter.All]. An error is yielded once, as the last pair, with a zero element. It panics if in, key or
// an option is nil, and if E holds pointers.
func Sort[E any, K sorter.Key](in iter.Seq[E], key func(E) K, opts ...Option) iter.Seq2[E, error] {
	if in == nil {
		panic("extsort: Sort of a nil sequence")
	}
	if key == nil {
		panic("extsort: nil key function")
	}
	checkOptions(opts)
	fixedType[E]()
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
	if r := s.slice; r != nil && s.bound == nil && len(e) <= cap(r.all)-len(r.all) {
		r.all, r.inOrder = append(r.all, e...), false
		s.stats.Elements += int64(len(e))
		return nil
	}
	if s.shared != nil {
		return (*s.shared.all.Load())[0].Append(e...)
	}
	for len(e) > 0 {
		if s.handed || s.closed {
			return ErrEnded
		}
		some := e
		if s.bound != nil {
			if s.order.Compare(e[0], *s.bound) >= 0 {
				s.stats.Dropped++
				s.stats.Elements++
				e = e[1:]
				continue
			}
			some = e[:1]
		}
		n, err := s.put(some)
		s.stats.Elements += int64(n)
		if err != nil {
			return err
		}
		if e = e[n:]; n == 0 {
			if err := s.makeRoom(); err != nil {
				return err
			}
		}
	}
	return nil
}

// AppendSeq appends the elements of a sequence, see Append. After an error the element at
// which it stopped is not accepted. It panics if in is nil.
func (s *Sorter[E]) AppendSeq(in iter.Seq[E]) error {
	if in == nil {
		panic("extsort: AppendSeq(nil)")
	}
	for e := range in {
		if r := s.slice; r != nil && s.bound == nil && len(r.all) < cap(r.all) {
			r.all, r.inOrder = append(r.all, e), false
			s.stats.Elements++
		} else if err := s.Append(e); err != nil {
			return err
		}
	}
	return nil
}

// Len returns the number of elements accepted so far, also after an error, and those that
// Limit and Unique dropped.
func (s *Sorter[E]) Len() int64 {
	if s.shared != nil {
		return s.shared.accepted()
	}
	return s.stats.Elements
}

// makeRoom makes room in fill, which is full.
func (s *Sorter[E]) makeRoom() error {
	if s.out != nil && s.form.Waits(s.fill) {
		return s.waitForRun()
	}
	n := s.fill.Len()
	if err := s.settleFill(); err != nil {
		return err
	}
	if s.fill.Len() < n && s.fill.HalfFree() {
		return nil
	}
	return s.writeFill()
}

// settleFill sorts the elements that wait, see settle.
func (s *Sorter[E]) settleFill() error {
	bound, err := s.settle(s.fill)
	if bound != nil {
		s.bound = bound
	}
	return err
}

// settle sorts rows, and drops the elements that Limit and Unique do not want. If there are as
// many as Limit says, it returns the last of them, unless that takes much memory: later ones have to
// come before it.
func (s *Sorter[E]) settle(r rows[E]) (bound *E, err error) {
	if r.Sorted() {
		return nil, nil
	}
	start := time.Now()
	if err := r.Sort(false, s.sort); err != nil {
		return nil, err
	}
	s.stats.Sort += time.Since(start)
	n := r.Len()
	if s.unique {
		r.Compact(nil)
	}
	full := s.limit > 0 && int64(r.Len()) >= s.limit
	if full {
		r.Truncate(int(s.limit))
	}
	s.stats.Dropped += int64(n - r.Len())
	if full && r.LastBytes() <= s.options.memory/pieceShare {
		last, err := r.Last()
		return &last, err
	}
	return nil, nil
}

// writing is a run that is being written. Its elements stay until it is on disk.
type writing[E any] struct {
	from rows[E]
	by   int // number of the appender
	done chan struct{}
	run  *run[E] // after done
	err  error   // after done

	begun time.Time
	upTo  int64 // elements of the appender that are in runs after this one
}

// writeFill begins to write the elements that wait, which are in order.
func (s *Sorter[E]) writeFill() error {
	next, err := s.writeRun(s.fill, nil)
	if err == nil {
		s.setFill(next)
	}
	return err
}

// limitScratch has dropped scratch memory given back, until all is handed out.
func (s *Sorter[E]) limitScratch() {
	if s.endLimit == nil {
		s.endLimit = scratch.Limit()
	}
}

// writeRun begins to write sorted rows of an appender, or of Append if that is nil, once the run
// before is on disk, and returns others to go on with.
func (s *Sorter[E]) writeRun(full rows[E], of *Appender[E]) (rows[E], error) {
	if err := s.waitForRun(); err != nil {
		return nil, err
	}
	s.limitScratch()
	next := s.form.Next(full)
	s.out = &writing[E]{from: full, upTo: s.upTo(of)}
	if of != nil {
		s.out.by = of.number
	}
	s.startWriting()
	return next, nil
}

func (s *Sorter[E]) startWriting() {
	w, from, number := s.out, s.out.from, s.nextNumber()
	block := s.form.Block(int64(from.Len()), from.Bytes())
	w.begun, w.done, w.err = time.Now(), make(chan struct{}), errEnded // a codec may end the goroutine
	go func() {
		defer close(w.done)
		w.run, w.err = s.writeRows(from, block, number)
	}()
}

// writeRows writes one run.
func (s *Sorter[E]) writeRows(from rows[E], block int, number uint64) (*run[E], error) {
	w, err := s.form.NewWriter(int64(from.Len()), from.Bytes(), block, number)
	if err != nil {
		return nil, err
	}
	defer w.discard()
	if err := from.Write(w); err != nil {
		return nil, err
	}
	return w.close()
}

// nextNumber returns the number of the next run, for checksums.
func (s *Sorter[E]) nextNumber() uint64 {
	s.written++
	return s.id + uint64(s.written)*0x9e3779b97f4a7c15
}

// waitForRun waits until the run that is being written is on disk. After an error it stays to
// be written again.
func (s *Sorter[E]) waitForRun() error {
	if s.out == nil {
		return s.save()
	}
	start := time.Now()
	<-s.out.done
	waited := time.Since(start)
	s.stats.Write += waited
	if s.out.err != nil {
		return public(s.out.err)
	}
	s.store.Waited(s.out.run.bytes, waited, time.Since(s.out.begun))
	s.out.run.appender = s.out.by
	s.runs = append(s.runs, s.out.run)
	s.lend()
	s.form.Written(s.out.from)
	s.stats.Runs++
	if s.keeping != nil {
		s.keeping.dirty = true
		s.keeping.durable(s.out.by, s.out.upTo)
	}
	s.out = nil
	if err := s.save(); err != nil {
		return err
	}
	s.tell("runs", s.stats.Elements, 0)
	return nil
}

func (s *Sorter[E]) tell(stage string, done, total int64) {
	if s.progress != nil {
		s.progress(Progress{stage, done, total})
	}
}

// Retry writes again the elements whose write failed, after space was made.
func (s *Sorter[E]) Retry() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retry()
}

func (s *Sorter[E]) retry() error {
	if s.handed || s.closed {
		return ErrEnded
	}
	if err := s.waitForRun(); err == nil || s.out == nil {
		return err
	}
	if err := s.save(); err != nil { // an added directory is in the manifest before it has a file
		return err
	}
	s.startWriting()
	return s.waitForRun()
}

// AddDir adds a directory for runs, and writes there the elements whose write failed. One that was added
// before is the next to be written to.
func (s *Sorter[E]) AddDir(dir string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.handed || s.closed {
		return ErrEnded
	}
	whole, added := s.store.Add(dir)
	if added {
		s.dirs = append(s.dirs[:len(s.dirs):len(s.dirs)], dir)
	}
	if k := s.keeping; k != nil && added {
		k.manifest.Dirs, k.dirty = append(k.manifest.Dirs, whole), true
	}
	return s.retry()
}

// Close ends the sort and frees its memory and its files. It may be called again, and in the
// body of a loop over All or Batches. Such a loop over All goes on with the elements that it has at hand, a
// batch at most; then both end with [ErrEnded] and free them. Files of
// [Keep] stay, unless all elements were handed out: by All or Batches or, with Parts, by all of
// these to their ends. So the caller makes its output durable, and then calls Close. The error
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
	s.free()
	s.endKeeping()
	return public(s.closing)
}

// reportTo writes the statistics to where Report said.
func (s *Sorter[E]) reportTo() {
	observe := observer.Load()
	if s.report == nil && observe == nil {
		return
	}
	if s.shared != nil { // which have not ended if their last run was not written
		s.countShared()
	}
	s.stats.Disk, s.stats.Memory = s.store.Peak(), s.form.Held()+s.beyond
	written := s.store.Totals()
	s.stats.Bytes, s.stats.Written, s.stats.Read = written.Bytes, written.Stored, s.store.Read()
	s.stats.RawBlocks, s.stats.S2Blocks, s.stats.ZstdBlocks = written.Blocks[spill.Raw], written.Blocks[spill.S2], written.Blocks[spill.Zstd]
	s.stats.Dirs, s.stats.InMemory = s.dirs, nil
	for _, dir := range s.dirs {
		if spill.InMemory(dir) {
			s.stats.InMemory = append(s.stats.InMemory, dir)
		}
	}
	if s.report != nil {
		*s.report = s.stats
	}
	if observe != nil && s.closed && !s.observed {
		s.observed = true
		st := s.stats
		(*observe)(&st)
	}
}
