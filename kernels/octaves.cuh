// octaves.cuh: elements of codes spread by magnitude. Each octave, from one power of two to
// the next, has about the same number of codes. Counts, sizes, ranks and delays are often
// distributed like this (log-uniform, Zipf).
//
// An element is the octave of code - low, the bits of code - low after its highest one, and
// the input position. The position follows those bits directly, so that millions of elements
// with equal codes differ in leading bits, too:
//
//   63 ... | octave: 5 bits, 6 of wide codes
//          | bits of the code: octave of them, or fewer if the position needs the space
//          | position, stretched to fill index_bits if n is no power of two
//      ... 0 | zeros
//
// low and low + 1 share the first octave, with one bit. The order of elements is that of
// (code, position), except where bits of the code are left out: of n wide codes, elements have
// the leading 64 - 6 - log2 n bits. Elements that are equal in those are compared by their
// codes. Elements are spread evenly enough that octaves serve as sections
// (partitions.cuh).
#pragma once
#include "slices.cuh"

// A stretched position is position * 2^16 / scale, rounded down. scale is n * 2^16 / 2^index_bits,
// rounded up. So stretched positions of different positions differ.
constexpr int SCALE_BITS = 16;

DEVICE u32 scale_for(u64 n, u32 index_bits) { return (u32)(((n << SCALE_BITS) + (1ull << index_bits) - 1) >> index_bits); }

// reciprocal_of returns 2^64 / scale, rounded up. The high word of its product with a number below
// 2^48 is the exact quotient by scale.
DEVICE u64 reciprocal_of(u32 scale) { return ~0ull / scale + 1; }

// WHOLE: n is a power of two, so positions are not stretched.
template <class Code, bool WHOLE = false> struct OctaveLayout {
	typedef Code Raw;
	typedef u64 Element;
	typedef u32 Listed;
	static constexpr int BITS = 8 * sizeof(Code), SECTION_BITS = BITS == 32 ? 5 : 6; // of a code; of an octave's number
	Code low, span;  // codes low … low+span
	u32 index_bits;
	u64 reciprocal;

	DEVICE u64 element(Code code, u32 position) const {
		const Code above = code - low;
		const u32 octave = BITS - 1 - (BITS == 32 ? __clz((u32)(above | 1)) : __clzll(above | 1)), bits = max(octave, 1u);
		const u64 lower = (u64)(Code)(above << (BITS - bits)) << (64 - BITS) >> SECTION_BITS; // without the highest bit
		return (u64)octave << (64 - SECTION_BITS) | (lower & ~0ull << index_bits) | (WHOLE ? position : __umul64hi((u64)position << SCALE_BITS, reciprocal)) << position_at(octave);
	}
	// position_at returns the lowest bit of positions in elements of an octave.
	DEVICE u32 position_at(u32 octave) const {
		const u32 lower = 64 - SECTION_BITS - index_bits, bits = max(octave, 1u);
		return lower > bits ? lower - bits : 0;
	}
	DEVICE static u32 listed(Code, u32 position) { return position; }
};

// OctaveFields locates code and position in an element of an OctaveLayout.
template <class Code> struct OctaveFields {
	static constexpr int SECTION_BITS = OctaveLayout<Code>::SECTION_BITS;
	u32 index_bits, scale;
	bool exact; // no bit of a code is left out

	DEVICE u32 at(u64 e) const { return OctaveLayout<Code>{0, 0, index_bits, 0}.position_at((u32)(e >> (64 - SECTION_BITS))); }
	DEVICE u32 position(u64 e) const {
		const u32 stretched = (u32)(e >> at(e)) & ((1u << index_bits) - 1);
		return (u32)(((u64)stretched * scale + (1u << SCALE_BITS) - 1) >> SCALE_BITS);
	}
	DEVICE bool whole() const { return exact; }
	DEVICE bool alike(u64 a, u64 b) const { return !exact && (a ^ b) >> (at(a) + index_bits) == 0; }
	DEVICE u64 outsider(u32 position) const {
		const u64 last = ~0ull << (64 - SECTION_BITS);
		return last | __umul64hi((u64)position << SCALE_BITS, reciprocal_of(scale)) << at(last);
	}
};
