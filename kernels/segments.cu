// segments.cu: sorts each segment of a list separately.
#include "segments.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(SPLIT_SEGMENTS_THREADS, 4) split_segments(const u32 *offsets, u64 segments, u64 n, u64 most, SegmentCounts *counts, Window *windows, u32 *list, u64 pitch, Large *large) {
	classify_segments(offsets, segments, n, counts, windows, {list, pitch, large, (u32)most});
}

ENTRY(LARGE_THREADS, 4) number_large(const u32 *order, const Large *large, u64 count, u64 n, const u32 *segments, u32 *numbers) {
	number_segments(order, large, count, n, segments, numbers);
}

#define KEYS_ENTRY(bits, blocks) \
	ENTRY((SegmentTile<u32, bits>::THREADS), blocks) sort_segment_##bits##_keys_u32(const u32 *codes, const u32 *offsets, const u32 *list, u32 *sorted) { \
		sort_segment_keys<bits>(codes, offsets, list, sorted); \
	}
KEYS_ENTRY(10, 16)
KEYS_ENTRY(11, 8)
KEYS_ENTRY(12, 4)
KEYS_ENTRY(13, 2)
KEYS_ENTRY(14, 1)

#define SEGMENT_ENTRY(Code, bits, blocks) \
	ENTRY((SegmentTile<Code, bits>::THREADS), blocks) sort_segment_##bits##_##Code(const Code *codes, const u32 *offsets, const u32 *list, Code *sorted, u32 *order) { \
		sort_segment<Code, bits>(codes, offsets, list, sorted, order); \
	}

#define FOR_WIDTH(Code, blocks) \
	ENTRY((SegmentTile<Code, WINDOW_BITS>::THREADS), blocks) sort_windows_##Code(const Code *codes, const u32 *offsets, const Window *windows, Code *sorted, u32 *order) { \
		sort_windows(codes, offsets, windows, sorted, order); \
	} \
	SEGMENT_ENTRY(Code, 10, 12) \
	SEGMENT_ENTRY(Code, 11, 6) \
	SEGMENT_ENTRY(Code, 12, 3) \
	SEGMENT_ENTRY(Code, 13, 2) \
	SEGMENT_ENTRY(Code, 14, 1) \
	ENTRY(LARGE_THREADS, 4) gather_large_##Code(const Code *codes, const Large *large, u64 count, u64 n, Code *gathered, u32 *segments) { \
		gather_large(codes, large, count, n, gathered, segments); \
	} \
	ENTRY(LARGE_THREADS, 4) finish_large_##Code(const Code *codes, const Large *large, u64 count, u64 n, const u32 *segments, const u32 *order, const u32 *by, Code *sorted, u32 *result) { \
		finish_large(codes, large, count, n, segments, order, by, sorted, result); \
	}
FOR_WIDTH(u32, 16)
FOR_WIDTH(u64, 12)
#undef FOR_WIDTH
