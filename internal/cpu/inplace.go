package cpu

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu/bucket"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/presorted"
	"example.com/sorter/internal/scratch"
)

// OrderInPlace writes the order of the codes of src to index, ties in input order, and returns
// the codes in that order. Its only scratch is the codes. It is not adaptive except for inputs
// in order.
//
// It is the American flag sort of McIlroy, Bostic and McIlroy, "Engineering radix sort"
// (1993), over codes and index together: most significant digit first, elements swapped along
// the cycles of each digit. That is not stable, so the index provides the last digits of the
// key.
func OrderInPlace[C Code](env *engine.Env, index []uint32, src Source[C]) ([]C, error) {
	n := len(index)
	if n == 0 {
		return nil, nil
	}
	codes := scratch.In[C](&env.Arena, sizeInPlace(nil, n, unsafe.Sizeof(C(0))))
	v, err := extract(env, codes, src)
	if err != nil {
		return nil, err
	}
	for i := range index {
		index[i] = uint32(i)
	}
	if v.Sorted() {
		v.Report(env)
		return codes, nil
	}
	f := newFlag(env, codes, index, v.Min^v.Max)
	top := f.split(0, n, f.top)
	err = env.Stage("in place", 256, 1, func(_, d, _ int) {
		f.sort(int(top[d]), int(top[d+1]), f.top-8)
	})
	return codes, env.Stopped(err)
}

// InPlaceBytes bounds the scratch memory, in bytes, of [OrderInPlace].
func InPlaceBytes(n int, code uintptr) int64 {
	var a scratch.Area
	sizeInPlace(&a, n, code)
	return a.Bytes()
}

// sizeInPlace sizes the codes.
func sizeInPlace(a *scratch.Area, n int, code uintptr) scratch.Memory { return a.Memory(n, code) }

// flag sorts (code, index) pairs in two parallel slices.
type flag[C Code] struct {
	env   *engine.Env
	codes []C
	index []uint32
	top   int // shift of the first digit
}

// newFlag returns a flag over codes, of which no two differ in other bits than differ, and
// index.
func newFlag[C Code](env *engine.Env, codes []C, index []uint32, differ C) flag[C] {
	return flag[C]{env, codes, index, max(0, bits.Len64(uint64(differ))-8)}
}

// digit returns a digit of pair i. For shift > -8 it is a digit of the code, where a negative
// shift reads the code's last, narrower digit. Below, it is a byte of the index, from the top
// byte down.
func (f *flag[C]) digit(i, shift int) uint8 {
	switch {
	case shift >= 0:
		return uint8(f.codes[i] >> shift)
	case shift > -8:
		return uint8(f.codes[i])
	}
	return uint8(f.index[i] >> indexShift(shift))
}

// indexShift maps the shifts -8 … -15, -16 … -23, … to 24, 16, 8 and 0.
func indexShift(shift int) int { return 24 + (shift+8)/8*8 }

// sort sorts the pairs [lo, hi), which agree in all digits above shift.
func (f *flag[C]) sort(lo, hi, shift int) {
	for hi-lo > bucket.ShortSort {
		if f.env.Loop.Err() != nil {
			return
		}
		from := f.split(lo, hi, shift)
		shift -= 8
		big := 0 // this loop sorts the largest part, which bounds the recursion
		for d := range 256 {
			if from[d+1]-from[d] > from[big+1]-from[big] {
				big = d
			}
		}
		for d := range 256 {
			if d != big {
				f.sort(int(from[d]), int(from[d+1]), shift)
			}
		}
		lo, hi = int(from[big]), int(from[big+1])
	}
	for i := lo + 1; i < hi; i++ {
		c, x := f.codes[i], f.index[i]
		j := i
		for ; j > lo && (f.codes[j-1] > c || f.codes[j-1] == c && f.index[j-1] > x); j-- {
			f.codes[j], f.index[j] = f.codes[j-1], f.index[j-1]
		}
		f.codes[j], f.index[j] = c, x
	}
}

// split sorts the pairs [lo, hi) by one digit and returns the first position of each digit.
// The result is undefined once the context is cancelled.
func (f *flag[C]) split(lo, hi, shift int) (from [257]uint32) {
	var next, end [256]uint32
	for i := lo; i < hi; i++ {
		if i%engine.Chunk == 0 && f.env.Loop.Err() != nil {
			return from
		}
		end[f.digit(i, shift)]++
	}
	at := uint32(lo)
	for d := range 256 {
		from[d], next[d] = at, at
		at += end[d]
		end[d] = at
	}
	from[256] = at
	for d := range 256 {
		for steps := 0; next[d] < end[d]; steps++ {
			if steps%engine.Chunk == 0 && f.env.Loop.Err() != nil {
				return from
			}
			i := int(next[d])
			k := f.digit(i, shift)
			if int(k) == d {
				next[d]++
				continue
			}
			j := next[k]
			next[k]++
			f.codes[i], f.codes[j] = f.codes[j], f.codes[i]
			f.index[i], f.index[j] = f.index[j], f.index[i]
		}
	}
	return from
}

// SortInPlace is [bucket.Pairs.Sort] without memory. It is slower. order must ascend wherever codes
// tie.
func SortInPlace(env *engine.Env, codes []uint64, order []uint32) {
	if len(codes) <= bucket.ShortSort {
		bucket.InsertPairs(codes, order)
		return
	}
	v := presorted.SummaryOf(codes)
	if v.Sorted() {
		return
	}
	f := newFlag(env, codes, order, v.Min^v.Max)
	f.sort(0, len(codes), f.top)
}
