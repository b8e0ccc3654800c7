package column

import (
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/testkit"
)

// TestNullBits reads bits of rows at any offset, within the bytes that there are.
func TestNullBits(t *testing.T) {
	r := dist.Rand(34)
	for range testkit.Pick(600, 6000) {
		n, offset := 1+r.IntN(200), r.IntN(40)
		valid := make([]byte, (offset+n+7)/8)
		for i := range valid {
			if valid[i] = byte(r.Uint32()); r.IntN(2) == 0 {
				valid[i] = 255
			}
		}
		b := NewNullBits(valid, offset)
		if want := 8*len(valid) - offset; b.rows() != want {
			t.Fatalf("%d rows in %d bytes from bit %d on", b.rows(), len(valid), offset)
		}
		isNull := func(row int) bool { return valid[(offset+row)/8]>>((offset+row)%8)&1 == 0 }
		all := true
		for i := range n {
			if b.IsNull(i) != isNull(i) {
				t.Fatalf("row %d is null: %t", i, b.IsNull(i))
			}
			if all != b.allValid(i) {
				t.Fatalf("%d rows are all valid: %t", i, !all)
			}
			all = all && !isNull(i)
		}
		row := r.IntN(n)
		some := 1 + r.IntN(min(64, n-row))
		want := uint64(0)
		for i := range some {
			if isNull(row + i) {
				want |= 1 << i
			}
		}
		if got := b.from(row, some); got != want {
			t.Fatalf("%d rows from %d on: %b, want %b", some, row, got, want)
		}
	}
	for _, c := range []struct{ bytes, offset, rows int }{{0, 0, 0}, {0, 9, 0}, {1, 8, 0}, {1, 9, 0}, {2, 9, 7}, {2, 100, 0}} {
		if got := NewNullBits(make([]byte, c.bytes), c.offset).rows(); got != c.rows {
			t.Errorf("%d rows in %d bytes from bit %d on, want %d", got, c.bytes, c.offset, c.rows)
		}
	}
}
