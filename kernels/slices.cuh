// slices.cuh: from a code to the word that the kernels sort, and from that word
// to its slice.
//
// The word ("element") is 64 bits wide: the normalised code in the high bits,
// the input position in the low ones. Normalising takes the lowest code of a
// sample off and shifts the sample's range up against the high end, so a slice,
// an equal part of the range, is one multiplication away. The few codes outside
// the sample's range are moved to its ends and reported.
//
// Skewed codes go through a piecewise linear map first: SEGMENTS equal parts of
// the range, each of which gets as much of the 64-bit space as the sample has
// elements in it, so that slices hold nearly equal numbers of elements again.
#pragma once
#include "platform.cuh"

constexpr int SEGMENT_BITS = 10, SEGMENTS = 1 << SEGMENT_BITS;

struct Segment {
	u64 base; // word of the segment's lowest code
	u64 rise; // words a segment takes, divided by 1 << 32
};

// Range is the linear part of the map.
template <class Code> struct Range {
	Code low, span; // codes low … low+span of the sample
	u32 up;         // span << up has its highest bit set
};

// normalised moves code into the 64-bit space and notes whether it lies outside.
DEVICE u64 normalised(u32 code, const Range<u32> &range, bool &outside) {
	u32 d = code - range.low;
	if (d > range.span) {
		outside = true;
		d = code < range.low ? 0 : range.span;
	}
	return (u64)(d << range.up) << 32;
}
DEVICE u64 normalised(u64 code, const Range<u64> &range, bool &outside) {
	u64 d = code - range.low;
	if (d > range.span) {
		outside = true;
		d = code < range.low ? 0 : range.span;
	}
	return d << range.up;
}

// equalised maps a normalised code through its segment. Neighbouring codes may
// become equal, the order never changes.
DEVICE u64 equalised(u64 word, const Segment *segments) {
	const Segment s = segments[word >> (64 - SEGMENT_BITS)];
	return s.base + (u64)(u32)(word >> (32 - SEGMENT_BITS)) * s.rise;
}

// slice_of returns the slice of an element, below the number of slices.
DEVICE u32 slice_of(u64 element, u32 slices) { return __umulhi((u32)(element >> 32), slices); }

// Status words that kernels report in. The host clears them before a sort.
enum Status {
	LOST,      // elements that found no room: the order is incomplete
	SPILLED,   // elements beyond the capacity of their bucket, in the spill list
	OVERSIZE,  // buckets beyond the capacity, in the list of oversize buckets
	OUTSIDE,   // 1 if codes were moved to an end of the range
	DESCENTS,  // neighbours in the wrong order, from inversions
	DISORDER,  // neighbours of an order that are wrong, from verify
	MISSING,   // positions that an order lacks, from verify
	STATUS_WORDS
};
