package dist

import (
	"fmt"
	"math/rand/v2"
)

// Adversaries are codes that are even to a sample, or nearly, and uneven all the same: the bucket sort of a
// device gives them up late. Nothing is tuned by them.
var Adversaries = untuned("adversaries", []Codes{
	clusters(1000, 1100, 0), clusters(100, 2000, 0), clusters(1000, 5000, 0), clusters(100, 5000, 0), clusters(100, 5000, 16),
	clusters(10, 5000, 16), clusters(100, 100_000, 0), clusters(2, 2000, 0), clusters(3, 1500, 20),
	unsigned("a thousandth of one value", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if r.IntN(1000) == 0 {
			return 1 << (bits - 2)
		}
		return r.Uint64() >> (64 - bits)
	}),
	comb(11, 8), comb(14, 4), comb(16, 3), comb(20, 2),
	unsigned("an eighth more in a tenth of 2^14 parts", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		for more := r.IntN(80) == 0; ; {
			code := r.Uint64() >> (64 - bits)
			if !more || Scatter(code>>(bits-14), 32)%10 == 0 {
				return code
			}
		}
	}),
	unsigned("half in order", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if i < n/2 {
			return inOrder(2*i, n, bits)
		}
		return r.Uint64() >> (64 - bits)
	}),
	unsigned("even where samples are and else one value", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if sampled(i, n) {
			return r.Uint64() >> (64 - bits)
		}
		return 1 << (bits - 2)
	}),
	unsigned("even where samples are and else in clusters of 5000", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if sampled(i, n) {
			return r.Uint64() >> (64 - bits)
		}
		return Scatter(r.Uint64N(uint64(n/5000+1)), bits)
	}),
	unsigned("even where samples are and else a hundredth in clusters of 5000", Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if sampled(i, n) || r.IntN(100) > 0 {
			return r.Uint64() >> (64 - bits)
		}
		return Scatter(r.Uint64N(uint64(n/100/5000+1)), bits)
	}),
})

// clusters are even codes of which one in share is in a cluster of a size: codes that differ in the lowest
// bits alone.
func clusters(share, size, lowest int) Codes {
	name := fmt.Sprintf("one in %d in clusters of %d within %d bits", share, size, lowest)
	return unsigned(name, Both, func(r *rand.Rand, i, n, bits int) uint64 {
		if r.IntN(share) > 0 {
			return r.Uint64() >> (64 - bits)
		}
		code := Scatter(r.Uint64N(uint64(n/share/size+1)), bits)
		if bits == 32 {
			return code ^ r.Uint64()>>(64-lowest/2)
		}
		return code ^ r.Uint64()>>(64-lowest)
	})
}

// comb is codes in 1 << teeth even parts of their range, each of which has them in one of gap parts alone.
func comb(teeth, gap int) Codes {
	return unsigned(fmt.Sprintf("even in a %dth of 2^%d parts", gap, teeth), Both, func(r *rand.Rand, i, n, bits int) uint64 {
		tooth := r.Uint64() >> (64 - teeth) << (bits - teeth)
		return tooth | r.Uint64N(1<<(bits-teeth)/uint64(gap))
	})
}

// sampled reports whether a device's samples would have the i-th of n codes, for the sizes of samples that it
// takes, if they had no salt.
func sampled(i, n int) bool {
	for _, lg := range []int{13, 17, 18, 19, 20} {
		k := uint64(i) << lg / uint64(n)
		for ; k < 1<<lg && uint64(n)*k>>lg <= uint64(i); k++ {
			if Drawn(k, lg, uint64(n)) == uint64(i) {
				return true
			}
		}
	}
	return false
}

// Drawn is the k-th position of a sample of 1 << lg of n codes without a salt: drawn of kernels/sample.cuh.
func Drawn(k uint64, lg int, n uint64) uint64 {
	lo, hi := n*k>>lg, n*(k+1)>>lg
	return lo + uint64(scramble(uint32(k)*0x9e3779b1+0x17156075))*max(hi-lo, 1)>>32
}

// scramble is that of kernels/sample.cuh.
func scramble(x uint32) uint32 {
	x = (x ^ x>>16) * 0x85ebca6b
	x = (x ^ x>>13) * 0xc2b2ae35
	return x ^ x>>16
}

// mix is that of kernels/sample.cuh.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
