package cpu

import (
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/scratch"
)

// MostDealt is the largest number of values of a digit by which [Deal] orders: the next places of all
// stay in the first-level cache.
const MostDealt = 1 << 12

// dealPiece is the number of elements after which a stripe asks whether the context was cancelled.
const dealPiece = 1 << 15

// Digits are digits of elements by number, of which the least is Least and the greatest Least + Values - 1.
type Digits struct {
	Of     []uint16
	Least  uint16
	Values int
}

// Deal writes the elements of order to dst by their digits. Elements of the same digit keep their
// sequence. It is a pass of a radix sort, least significant digit first, that counts the digits in
// stripes, one for each worker. len(dst) == len(order).
func Deal(env *engine.Env, dst, order []uint32, digits Digits) error {
	n, values := len(order), digits.Values
	stripe := (n-1)/max(1, min(env.Loop.Workers, n/engine.LeastTurn)) + 1
	stripes := (n-1)/stripe + 1
	counts := scratch.Take[uint32](&env.Arena, stripes*values)
	own := scratch.Take[uint16](&env.Arena, n) // digits in the sequence of order
	defer func() {
		scratch.Give(&env.Arena, counts, env.Loop.Workers)
		scratch.Give(&env.Arena, own, env.Loop.Workers)
	}()
	err := env.Stage("count", n, stripe, func(_, lo, hi int) {
		count := counts[lo/stripe*values:][:values]
		clear(count)
		for ; lo < hi && env.Loop.Err() == nil; lo += dealPiece {
			own := own[lo:]
			for i, x := range order[lo:min(lo+dealPiece, hi)] {
				d := digits.Of[x] - digits.Least
				own[i] = d
				count[d]++
			}
		}
	})
	if err = env.Stopped(err); err != nil {
		return err
	}
	at := uint32(0)
	for d := range values {
		for i := d; i < len(counts); i += values {
			counts[i], at = at, at+counts[i]
		}
	}
	return env.Stopped(env.Stage("deal", n, stripe, func(_, lo, hi int) {
		next := counts[lo/stripe*values:][:values]
		for ; lo < hi && env.Loop.Err() == nil; lo += dealPiece {
			own := own[lo:]
			for i, x := range order[lo:min(lo+dealPiece, hi)] {
				d := own[i]
				dst[next[d]] = x
				next[d]++
			}
		}
	}))
}
