// merge.cu: runs and their merges, for both widths of codes.
#include "merge.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define MERGE(CODE, blocks)                                                                                                               \
	ENTRY(MERGE_THREADS, blocks)                                                                                                            \
	tile_sort_##CODE(const CODE *codes, u64 n, CODE *run_codes, u32 *run_positions) { tile_sort(codes, n, run_codes, run_positions); }      \
	ENTRY(MERGE_THREADS, 1)                                                                                                                 \
	merge_paths_##CODE(const CODE *codes, u64 n, u64 width, u64 tiles_a_pair, u64 tiles, u32 *paths) {                                      \
		merge_paths(codes, n, width, tiles_a_pair, tiles, paths);                                                                             \
	}                                                                                                                                       \
	ENTRY(MERGE_THREADS, blocks)                                                                                                            \
	merge_tiles_##CODE(const CODE *codes, const u32 *positions, u64 n, u64 width, u64 tiles_a_pair, u64 start, const u32 *paths,            \
	                   CODE *to_codes, u32 *to_positions) {                                                                                 \
		merge_tiles(codes, positions, n, width, tiles_a_pair, start, paths, to_codes, to_positions);                                          \
	}                                                                                                                                       \
	ENTRY(MERGE_THREADS, 1)                                                                                                                 \
	gather_run_##CODE(const CODE *codes, const u32 *order, u64 n, u64 base, CODE *run_codes, u32 *run_positions) {                          \
		gather_run(codes, order, n, base, run_codes, run_positions);                                                                          \
	}
MERGE(u32, 5) // resident blocks per SM: with one more, registers spill
MERGE(u64, 4)
