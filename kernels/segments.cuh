// segments.cuh: sorts each segment of a list separately. Segment s has the elements
// [offsets[s], offsets[s + 1]). The result of a segment is written to its places: sorted codes
// to sorted, or positions in the list to order. The other pointer is null.
//
//   split_segments   assigns segments to windows, to blocks of their own, or to the large ones
//   sort_windows     sorts the segments that begin in a window and end in its tile, a block each
//   sort_segment     sorts a segment of up to 1 << BITS elements, a block each
//   gather_large     makes one list of the large segments
//   number_large     finds the segment of each element of an order
//   finish_large     moves the result of that list to the places of the segments
//
// The segments of a window are neighbours, so a window needs no list of them. A window is
// shorter than its tile by the length up to which every segment fits.
//
// If all segments of a tile have up to 32 elements, a thread sorts each, in registers. Otherwise
// the block sorts 64-bit words by the bitonic network (bitonic.cuh): start of the segment in
// the tile, code, position in the tile. Of a 64-bit code, a word has the leading bits of the
// distance from the tile's lowest code. If neighbours show that those are too few, the block
// sorts again, by the other bits first. 32-bit keys of one segment are their own words.
//
// Large segments of 32-bit codes are sorted by segmentradix.cuh. Those of 64-bit codes are sorted as one
// list, first by code, then by segment.
#pragma once
#include "bitonic.cuh"

constexpr int WINDOW_BITS = 10;
constexpr u32 WINDOW_TILE = 1 << WINDOW_BITS; // elements of a window's segments at most
constexpr u32 WINDOW = WINDOW_TILE - 128;     // places of a window
constexpr u32 SHORT_SEGMENT = 32;             // elements of a segment that a thread sorts
constexpr int SEGMENT_CLASSES = 5;            // classes of segments with a block each: at most 1 << 10 … 1 << 14 elements
constexpr int SPLIT_SEGMENTS_THREADS = 256;
constexpr u32 LARGE_TILE = 4096; // elements of large segments per block, of at most two segments
constexpr int LARGE_THREADS = 256;

static_assert(LARGE_TILE <= WINDOW_TILE << (SEGMENT_CLASSES - 3), "a large segment is longer than a tile, also on devices that lack the last two classes");

// Window has the segments [first, last) that begin in a window and end in its tile.
struct Window {
	u32 first, last;
};

// Large is a segment too long for one block.
struct Large {
	u32 begin, length;
	u32 base; // elements of large segments before it
};

// SegmentCounts is the result of split_segments. It is clear before.
struct SegmentCounts {
	u64 large;   // large segments << 32 | elements of them
	u32 wrong;   // number of segments from the first invalid one on; 0 if offsets ascend up to n at most
	u32 windows; // 1 if a window has segments
	u32 own[SEGMENT_CLASSES]; // segments by class
};

// SegmentLists has a list of segments for each class, at distances of pitch.
struct SegmentLists {
	u32 *list;
	u64 pitch;
	Large *large;
	u32 most; // elements of a segment that a block sorts
};

// classify_segments assigns each segment to the kernel that sorts it. windows are clear before.
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
				lists.large[place >> 32] = {begin, end - begin, (u32)place};
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

// Heads has the beginnings of the segments of a tile.
struct Heads {
	static constexpr u32 EACH = 16;  // elements per thread in find
	u32 bits[WINDOW_TILE / 32]; // a bit for each element that begins a segment; the first one does
	u16 starts[WINDOW_TILE];    // of each element's segment

	// find sets starts of EACH elements from first on.
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

	// end returns the end of the segment of element i, size if it is the last.
	DEVICE u32 end(u32 i, u32 size) const {
		u32 k = i / 32, after = bits[k] & ~1u << i % 32;
		while (after == 0 && 32 * ++k < size) after = bits[k];
		return after ? 32 * k + __ffs(after) - 1 : size;
	}
};

// Whole replaces Heads for a tile of one segment.
struct Whole {
	DEVICE u32 start(u32) const { return 0; }
};

// Range is the range of a tile's codes: words lack the low drop bits of code - low.
template <class Code> struct Range {
	Code low;
	u32 drop;
};

// SegmentWords makes words of a tile's elements. If place is not null, it has their positions in
// the order of the bits that words lack.
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

// Result has the destinations of a tile's results, and the tile's place in the list.
template <class Code> struct Result {
	Code *sorted;
	u32 *order;
	u32 base;

	DEVICE void set(u32 i, Code code, u32 position) const {
		if (sorted) sorted[base + i] = code;
		if (order) order[base + i] = base + position;
	}
};

// sort_words sorts the segments of a tile of 32-bit codes, which words have completely.
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

// sort_words of 64-bit codes. The order is right if neighbours whose words are equal above the
// position are in order.
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

// Staged is a tile's codes, then its results, in shared memory, with padding: threads whose
// segments begin at distances of multiples of 16 use different banks.
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

// count_ranks sorts short segments: an element's rank is the number of elements before it.
template <class Code> DEVICE void count_ranks(WindowShared<Code> &shared, const Code *codes, u32 size, const Result<Code> &result) {
	for (u32 i = threadIdx.x; i < size; i += shared.words.THREADS) shared.staged.item[i] = codes[i];
	__syncthreads(); // codes are staged
	for (u32 i = threadIdx.x; i < size; i += shared.words.THREADS) {
		const Code own = shared.staged.item[i];
		const u32 start = shared.heads.start(i), end = shared.heads.end(i, size);
		u32 place = start;
		for (u32 k = start; k < end; k++) place += k < i ? shared.staged.item[k] <= own : shared.staged.item[k] < own;
		result.set(place, own, i);
	}
}

// ShortKeys and ShortOrder make the elements of a thread that sorts a segment: codes, or code
// << 32 | position in the segment.
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

// sort_lanes sorts staged segments of up to N elements, a thread each.
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

// sort_short sorts segments of up to 8 << level elements.
template <class Short, class Code> DEVICE void sort_short(WindowShared<Code> &shared, const Code *codes, u32 size, const u32 *offsets, u32 first, u32 last, u32 base, int level, Code *to) {
	constexpr u32 THREADS = SegmentTile<Code, WINDOW_BITS>::THREADS, ITEMS = WINDOW_TILE / THREADS;
	Code code[ITEMS]; // all loads are issued before the first store
#pragma unroll
	for (u32 k = 0; k < ITEMS; k++) code[k] = threadIdx.x + k * THREADS < size ? load_once(codes + base + threadIdx.x + k * THREADS) : 0;
#pragma unroll
	for (u32 k = 0; k < ITEMS; k++)
		if (threadIdx.x + k * THREADS < size) shared.staged.at(threadIdx.x + k * THREADS) = code[k];
	__syncthreads(); // codes are staged
	if (level == 0) sort_lanes<Short, 8>(shared.staged, offsets, first, last, base, THREADS);
	else if (level == 1) sort_lanes<Short, 16>(shared.staged, offsets, first, last, base, THREADS);
	else sort_lanes<Short, 32>(shared.staged, offsets, first, last, base, THREADS);
	__syncthreads(); // results are staged
	for (u32 i = threadIdx.x; i < size; i += THREADS) to[base + i] = shared.staged.at(i);
}

// find_heads finds the beginnings of the segments of a tile.
DEVICE void find_heads(Heads &heads, const u32 *offsets, u32 first, u32 last, u32 size, u32 threads) {
	const u32 base = offsets[first];
	for (u32 k = threadIdx.x; k < WINDOW_TILE / 32; k += threads) heads.bits[k] = 0;
	__syncthreads(); // heads are clear
	for (u32 s = first + threadIdx.x; s < last; s += threads) {
		const u32 start = offsets[s] - base;
		if (start < size) atomicOr(heads.bits + start / 32, 1u << start % 32);
	}
	__syncthreads(); // heads are set
	if (threadIdx.x * Heads::EACH < size) heads.find(threadIdx.x * Heads::EACH);
	__syncthreads(); // starts are written
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

// sort_segment sorts segment list[blockIdx.x].
template <class Code, int BITS> DEVICE void sort_segment(const Code *codes, const u32 *offsets, const u32 *list, Code *sorted, u32 *order) {
	typedef SegmentTile<Code, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 s = list[blockIdx.x], base = offsets[s], size = offsets[s + 1] - base;
	sort_words(shared, codes + base, size, Whole(), Result<Code>{sorted, order, base});
}

// KeyWords are the codes themselves.
struct KeyWords {
	typedef u32 Element;
	const u32 *codes;
	DEVICE u32 get(u64 i) const { return codes[i]; }
};

// sort_segment_keys is sort_segment for 32-bit keys.
template <int BITS> DEVICE void sort_segment_keys(const u32 *codes, const u32 *offsets, const u32 *list, u32 *sorted) {
	typedef BitonicShared<u32, 1 << BITS> Shared;
	SORTER_SHARED(Shared, tile);
	const u32 s = list[blockIdx.x], base = offsets[s], size = offsets[s + 1] - base;
	sort_tile(tile, KeyWords{codes + base}, 0, size);
	for (u32 i = threadIdx.x; i < size; i += SegmentTile<u32, BITS>::THREADS) sorted[base + i] = tile.get(i);
}

// LargePair has the one or two segments of a tile's elements.
struct LargePair {
	const Large *large;
	u32 count, segment; // of the tile's first element

	// The constructor searches all segments for that of element first.
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

// gather_large writes the n codes of the large segments as one list, and the segment of the first
// element of each tile.
template <class Code> DEVICE void gather_large(const Code *codes, const Large *large, u64 count, u64 n, Code *gathered, u32 *segments) {
	const u64 tile = (u64)blockIdx.x * LARGE_TILE;
	const LargePair in(large, count, (u32)tile);
	if (threadIdx.x == 0) segments[blockIdx.x] = in.segment;
#pragma unroll 4
	for (u64 i = tile + threadIdx.x; i < min(n, tile + LARGE_TILE); i += LARGE_THREADS) {
		const Large segment = large[in.of((u32)i)];
		gathered[i] = load_once(codes + segment.begin + ((u32)i - segment.base));
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

// finish_large writes the results of large segments. The i-th element is order[i], or order[by[i]]
// if by is not null.
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
