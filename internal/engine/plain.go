package engine

import "unsafe"

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
