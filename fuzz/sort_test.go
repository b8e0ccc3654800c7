package fuzz

import (
	"testing"
)

// FuzzSort holds Sort, SortKeys and Order of every kind of key to the stable
// sort of the standard library.
func FuzzSort(f *testing.F) {
	for kind := range kinds {
		f.Add(byte(kind), byte(kind*5), byte(20), byte(0xff), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80"))
		f.Add(byte(kind), byte(kind*3), byte(120), byte(1), []byte("\xff\xff\xff\xff\x01\x00\x00\x00"))
		f.Add(byte(kind), byte(kind*7), byte(160+kind*5), byte(0x8f), []byte("bucket boundaries"))
	}
	f.Fuzz(func(t *testing.T, kind, bits, size, mask byte, data []byte) {
		keys := draw(kind, size, mask, data)
		order, opts := options(bits)
		want := sorted(keys.len(), keys.compare(order))

		s := ascending(keys.len())
		err := keys.sort(s, opts...)
		check(t, "Sort", err, s, want)

		s = ascending(keys.len())
		p, err := keys.argsort(s, opts...)
		check(t, "Order", err, ints(p), want)
		check(t, "Order changed its input", nil, s, ascending(keys.len()))

		if d, err := keys.sortKeys(want, opts...); err != nil || d != "" {
			t.Fatalf("SortKeys: %s, error %v", d, err)
		}
	})
}
