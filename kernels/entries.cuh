// entries.cuh: the kernel entries for one width of codes, CODE, whose names end
// in NAME(). See platform.cuh for the rule of 8-byte parameters.
#include "bucket.cuh"
#include "order.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(SAMPLE_THREADS, 1) NAME(sample_range)(const CODE *codes, u64 n, Sample *sample) { sample_range(codes, n, sample); }

ENTRY(SAMPLE_THREADS, 1) NAME(sample_segments)(const CODE *codes, u64 n, u64 samples, Sample *sample) { sample_segments(codes, n, samples, sample); }

ENTRY(SAMPLE_THREADS, 1) NAME(count_descents)(const CODE *codes, u64 n, u32 *status) { count_descents(codes, n, status + DESCENTS); }

#define SPLIT_CODES(bits, name, equalise)                                                                                                      \
	ENTRY(SPLIT_THREADS, 2)                                                                                                                     \
	NAME(name)                                                                                                                                  \
	(const CODE *codes, u64 n, u64 low, u64 span, u64 up, const Segment *segments, u64 index_bits, u64 slices, u64 low_bits, u64 *rooms,        \
	 u32 *cursors, u64 capacity, u64 *spill, u32 *status) {                                                                                     \
		Range<CODE> range = {(CODE)low, (CODE)span, (u32)up};                                                                                   \
		split_codes<CODE, bits, equalise>(codes, n, range, segments, (u32)index_bits, (u32)slices, (u32)low_bits, rooms, cursors, CURSOR_PITCH, \
		                                  (u32)capacity, spill, status);                                                                        \
	}
SPLIT_CODES(8, split_codes_8, false)
SPLIT_CODES(9, split_codes_9, false)
SPLIT_CODES(10, split_codes_10, false)
SPLIT_CODES(8, split_equalised_8, true)
SPLIT_CODES(9, split_equalised_9, true)
SPLIT_CODES(10, split_equalised_10, true)

ENTRY(32 * LOCAL_WARPS, LOCAL_BLOCKS)
NAME(local_sort)
(const u64 *buckets, const u32 *sizes, u64 size_pitch, const u32 *starts, u64 slices, u64 reciprocal, u64 drop, u64 near_if_outside, u64 near, u64 mask,
 const CODE *codes, u32 *order, const u32 *status) {
	local_sort_buckets(buckets, sizes, (u32)size_pitch, starts, (u32)slices, reciprocal, (u32)drop, (u32)near_if_outside, (u32)near, (u32)mask, codes, order, status);
}

ENTRY(OVERSIZE_THREADS, 1)
NAME(oversize_sort)
(const u64 *buckets, const u32 *starts, u64 slices, u64 mask, const CODE *codes, const u64 *spill, const u32 *oversize, u32 *order, u32 *status) {
	oversize_sort(buckets, starts, (u32)slices, (u32)mask, codes, spill, oversize, order, status);
}

ENTRY(SAMPLE_THREADS, 1) NAME(mark_order)(const CODE *codes, const u32 *order, u64 n, u32 *seen, u32 *status) { mark_order(codes, order, n, seen, status); }

#undef CODE
#undef NAME
