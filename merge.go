package sorter

import (
	"fmt"
	"unsafe"

	"example.com/sorter/internal/cpu"
	"example.com/sorter/internal/cpu/papers"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
	"example.com/sorter/internal/stream"
)

// mergeRows merges s.a and s.b, both sorted by cols, into s.dst.
func mergeRows(cols []column, s merge, cfg config) error {
	if n, a, b := s.dst.Len(), s.a.Len(), s.b.Len(); n != a+b {
		panic(fmt.Sprintf("sorter: merging %d and %d elements into %d", a, b, n))
	}
	if sharesMemory(s.dst.Raw(), s.a.Raw()) || sharesMemory(s.dst.Raw(), s.b.Raw()) {
		panic("sorter: Merge into a slice that overlaps its input")
	}
	r, err := begin(cfg, s.dst.Len(), s.dst.Size())
	defer r.end()
	if err != nil {
		return err
	}
	lv := levels(cols, cfg)
	r.used.Algorithm = "MergePath"
	if len(lv) > 0 {
		r.used.CodeBits = lv[0].bits
	}
	if err := r.require(mergeBytes(r.n, lv)); err != nil {
		return err
	}
	if len(lv) > 0 && lv[0].bits <= 32 {
		return mergeCodes(r, &merger[uint32]{merge: s, levels: lv}, lv[0].codes32)
	}
	return mergeCodes(r, &merger[uint64]{merge: s, levels: lv}, func(dst []uint64, b batch) { lv[0].codes(dst, b) })
}

// mergeBytes bounds the scratch memory of a merge: the codes of all levels, and the
// keys that they keep.
func mergeBytes(n int, lv []level) int64 {
	if len(lv) == 0 {
		return 0
	}
	return scratch.Size(n, codeSize(lv)) + int64(len(lv)-1)*scratch.Size(n, 8) + keptBytes(n, lv)
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

func mergeOf[E any](dst, a, b []E) merge {
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
func mergeExact[E any, C code](dst, a, b []E, x, y []C, i, j int) {
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

// overlap reports whether two slices share memory.
func overlap[X, Y any](x []X, y []Y) bool {
	return sharesMemory(stream.RawOf(x), stream.RawOf(y))
}

func sharesMemory(x, y stream.Raw) bool {
	xBytes, yBytes := uintptr(x.Len())*x.Size(), uintptr(y.Len())*y.Size()
	if xBytes == 0 || yBytes == 0 {
		return false
	}
	x0, y0 := uintptr(x.Data()), uintptr(y.Data())
	return x0 < y0+yBytes && y0 < x0+xBytes
}

// merger holds the codes of two sorted slices; elements of b are numbered
// after those of a.
type merger[C code] struct {
	merge
	levels []level
	first  []C        // of the first level
	later  [][]uint64 // of the others
}

// mergeCodes merges by the codes of m's levels, of which codes makes the first. It
// extracts each key once, and all levels before the merge: ties may need them anywhere.
func mergeCodes[C code](r *run, m *merger[C], codes func(dst []C, b batch)) (err error) {
	for i := range m.levels {
		l := &m.levels[i]
		l.open(rows{n: r.n}, &r.Env)
		if i == 0 {
			m.first, err = codesOfBoth(r, m.a, m.b, codes)
		} else {
			var later []uint64
			later, err = codesOfBoth(r, m.a, m.b, l.codes)
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
func codesOfBoth[C code](r *run, a, b cpu.Payload, codes func(dst []C, b batch)) ([]C, error) {
	all := scratch.Take[C](&r.Arena, r.n)
	src := func(dst []C, lo int) {
		fromA := min(len(dst), max(0, a.Len()-lo))
		if fromA > 0 {
			codes(dst[:fromA], batch{block: a.Raw().Part(lo, lo+fromA), lo: lo})
		}
		if rest := dst[fromA:]; len(rest) > 0 {
			at := lo + fromA - a.Len()
			codes(rest, batch{block: b.Raw().Part(at, at+len(rest)), lo: lo + fromA})
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
	if len(m.levels) == 0 {
		return false
	}
	j += m.a.Len()
	if m.first[j] != m.first[i] {
		return m.first[j] < m.first[i]
	}
	for n := range m.levels {
		if n > 0 {
			if codes := m.later[n-1]; codes[j] != codes[i] {
				return codes[j] < codes[i]
			}
		}
		if l := &m.levels[n]; !l.exact() {
			if c := l.kept.compare(uint32(j), uint32(i)); c != 0 {
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
	case !decisive(m.levels):
		m.by.tied(dst, m.a, m.b, m.before, i, lo-i)
	case unsafe.Sizeof(C(0)) == 4:
		codes := as[uint32](m.first)
		m.by.exact32(dst, m.a, m.b, codes[:n], codes[n:], i, lo-i)
	default:
		codes := as[uint64](m.first)
		m.by.exact64(dst, m.a, m.b, codes[:n], codes[n:], i, lo-i)
	}
}
