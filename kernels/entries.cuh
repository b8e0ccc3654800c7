// entries.cuh: the kernel entries for one width of codes, CODE, whose names end
// in NAME(). See platform.cuh for the rule of 8-byte parameters.
#include "bucket.cuh"
#include "order.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(SAMPLE_THREADS, 1) NAME(sample_range)(const CODE *codes, u64 n, Sample *sample) { sample_range(codes, n, sample); }

ENTRY(SAMPLE_THREADS, 1)
NAME(sample_segments)(const CODE *codes, u64 n, u64 sample_bits, u64 index_bits, Sample *sample) { sample_segments(codes, n, (u32)sample_bits, (u32)index_bits, sample); }

ENTRY(SAMPLE_THREADS, 1)
NAME(sample_map)
(const CODE *codes, u64 n, u64 sample_bits, u64 index_bits, const Map<CODE> *map, Sample *sample, u32 *segments) {
	sample_map(codes, n, (u32)sample_bits, (u32)index_bits, map, sample, segments);
}

ENTRY(SAMPLE_THREADS, 1) NAME(count_descents)(const CODE *codes, u64 n, u32 *status) { count_descents(codes, n, status + DESCENTS); }

#define SPLIT(bits) \
	ENTRY(SPLIT_THREADS, 2) \
	NAME(split_codes_##bits) \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 low_bits, u64 *rooms, u32 *cursors, u64 capacity, u64 *spill, u32 *below, u32 *above, u32 *status) { \
		split_codes<CODE, bits>(codes, n, {(CODE)low, (CODE)span, (u32)up, (u32)at, keep}, (u32)scale, (u32)low_bits, {rooms, cursors, CURSOR_PITCH, (u32)capacity, 0, spill, status}, {below, above, status}); \
	} \
	ENTRY(SPLIT_THREADS, 2) \
	NAME(split_smooth_##bits) \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 low_bits, u64 *rooms, u32 *cursors, u64 capacity, u64 *spill, u32 *below, u32 *above, u32 *status, const Map<CODE> *map, u64 index_bits) { \
		split_smooth<CODE, bits>(codes, n, {(CODE)low, (CODE)span, (u32)up, (u32)at, keep}, map, (u32)index_bits, (u32)scale, (u32)low_bits, {rooms, cursors, CURSOR_PITCH, (u32)capacity, 0, spill, status}, {below, above, status}); \
	} \
	ENTRY(SPLIT_THREADS, 2) \
	NAME(split_mapped_##bits) \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 low_bits, u64 *rooms, u32 *cursors, u64 capacity, u64 *spill, u32 *below, u32 *above, u32 *status, const Map<CODE> *map, u64 index_bits) { \
		split_mapped<CODE, bits>(codes, n, {(CODE)low, (CODE)span, (u32)up, (u32)at, keep}, map, (u32)index_bits, (u32)scale, (u32)low_bits, {rooms, cursors, CURSOR_PITCH, (u32)capacity, 0, spill, status}); \
	}
SPLIT(8)
SPLIT(9)
SPLIT(10)

ENTRY(32 * LOCAL_WARPS, LOCAL_BLOCKS)
NAME(local_sort)
(const u64 *buckets, const u32 *sizes, u64 size_pitch, const u32 *starts, u64 slices, u64 reciprocal, u64 drop, u64 near, u64 at, u64 mask, u64 code_at,
 const CODE *codes, u32 *order, u32 *status) {
	const Bucket<CODE> bucket = {buckets, codes, (u32)at, (u32)mask, (u32)code_at, status};
	local_sort_buckets(bucket, sizes, (u32)size_pitch, starts, (u32)slices, reciprocal, (u32)drop, (u32)near, order);
}

ENTRY(OVERSIZE_THREADS, 1)
NAME(oversize_sort)
(const u64 *buckets, u64 n, const u32 *starts, u64 scale, u64 at, u64 mask, u64 code_at, const CODE *codes, const u64 *spill, const u32 *oversize, u32 *below,
 u32 *above, u32 *order, u32 *status) {
	oversize_sort<CODE>({buckets, codes, (u32)at, (u32)mask, (u32)code_at, status}, n, starts, (u32)scale, spill, oversize, {below, above, status}, order);
}

ENTRY(SAMPLE_THREADS, 1) NAME(mark_order)(const CODE *codes, const u32 *order, u64 n, u32 *seen, u32 *status) { mark_order(codes, order, n, seen, status); }

ENTRY(SAMPLE_THREADS, 1) NAME(gather_codes)(const CODE *codes, const u32 *order, u64 n, CODE *sorted) { gather_codes(codes, order, n, sorted); }

#undef CODE
#undef NAME
