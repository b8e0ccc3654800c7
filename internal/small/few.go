package small

import (
	"cmp"
	"math/bits"
	"net/netip"
	"time"
	"unsafe"

	"example.com/sorter/internal/call"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/extract/column"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
	"example.com/sorter/perm"
)

// A few elements are ordered by columns on the stack: nothing is pooled, copied or prepared for the
// columns. They are sorted by the keys of the first one, runs of ties by the next.

// ServesFew reports whether n elements are ordered by columns on the stack.
func ServesFew(c *call.Options, n int) bool {
	return n <= tinySort && !c.Monitored() && c.Marks == nil && Serves(c, n)
}

// few orders elements by columns. It is filled field by field: a copy would wait for the stores before it,
// as long as three rows take to order.
type few struct {
	cols  column.SpecList
	from  column.FewOf
	order sortkey.Order
}

// OrderFew returns the order of at most tinySort row numbers by columns.
func OrderFew(cols column.SpecList, n int, cfg *call.Options) perm.Perm {
	p := cols.OrderOf(n, cfg.Into)
	var f few
	f.cols, f.from.Rows, f.order = cols, true, cfg.Order()
	f.sortAll(p)
	return p
}

// orderFewSelected reorders at most tinySort row numbers by columns.
func orderFewSelected(cols []extract.Column, selected []uint32, cfg *call.Options) {
	var order [tinySort]uint32
	n := copy(order[:], selected)
	var f few
	f.cols, f.from.Rows, f.order = extract.Specs(cols), true, cfg.Order()
	f.sort(order[:n], 0, false)
	copy(selected, order[:n])
}

// sortAll writes the order of elements 0, 1, ….
func (f *few) sortAll(order []uint32) {
	for i := range order {
		order[i] = uint32(i)
	}
	f.sort(order, 0, true)
}

// sort sorts the elements numbered by order, which tie in all columns before the k-th. whole says that
// their numbers are 0, 1, ….
func (f *few) sort(order []uint32, k int, whole bool) {
	if len(order) < 2 || k == f.cols.Len() {
		return
	}
	c := f.cols.At(k)
	if c.Nulls() != column.NoNulls {
		if nulls := f.from.NullsOf(c, order); nulls != 0 {
			first := c.Nulls() == column.NullsFirst
			n, values := partFew(order, nulls, first), order
			if first {
				values, order = order[len(order)-n:], order[:len(order)-n]
			} else {
				values, order = order[:n], order[n:]
			}
			if len(order) > 1 {
				f.sort(order, k+1, false)
			}
			if order, whole = values, false; n < 2 {
				return
			}
		}
	}
	var tied uint64
	switch kind, more := c.Kind(), k+1 < f.cols.Len(); {
	case len(order) >= leastRanked:
		tied = f.sortBy(order, c, whole, more)
	case kind == sortkey.Int64:
		tied = insertBy[int64](f, order, c, more)
	case kind == sortkey.String:
		tied = insertBy[string](f, order, c, more)
	case kind == sortkey.Float64:
		tied = insertBy[float64](f, order, c, more)
	case kind == sortkey.Int32:
		tied = insertBy[int32](f, order, c, more)
	case kind == sortkey.Uint64:
		tied = insertBy[uint64](f, order, c, more)
	default:
		tied = f.sortBy(order, c, whole, more)
	}
	if tied != 0 {
		f.sortTies(order, tied, k+1)
	}
}

// partFew moves the elements whose bits are set to one side of the others, whose number it returns.
// Each side keeps its sequence. No branch asks for a bit: it would be mispredicted.
func partFew(order []uint32, set uint64, first bool) (others int) {
	var nulls [tinySort]uint32
	n := 0
	for i, x := range order {
		null := int(set >> (i % 64) & 1)
		nulls[n%tinySort], order[others] = x, x
		n, others = n+null, others+1-null
	}
	at := others
	if first {
		copy(order[n:], order[:others])
		at = 0
	}
	for i := range n {
		order[at+i] = nulls[i%tinySort]
	}
	return others
}

// The functions that sort by one column return its ties if there are more columns: bit i is set if element i
// of the order ties with the one before.

// sortBy sorts the elements numbered by order, two or more, none of them null in c.
func (f *few) sortBy(order []uint32, c *column.Spec, whole, more bool) (tied uint64) {
	kind := c.Kind()
	keys, inPlace := f.from.InPlace(c)
	switch {
	case !kind.Wide():
		return f.sortNarrow(order, c, keys, inPlace && whole, more)
	case inPlace && whole:
		return f.sortWide(order, c, keys.Part(0, len(order)), more)
	case kind == sortkey.String:
		return sortFewBy[string](f, order, c, more)
	case kind == sortkey.Bytes:
		return sortFewBy[[]byte](f, order, c, more)
	case kind == sortkey.Time:
		return sortFewBy[time.Time](f, order, c, more)
	case kind == sortkey.Addr:
		return sortFewBy[netip.Addr](f, order, c, more)
	case kind.Size() > 16:
		return sortFewBy[[sortkey.MostBytes]byte](f, order, c, more)
	default:
		return sortFewBy[[2]uint64](f, order, c, more) // all others without pointers
	}
}

// desc reports whether a column is in descending order.
func (f *few) desc(c *column.Spec) bool { return c.Order().Desc != f.order.Desc }

// sortTies sorts runs of ties by the columns from the k-th on.
func (f *few) sortTies(order []uint32, tied uint64, k int) {
	for tied != 0 {
		from := bits.TrailingZeros64(tied)
		end := from + bits.TrailingZeros64(^(tied >> from)) // of the first run of set bits
		tied &= ^uint64(0) << end
		f.sort(order[from-1:end], k, false)
	}
}

// numbers are 0, 1, ….
var numbers = [tinySort]uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

// codesOf writes the codes of narrow keys of elements.
func (f *few) codesOf(c *column.Spec, at []uint32, codes *[tinySort]uint64) {
	var keys [tinySort]uint64
	f.from.KeysOf(c, stream.RawAt(unsafe.Pointer(&keys), c.Kind().Size(), tinySort), at)
	sortkey.EncodeAt(c.Kind(), codes[:len(at)], unsafe.Pointer(&keys), c.OrderUnder(f.order))
}

// sortNarrow is sortBy of keys whose code is whole.
func (f *few) sortNarrow(order []uint32, c *column.Spec, keys stream.Raw, inPlace, more bool) (tied uint64) {
	var codes [tinySort]uint64
	n, kind := len(order), c.Kind()
	if inPlace {
		keys = keys.Part(0, n)
	} else if keys = stream.RawAt(unsafe.Pointer(&codes), kind.Size(), tinySort); kind.Size() == 8 {
		f.from.KeysOf(c, keys, order) // they become codes where they are
	} else {
		return f.sortNarrower(order, c, more)
	}
	sortkey.EncodeAt(kind, codes[:n], keys.Data(), c.OrderUnder(f.order))
	return sortFewCodes(order, codes[:n], more)
}

// sortNarrower is sortNarrow of keys of less than 64 bits.
func (f *few) sortNarrower(order []uint32, c *column.Spec, more bool) (tied uint64) {
	var codes [tinySort]uint64
	f.codesOf(c, order, &codes)
	return sortFewCodes(order, codes[:len(order)], more)
}

// leastRanked is the number of codes from which they are sorted by counting. Up to it they are inserted.
const leastRanked = 6

// sortFewCodes sorts codes, and order by them.
func sortFewCodes(order []uint32, codes []uint64, more bool) (tied uint64) {
	order = order[:len(codes)]
	if len(codes) >= leastRanked {
		rankFew(order, codes)
	} else {
		for i := 1; i < len(codes); i++ {
			c, x, j := codes[i], order[i], i
			for ; j > 0 && codes[j-1] > c; j-- {
				codes[j], order[j] = codes[j-1], order[j-1]
			}
			codes[j], order[j] = c, x
		}
	}
	for i := 1; more && i < len(codes); i++ {
		if codes[i] == codes[i-1] {
			tied |= 1 << i
		}
	}
	return tied
}

// rankFew is sortFewCodes by counting.
func rankFew(order []uint32, codes []uint64) {
	var index, before [tinySort]uint32
	var all [tinySort]uint64
	if !rank(index[:len(codes)], codes) {
		return
	}
	copy(before[:], order)
	copy(all[:], codes)
	for i, at := range index[:len(codes)] {
		order[i], codes[i] = before[at%tinySort], all[at%tinySort]
	}
}

// insertBy is sortBy of fewer than leastRanked elements: keys are inserted as they are, without codes.
func insertBy[K int32 | int64 | uint64 | float64 | string](f *few, order []uint32, c *column.Spec, more bool) (tied uint64) {
	var all [leastRanked - 1]K
	keys := all[:len(order)]
	if from, ok := f.from.InPlace(c); ok {
		col := stream.SliceOf[K](from)
		for i, x := range order {
			keys[i] = col[x]
		}
	} else {
		f.from.KeysOf(c, stream.RawOf(all[:]), order)
	}
	if c.Kind() == sortkey.Float64 && !areComparable(keys, c.OrderUnder(f.order)) {
		return sortFewFloats(order, unsafe.Pointer(&all), c.OrderUnder(f.order), more)
	}
	order = order[:len(keys)]
	desc := f.desc(c)
	for i := 1; i < len(keys); i++ {
		key, x, j := keys[i], order[i], i
		if desc {
			for ; j > 0 && keys[j-1] < key; j-- {
				keys[j], order[j] = keys[j-1], order[j-1]
			}
		} else {
			for ; j > 0 && keys[j-1] > key; j-- {
				keys[j], order[j] = keys[j-1], order[j-1]
			}
		}
		keys[j], order[j] = key, x
	}
	for i := 1; more && i < len(keys); i++ {
		if keys[i] == keys[i-1] {
			tied |= 1 << i
		}
	}
	return tied
}

// areComparable reports whether floats are in the order of their values.
func areComparable[K cmp.Ordered](keys []K, o sortkey.Order) bool {
	for _, k := range keys {
		if k != k {
			return false
		}
	}
	return o.NaNs != sortkey.TotalOrder
}

// sortFewFloats sorts the float64 keys at an address, and order by them.
func sortFewFloats(order []uint32, keys unsafe.Pointer, o sortkey.Order, more bool) (tied uint64) {
	var codes [leastRanked - 1]uint64
	sortkey.EncodeAt(sortkey.Float64, codes[:len(order)], keys, o)
	return sortFewCodes(order, codes[:len(order)], more)
}

// sortFewBy is sortBy of wide keys that do not lie one after the other. It is not inlined: its caller
// would clear the arrays of all kinds of keys.
//
//go:noinline
func sortFewBy[K any](f *few, order []uint32, c *column.Spec, more bool) (tied uint64) {
	var keys [tinySort]K
	all := stream.RawAt(unsafe.Pointer(&keys), c.Kind().Size(), tinySort)
	f.from.KeysOf(c, all, order)
	return f.sortWide(order, c, all, more)
}

// sortWide is sortBy of wide keys that lie one after the other.
func (f *few) sortWide(order []uint32, c *column.Spec, keys stream.Raw, more bool) (tied uint64) {
	var codes [tinySort]uint64
	var index, before [tinySort]uint32
	n, kind, o := len(order), c.Kind(), c.OrderUnder(f.order)
	moved, whole, places := true, false, index[:n]
	switch kind {
	case sortkey.String:
		moved, whole = orderFewTexts(places, codes[:n], stream.SliceOf[string](keys)[:n], o, nil)
	case sortkey.Bytes:
		moved, whole = orderFewTexts(places, codes[:n], stream.SliceOf[[]byte](keys)[:n], o, nil)
	default:
		orderFewWords(kind, places, codes[:n], keys, o, nil)
	}
	if moved {
		copy(before[:], order)
		for i, at := range places {
			order[i] = before[at%tinySort]
		}
	}
	for i := 1; more && i < n; i++ {
		a, b := places[i-1], places[i]
		if codes[a%tinySort] == codes[b%tinySort] && (whole || sameKeys(kind, codes[:n], keys, o, a, b)) {
			tied |= 1 << i
		}
	}
	return tied
}
