// route.cu: the partition of one device's part of a list among devices, for both widths
// of codes.
#include "route.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define ROUTE(CODE)                                                                                                         \
	ENTRY(ROUTE_THREADS, 3)                                                                                                   \
	route_counts_##CODE(const CODE *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, u32 *counts) {       \
		count_routes<CODE>({codes, n, base, splitters, (u32)destinations}, counts);                                             \
	}                                                                                                                         \
	ENTRY(ROUTE_THREADS, 3)                                                                                                   \
	route_codes_##CODE(const CODE *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, const u32 *starts,    \
	                   const Target *targets) {                                                                               \
		move_routes<false, CODE>({codes, n, base, splitters, (u32)destinations}, CountedPlaces{starts, targets});               \
	}                                                                                                                         \
	ENTRY(ROUTE_THREADS, 3)                                                                                                   \
	route_loose_##CODE(const CODE *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, u32 *cursors,         \
	                   const Region *regions) {                                                                               \
		move_routes<false, CODE>({codes, n, base, splitters, (u32)destinations}, ClaimedPlaces{cursors, regions});              \
	}
ROUTE(u32)
ROUTE(u64)

ENTRY(ROUTE_START_THREADS, 1) route_starts(u32 *counts, u64 tiles, u32 *totals) { find_route_starts(counts, tiles, totals); }

ENTRY(ROUTE_THREADS, 3)
route_words(const u32 *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, const u32 *starts, const Target *targets) {
	move_routes<true, u32>({codes, n, base, splitters, (u32)destinations}, CountedPlaces{starts, targets});
}

ENTRY(ROUTE_THREADS, 3)
route_loose_words(const u32 *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, u32 *cursors, const Region *regions) {
	move_routes<true, u32>({codes, n, base, splitters, (u32)destinations}, ClaimedPlaces{cursors, regions});
}

ENTRY(PLACE_THREADS, 4)
route_places(const u32 *order, u64 n, const u32 *positions, const Origin *origins, u64 parts, u64 *places) {
	write_places(order, n, positions, origins, (u32)parts, places);
}

ENTRY(PLACE_THREADS, 4)
word_places(const u64 *words, u64 n, const Origin *origins, u64 parts, u64 *places) {
	write_word_places(words, n, origins, (u32)parts, places);
}

ENTRY(PLACE_THREADS, 4) word_positions(const u64 *words, u64 n, u32 *positions) { write_word_positions(words, n, positions); }
