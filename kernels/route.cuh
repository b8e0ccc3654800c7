// route.cuh: a stable partition of one device's part of a list by destination, the device
// that sorts an element, for sorts on several devices.
//
//   route_counts   counts the elements of each tile by destination
//   route_starts   finds the place of each tile's elements in their destination
//   route_codes    moves codes and positions, in order of destination
//
// A splitter is a code with its position in the whole list. Destination d gets the elements
// in [splitter d-1, splitter d), so equal codes are divided like others. Elements of a
// destination keep their order. Counts are by destination first, then by tile.
//
// A tile is staged in shared memory, where ballots rank its elements, so a block writes the
// elements of a destination contiguously. Both passes over the codes, 12 or 20 bytes per
// element together, take a tenth of the time of the codes' upload.
#pragma once
#include "platform.cuh"

constexpr int DESTINATION_BITS = 4, MAX_DESTINATIONS = 1 << DESTINATION_BITS;
constexpr int ROUTE_THREADS = 512, ROUTE_ITEMS = 8, ROUTE_WARPS = ROUTE_THREADS / 32;
constexpr int ROUTE_TILE = ROUTE_THREADS * ROUTE_ITEMS;
constexpr int ROUTE_START_THREADS = 1024;

struct Splitter {
	u64 code, position;
};

// Routes are the elements of a part and their splitters.
template <class Code> struct Routes {
	const Code *codes;
	u64 n, base; // elements, and the position of the first in the whole list
	const Splitter *splitters;
	u32 destinations; // one more than splitters
};

struct RouteCounts {
	u64 code[MAX_DESTINATIONS]; // of the splitters
	u32 position[MAX_DESTINATIONS];
	// First: elements of each warp, by destination. Then: the rank in the tile of the first of
	// them. Padding after the last element has one more destination.
	u32 count[ROUTE_WARPS][MAX_DESTINATIONS + 1];
	u32 sums[32];
};

// RouteTile are the elements of a thread. A warp has ROUTE_ITEMS consecutive rows of 32.
template <class Code> struct RouteTile {
	Code code[ROUTE_ITEMS];
	u32 destination[ROUTE_ITEMS];
	u32 rank[ROUTE_ITEMS]; // among the warp's elements of that destination

	DEVICE static u32 index(int i) { return warp_id() * (32 * ROUTE_ITEMS) + 32 * i + lane_id(); }
	DEVICE RouteTile(const Routes<Code> &routes, RouteCounts &shared);
};

DEVICE u64 route_tile_start() { return (u64)blockIdx.x * ROUTE_TILE; }

// destination_of returns the number of splitters that are not after the element.
template <class Code> DEVICE u32 destination_of(const RouteCounts &shared, u32 destinations, Code code, u32 position) {
	u32 d = 0;
	for (u32 s = 0; s + 1 < destinations; s++) {
		const Code at = (Code)shared.code[s];
		d += (code > at) | ((code == at) & (position >= shared.position[s]));
	}
	return d;
}

// RouteTile loads the block's tile and ranks its elements in each warp. Afterwards all counts
// are complete.
template <class Code> DEVICE RouteTile<Code>::RouteTile(const Routes<Code> &routes, RouteCounts &shared) {
	if (threadIdx.x + 1 < routes.destinations) {
		shared.code[threadIdx.x] = routes.splitters[threadIdx.x].code;
		shared.position[threadIdx.x] = (u32)routes.splitters[threadIdx.x].position;
	}
	for (u32 i = threadIdx.x; i < ROUTE_WARPS * (MAX_DESTINATIONS + 1); i += ROUTE_THREADS) (&shared.count[0][0])[i] = 0;
	const u64 start = route_tile_start();
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) code[i] = start + index(i) < routes.n ? load_once(routes.codes + start + index(i)) : 0;
	__syncthreads(); // splitters are written, counts are zero
	u32 *const count = shared.count[warp_id()];
	const u32 lower = (1u << lane_id()) - 1;
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) {
		const u64 at = start + index(i);
		destination[i] = at < routes.n ? destination_of(shared, routes.destinations, code[i], (u32)(routes.base + at)) : routes.destinations;
		u32 same = FULL_WARP;
		for (u32 bit = 1; bit <= routes.destinations; bit *= 2) same &= lanes_like(destination[i], bit);
		const u32 before = __popc(same & lower), first = count[destination[i]];
		__syncwarp(); // count is read
		if (before == 0) count[destination[i]] = first + __popc(same);
		__syncwarp(); // count is written
		rank[i] = first + before;
	}
	__syncthreads(); // counts are complete
}

// count_routes counts the elements of a tile. One block per tile.
template <class Code> DEVICE void count_routes(const Routes<Code> &routes, u32 *counts) {
	SORTER_SHARED(RouteCounts, shared);
	const RouteTile<Code> tile(routes, shared);
	if (threadIdx.x >= routes.destinations) return;
	u32 count = 0;
#pragma unroll
	for (int w = 0; w < ROUTE_WARPS; w++) count += shared.count[w][threadIdx.x];
	counts[(u64)threadIdx.x * gridDim.x + blockIdx.x] = count;
}

struct RouteStartsShared {
	u32 sums[32];
	u32 sum;
};

// find_route_starts replaces the counts of a destination by their exclusive prefix sums, and
// writes the total. One block per destination.
DEVICE void find_route_starts(u32 *counts, u64 tiles, u32 *totals) {
	SORTER_SHARED(RouteStartsShared, shared);
	u32 *const count = counts + blockIdx.x * tiles;
	u32 before = 0;
	for (u64 first = 0; first < tiles; first += ROUTE_START_THREADS) {
		const u64 t = first + threadIdx.x;
		const u32 own = t < tiles ? count[t] : 0;
		const u32 start = exclusive_scan_block<ROUTE_START_THREADS>(own, shared.sums);
		if (t < tiles) count[t] = before + start;
		if (threadIdx.x == ROUTE_START_THREADS - 1) shared.sum = start + own;
		__syncthreads(); // sums are read, shared.sum is written; it is read before the next barrier
		before += shared.sum;
	}
	if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

template <class Code> struct RouteShared {
	RouteCounts ranks;
	u32 offset[MAX_DESTINATIONS]; // place - rank of each destination
	Code code[ROUTE_TILE];         // the tile by destination
	u16 index[ROUTE_TILE];         // destination << 12 | index in the tile
};
static_assert(ROUTE_TILE <= 1 << (16 - DESTINATION_BITS), "an index and a destination fit 16 bits");

// move_routes moves the elements of a tile. starts and totals are those of
// find_route_starts. If positions is null, they are not written.
template <class Code> DEVICE void move_routes(const Routes<Code> &routes, const u32 *starts, const u32 *totals, Code *codes, u32 *positions) {
	SORTER_SHARED(RouteShared<Code>, shared);
	const RouteTile<Code> tile(routes, shared.ranks);
	const u64 first = route_tile_start();
	const u32 size = (u32)min((u64)ROUTE_TILE, routes.n - first);
	const bool counts = threadIdx.x < ROUTE_WARPS * MAX_DESTINATIONS; // a thread for each warp and destination
	const u32 d = threadIdx.x / ROUTE_WARPS, w = threadIdx.x % ROUTE_WARPS;
	const u32 rank = exclusive_scan_block<ROUTE_THREADS>(counts ? shared.ranks.count[w][d] : 0, shared.ranks.sums);
	if (counts) shared.ranks.count[w][d] = rank; // no barrier before: only this thread has read it
	if (counts && w == 0 && d < routes.destinations) {
		u32 place = starts[(u64)d * gridDim.x + blockIdx.x];
		for (u32 e = 0; e < d; e++) place += totals[e];
		shared.offset[d] = place - rank;
	}
	__syncthreads(); // ranks and offsets are written
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) {
		if (tile.index(i) >= size) continue;
		const u32 at = shared.ranks.count[warp_id()][tile.destination[i]] + tile.rank[i];
		shared.code[at] = tile.code[i];
		shared.index[at] = (u16)(tile.destination[i] << (16 - DESTINATION_BITS) | tile.index(i));
	}
	__syncthreads(); // the tile is staged
	for (u32 r = threadIdx.x; r < size; r += ROUTE_THREADS) {
		const u32 from = shared.index[r], place = shared.offset[from >> (16 - DESTINATION_BITS)] + r;
		codes[place] = shared.code[r];
		if (positions) positions[place] = (u32)(routes.base + first) + (from & (ROUTE_TILE - 1));
	}
}
