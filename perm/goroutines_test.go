package perm

import (
	"runtime"
	"testing"
)

func TestNoWorkersMeansAllProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, c := range []struct{ n, workers, want int }{
		{0, 0, 1}, {piece, 0, 1}, {2 * piece, 0, 2}, {10 * piece, 0, 3}, {1, 0, 1},
		{10 * piece, 1, 1}, {10 * piece, 7, 7}, {10 * piece, 11, 10},
	} {
		if got := goroutines(c.n, c.workers); got != c.want {
			t.Errorf("goroutines(%d, %d) = %d, want %d", c.n, c.workers, got, c.want)
		}
	}
}
