package engine

import (
	"math"
	"unsafe"
)

// Plain is the keys of a job as they lie in memory, in input order, where codes are a function of
// their bits. An engine may read them there and make the codes itself, instead of pulling codes.
type Plain struct {
	At   unsafe.Pointer // of the first of N keys: of 4 bytes for 32-bit codes, otherwise of 8
	Code Mapping

	// Pass is called once for each range of keys, in any sequence and concurrently, on the terms
	// of a source of codes, while or after they are read: the library copies them. An engine that
	// pulls codes does not call it.
	Pass func(lo, hi int)

	// Overwrite, unless nil, is called before sorted keys are written to At in place of emitted
	// codes, after Pass has returned for all keys and after [Env.Commit].
	Overwrite func()
}

// Mapping makes a code of the bits of a key. Of integers, code = bits ^ Flip. Of floats it is that
// of package floats, whose inverse has to exist if keys are overwritten.
type Mapping struct {
	Float                 bool
	Zero, Most, NaN, Turn uint64 // of floats
	Flip                  uint64
}

// Of returns the code of a key's bits, of a width of 32 or 64: the definition, and the twin of what
// devices compute.
func (m Mapping) Of(bits uint64, width int) uint64 {
	mask, sign := uint64(math.MaxUint64)>>(64-width), uint64(1)<<(width-1)
	if !m.Float {
		return (bits ^ m.Flip) & mask
	}
	if bits == m.Zero {
		bits = 0
	}
	if bits&^sign > m.Most {
		bits = m.NaN
	}
	if bits&sign != 0 {
		bits = ^bits
	} else {
		bits ^= sign
	}
	return ((bits + m.Turn) ^ m.Flip) & mask
}
