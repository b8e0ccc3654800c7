// keys.cu: the phases of the bucket-bitonic sort where only keys are sorted, for
// both widths of codes. The second split of wide ones is that of bucket.cu.
//
// Alternatives that lost, for 2^28 32-bit keys, which take 3.6 ms (H200):
//   - positions, then a gather of the codes through the order: 5.0 ms and 13 ms
//   - tiles of 16 elements per thread: 4.10 ms
//   - these tiles with three blocks of a split and seven of local_sort per SM: 4.25 ms;
//     registers spill
#include "bucket.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define SPLIT_KEYS(Code, bits) \
	ENTRY(SPLIT_THREADS, 2) \
	split_codes_##bits##_keys_##Code(const Code *codes, u64 n, u64 low, u64 span, u64 up, u64 scale, Code *elements, u64 capacity, u32 *cursors, Code *spill, Code *below, Code *above, u32 *status) { \
		split_codes<bits, KeyLayout<Code>>(codes, n, {(Code)low, (Code)span, (u32)up}, (u32)scale, {elements, {(u32)capacity}, cursors, {spill, status}}, {below, above, status}); \
	} \
	ENTRY(SPLIT_THREADS, 2) \
	split_sections_##bits##_keys_##Code(const Code *codes, u64 n, u64 low, u64 span, u64 up, Code *elements, const Sections *sections, u32 *cursors, Code *spill, Code *below, Code *above, u32 *status) { \
		split_sections<bits, KeyLayout<Code>>(codes, n, {(Code)low, (Code)span, (u32)up}, {elements, {sections}, cursors, {spill, status}}, {below, above, status}); \
	}

#define FOR_WIDTH(Code) \
	SPLIT_KEYS(Code, 8) \
	SPLIT_KEYS(Code, 9) \
	SPLIT_KEYS(Code, 10) \
	ENTRY(32 * LOCAL_WARPS, LOCAL_BLOCKS) \
	local_sort_keys_##Code(const Code *buckets, const Slice *slices, const u32 *status, u64 low, u64 up, u64 near_at, Code *sorted) { \
		const KeyBucket<Code> bucket = {buckets, {(Code)low, 0, (u32)up}}; \
		local_sort_buckets(bucket, slices, status, (u32)near_at, sorted); \
	} \
	ENTRY(OVERSIZE_THREADS, 1) \
	oversize_sort_keys_##Code(const Code *buckets, u64 n, const Slice *slices, const Partition *partitions, u64 count, u64 scale, u64 low, u64 up, Code *spill, const u32 *oversize, Code *below, Code *above, \
	                          Code *sorted, u32 *status, u32 *note) { \
		const KeyBucket<Code> bucket = {buckets, {(Code)low, 0, (u32)up}}; \
		oversize_sort(bucket, n, slices, partitions, (u32)count, (u32)scale, {spill, status}, oversize, {below, above, status}, sorted, note); \
	}
FOR_WIDTH(u32)
FOR_WIDTH(u64)
#undef FOR_WIDTH

#define SPLIT_KEY_ELEMENTS(bits) \
	ENTRY(SPLIT_THREADS, 2) \
	split_elements_##bits##_keys_u32(const u32 *elements, const Partition *partitions, const u64 *tiles, u32 *buckets, u32 *sizes, u32 *spill, u32 *status) { \
		split_elements<bits>(elements, partitions, tiles, buckets, sizes, Spill<u32>{spill, status}); \
	}
SPLIT_KEY_ELEMENTS(8)
SPLIT_KEY_ELEMENTS(9)
SPLIT_KEY_ELEMENTS(10)
#undef SPLIT_KEY_ELEMENTS
#undef SPLIT_KEYS
