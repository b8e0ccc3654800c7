package cpu

import (
	"cmp"
	"context"
	"math/rand/v2"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/testkit"
)

// drawnSizes are lengths about those from which codes take another way.
var drawnSizes = []int{
	1, 2, 3, bucket.ShortSort - 1, bucket.ShortSort, bucket.ShortSort + 1, 40, 64, 127, 128, 129, 300, 1023, 1024, 1025, 2048,
	2049, 4095, 4096, 5000, leastTarget - 1, leastTarget, leastTarget + 1, leastTarget + 200, 10_000, 17_000,
}

// drawnLarge are lengths at which codes are partitioned.
var drawnLarge = []int{24_000, 33_000, bucket.MaxLen*3/4 + 1, bucket.MaxLen - 1, bucket.MaxLen, bucket.MaxLen + 1, 70_000, 120_000}

// drawCodes draws n codes of a shape.
func drawCodes[C Code](r *rand.Rand, n int) (shape string, codes []C) {
	width := 8 * int(unsafe.Sizeof(C(0)))
	lowest, high := C(r.Uint64()), C(1)<<(width-1)
	few := 1 + r.IntN(9)
	values := make([]C, few)
	for i := range values {
		values[i] = C(r.Uint64())
	}
	narrow := C(1)<<(1+r.IntN(width-1)) - 1
	one, other, step := values[0], ^C(0)*C(r.IntN(2)), 1+r.IntN(40)
	shapes := []struct {
		name string
		code func(i int) C
	}{
		{"uniform", func(int) C { return C(r.Uint64()) }},
		{"few values", func(int) C { return values[r.IntN(few)] }},
		{"few values and others", func(int) C {
			if r.IntN(5) == 0 {
				return C(r.Uint64())
			}
			return values[r.IntN(few)]
		}},
		{"few values and fewer others", func(int) C {
			if r.IntN(30) == 0 {
				return C(r.Uint64())
			}
			return values[r.IntN(min(few, heavyValues))]
		}},
		{"a crowd at an end", func(int) C {
			if r.IntN(4) == 0 {
				return other
			}
			return one>>1 + C(r.Uint64())>>2
		}},
		{"narrow", func(int) C { return lowest + C(r.Uint64())&narrow }},
		{"a small range", func(int) C { return lowest + C(r.IntN(n+1)) }},
		{"a smaller range", func(int) C { return lowest/2 + C(r.IntN(n/9+2)) }},
		{"clusters", func(int) C { return C(r.IntN(n/50+1))*(^C(0)/C(n/50+1)) + C(r.IntN(300)) }},
		{"nested", func(int) C { return C(r.Uint64()) >> (width / 5 * r.IntN(5)) }},
		{"hashed keys", func(int) C { return C(r.IntN(n/step+1)+1) * (^C(0)/3*2 - 5) }},
		{"in order", func(i int) C { return C(i) * C(step) }},
		{"in order, with ties", func(i int) C { return C(i/step) << 3 }},
		{"falling", func(i int) C { return high - C(i)*C(step) }},
		{"falling, with ties", func(i int) C { return high - C(i/step) }},
		{"nearly in order", func(i int) C {
			if r.IntN(60) == 0 {
				return C(r.IntN(n + 1))
			}
			return C(i)
		}},
		{"nearly falling", func(i int) C {
			if r.IntN(60) == 0 {
				return high - C(r.IntN(n+1))
			}
			return high - C(i/2)
		}},
		{"rotated", func(i int) C { return C((i + n/3) % n) }},
		{"equal", func(int) C { return lowest }},
		{"two ends", func(int) C { return -C(r.IntN(2)) }},
		{"one last", func(i int) C { return C(i+1) % C(n) }},
		{"floats", func(int) C {
			if width == 64 {
				return C(uint64(1)<<63 | uint64(r.ExpFloat64()*1e15))
			}
			return C(1)<<31 | C(r.Uint32()>>(r.IntN(16)))
		}},
	}
	s := shapes[r.IntN(len(shapes))]
	codes = make([]C, n)
	for i := range codes {
		codes[i] = s.code(i)
	}
	return s.name, codes
}

// drawEnv draws workers and a context.
func drawEnv(r *rand.Rand) (*engine.Env, func()) {
	env := newEnv(1 + r.IntN(4))
	cancel := func() {}
	switch r.IntN(4) {
	case 0:
		env.Loop.Ctx = context.Background()
	case 1:
		env.Loop.Ctx, cancel = context.WithCancel(context.Background())
	case 2:
		env.Loop.Progress = func(string, int, int) {}
	}
	return env, cancel
}

// stableOrder returns the order of codes, ties by place.
func stableOrder[C Code](codes []C) []uint32 {
	order := make([]uint32, len(codes))
	presorted.Forward(order, 0)
	testkit.SortStable(order, func(i, j uint32) int { return cmp.Compare(codes[i], codes[j]) })
	return order
}
