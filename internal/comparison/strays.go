package comparison

import (
	"math/bits"

	"example.com/sorter/internal/scratch"
)

// Of elements that are in order except for few, those few are left out. They are strays: the others
// are in order without them. The strays are sorted, and both are merged. It takes about one comparison
// per element and a search per stray. Finding strays follows Ernerfeldt, "Drop-Merge sort" (2016).

// mostStrays returns how many strays of n elements pay.
func mostStrays(n int) int { return n / 32 }

// inRow is the number of strays in a row after which an element before them is the stray instead.
const inRow = 4

// marks is a set of positions.
type marks []uint64

func (m marks) has(i int) bool { return m[i/64]>>(i%64)&1 != 0 }
func (m marks) set(i int)      { m[i/64] |= 1 << (i % 64) }
func (m marks) unset(i int)    { m[i/64] &^= 1 << (i % 64) }

// next returns the first position from i on that is in the set, n if none before n is.
func (m marks) next(i, n int) int {
	for i < n {
		if w := m[i/64] >> (i % 64); w != 0 {
			return min(n, i+bits.TrailingZeros64(w))
		}
		i = (i/64 + 1) * 64
	}
	return n
}

// layOutStrays lays out the set of strays of n elements, and their numbers, twice.
func layOutStrays(a *scratch.Area, n int) (marked, numbers scratch.Memory) {
	return a.Memory((n+63)/64, 8), a.MemoryEach(2, mostStrays(n), 8)
}

// strays sorts the elements of array x at positions [lo, hi), of which few are out of place. It returns
// the array in which they lie then; false, with array x as it was, if they are not few.
func (s *Sorter[E]) strays(lo, hi, x int) (int, bool) {
	in := s.Arrays[x][lo:hi]
	m, n := layOutStrays(nil, len(in))
	marked, numbers, spare := marks(scratch.In[uint64](s.Arena, m)), scratch.In[uint64](s.Arena, n), scratch.In[uint64](s.Arena, n)
	defer func() {
		scratch.Give(s.Arena, marked, 1)
		scratch.Give(s.Arena, numbers, 1)
		scratch.Give(s.Arena, spare, 1)
	}()
	count := s.findStrays(in, marked)
	if count == 0 {
		return x, true
	}
	if count > len(numbers) {
		return x, false
	}
	numbers, spare = numbers[:0], spare[:count]
	for i := marked.next(0, len(in)); i < len(in); i = marked.next(i+1, len(in)) {
		numbers = append(numbers, uint64(i))
	}
	compare := s.Compare
	sorter := Sorter[uint64]{Arrays: [arrays][]uint64{nil, numbers, spare}, Turns: s.Turns,
		Compare: func(a, b uint64) int { return compare(in[a], in[b]) }}
	sorter.split(0, count, First, false, badSplits(count))
	y := other(x)
	s.mergeStrays(s.Arrays[y][lo:hi], in, marked, numbers)
	return y, true
}

// findStrays marks strays, and returns their number: above mostStrays, it may stop.
func (s *Sorter[E]) findStrays(in []E, marked marks) (count int) {
	clear(marked)
	last, row := 0, 0 // the last element that is none, and the strays after it
	for i := 1; i < len(in) && count <= mostStrays(len(in)); i++ {
		if s.Compare(in[i], in[last]) >= 0 {
			last, row = i, 0
			continue
		}
		marked.set(i)
		count++
		if row++; row < inRow && (row > 1 || last == 0 || s.Compare(in[i], in[last-1]) < 0 || marked.has(last-1)) {
			continue
		}
		// The elements before these are strays, as far as they come after this one.
		from := last
		for limit := 2 * inRow; last > 0 && limit > 0 && s.Compare(in[i], in[last]) < 0; limit-- {
			marked.set(last)
			count++
			for last--; last > 0 && marked.has(last); last-- {
			}
		}
		if from == last {
			continue
		}
		for count -= row; row > 0; row-- { // try them again
			marked.unset(i)
			i--
		}
	}
	return count
}

// mergeStrays merges the strays, by their numbers in order, and the others into dst.
func (s *Sorter[E]) mergeStrays(dst, in []E, marked marks, numbers []uint64) {
	at := 0 // of in
	for _, number := range numbers {
		end := s.placeOf(in, marked, at, int(number))
		dst = dst[s.copyUnmarked(dst, in, marked, at, end):]
		dst[0], dst = in[number], dst[1:]
		at = end
	}
	s.copyUnmarked(dst, in, marked, at, len(in))
}

// placeOf returns the first position from lo on whose element, not a stray, comes after that of a
// stray.
func (s *Sorter[E]) placeOf(in []E, marked marks, lo, stray int) int {
	after := func(i int) bool {
		c := s.Compare(in[stray], in[i])
		return c < 0 || c == 0 && stray < i
	}
	step, hi := 1, len(in)
	for i := lo; i < hi; i = lo + step {
		for ; i < hi && marked.has(i); i++ {
		}
		if i == hi {
			break
		}
		if after(i) {
			hi = i
			break
		}
		lo, step = i+1, 2*step
	}
	for lo < hi {
		mid := int(uint(lo+hi) / 2)
		i := mid
		for ; i < hi && marked.has(i); i++ {
		}
		if i == hi || after(i) {
			hi = mid
		} else {
			lo = i + 1
		}
	}
	return lo
}

// copyUnmarked copies the elements at positions [lo, hi) that are no strays. It returns their number.
func (s *Sorter[E]) copyUnmarked(dst, in []E, marked marks, lo, hi int) (n int) {
	for lo < hi {
		end := marked.next(lo, hi)
		s.copy(dst[n:n+end-lo], in[lo:end])
		n += end - lo
		for lo = end; lo < hi && marked.has(lo); lo++ {
		}
	}
	return n
}
