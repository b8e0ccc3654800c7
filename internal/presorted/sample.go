package presorted

import "example.com/sorter/internal/engine"

// Elements in order, or strictly falling, are sorted by the CPU engine: it reads them in less
// time than their codes take to reach a device. So before a device is chosen, a few chunks of
// the input are sampled.

// SampleLen is the number of elements in a chunk; samples is the largest number of chunks,
// at most one per sampleStep elements. No engine.Block overlaps two chunks.
const SampleLen, samples, sampleStep = 64, 16, 1 << 13

// Keys in memory of which such a sample is in order are sampled in more chunks, one per moreStep elements:
// a step out of order in a thousand makes the CPU engine move all of them. At 2^24 keys the chunks take
// 0.1 ms.
const moreStep = 1 << 16

// SampleOf returns what a sample of n elements says, by its codes. With more, elements may be read again.
func SampleOf[C engine.Code](n int, more bool, codes func(lo, hi int, buf []C) []C) engine.Sample {
	if n < 2*engine.Block {
		return engine.Mixed
	}
	chunks := min(max(n/sampleStep, 2), samples)
	var t tally[C]
	for i := range chunks {
		t.add((n-SampleLen)/(chunks-1)*i, codes)
	}
	if !t.up && !t.down || !more {
		return t.sample()
	}
	chunks = n / moreStep
	var again tally[C]
	for i := 0; i < chunks && (again.n == 0 || again.up || again.down); i++ {
		again.add(n/chunks*i, codes)
	}
	if again.n > 0 && !again.up && !again.down {
		return engine.Drifting
	}
	return t.sample()
}

// tally is what is known of chunks from the beginning of a list to its end.
type tally[C engine.Code] struct {
	n            int  // codes
	up, down     bool // all ascend, or strictly fall
	last         C
	middle       C // of the codes of the last chunk, about
	chunks       int
	rises, falls int // chunks whose middle is above that of the one before, or below
	seen         [1 << seenBits]C
	again        int // codes that came before
}

// 1 << seenBits codes are known to have come: twice as many as are sampled.
const seenBits = 11

// add adds the chunk from lo on.
func (t *tally[C]) add(lo int, codes func(lo, hi int, buf []C) []C) {
	var buf [SampleLen]C
	if t.n == 0 {
		t.up, t.down = true, true
	}
	chunk := codes(lo, lo+SampleLen, buf[:])
	middle := C(0)
	for _, c := range chunk {
		if t.n > 0 {
			t.up, t.down = t.up && t.last <= c, t.down && t.last > c
		}
		slot := &t.seen[uint64(c)*0x9e3779b97f4a7c15>>(64-seenBits)]
		if *slot == c {
			t.again++
		}
		*slot = c
		t.last = c
		middle += c / SampleLen
		t.n++
	}
	switch {
	case t.chunks > 0 && middle > t.middle:
		t.rises++
	case t.chunks > 0 && middle < t.middle:
		t.falls++
	}
	t.middle = middle
	t.chunks++
}

// sample returns the sample of the chunks. Few chunks ascend by chance.
func (t *tally[C]) sample() engine.Sample {
	const leastChunks, mostStrays, few = 8, 8, 3
	switch {
	case t.up || t.down:
		return engine.Ordered
	case t.chunks >= leastChunks && max(t.rises, t.falls) >= t.chunks-1-t.chunks/mostStrays:
		return engine.Drifting
	case t.n-t.again <= t.n/few:
		return engine.Few
	}
	return engine.Mixed
}

// strayed is the most steps of a sample in the rarer direction that let it pass as nearly in order.
const strayed = 2

// SampleSteps reports whether a sample of n elements is in order, or falls, except for a few steps. follow counts the
// steps to the elements [lo, hi), which have predecessors.
func SampleSteps(n int, follow func(lo, hi int) Steps) bool {
	var seen Steps
	if n < 2*engine.Block {
		return false
	}
	for i := range samples {
		lo := 1 + (n-1-SampleLen)/(samples-1)*i
		if seen = seen.Plus(follow(lo, lo+SampleLen)); seen.Disorder() > strayed {
			return false
		}
	}
	return true
}
