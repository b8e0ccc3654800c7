package main

import (
	"math"
	"unsafe"
)

// The conversions below carry a value of a distribution, a point of the 64-bit
// line, to a key. All of them are monotone, so that sorted stays sorted.

func toUint32(v uint64) uint32 { return uint32(v >> 32) }

func toUint64(v uint64) uint64 { return v }

func toInt64(v uint64) int64 { return int64(v ^ 1<<63) }

// toFloat64 spreads the line over [-1, 1).
func toFloat64(v uint64) float64 { return float64(toInt64(v)) / (1 << 63) }

func toFloat32(v uint64) float32 { return float32(toFloat64(v)) }

// stringArena holds the bytes of many strings in one allocation, so that
// the allocation of single strings is not measured.
type stringArena []byte

// cut returns the bytes added since start as a string.
//
// Sound: the arena was made with room for all it will hold, so it never
// moves, and bytes once written are never written again.
func (a stringArena) cut(start int) string {
	return unsafe.String(&a[start], len(a)-start)
}

const (
	stringMin, stringMax = 13, 20 // bytes of a plain string
	nameMin, nameMax     = 6, 13  // bytes of a name
)

// addString adds 13 letters, five bits of v each, and up to 7 more that depend
// on v: strings of different length whose first 8 bytes hold 40 bits of v.
func (a *stringArena) addString(v uint64) string {
	start := len(*a)
	for shift := 59; shift > -5; shift -= 5 {
		letter := v >> max(shift, 0) & 31
		if shift < 0 {
			letter = v << -shift & 31
		}
		*a = append(*a, '@'+byte(letter))
	}
	a.addTail(v, stringMax-stringMin)
	return a.cut(start)
}

// addName adds one of 4096 names, chosen by the leading 12 bits of v, which
// share their first three letters.
func (a *stringArena) addName(v uint64) string {
	start := len(*a)
	v >>= 52
	*a = append(*a, 's', 't', '-', 'a'+byte(v>>8), 'a'+byte(v>>4&15), 'a'+byte(v&15))
	a.addTail(v, nameMax-nameMin)
	return a.cut(start)
}

// addTail adds up to most letters; how many and which depend on v alone.
func (a *stringArena) addTail(v uint64, most int) {
	h := (v + 1) * 0x9e3779b97f4a7c15
	for range int(h>>60) * most / 15 {
		*a = append(*a, 'a'+byte(h>>32&15))
		h *= 0x9e3779b97f4a7c15
	}
}

// float32Code is what a user of a radix sort writes: unsigned integers in the
// order of the keys, for keys without NaN.
func float32Code(f float32) uint32 {
	b := math.Float32bits(f)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}
