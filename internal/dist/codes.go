package dist

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"example.com/sorter/internal/floats"
	"example.com/sorter/internal/sortkey"
)

// Codes is a named way to draw codes position by position, so that goroutines share a long list.
// Unlike those of a [Dist], codes depend on their width: they are those of keys of that width.
type Codes struct {
	Name string
	Of   Meaning
	Widths
	Untuned string // the list that has it, "held back" or "adversaries", if nothing is tuned by it

	// At draws the i-th of n codes of some bits, which [Widths] has.
	At func(r *rand.Rand, i, n, bits int) uint64
}

// Meaning is what codes stand for.
type Meaning uint8

const (
	Unsigned Meaning = iota
	Signed
	Float
)

// Widths are the numbers of bits that codes may have.
type Widths uint8

const (
	Any  Widths = iota // 8 to 64
	Both               // 32 and 64
	Wide               // 64
)

// Has reports whether there are codes of some bits.
func (w Widths) Has(bits int) bool {
	return w == Any || bits == 64 || bits == 32 && w == Both
}

// CodesNamed returns the codes of that name; it panics if there are none.
func CodesNamed(name string) Codes {
	all := slices.Concat(Shapes, Users, HeldBack, Adversaries)
	return all[slices.IndexFunc(all, func(c Codes) bool { return c.Name == name })]
}

// chunk is the number of codes with a generator of their own: codes do not depend on the number of
// goroutines.
const chunk = 1 << 14

// Fill writes codes of the width of W; the same seed and length give the same codes.
func Fill[W uint32 | uint64](codes []W, c Codes, seed uint64) {
	FillBits(codes, c, int(unsafe.Sizeof(codes[0]))*8, seed)
}

// FillBits writes codes of some bits, in words that may be wider.
func FillBits[W uint32 | uint64](codes []W, c Codes, bits int, seed uint64) {
	n := len(codes)
	chunks := (n + chunk - 1) / chunk
	workers := min(runtime.GOMAXPROCS(0), chunks)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			p := new(rand.PCG)
			r := rand.New(p)
			for k := chunks * w / workers; k < chunks*(w+1)/workers; k++ {
				p.Seed(seed, uint64(k))
				for i := k * chunk; i < min((k+1)*chunk, n); i++ {
					codes[i] = W(c.At(r, i, n, bits))
				}
			}
		})
	}
	wait.Wait()
}

// Keys returns n keys whose codes [Fill] draws. K is an integer or a float of 32 or 64 bits, of the
// kind that c stands for.
func Keys[K sortkey.Key](c Codes, n int, seed uint64) []K {
	keys := make([]K, n)
	if unsafe.Sizeof(keys[0]) == 4 {
		codes := make([]uint32, n)
		Fill(codes, c, seed)
		sortkey.DecodeExact(keys, codes, sortkey.Order{})
	} else {
		codes := make([]uint64, n)
		Fill(codes, c, seed)
		sortkey.DecodeExact(keys, codes, sortkey.Order{})
	}
	return keys
}

// signed returns codes of integers.
func signed(name string, w Widths, at func(r *rand.Rand, i, n int) int64) Codes {
	return Codes{Name: name, Of: Signed, Widths: w, At: func(r *rand.Rand, i, n, bits int) uint64 {
		return uint64(at(r, i, n))<<(64-bits)>>(64-bits) ^ 1<<(bits-1)
	}}
}

// unsigned returns codes of integers without a sign.
func unsigned(name string, w Widths, at func(r *rand.Rand, i, n, bits int) uint64) Codes {
	return Codes{Name: name, Widths: w, At: at}
}

var (
	ordered32 = floats.Ordered[uint32](false, false)
	ordered64 = floats.Ordered[uint64](false, false)
)

// float returns codes of floats. NaN stands for null.
func float(name string, w Widths, at func(r *rand.Rand, i, n int) float64) Codes {
	return Codes{Name: "float " + name, Of: Float, Widths: w, At: func(r *rand.Rand, i, n, bits int) uint64 {
		x := at(r, i, n)
		if bits == 32 {
			return uint64(ordered32.Of(math.Float32bits(float32(x))))
		}
		return ordered64.Of(math.Float64bits(x))
	}}
}

// Scatter is a random code for each k.
func Scatter(k uint64, bits int) uint64 {
	return mix((k+1)*0x9e3779b97f4a7c15) >> (64 - bits)
}

// rank draws from [0, count), k with a probability near 1/(k+1), by inversion of the continuous
// distribution.
func rank(r *rand.Rand, count float64) uint64 {
	return uint64(math.Exp(r.Float64()*math.Log(count+1))) - 1
}

// part returns i·span/n.
func part(i, n int, span uint64) uint64 {
	hi, lo := bits.Mul64(uint64(i), span)
	v, _ := bits.Div64(hi, lo, uint64(n))
	return v
}
