package pipeline

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/sortkey"
)

// Merge merges s.a and s.b, both sorted by cols, into s.dst.
func Merge(cols []extract.Column, s merge, o call.Options) error {
	if n, a, b := s.dst.Len(), s.a.Len(), s.b.Len(); n != a+b {
		panic(fmt.Sprintf("sorter: merging %d and %d elements into %d", a, b, n))
	}
	if s.dst.Raw().Overlaps(s.a.Raw()) || s.dst.Raw().Overlaps(s.b.Raw()) {
		panic("sorter: Merge into a slice that overlaps its input")
	}
	r, err := begin(o, s.dst.Len())
	defer r.end()
	if err != nil {
		return err
	}
	words := extract.Words(cols, o.Order())
	if err := r.decide(facts{verb: toMerge, words: words}); err != nil {
		return err
	}
	if len(words) > 0 && words[0].Bits <= 32 {
		return mergeCodes(r, &merger[uint32]{merge: s, words: words}, words[0].Codes32)
	}
	return mergeCodes(r, &merger[uint64]{merge: s, words: words}, func(dst []uint64, b extract.Batch) { words[0].Codes(dst, b) })
}

// merge holds the slices of a merge.
type merge struct {
	dst, a, b cpu.Payload
	by        mergeMover
}

// mergeMover merges elements of one type. dst takes those after the first i of a and
// the first j of b.
type mergeMover interface {
	exact32(dst, a, b cpu.Payload, x, y []uint32, i, j int)
	exact64(dst, a, b cpu.Payload, x, y []uint64, i, j int)
	tied(dst, a, b cpu.Payload, before func(j, i int) bool, i, j int)
}

// merges is the mergeMover of elements of type E.
type merges[E any] struct{}

// MergeOf returns the slices of a merge.
func MergeOf[E any](dst, a, b []E) merge {
	return merge{cpu.PayloadOf(dst), cpu.PayloadOf(a), cpu.PayloadOf(b), merges[E]{}}
}

func (merges[E]) exact32(dst, a, b cpu.Payload, x, y []uint32, i, j int) {
	mergeExact(cpu.Slice[E](dst), cpu.Slice[E](a), cpu.Slice[E](b), x, y, i, j)
}

func (merges[E]) exact64(dst, a, b cpu.Payload, x, y []uint64, i, j int) {
	mergeExact(cpu.Slice[E](dst), cpu.Slice[E](a), cpu.Slice[E](b), x, y, i, j)
}

func (merges[E]) tied(to, first, second cpu.Payload, before func(j, i int) bool, i, j int) {
	dst, a, b := cpu.Slice[E](to), cpu.Slice[E](first), cpu.Slice[E](second)
	for k := range dst {
		if j == len(b) || i < len(a) && !before(j, i) {
			dst[k] = a[i]
			i++
		} else {
			dst[k] = b[j]
			j++
		}
	}
}

// mergeExact merges elements whose keys are their codes, x and y.
func mergeExact[E any, C sortkey.Code](dst, a, b []E, x, y []C, i, j int) {
	k := 0
	for k < len(dst) && i < len(x) && j < len(y) {
		if y[j] < x[i] {
			dst[k] = b[j]
			j++
		} else {
			dst[k] = a[i]
			i++
		}
		k++
	}
	k += copy(dst[k:], a[i:])
	copy(dst[k:], b[j:])
}

// merger holds the codes of two sorted slices; elements of b are numbered
// after those of a.
type merger[C sortkey.Code] struct {
	merge
	words []extract.Word
	first []C        // of the first word
	later [][]uint64 // of the others
}

// mergeCodes merges by the codes of m's words, of which codes makes the first. It
// extracts each key once, and all words before the merge: ties may need them anywhere.
func mergeCodes[C sortkey.Code](r *run, m *merger[C], codes func(dst []C, b extract.Batch)) (err error) {
	for i := range m.words {
		l := &m.words[i]
		l.Open(extract.Input{Len: r.n}, &r.Env)
		if i == 0 {
			m.first, err = codesOfBoth(r, m.a, m.b, codes)
		} else {
			var later []uint64
			later, err = codesOfBoth(r, m.a, m.b, l.Codes)
			m.later = append(m.later, later)
		}
		if err != nil {
			return err
		}
	}
	r.Commit() // from here on the merge finishes
	return r.Stage("merge", r.n, r.piece(r.n), func(_, lo, hi int) { m.write(lo, hi) })
}

// codesOfBoth returns the codes of a's elements, followed by those of b's.
func codesOfBoth[C sortkey.Code](r *run, a, b cpu.Payload, codes func(dst []C, b extract.Batch)) ([]C, error) {
	all := scratch.Take[C](&r.Arena, r.n)
	src := func(dst []C, lo int) {
		fromA := min(len(dst), max(0, a.Len()-lo))
		if fromA > 0 {
			codes(dst[:fromA], extract.Batch{Block: a.Raw().Part(lo, lo+fromA), Lo: lo})
		}
		if rest := dst[fromA:]; len(rest) > 0 {
			at := lo + fromA - a.Len()
			codes(rest, extract.Batch{Block: b.Raw().Part(at, at+len(rest)), Lo: lo + fromA})
		}
	}
	err := r.Stage("extract", r.n, engine.Block, func(_, lo, hi int) { src(all[lo:hi], lo) })
	if err == nil {
		err = r.Loop.Err()
	}
	return all, err
}

// before reports whether element j of b comes strictly before element i of a.
func (m *merger[C]) before(j, i int) bool {
	if len(m.words) == 0 {
		return false
	}
	j += m.a.Len()
	if m.first[j] != m.first[i] {
		return m.first[j] < m.first[i]
	}
	for n := range m.words {
		if n > 0 {
			if codes := m.later[n-1]; codes[j] != codes[i] {
				return codes[j] < codes[i]
			}
		}
		if l := &m.words[n]; !l.Exact() {
			if c := l.Full.Compare(uint32(j), uint32(i)); c != 0 {
				return c < 0
			}
		}
	}
	return false
}

// write writes places [lo, hi).
func (m *merger[C]) write(lo, hi int) {
	i := papers.MergePath(m.a.Len(), m.b.Len(), lo, m.before)
	dst, n := m.dst.Part(lo, hi), m.a.Len()
	switch {
	case !extract.Decisive(m.words):
		m.by.tied(dst, m.a, m.b, m.before, i, lo-i)
	case unsafe.Sizeof(C(0)) == 4:
		codes := sortkey.As[uint32](m.first)
		m.by.exact32(dst, m.a, m.b, codes[:n], codes[n:], i, lo-i)
	default:
		codes := sortkey.As[uint64](m.first)
		m.by.exact64(dst, m.a, m.b, codes[:n], codes[n:], i, lo-i)
	}
}
