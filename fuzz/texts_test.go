package fuzz

import (
	"math"
	"slices"
	"strings"
	"testing"

	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/testkit"
)

// A text is decoded from three bytes: two for the length of the prefix of a common text,
// and one for what else it is.
const (
	textBytes = 3

	textOwn    = 1 << 0 // the prefix is copied to memory of its own
	textChange = 1 << 1 // one of its bytes is another
	textTail   = 1 << 2 // bytes follow it, zero bytes among them
	textSuffix = 1 << 3 // it begins inside of the common text
)

// deepTexts decodes up to n strings that share long prefixes, at most 16 MB.
func deepTexts(data []byte, n int) (texts []string) {
	most := min(4096, 16<<20/(n+1))
	common := strings.Repeat("deep/", most/5+1)
	for ; len(texts) < n && len(data) >= textBytes; data = data[textBytes:] {
		length, how := (int(data[0])<<8|int(data[1]))%(most+1), data[2]
		s := common[:length]
		if how&textSuffix != 0 {
			s = s[min(length, int(how>>4)):]
		}
		if how&(textOwn|textChange) != 0 {
			s = strings.Clone(s)
		}
		if how&textChange != 0 && length > 0 {
			at := length * int(how>>4) / 16
			s = s[:min(at, len(s))] + string(how) + s[min(at+1, len(s)):]
		}
		if how&textTail != 0 {
			s += "\x00\x00tail"[int(how>>4)%7:]
		}
		texts = append(texts, s)
	}
	return texts
}

// FuzzTexts holds sorts by strings that share long prefixes, or memory, and by columns
// after them, to the stable sort of the standard library.
func FuzzTexts(f *testing.F) {
	for i, seed := range []struct {
		mask  byte
		texts string
	}{
		{0, "\x03\xe8\x00"},                         // one text, in the same memory
		{0, "\x03\xe8\x01"},                         // copies of one text
		{0xff, "\x00\x00\x00"},                      // prefixes, changed, with tails, in all kinds of memory
		{0x0f, "\x0f\xf0\x00\x0f\xf0\x01"},          // differing near their ends
		{0x03, "\x08\x00\x02\x08\x00\x12\x08\x00"},  // one byte is another
		{0x30, "\x01\x00\x04\x01\x01\x05\x00\x80"},  // tails with zero bytes
		{0xf0, "\x0f\xff\x08\x0f\xff\x09"},          // suffixes
		{0x01, "\x00\x08\x00\x00\x09\x01\x00\x07"},  // around the length of a code
		{0x80, "\x04\x00\x05\x00\x10\x00\x02\x20E"}, // few lengths, far apart
	} {
		for j, size := range []byte{2, 9, 40, 130, 200, 249} {
			if testkit.ThinnedByRace(i*6 + j) {
				continue
			}
			f.Add(byte(i*37+j*65), byte(i+j*5), size, seed.mask, []byte(seed.texts))
		}
	}
	f.Fuzz(func(t *testing.T, bits, later, size, mask byte, data []byte) {
		defer withoutWays(slices.Concat(data, []byte{bits, later})...)()
		n := elements(size)
		texts := deepTexts(expand(data, n*textBytes, mask), n)
		n = len(texts)
		keys := &keysOf[string]{texts, oracle.Ordered[string]}
		checkKeys(t, keys, bits)

		bytes := make([][]byte, n)
		floats := make([]float64, n)
		for i := range n {
			bytes[i] = []byte(texts[(i+n/2)%n])
			floats[i] = []float64{math.NaN(), 1, math.Copysign(0, -1), 0}[i*int(later|1)%4]
		}
		order, opts := options(bits)
		checkColumns(t, []column{
			{keys: keys, order: oracle.Order{Desc: later&1 != 0}, nulls: int(later>>1) % 3, every: 5},
			{keys: &keysOf[[]byte]{bytes, oracle.Bytes[[]byte]}, order: oracle.Order{Desc: later&8 != 0}, nulls: int(later>>4) % 3, every: 2},
			{keys: &keysOf[float64]{floats, oracle.Ordered[float64]}, order: orderOf(later&2 != 0, later&4 != 0, later&16 != 0), nulls: int(later>>5) % 3, every: 3},
		}, n, bits, order, opts)
	})
}
