package main

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Short numbers are those that package big makes of the same text.
func TestShortDecimals(t *testing.T) {
	short := 0
	for seed := range uint64(100_000) {
		r := rand.New(rand.NewPCG(seed, 9))
		text := fmt.Sprintf("%0*d", r.IntN(12), r.Uint64()>>r.IntN(64))
		if at := r.IntN(len(text) + 2); at <= len(text) {
			text = text[:at] + "." + text[at:]
		}
		digits, decimals, ok := shortDecimal(text)
		if !ok {
			continue
		}
		short++
		exponent, mantissa := quotient(digits, decimals)
		if got, want := encode(false, exponent, mantissa), encodeBig(false, parseBig(text)); got != want {
			t.Fatalf("%s: %x, want %x", text, got, want)
		}
	}
	if short < 50_000 {
		t.Errorf("%d of 100,000 numbers are short", short)
	}
}
