package main

import (
	"strings"
	"unsafe"
)

// textCase is a slice of strings that differ far from their first byte. Begin
// returns what makes the string of a value, for that many values; as for other keys, it
// does not fall where values rise.
func textCase(name, slug string, begin func(n int) func(v uint64) string) benchCase {
	return benchCase{name, slug, int(unsafe.Sizeof("")), 8, slicesSort, func(values []uint64, n int) *workload {
		convert := begin(len(values))
		d := newData(values, n, func(v uint64, _ int) string { return convert(v) })
		return plainWorkload(d, stringPeers)
	}}
}

// sharedPrefixes have 100 bytes in common, each in memory of its own, before those of
// stringCase.
func sharedPrefixes(n int) func(v uint64) string {
	prefix := strings.Repeat("a-folder/", 12)[:100]
	arena := make(stringArena, 0, n*(len(prefix)+stringMax))
	return func(v uint64) string {
		start := len(arena)
		arena = append(arena, prefix...)
		arena.addString(v)
		return arena.cut(start)
	}
}

// prefixesOfOne are prefixes of one text of 1 KiB, in its memory.
func prefixesOfOne(int) func(v uint64) string {
	text := strings.Repeat("a", 1<<10)
	return func(v uint64) string { return text[:v>>54] }
}

// repeatedTexts are 16 texts of 1 KiB that differ in the last byte; those that are equal
// share their memory.
func repeatedTexts(int) func(v uint64) string {
	var texts [16]string
	for i := range texts {
		texts[i] = strings.Repeat("x", 1<<10-1) + string(rune('a'+i))
	}
	return func(v uint64) string { return texts[v>>60] }
}
