package beamsort

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"example.com/sorter"
)

// kind is an order of a test, and the comparison that it has to equal.
type kind[T any] struct {
	order   *Ordering[T]
	compare func(a, b T) int
}

// kinds are all orders of elements, by test.
var (
	rowKinds  []kind[row]
	noteKinds []kind[note]
)

func rowKind(name string, compare func(a, b row) int, columns ...sorter.Column[row]) {
	rowKinds = append(rowKinds, kind[row]{Register("row "+name, Fixed[row](), columns...), compare})
}

func noteKind(name string, compare func(a, b note) int, columns ...sorter.Column[note]) {
	noteKinds = append(noteKinds, kind[note]{Register("note "+name, Codec[note](noteCodec{}), columns...), compare})
}

// ordered registers a key in both directions.
func ordered[K interface {
	cmp.Ordered
	sorter.Key
}](name string, key func(row) K) {
	ascending := func(a, b row) int { return cmp.Compare(key(a), key(b)) }
	rowKind(name, ascending, sorter.Asc(key))
	rowKind(name+" descending", func(a, b row) int { return ascending(b, a) }, sorter.Desc(key))
}

func isNull(r row) bool { return r.Null }

// nulls compares nulls, which come first or last, and then others.
func nulls(a, b, first bool, others int) int {
	switch {
	case a && b:
		return 0
	case a == b:
		return others
	case a == first:
		return -1
	}
	return 1
}

func vector(a, b []float32) int {
	for i := range a {
		if c := cmp.Compare(a[i], b[i]); c != 0 {
			return c
		}
	}
	return 0
}

func init() {
	ordered("int8", func(r row) int8 { return r.I8 })
	ordered("int16", func(r row) int16 { return r.I16 })
	ordered("int32", func(r row) int32 { return r.I32 })
	ordered("int64", func(r row) int64 { return r.I64 })
	ordered("uint8", func(r row) uint8 { return r.U8 })
	ordered("uint16", func(r row) uint16 { return r.U16 })
	ordered("uint32", func(r row) uint32 { return r.U32 })
	ordered("uint64", func(r row) uint64 { return r.U64 })
	ordered("float32", func(r row) float32 { return r.F32 })
	ordered("float64", func(r row) float64 { return r.F64 })
	f64 := func(r row) float64 { return r.F64 }
	rowKind("bool", func(a, b row) int { return -nulls(a.Null, b.Null, true, 0) }, sorter.Asc(func(r row) bool { return r.Null }))
	rowKind("vector 2", func(a, b row) int { return vector(a.V2[:], b.V2[:]) }, sorter.Asc(func(r row) [2]float32 { return r.V2 }))
	rowKind("vector 3", func(a, b row) int { return vector(a.V3[:], b.V3[:]) }, sorter.Asc(func(r row) [3]float32 { return r.V3 }))
	rowKind("vector 4", func(a, b row) int { return vector(b.V4[:], a.V4[:]) }, sorter.Desc(func(r row) [4]float32 { return r.V4 }))
	rowKind("16 bytes", func(a, b row) int { return bytes.Compare(a.B16[:], b.B16[:]) }, sorter.Asc(func(r row) [16]byte { return r.B16 }))
	rowKind("nulls first", func(a, b row) int { return nulls(a.Null, b.Null, true, cmp.Compare(b.I16, a.I16)) },
		sorter.Desc(func(r row) int16 { return r.I16 }).NullsFirst(isNull))
	rowKind("nulls last", func(a, b row) int { return nulls(a.Null, b.Null, false, cmp.Compare(a.I16, b.I16)) },
		sorter.Asc(func(r row) int16 { return r.I16 }).NullsLast(isNull))
	rowKind("NaNs last", func(a, b row) int {
		return nulls(math.IsNaN(a.F64), math.IsNaN(b.F64), false, cmp.Compare(a.F64, b.F64))
	}, sorter.Asc(f64).NaNsLast())
	rowKind("NaNs first, nulls last", func(a, b row) int {
		return nulls(a.Null, b.Null, false, nulls(math.IsNaN(a.F64), math.IsNaN(b.F64), true, cmp.Compare(b.F64, a.F64)))
	}, sorter.Desc(f64).NaNsFirst().NullsLast(isNull))
	rowKind("three columns", func(a, b row) int {
		return cmp.Or(cmp.Compare(a.U8&3, b.U8&3), nulls(a.Null, b.Null, true, cmp.Compare(b.F32, a.F32)), cmp.Compare(b.ID, a.ID))
	}, sorter.Asc(func(r row) uint8 { return r.U8 & 3 }), sorter.Desc(func(r row) float32 { return r.F32 }).NullsFirst(isNull),
		sorter.Desc(func(r row) uint32 { return r.ID }))
	rowKind("no column", func(a, b row) int { return 0 })

	noteKind("string", func(a, b note) int { return cmp.Compare(a.Text, b.Text) }, sorter.Asc(func(n note) string { return n.Text }))
	noteKind("bytes descending", func(a, b note) int { return bytes.Compare(b.Raw, a.Raw) }, sorter.Desc(func(n note) []byte { return n.Raw }))
	noteKind("time", func(a, b note) int { return a.When.Compare(b.When) }, sorter.Asc(func(n note) time.Time { return n.When }))
	noteKind("string with nulls, time", func(a, b note) int {
		return cmp.Or(nulls(a.Null, b.Null, false, cmp.Compare(b.Text, a.Text)), a.When.Compare(b.When))
	}, sorter.Desc(func(n note) string { return n.Text }).NullsLast(func(n note) bool { return n.Null }),
		sorter.Asc(func(n note) time.Time { return n.When }))
}

func TestOrders(t *testing.T) {
	rows, notes := someRows(3000), someNotes(3000)
	if testing.Short() {
		rows, notes = rows[:500], notes[:500]
	}
	size := int64(byU64.layout.size)
	for _, k := range rowKinds {
		t.Run(k.order.Name(), func(t *testing.T) {
			m, _ := sorted(t, rows, k.order, tiny(700*size, 100*size), Shards(5))
			same(t, rows, decoded(t, k.order, contents(t, m)), k.compare, rowID)
		})
	}
	for _, k := range noteKinds {
		t.Run(k.order.Name(), func(t *testing.T) {
			m, _ := sorted(t, notes, k.order, tiny(20000, 3000), Shards(5))
			same(t, notes, decoded(t, k.order, contents(t, m)), k.compare, noteID)
		})
	}
}

// TestSizes sorts around the sizes of blocks, runs and shards.
func TestSizes(t *testing.T) {
	size := int64(byU64.layout.size)
	for _, n := range []int{0, 1, 2, 9, 10, 11, 39, 40, 41, 200} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rows := someRows(n)
			m, _ := sorted(t, rows, byU64, tiny(40*size, 10*size), ShardBytes(50*size), gap(2*size))
			if want := max(1, (n+49)/50); len(m.Shards) != want {
				t.Errorf("%d shards, not %d", len(m.Shards), want)
			}
			same(t, rows, decoded(t, byU64, contents(t, m)), func(a, b row) int { return cmp.Compare(a.U64, b.U64) }, rowID)
			notes := someNotes(n)
			m, _ = sorted(t, notes, byText, tiny(400, 100), ShardBytes(500), gap(20))
			same(t, notes, decoded(t, byText, contents(t, m)), func(a, b note) int { return cmp.Compare(a.Text, b.Text) }, noteID)
		})
	}
}

// gap sets the bytes from one sample to the next.
func gap(n int64) Option { return func(c *config) { c.GapBytes = n } }
