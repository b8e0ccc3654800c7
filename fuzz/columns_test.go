package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/fuzz/oracle"
)

// column is one column of a fuzzed ordering: keys of any kind, of which some
// are null.
type column struct {
	keys  keySet
	order oracle.Order
	nulls int // 0 none, 1 first, 2 last
	every int // one element in this number is null
	lying int // 0 by a function; otherwise the way that keys lie in memory
}

func (c column) isNull(i int) bool { return c.nulls != 0 && i*7%c.every == 0 }

// build returns the column under test; its key function fails t when it is
// called for a null.
func (c column) build() sorter.Column[int] {
	col := c.keys.by(c.order, c.lying)
	bits := c.every%3 == 0 // the others know nulls by a function
	switch {
	case c.nulls == 1 && bits:
		return col.NullsFirstBits(c.valid(), c.every)
	case c.nulls == 1:
		return col.NullsFirst(c.isNull)
	case c.nulls == 2 && bits:
		return col.NullsLastBits(c.valid(), c.every)
	case c.nulls == 2:
		return col.NullsLast(c.isNull)
	}
	return col
}

// valid returns the validity bitmap of the column, from bit c.every on.
func (c column) valid() []byte {
	n := c.keys.len()
	valid := make([]byte, (n+c.every+7)/8)
	for i := range n {
		if at := c.every + i; !c.isNull(i) {
			valid[at/8] |= 1 << (at % 8)
		}
	}
	return valid
}

// compare is the reference: nulls are absolute, whatever the directions.
func (c column) compare(o oracle.Order) func(a, b int) int {
	compare := c.keys.compare(o.Of(c.order))
	side := 1
	if c.nulls == 1 {
		side = -1
	}
	return func(a, b int) int {
		switch aNull, bNull := c.isNull(a), c.isNull(b); {
		case aNull && bNull:
			return 0
		case aNull:
			return side
		case bNull:
			return -side
		}
		return compare(a, b)
	}
}

// columns decodes a column from every three bytes of spec; the keys of all come
// from data.
func columns(spec []byte, n int, mask byte, data []byte) []column {
	var cols []column
	for len(spec) >= 3 && len(cols) < 6 {
		k := kinds[int(spec[0])%len(kinds)]
		keys := k.set(expand(data, n*k.bytes(), mask), n)
		cols = append(cols, column{keys, orderOf(spec[1]&1 != 0, spec[1]&2 != 0, spec[1]>>6&1 != 0), int(spec[1]>>2&15) % 3, 1 + int(spec[2]%16), int(spec[2] >> 4)})
		if spec[1]>>7 != 0 {
			cols[len(cols)-1].order.NaNs = oracle.Total
		}
		spec, mask = spec[3:], mask>>1|mask<<7
	}
	return cols
}

// FuzzColumns holds orderings of any columns to a comparison column by column.
func FuzzColumns(f *testing.F) {
	f.Add([]byte("\x06\x04\x03\x07\x09\x02"), byte(0), byte(30), byte(0x55), []byte("packed into nine bits"))
	f.Add([]byte("\x00\x00\x00\x02\x07\x00"), byte(1), byte(100), byte(0x11), []byte("sixty-four bits"))
	f.Add([]byte("\x04\x08\x05\x03\x03\x01"), byte(2), byte(210), byte(3), []byte("string, then float64 descending"))
	f.Add([]byte("\x10\x09\x04\x0f\x05\x04\x0e\x0a\x03"), byte(3), byte(190), byte(1), []byte("time, uuid, Float4 with nulls"))
	f.Add([]byte("\x06\x00\x00\x06\x01\x00\x09\x00\x00\x04\x0b\x07\x06\x00\x00\x01\x00\x00"), byte(9), byte(140), byte(0), []byte("six"))
	f.Add([]byte("\x04\x01\x00\x05\x00\x00\x0e\x01\x00"), byte(1<<6|2<<2), byte(255), byte(1), []byte("string, bytes, Float4 in order"))
	f.Add([]byte("\x04\x00\x00\x04\x00\x00\x10\x00\x00"), byte(3<<6|1<<2), byte(254), byte(1), []byte("string, string, time almost in order"))
	f.Add([]byte("\x04\x00\x00\x03\x01\x00"), byte(2<<6), byte(253), byte(3), []byte("string, float64 falling"))
	f.Add([]byte("\x04\x04\x23\x05\x09\x35"), byte(1), byte(160), byte(1), []byte("arena with nulls, chunks of bytes"))
	f.Add([]byte("\x12\x81\x10\x0f\x00\x30\x04\x08\x49"), byte(2), byte(250), byte(3), []byte("Int128 in chunks, FixedBinary, views"))
	f.Add([]byte("\x03\x80\x10\x02\x81\x00"), byte(3), byte(254), byte(0xc7), []byte("total order of float64 and float32"))
	for _, where := range []byte{0x12, 0x22, 0x14, 0x24, 0x04} { // nulls by a bitmap and by a function, keys in chunks, in a slice and by a function
		f.Add([]byte{7, 0, 0, 1, 4, where}, byte(0), byte(248), byte(0), []byte("\x00\x00\x00\x00\x00\x00\x00\x80 the least int64"))
		f.Add([]byte{7, 0, 0, 1, 9, where}, byte(1), byte(250), byte(0), []byte("\xff\xff\xff\xff\xff\xff\xff\x7f the greatest, falling"))
		f.Add([]byte{7, 0, 0, 11, 8, where}, byte(2), byte(249), byte(0), []byte("\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"))
		f.Add([]byte{7, 0, 0, 3, 4, where}, byte(3), byte(250), byte(1), []byte("float64 with nulls"))
	}
	f.Fuzz(func(t *testing.T, spec []byte, bits, size, mask byte, data []byte) {
		defer withoutWays(slices.Concat(spec, data)...)()
		n := elements(size)
		cols := columns(spec, n, mask, data)
		for _, c := range cols {
			n = min(n, c.keys.len())
		}
		order, opts := options(bits)
		checkColumns(t, cols, n, bits, order, opts)
	})
}

func checkColumns(t *testing.T, cols []column, n int, bits byte, order oracle.Order, opts []sorter.Option) {
	t.Helper()
	var built []sorter.Column[int]
	var compares, plain []func(a, b int) int
	for _, c := range cols {
		built = append(built, c.build())
		compares = append(compares, c.compare(order))
		plain = append(plain, c.compare(oracle.Order{}))
	}
	by, input := sorter.By(built...), arranged(bits, n, inTurn(compares))
	want := resorted(input, inTurn(compares))

	s := slices.Clone(input)
	err := by.Sort(s, opts...)
	check(t, "Ordering.Sort", err, s, want)

	p, err := sorter.RowsBy(n, built...).Order(opts...)
	check(t, "Rows.Order", err, ints(p), sorted(n, inTurn(compares)))

	rows := make([]uint32, len(input))
	for i, row := range input {
		rows[i] = uint32(row)
	}
	err = sorter.RowsBy(n, built...).Sort(rows, opts...)
	check(t, "Rows.Sort", err, ints(rows), want)

	s = slices.Clone(input)
	err = by.TopK(s, n/3, opts...)
	check(t, "Ordering.TopK", err, s[:n/3], want[:n/3])

	s = sorted(n, inTurn(plain))
	if !by.IsSorted(s) {
		t.Fatal("Ordering.IsSorted is false for the stable sort")
	}
	for i := 1; i < n; i++ {
		a, b := s[i-1], s[i]
		if got, want := by.Compare(a, b), inTurn(plain)(a, b); (got < 0) != (want < 0) || (by.Compare(b, a) > 0) != (want < 0) {
			t.Fatalf("Compare(%d, %d) is %d, want %d", a, b, got, want)
		}
	}
}

// inTurn compares by the first comparison that is not 0.
func inTurn(compares []func(a, b int) int) func(a, b int) int {
	return func(a, b int) int {
		for _, compare := range compares {
			if c := compare(a, b); c != 0 {
				return c
			}
		}
		return 0
	}
}
