// numbered.cu: the entries of the phases for numbered codes.
#include "numbered.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define SPLIT_NUMBERED(bits) \
	ENTRY(SPLIT_THREADS, 2) \
	split_codes_##bits##_numbered(const u64 *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 *elements, u64 capacity, u32 *cursors, u64 *spill, u32 *below, u32 *above, u32 *status, \
	                              const u32 *numbers) { \
		split_numbered_codes<bits>(codes, n, {low, span, (u32)up, (u32)at, keep}, (u32)scale, {elements, {(u32)capacity}, cursors, {spill, status}}, {below, above, status}, numbers); \
	} \
	ENTRY(SPLIT_THREADS, 2) \
	split_sections_##bits##_numbered(const u64 *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 *elements, const Sections *sections, u32 *cursors, u64 *spill, u32 *below, u32 *above, u32 *status, \
	                                 const u32 *numbers) { \
		split_numbered_sections<bits>(codes, n, {low, span, (u32)up, (u32)at, keep}, {elements, {sections}, cursors, {spill, status}}, {below, above, status}, numbers); \
	}
SPLIT_NUMBERED(8)
SPLIT_NUMBERED(9)
SPLIT_NUMBERED(10)
#undef SPLIT_NUMBERED

ENTRY(32 * LOCAL_WARPS, LOCAL_BLOCKS)
local_sort_numbered(const u64 *buckets, const Slice *slices, const u32 *status, u64 at, u64 mask, u64 code_at, const Lists *lists, u64 near_at, u32 *order) {
	const NumberedBucket bucket = {{buckets, nullptr, {(u32)at, (u32)mask, (u32)code_at}}, lists};
	local_sort_buckets(bucket, slices, status, (u32)near_at, order);
}

ENTRY(OVERSIZE_THREADS, 1)
oversize_sort_numbered(const u64 *buckets, u64 n, const Slice *slices, const Partition *partitions, u64 count, u64 scale, u64 at, u64 mask, u64 code_at, const Lists *lists, u64 *spill, const u32 *oversize,
                       u32 *below, u32 *above, u32 *order, u32 *status, u32 *note) {
	oversize_sort<NumberedBucket>({{buckets, nullptr, {(u32)at, (u32)mask, (u32)code_at}}, lists}, n, slices, partitions, (u32)count, (u32)scale, {spill, status}, oversize, {below, above, status}, order, note);
}
