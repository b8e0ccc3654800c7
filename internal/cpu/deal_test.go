package cpu

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
)

// TestDeal deals random orders by digits of one value to the most, from the least digit to the greatest.
func TestDeal(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 100, engine.LeastTurn, 3*engine.LeastTurn + 1, 50_000} {
		for _, values := range []int{1, 2, 100, MostDealt} {
			for workers := 1; workers <= 3; workers++ {
				least := []int{0, 7, 1<<16 - values}[r.IntN(3)]
				digits := Digits{make([]uint16, n), uint16(least), values}
				order := make([]uint32, n)
				presorted.Forward(order, 0)
				for i := range digits.Of {
					digits.Of[i] = uint16(least + r.IntN(values))
				}
				r.Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
				want := slices.Clone(order)
				testkit.SortStable(want, func(a, b uint32) int { return cmp.Compare(digits.Of[a], digits.Of[b]) })
				env, got := newEnv(workers), make([]uint32, n)
				if err := Deal(env, got, order, digits); err != nil || !slices.Equal(got, want) {
					t.Error(fmt.Sprintf("n=%d, %d values from %d, %d workers: not in order, or", n, values, least, workers), err)
				}
				if env.Arena.Used() > 0 {
					t.Errorf("n=%d, %d values, %d workers: %d bytes are held", n, values, workers, env.Arena.Used())
				}
				for left := range int64(40) { // it ends at each of its questions, or is done
					env, got, ctx := newEnv(workers), make([]uint32, n), &testkit.Ending{Context: context.Background()}
					ctx.Left.Store(left)
					env.Loop.Ctx = ctx
					err := Deal(env, got, order, digits)
					if err == nil && !slices.Equal(got, want) || err != nil && err != context.Canceled {
						t.Errorf("n=%d, %d values, %d workers, after %d questions: %v", n, values, workers, left, err)
					}
					if ctx.Left.Load() >= 0 {
						break
					}
				}
			}
		}
	}
}
