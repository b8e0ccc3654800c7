// segments.cuh: each segment of a list sorted by itself. offsets has one number more than
// there are segments: segment s has the elements offsets[s] to offsets[s + 1] - 1. Sorted codes
// or positions in the list are written, to sorted or to order, of which the other is null, to the
// places of the segment. Nothing else is written.
//
//   split_segments   sends segments to windows, to blocks of their own, or to the list of large ones
//   sort_windows     a block sorts the segments that begin in a window, if they end in its tile
//   sort_segment     a block sorts a segment of up to 1 << BITS elements
//   sample_large     whether codes of large segments are spread evenly
//   gather_large     large segments beside each other, for a sort of all of them
//   number_large     the segment of each element of an order
//   finish_large     the result of that sort to the places of the segments
//
// A window needs no list of its segments: they are neighbours. Windows are shorter than tiles
// by as much as a segment may be long to fit in any case.
//
// Segments of a tile that all have up to 32 elements are sorted by a thread each, in registers. Other
// blocks sort words of 64 bits by the bitonic network (bitonic.cuh): start of the segment in
// the tile, code, position in the tile. Of 64-bit codes a word has the leading bits of the
// distance from the tile's lowest code. Where neighbours show that those were too few, the block
// sorts again, by the other bits first. Keys of 32 bits, of one segment, are their words.
//
// Large segments are sorted together. A 32-bit code becomes base * 2^32 + code * length, where
// base is the number of elements of large segments before this one: that is in the order of
// segment and code, and spread evenly over 64 bits where codes are, whatever the lengths. Other
// codes are ordered by themselves, and then by segment; 32-bit keys are sorted with the number of
// the segment in front.
#pragma once
#include "bitonic.cuh"

constexpr int WINDOW_BITS = 10;
constexpr u32 WINDOW_TILE = 1 << WINDOW_BITS; // elements of a window's segments at most
constexpr u32 WINDOW = WINDOW_TILE - 128;     // places of a window
constexpr u32 SHORT_SEGMENT = 32;             // elements of a segment that a thread sorts
constexpr int SEGMENT_CLASSES = 5;            // of segments with a block each: 1 << 10 … 1 << 14 elements at most
constexpr int SPLIT_SEGMENTS_THREADS = 256;
constexpr u32 LARGE_TILE = 4096; // elements of large segments that a block moves; at most two segments meet in it
constexpr int LARGE_THREADS = 256;

static_assert(LARGE_TILE <= WINDOW_TILE << (SEGMENT_CLASSES - 3), "a large segment is longer than a tile, also on devices that lack the last two classes");

// Window is the segments that begin in a window and end in its tile: first … last - 1.
struct Window {
	u32 first, last;
};

// Large is a segment that no block sorts.
struct Large {
	u32 begin, length;
	u32 base;    // elements of those before
	u32 inverse; // of the odd part of length, modulo 2^32
};

// inverse_of returns the inverse of an odd number modulo 2^32: each step doubles the bits that
// are right, of which the first value has 5.
DEVICE u32 inverse_of(u32 odd) {
	u32 x = odd * 3 ^ 2;
#pragma unroll
	for (int i = 0; i < 3; i++) x *= 2 - odd * x;
	return x;
}

// SegmentCounts is the result of split_segments. It is clear before.
struct SegmentCounts {
	u64 large;   // large segments << 32 | elements of them
	u32 wrong;   // segments from the first wrong one on, 0 if all offsets ascend and none is above n
	u32 windows; // 1 if a window has segments
	u32 own[SEGMENT_CLASSES]; // segments by class
};

// SegmentLists is the segments of each class. pitch is the distance from one list to the next.
struct SegmentLists {
	u32 *list;
	u64 pitch;
	Large *large;
	u32 most; // elements of a segment that a block sorts
};

// classify_segments sends each segment to the kernel that sorts it. windows are clear before.
DEVICE void classify_segments(const u32 *offsets, u64 segments, u64 n, SegmentCounts *counts, Window *windows, const SegmentLists &lists) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 warp = (u64)blockIdx.x * blockDim.x + threadIdx.x - lane_id(); warp < segments; warp += step) {
		const u64 s = warp + lane_id();
		const u32 begin = s < segments ? offsets[s] : 0, end = s < segments ? offsets[s + 1] : 0;
		const bool wrong = begin > end || end > n;
		if (wrong) atomicMax(&counts->wrong, (u32)(segments - s));
		int own = -1; // class
		if (s < segments && !wrong) {
			const u32 w = begin / WINDOW;
			const bool fits = end <= w * WINDOW + WINDOW_TILE;
			if (s == 0 || offsets[s - 1] / WINDOW != w) windows[w].first = (u32)s;
			if (s + 1 == segments || end / WINDOW != w) windows[w].last = (u32)s + fits;
			if (fits && load_word(&counts->windows) == 0) atomicOr(&counts->windows, 1u);
			if (!fits && end - begin > lists.most) {
				const u64 place = atomicAdd(&counts->large, 1ull << 32 | (end - begin));
				lists.large[place >> 32] = {begin, end - begin, (u32)place, inverse_of((end - begin) >> (__ffs(end - begin) - 1))};
			} else if (!fits) {
				own = max(0, 32 - __clz(end - begin - 1) - WINDOW_BITS);
			}
		}
#pragma unroll
		for (int c = 0; c < SEGMENT_CLASSES; c++) {
			const u32 lanes = __ballot_sync(FULL_WARP, own == c);
			if (lanes == 0) continue;
			u32 first = 0;
			if (lane_id() == 0) first = atomicAdd(&counts->own[c], (u32)__popc(lanes));
			first = __shfl_sync(FULL_WARP, first, 0);
			if (own == c) lists.list[c * lists.pitch + first + __popc(lanes & ((1u << lane_id()) - 1))] = (u32)s;
		}
	}
}

// Heads is where the segments of a tile begin.
struct Heads {
	static constexpr u32 EACH = 16;  // elements that a thread finds the starts of
	u32 bits[WINDOW_TILE / 32]; // a bit for each element that begins a segment; the first one does
	u16 starts[WINDOW_TILE];    // of each element's segment

	// find fills starts, of EACH elements from first on.
	DEVICE void find(u32 first) {
		u32 k = first / 32, before = bits[k] & ~0u >> (31 - first % 32);
		const u32 own = bits[k] >> first % 32;
		while (before == 0) before = bits[--k];
		u32 start = 32 * k + 31 - __clz(before);
#pragma unroll
		for (u32 i = 0; i < EACH; i++) {
			if (own >> i & 1) start = first + i;
			starts[first + i] = (u16)start;
		}
	}

	DEVICE u32 start(u32 i) const { return starts[i]; }

	// end returns where the segment after that of element i starts, or size.
	DEVICE u32 end(u32 i, u32 size) const {
		u32 k = i / 32, after = bits[k] & ~1u << i % 32;
		while (after == 0 && 32 * ++k < size) after = bits[k];
		return after ? 32 * k + __ffs(after) - 1 : size;
	}
};

// Whole is in place of Heads where a tile is one segment.
struct Whole {
	DEVICE u32 start(u32) const { return 0; }
};

// Range is the codes of a tile, and the bits of their distance from the lowest that words lack.
template <class Code> struct Range {
	Code low;
	u32 drop;
};

// SegmentWords makes words of a tile's elements. place, if not null, has their positions by the
// order of the bits that words lack.
template <class Code, class Starts, int BITS> struct SegmentWords {
	typedef u64 Element;
	const Code *codes; // of the tile
	const Starts &starts;
	Range<Code> range;
	const u16 *place;

	DEVICE u64 get(u64 i) const {
		const u32 at = place ? place[i] : (u32)i;
		return (u64)starts.start(at) << (64 - BITS) | (u64)(Code)(codes[at] - range.low) >> range.drop << BITS | i;
	}
};

// LowWords makes words of the bits that SegmentWords lack.
template <class Code, int BITS> struct LowWords {
	typedef u64 Element;
	const Code *codes;
	Range<Code> range;
	DEVICE u64 get(u64 i) const { return ((u64)(codes[i] - range.low) & ((1ull << range.drop) - 1)) << BITS | i; }
};

// SegmentTile is the shared memory of a block that sorts words.
template <class Code, int BITS> struct SegmentTile {
	static constexpr int THREADS = (1 << BITS) / Items<u64>::COUNT;
	BitonicShared<u64, 1 << BITS> tile;
};
template <int BITS> struct SegmentTile<u64, BITS> {
	static constexpr int THREADS = (1 << BITS) / Items<u64>::COUNT;
	BitonicShared<u64, 1 << BITS> tile;
	u64 low[32], high[32]; // codes, by warp
	u16 place[1 << BITS];
};

// Result is where results of a tile go, and the tile's place in the list.
template <class Code> struct Result {
	Code *sorted;
	u32 *order;
	u32 base;

	DEVICE void set(u32 i, Code code, u32 position) const {
		if (sorted) sorted[base + i] = code;
		if (order) order[base + i] = base + position;
	}
};

// sort_words sorts the segments of a tile of 32-bit codes: a word has all of a code.
template <int BITS, class Starts> DEVICE void sort_words(SegmentTile<u32, BITS> &shared, const u32 *codes, u32 size, const Starts &starts, const Result<u32> &result) {
	sort_tile(shared.tile, SegmentWords<u32, Starts, BITS>{codes, starts, {0, 0}, nullptr}, 0, size);
	for (u32 i = threadIdx.x; i < size; i += shared.THREADS) {
		const u64 word = shared.tile.get(i);
		result.set(i, (u32)(word >> BITS), (u32)word & ((1 << BITS) - 1));
	}
}

// range_of returns the range of a tile.
template <int BITS> DEVICE Range<u64> range_of(SegmentTile<u64, BITS> &shared, const u64 *codes, u32 size) {
	u64 low = ~0ull, high = 0;
	for (u32 i = threadIdx.x; i < size; i += shared.THREADS) {
		low = min(low, codes[i]);
		high = max(high, codes[i]);
	}
#pragma unroll
	for (int d = 16; d; d /= 2) {
		low = min(low, __shfl_xor_sync(FULL_WARP, low, d));
		high = max(high, __shfl_xor_sync(FULL_WARP, high, d));
	}
	if (lane_id() == 0) {
		shared.low[warp_id()] = low;
		shared.high[warp_id()] = high;
	}
	__syncthreads(); // low and high of all warps are written
	for (u32 w = 0; w < shared.THREADS / 32; w++) {
		low = min(low, shared.low[w]);
		high = max(high, shared.high[w]);
	}
	return {low, (u32)max(0, 64 - __clzll(high - low) - (64 - 2 * BITS))};
}

// sort_words of 64-bit codes. The order is right if neighbours with alike words are in order:
// words differ as codes do, or not.
template <int BITS, class Starts> DEVICE void sort_words(SegmentTile<u64, BITS> &shared, const u64 *codes, u32 size, const Starts &starts, const Result<u64> &result) {
	constexpr u32 MASK = (1 << BITS) - 1;
	const Range<u64> range = range_of(shared, codes, size);
	sort_tile(shared.tile, SegmentWords<u64, Starts, BITS>{codes, starts, range, nullptr}, 0, size);
	bool wrong = false;
	for (u32 i = threadIdx.x + 1; i < size && range.drop > 0; i += shared.THREADS) {
		const u64 a = shared.tile.get(i - 1), b = shared.tile.get(i);
		if ((a ^ b) >> BITS == 0 && codes[b & MASK] < codes[a & MASK]) wrong = true;
	}
	const bool again = __syncthreads_or(wrong); // the words are read
	if (again) {
		sort_tile(shared.tile, LowWords<u64, BITS>{codes, range}, 0, size);
		for (u32 i = threadIdx.x; i < size; i += shared.THREADS) shared.place[i] = (u16)(shared.tile.get(i) & MASK);
		__syncthreads(); // places are written, words are read
		sort_tile(shared.tile, SegmentWords<u64, Starts, BITS>{codes, starts, range, shared.place}, 0, size);
	}
	for (u32 i = threadIdx.x; i < size; i += shared.THREADS) {
		const u32 at = (u32)shared.tile.get(i) & MASK, position = again ? shared.place[at] : at;
		result.set(i, codes[position], position);
	}
}

// Staged is a tile's codes, then its results, in shared memory: the neighbours of a thread, whose
// segment is a multiple of 16 further on, use other banks.
template <class Code> struct Staged {
	Code item[WINDOW_TILE + WINDOW_TILE / 16];
	DEVICE Code &at(u32 i) { return item[i + i / 16]; }
};

template <class Code> struct WindowShared {
	union {
		SegmentTile<Code, WINDOW_BITS> words;
		Staged<Code> staged;
	};
	Heads heads;
};

// count_ranks sorts short segments: an element's place is the number of those before it.
template <class Code> DEVICE void count_ranks(WindowShared<Code> &shared, const Code *codes, u32 size, const Result<Code> &result) {
	for (u32 i = threadIdx.x; i < size; i += shared.words.THREADS) shared.staged.item[i] = codes[i];
	__syncthreads(); // codes are there
	for (u32 i = threadIdx.x; i < size; i += shared.words.THREADS) {
		const Code own = shared.staged.item[i];
		const u32 start = shared.heads.start(i), end = shared.heads.end(i, size);
		u32 place = start;
		for (u32 k = start; k < end; k++) place += k < i ? shared.staged.item[k] <= own : shared.staged.item[k] < own;
		result.set(place, own, i);
	}
}

// ShortKeys and ShortOrder are elements of a thread that sorts a segment: codes, or codes above
// positions in the segment.
template <class Code> struct ShortKeys {
	typedef Code Element;
	DEVICE static Code make(Code code, u32) { return code; }
	DEVICE static Code result(Code e, u32) { return e; }
};
struct ShortOrder {
	typedef u64 Element;
	DEVICE static u64 make(u32 code, u32 i) { return (u64)code << 32 | i; }
	DEVICE static u32 result(u64 e, u32 first) { return first + (u32)e; }
};

// sort_lanes has each thread sort segments of up to N staged elements.
template <class Short, int N, class Code> DEVICE void sort_lanes(Staged<Code> &staged, const u32 *offsets, u32 first, u32 last, u32 base, u32 threads) {
	for (u32 s = first + threadIdx.x; s < last; s += threads) {
		const u32 begin = offsets[s] - base, size = offsets[s + 1] - offsets[s];
		typename Short::Element item[N];
#pragma unroll
		for (int i = 0; i < N; i++) item[i] = (u32)i < size ? Short::make(staged.at(begin + i), i) : ~(typename Short::Element)0;
		sort_lane<0, N>(item);
#pragma unroll
		for (int i = 0; i < N; i++)
			if ((u32)i < size) staged.at(begin + i) = Short::result(item[i], base + begin);
	}
}

// sort_short sorts short segments, none of them longer than 8 << level.
template <class Short, class Code> DEVICE void sort_short(WindowShared<Code> &shared, const Code *codes, u32 size, const u32 *offsets, u32 first, u32 last, u32 base, int level, Code *to) {
	constexpr u32 THREADS = SegmentTile<Code, WINDOW_BITS>::THREADS, ITEMS = WINDOW_TILE / THREADS;
	Code code[ITEMS]; // all on their way before the first is stored
#pragma unroll
	for (u32 k = 0; k < ITEMS; k++) code[k] = threadIdx.x + k * THREADS < size ? load_once(codes + base + threadIdx.x + k * THREADS) : 0;
#pragma unroll
	for (u32 k = 0; k < ITEMS; k++)
		if (threadIdx.x + k * THREADS < size) shared.staged.at(threadIdx.x + k * THREADS) = code[k];
	__syncthreads(); // codes are there
	if (level == 0) sort_lanes<Short, 8>(shared.staged, offsets, first, last, base, THREADS);
	else if (level == 1) sort_lanes<Short, 16>(shared.staged, offsets, first, last, base, THREADS);
	else sort_lanes<Short, 32>(shared.staged, offsets, first, last, base, THREADS);
	__syncthreads(); // results are there
	for (u32 i = threadIdx.x; i < size; i += THREADS) to[base + i] = shared.staged.at(i);
}

// find_heads finds where the segments of a tile begin.
DEVICE void find_heads(Heads &heads, const u32 *offsets, u32 first, u32 last, u32 size, u32 threads) {
	const u32 base = offsets[first];
	for (u32 k = threadIdx.x; k < WINDOW_TILE / 32; k += threads) heads.bits[k] = 0;
	__syncthreads(); // heads are clear
	for (u32 s = first + threadIdx.x; s < last; s += threads) {
		const u32 start = offsets[s] - base;
		if (start < size) atomicOr(heads.bits + start / 32, 1u << start % 32);
	}
	__syncthreads(); // heads are there
	if (threadIdx.x * Heads::EACH < size) heads.find(threadIdx.x * Heads::EACH);
	__syncthreads(); // starts are there
}

// sort_windows sorts the segments of a window.
template <class Code> DEVICE void sort_windows(const Code *codes, const u32 *offsets, const Window *windows, Code *sorted, u32 *order) {
	SORTER_SHARED(WindowShared<Code>, shared);
	constexpr u32 THREADS = SegmentTile<Code, WINDOW_BITS>::THREADS;
	static_assert(Heads::EACH * THREADS == WINDOW_TILE, "each thread finds starts once");
	const u32 first = windows[blockIdx.x].first, last = windows[blockIdx.x].last;
	if (first >= last) return;
	const u32 base = offsets[first], size = offsets[last] - base;
	if (size == 0) return;
	u32 longest = 0;
	for (u32 s = first + threadIdx.x; s < last; s += THREADS) longest = max(longest, offsets[s + 1] - offsets[s]);
	if (!__syncthreads_or(longest > SHORT_SEGMENT)) {
		const int level = __syncthreads_or(longest > 16) ? 2 : __syncthreads_or(longest > 8);
		if (sorted) return sort_short<ShortKeys<Code>>(shared, codes, size, offsets, first, last, base, level, sorted);
		if constexpr (sizeof(Code) == 4) return sort_short<ShortOrder>(shared, codes, size, offsets, first, last, base, level, order);
		find_heads(shared.heads, offsets, first, last, size, THREADS);
		return count_ranks(shared, codes + base, size, Result<Code>{sorted, order, base});
	}
	find_heads(shared.heads, offsets, first, last, size, THREADS);
	sort_words(shared.words, codes + base, size, shared.heads, Result<Code>{sorted, order, base});
}

// sort_segment sorts the segment of the list that has the block's number.
template <class Code, int BITS> DEVICE void sort_segment(const Code *codes, const u32 *offsets, const u32 *list, Code *sorted, u32 *order) {
	typedef SegmentTile<Code, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 s = list[blockIdx.x], base = offsets[s], size = offsets[s + 1] - base;
	sort_words(shared, codes + base, size, Whole(), Result<Code>{sorted, order, base});
}

// KeyWords are codes as they are.
struct KeyWords {
	typedef u32 Element;
	const u32 *codes;
	DEVICE u32 get(u64 i) const { return codes[i]; }
};

// sort_segment_keys is sort_segment for keys of 32 bits.
template <int BITS> DEVICE void sort_segment_keys(const u32 *codes, const u32 *offsets, const u32 *list, u32 *sorted) {
	typedef BitonicShared<u32, 1 << BITS> Shared;
	SORTER_SHARED(Shared, tile);
	const u32 s = list[blockIdx.x], base = offsets[s], size = offsets[s + 1] - base;
	sort_tile(tile, KeyWords{codes + base}, 0, size);
	for (u32 i = threadIdx.x; i < size; i += SegmentTile<u32, BITS>::THREADS) sorted[base + i] = tile.get(i);
}

// LargePair is the segments of the elements of a tile: one of them, or two.
struct LargePair {
	const Large *large;
	u32 count, segment; // of the tile's first element

	// search finds it among all segments.
	DEVICE LargePair(const Large *large, u64 count, u32 first) : large(large), count((u32)count) {
		u32 low = 0, high = (u32)count - 1;
		while (low < high) {
			const u32 middle = (low + high + 1) / 2;
			if (first < large[middle].base) high = middle - 1;
			else low = middle;
		}
		segment = low;
	}
	DEVICE u32 of(u32 i) const { return segment + (segment + 1 < count && i >= large[segment + 1].base); }
};

constexpr int SPREAD_SAMPLES = LARGE_THREADS, SPREAD_BINS = 16; // of a block of sample_large

// SpreadCounts is the result of sample_large. It is clear before.
struct SpreadCounts {
	u64 squares; // sum over blocks and bins of the squares of counts
	u64 equal;   // pairs of equal codes
};

struct SpreadShared {
	u32 code[SPREAD_SAMPLES], bins[SPREAD_BINS];
};

// sample_spread draws codes of one segment a block, counts them by their leading bits, and counts
// those that are equal. The sample of a sort of all segments may look even where no segment is,
// if its parts are as many as the segments: 2^24 codes from a normal distribution in 1024
// segments take 40 ms spread (H100, 2026-11-23).
DEVICE void sample_spread(const u32 *codes, const Large *large, u64 count, u64 n, SpreadCounts *counts) {
	SORTER_SHARED(SpreadShared, shared);
	const LargePair in(large, count, (u32)((2 * blockIdx.x + 1) * n / (2 * gridDim.x)));
	const Large segment = large[in.segment];
	const u32 random = (threadIdx.x * 0x9e3779b1u ^ blockIdx.x * 0x85ebca6bu) * 0xc2b2ae35u;
	const u32 low = (u32)((u64)threadIdx.x * segment.length / SPREAD_SAMPLES), high = (u32)((u64)(threadIdx.x + 1) * segment.length / SPREAD_SAMPLES);
	const u32 own = codes[segment.begin + low + __umulhi(random, high - low)]; // no code is drawn twice
	shared.code[threadIdx.x] = own;
	if (threadIdx.x < SPREAD_BINS) shared.bins[threadIdx.x] = 0;
	__syncthreads(); // codes are there, bins are clear
	atomicAdd(shared.bins + (own >> 28), 1u);
	u32 equal = 0;
	for (u32 i = 0; i < threadIdx.x; i++) equal += shared.code[i] == own;
	if (equal) atomicAdd(&counts->equal, (u64)equal);
	__syncthreads(); // bins are counted
	if (threadIdx.x < SPREAD_BINS) atomicAdd(&counts->squares, (u64)shared.bins[threadIdx.x] * shared.bins[threadIdx.x]);
}

// Spread and Numbered make codes of large segments that are in the order of segment and code,
// Plain leaves codes as they are. Spread multiplies by the length, and so undoes that without a
// division.
struct Spread {
	typedef u64 Code;
	DEVICE static u64 make(u32 code, const Large &segment, u32) { return ((u64)segment.base << 32) + (u64)code * segment.length; }
	DEVICE static u32 code(u64 made, const Large &segment) { return (u32)((made - ((u64)segment.base << 32)) >> (__ffs(segment.length) - 1)) * segment.inverse; }
};
struct Numbered {
	typedef u64 Code;
	DEVICE static u64 make(u32 code, const Large &, u32 number) { return (u64)number << 32 | code; }
	DEVICE static u32 code(u64 made, const Large &) { return (u32)made; }
};
template <class T> struct Plain {
	typedef T Code;
	DEVICE static T make(T code, const Large &, u32) { return code; }
};

// gather_large writes the codes of large segments, n in all, beside each other, and the segment
// of the first element of each tile.
template <class Make, class Code> DEVICE void gather_large(const Code *codes, const Large *large, u64 count, u64 n, typename Make::Code *gathered, u32 *segments) {
	const u64 tile = (u64)blockIdx.x * LARGE_TILE;
	const LargePair in(large, count, (u32)tile);
	if (threadIdx.x == 0) segments[blockIdx.x] = in.segment;
#pragma unroll 4
	for (u64 i = tile + threadIdx.x; i < min(n, tile + LARGE_TILE); i += LARGE_THREADS) {
		const u32 number = in.of((u32)i);
		const Large segment = large[number];
		gathered[i] = Make::make(load_once(codes + segment.begin + ((u32)i - segment.base)), segment, number);
	}
}

// number_segments writes the segment of each element of an order.
DEVICE void number_segments(const u32 *order, const Large *large, u64 count, u64 n, const u32 *segments, u32 *numbers) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		const u32 at = load_once(order + i), s = segments[at / LARGE_TILE];
		numbers[i] = s + (s + 1 < count && at >= large[s + 1].base);
	}
}

// finish_large writes results of large segments: of the elements by order, or if by is not null
// by that order of the order.
template <class Code> DEVICE void finish_large(const Code *codes, const Large *large, u64 count, u64 n, const u32 *segments, const u32 *order, const u32 *by, Code *sorted, u32 *result) {
	const u64 tile = (u64)blockIdx.x * LARGE_TILE;
	const LargePair in(large, count, (u32)tile);
	for (u64 i = tile + threadIdx.x; i < min(n, tile + LARGE_TILE); i += LARGE_THREADS) {
		const Large segment = large[in.of((u32)i)];
		const u32 at = order[by ? load_once(by + i) : i], position = segment.begin + (at - segment.base), to = segment.begin + ((u32)i - segment.base);
		if (sorted) sorted[to] = codes[position];
		if (result) result[to] = position;
	}
}

// finish_keys writes the keys that sorted codes were made of.
template <class Make> DEVICE void finish_keys(const u64 *made, const Large *large, u64 count, u64 n, u32 *sorted) {
	const u64 tile = (u64)blockIdx.x * LARGE_TILE;
	const LargePair in(large, count, (u32)tile);
#pragma unroll 4
	for (u64 i = tile + threadIdx.x; i < min(n, tile + LARGE_TILE); i += LARGE_THREADS) {
		const Large segment = large[in.of((u32)i)];
		sorted[segment.begin + ((u32)i - segment.base)] = Make::code(load_once(made + i), segment);
	}
}
