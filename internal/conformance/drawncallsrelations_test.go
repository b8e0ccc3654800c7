package conformance_test

import (
	"slices"

	"example.com/sorter"
	"example.com/sorter/perm"
)

// relationVerbs hold results of the library to each other, which takes no oracle.
var relationVerbs = []verbDrawn{
	{"relation: permuted rows", checkDrawnPermuted},
	{"relation: other keys of the same order", checkDrawnOtherKeys}, {"relation: other keys of the same order", checkDrawnOtherKeys},
	{"relation: the first of all", checkDrawnPrefix},
	{"relation: partitions one by one", checkDrawnOneByOne},
	{"relation: other means", checkDrawnOtherMeans},
}

// orderBy orders the rows by some columns under the options of the call; nil after an error.
func (x *drawnCall) orderBy(cols []drawnColumn, opts []sorter.Option) perm.Perm {
	by := sorter.RowsBy(x.n, x.columns(cols)...)
	p, err := called(x, func() (perm.Perm, error) { return by.Order(opts...) })
	if x.failed(err) || len(p) != x.n {
		return nil
	}
	return append(perm.Perm{}, p...) // the memory may be that of the next call's result
}

// sameOrder fails unless two orders are the same.
func (x *drawnCall) sameOrder(what string, got, want perm.Perm) {
	if got != nil && want != nil {
		x.same(what, rowsOf(got), rowsOf(want))
	}
}

func rowsOf(p []uint32) []int { return mapped(p, func(row uint32) int { return int(row) }) }

// checkDrawnPermuted orders rows in another sequence: the same keys come out, and ties in that sequence.
func checkDrawnPermuted(x *drawnCall) {
	opts := x.draw(x.n, len(x.cols))
	sequence := x.Rand.Perm(x.n)
	permuted := mapped(x.cols, func(c drawnColumn) drawnColumn { return c.pick(append(sequence, x.n)) })
	a, b := x.orderBy(x.cols, opts), x.orderBy(permuted, opts)
	if a == nil || b == nil {
		return
	}
	compare := x.compare(x.order)
	for i := range a {
		switch {
		case compare(int(a[i]), sequence[b[i]]) != 0:
			x.fail("place %d has row %d, and row %d if rows are permuted", i, a[i], sequence[b[i]])
		case i > 0 && b[i-1] > b[i] && compare(sequence[b[i-1]], sequence[b[i]]) == 0:
			x.fail("permuted rows %d and %d tie, and came in the other order", b[i], b[i-1])
		default:
			continue
		}
		return
	}
}

// checkDrawnOtherKeys replaces columns by others of the same order: complemented keys in the other direction, and the
// halves of integers.
func checkDrawnOtherKeys(x *drawnCall) {
	var others []drawnColumn
	for _, c := range x.cols {
		others = append(others, x.otherKeys(c)...)
	}
	if len(x.cols) == 0 {
		x.skip()
		return
	}
	opts := x.draw(x.n, len(x.cols))
	want := x.orderBy(x.cols, opts)
	x.sameOrder("", x.orderBy(others, opts), want)
}

// onlyOrder leaves a call the options of its order.
func (x *drawnCall) onlyOrder() []sorter.Option {
	order := slices.DeleteFunc(x.names, func(name string) bool {
		return !slices.Contains([]string{"Descending()", "NaNsFirst()", "NaNsLast()", "TotalOrder()"}, name)
	})
	x.optionsDrawn = &optionsDrawn{order: x.order, engine: "cpu", names: order, offered: x.offered}
	return orderOptions(x.order)
}

// otherKeys draws columns in place of one.
func (x *drawnCall) otherKeys(c drawnColumn) []drawnColumn {
	switch c := c.(type) {
	case *columnOf[int8]:
		return complemented(c, func(k int8) int8 { return ^k })
	case *columnOf[int16]:
		return complemented(c, func(k int16) int16 { return ^k })
	case *columnOf[int32]:
		if x.IntN(2) == 0 {
			return split(c, func(k int32) int16 { return int16(k >> 16) }, func(k int32) uint16 { return uint16(k) })
		}
		return complemented(c, func(k int32) int32 { return ^k })
	case *columnOf[int64]:
		if x.IntN(2) == 0 {
			return split(c, func(k int64) int32 { return int32(k >> 32) }, func(k int64) uint32 { return uint32(k) })
		}
		return complemented(c, func(k int64) int64 { return ^k })
	case *columnOf[uint8]:
		return complemented(c, func(k uint8) uint8 { return ^k })
	case *columnOf[uint16]:
		return complemented(c, func(k uint16) uint16 { return ^k })
	case *columnOf[uint32]:
		if x.IntN(2) == 0 {
			return split(c, func(k uint32) uint16 { return uint16(k >> 16) }, func(k uint32) uint16 { return uint16(k) })
		}
		return complemented(c, func(k uint32) uint32 { return ^k })
	case *columnOf[uint64]:
		if x.IntN(2) == 0 {
			return split(c, func(k uint64) uint32 { return uint32(k >> 32) }, func(k uint64) uint32 { return uint32(k) })
		}
		return complemented(c, func(k uint64) uint64 { return ^k })
	}
	return []drawnColumn{c}
}

// complemented returns the column of other keys that fall where those of c rise.
func complemented[K sorter.Key](c *columnOf[K], other func(K) K) []drawnColumn {
	o := *c
	o.keys, o.desc = mapped(c.keys, other), !c.desc
	return []drawnColumn{&o}
}

// split returns the columns of two halves of the keys.
func split[K, H, L sorter.Key](c *columnOf[K], high func(K) H, low func(K) L) []drawnColumn {
	return []drawnColumn{half(c, high), half(c, low)}
}

func half[K, H sorter.Key](c *columnOf[K], of func(K) H) drawnColumn {
	return &columnOf[H]{kind: callKind[H]{keyKind: keyKind[H]{name: "half"}}, keys: mapped(c.keys, of), draws: c.draws, calls: c.calls,
		name: "half of " + c.name, desc: c.desc, nans: c.nans, place: c.place, nulls: c.nulls}
}

// checkDrawnPrefix selects the first rows, and some by rank: they are those of the order.
func checkDrawnPrefix(x *drawnCall) {
	k, opts := x.drawCount(x.n), x.draw(x.n, len(x.cols))
	p := x.orderBy(x.cols, opts)
	by := x.rowsBy()
	got, err := called(x, func() ([]uint32, error) { return by.Top(k, opts...) })
	if !x.failed(err) && p != nil {
		x.sameOrder("first", got, atMost(k, p))
	}
	ks := x.drawPlaces(x.n)
	got, err = called(x, func() ([]uint32, error) { return by.Nth(ks, opts...) })
	if !x.failed(err) && p != nil {
		x.sameOrder("ranks", got, at(p, ks))
	}
}

// checkDrawnOneByOne selects the first rows of partitions, and of the rows of each.
func checkDrawnOneByOne(x *drawnCall) {
	k, opts := 1+x.IntN(8), x.draw(x.n, min(len(x.cols), len(x.partition)))
	x.note("k = %d", k)
	by := x.per()
	got, err := called(x, func() ([]uint32, error) { rows, _, err := by.Top(k, opts...); return rows, err })
	used, taken := x.used, x.taken
	parted := x.orderBy(x.partition, opts)
	x.used, x.taken = used, taken // those of the order by partitions alone do not count
	if x.failed(err) || parted == nil || x.n == 0 {
		return
	}
	same := compareInTurn(compares(x.partition, x.order))
	ends := offsetsOf(x.n, func(i int) bool { return same(int(parted[i-1]), int(parted[i])) != 0 })
	if len(ends) > 300 {
		return
	}
	rows, want := x.rowsBy(), perm.Perm{}
	for i := range len(ends) - 1 {
		part := parted[ends[i]:ends[i+1]]
		if x.failed(calledFor(x, func() error { return rows.Sort(part, opts...) })) {
			return
		}
		want = append(want, atMost(k, part)...)
	}
	x.sameOrder("", got, want)
}

// checkDrawnOtherMeans orders rows by two draws of layouts, options and engines.
func checkDrawnOtherMeans(x *drawnCall) {
	opts := x.draw(x.n, len(x.cols))
	want := x.orderBy(x.cols, opts)
	opts, x.taken = x.onlyOrder(), nil
	if x.drawMeans(x.optionsDrawn); x.device != nil {
		opts = append(opts, sorter.On(x.device), sorter.Stable())
	}
	x.sameOrder("", x.orderBy(x.cols, opts), want)
}
