// bucket.cu: the phases of the bucket-bitonic sort that see no codes.
#include "bucket.cuh"
#include "order.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define SPLIT_ELEMENTS(bits)                                                                                                                     \
	ENTRY(SPLIT_THREADS, 2)                                                                                                                       \
	split_elements_##bits(const u64 *rooms, const u32 *cursors, u64 capacity, u64 tiles, u64 scale, u64 low_bits, u64 *buckets, u32 *sizes,      \
	                      u64 *spill, u32 *status) {                                                                                              \
		split_elements<bits>(rooms, cursors, (u32)capacity, (u32)tiles, (u32)scale, (u32)low_bits, buckets, sizes, spill, status);               \
	}
SPLIT_ELEMENTS(8)
SPLIT_ELEMENTS(9)
SPLIT_ELEMENTS(10)

ENTRY(STARTS_THREADS, 1)
bucket_starts(const u32 *cursors, u64 pitch, u64 per_room, const u32 *sizes, u64 size_pitch, u32 *starts, u32 *oversize, u32 *status) {
	find_starts(cursors, (u32)pitch, (u32)per_room, sizes, (u32)size_pitch, starts, oversize, status);
}

ENTRY(SAMPLE_THREADS, 1) write_identity(u32 *order, u64 n, u64 reversed) { fill_identity(order, n, reversed != 0); }

ENTRY(SAMPLE_THREADS, 1) count_missing(const u32 *seen, u64 n, u32 *status) { count_unmarked(seen, n, status); }
