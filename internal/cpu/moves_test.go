package cpu

import (
	"testing"

	"example.com/sorter/internal/testkit"
)

// nearly are codes that moves put in order, without a partition, each by its name.
var nearly = map[string]func(i, n int) uint64{
	"smallest last":           func(i, n int) uint64 { return uint64(i+1) << 40 * uint64((n-1-i+n)/n) },
	"rotated":                 func(i, n int) uint64 { return uint64((i+n/3)%n) << 40 },
	"rotated, each twice":     func(i, n int) uint64 { return uint64((i+n/3)%n/2) << 40 },
	"falling, rotated":        func(i, n int) uint64 { return uint64((n-i+n/3)%n) << 40 },
	"falling, each 3 times":   func(i, n int) uint64 { return uint64((n-i)/3) << 40 },
	"falling, each 200 times": func(i, n int) uint64 { return uint64((n-i)/200) << 40 },
	"falling, one moved": func(i, n int) uint64 {
		if i == n/3 {
			return 5 << 40
		}
		return uint64(n-i) << 40
	},
	"falling, each twice, some moved": func(i, n int) uint64 {
		if i%997 == 3 {
			return uint64(i*7919%n/2) << 40
		}
		return uint64((n-i)/2) << 40
	},
	"one in 97 moved": func(i, n int) uint64 {
		if i%97 == 5 {
			return uint64(i*7919%n) << 40
		}
		return uint64(i) << 40
	},
	"the least shuffled, then falling": func(i, n int) uint64 { // all strays come before the only segment
		if few := n / 100; i < few {
			return uint64(i*7919%few) << 40
		}
		return uint64(2*n-i) << 40
	},
	"falling, then the largest shuffled": func(i, n int) uint64 {
		if few := n / 100; i >= n-few {
			return uint64(2*n+i*7919%few) << 40
		}
		return uint64(n-i) << 40
	},
	"two blocks": func(i, n int) uint64 { return uint64(1-2*i/n) << 62 },
}

// TestMoves sorts inputs that need no partition in every way: the order is right and
// stable, and no round was made.
func TestMoves(t *testing.T) {
	turn := 0
	for name, code := range nearly {
		for _, n := range []int{9_001, 70_001, 300_000} {
			if turn++; testkit.Thinned(turn) {
				continue
			}
			codes := make([]uint64, n)
			for i := range codes {
				codes[i] = code(i, n)
			}
			for _, workers := range []int{1, 3} {
				for way, sort := range sorts(t, codes) {
					env := newEnv(workers)
					got, err := sort(env)
					if err != nil || !testkit.IsStable(got, codes) {
						t.Errorf("%s, %s, n=%d, %d workers: wrong order, error %v", name, way, n, workers, err)
					}
					if env.Trace.Rounds != 0 || env.Trace.Shape == "" && way != "MoveRefined" {
						t.Errorf("%s, %s, n=%d, %d workers: %d rounds, shape %q", name, way, n, workers, env.Trace.Rounds, env.Trace.Shape)
					}
					env.Arena.Release(1)
				}
			}
		}
	}
}
