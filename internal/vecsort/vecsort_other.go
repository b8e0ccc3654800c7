//go:build !amd64

package vecsort

const spillBytes = 0

// Enabled reports false: there are no vector instructions for other processors.
func Enabled() bool { return false }

// AVX512 reports false, too.
func AVX512() bool { return false }

// Instructions returns "", for none.
func Instructions() string { return "" }

// Restrict does nothing.
func Restrict(string) (undo func()) { return func() {} }

func (m *Matrix) join(memory []uint32, mask uint32) { m.joinPlain(memory, mask) }

func (m *Matrix) dealCodes(codes []uint32, lowest uint32) int { return m.dealCodesPlain(codes, lowest) }

func dealPlaces[C uint32 | uint64](m *Matrix, codes []C, lowest C, drop int, place, mask uint32) int {
	return dealPlacesPlain(m, codes, lowest, drop, place, mask)
}

func (m *Matrix) dealCodesAt(codes, offsets []uint32) int { return m.dealCodesAtPlain(codes, offsets) }

// Offsets writes the offsets of codes to dst, each of 32 bits. A code below the least or above the
// greatest of the line has any. len(dst) >= len(codes).
func (l *Line[C]) Offsets(dst, codes []C) { l.offsetsPlain(dst, codes) }

// sortFew reports that no codes are sorted by vector instructions.
func sortFew[C uint32 | uint64](dst, codes []C) bool { return false }
