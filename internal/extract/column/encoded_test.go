package column

import (
	"slices"
	"testing"
	"unsafe"

	"example.com/sorter/internal/dist"
)

// TestEncodedMemory keeps encoded keys: none is overwritten, and memory is taken for many at a time.
func TestEncodedMemory(t *testing.T) {
	r := dist.Rand(52)
	for _, most := range []int{1, 40, encodingBytes/8 - 1, encodingBytes / 8, encodingBytes/8 + 1, encodingBytes, 2 * encodingBytes} {
		a := new(encoding)
		var keys, want [][]byte
		taken, bytes := 0, 0
		for range 300 {
			n := most
			if r.IntN(2) == 0 {
				n = r.IntN(most + 1)
			}
			before := unsafe.SliceData(a.free[:cap(a.free)])
			key := a.free
			for range n {
				key = append(key, byte(r.Uint32()))
			}
			key = a.keep(key)
			if len(key) != n || cap(key) != n {
				t.Fatalf("a key of %d bytes has %d, and room for %d", n, len(key), cap(key))
			}
			if after := unsafe.SliceData(a.free[:cap(a.free)]); after != before && cap(a.free) == encodingBytes {
				taken++
			}
			if len(a.free) != 0 || n == 0 != (key == nil) {
				t.Fatalf("%d bytes are left of a key, or none is %v", len(a.free), key)
			}
			bytes += n
			keys, want = append(keys, key), append(want, slices.Clone(key))
		}
		for i := range keys {
			if !slices.Equal(keys[i], want[i]) {
				t.Fatalf("key %d of up to %d bytes was overwritten", i, most)
			}
		}
		if limit := 2*bytes/encodingBytes + 2; taken > limit || most > encodingBytes && taken > limit || most <= encodingBytes/8 && taken == 0 {
			t.Errorf("%d bytes of keys of up to %d: memory was taken %d times", bytes, most, taken)
		}
	}
	outside := []byte("outside")
	a := &encoding{free: make([]byte, 0, 100)}
	if key := a.keep(outside); unsafe.SliceData(key) != unsafe.SliceData(outside) || cap(a.free) != 100 {
		t.Error("a key that lies elsewhere")
	}
}
