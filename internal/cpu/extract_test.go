package cpu

import (
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
)

// counted counts the elements that are compared by whole keys, which are the codes. It is not
// safe for concurrent use, whatever it reports.
type counted struct {
	unrefined
	concurrent bool
	compared   *int
}

func (c counted) Follow(codes []uint64, lo, fresh int, _ engine.Ties) (seen presorted.Steps) {
	c.src(codes[len(codes)-fresh:], lo+len(codes)-fresh)
	for i := 1; i < len(codes); i++ {
		switch {
		case codes[i] < codes[i-1]:
			seen.Falls++
		case codes[i] > codes[i-1]:
			seen.Rises++
		}
	}
	*c.compared += len(codes) - 1
	return seen
}

func (c counted) Concurrent() bool { return c.concurrent }

func (counted) Finer([]uint64, uint64, uint64) Source[uint64] { return nil }

// TestScatteredKeys holds the presorted check to a quarter of the blocks if each has a stray:
// then no moves are sought by whole keys. Keys that one worker must compare are compared to the
// end.
func TestScatteredKeys(t *testing.T) {
	const n = 64 * engine.Block
	all := make([]uint64, n)
	for i := range all {
		if all[i] = uint64(i); i%1000 == 500 {
			all[i] = 0
		}
	}
	for _, concurrent := range []bool{false, true} {
		compared := 0
		v, err := extractAndCompare[uint64](newEnv(1), make([]uint64, n), sourceOf(all), counted{unrefined{sourceOf(all)}, concurrent, &compared})
		if err != nil {
			t.Fatal(err)
		}
		if complete := v.ByKeys != nil; complete == concurrent || complete != (compared == n-1) || !complete && compared > n/4+2*engine.Block {
			t.Errorf("concurrent %v: %d of %d keys compared, complete: %v", concurrent, compared, n, complete)
		}
	}
}
