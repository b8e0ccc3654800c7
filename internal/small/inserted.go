package small

import (
	"example.com/sorter/internal/call"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// Fewer than leastRanked rows are ordered by columns as the program made them, if their keys lie in slices:
// they are inserted by the first column, runs of ties by the next.

// inserted orders rows by columns that insertable has checked.
type inserted struct {
	cols  []extract.Spec
	order sortkey.Order
}

// OrderInserted returns the order of n row numbers by columns, nil if this is not the way to order them.
func OrderInserted(cols []extract.Spec, n int, cfg *call.Options) perm.Perm {
	if n >= leastRanked {
		return nil
	}
	for i := range cols {
		if !insertable(&cols[i], n, cfg.Into) {
			return nil
		}
	}
	p := cfg.Into
	if p == nil || cap(p) < n {
		p = make(perm.Perm, n)
	}
	p = p[:n]
	for i := range p {
		p[i] = uint32(i)
	}
	inserted{cols, cfg.Order()}.sort(p, 0)
	return p
}

// insertable reports whether rows below n may be inserted by a column into the memory of into.
func insertable(c *extract.Spec, n int, into perm.Perm) bool {
	keys, ok := c.Slice()
	if !ok || n > keys.Len() || c.NullBits() || into != nil && keys.Overlaps(stream.RawOf(into[:cap(into)])) {
		return false
	}
	switch c.Kind() {
	case sortkey.Int32, sortkey.Int64, sortkey.Uint64, sortkey.Float64, sortkey.String:
		return true
	}
	return false
}

// sort sorts the rows of order, which tie in all columns before the k-th.
func (s inserted) sort(order []uint32, k int) {
	if len(order) < 2 || k == len(s.cols) {
		return
	}
	c := &s.cols[k]
	place := c.Nulls()
	if place == extract.NoNulls {
		s.sortBy(order, k)
		return
	}
	nulls := uint64(0)
	isNull := c.NullFunction()
	for i, row := range order {
		if isNull(int(row)) {
			nulls |= 1 << i
		}
	}
	if nulls == 0 {
		s.sortBy(order, k)
		return
	}
	values := partFew(order, nulls, place == extract.NullsFirst)
	if place == extract.NullsFirst {
		s.sort(order[:len(order)-values], k+1)
		s.sortBy(order[len(order)-values:], k)
		return
	}
	s.sortBy(order[:values], k)
	s.sort(order[values:], k+1)
}

// sortBy sorts the rows of order, none of them null in the k-th column.
func (s inserted) sortBy(order []uint32, k int) {
	c := &s.cols[k]
	keys, _ := c.Slice()
	desc := c.Order().Desc != s.order.Desc
	switch c.Kind() {
	case sortkey.Int32:
		insertRows(order, stream.SliceOf[int32](keys), desc, s, k)
	case sortkey.Int64:
		insertRows(order, stream.SliceOf[int64](keys), desc, s, k)
	case sortkey.Uint64:
		insertRows(order, stream.SliceOf[uint64](keys), desc, s, k)
	case sortkey.String:
		insertRows(order, stream.SliceOf[string](keys), desc, s, k)
	default:
		s.insertFloats(order, stream.SliceOf[uint64](keys), k)
	}
}

// insertRows sorts row numbers by keys, and runs of ties by the columns after the k-th.
func insertRows[K int32 | int64 | uint64 | string](order []uint32, keys []K, desc bool, s inserted, k int) {
	for i := 1; i < len(order); i++ {
		x, j := order[i], i
		key := keys[x]
		if desc {
			for ; j > 0 && keys[order[j-1]] < key; j-- {
				order[j] = order[j-1]
			}
		} else {
			for ; j > 0 && keys[order[j-1]] > key; j-- {
				order[j] = order[j-1]
			}
		}
		order[j] = x
	}
	if k+1 == len(s.cols) {
		return
	}
	for from, i := 0, 1; i <= len(order); i++ {
		if i == len(order) || keys[order[i]] != keys[order[from]] {
			s.sort(order[from:i], k+1)
			from = i
		}
	}
}

// insertFloats sorts rows by the codes of floats.
func (s inserted) insertFloats(order []uint32, floats []uint64, k int) {
	var codes [leastRanked - 1]uint64
	by := sortkey.Floats[uint64](s.cols[k].OrderUnder(s.order))
	for i, row := range order {
		codes[i] = by.Of(floats[row])
	}
	sortFewCodes(order, codes[:len(order)])
	if k+1 == len(s.cols) {
		return
	}
	for from, i := 0, 1; i <= len(order); i++ {
		if i == len(order) || codes[i] != codes[from] {
			s.sort(order[from:i], k+1)
			from = i
		}
	}
}
