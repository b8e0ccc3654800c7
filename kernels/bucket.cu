// bucket.cu: the phases of the bucket-bitonic sort that read no codes.
#include "bucket.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(SAMPLE_THREADS, 1)
open_partitions(Partition *partitions, u32 *cursors, u64 count, const Bounds *bounds, Sections *sections, u64 scale, u64 capacity, u32 *sizes, u64 buckets, u64 budget, u32 *status) {
	make_partitions(partitions, cursors, (u32)count, bounds, sections, (u32)scale, (u32)capacity, sizes, buckets, (u32)budget, status);
}

ENTRY(PARTITION_THREADS, 1)
plan_partitions(Partition *partitions, const u32 *cursors, u64 count, u64 least, u64 target, u64 most, u64 tile_size, u64 *tiles, u32 *status) {
	cut_partitions(partitions, cursors, (u32)count, (u32)least, (u32)target, (u32)most, (u32)tile_size, tiles, status);
}

#define SPLIT_ELEMENTS(bits)                                                                                                            \
	ENTRY(SPLIT_THREADS, 2)                                                                                                              \
	split_elements_##bits(const u64 *elements, const Partition *partitions, const u64 *tiles, u64 *buckets, u32 *sizes, u64 *spill, u32 *status) { \
		split_elements<bits>(elements, partitions, tiles, buckets, sizes, Spill<u64>{spill, status});                                           \
	}
SPLIT_ELEMENTS(8)
SPLIT_ELEMENTS(9)
SPLIT_ELEMENTS(10)

ENTRY(PARTITION_THREADS, 1)
partition_starts(const Partition *partitions, const u32 *sizes, Slice *slices, u32 *oversize, u32 *status) { find_starts(partitions[blockIdx.x], sizes, 1, 0, slices, oversize, status); }

ENTRY(PARTITION_THREADS, 1)
bucket_starts(const u32 *cursors, u64 scale, u64 buckets, Slice *slices, u32 *oversize, u32 *status) {
	if (threadIdx.x == 0) status[BUCKETS] = (u32)buckets;
	find_starts(whole((u32)scale, (u32)buckets, status[BELOW]), cursors, CURSOR_PITCH, LOCAL_SIZE, slices, oversize, status);
}
