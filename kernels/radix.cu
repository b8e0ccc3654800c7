// radix.cu: the radix sort.
#include "radix.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define FOR_WIDTH(Code, key_blocks) \
	ENTRY(RADIX_COUNT_THREADS, RADIX_COUNT_BLOCKS) \
	radix_histogram_##Code(const Code *codes, u64 n, u64 ordered, u32 *order, RadixState *state, RadixState *spent, u32 *words, RadixNote *note) { \
		count_digits<OrderInput<Code>>({{codes, (u32)n, ordered != 0}, order}, state, spent, words, note); \
	} \
	ENTRY(RADIX_COUNT_THREADS, RADIX_COUNT_BLOCKS) \
	radix_histogram_keys_##Code(const Code *codes, u64 n, u64 ordered, Code *sorted, RadixState *state, RadixState *spent, u32 *words, RadixNote *note) { \
		count_digits<KeyInput<Code>>({{codes, (u32)n, ordered != 0}, sorted}, state, spent, words, note); \
	} \
	ENTRY(RADIX_THREADS, RADIX_BLOCKS) \
	radix_pass_##Code(const Code *codes, u64 n, u64 pass, RadixState *state, u32 *words, u64 *even, u64 *odd, u32 *order) { \
		radix_pass(codes, n, (u32)pass, state, words, even, odd, order); \
	} \
	ENTRY(RADIX_THREADS, key_blocks) \
	radix_pass_keys_##Code(const Code *codes, u64 n, u64 pass, RadixState *state, u32 *words, Code *spare, Code *sorted) { \
		radix_pass_keys(codes, n, (u32)pass, state, words, spare, sorted); \
	}
// Blocks of radix_pass_keys that an SM holds: 2^28 keys of 32 bits take 4.9 ms, with two
// blocks 5.5 (H200, 2026-11-21). Of 64 bits a third finds no room.
FOR_WIDTH(u32, 3)
FOR_WIDTH(u64, 2)
#undef FOR_WIDTH
