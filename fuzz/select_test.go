package fuzz

import (
	"testing"

	"example.com/sorter"
)

// FuzzSelect holds the first k rows, and the k-th, to those of the whole stable order by any
// columns.
func FuzzSelect(f *testing.F) {
	f.Add([]byte("\x06\x04\x03\x07\x09\x02"), byte(0), byte(30), byte(0x55), uint16(3), []byte("packed into nine bits"))
	f.Add([]byte("\x00\x00\x00"), byte(1), byte(254), byte(0xff), uint16(50_000), []byte("counted twice"))
	f.Add([]byte("\x04\x08\x05\x03\x03\x01"), byte(2), byte(255), byte(3), uint16(99), []byte("string, then float64 descending"))
	f.Add([]byte("\x10\x09\x04\x0f\x05\x04\x0e\x0a\x03"), byte(3), byte(253), byte(1), uint16(9999), []byte("time, uuid, Float4 with nulls"))
	f.Add([]byte("\x01\x01\x00\x03\x00\x00"), byte(0), byte(252), byte(0), uint16(4097), []byte("one code"))
	f.Fuzz(func(t *testing.T, spec []byte, bits, size, mask byte, k uint16, data []byte) {
		n := elements(size)
		cols := columns(spec, n, mask, data)
		for _, c := range cols {
			n = min(n, c.keys.len())
		}
		order, opts := options(bits)
		var built []sorter.Column[int]
		var compares []func(a, b int) int
		for _, c := range cols {
			built = append(built, c.build())
			compares = append(compares, c.compare(order))
		}
		want := sorted(n, inTurn(compares))
		top := min(int(k), n)
		first, err := sorter.TopN(n, int(k), built, opts...)
		check(t, "TopN", err, ints(first), want[:top])
		if n > 0 {
			at := int(k) % n
			row, err := sorter.NthN(n, at, built, opts...)
			check(t, "NthN", err, []int{row}, want[at:at+1])
		}
	})
}
