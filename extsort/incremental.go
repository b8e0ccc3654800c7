package extsort

import (
	"errors"
	"iter"
	"math"
	"time"
	"unsafe"

	"example.com/sorter"
)

// Incremental sorts a stream that is in order by have already. Elements that tie by it, a group, come in the
// order of then. It is stable. Databases call it an incremental sort.
//
// A group is sorted and handed out when the next begins, or the stream ends. Nothing is on disk. [MemoryLimit]
// bounds the memory of the elements that were not handed out, which are one group and at most 4 MiB of others, and of
// their sort: a group may have up to about half of it. What elements point to is not counted. Key functions of have
// are called twice per element, those of then once, by several goroutines at a time. Groups that end in the same batch
// of the stream are sorted together, by [Workers] goroutines, and are one batch of the result.
//
// The stream yields batches of any length, or an error as its last pair, such as [Merge] or [Sorter.Batches];
// [Elements] makes one of single elements. A batch is copied before the stream goes on, which may then use its
// memory again. What elements point to has to stay. Of the result, each batch is valid until the next.
//
// [Unique], [UniqueLast] and [Combine] say what becomes of elements that tie by have and by then. [Limit],
// [WithContext], [Report], whose Parts are the groups, and [OnProgress] hold as well; other options have no effect.
//
// An error is yielded once, as the last pair, after all groups that ended before it: that of the stream, an
// [OrderError] of source 0 with the first element that comes before the one before it by have, the
// context's, or [ErrMemoryLimit] for a group that is too large. Panics of the stream, of key functions and of the
// function of Combine reach the caller. It panics if in or an option is nil, and if Combine is of another type of elements.
func Incremental[E any](have, then sorter.Ordering[E], in iter.Seq2[[]E, error], opts ...Option) iter.Seq2[[]E, error] {
	if in == nil {
		panic("extsort: Incremental of no stream")
	}
	options := optionsOf(opts)
	combine := combinerOf[E](&options)
	return func(yield func([]E, error) bool) {
		g := &groups[E]{options: options, have: have, then: then, combine: combine, left: math.MaxInt64}
		if options.limit > 0 {
			g.left = options.limit
		}
		g.run(in, yield)
	}
}

// incrementalBytes bounds the bytes of elements that are taken at a time, so that those of groups that end are
// still in the cache when they are sorted.
const incrementalBytes = 4 << 20

// groups are the elements of one loop over an incremental sort that were not handed out: groups that have ended, and the
// one that has not.
type groups[E any] struct {
	options
	have, then sorter.Ordering[E]
	combine    func(a, b E) E
	all        []E
	starts     []int // of groups in all, from 0 on; empty if all is
	left       int64 // elements to hand out
	stats      Stats
}

// run hands the stream out.
func (g *groups[E]) run(in iter.Seq2[[]E, error], yield func([]E, error) bool) {
	start := time.Now()
	defer func() {
		g.stats.Merge = time.Since(start)
		if g.report != nil {
			*g.report = g.stats
		}
	}()
	size := max(int(unsafe.Sizeof(*new(E))), 1)
	most := int(max(1, min(incrementalBytes, g.memory/8)/int64(size)))
	for batch, err := range in {
		if err == nil {
			err = g.err()
		}
		for err == nil && len(batch) > 0 {
			n := min(most, len(batch))
			var more bool
			if more, err = g.take(batch[:n], yield); !more && err == nil {
				return
			}
			batch = batch[n:]
		}
		if err != nil {
			yield(nil, err)
			return
		}
	}
	if _, err := g.handOut(len(g.all), yield); err != nil {
		yield(nil, err)
	}
}

// take copies elements of the stream, and hands out the groups that have ended. It reports whether there is more to hand
// out.
func (g *groups[E]) take(batch []E, yield func([]E, error) bool) (more bool, err error) {
	from := len(g.all)
	if err := g.grow(from + len(batch)); err != nil {
		return false, err
	}
	g.all = append(g.all, batch...)
	var lie error
	if from == 0 {
		g.starts = append(g.starts, 0)
		from = 1
	}
	for i := from; i < len(g.all); i++ {
		c := g.have.Compare(g.all[i-1], g.all[i])
		if c > 0 {
			lie = &OrderError{0, g.stats.Elements + int64(i)}
			break
		}
		if c < 0 {
			g.starts = append(g.starts, i)
		}
	}
	ended := g.starts[len(g.starts)-1]
	if more, err = g.handOut(ended, yield); more {
		err = lie
	}
	return more, err
}

// handOut sorts the first n elements, which are whole groups, and hands them out. It reports whether there is more to
// hand out.
func (g *groups[E]) handOut(n int, yield func([]E, error) bool) (more bool, err error) {
	if n == 0 {
		return true, nil
	}
	starts := g.starts
	if n < len(g.all) {
		starts = starts[:len(starts)-1]
	}
	out := g.all[:n:n]
	if err := g.sort(out, append(starts, n)); err != nil {
		return false, err
	}
	g.stats.Elements += int64(n)
	g.stats.Parts += len(starts)
	kept := g.settle(out, starts)
	kept = kept[:min(int64(len(kept)), g.left)]
	g.left -= int64(len(kept))
	g.stats.Dropped += int64(n - len(kept))
	if !yield(kept, nil) || g.left == 0 {
		return false, nil
	}
	if g.progress != nil {
		g.progress(Progress{"groups", g.stats.Elements, 0})
	}
	rest := copy(g.all, g.all[n:])
	clear(g.all[rest:])
	g.all, g.starts = g.all[:rest], g.starts[:0]
	if rest > 0 {
		g.starts = append(g.starts, 0)
	}
	return true, nil
}

// shortGroup is the length up to which groups are sorted together: each worker takes some. It sorts longer ones with the
// others.
const shortGroup = 4096

// sort sorts groups, whose offsets in all are given.
func (g *groups[E]) sort(all []E, offsets []int) error {
	start := time.Now()
	defer func() { g.stats.Sort += time.Since(start) }()
	g.stats.Memory = max(g.stats.Memory, g.bytes(cap(g.all)))
	for i := 0; i+1 < len(offsets); {
		lo, to := offsets[i], i
		for to+1 < len(offsets) && offsets[to+1]-offsets[to] <= shortGroup {
			g.stats.Largest = max(g.stats.Largest, offsets[to+1]-offsets[to])
			to++
		}
		if to-i > 1 && to-i < offsets[to]-lo { // groups of more than one element
			err := g.within(offsets[to]-lo, func(opts ...sorter.Option) error {
				return g.then.SortWithin(all, offsets[i:to+1], opts...)
			})
			if !errors.Is(err, ErrMemoryLimit) {
				if i = to; err != nil {
					return err
				}
				continue
			}
		}
		for to = max(to, i+1); i < to; i++ {
			group := all[offsets[i]:offsets[i+1]]
			if g.stats.Largest = max(g.stats.Largest, len(group)); len(group) == 1 {
				continue
			}
			if err := g.within(len(group), func(opts ...sorter.Option) error { return g.then.Sort(group, opts...) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// within calls sort for n elements, in the memory that the elements leave.
func (g *groups[E]) within(n int, sort func(opts ...sorter.Option) error) error {
	held := g.bytes(cap(g.all))
	left := g.memory - held
	if left <= 0 {
		return tooLittle(g.memory, 0)
	}
	opts := []sorter.Option{sorter.Stable(), sorter.Workers(g.workers), sorter.MemoryLimit(left)}
	if g.ctx != nil {
		opts = append(opts, sorter.WithContext(g.ctx))
	}
	err := sort(opts...)
	if little := (*sorter.MemoryError)(nil); errors.As(err, &little) {
		return tooLittle(g.memory, little.Need+held)
	}
	if err == nil && n > shortGroup {
		g.stats.Memory = max(g.stats.Memory, held+min(left, g.then.ScratchBytes(n, sorter.Workers(g.workers))))
	}
	return err
}

// settle leaves one of the elements that tie, if an option says so.
func (g *groups[E]) settle(all []E, starts []int) []E {
	if g.equal == keepAll {
		return all
	}
	n := 0
	for i, lo := range starts {
		hi := len(all)
		if i+1 < len(starts) {
			hi = starts[i+1]
		}
		for at := lo; at < hi; at++ {
			switch tied := at > lo && g.then.Compare(all[n-1], all[at]) == 0; {
			case !tied:
				all[n] = all[at]
				n++
			case g.equal == keepLast:
				all[n-1] = all[at]
			case g.equal == combined:
				all[n-1] = g.combine(all[n-1], all[at])
			}
		}
	}
	return all[:n]
}

// grow makes room for n elements.
func (g *groups[E]) grow(n int) error {
	if n <= cap(g.all) {
		return nil
	}
	length := max(n, 2*cap(g.all))
	if g.bytes(cap(g.all)+length) > g.memory {
		length = n
	}
	if need := g.bytes(cap(g.all) + length); need > g.memory {
		return tooLittle(g.memory, need)
	}
	grown := make([]E, len(g.all), length)
	copy(grown, g.all)
	g.all = grown
	return nil
}

// bytes returns the bytes of n elements, and of the starts of groups.
func (g *groups[E]) bytes(n int) int64 {
	return int64(n)*int64(unsafe.Sizeof(*new(E))) + 8*int64(cap(g.starts))
}
