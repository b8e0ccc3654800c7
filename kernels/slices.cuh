// slices.cuh: from a code and its input position to the word that the kernels
// sort, and from that word to its slice.
//
// The word ("element") is 64 bits wide. Its high bits are the code, less the
// lowest one of a sample and shifted up so that the sample's range fills the
// word; the input position follows. A slice is an equal part of all words, one
// multiplication away. Where code and position do not fit into 64 bits, the low
// bits of the code give way, and the few elements that then look alike are told
// apart by their codes in memory. The few codes outside the sample's range are
// listed and sorted by themselves.
//
// Codes that are not spread evenly go through a piecewise linear map of (code,
// position) first. Its segments share the words out by how many elements each
// holds, so slices are even again, also where millions of elements have one
// code: no two elements have the same position.
#pragma once
#include "platform.cuh"

constexpr int SEGMENT_BITS = 10, SEGMENTS = 1 << SEGMENT_BITS;
constexpr int SECTION_BITS = 6; // of a word that choose its section, see rooms.cuh

// Layout of an element.
template <class Code> struct Layout {
	typedef Code Raw;
	typedef u64 Element;
	typedef u32 Listed; // what is known of a code outside the range: its position
	static constexpr int SECTION_BITS = ::SECTION_BITS;
	Code low, span;  // codes low … low+span of the sample
	u32 up;          // bits that code - low moves up: its range ends at bit 63
	u32 at;          // lowest bit of the position
	u64 keep;        // bits of the moved code that stay

	// element makes the element of a code inside the range.
	DEVICE u64 element(Code code, u32 position) const { return ((u64)(Code)(code - low) << up & keep) | (u64)position << at; }
	DEVICE static u32 listed(Code, u32 position) { return position; }
};

// KeyLayout is the layout where only keys are sorted: an element is the code alone,
// and as wide. Elements are equal where codes are, and a slice is cut nowhere
// inside a code: codes may not be too few.
template <class Code> struct KeyLayout {
	typedef Code Raw, Element, Listed;
	static constexpr int SECTION_BITS = ::SECTION_BITS;
	Code low, span; // as in Layout
	u32 up;         // bits that code - low moves up: its range ends at the highest bit

	DEVICE Code element(Code code, u32) const { return (Code)(code - low) << up; }
	DEVICE Code code(Code element) const { return (element >> up) + low; }
	DEVICE static Code listed(Code code, u32) { return code; }
};

// leading returns the 32 bits of an element that slices are taken from.
DEVICE u32 leading(u64 element) { return (u32)(element >> 32); }
DEVICE u32 leading(u32 element) { return element; }

// outside reports whether code lies outside the layout's range.
template <class L> DEVICE bool outside(typename L::Raw code, const L &layout) { return (typename L::Raw)(code - layout.low) > layout.span; }

// word_of makes a word that is in the order of code and position, as far as 64
// bits tell them apart, but that position cannot be read from.
template <class Code> DEVICE u64 word_of(Code code, u32 position, const Layout<Code> &layout) {
	return (u64)(Code)(code - layout.low) << layout.up | ((u64)position << layout.at & layout.keep);
}

// Key is (code, position) as one number: two words for codes of 64 bits.
template <class Code> struct Key;
template <> struct Key<u32> {
	u64 all;
	DEVICE static Key of(u32 code, u32 position) { return {(u64)code << 32 | position}; }
	DEVICE static Key end() { return {~0ull}; }
	DEVICE bool operator<(const Key &k) const { return all < k.all; }
	// skip returns the leading zero bits of *this - k, of 64.
	DEVICE u32 skip(const Key &k) const { return __clzll(all - k.all); }
	// leading returns 32 bits of *this - k, below the first skip of its 64.
	DEVICE u32 leading(const Key &k, u32 skip) const { return (u32)((all - k.all) << skip >> 32); }
};
template <> struct Key<u64> {
	u64 code;
	u64 position; // below 1 << 32
	DEVICE static Key of(u64 code, u32 position) { return {code, position}; }
	DEVICE static Key end() { return {~0ull, 0xffffffffull}; }
	DEVICE bool operator<(const Key &k) const { return code < k.code || (code == k.code && position < k.position); }
	// skip returns the leading zero bits of *this - k, of 96.
	DEVICE u32 skip(const Key &k) const {
		u64 high = code - k.code - (position < k.position);
		return high ? __clzll(high) : 64 + __clz((u32)(position - k.position));
	}
	// leading returns 32 bits of *this - k, below the first skip of its 96.
	DEVICE u32 leading(const Key &k, u32 skip) const {
		u64 high = code - k.code - (position < k.position);
		u32 low = (u32)(position - k.position);
		if (skip < 32) return (u32)((high << skip) >> 32); // below bit 32 of the difference nothing is left
		return (u32)((high << 32 | low) << (skip - 32) >> 32);
	}
};

// Map is a piecewise linear map of keys to words. Segment s holds the keys from
// its low end to that of the next segment. cell[c] is the segment of the lowest
// key in cell c of the range, and where the search for a key of the cell before
// ends.
template <class Code> struct Map {
	Code code[SEGMENTS];    // low ends
	u64 base[SEGMENTS];     // words of the low ends
	u64 rise[SEGMENTS];     // words a step of a key's leading 32 bits behind the low end
	u32 position[SEGMENTS]; // low ends, below the code
	u16 cell[SEGMENTS + 4];
};

// cell_of numbers words by their exponent and the four bits behind their highest
// one: codes are more often crowded at the low end than anywhere else.
DEVICE u32 cell_of(u64 word) {
	const u32 zeros = __clzll(word | 1);
	return (63 - zeros) << 4 | ((u32)(word << zeros >> 59) & 15);
}

// stretch_for is what positions below n are multiplied by to fill 32 bits; 2 <= n.
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

// equalised maps a code and its position.
template <class Code> DEVICE u64 equalised(const Map<Code> &map, const Layout<Code> &layout, Code code, u32 position, u32 stretch) {
	const u32 s = segment_of(map, layout, code, position, stretch);
	const Key<Code> low = Key<Code>::of(map.code[s], map.position[s]);
	const Key<Code> end = s == map.cell[SEGMENTS] ? Key<Code>::end() : Key<Code>::of(map.code[s + 1], map.position[s + 1]);
	return map.base[s] + Key<Code>::of(code, position * stretch).leading(low, end.skip(low)) * map.rise[s];
}

// A bucket, which holds the elements of one slice.
constexpr u32 LOCAL_SIZE = 1024;                                // elements at most
constexpr u32 LOCAL_BITS = 10, LOCAL_KEY_BITS = 32 - LOCAL_BITS; // of a local word: position in the bucket, leading bits of the distance inside the slice

// slice_of returns the slice of an element: there are as many as the largest
// element, times scale, needs.
template <class Element> DEVICE u32 slice_of(Element element, u32 scale) { return __umulhi(leading(element), scale); }

// Status words that kernels report in. They are clear before a sort.
enum Status {
	LOST,     // 1 if elements found no room: the order is incomplete
	SPILLED,  // elements beyond the capacity of their bucket, in the spill list
	OVERSIZE, // buckets beyond the capacity, in the list of oversize buckets
	BELOW,    // codes below the range, listed
	ABOVE,    // codes above the range, listed
	BUCKETS,  // buckets in use
	TILES,    // tiles of the second partition
	DESCENTS, // neighbours in the wrong order, from count_descents
	DISORDER, // neighbours of an order that are wrong, from mark_order
	MISSING,  // positions that an order lacks, from count_missing
	ENDED,    // blocks of oversize_sort that are done
	STATUS_WORDS
};
