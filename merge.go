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
	m := merger[E]{a: a, b: b, levels: levels(cols, cfg)}
	r.used.Algorithm = "MergePath"
	if len(m.levels) > 0 {
		r.used.CodeBits = m.levels[0].bits
	}
	if err := r.require(int64(len(m.levels))*scratch.Size(r.n, 8) + scratch.Size(r.n, uintptr(keptSize(m.levels)))); err != nil {
		return err
	}
	if err := m.extract(r); err != nil {
		return err
	}
	r.Loop.Ctx = nil // from here on the merge finishes
	return r.Stage("merge", r.n, r.piece(r.n), func(_, lo, hi int) { m.merge(dst[lo:hi], lo) })
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
type merger[E any] struct {
	a, b   []E
	levels []level[E]
	codes  [][]uint64 // by level
}

// extract computes the codes of all levels, each key once: ties that need the
// later ones may come up anywhere.
func (m *merger[E]) extract(r *run) error {
	for i := range m.levels {
		l := &m.levels[i]
		l.open(rows[E]{n: r.n}, &r.Arena)
		codes := scratch.Take[uint64](&r.Arena, r.n)
		m.codes = append(m.codes, codes)
		src := paced(r, func(dst []uint64, lo int) {
			fromA := min(len(dst), max(0, len(m.a)-lo))
			if fromA > 0 {
				l.codes(dst[:fromA], batch[E]{block: m.a[lo : lo+fromA], lo: lo})
			}
			if rest := dst[fromA:]; len(rest) > 0 {
				at := lo + fromA - len(m.a)
				l.codes(rest, batch[E]{block: m.b[at : at+len(rest)], lo: lo + fromA})
			}
		})
		err := r.Stage("extract", r.n, engine.Block, func(_, lo, hi int) { src(codes[lo:hi], lo) })
		if err == nil {
			err = r.Loop.Err()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// before reports whether element j of b comes strictly before element i of a.
func (m *merger[E]) before(j, i int) bool {
	j += len(m.a)
	for n, codes := range m.codes {
		if codes[j] != codes[i] {
			return codes[j] < codes[i]
		}
		if l := &m.levels[n]; !l.exact() {
			if c := l.kept.compare(uint32(j), uint32(i)); c != 0 {
				return c < 0
			}
		}
	}
	return false
}

// merge writes the merged elements from position lo on to dst.
func (m *merger[E]) merge(dst []E, lo int) {
	i := cpu.MergePath(len(m.a), len(m.b), lo, m.before)
	j := lo - i
	if decisive(m.levels) {
		m.mergeExact(dst, i, j)
		return
	}
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

// mergeExact is merge for keys that are their codes.
func (m *merger[E]) mergeExact(dst []E, i, j int) {
	x, y := m.codes[0][:len(m.a)], m.codes[0][len(m.a):]
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
