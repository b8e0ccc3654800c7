package top

import (
	"math/bits"
	"unsafe"

	"example.com/sorter/internal/cpu/loops"
	"example.com/sorter/internal/extract"
	"example.com/sorter/internal/sortkey"
	"example.com/sorter/internal/stream"
)

// mostPassed is the number of elements of a piece, of n, up to which those that pass by a field have their codes
// made one by one. Where more pass, the comparisons are mispredicted: codes of all take less time.
func mostPassed(n int) int { return 4 + n/32 }

// filter finds those of a block's elements, at most a piece, that may be among the first k. Their numbers begin
// at base.
func (in *input) filter(block stream.Raw, base int) {
	a := in.a
	most, some := in.most()
	if !some {
		return
	}
	if in.to.full && len(a.words) > 0 {
		count, ok := a.words[0].FieldUpTo(a.masks[:], block, in.last(), most < in.to.own, mostPassed(block.Len()))
		switch {
		case ok && count == 0:
			return
		case ok && a.words[0].Exact() && count <= mostPassed(block.Len()):
			a.takeSpace()
			in.filterFew(block, base, most)
			return
		}
	}
	a.takeSpace()
	switch {
	case len(a.words) == 0:
		codes := a.codes64[:block.Len()]
		clear(codes)
		collect(in, codes, block, base, most)
	case a.words[0].Bits <= 32:
		codes := a.codes32[:block.Len()]
		a.words[0].Codes32(codes, extract.Batch{Block: block})
		collect(in, codes, block, base, most)
	default:
		defer a.forget(block.Len())
		codes := a.codes64[:block.Len()]
		a.words[0].Codes(codes, extract.Batch{Block: block})
		collect(in, codes, block, base, most)
	}
}

// forget clears references to full keys of n elements.
func (a *Accumulator) forget(n int) {
	if lead := &a.words[0]; !lead.Exact() {
		lead.Full.Forget(n)
	}
}

// last returns the address of the k-th element.
func (in *input) last() unsafe.Pointer { return in.to.elements.Raw().At(int(in.to.last)) }

// most returns the largest code of elements that may be among the first k; some is false if none may.
func (in *input) most() (most uint64, some bool) {
	if in.to.full && in.a.decisive && in.limit == in.to.own {
		// Equal codes are equal elements here: the k held precede these.
		return in.limit - 1, in.limit > 0
	}
	return in.limit, true
}

// passes reports whether an element, whose code does not exceed that of the k-th, may be among the first k.
func (in *input) passes(code uint64, e unsafe.Pointer) bool {
	return !in.to.full || code < in.to.own || !in.a.decisive && in.a.of.Compare(e, in.last()) < 0
}

// filterFew is filter of the few elements whose bits are set in a.masks.
func (in *input) filterFew(block stream.Raw, base int, most uint64) {
	a, n := in.a, 0
	for w, mask := range a.masks[:(block.Len()+63)/64] {
		for ; mask != 0; mask &= mask - 1 {
			a.passed[n%len(a.passed)] = uint32(w*64 + bits.TrailingZeros64(mask))
			n++
		}
	}
	at, codes := a.passed[:n], a.codes64[:n]
	a.words[0].Codes(codes, extract.Elements(block, at))
	for i, code := range codes {
		if code <= most && in.passes(code, block.At(int(at[i]))) {
			a.find(uint32(base)+at[i], code)
		}
	}
}

// collect is filter of elements whose codes are known.
func collect[C sortkey.Code](in *input, codes []C, block stream.Raw, base int, most uint64) {
	a := in.a
	masks := a.masks[:(len(codes)+63)/64]
	count := loops.UpTo(masks, codes, C(min(most, uint64(^C(0)))))
	ties := count // of the code in.limit, that may be among the first k
	if count > 2*a.k {
		own := kth(codes, a.k)
		in.limit = uint64(own)
		if a.decisive {
			ties = a.k
			if own > 0 {
				ties -= loops.UpTo(masks, codes, own-1)
			}
		}
		loops.UpTo(masks, codes, own)
	}
	found := a.space
	for w, mask := range masks {
		for ; mask != 0; mask &= mask - 1 {
			i := w*64 + bits.TrailingZeros64(mask)
			code := uint64(codes[i])
			if code == in.limit {
				if ties == 0 {
					continue
				}
				ties--
			}
			if in.passes(code, block.At(i)) {
				found.find(uint32(base+i), code)
			}
		}
	}
}
