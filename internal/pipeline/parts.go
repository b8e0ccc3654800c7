package pipeline

import (
	"cmp"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/scratch"
)

// A merge of more elements than positions number is cut into parts at common keys. All of
// them are prepared before the first is written. Only keys of samples, and of the elements
// compared with them, are extracted twice.

// prepareParts prepares a merge part by part.
func prepareParts(r *Request, j mergeJob) (write func() error, err error) {
	m := runsOf(j.moved)
	alone := r.within(r.N)
	alone.Loop.Workers = 1 // which the comparisons need
	defer r.adopt(alone)
	cuts, err := cutRuns(alone, r, &m, j)
	if err != nil {
		return nil, err
	}
	var writes []func() error
	at := 0 // place in the destination
	for i := range cuts.Len() {
		part, n := j.part(&m, cuts.Row(i), cuts.Row(i+1), at)
		at += n
		if n == 0 {
			continue
		}
		own := r.within(n)
		if n > r.Most { // the runs are not sorted
			writes = append(writes, func() error {
				defer r.adopt(own)
				return own.concatenate(part.moved[0].Dst, part.moved[0].Runs)
			})
			continue
		}
		write, err := prepareMerge(own, part)
		if err != nil {
			r.adopt(own)
			return nil, err
		}
		writes = append(writes, func() error {
			defer r.adopt(own)
			own.Commit()
			return write()
		})
	}
	return func() error {
		for _, write := range writes {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// part returns the merge of the elements between two rows of cuts, and their number, at
// place at of the destination.
func (j mergeJob) part(m *mergedRuns, from, to []int, at int) (part mergeJob, n int) {
	part, part.words, part.moved = j, extract.Fresh(j.words), nil
	for r := range from {
		n += to[r] - from[r]
	}
	for _, p := range j.moved {
		own := ranges.Moved{Dst: p.Dst.Part(at, at+n), Two: p.Two}
		for r, s := range p.Runs {
			start := m.ends[r] - s.Len()
			if from[r] < to[r] {
				own.Runs = append(own.Runs, s.Part(from[r]-start, to[r]-start))
			}
		}
		part.moved = append(part.moved, own)
	}
	return part, n
}

// cutRuns cuts runs into parts of at most r.Most elements, by the keys of elements. It compares
// on the calling goroutine.
func cutRuns(alone, r *Request, m *mergedRuns, j mergeJob) (cuts ranges.Cuts, err error) {
	g, k := ranges.GrainOf(r.N, len(m.ends), max(1, r.Most/2)), len(m.ends)
	bytes := g.CutBytes(r.N, k) + scratch.Size(g.Samples(r.N), m.moved[0].Dst.Size()) // of orderElements
	if err := required(r.N, r.Env.Limit, r.Env.Held+r.Arena.Used()+bytes); err != nil {
		return cuts, err
	}
	b := newPairs(alone, m, j.words)
	c := ranges.Cutter{Ends: m.ends, After: b.after, Sort: func(env *engine.Env, at []int, order []uint32) error {
		return r.orderElements(m, j.words, at, order)
	}}
	cuts, err = c.Cut(&alone.Env, g)
	return cuts, r.Stopped(err)
}

// orderElements writes the stable order of the elements of runs at the given places.
func (r *Request) orderElements(m *mergedRuns, words []extract.Word, at []int, order []uint32) error {
	picked := m.moved[0].Dst.Take(&r.Arena, len(at))
	for i, x := range at {
		m.parts(x, 1, func(_ int, e cpu.Payload) { picked.Part(i, i+1).Copy(e) })
	}
	defer picked.Give(&r.Arena, r.Loop.Workers)
	return r.Nest(len(at), func(own *Request) error {
		own.OnHost()
		own.Most = 0 // samples are far fewer than positions number, except where a test lowers that
		words := extract.Fresh(words)
		if err := own.Decide(Facts{Verb: toOrder, Words: words, Sizes: []uintptr{picked.Size()}}); err != nil {
			return err
		}
		return OrderTo(own, extract.InputOf(picked), words, order)
	})
}

// pairs compares two elements of runs by their keys.
type pairs struct {
	m     *mergedRuns
	words []extract.Word
	both  cpu.Payload
	codes [2]uint64
}

func newPairs(r *Request, m *mergedRuns, words []extract.Word) *pairs {
	b := &pairs{m: m, words: extract.Fresh(words), both: m.moved[0].Dst.Take(&r.Arena, 2)}
	for i := range b.words {
		b.words[i].Open(extract.Input{Len: 2}, &r.Env)
	}
	return b
}

// after reports whether element i comes after element j, before whose run its run is or not.
func (b *pairs) after(i, j int, earlier bool) bool {
	for at, x := range [2]int{i, j} {
		b.m.parts(x, 1, func(_ int, e cpu.Payload) { b.both.Part(at, at+1).Copy(e) })
	}
	for i := range b.words {
		word := &b.words[i]
		word.Codes(b.codes[:], extract.Batch{Block: b.both.Raw()})
		c := cmp.Compare(b.codes[0], b.codes[1])
		if c == 0 && !word.Exact() {
			c = word.Full.Compare(0, 1)
		}
		if c != 0 {
			return c > 0
		}
	}
	return !earlier
}

// sortAside prepares a merge of very many runs: it sorts a copy of all elements. Such a merge
// has no further payload.
func sortAside(r *Request, j mergeJob) (write func() error, err error) {
	dst := j.moved[0].Dst
	all := dst.Take(&r.Arena, r.N)
	if err := r.concatenate(all, j.moved[0].Runs); err != nil {
		return nil, err
	}
	err = r.Nest(r.N, func(own *Request) error {
		own.OnHost()
		return SortWords(own, all, j.words)
	})
	return func() error { return r.copyAll(dst, all) }, r.Stopped(err)
}

// concatenate copies runs to dst.
func (r *Request) concatenate(dst cpu.Payload, runs []cpu.Payload) error {
	m := runsOf([]ranges.Moved{{Runs: runs}})
	return r.Stage("copy", r.N, r.piece(r.N), func(_, lo, hi int) {
		m.parts(lo, hi-lo, func(done int, part cpu.Payload) { dst.Part(lo+done, lo+done+part.Len()).Copy(part) })
	})
}
