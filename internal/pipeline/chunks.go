package pipeline

import (
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/ranges"
	"example.com/sorter/internal/sortkey"
)

// Slices of more elements than 32-bit positions number are copied. Chunks of the copy are
// sorted each, and merged to where the elements were. These are untouched until all keys are
// extracted for the merge, so key functions are called twice per element.

// chunk returns the length of chunks: equal ones of at most r.Most elements.
func (r *Request) chunk() int {
	count := (r.N-1)/r.Most + 1
	return (r.N-1)/count + 1
}

// InChunks calls f for the elements [lo, hi) of each chunk, as a call within r.
func (r *Request) InChunks(f func(own *Request, lo, hi int) error) error {
	each := r.chunk()
	for lo := 0; lo < r.N; {
		hi := lo + min(each, r.N-lo)
		if err := r.Nest(hi-lo, func(own *Request) error { return f(own, lo, hi) }); err != nil {
			return err
		}
		if err := r.Loop.Err(); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// aside returns a copy of s.
func (r *Request) aside(s cpu.Payload) (cpu.Payload, error) {
	all := s.Take(&r.Arena, r.N)
	return all, r.copyAll(all, s)
}

// mergeChunks merges the chunks of copies to where their elements were.
func (r *Request) mergeChunks(j mergeJob, s ...gathered) error {
	each := r.chunk()
	for _, g := range s {
		m := ranges.Moved{Dst: g.elements}
		for lo := 0; lo < r.N; lo += each {
			m.Runs = append(m.Runs, g.sorted.Part(lo, min(lo+each, r.N)))
		}
		j.moved = append(j.moved, m)
	}
	return r.Nest(r.N, func(own *Request) error { return mergeRows(own, j) })
}

// sortChunks sorts s by words, chunk by chunk.
func sortChunks(r *Request, s cpu.Payload, words []extract.Word) error {
	all, err := r.aside(s)
	if err != nil {
		return err
	}
	err = r.InChunks(func(own *Request, lo, hi int) error { return SortWords(own, all.Part(lo, hi), extract.Fresh(words)) })
	if err != nil {
		return err
	}
	return r.mergeChunks(mergeJob{words: extract.FreshScattered(words)}, gathered{s, all})
}

// keyWords returns the words of keys that are the elements, for a merge: they do not lie in one
// slice.
func keyWords(k sortkey.Kind, o sortkey.Order) []extract.Word {
	return extract.Words([]extract.Column{extract.ColumnAs(k, column.Own(k))}, o)
}

// sortKeyChunks sorts keys, chunk by chunk.
func sortKeyChunks[K sortkey.Key](r *Request, keys []K) error {
	kind, s := sortkey.KindOf[K](), cpu.PayloadOf(keys)
	all, err := r.aside(s)
	if err != nil {
		return err
	}
	err = r.InChunks(func(own *Request, lo, hi int) error { return sortKeysIn(own, cpu.Slice[K](all)[lo:hi]) })
	if err != nil {
		return err
	}
	j := mergeJob{words: keyWords(kind, r.Order())}
	if kind.Decodable(r.Stable) { // chunks are in the order of codes that lose nothing
		j.codes32 = func(dst []uint32, b extract.Batch) { sortkey.EncodeExactAt(kind, dst, b.Block.Data(), r.Order()) }
		j.codes64 = func(dst []uint64, b extract.Batch) { sortkey.EncodeExactAt(kind, dst, b.Block.Data(), r.Order()) }
	}
	return r.mergeChunks(j, gathered{s, all})
}

// sortPairChunks sorts keys, and values with them, chunk by chunk.
func sortPairChunks[K sortkey.Key, V any](r *Request, keys []K, values []V) error {
	k, v := cpu.PayloadOf(keys), cpu.PayloadOf(values)
	allKeys, err := r.aside(k)
	if err != nil {
		return err
	}
	allValues, err := r.aside(v)
	if err != nil {
		return err
	}
	err = r.InChunks(func(own *Request, lo, hi int) error {
		return sortPairsIn(own, cpu.Slice[K](allKeys)[lo:hi], cpu.Slice[V](allValues)[lo:hi])
	})
	if err != nil {
		return err
	}
	return r.mergeChunks(mergeJob{words: keyWords(sortkey.KindOf[K](), r.Order())}, gathered{k, allKeys}, gathered{v, allValues})
}

// copyAll copies src to dst.
func (r *Request) copyAll(dst, src cpu.Payload) error {
	n := dst.Len()
	return r.Stage("copy", n, r.piece(n), func(_, lo, hi int) { dst.Part(lo, hi).Copy(src.Part(lo, hi)) })
}
