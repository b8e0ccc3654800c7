package presorted

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"sort"

	"example.com/sorter/internal/engine"
)

// Up to [NearLen] codes of which few are out of place are sorted by the rule of strays.go,
// without its memory: two kept neighbours that are out of order are both dropped. The dropped codes,
// the strays, are inserted into the kept ones by binary search. That takes n + k log n comparisons for
// k strays.

// NearLen is the largest number of elements.
const NearLen = 4096

// strayRoom is the largest number of strays.
const strayRoom = 128

// mostStrays returns the largest number of strays among n elements (EPYC, 2 processors, 2026-11: 1000 float64 with
// few swapped 3.0 instead of 3.9 ns with n/32; bench/results/constants.md).
func mostStrays(n int) int { return min(n/16+2, strayRoom) }

// Nearly reports whether so few of n codes are out of place that inserting them is tried.
func (v Summary[C]) Nearly(n int) bool {
	return n <= NearLen && 2*min(v.Falls, v.Rises) <= mostStrays(n)
}

// SortNear sorts codes of which few are out of place, from the end if back is set. If it gives up,
// their sequence is any.
func SortNear[C engine.Code](codes []C, back bool) bool {
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
	slices.Sort(strays[:k])
	for ; k > 0; k-- {
		c := strays[k-1]
		at := sort.Search(kept, func(i int) bool { return codes[i] > c })
		copy(codes[at+k:kept+k], codes[at:kept])
		codes[at+k-1], kept = c, at
	}
	return true
}

// Near orders up to [NearLen] elements of which few are out of place, by the steps between neighbours and
// by comparisons of the few. It serves one goroutine at a time.
type Near struct {
	n            int
	rises, falls [NearLen / 64]uint64 // bit i is for the step from element i to the next
}

// Begin takes the steps of codes, of which there is one at least.
func (s *Near) Begin(codes []uint64) {
	s.n = len(codes)
	words := s.Words()
	clear(s.rises[:words])
	clear(s.falls[:words])
	StepBits(s.rises[:words], s.falls[:words], codes)
}

// Words returns the number of words that hold a bit for each step.
func (s *Near) Words() int { return (s.n + 62) / 64 }

// Tied returns the steps of a word that are no rises and no falls yet.
func (s *Near) Tied(word int) uint64 {
	return ^(s.rises[word] | s.falls[word]) & s.steps(word)
}

// steps has the bits of the steps in a word.
func (s *Near) steps(word int) uint64 { return math.MaxUint64 >> max(0, 64-(s.n-1-64*word)) }

// Ties returns the number of steps that are no rises and no falls yet.
func (s *Near) Ties() int { return s.n - 1 - count(s.rises[:s.Words()]) - count(s.falls[:s.Words()]) }

func count(set []uint64) (n int) {
	for _, word := range set {
		n += bits.OnesCount64(word)
	}
	return n
}

// Add makes ties rise and fall as codes do.
func (s *Near) Add(codes []uint64) {
	var rises, falls [NearLen / 64]uint64
	words := s.Words()
	StepBits(rises[:words], falls[:words], codes)
	for i := range words {
		tied := s.Tied(i)
		s.rises[i] |= rises[i] & tied
		s.falls[i] |= falls[i] & tied
	}
}

// OrderBy is [Near.Order] of elements whose codes are those of Begin, and the rest of whose keys is compared
// where codes tie.
func (s *Near) OrderBy(index []uint32, codes []uint64, rest func(i, j uint32) int) (same, ok bool) {
	return s.Order(index, func(i, j uint32) int {
		if a, b := codes[i], codes[j]; a != b {
			return cmp.Compare(a, b)
		}
		return rest(i, j)
	})
}

// CompareTies makes ties rise and fall by comparisons. It gives up once too many rise and too many fall for
// Order.
func (s *Near) CompareTies(compare func(i, j uint32) int) bool {
	seen := s.Seen()
	for word := range s.Words() {
		var rises, falls uint64
		for tied := s.Tied(word); tied != 0; tied &= tied - 1 {
			i, bit := uint32(64*word+bits.TrailingZeros64(tied)), tied&-tied
			switch c := compare(i, i+1); {
			case c < 0:
				rises |= bit
				seen.Rises++
			case c > 0:
				falls |= bit
				if seen.Falls++; !MayOrder(s.n, seen) {
					return false
				}
			}
		}
		s.Settle(word, rises, falls)
	}
	return true
}

// Seen counts the steps that are rises and falls so far.
func (s *Near) Seen() Steps {
	return Steps{Rises: count(s.rises[:s.Words()]), Falls: count(s.falls[:s.Words()])}
}

// Settle makes ties of a word rise and fall.
func (s *Near) Settle(word int, rises, falls uint64) {
	s.rises[word] |= rises
	s.falls[word] |= falls
}

// MayOrder reports whether few of n elements can be out of place, if seen counts some of their steps.
func MayOrder(n int, seen Steps) bool {
	return 2*seen.Disorder() <= mostStrays(n)
}

// MayMerge reports whether few elements are out of place by a comparison of the beginning of keys, if some
// fall by it. It overwrites index.
func (s *Near) MayMerge(index []uint32, compare func(i, j uint32) int) bool {
	falls := count(s.falls[:s.Words()])
	return falls == 0 || 2*falls > mostStrays(s.n) || s.merge(index, false, compare)
}

// Order writes the order of the elements to index, ties in input order. No step that falls may be a tie still.
// It reports whether it is that of the input, and gives up if more than few elements are out of place.
func (s *Near) Order(index []uint32, compare func(i, j uint32) int) (same, ok bool) {
	words := s.Words()
	switch falls := count(s.falls[:words]); {
	case falls == 0:
		Forward(index, 0)
		return true, true
	case 2*falls <= mostStrays(s.n):
		return false, s.merge(index, false, compare)
	case 2*(s.n-1-falls) <= mostStrays(s.n): // read from the end, ties are out of order
		return false, s.merge(index, true, compare)
	}
	return false, false
}

// breaks writes the steps that are out of order, in reading order, and returns their number.
func (s *Near) breaks(at *[strayRoom / 2]int, back bool) (k int) {
	for i := range s.Words() {
		set := s.falls[i]
		if back {
			set = ^set & s.steps(i)
		}
		for ; set != 0; set &= set - 1 {
			at[k] = 64*i + bits.TrailingZeros64(set)
			k++
		}
	}
	if back {
		for i, step := range at[:k] {
			at[i] = s.n - 2 - step
		}
		slices.Reverse(at[:k])
	}
	return k
}

// merge is SortNear of elements, in reading order from the end if back is set.
func (s *Near) merge(index []uint32, back bool, compare func(i, j uint32) int) bool {
	var breaks [strayRoom / 2]int
	var memory [strayRoom]uint32
	strays, kept, most, last := memory[:0], 0, mostStrays(s.n), 0
	above := func(i, j uint32) bool {
		c := compare(i, j)
		return c > 0 || c == 0 && i > j
	}
	count := s.breaks(&breaks, back)
	for b := range count + 1 {
		end := s.n
		if b < count {
			end = breaks[b] + 1
		}
		for ; last < end && kept > 0; last++ {
			x := s.element(last, back)
			if !above(index[kept-1], x) {
				break
			}
			if len(strays)+2 > most {
				return false
			}
			kept--
			strays = append(strays, index[kept], x)
		}
		run := index[kept : kept+end-last]
		if kept, last = kept+end-last, end; back {
			Backward(run, s.n-end+len(run)-1)
		} else {
			Forward(run, end-len(run))
		}
	}
	slices.SortFunc(strays, func(i, j uint32) int { return cmp.Or(compare(i, j), cmp.Compare(i, j)) })
	for k := len(strays); k > 0; k-- {
		x := strays[k-1]
		at := sort.Search(kept, func(i int) bool { return above(index[i], x) })
		copy(index[at+k:kept+k], index[at:kept])
		index[at+k-1], kept = x, at
	}
	return true
}

// element returns the number of an element in reading order.
func (s *Near) element(i int, back bool) uint32 {
	if back {
		i = s.n - 1 - i
	}
	return uint32(i)
}
