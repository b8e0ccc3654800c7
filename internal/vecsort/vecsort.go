// Package vecsort sorts up to 65 536 32-bit words by vector instructions.
//
// Words are dealt to lists of equally wide ranges, about 16 words a list. List k is column k of
// a matrix: its j-th word is in row j. So a vector of row j has the j-th words of 16
// neighbouring lists (8 with AVX2), and one minimum and one maximum of two rows compare and
// exchange them in all of these lists: a sorting network over rows sorts 16 lists at once and
// moves no word within a vector. Sorted columns are transposed in registers and stored one
// after another. A matrix has 32 rows. Words of longer lists wait aside and are inserted
// afterwards; if there are many, the sort gives up and its input is as it was.
//
// Ranges are equally wide in codes or, by a [Line], in the values of floats that codes are taken for.
// A bent matrix has ranges of different widths.
//
// Lists sorted side by side take a third of the instructions of a network for one list of
// as many words, most of whose steps need a shuffle ("Fast sorting algorithms using AVX-512",
// Bramas, 2017). The networks are Batcher's ("Sorting networks and their applications", 1968);
// sorting columns before a transposition is due to Inoue et al. ("AA-sort", 2007).
//
// Up to 256 32-bit codes, or 128 64-bit ones, are sorted in registers by one network: see [SortFew].
//
// Elements other than words sort as packed words: the leading bits of the code within its list,
// and the number of the element. The bits of the list are not stored, so a word holds as many
// bits of the code as a list has words to tell apart, and more.
package vecsort

import (
	"math/bits"
	"slices"
	"unsafe"
)

//go:generate sh -c "cd gen && go run . -out ../join_amd64.s -stubs ../join_amd64.go -pkg vecsort"

const (
	// MostWords is the greatest number of words.
	MostWords = 1 << 16

	// Slack is the number of words before the result that are overwritten.
	Slack = rows

	rows      = 32 // of a matrix
	group     = 16 // lists, of which there is a multiple
	mostLists = MostWords / meanWords

	// meanWords is the mean length of a list.
	meanWords = 16

	// asidePart bounds the words that wait aside: one of asidePart.
	asidePart, leastAside = 64, 8

	// mostPieces is the number of pieces of a bent matrix: float64 of both signs have a piece for
	// each binade.
	mostPieces = 2048
)

// Memory returns the words of memory that a [Matrix] for n words takes.
func Memory(n int) int {
	lists := listsOf(n)
	return (rows+1)*lists + 2*mostAside(n) + 4<<pieceBits(n) + (spillBytes+2*lineBytes)/4
}

// MemoryOfAll bounds the memory of a number of matrices for n words together, see [Memory].
func MemoryOfAll(n, matrices int) int {
	lists := n/meanWords + 2*group*matrices // the last group of each is not full, or one more
	pieces := min(2*n, mostPieces*matrices)
	return (rows+1)*lists + 2*(n/asidePart+leastAside*matrices) + 4*pieces + matrices*(spillBytes+2*lineBytes)/4
}

const lineBytes = 64

// listsOf returns the number of lists for n words. Many groups are of odd number, so that
// neighbouring rows are in different sets of the first-level cache.
func listsOf(n int) int {
	groups := (n + meanWords*group - 1) / (meanWords * group)
	if groups > 8 {
		groups |= 1
	}
	return groups * group
}

// mostAside bounds the number of words aside of n words.
func mostAside(n int) int { return n/asidePart + leastAside }

// Matrix is the lists of up to [MostWords] words.
type Matrix struct {
	rows  []uint32 // of len(next) words each; next[k] is where the next word of list k goes
	next  []uint32
	aside []uint64 // words that found no row, below their lists
	spill []uint32
	n     int
	times uint64 // offset · times is the list of a code at that offset, in units of 2^-32

	// A bent matrix has the factor of each piece, of which times is the least, and the list at the
	// piece's begin.
	bent     bool
	greatest uint32 // offset
	shift    int    // bits of a piece's range
	pieces   [][2]uint64
}

// New returns a matrix for n > 0 codes, whose offsets from the lowest are at most greatest. Its
// memory has Memory(n) words.
func New(memory []uint32, n int, greatest uint32) Matrix {
	lists := listsOf(n)
	at := int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % lineBytes / 4)
	memory = memory[at:]
	m := Matrix{n: n, greatest: greatest, rows: memory[: rows*lists : rows*lists]}
	memory = memory[rows*lists:]
	m.next, memory = memory[:lists:lists], memory[lists:]
	at = int(-uintptr(unsafe.Pointer(unsafe.SliceData(memory))) % lineBytes / 4)
	memory = memory[at:]
	m.spill, memory = memory[:spillBytes/4:spillBytes/4], memory[spillBytes/4:]
	// Sound: words of memory are aligned to a line here, and four for each piece and two for each
	// word aside are left.
	m.pieces = unsafe.Slice((*[2]uint64)(unsafe.Pointer(unsafe.SliceData(memory))), 1<<pieceBits(n))
	memory = memory[4*len(m.pieces):]
	m.aside = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(memory))), mostAside(n))[:0]
	m.clear()
	m.times = uint64(lists) << 32 / (uint64(greatest) + 1)
	return m
}

// DealCodes deals codes; lowest is the least of them. It reports whether enough found a row.
func (m *Matrix) DealCodes(codes []uint32, lowest uint32) bool {
	for i := 0; ; i++ {
		if i += m.dealCodes(codes[i:], lowest); i == len(codes) {
			return true
		}
		if c := codes[i]; !m.put(m.at(c-lowest), c) {
			return false
		}
	}
}

// DealPlaces deals words of codes and their places; lowest is the least of the codes, and offsets
// lose their last drop bits. It reports whether enough found a row.
func DealPlaces[C uint32 | uint64](m *Matrix, codes []C, lowest C, drop int) bool {
	return dealPlacesFrom(m, codes, lowest, drop, 0)
}

// dealPlacesFrom is DealPlaces of codes of which the first has the given place.
func dealPlacesFrom[C uint32 | uint64](m *Matrix, codes []C, lowest C, drop, first int) bool {
	mask := ^uint32(0) << m.PlaceBits()
	for i := 0; ; i++ {
		if i += dealPlaces(m, codes[i:], lowest, drop, uint32(first+i), mask); i == len(codes) {
			return true
		}
		x := m.at(uint32((codes[i] - lowest) >> (drop & 63)))
		if !m.put(x, uint32(x)&mask|uint32(first+i)) {
			return false
		}
	}
}

// at returns the list of a code at an offset, in the upper half, and where it is in the list's range.
func (m *Matrix) at(offset uint32) uint64 {
	if !m.bent {
		return uint64(offset) * m.times
	}
	p := &m.pieces[min(uint(offset>>m.shift), uint(len(m.pieces)-1))]
	return uint64(offset)&(1<<m.shift-1)*p[0] + p[1]
}

// Bend empties the matrix and gives each list as many of the codes, if these are even within each
// of up to mostPieces parts of their range: the codes of floats are, about, within every binade. It
// takes 0.4 ns per code. lowest and drop are those of the next deal.
func Bend[C uint32 | uint64](m *Matrix, codes []C, lowest C, drop int) {
	count, shift := m.pieceCounts(pieceBits(m.n))
	for _, c := range codes {
		if i := int(uint32((c-lowest)>>(drop&63)) >> (shift & 31)); i < len(count) {
			count[i]++
		}
	}
	m.bend(count, shift)
}

// pieceCounts returns a zero count for each piece, whose number has the given bits, in memory of the lists, which are
// empty, and the bits of a piece's range.
func (m *Matrix) pieceCounts(number int) (count []uint32, shift int) {
	shift = max(0, bits.Len32(m.greatest)-number)
	count = m.rows[:m.greatest>>shift+1]
	clear(count)
	return count, shift
}

// bend bends an empty matrix by the counts of its pieces.
func (m *Matrix) bend(count []uint32, shift int) {
	each, from := uint64(len(m.next))<<32/uint64(m.n), uint64(0) // lists for a code
	m.times = each << 32
	for i, n := range count {
		if n == 0 {
			continue // and the piece is whatever it was: Deal checks lists
		}
		lists := uint64(n) * each
		m.pieces[i] = [2]uint64{lists >> shift, from}
		from += lists
		m.times = min(m.times, lists>>shift)
	}
	m.bent, m.shift = true, shift
	m.clear()
}

// pieceBits returns the bits of the number of pieces of a bent matrix for n codes. Few codes have
// few pieces: fewer than rows have words.
func pieceBits(n int) int { return min(bits.Len(mostPieces-1), bits.Len(uint(n))) }

// clear empties all lists.
func (m *Matrix) clear() {
	for k := range m.next {
		m.next[k] = uint32(k)
	}
	m.aside = m.aside[:0]
}

// PlaceBits returns the number of low bits of a word that are a place.
func (m *Matrix) PlaceBits() int { return bits.Len(uint(m.n - 1)) }

// Exact reports whether words of one list differ in their leading bits if their codes' offsets
// differ.
func (m *Matrix) Exact() bool { return m.times >= 1<<m.PlaceBits() }

// put puts a word aside, of the list that x>>32 is. It reports whether there was space.
func (m *Matrix) put(x uint64, word uint32) bool {
	k := x >> 32
	if k >= uint64(len(m.next)) || int(m.next[k]) < len(m.rows) || len(m.aside) == cap(m.aside) {
		return false // a code beyond the greatest, or too many
	}
	m.next[k] += uint32(len(m.next))
	m.aside = append(m.aside, k<<32|uint64(word))
	return true
}

// Join sorts each list and stores them one after another: words & mask, from memory[Slack] on. It
// overwrites the words before. len(memory) >= Slack + n.
func (m *Matrix) Join(memory []uint32, mask uint32) []uint32 {
	sorted := memory[Slack : Slack+m.n]
	if len(m.aside) == 0 {
		m.join(memory, mask)
		return sorted
	}
	m.join(memory, ^uint32(0))
	m.insert(sorted)
	if mask != ^uint32(0) {
		for i := range sorted {
			sorted[i] &= mask
		}
	}
	return sorted
}

// insert inserts the words aside at the front of their lists, which have space for them.
func (m *Matrix) insert(sorted []uint32) {
	slices.Sort(m.aside)
	at, list := 0, 0
	for aside := m.aside; len(aside) > 0; {
		k := int(aside[0] >> 32)
		for ; list < k; list++ {
			at += int(m.next[list])
		}
		words := sorted[at : at+int(m.next[k])]
		some := len(words) - rows
		for i, w := range aside[:some] {
			words[i] = uint32(w)
		}
		slices.Sort(words)
		aside = aside[some:]
	}
}
