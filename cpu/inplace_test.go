package cpu

import (
	"context"
	"math/rand/v2"
	"testing"
)

// TestInPlaceAsks orders codes of one leading digit, which one goroutine counts
// and moves: it asks whether to stop once a chunk in both.
func TestInPlaceAsks(t *testing.T) {
	const chunks = 40
	codes := make([]uint64, chunks*chunk)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range codes {
		codes[i] = 1<<63 | r.Uint64()>>16
	}
	codes[0] = 0
	env, extracting, all := newEnv(1), &asked{Context: context.Background()}, &asked{Context: context.Background()}
	env.Loop.Ctx = extracting
	if _, err := extract(env, make([]uint64, len(codes)), sourceOf(codes), nil); err != nil {
		t.Fatal(err)
	}
	env.Loop.Ctx = all
	if _, err := OrderInPlace(env, make([]uint32, len(codes)), sourceOf(codes)); err != nil {
		t.Fatal(err)
	}
	// The codes share two digits but for the first code: two splits of all.
	if asks := all.times - extracting.times; asks < 3*chunks {
		t.Errorf("asked %d times, want %d or more", asks, 3*chunks)
	}
}
