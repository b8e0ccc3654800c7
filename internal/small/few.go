package small

import (
	"math/bits"
	"time"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// A few elements are ordered by columns on the stack: nothing is pooled, copied or prepared for the
// columns. They are sorted by the codes of the first one, runs of ties by the next.

// ServesFew reports whether n elements are ordered by columns on the stack.
func ServesFew(c *call.Options, n int) bool {
	return n <= tinySort && !c.Monitored() && c.Marks == nil && Serves(c, n)
}

// few orders elements by columns. It is passed by value, so that it stays in registers and on the stack.
type few struct {
	cols  extract.ColumnList
	from  extract.FewOf
	order sortkey.Order
}

// OrderFew returns the order of at most tinySort row numbers by columns.
func OrderFew(cols extract.ColumnList, n int, cfg *call.Options) perm.Perm {
	cols.CheckRows(n, "OrderN of %d rows", n)
	p := cols.Result(n, cfg.Into)
	for i := range p {
		p[i] = uint32(i)
	}
	few{cols, extract.FewOf{Rows: true}, cfg.Order()}.sort(p, 0, true)
	return p
}

// orderFewSelected reorders at most tinySort row numbers by columns.
func orderFewSelected(cols extract.ColumnList, selected []uint32, cfg *call.Options) {
	var order [tinySort]uint32
	n := copy(order[:], selected)
	few{cols, extract.FewOf{Rows: true}, cfg.Order()}.sort(order[:n], 0, false)
	copy(selected, order[:n])
}

// sort sorts the elements numbered by order, which tie in all columns before the k-th. whole says that
// their numbers are 0, 1, ….
func (f few) sort(order []uint32, k int, whole bool) {
	if len(order) < 2 || k == f.cols.Len() {
		return
	}
	c := f.cols.At(k)
	if c.Nulls == extract.NoNulls {
		f.sortBy(order, k, whole)
		return
	}
	nulls := f.from.NullsOf(c, order)
	if nulls == 0 {
		f.sortBy(order, k, whole)
		return
	}
	values := partFew(order, nulls, c.Nulls == extract.NullsFirst)
	if c.Nulls == extract.NullsFirst {
		f.sort(order[:len(order)-values], k+1, false)
		f.sortBy(order[len(order)-values:], k, false)
		return
	}
	f.sortBy(order[:values], k, false)
	f.sort(order[values:], k+1, false)
}

// partFew moves the elements whose bits are set to one side of the others, whose number it returns.
// Each side keeps its sequence.
func partFew(order []uint32, set uint64, first bool) (others int) {
	var all [tinySort]uint32
	copy(all[:], order)
	others = len(order) - bits.OnesCount64(set)
	to, next := 0, others
	if first {
		to, next = len(order)-others, 0
	}
	for i := range order {
		if set>>i&1 != 0 {
			order[next] = all[i%tinySort]
			next++
		} else {
			order[to] = all[i%tinySort]
			to++
		}
	}
	return others
}

// sortBy sorts the elements numbered by order, none of them null in the k-th column.
func (f few) sortBy(order []uint32, k int, whole bool) {
	if len(order) < 2 {
		return
	}
	c := f.cols.At(k)
	var keys unsafe.Pointer // where they lie, if that is one after the other
	if whole {
		keys = f.from.InPlace(c, len(order))
	}
	if kind := c.Kind(); !kind.Wide() {
		f.sortNarrow(order, k, keys)
	} else if keys != nil {
		f.sortWide(order, k, keys)
	} else if kind == sortkey.String {
		sortFewBy[string](f, order, k)
	} else if kind == sortkey.Bytes {
		sortFewBy[[]byte](f, order, k)
	} else if kind == sortkey.Time {
		sortFewBy[time.Time](f, order, k)
	} else {
		sortFewBy[[2]uint64](f, order, k) // the widest without pointers
	}
}

// sortNarrow is sortBy of keys whose code is whole.
func (f few) sortNarrow(order []uint32, k int, keys unsafe.Pointer) {
	var codes [tinySort]uint64
	n, c := len(order), f.cols.At(k)
	switch {
	case keys != nil:
	case c.Kind().Size() == 8: // keys become codes where they are
		keys = unsafe.Pointer(&codes)
		f.from.KeysOf(c, keys, order)
	default:
		f.narrowKeys(order, c, &codes)
		f.sortCoded(order, codes[:n], k)
		return
	}
	sortkey.EncodeAt(c.Kind(), codes[:n], keys, c.OrderUnder(f.order))
	f.sortCoded(order, codes[:n], k)
}

// narrowKeys writes the codes of keys that are narrower.
func (f few) narrowKeys(order []uint32, c *extract.Column, codes *[tinySort]uint64) {
	var keys [tinySort]uint32
	f.from.KeysOf(c, unsafe.Pointer(&keys), order)
	sortkey.EncodeAt(c.Kind(), codes[:len(order)], unsafe.Pointer(&keys), c.OrderUnder(f.order))
}

// sortCoded sorts the elements numbered by order by the codes of the k-th column, and runs of ties by
// the next columns.
func (f few) sortCoded(order []uint32, codes []uint64, k int) {
	sortFewCodes(order, codes)
	if k+1 == f.cols.Len() {
		return
	}
	for from, i := 0, 1; i <= len(codes); i++ {
		if i == len(codes) || codes[i] != codes[from] {
			f.sort(order[from:i], k+1, false)
			from = i
		}
	}
}

// leastRanked is the number of codes from which they are sorted by counting. Up to it they are inserted.
const leastRanked = 6

// sortFewCodes sorts codes, and order by them.
func sortFewCodes(order []uint32, codes []uint64) {
	order = order[:len(codes)]
	if len(codes) >= leastRanked {
		var index, numbers [tinySort]uint32
		var all [tinySort]uint64
		if !rank(index[:len(codes)], codes) {
			return
		}
		copy(numbers[:], order)
		copy(all[:], codes)
		for i, at := range index[:len(codes)] {
			order[i], codes[i] = numbers[at%tinySort], all[at%tinySort]
		}
		return
	}
	for i := 1; i < len(codes); i++ {
		c, x, j := codes[i], order[i], i
		for ; j > 0 && codes[j-1] > c; j-- {
			codes[j], order[j] = codes[j-1], order[j-1]
		}
		codes[j], order[j] = c, x
	}
}

// sortFewBy is sortBy of wide keys that do not lie one after the other. It is not inlined: its caller
// would clear the arrays of all kinds of keys.
//
//go:noinline
func sortFewBy[K any](f few, order []uint32, k int) {
	var keys [tinySort]K
	f.from.KeysOf(f.cols.At(k), unsafe.Pointer(&keys), order)
	f.sortWide(order, k, unsafe.Pointer(&keys))
}

// sortWide is sortBy of wide keys that lie one after the other.
func (f few) sortWide(order []uint32, k int, keys unsafe.Pointer) {
	var codes [tinySort]uint64
	var index, numbers [tinySort]uint32
	n, c := len(order), f.cols.At(k)
	kind, o, places := c.Kind(), c.OrderUnder(f.order), index[:n]
	orderByLeading(kind, places, codes[:n], keys, o, nil)
	all := stream.RawAt(keys, kind.Size(), n)
	switch kind {
	case sortkey.String:
		orderFewTexts(places, codes[:n], stream.SliceOf[string](all), o, nil)
	case sortkey.Bytes:
		orderFewTexts(places, codes[:n], stream.SliceOf[[]byte](all), o, nil)
	default:
		orderTiedWords(kind, places, codes[:n], all, o)
	}
	copy(numbers[:], order)
	for i, at := range places {
		order[i] = numbers[at%tinySort]
	}
	if k+1 == f.cols.Len() {
		return
	}
	for from, i := 0, 1; i <= n; i++ {
		if i == n || !sameKeys(kind, codes[:n], all, o, places[i-1], places[i]) {
			f.sort(order[from:i], k+1, false)
			from = i
		}
	}
}
