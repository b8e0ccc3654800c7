// Package floats maps the bits of IEEE floats to unsigned integers of the same order, and
// back.
//
// Read as integers, positive floats are in order and negative ones in reverse. So all bits of
// negative numbers are flipped, and the sign bit of others. NaNs then lie at both ends, beyond
// the infinities of their sign. Adding the number of NaNs of one sign, modulo 2^width, moves
// both kinds to one end.
package floats

import "unsafe"

// Bits are the bits of a float32 or a float64.
type Bits interface{ uint32 | uint64 }

// Code is a mapping from floats to codes. The vector instructions read its fields by their
// offsets.
type Code[B Bits] struct {
	zero B // replaced by +0: −0, or +0 itself
	most B // larger magnitudes are replaced by nan
	nan  B
	turn B // added to codes
	flip B // complement for descending order
}

// Ordered returns the mapping for the order of [cmp.Compare], or its reverse. −0 has the code
// of +0. All NaNs have one code: the last of all if nansLast, otherwise the first.
func Ordered[B Bits](desc, nansLast bool) *Code[B] {
	return &tableOf[B]().ordered[number(desc, nansLast)]
}

// Exact returns an invertible mapping of the same order: −0 comes before +0, and NaNs, at the
// same end as in [Ordered], are ordered by their bits.
func Exact[B Bits](desc, nansLast bool) *Code[B] {
	return &tableOf[B]().exact[number(desc, nansLast)]
}

// Total returns the invertible mapping of the total order of IEEE 754, or of its reverse: NaNs with a
// sign, −Inf, …, −0, +0, …, +Inf, NaNs without one.
func Total[B Bits](desc bool) *Code[B] { return &tableOf[B]().total[number(desc, false)] }

// table holds all mappings by number. Making one takes as long as mapping ten floats.
type table[B Bits] struct {
	ordered, exact [4]Code[B]
	total          [2]Code[B]
}

var table32, table64 = newTable[uint32](), newTable[uint64]()

func tableOf[B Bits]() *table[B] {
	// Sound: B has 32 or 64 bits and so is uint32 or uint64.
	if top[B]() == 31 {
		return (*table[B])(unsafe.Pointer(table32))
	}
	return (*table[B])(unsafe.Pointer(table64))
}

func number(desc, nansLast bool) (i int) {
	if desc {
		i = 1
	}
	if nansLast {
		i += 2
	}
	return i
}

func newTable[B Bits]() *table[B] {
	t := new(table[B])
	for _, desc := range []bool{false, true} {
		for _, nansLast := range []bool{false, true} {
			c := Code[B]{most: ^sign[B](), turn: ^(inf[B]() | sign[B]())}
			if desc {
				c.flip = ^B(0)
			}
			if nansLast != desc { // NaNs are last before codes are complemented
				c.turn = -c.turn
			}
			i := number(desc, nansLast)
			t.exact[i] = c
			t.total[i%2] = Code[B]{most: c.most, flip: c.flip}
			c.zero, c.most, c.nan = sign[B](), inf[B](), inf[B]()+1
			t.ordered[i] = c
		}
	}
	return t
}

// Fields returns the numbers of the mapping, for other processors: [Code.Of] as steps.
func (c *Code[B]) Fields() (zero, most, nan, turn, flip uint64) {
	return uint64(c.zero), uint64(c.most), uint64(c.nan), uint64(c.turn), uint64(c.flip)
}

func sign[B Bits]() B { return ^(^B(0) >> 1) }

// top is the number of the sign bit.
func top[B Bits]() int { return int(unsafe.Sizeof(B(0)))*8 - 1 }

// inf is +Inf: the bits of the exponent.
func inf[B Bits]() B {
	mantissa := 23
	if top[B]() == 63 {
		mantissa = 52
	}
	return ^B(0) >> 1 >> mantissa << mantissa
}

// Inverse returns the numbers by which a code of c becomes a float: (code ^ flip) - turn, with its sign
// bit flipped if that is set, and all bits flipped otherwise.
func (c *Code[B]) Inverse() (flip, turn B) { return c.flip, c.turn }

// Of returns the code of a float.
func (c *Code[B]) Of(b B) B { return of(b, c.zero, c.most, c.nan, c.turn, c.flip) }

// of is Of with the mapping in registers.
func of[B Bits](b, zero, most, nan, turn, flip B) B {
	if b == zero {
		b = 0
	}
	if b&^sign[B]() > most {
		b = nan
	}
	return ((b ^ (-(b >> top[B]()) | sign[B]())) + turn) ^ flip
}

// Encode writes the codes of src to dst. len(dst) >= len(src).
func (c *Code[B]) Encode(dst, src []B) {
	done := encodeVectors(dst, src, c)
	c.encode(dst[done:], src[done:])
}

// encode is Encode without vector instructions, also for the elements after the last vector.
func (c *Code[B]) encode(dst, src []B) {
	zero, most, nan, turn, flip := c.zero, c.most, c.nan, c.turn, c.flip
	dst = dst[:len(src)]
	for i, b := range src {
		dst[i] = of(b, zero, most, nan, turn, flip)
	}
}

// Decode writes the floats of the given codes. c must come from [Exact] or [Total].
// len(dst) >= len(codes).
func (c *Code[B]) Decode(dst, codes []B) {
	done := decodeVectors(dst, codes, c)
	dst, codes = dst[done:len(codes)], codes[done:]
	turn, flip := c.turn, c.flip
	for i, code := range codes {
		b := (code ^ flip) - turn
		dst[i] = b ^ ((b>>top[B]() - 1) | sign[B]())
	}
}

// Alike records whether equal floats are identical, bit for bit. Only zeros and NaNs may
// differ. The zero value has seen none.
type Alike[B Bits] struct {
	zeros [2]bool // +0 and −0 were seen
	nan   B       // bits of the first NaN; 0: none was seen
	nans  bool    // NaNs with other bits were seen
}

// Add records floats.
func (a *Alike[B]) Add(src []B) {
	most := inf[B]() << 1
	for _, b := range src {
		if b<<1-1 >= most { // minus 1, zeros wrap to the maximum
			a.add(b)
		}
	}
}

// add records a zero or a NaN.
func (a *Alike[B]) add(b B) {
	switch {
	case b<<1 == 0:
		a.zeros[b>>top[B]()] = true
	case a.nan == 0:
		a.nan = b
	case a.nan != b:
		a.nans = true
	}
}

// Join adds the records of b.
func (a *Alike[B]) Join(b Alike[B]) {
	a.zeros[0], a.zeros[1], a.nans = a.zeros[0] || b.zeros[0], a.zeros[1] || b.zeros[1], a.nans || b.nans
	if b.nan != 0 {
		a.add(b.nan)
	}
}

// Same reports whether all equal floats that were recorded have the same bits.
func (a *Alike[B]) Same() bool { return !(a.zeros[0] && a.zeros[1]) && !a.nans }
