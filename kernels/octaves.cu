// octaves.cu: the phases of the bucket-bitonic sort that differ for codes spread by octaves,
// for both widths. The other phases are those of bucket.cu.
#include "bucket.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define SPLIT_OCTAVES(Code, bits) \
	ENTRY(SPLIT_THREADS, 2) \
	split_octaves_##bits##_##Code(const Code *codes, u64 n, u64 low, u64 span, u64 index_bits, u64 reciprocal, u64 *elements, const Sections *sections, u32 *cursors, u64 *spill, u32 *below, u32 *above, u32 *status) { \
		const PartitionSink<u64, BoundPartitions> sink = {elements, {sections}, cursors, {spill, status}}; \
		const Outside<u32> away = {below, above, status}; \
		if ((n & (n - 1)) == 0) split_sections<bits, OctaveLayout<Code, true>>(codes, n, {(Code)low, (Code)span, (u32)index_bits, reciprocal}, sink, away); \
		else split_sections<bits, OctaveLayout<Code>>(codes, n, {(Code)low, (Code)span, (u32)index_bits, reciprocal}, sink, away); \
	}

#define FOR_WIDTH(Code) \
	SPLIT_OCTAVES(Code, 8) \
	SPLIT_OCTAVES(Code, 9) \
	SPLIT_OCTAVES(Code, 10) \
	ENTRY(32 * LOCAL_WARPS, LOCAL_BLOCKS) \
	local_sort_octaves_##Code(const u64 *buckets, const Slice *slices, const u32 *status, u64 index_bits, u64 scale_16, const Code *codes, u64 near_at, u32 *order) { \
		const Bucket<Code, OctaveFields<Code>> bucket = {buckets, codes, {(u32)index_bits, (u32)scale_16, near_at == 0}}; \
		local_sort_buckets(bucket, slices, status, (u32)near_at, order); \
	} \
	ENTRY(OVERSIZE_THREADS, 1) \
	oversize_sort_octaves_##Code(const u64 *buckets, u64 n, const Slice *slices, const Partition *partitions, u64 count, u64 scale, u64 index_bits, u64 scale_16, const Code *codes, u64 near_at, u64 *spill, const u32 *oversize, \
	                             u32 *below, u32 *above, u32 *order, u32 *status, u32 *note) { \
		oversize_sort<Bucket<Code, OctaveFields<Code>>>({buckets, codes, {(u32)index_bits, (u32)scale_16, near_at == 0}}, n, slices, partitions, (u32)count, (u32)scale, {spill, status}, oversize, {below, above, status}, order, note); \
	}
FOR_WIDTH(u32)
FOR_WIDTH(u64)
#undef FOR_WIDTH
#undef SPLIT_OCTAVES
