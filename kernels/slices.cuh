// slices.cuh: elements, the 64-bit words that the kernels sort, and their slices.
//
// The high bits of an element are code - low, shifted up so that the range of a
// sample fills the word. The input position follows. A slice is an equal part of all
// words, found by one multiplication. Where code and position do not fit into 64 bits,
// the low bits of the code are left out, and the few elements that are then alike are
// compared by their codes in memory. The few codes outside the sample's range are
// listed and sorted separately.
//
// Codes that are not spread evenly are mapped by a piecewise linear function of (code,
// position). Each of its segments gets words in proportion to its elements, so slices are
// even again. That holds for millions of equal codes, too, since positions differ.
#pragma once
#include "platform.cuh"

constexpr int SEGMENT_BITS = 10, SEGMENTS = 1 << SEGMENT_BITS;
constexpr int SECTION_BITS = 6; // leading bits of a word that select its section, see partitions.cuh

// Layout of an element.
template <class Code> struct Layout {
	typedef Code Raw;
	typedef u64 Element;
	typedef u32 Listed; // entry of a list of codes outside the range: the position
	static constexpr int SECTION_BITS = ::SECTION_BITS;
	Code low, span;  // codes low … low+span of the sample
	u32 up;          // shift of code - low: its highest bit becomes bit 63
	u32 at;          // lowest bit of the position
	u64 keep;        // mask of the shifted code's bits that the element has

	// element makes the element of a code inside the range.
	DEVICE u64 element(Code code, u32 position) const { return ((u64)(Code)(code - low) << up & keep) | (u64)position << at; }
	DEVICE static u32 listed(Code, u32 position) { return position; }
};

// KeyLayout is the layout where only keys are sorted: an element is the code alone, with the
// width of a code. Equal codes are equal elements and have one slice, so the codes must have
// enough distinct values.
template <class Code> struct KeyLayout {
	typedef Code Raw, Element, Listed;
	static constexpr int SECTION_BITS = ::SECTION_BITS;
	Code low, span; // as in Layout
	u32 up;         // shift of code - low: its highest bit becomes that of the element

	DEVICE Code element(Code code, u32) const { return (Code)(code - low) << up; }
	DEVICE Code code(Code element) const { return (element >> up) + low; }
	DEVICE static Code listed(Code code, u32) { return code; }
};

// leading returns the leading word of an element: the 32 bits that determine its slice.
DEVICE u32 leading(u64 element) { return (u32)(element >> 32); }
DEVICE u32 leading(u32 element) { return element; }

// outside reports whether code lies outside the layout's range.
template <class L> DEVICE bool outside(typename L::Raw code, const L &layout) { return (typename L::Raw)(code - layout.low) > layout.span; }

// word_of returns a word whose order is that of (code, position), as far as 64 bits distinguish
// them. The position cannot be read from it.
template <class Code> DEVICE u64 word_of(Code code, u32 position, const Layout<Code> &layout) {
	return (u64)(Code)(code - layout.low) << layout.up | ((u64)position << layout.at & layout.keep);
}

// Key is (code, position) as one number: two words for 64-bit codes.
template <class Code> struct Key;
template <> struct Key<u32> {
	u64 all;
	DEVICE static Key of(u32 code, u32 position) { return {(u64)code << 32 | position}; }
	DEVICE static Key end() { return {~0ull}; }
	DEVICE bool operator<(const Key &k) const { return all < k.all; }
	// skip returns the number of leading zeros of *this - k, a number of 64 bits.
	DEVICE u32 skip(const Key &k) const { return __clzll(all - k.all); }
	// leading returns the 32 bits of *this - k after its first skip bits.
	DEVICE u32 leading(const Key &k, u32 skip) const { return (u32)((all - k.all) << skip >> 32); }
};
template <> struct Key<u64> {
	u64 code;
	u64 position; // below 1 << 32
	DEVICE static Key of(u64 code, u32 position) { return {code, position}; }
	DEVICE static Key end() { return {~0ull, 0xffffffffull}; }
	DEVICE bool operator<(const Key &k) const { return code < k.code || (code == k.code && position < k.position); }
	// skip returns the number of leading zeros of *this - k, a number of 96 bits.
	DEVICE u32 skip(const Key &k) const {
		u64 high = code - k.code - (position < k.position);
		return high ? __clzll(high) : 64 + __clz((u32)(position - k.position));
	}
	// leading returns the 32 bits of *this - k after its first skip bits.
	DEVICE u32 leading(const Key &k, u32 skip) const {
		u64 high = code - k.code - (position < k.position);
		u32 low = (u32)(position - k.position);
		if (skip < 32) return (u32)((high << skip) >> 32); // all 32 bits are above bit 32 of the difference
		return (u32)((high << 32 | low) << (skip - 32) >> 32);
	}
};

// Map is a piecewise linear map of keys to words. Segment s holds the keys from
// its low end to that of the next segment. cell[c] is the segment of the lowest
// key in cell c of the range. The search for a key of cell c ends at cell[c + 1].
template <class Code> struct Map {
	Code code[SEGMENTS];    // low ends
	u64 base[SEGMENTS];     // words of the low ends
	u64 rise[SEGMENTS];     // words per step of the leading 32 bits of key - low end
	u32 position[SEGMENTS]; // low ends: the position, after the code
	u16 cell[SEGMENTS + 4];
};

// cell_of numbers words by their exponent and the four bits after their highest one:
// codes are most often crowded at the low end.
DEVICE u32 cell_of(u64 word) {
	const u32 zeros = __clzll(word | 1);
	return (63 - zeros) << 4 | ((u32)(word << zeros >> 59) & 15);
}

// stretch_for returns the factor by which positions below n fill 32 bits; n >= 2.
DEVICE u32 stretch_for(u64 n) { return (u32)((1ull << 32) / n); }

// segment_of finds the segment of the key of a code and its position.
template <class Code> DEVICE u32 segment_of(const Map<Code> &map, const Layout<Code> &layout, Code code, u32 position, u32 stretch) {
	const Key<Code> key = Key<Code>::of(code, position * stretch);
	u32 first = 0, last = map.cell[SEGMENTS];
	if (!outside(code, layout)) {
		const u32 cell = cell_of(word_of(code, position, layout));
		first = map.cell[cell];
		last = map.cell[cell + 1];
	}
	while (first < last) {
		u32 middle = (first + last + 1) / 2;
		if (key < Key<Code>::of(map.code[middle], map.position[middle])) last = middle - 1;
		else first = middle;
	}
	return first;
}

// steps_in returns how far the key of a code and its position is from the low end of its segment s,
// in steps of which the segment has 2^31 to 2^32.
template <class Code> DEVICE u32 steps_in(const Map<Code> &map, u32 s, Code code, u32 position, u32 stretch) {
	const Key<Code> low = Key<Code>::of(map.code[s], map.position[s]);
	const Key<Code> end = s == map.cell[SEGMENTS] ? Key<Code>::end() : Key<Code>::of(map.code[s + 1], map.position[s + 1]);
	return Key<Code>::of(code, position * stretch).leading(low, end.skip(low));
}

// equalised returns the mapped word of a code and its position.
template <class Code> DEVICE u64 equalised(const Map<Code> &map, const Layout<Code> &layout, Code code, u32 position, u32 stretch) {
	const u32 s = segment_of(map, layout, code, position, stretch);
	return map.base[s] + steps_in(map, s, code, position, stretch) * map.rise[s];
}

// A bucket has the elements of one slice.
constexpr u32 LOCAL_SIZE = 1024;                                // its capacity
constexpr u32 LOCAL_BITS = 10, LOCAL_KEY_BITS = 32 - LOCAL_BITS; // of a local word: position in the bucket, leading bits of the distance inside the slice

// slice_of returns the slice of an element: leading word * scale >> 32.
template <class Element> DEVICE u32 slice_of(Element element, u32 scale) { return __umulhi(leading(element), scale); }

// Status words that kernels report in. They are clear before a sort.
enum Status {
	LOST,     // 1 if elements were lost: the order is incomplete
	SPILLED,  // elements beyond the capacity of their bucket, in the spill list
	OVERSIZE, // buckets beyond the capacity, in the list of oversize buckets
	BELOW,    // codes below the range, listed
	ABOVE,    // codes above the range, listed
	BUCKETS,  // buckets in use
	TILES,    // tiles of the second split
	DESCENTS, // neighbours in the wrong order, from count_descents
	DISORDER, // neighbours of an order that are wrong, from mark_order
	MISSING,  // positions that an order lacks, from count_missing
	BUDGET,   // oversize buckets that a sort may have, less for spilled elements: see given_up
	ENDED,    // blocks of oversize_sort that are done
	STATUS_WORDS
};
