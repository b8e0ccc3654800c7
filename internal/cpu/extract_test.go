package cpu

import (
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/ways"
)

// counted counts the elements that are compared by whole keys, which are the codes.
type counted struct {
	unrefined
	compared *int
}

func (c counted) Follow(codes []uint64, lo, fresh int, _ engine.Ties) (seen presorted.Steps) {
	c.src(codes[len(codes)-fresh:], lo+len(codes)-fresh)
	*c.compared += len(codes) - 1
	return presorted.StepsOf(codes)
}

func (counted) Finer([]uint64, uint64, uint64) Source[uint64] { return nil }

// TestScatteredKeys holds the presorted check to a quarter of the blocks if each has a stray: then no moves are sought by
// whole keys. Strays of an eighth of the blocks are.
func TestScatteredKeys(t *testing.T) {
	const n = 64 * engine.Block
	for _, strays := range []int{n / 8, n} {
		all := make([]uint64, n)
		for i := range all {
			if all[i] = uint64(i); i%1000 == 500 && i < strays {
				all[i] = 0
			}
		}
		compared := 0
		v, err := extractAndCompare(newEnv(1), make([]uint64, n), sourceOf(all), counted{unrefined{sourceOf(all)}, &compared})
		if err != nil {
			t.Fatal(err)
		}
		if complete := v.ByKeys != nil; complete != (strays < n) || complete != (compared == n-1) || !complete && compared > n/4+2*engine.Block {
			t.Errorf("strays among %d: %d of %d keys compared, complete: %v", strays, compared, n, complete)
		}
	}
}

// TestFinerCodes orders elements whose keys have finer codes, and those whose keys have none: the way is taken where they have.
func TestFinerCodes(t *testing.T) {
	codes := make([]uint64, 20_000)
	for i := range codes {
		codes[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	for _, cut := range []uint64{0, 1<<40 - 1} {
		u, order, env := newUntied(t, codes, cut), make([]uint32, len(codes)), newEnv(1)
		taken := ways.Watch(func() {
			_, err := OrderByKeys[uint64](env, len(codes), u.source(), u, func(_, lo int, part []uint32, _ []uint64) { copy(order[lo:], part) })
			if err != nil || !slices.Equal(order, stableOrder(codes)) {
				t.Errorf("wrong order, %v", err)
			}
		})
		if taken.Has(ways.FinerCodes) != (cut > 0) {
			t.Errorf("without bits %x: %v are taken", cut, taken)
		}
		env.Arena.Release(1)
	}
}
