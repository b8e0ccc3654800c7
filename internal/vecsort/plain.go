package vecsort

import "slices"

// The functions of this file are the twins of the vector code, for tests and for processors
// without it. They define its results.

func (m *Matrix) dealCodesPlain(codes []uint32, lowest uint32) int {
	for i, c := range codes {
		if !m.deal(m.at(c-lowest), c) {
			return i
		}
	}
	return len(codes)
}

func dealPlacesPlain[C uint32 | uint64](m *Matrix, codes []C, lowest C, drop int, place, mask uint32) int {
	for i, c := range codes {
		x := m.at(uint32((c - lowest) >> (drop & 63)))
		if !m.deal(x, uint32(x)&mask|(place+uint32(i))) {
			return i
		}
	}
	return len(codes)
}

// deal gives a word a row of the list that x>>32 is, if there is one.
func (m *Matrix) deal(x uint64, word uint32) bool {
	k := x >> 32
	if k >= uint64(len(m.next)) || int(m.next[k]) >= len(m.rows) {
		return false
	}
	m.rows[m.next[k]] = word
	m.next[k] += uint32(len(m.next))
	return true
}

// joinPlain sorts each list and stores as many words of it as there are rows at its end. It leaves
// the lengths of lists in next. It overwrites no word before the result.
func (m *Matrix) joinPlain(memory []uint32, mask uint32) {
	end, lists := Slack+m.n, len(m.next)
	for k := lists - 1; k >= 0; k-- {
		length := (int(m.next[k]) - k) / lists
		m.next[k] = uint32(length)
		words := memory[end-min(length, rows) : end]
		for j := range words {
			words[j] = m.rows[j*lists+k]
		}
		slices.Sort(words)
		for j := range words {
			words[j] &= mask
		}
		end -= length
	}
}
