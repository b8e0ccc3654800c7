package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// FuzzTopK holds the first k elements to those of the whole stable sort, and
// the slice to a permutation.
func FuzzTopK(f *testing.F) {
	for kind := range kinds {
		if testkit.ThinnedByRace(kind) {
			continue
		}
		f.Add(byte(kind), byte(kind*3), byte(25), byte(0xff), uint16(kind), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80"))
		f.Add(byte(kind), byte(kind), byte(165+kind*5), byte(7), uint16(100), []byte("the first hundred"))
	}
	f.Fuzz(func(t *testing.T, kind, bits, size, mask byte, k uint16, data []byte) {
		defer withoutWays(slices.Concat(data, []byte{kind, bits})...)()
		keys := draw(kind, size, mask, data)
		order, opts := options(bits)
		want := sorted(keys.len(), keys.compare(order))
		top := min(int(k), keys.len())

		s := ascending(keys.len())
		err := keys.topK(s, int(k), opts...)
		check(t, "TopK", err, s[:top], want[:top])
		checkPermuted(t, "TopK", s, keys.len())

		s = ascending(keys.len())
		if err := keys.topK(s, int(k), opts[1:]...); err != nil { // not Stable
			t.Fatal(err)
		}
		compare := keys.compare(order)
		for i := range top {
			if compare(s[i], want[i]) != 0 {
				t.Fatalf("TopK without Stable: position %d has key %v, want %v", i, keys.text(s[i]), keys.text(want[i]))
			}
		}
		checkPermuted(t, "TopK without Stable", s, keys.len())
	})
}
