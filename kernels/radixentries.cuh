// radixentries.cuh: the kernel entries of the radix sort for one tile, TILE. NAME(phase, kind)
// is the name of an entry. See platform.cuh for the rule of 8-byte parameters.
#include "radix.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define FOR_WIDTH(Code, key_blocks) \
	ENTRY(RADIX_COUNT_THREADS, TILE::COUNT_BLOCKS) \
	NAME(histogram, Code)(const Code *codes, u64 n, u64 ordered, u32 *order, RadixState *state, RadixState *spent, u32 *words, RadixNote *note) { \
		count_digits<TILE, OrderInput<Code>>({{codes, (u32)n, ordered != 0}, order}, state, spent, words, note); \
	} \
	ENTRY(RADIX_COUNT_THREADS, TILE::COUNT_BLOCKS) \
	NAME(histogram, keys_##Code)(const Code *codes, u64 n, u64 ordered, Code *sorted, RadixState *state, RadixState *spent, u32 *words, RadixNote *note) { \
		count_digits<TILE, KeyInput<Code>>({{codes, (u32)n, ordered != 0}, sorted}, state, spent, words, note); \
	} \
	ENTRY(TILE::THREADS, TILE::BLOCKS) \
	NAME(pass, Code)(const Code *codes, u64 n, u64 pass, RadixState *state, u32 *words, u64 *even, u64 *odd, u32 *high, u32 *order) { \
		radix_pass<TILE>(codes, n, (u32)pass, state, words, {even, odd, high, order}); \
	} \
	ENTRY(TILE::THREADS, key_blocks) \
	NAME(pass, keys_##Code)(const Code *codes, u64 n, u64 pass, RadixState *state, u32 *words, Code *spare, Code *sorted) { \
		radix_pass_keys<TILE>(codes, n, (u32)pass, state, words, spare, sorted); \
	}
FOR_WIDTH(u32, TILE::KEYS_U32_BLOCKS)
FOR_WIDTH(u64, TILE::BLOCKS)
#undef FOR_WIDTH
#undef TILE
#undef NAME
