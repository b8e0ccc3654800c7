package presorted

import (
	"testing"

	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
)

// TestSampleOf samples codes of programs.
func TestSampleOf(t *testing.T) {
	for _, n := range []int{1 << 17, 3_000_017} {
		for name, want := range map[string]engine.Sample{
			"uniform": engine.Mixed, "gauss": engine.Mixed, "hashed keys of 10^4 equal": engine.Mixed,
			"nanoseconds of a day": engine.Mixed, "float prices": engine.Mixed,
			"sorted": engine.Ordered, "reversed": engine.Ordered, "flat": engine.Ordered, "UUIDs by time": engine.Ordered,
			"1% swapped": engine.Drifting, "shuffled by 16": engine.Drifting,
			"milliseconds of a month a minute late": engine.Drifting, "seconds of a month with gaps and jitter": engine.Drifting,
			"16 values": engine.Few, "256 values": engine.Few, "float sensor": engine.Few,
		} {
			codes := make([]uint64, n)
			dist.Fill(codes, dist.CodesNamed(name), 1)
			if got := SampleOf(n, false, viewOf(codes)); got != want {
				t.Errorf("%s, %d codes: %v, want %v", name, n, got, want)
			}
		}
	}
	if got := SampleOf(2*engine.Block-1, true, viewOf(make([]uint64, 2*engine.Block))); got != engine.Mixed {
		t.Errorf("few codes are %v", got)
	}
}

// TestSampleMore samples codes of which one step in a thousand is out of order, and codes of which one is.
func TestSampleMore(t *testing.T) {
	const n = 1 << 24
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = uint32(i)
	}
	codes[n/7] = 0
	if got := SampleOf(n, true, viewOf(codes)); got != engine.Ordered {
		t.Errorf("one stray: %v", got)
	}
	for i := 500; i < n; i += 1013 {
		codes[i], codes[i-1] = codes[i-1], codes[i]
	}
	if got := SampleOf(n, true, viewOf(codes)); got != engine.Drifting {
		t.Errorf("a step in a thousand: %v", got)
	}
}

func viewOf[C uint32 | uint64](codes []C) func(lo, hi int, _ []C) []C {
	return func(lo, hi int, _ []C) []C { return codes[lo:hi] }
}
