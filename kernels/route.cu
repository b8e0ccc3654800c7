// route.cu: the partition of one device's part of a list among devices, for both widths
// of codes.
#include "route.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define ROUTE(CODE)                                                                                                         \
	ENTRY(ROUTE_THREADS, 2)                                                                                                   \
	route_counts_##CODE(const CODE *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, u32 *counts) {       \
		count_routes<CODE>({codes, n, base, splitters, (u32)destinations}, counts);                                             \
	}                                                                                                                         \
	ENTRY(ROUTE_THREADS, 2)                                                                                                   \
	route_codes_##CODE(const CODE *codes, u64 n, u64 base, const Splitter *splitters, u64 destinations, const u32 *starts,    \
	                   const u32 *totals, CODE *to_codes, u32 *to_positions) {                                                \
		move_routes<CODE>({codes, n, base, splitters, (u32)destinations}, starts, totals, to_codes, to_positions);              \
	}
ROUTE(u32)
ROUTE(u64)

ENTRY(ROUTE_START_THREADS, 1) route_starts(u32 *counts, u64 tiles, u32 *totals) { find_route_starts(counts, tiles, totals); }
