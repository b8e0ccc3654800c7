// topsegments.cu: the lowest elements of each segment of a list.
#include "topsegments.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(SPLIT_TOPS_THREADS, 4) split_tops(const u32 *offsets, u64 segments, u64 n, TopCounts *counts, Joined *joined, Piece *pieces) {
	split_for_tops(offsets, segments, n, counts, joined, pieces);
}

#define FOR_WIDTH(Code, blocks) \
	ENTRY(TOP_THREADS, blocks) top_segments_##Code(const Code *codes, const u32 *offsets, u64 stride, u64 segments, u64 most, u64 k, u64 in_order, Code *row_codes, u32 *row_positions) { \
		top_segments(codes, offsets, (u32)stride, segments, (u32)most, (u32)k, in_order != 0, row_codes, row_positions); \
	} \
	ENTRY(TOP_THREADS, blocks) top_joined_##Code(const Joined *joined, const Piece *pieces, const Code *from_codes, const u32 *from_positions, u64 k, u64 in_order, Code *row_codes, u32 *row_positions) { \
		top_joined(joined, pieces, from_codes, from_positions, (u32)k, in_order != 0, row_codes, row_positions); \
	} \
	ENTRY(32 * ROW_WARPS, ROW_BLOCKS) sort_rows_##Code(const u32 *offsets, u64 segments, u64 k, Code *codes, u32 *positions) { \
		sort_rows(offsets, segments, (u32)k, codes, positions); \
	} \
	ENTRY(SPLIT_TOPS_THREADS, 4) first_rows_##Code(const Code *codes, const u32 *offsets, u64 segments, u64 k, const u32 *order, Code *row_codes, u32 *row_positions) { \
		copy_first(codes, offsets, segments, (u32)k, order, row_codes, row_positions); \
	} \
	ENTRY(SPLIT_TOPS_THREADS, 4) ranked_rows_##Code(const Code *codes, const u32 *offsets, u64 segments, const u64 *ranks, u64 count, u64 quantiles, const u32 *order, Code *row_codes, u32 *row_positions) { \
		copy_ranks(codes, offsets, segments, ranks, count, quantiles != 0, order, row_codes, row_positions); \
	}
FOR_WIDTH(u32, TOP_BLOCKS_U32)
FOR_WIDTH(u64, TOP_BLOCKS_U64)
#undef FOR_WIDTH
