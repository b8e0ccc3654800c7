package vecsort

import (
	"unsafe"

	"example.com/sorter/internal/processor"
)

// spillBytes is the memory for values that the networks have no registers for.
const spillBytes = 896

// lanes is the number of words of a vector; 0 without vectors.
var lanes = lanesOf("")

func lanesOf(bound string) int {
	switch {
	case bound == "none" || !processor.AVX2 || !processor.BMI2:
		return 0
	case bound == "avx2" || !processor.AVX512:
		return 8
	}
	return 16
}

// Restrict bounds the instructions to "avx2" or "none", as the environment does, for tests, and returns the function that
// undoes it. No sort may run meanwhile.
func Restrict(bound string) (undo func()) {
	before := lanes
	lanes = lanesOf(bound)
	return func() { lanes = before }
}

// Enabled reports whether words are sorted by vector instructions.
func Enabled() bool { return lanes > 0 }

// AVX512 reports whether these are AVX-512.
func AVX512() bool { return lanes == 16 }

// Instructions names the vector instructions by which words are sorted: "AVX-512", "AVX2", or "" for
// none.
func Instructions() string {
	switch lanes {
	case 0:
		return ""
	case 8:
		return "AVX2"
	}
	return "AVX-512"
}

// join stores the sorted lists up to the end of the result, the last list first. A network stores
// whole columns, of which the rows that a list lacks come first and are overwritten by the list
// before it.
func (m *Matrix) join(memory []uint32, mask uint32) {
	if lanes == 0 {
		m.joinPlain(memory, mask)
		return
	}
	lists := len(m.next)
	each := 1 / float32(lists)
	// Sound: the result has n words with Slack words before them, and a column has as many. Rows and
	// next are those of all lists. Ends are computed in assembly: in Go they would be pointers
	// beyond memory.
	words, rows, next := unsafe.SliceData(memory), unsafe.SliceData(m.rows), unsafe.SliceData(m.next)
	spill := (*byte)(unsafe.Pointer(unsafe.SliceData(m.spill)))
	if lanes == 16 {
		joinAVX512(words, Slack+m.n, rows, uintptr(4*lists), next, lists/16, uint32(lists), each, mask, spill)
	} else {
		joinAVX2(words, Slack+m.n, rows, uintptr(4*lists), next, lists/8, uint32(lists), each, mask, spill)
	}
}

// dealCodes deals codes and returns their number: all, or those before one without a row.
func (m *Matrix) dealCodes(codes []uint32, lowest uint32) int {
	if lanes == 0 {
		return m.dealCodesPlain(codes, lowest)
	}
	// Sound: a word is written to a row below len(m.rows), after its list was found to be below
	// len(m.next), and its piece below len(m.pieces).
	if m.bent {
		return dealCodesBent(unsafe.SliceData(codes), len(codes), lowest, &m.pieces[0],
			unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows), uint64(m.shift), 1<<m.shift-1, len(m.pieces))
	}
	return dealCodes(unsafe.SliceData(codes), len(codes), lowest, m.times,
		unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows))
}

// dealCodesAt is dealCodes of codes at the given offsets. len(offsets) >= len(codes).
func (m *Matrix) dealCodesAt(codes, offsets []uint32) int {
	if lanes == 0 || m.bent {
		return m.dealCodesAtPlain(codes, offsets)
	}
	offsets = offsets[:len(codes)]
	// Sound as dealCodes is, and there are as many offsets as codes.
	return dealCodesAt(unsafe.SliceData(codes), len(codes), unsafe.SliceData(offsets), m.times,
		unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows))
}

// Offsets writes the offsets of codes to dst, each of 32 bits. A code below the least or above the
// greatest of the line has any. len(dst) >= len(codes).
func (l *Line[C]) Offsets(dst, codes []C) {
	dst = dst[:len(codes)]
	if lanes == 0 {
		l.offsetsPlain(dst, codes)
		return
	}
	if n := len(codes) &^ (lineTurn - 1); n > 0 {
		l.offsets(dst[:n], codes[:n])
		dst, codes = dst[n:], codes[n:]
	}
	if len(codes) > 0 {
		// Whole turns: a thread whose float instructions flush denormals or round otherwise has the
		// same offsets as all others, since vector code sets its own mode.
		var last [lineTurn]C
		copy(last[:], codes)
		l.offsets(last[:], last[:])
		copy(dst, last[:])
	}
}

// offsets is Offsets of whole turns of lineTurn codes.
func (l *Line[C]) offsets(dst, codes []C) {
	// Sound: dst and codes have as many elements, whole turns; the conversions are to the types that
	// the sizes of C say it has.
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(codes))
	if unsafe.Sizeof(l.flip) == 4 {
		offsets32((*uint32)(to), (*uint32)(from), len(codes)/lineTurn, uint32(l.flip), uint32(l.turn), l.from, l.times)
	} else {
		offsets64((*uint64)(to), (*uint64)(from), len(codes)/lineTurn, uint64(l.flip), uint64(l.turn), l.from, l.times)
	}
}

// lineTurn is the number of codes that a turn of the vector code maps.
const lineTurn = 8

// dealPlaces is dealCodes for words of codes and places.
func dealPlaces[C uint32 | uint64](m *Matrix, codes []C, lowest C, drop int, place, mask uint32) int {
	if lanes == 0 {
		return dealPlacesPlain(m, codes, lowest, drop, place, mask)
	}
	// Sound as dealCodes is; the conversions are to the types that the sizes of C say it has. Codes
	// of 32 bits lose none.
	at, narrow := unsafe.Pointer(unsafe.SliceData(codes)), unsafe.Sizeof(lowest) == 4
	switch {
	case narrow && m.bent:
		return dealPlacesBent32((*uint32)(at), len(codes), uint32(lowest), &m.pieces[0],
			unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows), place, mask, uint64(m.shift), 1<<m.shift-1, len(m.pieces))
	case m.bent:
		return dealPlacesBent64((*uint64)(at), len(codes), uint64(lowest), &m.pieces[0],
			unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows), place, mask, uint64(drop), uint64(m.shift), 1<<m.shift-1, len(m.pieces))
	case narrow:
		return dealPlaces32((*uint32)(at), len(codes), uint32(lowest), m.times,
			unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows), place, mask)
	default:
		return dealPlaces64((*uint64)(at), len(codes), uint64(lowest), m.times,
			unsafe.SliceData(m.next), len(m.next), unsafe.SliceData(m.rows), len(m.rows), place, mask, uint64(drop))
	}
}

// sortFew is [SortFew] by vector instructions; false without AVX-512.
func sortFew[C uint32 | uint64](dst, codes []C) bool {
	n := len(codes)
	if lanes < 16 || n == 0 || n > MostFew[C]() {
		return false
	}
	_ = dst[n-1]
	// Sound: the networks read and write n codes; the conversions are to the types that the size of C says it has.
	to, from := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(codes))
	if unsafe.Sizeof(codes[0]) == 4 {
		sortFew32((*uint32)(to), (*uint32)(from), n)
	} else {
		sortFew64((*uint64)(to), (*uint64)(from), n)
	}
	return true
}
