// Package loops has the inner loops of the CPU engine: in assembly where the processor has the instructions, in Go
// elsewhere. It knows no buckets, no keys and no elements.
package loops

import "example.com/sorter/internal/processor"

// Code is the unsigned form of a key.
type Code interface{ uint32 | uint64 }

// MaxDigitBits is the widest digit of a radix pass: the counters of two of them are half of a first-level cache.
const MaxDigitBits = 11

// LeastInPlace is the bytes of the least codes that [SplitInPlace] takes.
const LeastInPlace = 512

// WithinSlack is the number of places that [Within] may overwrite.
const WithinSlack = 16

// Repeat sets all words to value. It sets the first few one by one and copies these, since the runtime's copy uses
// vectors.
func Repeat[C Code](words []C, value C) {
	const few = 512
	some := words[:min(len(words), few)]
	for i := range some {
		some[i] = value
	}
	for rest := words[len(some):]; len(rest) > 0; {
		rest = rest[copy(rest, some):]
	}
}

// Restrict withholds loops in assembly until undo is called: those that move elements, those that move whole lines, and
// those that fill buffers. It is for tests.
func Restrict(places, lines, fills bool) (undo func()) {
	p, l, f := placesInLoops, placesLines, fillsInLoops
	placesInLoops, placesLines, fillsInLoops = places && processor.BMI2, lines && processor.AVX512, fills && processor.BMI2
	return func() { placesInLoops, placesLines, fillsInLoops = p, l, f }
}
