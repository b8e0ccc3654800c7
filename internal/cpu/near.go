package cpu

import (
	"slices"
	"sort"
)

// Up to [SmallLen] codes of which few are out of place are sorted by the rule of layout_strays.go,
// without its memory: two kept neighbours that are out of order are both dropped. The dropped codes,
// the strays, are inserted into the kept ones by binary search. That takes n + k log n comparisons for
// k strays. Orders gain nothing: vectors take as long.

// strayRoom is the largest number of strays.
const strayRoom = 128

// mostStrays returns the largest number of strays among n elements.
func mostStrays(n int) int { return min(n/32+2, strayRoom) }

// nearly reports whether so few of n codes are out of place that inserting them is tried.
func (v summary[C]) nearly(n int) bool {
	return n <= SmallLen && 2*min(v.falls, v.rises) <= mostStrays(n)
}

// nearCodes sorts codes of which few are out of place, from the end if back is set. If it gives up,
// their sequence is any.
func nearCodes[C Code](codes []C, back bool) bool {
	if back {
		slices.Reverse(codes)
	}
	var memory [strayRoom]C
	strays, kept, k, most := memory[:], 0, 0, mostStrays(len(codes))
	for _, c := range codes {
		if kept == 0 || codes[kept-1] <= c {
			codes[kept] = c
			kept++
			continue
		}
		if k+2 > most {
			copy(codes[kept:], strays[:k])
			return false
		}
		kept--
		strays[k], strays[k+1] = codes[kept], c
		k += 2
	}
	insertion(strays[:k])
	for ; k > 0; k-- {
		c := strays[k-1]
		at := sort.Search(kept, func(i int) bool { return codes[i] > c })
		copy(codes[at+k:kept+k], codes[at:kept])
		codes[at+k-1], kept = c, at
	}
	return true
}
