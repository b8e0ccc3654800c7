// selection.cuh: the elements of some ranks, without a sort of all.
//
//   select_bounds     samples the elements, and takes two of the sample between which the ranks lie
//   select_within     keeps the elements between these bounds, in any order, and counts those below
//   select_ranked     ranks the elements that are left, each by a comparison with every other
//   select_positions  writes their positions instead, where they are too many for that
//
// The first two are a level, which keeps a hundredth of the elements if few are wanted. A level of a few
// thousand is not needed. An element is a code above its position, and no two are equal. So bounds are as good for
// equal codes as for any others, and the result is stable and the same in every run, though
// elements are kept in the order in which atomics are served.
//
// Bounds are four and a half standard deviations away from where the ranks are expected in the sample, and nine
// places more: less than one level in 100,000 misses a rank. Then the level is lost, and the host orders all. So it does with codes that were made
// for the positions of the sample, which differ from call to call.
//
// The first level reads each code once, and nearly all time is spent there: for the 64 lowest of 2^28 codes 0.26 of
// 0.32 ms on an H200, and of 64-bit codes 0.55 of 0.60. With 8 items of 32 bits per thread or with 6 blocks per SM it
// takes up to half longer. What lost in select_ranked: one entry of its own per lane, 1.3 times the time.
#pragma once
#include <math.h>
#include "sample.cuh"

constexpr int SELECT_THREADS = 256, SELECT_WARPS = SELECT_THREADS / 32;
constexpr int RANKING_THREADS = 1024; // of select_bounds and select_ranked
constexpr u32 RANK_LANES = 16, RANK_GROUPS = RANKING_THREADS / RANK_LANES; // lanes that rank entries of their own; groups of them, which compare these with other entries
constexpr int BOUNDS_OWN = RANK_LANES, RANKED_OWN = 2 * RANK_LANES; // entries that a block of select_bounds and of select_ranked ranks
constexpr int SELECT_BITS = 11, SELECT_SAMPLES = 1 << SELECT_BITS;
constexpr int SELECT_LEVELS = 8;       // at most
constexpr u64 RANKED_MOST = 1 << 13;   // elements that need no level
constexpr int RANKED_TILE = 2048;      // elements that a block of select_ranked compares with its own at a time
constexpr int SELECT_BUFFER = 128;     // elements that a warp of select_within keeps before it stores them
constexpr int SELECT_ITEMS_U32 = 16, SELECT_ITEMS_U64 = 8; // that a thread of select_within loads at once; half as many of those kept
constexpr int SELECT_BLOCKS = 4;       // of select_within, per SM
static_assert(2 * SELECT_SAMPLES <= RANKED_MOST, "each part that a sample is drawn from has an element of its own");

// Entry is an element: a code above its position.
template <class Code> struct Entry;
template <> struct Entry<u32> {
	u64 word;
	DEVICE static Entry of(u32 code, u64 position) { return {(u64)code << 32 | position}; }
	DEVICE static Entry highest() { return {~0ull}; }
	DEVICE u32 code() const { return (u32)(word >> 32); }
	DEVICE u32 position() const { return (u32)word; }
	DEVICE bool below(const Entry &e) const { return word < e.word; }
	DEVICE u32 borrow_of(const Entry &e) const { return borrow(code(), position(), e.code(), e.position()); } // -1 if below, else 0
};
template <> struct alignas(16) Entry<u64> {
	u64 high, low;
	DEVICE static Entry of(u64 code, u64 position) { return {code, position}; }
	DEVICE static Entry highest() { return {~0ull, ~0ull}; }
	DEVICE u64 code() const { return high; }
	DEVICE u32 position() const { return (u32)low; }
	DEVICE bool below(const Entry &e) const { return (high < e.high) | ((high == e.high) & ((u32)low < (u32)e.low)); }
	DEVICE u32 borrow_of(const Entry &e) const { return borrow(high, (u32)low, e.high, (u32)e.low); }
};

// List and Kept are the elements of the first level and of a later one. What is loaded is a code or an
// entry, which the position completes.
template <class Code> struct List {
	typedef Code Item;
	static constexpr bool ASCEND = true; // positions of elements one after the other
	const Code *codes;
	DEVICE Code load(u64 i) const { return load_once(codes + i); }
	DEVICE List from(u64 i) const { return {codes + i}; }
	DEVICE static Code code(Code item) { return item; }
	DEVICE static Entry<Code> entry(Code item, u64 i) { return Entry<Code>::of(item, i); }
};
template <class Code> struct Kept {
	typedef Entry<Code> Item;
	static constexpr bool ASCEND = false;
	const Entry<Code> *entries;
	DEVICE Entry<Code> load(u64 i) const { return entries[i]; }
	DEVICE Kept from(u64 i) const { return {entries + i}; }
	DEVICE static Code code(const Entry<Code> &item) { return item.code(); }
	DEVICE static Entry<Code> entry(const Entry<Code> &item, u64) { return item; }
};

// SelectLevel is a level at work. Ranks are those among the elements that it reads.
template <class Code> struct SelectLevel {
	Entry<Code> low, high; // the least and the greatest element that is kept
	u64 n, first;          // elements, and the first rank that is wanted
	u64 below, kept;       // counts of select_within
};

// Left is what a level has left: n elements, of which first and those after are wanted.
struct Left {
	u64 n, first;
	DEVICE bool lost() const { return n == 0; }
};

// left_by returns what is left by a level that could keep capacity elements, of count that are wanted.
template <class Code> DEVICE Left left_by(const SelectLevel<Code> *level, u64 capacity, u64 count) {
	const u64 below = level->below, kept = level->kept, first = level->first;
	if (kept > capacity || below > first || first - below + count > kept) return {0, 0};
	return {kept, first - below};
}

template <class Code> struct BoundsShared {
	Entry<Code> sample[SELECT_SAMPLES];
	u32 rank[BOUNDS_OWN];
};

// rank_among adds to the ranks of a block's own entries, of which each lane has OWN / RANK_LANES, the entries of a
// tile in shared memory below them. Each group of lanes compares another part of the tile. Reads of
// shared memory bound the time, so one serves several own entries.
template <int OWN, class Code> DEVICE void rank_among(const Entry<Code> *tile, u32 size, const Entry<Code> (&own)[OWN / RANK_LANES], u32 (&rank)[OWN / RANK_LANES]) {
#pragma unroll 8
	for (u32 i = threadIdx.x / RANK_LANES; i < size; i += RANK_GROUPS) {
		const Entry<Code> e = tile[i];
#pragma unroll
		for (u32 k = 0; k < OWN / RANK_LANES; k++) rank[k] -= e.borrow_of(own[k]);
	}
}

// slack returns how far from its mean a place in the sample may be.
DEVICE float slack(float mean) { return 4.5f * sqrtf(fmaxf(mean * (1 - mean / SELECT_SAMPLES), 0)) + 9; }

// find_bounds sets the bounds of a level of n elements. A block ranks BOUNDS_OWN elements of the sample.
template <class Code, class Source> DEVICE void find_bounds(const Source &source, Left left, u64 count, u64 salt, SelectLevel<Code> *level) {
	SORTER_SHARED(BoundsShared<Code>, shared);
	const u64 n = left.n;
	const float per = (float)SELECT_SAMPLES / (float)max(n, (u64)1);
	const float from = left.first * per, to = (left.first + count) * per;
	const bool few = n <= RANKED_MOST;
	const int low = few ? -1 : (int)floorf(from - slack(from)), high = few ? SELECT_SAMPLES : (int)ceilf(to + slack(to));
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		level->n = n;
		level->first = left.first;
		level->below = level->kept = 0;
		if (low < 0) level->low = Entry<Code>::of(0, 0);
		if (high >= SELECT_SAMPLES) level->high = Entry<Code>::highest();
	}
	if (few || left.lost()) return;
	for (u32 i = threadIdx.x; i < SELECT_SAMPLES; i += RANKING_THREADS) {
		const u64 at = drawn(i, SELECT_BITS, n, salt);
		shared.sample[i] = source.entry(source.load(at), at);
	}
	if (threadIdx.x < BOUNDS_OWN) shared.rank[threadIdx.x] = 0;
	__syncthreads(); // the sample is complete
	const u32 lane = threadIdx.x % RANK_LANES;
	const Entry<Code> own[1] = {shared.sample[blockIdx.x * BOUNDS_OWN + lane]};
	u32 rank[1] = {0};
	rank_among<BOUNDS_OWN>(shared.sample, SELECT_SAMPLES, own, rank);
	atomicAdd(&shared.rank[lane], rank[0]);
	__syncthreads(); // ranks are complete
	if (threadIdx.x >= BOUNDS_OWN) return;
	if ((int)shared.rank[lane] == low) level->low = own[0];
	if ((int)shared.rank[lane] == high) level->high = own[0];
}

// Keeper collects the elements that a warp keeps.
template <class Code> struct Keeper {
	Entry<Code> *buffer; // of the warp
	SelectLevel<Code> *level;
	Entry<Code> *kept;
	u64 capacity;
	u32 held;

	// add keeps the entries of the lanes of votes. The buffer has room for them.
	DEVICE void add(u32 votes, const Entry<Code> &e) {
		if (votes >> lane_id() & 1) buffer[held + __popc(votes & ((1u << lane_id()) - 1))] = e;
		held += __popc(votes);
	}

	// store stores what is held. All lanes call it.
	DEVICE void store() {
		u64 at = 0;
		if (lane_id() == 0) at = atomicAdd(&level->kept, (u64)held);
		at = __shfl_sync(FULL_WARP, at, 0);
		__syncwarp(); // entries of all lanes are in the buffer
		for (u32 i = lane_id(); i < held; i += 32)
			if (at + i < capacity) kept[at + i] = buffer[i];
		__syncwarp(); // the buffer is read
		held = 0;
	}
};

// Between is the bounds of a level.
template <class Code> struct Between {
	Entry<Code> low, high;

	// near sets the codes from least to most of elements that may be kept, of size elements from position first on,
	// or of any if positions do not ascend. It returns false if there are none: equal codes that are all in front
	// of one bound, or after the other, are not.
	DEVICE bool near(bool ascend, u64 first, u32 size, Code &least, Code &most) const {
		least = low.code();
		most = high.code();
		const bool before = ascend && first + size <= low.position() && least != (Code)~(Code)0;
		const bool after = ascend && first > high.position();
		if (after && most == 0) return false;
		least += before;
		most -= after;
		return least <= most;
	}
};

// keep_rows keeps the elements within the bounds of the level, of ITEMS rows of 32 from first on, of which n are elements
// if the rows are not FULL. It counts those below.
template <int ITEMS, bool FULL, class Source, class Code> DEVICE void keep_rows(const Source &source, u64 first, u64 n, const Between<Code> &bounds, Keeper<Code> &keeper, u32 &below) {
	const u64 at = first + lane_id();
	const Source own = source.from(at);
	typename Source::Item item[ITEMS];
#pragma unroll
	for (int i = 0; i < ITEMS; i++)
		if (FULL || 32 * i + lane_id() < n) item[i] = own.load(32 * i);
	keep_order(); // all loads are under way
	Code least, most;
	const bool any = bounds.near(Source::ASCEND, first, 32 * ITEMS, least, most);
	const Code span = any ? most - least : 0;
	u32 rows = 0; // with an element that may be kept
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		const bool valid = FULL || 32 * i + lane_id() < n;
		const Code code = valid ? source.code(item[i]) : least;
		below += code < least;
		if (__any_sync(FULL_WARP, valid && (Code)(code - least) <= span)) rows |= 1u << i;
	}
	if (!any || rows == 0) return;
	if (keeper.held > SELECT_BUFFER) keeper.store();
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		if (!(rows >> i & 1)) continue;
		bool keep = false;
		Entry<Code> e;
		if (FULL || 32 * i + lane_id() < n) {
			e = source.entry(item[i], at + 32 * i);
			keep = !e.below(bounds.low) && !bounds.high.below(e);
			below += e.code() == least && e.below(bounds.low);
		}
		keeper.add(__ballot_sync(FULL_WARP, keep), e);
	}
}

template <class Code, int ITEMS> struct WithinShared {
	Entry<Code> buffer[SELECT_WARPS][SELECT_BUFFER + 32 * ITEMS];
};

// keep_within keeps the elements within the bounds of a level. A warp reads ITEMS rows of 32 at a time.
template <class Code, int ITEMS, class Source> DEVICE void keep_within(const Source &source, SelectLevel<Code> *level, Entry<Code> *kept, u64 capacity) {
	constexpr u32 ROWS = 32 * ITEMS;
	typedef WithinShared<Code, ITEMS> Shared;
	SORTER_SHARED(Shared, shared);
	const u64 n = level->n;
	const Between<Code> bounds = {level->low, level->high};
	Keeper<Code> keeper = {shared.buffer[warp_id()], level, kept, capacity, 0};
	u32 below = 0;
	const u64 step = (u64)gridDim.x * SELECT_WARPS * ROWS;
	for (u64 first = ((u64)blockIdx.x * SELECT_WARPS + warp_id()) * ROWS; first < n; first += step) {
		if (first + ROWS <= n) keep_rows<ITEMS, true>(source, first, ROWS, bounds, keeper, below);
		else keep_rows<ITEMS, false>(source, first, n - first, bounds, keeper, below);
	}
	if (keeper.held) keeper.store();
	below = inclusive_scan(below);
	if (lane_id() == 31 && below) atomicAdd(&level->below, (u64)below);
}

// SelectNote lies in memory of the host, which clears it before.
struct SelectNote {
	u32 found; // 1: the results are written, 2: a level was lost
};

template <class Code> struct RankedShared {
	Entry<Code> tile[RANKED_TILE];
	u32 rank[RANKED_OWN];
};

// rank_kept writes the codes and the positions of the count elements that are wanted, of those
// that a level has kept. A block ranks RANKED_OWN elements. order and sorted may be null.
template <class Code> DEVICE void rank_kept(const Entry<Code> *kept, u64 capacity, const SelectLevel<Code> *level, u64 count, u32 *order, Code *sorted, SelectNote *note) {
	SORTER_SHARED(RankedShared<Code>, shared);
	constexpr u32 EACH = RANKED_OWN / RANK_LANES;
	const Left left = left_by(level, capacity, count);
	if (blockIdx.x == 0 && threadIdx.x == 0) notify_host(&note->found, left.lost() ? 2 : 1);
	const u32 lane = threadIdx.x % RANK_LANES;
	for (u64 first = (u64)blockIdx.x * RANKED_OWN; first < left.n; first += (u64)gridDim.x * RANKED_OWN) {
		Entry<Code> own[EACH];
		u32 rank[EACH] = {};
		for (u32 k = 0; k < EACH; k++) own[k] = kept[min(first + k * RANK_LANES + lane, left.n - 1)];
		if (threadIdx.x < RANKED_OWN) shared.rank[threadIdx.x] = 0;
		for (u64 tile = 0; tile < left.n; tile += RANKED_TILE) {
			const u32 size = (u32)min((u64)RANKED_TILE, left.n - tile);
			__syncthreads(); // the tile before is compared
			for (u32 i = threadIdx.x; i < size; i += RANKING_THREADS) shared.tile[i] = kept[tile + i];
			__syncthreads(); // the tile is complete
			rank_among<RANKED_OWN>(shared.tile, size, own, rank);
		}
		for (u32 k = 0; k < EACH; k++) atomicAdd(&shared.rank[k * RANK_LANES + lane], rank[k]);
		__syncthreads(); // ranks are complete
		for (u32 k = 0; k < EACH && threadIdx.x < RANK_LANES; k++) {
			const u32 at = k * RANK_LANES + lane;
			const u64 place = (u64)shared.rank[at] - left.first;
			if (first + at >= left.n || shared.rank[at] < left.first || place >= count) continue;
			if (order) order[place] = own[k].position();
			if (sorted) sorted[place] = own[k].code();
		}
		__syncthreads(); // ranks are read
	}
}

// write_positions writes the positions of n elements that were kept.
template <class Code> DEVICE void write_positions(const Entry<Code> *kept, u64 n, u32 *positions) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) positions[i] = kept[i].position();
}
