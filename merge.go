package sorter

import (
	"fmt"
	"unsafe"

	"example.com/sorter/cpu"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// mergeRows merges a and b, both sorted by cols, into dst.
func mergeRows[E any](cols []Column[E], dst, a, b []E, cfg config) error {
	if len(dst) != len(a)+len(b) {
		panic(fmt.Sprintf("sorter: merging %d and %d elements into %d", len(a), len(b), len(dst)))
	}
	if overlap(dst, a) || overlap(dst, b) {
		panic("sorter: Merge into a slice that overlaps its input")
	}
	r, err := begin(cfg, len(dst))
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
		return mergeCodes(r, &merger[E, uint32]{dst: dst, a: a, b: b, levels: lv}, lv[0].codes32)
	}
	return mergeCodes(r, &merger[E, uint64]{dst: dst, a: a, b: b, levels: lv}, func(dst []uint64, b batch[E]) { lv[0].codes(dst, b) })
}

// mergeBytes bounds the scratch memory of a merge: the codes of all levels, and the
// keys that they keep.
func mergeBytes[E any](n int, lv []level[E]) int64 {
	if len(lv) == 0 {
		return 0
	}
	return scratch.Size(n, codeSize(lv)) + int64(len(lv)-1)*scratch.Size(n, 8) + keptBytes(n, lv)
}

// overlap reports whether two slices share memory.
func overlap[X, Y any](x []X, y []Y) bool {
	xBytes, yBytes := uintptr(len(x))*unsafe.Sizeof(*new(X)), uintptr(len(y))*unsafe.Sizeof(*new(Y))
	if xBytes == 0 || yBytes == 0 {
		return false
	}
	x0, y0 := uintptr(unsafe.Pointer(&x[0])), uintptr(unsafe.Pointer(&y[0]))
	return x0 < y0+yBytes && y0 < x0+xBytes
}

// merger holds the codes of two sorted slices; elements of b are numbered
// after those of a.
type merger[E any, C code] struct {
	dst, a, b []E
	levels    []level[E]
	first     []C        // of the first level
	later     [][]uint64 // of the others
}

// mergeCodes merges by the codes of m's levels, of which codes makes the first. It
// extracts each key once, all of them before: ties that need the later ones may come
// up anywhere.
func mergeCodes[E any, C code](r *run, m *merger[E, C], codes func(dst []C, b batch[E])) (err error) {
	for i := range m.levels {
		l := &m.levels[i]
		l.open(rows[E]{n: r.n}, &r.Env)
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
	r.Loop.Ctx = nil // from here on the merge finishes
	return r.Stage("merge", r.n, r.piece(r.n), func(_, lo, hi int) { m.merge(lo, hi) })
}

// codesOfBoth returns the codes of a's elements and, behind them, of b's.
func codesOfBoth[E any, C code](r *run, a, b []E, codes func(dst []C, b batch[E])) ([]C, error) {
	all := scratch.Take[C](&r.Arena, r.n)
	src := func(dst []C, lo int) {
		fromA := min(len(dst), max(0, len(a)-lo))
		if fromA > 0 {
			codes(dst[:fromA], batch[E]{block: a[lo : lo+fromA], lo: lo})
		}
		if rest := dst[fromA:]; len(rest) > 0 {
			at := lo + fromA - len(a)
			codes(rest, batch[E]{block: b[at : at+len(rest)], lo: lo + fromA})
		}
	}
	err := r.Stage("extract", r.n, engine.Block, func(_, lo, hi int) { src(all[lo:hi], lo) })
	if err == nil {
		err = r.Loop.Err()
	}
	return all, err
}

// before reports whether element j of b comes strictly before element i of a.
func (m *merger[E, C]) before(j, i int) bool {
	if len(m.levels) == 0 {
		return false
	}
	j += len(m.a)
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

// merge writes places [lo, hi).
func (m *merger[E, C]) merge(lo, hi int) {
	i := cpu.MergePath(len(m.a), len(m.b), lo, m.before)
	if decisive(m.levels) {
		m.mergeExact(m.dst[lo:hi], i, lo-i)
	} else {
		m.mergeTied(m.dst[lo:hi], i, lo-i)
	}
}

// mergeTied fills dst with what comes behind the first i elements of a and the first j
// of b.
func (m *merger[E, C]) mergeTied(dst []E, i, j int) {
	for k := range dst {
		if j == len(m.b) || i < len(m.a) && !m.before(j, i) {
			dst[k] = m.a[i]
			i++
		} else {
			dst[k] = m.b[j]
			j++
		}
	}
}

// mergeExact is mergeTied for keys that are their codes.
func (m *merger[E, C]) mergeExact(dst []E, i, j int) {
	x, y := m.first[:len(m.a)], m.first[len(m.a):]
	k := 0
	for k < len(dst) && i < len(x) && j < len(y) {
		if y[j] < x[i] {
			dst[k] = m.b[j]
			j++
		} else {
			dst[k] = m.a[i]
			i++
		}
		k++
	}
	k += copy(dst[k:], m.a[i:])
	copy(dst[k:], m.b[j:])
}
