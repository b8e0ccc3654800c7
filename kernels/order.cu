// order.cu: kernels that every algorithm uses, for both widths of codes: the first sample,
// results for codes in order, ties, and checks.
#include "order.cuh"
#include "sample.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define FOR_WIDTH(Code) \
	ENTRY(SAMPLE_THREADS, 1) sample_range_##Code(const Code *codes, u64 n, u64 salt, Sample *sample) { sample_range(codes, n, salt, sample); } \
	ENTRY(SAMPLE_THREADS, 1) count_descents_##Code(const Code *codes, u64 n, u32 *status) { count_descents(codes, n, status + DESCENTS); } \
	ENTRY(SAMPLE_THREADS, 1) mark_ties_##Code(const Code *codes, const u32 *order, u64 n, u32 *ties) { mark_ties(codes, order, n, ties); } \
	ENTRY(SAMPLE_THREADS, 1) mark_order_##Code(const Code *codes, const u32 *order, u64 n, u32 *seen, u32 *status) { mark_order(codes, order, n, seen, status); } \
	ENTRY(SAMPLE_THREADS, 1) write_ordered_##Code(const Code *codes, u64 n, u64 falling, u32 *order, Code *sorted, u32 *status) { write_ordered(codes, n, falling != 0, order, sorted, status + DESCENTS); } \
	ENTRY(SAMPLE_THREADS, 1) sum_codes_##Code(const Code *codes, u64 n, u64 *sum) { sum_codes(codes, n, sum); }
FOR_WIDTH(u32)
FOR_WIDTH(u64)
#undef FOR_WIDTH

ENTRY(SAMPLE_THREADS, 1) write_identity(u32 *order, u64 n) { fill_identity(order, n); }

ENTRY(SAMPLE_THREADS, 1) count_missing(const u32 *seen, u64 n, u32 *status) { count_unmarked(seen, n, status); }
