package extract

import (
	"testing"

	"example.com/sorter/internal/extract/texts"
	"example.com/sorter/internal/sortkey"
)

// TestTwoStringsAreSortedLikeFew checks the path of two strings against [texts.SortFew], at every
// depth up to which they tie.
func TestTwoStringsAreSortedLikeFew(t *testing.T) {
	all := []string{"", "a", "aa", "ab", "ab\x00", "abcdefgh", "abcdefghi", "abcdefgz"}
	for _, desc := range []bool{false, true} {
		for _, a := range all {
			for _, b := range all {
				full := stringsOf([]string{a, b}, sortkey.Order{Desc: desc})
				for depth := range texts.Common(a, b, 0) + 1 {
					got, want := []uint32{0, 1}, []uint32{0, 1}
					same, ok := full.SortFew(got, Level{Depth: depth})
					few := texts.SortFew([]string{a, b}, want, depth, desc)
					if !ok || same != few || [2]uint32(got) != [2]uint32(want) {
						t.Errorf("%q, %q from %d, descending %v: %v, same %b, %v; want %v, same %b", a, b, depth, desc, got, same, ok, want, few)
					}
				}
			}
		}
	}
}
