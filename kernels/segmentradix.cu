// segmentradix.cu: large segments of 32-bit codes, each sorted by the radix sort.
#include "segmentradix.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(LARGE_THREADS, 4) radix_segments_tiles(const Large *large, u64 count, SegmentTileAt *tiles, SegmentDigits *digits, SegmentRadix *state) {
	number_tiles<LargeTile::SIZE>(large, count, tiles, digits, state);
}

ENTRY(LargeTile::THREADS, 4) radix_segments_histogram(const u32 *codes, const Large *large, const SegmentTileAt *tiles, SegmentDigits *digits, const SegmentRadix *state) {
	count_segment_digits<LargeTile>(codes, large, tiles, digits, state);
}

ENTRY(RADIX, 4) radix_segments_starts(const Large *large, SegmentDigits *digits, SegmentRadix *state) {
	start_segment_digits(large, digits, state);
}

ENTRY(LargeTile::THREADS, LargeTile::BLOCKS) radix_segments_pass_u32(const u32 *codes, u64 pass, const Large *large, const SegmentTileAt *tiles, const SegmentDigits *digits, SegmentRadix *state, u32 *words, u64 *even, u64 *odd, u32 *order) {
	pass_segments<LargeTile>(SegmentOrder<LargeTile>{codes, even, odd, order}, (u32)pass, large, tiles, digits, state, words);
}

ENTRY(LargeTile::THREADS, LargeTile::KEYS_U32_BLOCKS) radix_segments_pass_keys_u32(const u32 *codes, u64 pass, const Large *large, const SegmentTileAt *tiles, const SegmentDigits *digits, SegmentRadix *state, u32 *words, u32 *spare, u32 *sorted) {
	pass_segments<LargeTile>(SegmentKeys<LargeTile>{codes, spare, sorted}, (u32)pass, large, tiles, digits, state, words);
}
