package conformance_test

import (
	"cmp"
	"encoding/binary"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/perm"
)

// keyVerbs are the verbs on keys alone, those of the first column.
var keyVerbs = []verbDrawn{
	{"SortKeys", onKeys(drawnColumn.sortKeys)}, {"SortKeys", onKeys(drawnColumn.sortKeys)},
	{"SortPairs", onKeys(drawnColumn.sortPairs)}, {"SortPairs", onKeys(drawnColumn.sortPairs)},
	{"OrderKeys", onKeys(drawnColumn.orderKeys)},
	{"TopKeys", onKeys(drawnColumn.topKeys)},
	{"Quantiles", checkDrawnQuantiles},
}

// onKeys is a verb on the keys of the first column.
func onKeys(do func(c drawnColumn, x *drawnCall)) func(x *drawnCall) {
	return func(x *drawnCall) {
		if len(x.cols) == 0 {
			x.skip()
			return
		}
		x.drawnCase = x.byFirst()
		x.elementColumns("keys")
		do(x.cols[0], x)
	}
}

// plain returns the column of the same keys without nulls, ascending.
func (c *columnOf[K]) plain() drawnColumn {
	return &columnOf[K]{kind: c.kind, keys: c.keys, name: c.name, draws: c.draws, calls: c.calls}
}

func (c *columnOf[K]) quantiles() *quantile {
	if c.kind.numbers == nil {
		return nil
	}
	q := c.kind.numbers(c.keys)
	return &q
}

// at returns the keys of rows.
func (c *columnOf[K]) at(rows []int) []K { return mapped(rows, func(row int) K { return c.keys[row] }) }

// sameKeys fails unless keys are those wanted bit for bit, or, without Stable, tie with these and are
// the same together.
func (c *columnOf[K]) sameKeys(x *drawnCall, got, want []K) {
	same := oracle.Same[K]
	if isString[K]() { // equal ones are the same to a program, wherever they lie
		compare := c.kind.order(x.order)
		same = func(a, b K) bool { return compare(a, b) == 0 }
	}
	if isFloat[K]() && !x.stable {
		compare := c.kind.order(x.order)
		same = func(a, b K) bool { return compare(a, b) == 0 }
		if sumOf(got) != sumOf(want) {
			x.fail("keys were lost")
		}
	}
	if d := oracle.Diff(got, want, same); d != "" {
		x.fail("%s", d)
	}
}

func sumOf[K sorter.Key](keys []K) uint64 { return (&keysOf[K]{keys: keys}).sum() }

func (c *columnOf[K]) sortKeys(x *drawnCall) {
	opts := x.draw(x.n, 1)
	got, outside := guarded(c.keys[:x.n], x.IntN(9))
	err := calledFor(x, func() error { return sorter.SortKeys(got, opts...) })
	if err := outside(); err != nil {
		x.fail("%v", err)
	}
	if x.failed(err) {
		x.stable = true
		c.sameKeys(x, got, c.keys[:x.n])
		return
	}
	want := c.at(x.inOrder(sortedBy{Order: x.order}))
	if f := reflect.TypeFor[K]().Kind(); !x.stable && (f == reflect.Float32 || f == reflect.Float64) {
		c.inOrderOfBits(want, x.order)
		x.stable = true // bits decide
	}
	c.sameKeys(x, got, want)
}

// inOrderOfBits puts sorted floats that tie in the order that the documentation of SortKeys has for them.
func (c *columnOf[K]) inOrderOfBits(sorted []K, o oracle.Order) {
	compare := c.kind.order(o)
	slices.SortStableFunc(sorted, func(a, b K) int {
		if by := compare(a, b); by != 0 {
			return by
		}
		if by := cmp.Compare(rankOfBits(a), rankOfBits(b)); !o.Desc {
			return by
		} else {
			return -by
		}
	})
}

// rankOfBits orders floats that tie: -0 before +0, NaNs without a sign by their bits, then those with one by their bits, the greatest first.
func rankOfBits[K sorter.Key](k K) uint64 {
	var bits uint64
	switch p := unsafe.Pointer(&k); unsafe.Sizeof(k) {
	case 4:
		bits = uint64(*(*uint32)(p)) << 32
	case 8:
		bits = *(*uint64)(p)
	}
	const sign = 1 << 63
	nan := math.IsNaN(reflect.ValueOf(k).Float())
	switch signed := bits&sign != 0; {
	case !nan && signed:
		return 0
	case !nan:
		return 1
	case signed:
		return sign | ^bits
	}
	return bits
}

func (c *columnOf[K]) topKeys(x *drawnCall) {
	k, opts := x.drawCount(x.n), x.draw(x.n, 1)
	got := slices.Clone(c.keys[:x.n])
	if x.failed(calledFor(x, func() error { return sorter.TopKeys(got, k, opts...) })) {
		x.stable = true
		c.sameKeys(x, got, c.keys[:x.n])
		return
	}
	if sumOf(got) != sumOf(c.keys[:x.n]) {
		x.fail("keys were lost")
	}
	k = min(k, x.n)
	want := c.at(x.inOrder(sortedBy{Order: x.order})[:k])
	x.stable = true // the selection is
	c.sameKeys(x, got[:k], want)
}

func (c *columnOf[K]) orderKeys(x *drawnCall) {
	opts := x.draw(x.n, 1)
	keys := slices.Clone(c.keys[:x.n])
	p, err := called(x, func() (perm.Perm, error) { return sorter.OrderKeys(keys, opts...) })
	x.checkPerm(p, err, x.inOrder(sortedBy{Order: x.order}), compares(x.cols, x.order))
	x.stable = true
	c.sameKeys(x, keys, c.keys[:x.n])
}

// sortPairs draws the values' type, by the size of which the library chooses its way. A program that sorts every kind of
// key with every type of value takes minutes to compile: some kinds stand for those of their width.
func (c *columnOf[K]) sortPairs(x *drawnCall) {
	switch c := any(c).(type) {
	case *columnOf[uint8]:
		sortAllPairs(x, c)
	case *columnOf[float32]:
		sortAllPairs(x, c)
	case *columnOf[int64]:
		sortAllPairs(x, c)
	case *columnOf[sorter.Uint128]:
		sortAllPairs(x, c)
	case *columnOf[string]:
		sortAllPairs(x, c)
	default:
		sortSomePairs(x, any(c).(*columnOf[K]))
	}
}

// sortSomePairs draws one of two types of values.
func sortSomePairs[K sorter.Key](x *drawnCall, c *columnOf[K]) {
	if x.IntN(2) == 0 {
		sortDrawnPairs(x, c, carry, rowOf)
		return
	}
	sortDrawnPairs(x, c, func(row int) uint32 { return uint32(row) }, func(v uint32) int { return int(v) })
}

// sortAllPairs draws one of all types of values.
func sortAllPairs[K sorter.Key](x *drawnCall, c *columnOf[K]) {
	switch x.IntN(6) {
	case 0:
		sortDrawnPairs(x, c, func(row int) [1]byte { return [1]byte{byte(row)} }, nil)
	case 1:
		sortDrawnPairs(x, c, func(row int) int { return row }, func(v int) int { return v })
	case 2:
		sortDrawnPairs(x, c, func(row int) (v [128]byte) { fillWith(v[:], row); return v }, func(v [128]byte) int { return int(binary.LittleEndian.Uint64(v[:])) })
	case 3:
		sortDrawnPairs(x, c, func(row int) (v [136]byte) { fillWith(v[:], row); return v }, func(v [136]byte) int { return int(binary.LittleEndian.Uint64(v[:])) })
	default:
		sortSomePairs(x, c)
	}
}

// fillWith fills a value with its row.
func fillWith(v []byte, row int) {
	for i := range len(v) / 8 {
		binary.LittleEndian.PutUint64(v[8*i:], uint64(row))
	}
}

// sortDrawnPairs sorts values of one type with keys. row returns the row of a value; nil if values do not have it.
func sortDrawnPairs[K sorter.Key, V comparable](x *drawnCall, c *columnOf[K], value func(row int) V, row func(V) int) {
	opts := x.draw(x.n, 1)
	keys, before := slices.Clone(c.keys[:x.n]), mapped(ascending(x.n), value)
	values, outside := guarded(before, x.IntN(9))
	x.note("values %T", *new(V))
	err := calledFor(x, func() error { return sorter.SortPairs(keys, values, opts...) })
	if err := outside(); err != nil {
		x.fail("%v", err)
	}
	if x.failed(err) {
		x.stable = true
		c.sameKeys(x, keys, c.keys[:x.n])
		if !slices.Equal(values, before) {
			x.fail("values are other ones after an error")
		}
		return
	}
	want := x.inOrder(sortedBy{Order: x.order})
	c.sameKeys(x, keys, c.at(want))
	if isFloat[K]() && !x.stable {
		x.checkPairsOfFloats(mapped(values, orNone(row)), row != nil, func(i, row int) bool { return oracle.Same(keys[i], c.keys[row]) })
		return
	}
	if !slices.Equal(values, mapped(want, func(row int) V { return before[row] })) {
		x.fail("values are in another order")
	}
}

// orNone returns row, or a function for values without one.
func orNone[V any](row func(V) int) func(V) int {
	if row == nil {
		return func(V) int { return 0 }
	}
	return row
}

// checkPairsOfFloats holds rows, which came with keys that may tie in another order, to a permutation.
func (x *drawnCall) checkPairsOfFloats(rows []int, have bool, same func(i, row int) bool) {
	if !have {
		return
	}
	if err := perm.Perm(mapped(rows, func(row int) uint32 { return uint32(row) })).Valid(); err != nil {
		x.fail("values: %v", err)
		return
	}
	for i, row := range rows {
		if !same(i, row) {
			x.fail("value %d is that of another key", row)
			return
		}
	}
}
