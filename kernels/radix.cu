// radix.cu: the radix sort.
#include "radix.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define FOR_WIDTH(Code) \
	ENTRY(RADIX_COUNT_THREADS, RADIX_COUNT_BLOCKS) \
	radix_histogram_##Code(const Code *codes, u64 n, u64 ordered, u32 *order, RadixState *state, RadixState *spent, u32 *words, RadixNote *note) { \
		count_digits<Code>({codes, (u32)n, ordered != 0, order}, state, spent, words, note); \
	} \
	ENTRY(RADIX_THREADS, RADIX_BLOCKS) \
	radix_pass_##Code(const Code *codes, u64 n, u64 pass, RadixState *state, u32 *words, u64 *even, u64 *odd, u32 *order) { \
		radix_pass(codes, n, (u32)pass, state, words, even, odd, order); \
	}
FOR_WIDTH(u32)
FOR_WIDTH(u64)
#undef FOR_WIDTH
