// route.cuh: a stable partition of one device's part of a list by destination, the device
// that sorts an element, for sorts on several devices.
//
//   route_counts   how many elements of each tile go to each destination
//   route_starts   where those of each tile come among all of a destination
//   route_codes    codes and positions, to where each destination is to have them
//   route_words    32-bit codes above positions instead, in words that are sorted whole
//   route_loose    codes alone, or words, without counts: in any order
//   route_places   the part and the position of each element, once they are in order
//   word_places    the same from sorted words
//   word_positions positions in the whole list from sorted words
//
// Words are sorted as 64-bit keys, and hold their positions then. An order of codes
// alone leads to positions by a gather, which takes twice as long as the sort.
//
// A splitter is a code with its position in the whole list. Destination d gets the elements
// in [splitter d-1, splitter d), so equal codes are divided like others. Elements of a
// destination keep their order. Counts are by destination first, then by tile.
//
// A tile goes through shared memory, where ballots rank its elements: what a block
// writes for a destination is in one piece, some KiB. So a destination may be memory
// of another device, which the block writes through the devices' link.
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

// Target is where the elements of a part for one destination go: the addresses of
// the first. Positions may be 0: then nobody takes them.
struct Target {
	u64 codes, positions;
};

// Region is memory for the elements of a part for one destination, in any order.
struct Region {
	u64 codes, capacity; // address, number of elements
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
	u32 rank[ROUTE_ITEMS]; // destination << 16 | rank among the warp's elements of that destination

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
	const u64 start = route_tile_start();
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) code[i] = start + index(i) < routes.n ? load_once(routes.codes + start + index(i)) : 0;
	__syncthreads(); // splitters are written
	const u32 lower = (1u << lane_id()) - 1;
	u32 count = 0; // of the warp's elements of the destination with the lane's number
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) {
		const u64 at = start + index(i);
		const u32 destination = at < routes.n ? destination_of(shared, routes.destinations, code[i], (u32)(routes.base + at)) : routes.destinations;
		u32 same = FULL_WARP, counted = FULL_WARP; // lanes with this lane's destination; with the one that it counts
		for (u32 bit = 1; bit <= routes.destinations; bit *= 2) {
			const u32 like = lanes_like(destination, bit);
			same &= like;
			counted &= (destination ^ lane_id()) & bit ? ~like : like;
		}
		rank[i] = destination << 16 | (__shfl_sync(FULL_WARP, count, destination) + __popc(same & lower));
		count += __popc(counted);
	}
	if (lane_id() <= MAX_DESTINATIONS) shared.count[warp_id()][lane_id()] = lane_id() <= routes.destinations ? count : 0;
	__syncthreads(); // counts are complete
}

struct CountShared {
	u64 code[MAX_DESTINATIONS]; // of the splitters
	u32 position[MAX_DESTINATIONS];
	u32 from[ROUTE_WARPS][MAX_DESTINATIONS]; // elements of each warp that do not come before the splitter that begins a destination
};

// count_routes counts the elements of a tile. One block a tile. Lane d of a warp counts
// those that go to destination d or after it, by votes: ranks are not needed.
template <class Code> DEVICE void count_routes(const Routes<Code> &routes, u32 *counts) {
	SORTER_SHARED(CountShared, shared);
	if (threadIdx.x + 1 < routes.destinations) {
		shared.code[threadIdx.x] = routes.splitters[threadIdx.x].code;
		shared.position[threadIdx.x] = (u32)routes.splitters[threadIdx.x].position;
	}
	const u64 start = route_tile_start();
	Code code[ROUTE_ITEMS];
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) {
		const u64 at = start + RouteTile<Code>::index(i);
		code[i] = at < routes.n ? load_once(routes.codes + at) : 0;
	}
	__syncthreads(); // splitters are there
	u32 from = 0;
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) {
		const u64 at = start + RouteTile<Code>::index(i);
		const u32 position = (u32)(routes.base + at);
		const u32 all = __ballot_sync(FULL_WARP, at < routes.n);
		if (lane_id() == 0) from += __popc(all);
		for (u32 s = 0; s + 1 < routes.destinations; s++) {
			const Code splitter = (Code)shared.code[s];
			const u32 after = __ballot_sync(FULL_WARP, (code[i] > splitter) | ((code[i] == splitter) & (position >= shared.position[s])));
			if (lane_id() == s + 1) from += __popc(after & all);
		}
	}
	if (lane_id() < MAX_DESTINATIONS) shared.from[warp_id()][lane_id()] = from;
	__syncthreads(); // counts of all warps are there
	const u32 d = threadIdx.x;
	if (d >= routes.destinations) return;
	u32 count = 0;
	for (int w = 0; w < ROUTE_WARPS; w++) count += shared.from[w][d] - (d + 1 < routes.destinations ? shared.from[w][d + 1] : 0);
	counts[(u64)d * gridDim.x + blockIdx.x] = count;
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
	Target target[MAX_DESTINATIONS];
	u32 offset[MAX_DESTINATIONS]; // what to add to a rank for its place at the target
	Code code[ROUTE_TILE];         // the tile by destination
	u16 index[ROUTE_TILE];         // destination << 12 | index in the tile
};
static_assert(ROUTE_TILE <= 1 << (16 - DESTINATION_BITS), "an index and a destination fit 16 bits");

// CountedPlaces are the places of a destination by find_route_starts.
struct CountedPlaces {
	const u32 *starts;
	const Target *targets;

	DEVICE u32 first(u32 d, u32) const { return starts[(u64)d * gridDim.x + blockIdx.x]; }
	DEVICE Target target(u32 d, u32, u32) const { return targets[d]; }
};

// ClaimedPlaces are the next places of a destination's region. Nothing goes to those beyond it, but
// cursors count them: the host begins again with larger regions.
struct ClaimedPlaces {
	u32 *cursors;
	const Region *regions;

	DEVICE u32 first(u32 d, u32 count) const { return atomicAdd(cursors + d, count); }
	DEVICE Target target(u32 d, u32 first, u32 count) const { return {first + count <= regions[d].capacity ? regions[d].codes : 0, 0}; }
};

// move_routes moves the elements of a tile, as words or beside positions.
template <bool WORDS, class Code, class Places> DEVICE void move_routes(const Routes<Code> &routes, const Places &places) {
	SORTER_SHARED(RouteShared<Code>, shared);
	const RouteTile<Code> tile(routes, shared.ranks);
	const u64 first = route_tile_start();
	const u32 size = (u32)min((u64)ROUTE_TILE, routes.n - first);
	const bool counts = threadIdx.x < ROUTE_WARPS * MAX_DESTINATIONS; // a thread for each warp and destination
	const u32 d = threadIdx.x / ROUTE_WARPS, w = threadIdx.x % ROUTE_WARPS;
	const bool leads = counts && w == 0 && d < routes.destinations;
	u32 total = 0, place = 0; // of destination d: elements in the tile, and their first place
	if (leads) {
		for (int i = 0; i < ROUTE_WARPS; i++) total += shared.ranks.count[i][d];
		place = places.first(d, total); // it is used late, so its latency is hidden
	}
	const u32 rank = exclusive_scan_block<ROUTE_THREADS>(counts ? shared.ranks.count[w][d] : 0, shared.ranks.sums);
	if (counts) shared.ranks.count[w][d] = rank; // counts were read before the barriers of the scan
	if (leads) {
		shared.target[d] = places.target(d, place, total);
		shared.offset[d] = place - rank;
	}
	__syncthreads(); // ranks, offsets and targets are written
#pragma unroll
	for (int i = 0; i < ROUTE_ITEMS; i++) {
		if (tile.index(i) >= size) continue;
		const u32 to = tile.rank[i] >> 16, at = shared.ranks.count[warp_id()][to] + (tile.rank[i] & 0xffff);
		shared.code[at] = tile.code[i];
		shared.index[at] = (u16)(to << (16 - DESTINATION_BITS) | tile.index(i));
	}
	__syncthreads(); // the tile is staged
	for (u32 r = threadIdx.x; r < size; r += ROUTE_THREADS) {
		const u32 from = shared.index[r], to = from >> (16 - DESTINATION_BITS), place = shared.offset[to] + r;
		const Target target = shared.target[to];
		if (target.codes == 0) continue;
		const u32 position = (u32)(routes.base + first) + (from & (ROUTE_TILE - 1));
		if (WORDS) {
			((u64 *)target.codes)[place] = (u64)shared.code[r] << 32 | position;
			continue;
		}
		((Code *)target.codes)[place] = shared.code[r];
		if (target.positions) ((u32 *)target.positions)[place] = position;
	}
}

constexpr int PLACE_THREADS = 256;

// Origin is where a part begins: among the received elements of a device, and in the
// positions.
struct Origin {
	u64 first, position;
};

struct RoutePlacesShared {
	Origin origin[MAX_DESTINATIONS];
};

DEVICE void load_origins(RoutePlacesShared &shared, const Origin *origins, u32 parts) {
	if (threadIdx.x < parts) shared.origin[threadIdx.x] = origins ? origins[threadIdx.x] : Origin{0, 0};
	__syncthreads(); // origins are there
}

// write_places writes where the elements of an order lie: the number of the part in
// the high half of a word, the position there in the low half. One part needs neither
// origins nor positions: null.
DEVICE void write_places(const u32 *order, u64 n, const u32 *positions, const Origin *origins, u32 parts, u64 *places) {
	SORTER_SHARED(RoutePlacesShared, shared);
	load_origins(shared, origins, parts);
	const u64 step = (u64)gridDim.x * PLACE_THREADS;
#pragma unroll 4
	for (u64 i = (u64)blockIdx.x * PLACE_THREADS + threadIdx.x; i < n; i += step) {
		const u32 at = load_once(order + i);
		u32 part = 0;
		for (u32 p = 1; p < parts; p++) part += at >= shared.origin[p].first;
		places[i] = (u64)part << 32 | ((positions ? positions[at] : at) - (u32)shared.origin[part].position);
	}
}

// write_word_places does so from sorted words, whose positions are in the whole list.
DEVICE void write_word_places(const u64 *words, u64 n, const Origin *origins, u32 parts, u64 *places) {
	SORTER_SHARED(RoutePlacesShared, shared);
	load_origins(shared, origins, parts);
	const u64 step = (u64)gridDim.x * PLACE_THREADS;
#pragma unroll 4
	for (u64 i = (u64)blockIdx.x * PLACE_THREADS + threadIdx.x; i < n; i += step) {
		const u32 at = (u32)load_once(words + i);
		u32 part = 0;
		for (u32 p = 1; p < parts; p++) part += at >= shared.origin[p].position;
		places[i] = (u64)part << 32 | (at - (u32)shared.origin[part].position);
	}
}

// write_word_positions writes the positions of sorted words.
DEVICE void write_word_positions(const u64 *words, u64 n, u32 *positions) {
	const u64 step = (u64)gridDim.x * PLACE_THREADS;
#pragma unroll 4
	for (u64 i = (u64)blockIdx.x * PLACE_THREADS + threadIdx.x; i < n; i += step) positions[i] = (u32)load_once(words + i);
}
