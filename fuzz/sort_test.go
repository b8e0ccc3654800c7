package fuzz

import (
	"slices"
	"testing"

	"example.com/sorter/internal/testkit"
)

// FuzzSort holds Sort, SortKeys, SortPairs and Order of every kind of key to the
// stable sort of the standard library.
func FuzzSort(f *testing.F) {
	for kind := range kinds {
		if testkit.ThinnedByRace(kind) {
			continue
		}
		f.Add(byte(kind), byte(kind*5), byte(20), byte(0xff), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80"))
		f.Add(byte(kind), byte(kind*3), byte(120), byte(1), []byte("\xff\xff\xff\xff\x01\x00\x00\x00"))
		f.Add(byte(kind), byte(kind*5|1<<6), byte(220+kind), byte(3), []byte("in order"))
		f.Add(byte(kind), byte(kind*5|3<<6), byte(240+kind%16), byte(7), []byte("almost"))
		f.Add(byte(kind), byte(kind*7), byte(160+kind*5), byte(0x8f), []byte("bucket boundaries"))
	}
	f.Fuzz(func(t *testing.T, kind, bits, size, mask byte, data []byte) {
		defer withoutWays(slices.Concat(data, []byte{kind, bits})...)()
		checkKeys(t, draw(kind, size, mask, data), bits)
	})
}

// checkKeys sorts keys by every verb that needs no more than them.
func checkKeys(t *testing.T, keys keySet, bits byte) {
	t.Helper()
	order, opts := options(bits)
	input := arranged(bits, keys.len(), keys.compare(order))
	want := resorted(input, keys.compare(order))

	s := slices.Clone(input)
	err := keys.sort(s, opts...)
	check(t, "Sort", err, s, want)

	s = slices.Clone(input)
	p, err := keys.argsort(s, opts...)
	check(t, "Order changed its input", nil, s, input)
	for i, at := range p {
		s[i] = input[at]
	}
	check(t, "Order", err, s, want)

	want = sorted(keys.len(), keys.compare(order))
	if d, err := keys.sortKeys(want, opts...); err != nil || d != "" {
		t.Fatalf("SortKeys: %s, error %v", d, err)
	}
	s = ascending(keys.len())
	if d, err := keys.sortPairs(s, opts...); err != nil || d != "" {
		t.Fatalf("SortPairs: %s, error %v", d, err)
	}
	check(t, "SortPairs", nil, s, want)
}
