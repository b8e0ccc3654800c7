package spill

import (
	"errors"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"
)

// TestInterruptedReserve has a signal undo each call that allocates more than a bound.
func TestInterruptedReserve(t *testing.T) {
	for _, bound := range []int64{Align, 1 << 20, 3 << 20, 1 << 40} {
		const from, all = 12 * Align, 10<<20 + Align
		end, calls := int64(from), 0
		err := inSteps(from, all, func(off, n int64) error {
			if calls++; calls > 1e6 {
				return errors.New("no end")
			}
			if n > bound {
				return unix.EINTR
			}
			if off != end || n <= 0 {
				t.Fatalf("%d bytes from %d on, want %d", n, off, end)
			}
			end += n
			return nil
		})
		if err != nil || end != from+all {
			t.Errorf("bound %d: allocated up to %d of %d: %v", bound, end, from+all, err)
		}
	}
	if err := inSteps(0, 1, func(int64, int64) error { return unix.ENOSPC }); err != unix.ENOSPC {
		t.Errorf("full disk: %v", err)
	}
	r := rand.New(rand.NewPCG(91, 92))
	for range 1000 {
		end, all := int64(0), (1+r.Int64N(100))*Align
		err := inSteps(0, all, func(off, n int64) error {
			if r.IntN(2) == 0 {
				return unix.EINTR
			}
			if off != end || n <= 0 || n > all-end {
				t.Fatalf("%d bytes from %d on, want %d", n, off, end)
			}
			end += n
			return nil
		})
		if err != nil || end != all {
			t.Fatalf("allocated %d of %d: %v", end, all, err)
		}
	}
}
