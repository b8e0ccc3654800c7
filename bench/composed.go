package main

import "github.com/jfcg/sorty/v2"

// composed is what one builds from a sort of plain integers: pack writes code
// and index into one word each, order sorts the words, a gather through the
// indices moves the elements to a buffer, and they are copied back. Both
// buffers are kept between sorts.
func composed[E comparable](d *data[E], pack func(words []uint64, s []E), order func([]uint64)) func(run int) {
	var words []uint64
	return func(run int) {
		s := d.run(run)
		words = grown(words, len(s))
		pack(words, s)
		order(words)
		sorted := d.borrow()
		for i, w := range words {
			sorted[i] = s[uint32(w)]
		}
		copy(s, sorted)
	}
}

// grown returns a buffer of n words, the old one if it has that length.
func grown[T any](old []T, n int) []T {
	if len(old) == n {
		return old
	}
	return make([]T, n)
}

func sortyWords(words []uint64) { sorty.SortSlice(words) }
