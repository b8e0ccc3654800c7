// topsegments.cuh: the k lowest elements of each segment of a list. Segment s has the elements
// [offsets[s], offsets[s + 1]), and its results fill row s, k places.
//
//   split_tops     checks the offsets, and cuts long segments into pieces
//   top_segments   finds the elements of each other segment, or of each piece, a block each
//   top_joined     finds those of a long segment among those of its pieces
//   sort_rows      sorts rows of more than TOP_RANKED places, a warp each
//   first_rows     copies the first places of segments that were sorted whole
//   ranked_rows    copies some places of each of these
//
// A block reads its segment once, a tile at a time, and holds the elements that may be among the k lowest, in input
// order. The k-th lowest of those is a bound that later elements must be below, since they come after equal ones. If
// too many are held, or if a tile has too many below the bound, the k lowest of them are found: counts of
// 256 equal parts of their range show in which part the k-th is, and the same follows for that part, until 128 elements
// or fewer are compared with each other, or those that are left are equal, of which the first ones count. A long segment
// has a first bound from a tile's worth of its elements, another for a k of up to TOP_RANKED from the least code of each thread. Results do not depend on chance, and no list is lost.
#pragma once
#include "local.cuh"
#include "selection.cuh"

constexpr int TOP_THREADS = 256, TOP_WARPS = TOP_THREADS / 32, TOP_ITEMS = 16;
constexpr u32 TOP_TILE = TOP_THREADS * TOP_ITEMS; // elements that a block reads at a time
constexpr u32 TOP_MOST = 1024;                    // places of a row
constexpr u32 TOP_HELD = 2 * TOP_MOST;            // elements that a block holds
constexpr int TOP_BIN_BITS = 8;
constexpr u32 TOP_BINS = 1 << TOP_BIN_BITS, TOP_COPIES = 4; // warps share copies of the bins
constexpr u32 TOP_FEW = 128;            // elements that are compared with each other
constexpr u32 TOP_RUN = 8, TOP_GUESSED = 8 * TOP_TILE; // runs of neighbours, and elements of a source from which on there is a guess
constexpr u32 TOP_RANKED = 128;         // places up to which a block sorts its row
constexpr u64 TOP_PIECE = 1 << 18;      // elements of a piece of a long segment
constexpr int TOP_BLOCKS_U32 = 4, TOP_BLOCKS_U64 = 3; // resident per SM
constexpr int SPLIT_TOPS_THREADS = 256; // of split_tops and first_rows
static_assert(TOP_MOST == LOCAL_SIZE, "a warp sorts a row");

// Piece is a part of a long segment, and Joined its pieces, from first on.
struct Piece {
	u32 begin, end;
};
struct Joined {
	u32 segment, first, pieces;
};

// TopCounts is the result of split_tops. It is clear before.
struct TopCounts {
	u32 wrong; // number of segments from the first invalid one on; 0 if offsets ascend up to n at most
	u32 joined, pieces;
};

// split_for_tops checks all segments and lists the pieces of long ones.
DEVICE void split_for_tops(const u32 *offsets, u64 segments, u64 n, TopCounts *counts, Joined *joined, Piece *pieces) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 s = (u64)blockIdx.x * blockDim.x + threadIdx.x; s < segments; s += step) {
		const u32 begin = offsets[s], end = offsets[s + 1];
		if (begin > end || end > n) {
			atomicMax(&counts->wrong, (u32)(segments - s));
			continue;
		}
		if (end - begin <= TOP_PIECE) continue;
		const u32 length = end - begin, count = (u32)((length + TOP_PIECE - 1) / TOP_PIECE);
		const u32 first = atomicAdd(&counts->pieces, count);
		joined[atomicAdd(&counts->joined, 1u)] = {(u32)s, first, count};
		for (u32 p = 0; p < count; p++) pieces[first + p] = {begin + p * (u32)TOP_PIECE, p + 1 < count ? begin + (p + 1) * (u32)TOP_PIECE : end};
	}
}

// Part and PieceRows are sources of elements: a part of the list, and rows of pieces one after the other.
template <class Code> struct Part {
	const Code *codes; // of the list
	u32 begin;
	DEVICE Code code(u32 i) const { return load_once(codes + begin + i); }
	DEVICE u32 position(u32 i) const { return begin + i; }
};
template <class Code> struct PieceRows {
	const Code *codes; // of the first row
	const u32 *positions;
	DEVICE Code code(u32 i) const { return codes[i]; }
	DEVICE u32 position(u32 i) const { return positions[i]; }
};

template <class Code> struct TopShared {
	Code code[TOP_HELD]; // held, in input order
	u32 position[TOP_HELD];
	u32 bin[TOP_COPIES * TOP_BINS];
	Code few[TOP_FEW];
	u32 few_position[TOP_FEW];
	u64 low[TOP_WARPS], high[TOP_WARPS];
	// Each line apart, since a load of 16 bytes may have several words.
	alignas(16) u32 sums[TOP_WARPS];
	alignas(16) u32 kept[2][TOP_WARPS];
	alignas(16) u32 digit;
	u32 before, inside;
	alignas(16) u32 count;
	alignas(16) Entry<Code> bound;
};

DEVICE u32 width_of(u32 v) { return 32 - __clz(v); }
DEVICE u32 width_of(u64 v) { return 64 - __clzll(v); }

// part_of narrows the items in, of which that of rank is wanted, from 1, to those in its part of the range of their codes,
// now low to high. It returns their number, and rank among them. EVERY: all items of all threads are in.
template <int ITEMS, bool EVERY, class Code> DEVICE u32 part_of(TopShared<Code> &shared, const Code (&code)[ITEMS], u32 &in, u32 &rank, Code &low, Code &high) {
	low = (Code)~(Code)0;
	high = 0;
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (EVERY || in >> i & 1) {
			low = min(low, code[i]);
			high = max(high, code[i]);
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
	constexpr u32 COPIES = ITEMS > 1 ? TOP_COPIES : 1;
	for (u32 b = threadIdx.x; b < COPIES * TOP_BINS; b += TOP_THREADS) shared.bin[b] = 0;
	__syncthreads(); // ranges of all warps are written, bins are clear
#pragma unroll
	for (int w = 0; w < TOP_WARPS; w++) {
		low = min(low, (Code)shared.low[w]);
		high = max(high, (Code)shared.high[w]);
	}
	const u32 width = width_of((Code)(high - low)), shift = width > TOP_BIN_BITS ? width - TOP_BIN_BITS : 0;
	u32 *const own_bins = shared.bin + warp_id() % COPIES * TOP_BINS; // or too many atomics queue up
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (EVERY || in >> i & 1) atomicAdd(&own_bins[(u32)((Code)(code[i] - low) >> shift)], 1u);
	__syncthreads(); // counts are complete
	static_assert(TOP_BINS == TOP_THREADS, "a bin for each thread");
	u32 count = 0;
#pragma unroll
	for (u32 c = 0; c < COPIES; c++) count += shared.bin[c * TOP_BINS + threadIdx.x];
	const u32 before = exclusive_scan_block<TOP_THREADS>(count, shared.sums);
	if (before < rank && rank <= before + count) {
		shared.digit = threadIdx.x;
		shared.before = before;
		shared.inside = count;
	}
	__syncthreads(); // the digit is known
	rank -= shared.before;
	low += (Code)shared.digit << shift;
	high = low + min((Code)(high - low), (Code)(((Code)1 << shift) - 1));
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if ((Code)(code[i] - low) > (Code)(high - low)) in &= ~(1u << i);
	return shared.inside;
}

// narrow repeats part_of until the items in are TOP_FEW or fewer, or have one code.
template <int ITEMS, class Code> DEVICE u32 narrow(TopShared<Code> &shared, const Code (&code)[ITEMS], bool every, u32 &in, u32 &rank, Code &low, Code &high) {
	u32 inside = every ? part_of<ITEMS, true>(shared, code, in, rank, low, high) : part_of<ITEMS, false>(shared, code, in, rank, low, high);
#pragma unroll 1
	while (inside > TOP_FEW && low != high) inside = part_of<ITEMS, false>(shared, code, in, rank, low, high);
	return inside;
}

// lowest_of returns the element of rank, from 1, of the count items in of all threads: TOP_FEW at most. Item i has position(i).
template <int ITEMS, class Code, class Positions> DEVICE Entry<Code> lowest_of(TopShared<Code> &shared, const Code (&code)[ITEMS], const Positions &position, u32 in, u32 count, u32 rank) {
	if (threadIdx.x == 0) shared.count = 0;
	__syncthreads(); // the count is clear
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (in >> i & 1) {
			const u32 at = atomicAdd(&shared.count, 1u);
			shared.few[at] = code[i];
			shared.few_position[at] = position(i);
		}
	__syncthreads(); // all are there
	if (threadIdx.x < count) {
		const Entry<Code> own = Entry<Code>::of(shared.few[threadIdx.x], shared.few_position[threadIdx.x]);
		u32 below = 0;
		for (u32 j = 0; j < count; j++) below += Entry<Code>::of(shared.few[j], shared.few_position[j]).below(own);
		if (below + 1 == rank) shared.bound = own;
	}
	__syncthreads(); // the bound is known
	return shared.bound;
}

// kept_before returns the items that warps before this one keep, and all that the block keeps. words alternate.
DEVICE u32 kept_before(u32 (&words)[TOP_WARPS], u32 keep, u32 &all) {
	u32 own = __popc(keep);
#pragma unroll
	for (int d = 16; d; d /= 2) own += __shfl_xor_sync(FULL_WARP, own, d);
	if (lane_id() == 0) words[warp_id()] = own;
	__syncthreads(); // counts of all warps are written
	u32 before = 0;
	all = 0;
#pragma unroll
	for (int w = 0; w < TOP_WARPS; w++) {
		before += w < (int)warp_id() ? words[w] : 0;
		all += words[w];
	}
	return before;
}

// hold adds the items to keep to those that are held, from place on.
template <int ITEMS, class Code, class Positions> DEVICE void hold(TopShared<Code> &shared, const Code (&code)[ITEMS], const Positions &position, u32 keep, u32 place) {
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		const u32 votes = __ballot_sync(FULL_WARP, keep >> i & 1);
		if (keep >> i & 1) {
			const u32 at = place + __popc(votes & ((1u << lane_id()) - 1));
			shared.code[at] = code[i];
			shared.position[at] = position(i);
		}
		place += __popc(votes);
	}
}

// Holder holds the elements of a block that may be among the k lowest.
template <class Code> struct Holder {
	TopShared<Code> &shared;
	u32 k, held;
	u32 turn;    // of shared.kept
	bool full;   // there is a bound
	Code bound;  // that codes must be below

	// index returns the number of an item of the thread among those of the block, in input order.
	template <int ITEMS> DEVICE static u32 index(int i) { return warp_id() * ITEMS * 32 + i * 32 + lane_id(); }

	// reduce leaves the lowest of those that are held, as keep_lowest does, and returns the highest of their codes: held > k.
	DEVICE Code reduce() {
		constexpr int ITEMS = TOP_HELD / TOP_THREADS;
		Code code[ITEMS];
		u32 positions[ITEMS], in = 0;
		__syncthreads(); // those that are held are written
#pragma unroll
		for (int i = 0; i < ITEMS; i++) {
			const u32 at = index<ITEMS>(i);
			code[i] = 0;
			positions[i] = 0;
			if (at >= held) continue;
			code[i] = shared.code[at];
			positions[i] = shared.position[at];
			in |= 1u << i;
		}
		const auto position = [&](int i) { return positions[i]; };
		const Code last = keep_lowest<ITEMS>(code, position, false, in);
		u32 all;
		const u32 place = kept_before(shared.kept[turn ^= 1], in, all); // and all have their items
		hold<ITEMS>(shared, code, position, in, place);
		held = all;
		__syncthreads(); // the k lowest are written
		return last;
	}

	// keep_lowest leaves the k lowest items in keep, of more, or up to TOP_FEW more than k where a block sorts its row. Their
	// highest code, which it returns, is a bound for those that come after them. every: all items are in keep.
	template <int ITEMS, class Positions> DEVICE Code keep_lowest(const Code (&code)[ITEMS], const Positions &position, bool every, u32 &keep) {
		u32 in = keep, rank = k;
		Code low, high;
		const u32 inside = narrow<ITEMS, Code>(shared, code, every, in, rank, low, high);
#pragma unroll
		for (int i = 0; i < ITEMS; i++)
			if (code[i] > high) keep &= ~(1u << i);
		Code last = high;
		if (inside <= TOP_FEW && k > TOP_RANKED) {
			const Entry<Code> bound = lowest_of<ITEMS>(shared, code, position, in, inside, rank);
			last = bound.code();
#pragma unroll
			for (int i = 0; i < ITEMS; i++)
				if ((in >> i & 1) && bound.below(Entry<Code>::of(code[i], position(i)))) keep &= ~(1u << i);
		} else if (inside > TOP_FEW) { // of one code: the first in the order of the input
			u32 all, before = kept_before(shared.kept[turn ^= 1], in, all);
#pragma unroll
			for (int i = 0; i < ITEMS; i++) {
				const u32 votes = __ballot_sync(FULL_WARP, in >> i & 1);
				if ((in >> i & 1) && before + __popc(votes & ((1u << lane_id()) - 1)) >= rank) keep &= ~(1u << i);
				before += __popc(votes);
			}
		}
		lower(last);
		return last;
	}

	// lower makes a code the bound, unless there is a lower one.
	DEVICE void lower(Code most) {
		if (!full || most < bound) bound = most;
		full = true;
	}

	// guess makes the bound one that k elements are not above, by a tile of elements from all over the source, in runs of
	// TOP_RUN. So lists that fall have no more elements below it than others.
	template <class Source> DEVICE void guess(const Source &source, u32 length) {
		Code code[TOP_ITEMS];
		u32 keep = (1u << TOP_ITEMS) - 1;
		const u32 apart = length / (TOP_TILE / TOP_RUN);
#pragma unroll
		for (int i = 0; i < TOP_ITEMS; i++) {
			const u32 at = index<TOP_ITEMS>(i);
			code[i] = source.code(at / TOP_RUN * apart + at % TOP_RUN);
		}
		keep_order(); // all loads are under way
		const Code last = keep_lowest<TOP_ITEMS>(code, [&](int i) { return index<TOP_ITEMS>(i); }, true, keep);
		full = last != (Code)~(Code)0; // elements of this code are still to come
		bound = last + 1;
	}

	// begin is add for the first tile of a source, of size elements, where k is up to TOP_RANKED, and returns whether it has
	// added them. k of the least codes of threads are not above a bound, so the k lowest are not either: of 4096 codes in
	// no order 73 are not above that of a k of 64. Threads have elements from all over the tile, or rising ones would be the
	// least codes of few threads.
	DEVICE bool begin(const Part<Code> &source, u32 size) {
		if (k > TOP_RANKED || size < k) return false;
		Code code[TOP_ITEMS]; // of no element: the highest, after k others
#pragma unroll
		for (int i = 0; i < TOP_ITEMS; i++) code[i] = threadIdx.x + i * TOP_THREADS < size ? source.code(threadIdx.x + i * TOP_THREADS) : (Code)~(Code)0;
		keep_order(); // all loads are under way
		Code own[1] = {code[0]}, low, high;
#pragma unroll
		for (int i = 1; i < TOP_ITEMS; i++) own[0] = min(own[0], code[i]);
		u32 in = 1, rank = k, inside = part_of<1, true>(shared, own, in, rank, low, high);
#pragma unroll 1
		while (inside > TOP_THREADS / 8 && low != high) inside = part_of<1, false>(shared, own, in, rank, low, high);
		const bool began = low == high ? hold_rows<true>(source, code, low, high) : hold_rows<false>(source, code, low, high);
		if (began) lower(high);
		else __syncthreads(); // counts are read
		return began;
	}
	DEVICE static bool begin(const PieceRows<Code> &, u32) { return false; } // of few elements each

	// hold_rows holds items up to high, in rows of TOP_THREADS, unless these are too many. EQUAL: low is high, and of this code the
	// first suffice that make k items.
	template <bool EQUAL> DEVICE bool hold_rows(const Part<Code> &source, const Code (&code)[TOP_ITEMS], Code low, Code high) {
		constexpr int UP = 16;
		u32 own = 0; // of the warp in row lane_id(): items up to high; EQUAL: below it << UP | of it
#pragma unroll
		for (int i = 0; i < TOP_ITEMS; i++) {
			u32 count = __popc(__ballot_sync(FULL_WARP, EQUAL ? code[i] == high : code[i] <= high));
			if constexpr (EQUAL) count |= __popc(__ballot_sync(FULL_WARP, code[i] < low)) << UP;
			if (lane_id() == i) own = count;
		}
		if (lane_id() < TOP_ITEMS) shared.bin[lane_id() * TOP_WARPS + warp_id()] = own;
		__syncthreads(); // counts of all warps are written
		static_assert(TOP_ITEMS * TOP_WARPS == 4 * 32, "four for each lane");
		u32 before = 0, sum = 0; // of the warp, among four
#pragma unroll
		for (u32 w = 0; w < 4; w++) {
			const u32 count = shared.bin[4 * lane_id() + w];
			if (w < warp_id() % 4) before += count;
			sum += count;
		}
		const u32 up_to = inclusive_scan(sum), all = __shfl_sync(FULL_WARP, up_to, 31);
		before += up_to - sum;
		const u32 below = EQUAL ? all >> UP : 0, equal = EQUAL ? k - min(k, below) : 0;
		const u32 count = EQUAL ? below + min(all & ((1u << UP) - 1), equal) : all;
		if (count > TOP_THREADS) return false;
		held = count;
		const u32 lanes = (1u << lane_id()) - 1;
#pragma unroll
		for (int i = 0; i < TOP_ITEMS; i++) {
			const u32 votes = __ballot_sync(FULL_WARP, code[i] <= high);
			if (!votes) continue;
			const u32 from = __shfl_sync(FULL_WARP, before, i * (TOP_WARPS / 4) + warp_id() / 4);
			bool keep = code[i] <= high;
			u32 to = from + __popc(votes & lanes);
			if constexpr (EQUAL) {
				const u32 lower_votes = __ballot_sync(FULL_WARP, code[i] < low);
				const u32 alike = (from & ((1u << UP) - 1)) + __popc(votes & ~lower_votes & lanes);
				keep = keep && (code[i] < low || alike < equal);
				to = (from >> UP) + __popc(lower_votes & lanes) + min(alike, equal);
			}
			if (keep) {
				shared.code[to] = code[i];
				shared.position[to] = source.position(threadIdx.x + i * TOP_THREADS);
			}
		}
		return true;
	}

	// below leaves the items in keep that are below a code.
	DEVICE static void below(Code most, const Code (&code)[TOP_ITEMS], u32 &keep) {
#pragma unroll
		for (int i = 0; i < TOP_ITEMS; i++)
			if (code[i] >= most) keep &= ~(1u << i);
	}

	// add holds those of a tile of size elements from first on that may be among the k lowest.
	template <class Source> DEVICE void add(const Source &source, u32 first, u32 size) {
		Code code[TOP_ITEMS];
		u32 keep = 0;
#pragma unroll
		for (int i = 0; i < TOP_ITEMS; i++) {
			const u32 at = index<TOP_ITEMS>(i);
			code[i] = 0;
			if (at >= size) continue;
			code[i] = source.code(first + at);
			keep |= 1u << i;
		}
		keep_order(); // all loads are under way
		if (full) below(bound, code, keep);
		u32 all;
		u32 place = kept_before(shared.kept[turn ^= 1], keep, all);
		if (all == 0) return;
		const auto position = [&](int i) { return source.position(first + index<TOP_ITEMS>(i)); };
		if (all > TOP_HELD - TOP_MOST) { // k lowest of the tile suffice
			keep_lowest<TOP_ITEMS>(code, position, all == TOP_TILE, keep);
			place = kept_before(shared.kept[turn ^= 1], keep, all);
		}
		if (held + all > TOP_HELD && held > k) {
			below(reduce(), code, keep);
			place = kept_before(shared.kept[turn ^= 1], keep, all);
		}
		hold<TOP_ITEMS>(shared, code, position, keep, held + place);
		held += all;
	}
};

// find_lowest leaves the min(k, length) lowest elements of a source in shared memory, in input order, and returns their
// number; up to TOP_HELD where k is up to TOP_RANKED.
template <class Code, class Source> DEVICE u32 find_lowest(TopShared<Code> &shared, const Source &source, u32 length, u32 k) {
	Holder<Code> holder = {shared, k, 0, 0, false, 0};
	u32 first = 0;
	if (length >= TOP_GUESSED) holder.guess(source, length);
	else if (holder.begin(source, min(TOP_TILE, length))) first = TOP_TILE;
	for (; first < length; first += TOP_TILE) holder.add(source, first, min(TOP_TILE, length - first));
	if (holder.held > (k <= TOP_RANKED ? TOP_THREADS : k)) holder.reduce();
	__syncthreads(); // those that are held are written
	return holder.held;
}

// write_row writes the lowest of count elements that are held to a row of k places: in order, or all, in input order.
template <class Code> DEVICE void write_row(const TopShared<Code> &shared, u32 count, u32 k, Code *codes, u32 *positions, bool in_order) {
	for (u32 i = threadIdx.x; i < count; i += TOP_THREADS) {
		const Code own = shared.code[i];
		u32 place = i;
		if (in_order) { // equal codes are held in input order
			const u32 first = i - lane_id(), last = min(first + 32, count);
			place = 0;
#pragma unroll 8
			for (u32 j = 0; j < first; j++) place += shared.code[j] <= own;
#pragma unroll 8
			for (u32 j = first; j < last; j++) place += shared.code[j] < own || (shared.code[j] == own && j < i);
#pragma unroll 8
			for (u32 j = last; j < count; j++) place += shared.code[j] < own;
		}
		if (place >= k) continue;
		if (codes) codes[place] = own;
		if (positions) positions[place] = shared.position[i];
	}
	__syncthreads(); // the row is read
}

// top_segments finds the k lowest of each segment of up to most elements: of those at offsets[s * stride].
template <class Code> DEVICE void top_segments(const Code *codes, const u32 *offsets, u32 stride, u64 segments, u32 most, u32 k, bool in_order, Code *row_codes, u32 *row_positions) {
	SORTER_SHARED(TopShared<Code>, shared);
	for (u64 s = blockIdx.x; s < segments; s += gridDim.x) {
		const u32 begin = offsets[s * stride], length = offsets[s * stride + 1] - begin;
		if (length > most) continue;
		const u32 count = find_lowest(shared, Part<Code>{codes, begin}, length, k);
		write_row(shared, count, k, row_codes ? row_codes + s * k : nullptr, row_positions ? row_positions + s * k : nullptr, in_order);
	}
}

// top_joined finds the k lowest of a long segment, a block each, among those of its pieces. All pieces but the last have
// full rows, in order or in input order.
template <class Code> DEVICE void top_joined(const Joined *joined, const Piece *pieces, const Code *from_codes, const u32 *from_positions, u32 k, bool in_order, Code *row_codes, u32 *row_positions) {
	SORTER_SHARED(TopShared<Code>, shared);
	const Joined own = joined[blockIdx.x];
	const Piece last = pieces[own.first + own.pieces - 1];
	const u32 length = (own.pieces - 1) * k + min(k, last.end - last.begin);
	const u64 row = (u64)own.segment * k, from = (u64)own.first * k;
	const u32 count = find_lowest(shared, PieceRows<Code>{from_codes + from, from_positions + from}, length, k);
	write_row(shared, count, k, row_codes ? row_codes + row : nullptr, row_positions ? row_positions + row : nullptr, in_order);
}

constexpr int ROW_WARPS = 2, ROW_BLOCKS = 8; // of sort_rows: warps per block, resident blocks per SM

template <class Code> struct RowShared {
	Code code[TOP_MOST];
	u32 position[TOP_MOST];
	u32 sorted[32 * LOCAL_PITCH];
};
template <class Code> struct RowsShared {
	RowShared<Code> warp[ROW_WARPS];
};

// Row is the elements of a row in shared memory, as sort_words takes those of a bucket.
template <class Code> struct Row {
	typedef RowShared<Code> Shared;
	struct Elements {
		const Code *code;
		const u32 *position;
		DEVICE Entry<Code> operator[](u32 i) const { return Entry<Code>::of(code[i], position[i]); }
	} element;

	DEVICE static bool whole() { return true; }
	DEVICE Rest by_element(u32 place, const Shared &) const { return {element.code[place], element.position[place]}; }
	DEVICE static Rest by_code(u32, const Shared &) { return {}; } // not called
	DEVICE static Rest by_position(u32, const Shared &) { return {}; }
	DEVICE static bool less(const Entry<Code> &a, const Entry<Code> &b) { return a.below(b); }
};

// sort_row sorts a row of size elements that is in input order: a warp.
template <class Code> DEVICE void sort_row(RowShared<Code> &shared, u32 size, Code *codes, u32 *positions) {
	Code low = (Code)~(Code)0, high = 0;
	for (u32 i = lane_id(); i < size; i += 32) {
		const Code code = codes[i];
		shared.code[i] = code;
		shared.position[i] = positions[i];
		low = min(low, code);
		high = max(high, code);
	}
#pragma unroll
	for (int d = 16; d; d /= 2) {
		low = min(low, __shfl_xor_sync(FULL_WARP, low, d));
		high = max(high, __shfl_xor_sync(FULL_WARP, high, d));
	}
	__syncwarp(); // the row is in shared memory
	const u32 width = width_of((Code)(high - low)), drop = width > LOCAL_KEY_BITS ? width - LOCAL_KEY_BITS : 0;
	u32 word[LOCAL_ITEMS];
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		const u32 i = r * 32 + lane_id();
		word[r] = i < size ? (u32)((Code)(shared.code[i] - low) >> drop) << LOCAL_BITS | i : 0xffffffffu; // padding comes last
	}
	const Row<Code> row = {{shared.code, shared.position}};
	if (sort_words(word, row, size, drop ? LOCAL_SIZE : 1, shared)) transpose(word, shared.sorted);
	for (u32 i = lane_id(); i < size; i += 32) {
		const u32 place = shared.sorted[place_of(i)] & (LOCAL_SIZE - 1);
		codes[i] = shared.code[place];
		positions[i] = shared.position[place];
	}
}

template <class Code> DEVICE void sort_rows(const u32 *offsets, u64 segments, u32 k, Code *codes, u32 *positions) {
	SORTER_SHARED(RowsShared<Code>, shared);
	const u64 s = (u64)blockIdx.x * ROW_WARPS + warp_id();
	if (s >= segments) return;
	sort_row(shared.warp[warp_id()], min(k, offsets[s + 1] - offsets[s]), codes + s * k, positions + s * k);
}

// copy_first copies the first k places of each segment of an order to its row, and the codes there. A warp copies a row.
template <class Code> DEVICE void copy_first(const Code *codes, const u32 *offsets, u64 segments, u32 k, const u32 *order, Code *row_codes, u32 *row_positions) {
	const u64 step = (u64)gridDim.x * blockDim.x / 32;
	for (u64 s = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32; s < segments; s += step) {
		const u32 begin = offsets[s], count = min(k, offsets[s + 1] - begin);
		for (u32 i = lane_id(); i < count; i += 32) {
			const u32 position = load_once(order + begin + i);
			if (row_positions) row_positions[s * k + i] = position;
			if (row_codes) row_codes[s * k + i] = codes[position];
		}
	}
}

// copy_ranks copies the places of some ranks in each segment of an order to its row, and the codes there. ranks are numbers, or quantiles:
// the bits of a float64, of which each segment has its own ranks, as engine.QuantileRank has them. Ranks that a segment lacks are left out.
template <class Code> DEVICE void copy_ranks(const Code *codes, const u32 *offsets, u64 segments, const u64 *ranks, u64 count, bool quantiles, const u32 *order, Code *row_codes, u32 *row_positions) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < segments * count; i += step) {
		const u64 s = i / count, of = ranks[i % count];
		const u32 begin = offsets[s], size = offsets[s + 1] - begin;
		u64 rank = of;
		if (quantiles && size > 0) {
			double q;
			memcpy(&q, &of, sizeof q);
			const double up = ceil(q * (double)size);
			rank = min((u64)max(up - 1, 0.0), (u64)(size - 1));
		}
		if (rank >= size) continue;
		const u32 position = order[begin + rank];
		if (row_positions) row_positions[i] = position;
		if (row_codes) row_codes[i] = codes[position];
	}
}
