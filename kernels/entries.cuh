// entries.cuh: the kernel entries for one width of codes, CODE. NAME(phase) is the name of an
// entry. See platform.cuh for the rule of 8-byte parameters.
#include "bucket.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(SAMPLE_THREADS, 1)
NAME(sample_codes)
(const CODE *codes, u64 n, u64 sample_bits, u64 index_bits, Sample *sample, SampleCounts *counts, u32 *ties, u64 tie_bits, u64 salt, u32 *cells, u64 even_cells, u64 cell_most,
 u32 *status, u32 *few, u64 most, u64 leave_digits, u64 leave_share, u64 leave_repeats, u64 leave_heavy, SampleNote *note) {
	sample_codes(codes, n, (u32)sample_bits, (u32)index_bits, sample, counts, TieTable{ties, (u32)tie_bits, salt}, Cells{cells, (u32)even_cells, (u32)cell_most}, status, few, (u32)most,
	             Leave{(u32)leave_digits, (u32)leave_share, (u32)leave_repeats, (u32)leave_heavy}, note);
}

ENTRY(SAMPLE_THREADS, 1)
NAME(sample_map)
(const CODE *codes, u64 n, u64 sample_bits, u64 salt, u64 index_bits, const Map<CODE> *map, const Sample *sample, u32 *cells, u64 cell_bits, u32 *segments, u64 *pairs) {
	sample_map(codes, n, (u32)sample_bits, salt, (u32)index_bits, map, sample, Cells{cells, 1u << cell_bits, ~0u}, segments, pairs);
}

#define SPLIT_CODES(bits) \
	ENTRY(SPLIT_THREADS, 2) \
	NAME(split_codes_##bits) \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 *elements, u64 capacity, u32 *cursors, u64 *spill, u32 *below, u32 *above, u32 *status) { \
		split_codes<bits, Layout<CODE>>(codes, n, {(CODE)low, (CODE)span, (u32)up, (u32)at, keep}, (u32)scale, {elements, {(u32)capacity}, cursors, {spill, status}}, {below, above, status}); \
	}
#define SPLIT_SECTIONS(bits) \
	ENTRY(SPLIT_THREADS, 2) \
	NAME(split_sections_##bits) \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 *elements, const Sections *sections, u32 *cursors, u64 *spill, u32 *below, u32 *above, u32 *status) { \
		split_sections<bits, Layout<CODE>>(codes, n, {(CODE)low, (CODE)span, (u32)up, (u32)at, keep}, {elements, {sections}, cursors, {spill, status}}, {below, above, status}); \
	}
#define SPLIT_MAPPED(bits) \
	ENTRY(SPLIT_THREADS, 2) \
	NAME(split_mapped_##bits) \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 *elements, u64 capacity, u32 *cursors, u64 *spill, u32 *status, const Map<CODE> *map, u64 index_bits) { \
		split_mapped<CODE, bits>(codes, n, {(CODE)low, (CODE)span, (u32)up, (u32)at, keep}, map, (u32)index_bits, (u32)scale, {elements, {(u32)capacity}, cursors, {spill, status}}); \
	}
SPLIT_CODES(8)
SPLIT_CODES(9)
SPLIT_CODES(10)
SPLIT_SECTIONS(8)
SPLIT_SECTIONS(9)
SPLIT_SECTIONS(10)
SPLIT_MAPPED(8)
SPLIT_MAPPED(9)
SPLIT_MAPPED(10)

ENTRY(32 * LOCAL_WARPS, LOCAL_BLOCKS)
NAME(local_sort)
(const u64 *buckets, const Slice *slices, const u32 *status, u64 at, u64 mask, u64 code_at, const CODE *codes, u64 near_at, u32 *order) {
	const Bucket<CODE, Fields> bucket = {buckets, codes, {(u32)at, (u32)mask, (u32)code_at}};
	local_sort_buckets(bucket, slices, status, (u32)near_at, order);
}

ENTRY(OVERSIZE_THREADS, 1)
NAME(oversize_sort)
(const u64 *buckets, u64 n, const Slice *slices, const Partition *partitions, u64 count, u64 scale, u64 at, u64 mask, u64 code_at, const CODE *codes, u64 *spill, const u32 *oversize,
 u32 *below, u32 *above, u32 *order, u32 *status, u32 *note) {
	oversize_sort<Bucket<CODE, Fields>>({buckets, codes, {(u32)at, (u32)mask, (u32)code_at}}, n, slices, partitions, (u32)count, (u32)scale, {spill, status}, oversize, {below, above, status}, order, note);
}

#undef CODE
#undef NAME
