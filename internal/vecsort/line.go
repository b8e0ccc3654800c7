package vecsort

import (
	"math"
	"math/bits"
	"unsafe"
)

// Line is a map from codes of floats to offsets that are linear in the floats' values. It ascends
// with the code, whatever the code is of: subtraction, multiplication and addition round
// monotonically. So lists of equally wide ranges of offsets are those of values that are evenly
// spread. As codes these are not: half of the codes of floats of 0 to 1 share an exponent.
type Line[C uint32 | uint64] struct {
	flip, turn C       // of the code, see package floats
	from       float64 // value of the least code
	times      float64 // offset for a value's distance from it; negative if codes descend with values
}

// mostOffset is the greatest offset that a line aims at. One less than the greatest 32-bit number
// leaves space for rounding.
const mostOffset = 1<<32 - 2

// whole added to a number of 0 to 2^32 rounds it to the low bits of the sum.
const whole = 1 << 52

// LineOf returns the line from the least to the greatest code; ok is false if there is none: one of
// their values is infinite or no number, or both are too near or too far from each other. The
// float of a code is ((code ^ flip) - turn) with its sign bit flipped if that is set, and with all
// bits flipped otherwise.
func LineOf[C uint32 | uint64](least, most, flip, turn C) (l Line[C], ok bool) {
	l = Line[C]{flip: flip, turn: turn}
	l.from = l.value(least)
	to := l.value(most)
	// A NaN compares false.
	span := math.Abs(to - l.from)
	if !(span >= leastSpan && span <= mostSpan && math.Abs(l.from) <= math.MaxFloat64 && math.Abs(to) <= math.MaxFloat64) {
		return l, false
	}
	l.times = mostOffset / (to - l.from)
	return l, true
}

// Between these spans neither a distance nor its multiple overflows, and the factor is a normal
// number.
const leastSpan, mostSpan = 0x1p-900, 0x1p1000

// value returns the float of a code.
func (l *Line[C]) value(code C) float64 {
	b := (code ^ l.flip) - l.turn
	if unsafe.Sizeof(b) == 4 {
		x := uint32(b)
		return float64(math.Float32frombits(x ^ (x>>31 - 1 | 1<<31)))
	}
	x := uint64(b)
	return math.Float64frombits(x ^ (x>>63 - 1 | 1<<63))
}

// offsetsPlain is Offsets without vector instructions.
func (l *Line[C]) offsetsPlain(dst, codes []C) {
	dst = dst[:len(codes)]
	for i, c := range codes {
		// The conversions forbid a fused operation.
		y := float64(float64(l.value(c)-l.from) * l.times)
		dst[i] = C(uint32(math.Float64bits(y + whole)))
	}
}

// lineBlock is the number of codes whose offsets are computed together.
const lineBlock = 256

// Even reports whether codes are likely to be even enough on the line for lists of equally wide
// ranges: of lineBlock codes, none of 16 ranges has twice its share. Fewer codes are.
func (l *Line[C]) Even(codes []C) bool {
	const ranges, most = 16, 2 * lineBlock / 16
	if len(codes) < lineBlock {
		return true
	}
	var count [ranges]int
	for _, x := range l.sample(codes) {
		k := uint32(x) / (1 << 32 / ranges)
		if count[k]++; count[k] >= most {
			return false
		}
	}
	return true
}

// Smooth reports whether codes are likely to be even enough on the line for a bent matrix: of lineBlock
// codes, mostTogether at most share one of 2^20 ranges with another. Of codes from a normal distribution
// none does, of few values or from narrow clusters most do. Fewer codes are not.
func (l *Line[C]) Smooth(codes []C) bool {
	if len(codes) < lineBlock {
		return false
	}
	var seen [1 << 10]uint64 // a bit for each of 2^16 sets of ranges
	together := 0
	for _, x := range l.sample(codes) {
		k := uint32(x) >> 12 * 0x9e3779b1 >> 16
		together += int(seen[k/64] >> (k % 64) & 1)
		seen[k/64] |= 1 << (k % 64)
	}
	return together <= mostTogether
}

// mostTogether is between what lognormal codes have, 1, and prices that half of a sample shares, 16.
const mostTogether = 8 // EPYC, 2026-11: bench/results/constants.md

// sample returns the offsets of some of lineBlock codes or more.
func (l *Line[C]) sample(codes []C) (offsets [lineBlock]C) {
	for i := range offsets {
		offsets[i] = codes[uint64(i)*uint64(len(codes))/lineBlock]
	}
	l.Offsets(offsets[:], offsets[:])
	return offsets
}

// BendBy is [Bend] for a deal by offsets on a line: floats of a smooth distribution are even within
// narrow ranges of values, but not within a binade. If n codes have fine pieces, there are about as many pieces as lists
// without fine, and as many as Bend has with it, for narrow clusters.
func BendBy[C uint32 | uint64](m *Matrix, l *Line[C], codes []C, fine bool) {
	pieces := pieceBits(m.n)
	if HasFine(m.n) && !fine {
		pieces = bits.Len(uint(m.n / meanWords))
	}
	count, shift := m.pieceCounts(pieces)
	var offsets [lineBlock]C
	for len(codes) > 0 {
		at := offsets[:min(lineBlock, len(codes))]
		l.Offsets(at, codes[:len(at)])
		codes = codes[len(at):]
		for _, x := range at {
			if i := int(uint32(x) >> (shift & 31)); i < len(count) {
				count[i]++
			}
		}
	}
	m.bend(count, shift)
}

// DealCodesBy is DealCodes by offsets on a line.
func (m *Matrix) DealCodesBy(l *Line[uint32], codes []uint32) bool {
	var offsets [lineBlock]uint32
	for len(codes) > 0 {
		block := codes[:min(lineBlock, len(codes))]
		codes = codes[len(block):]
		at := offsets[:len(block)]
		l.Offsets(at, block)
		for i := 0; ; i++ {
			if i += m.dealCodesAt(block[i:], at[i:]); i == len(block) {
				break
			}
			if !m.put(m.at(at[i]), block[i]) {
				return false
			}
		}
	}
	return true
}

// DealPlacesBy is DealPlaces by offsets on a line.
func DealPlacesBy[C uint32 | uint64](m *Matrix, l *Line[C], codes []C) bool {
	var offsets [lineBlock]C
	for i := 0; i < len(codes); i += lineBlock {
		block := codes[i:min(i+lineBlock, len(codes))]
		at := offsets[:len(block)]
		l.Offsets(at, block)
		if !dealPlacesFrom(m, at, 0, 0, i) {
			return false
		}
	}
	return true
}

// dealCodesAtPlain is the twin of the vector code.
func (m *Matrix) dealCodesAtPlain(codes, offsets []uint32) int {
	for i, c := range codes {
		if !m.deal(m.at(offsets[i]), c) {
			return i
		}
	}
	return len(codes)
}

// mostBroad is the number of codes up to which they are first tried with few pieces. With more, a matrix takes hardly
// longer to bend by many, and a deal that fails takes longer.
const mostBroad = 4096 // EPYC, 2026-11: bench/results/constants.md

// HasFine reports whether n codes have fine pieces.
func HasFine(n int) bool { return n <= mostBroad }
