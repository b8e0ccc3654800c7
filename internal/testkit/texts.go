package testkit

import (
	"math/rand/v2"
	"strings"
)

// Text draws a text: they share prefixes of all lengths about 8, and end in zero bytes.
func Text(r *rand.Rand) string {
	s := strings.Repeat("x", []int{0, 0, 3, 7, 8, 9, 16, 17, 40, 260, 300}[r.IntN(11)])
	for range r.IntN(12) {
		s += string("\x00abcz\xff"[r.IntN(6)])
	}
	return s
}
