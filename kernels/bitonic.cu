// bitonic.cu: the full bitonic network.
#include "bitonic.cuh"
#include "sample.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)
#define WORD_ENTRY ENTRY(Items<u64>::THREADS, 2)
#define PAIR_ENTRY ENTRY(Items<Pair>::THREADS, 1)

ENTRY(SAMPLE_THREADS, 1) code_range(const u64 *codes, u64 n, u64 *range) { find_range(codes, n, range); }

WORD_ENTRY bitonic_tiles_u32(const u32 *codes, u64 low, u64 bits, u64 n, u64 *elements) {
	bitonic_tiles<CodeWords<u32>>({codes, (u32)low, (u32)bits}, n, elements);
}

WORD_ENTRY bitonic_tiles_u64(const u64 *codes, u64 low, u64 bits, u64 n, u64 *elements) {
	bitonic_tiles<CodeWords<u64>>({codes, low, (u32)bits}, n, elements);
}

PAIR_ENTRY bitonic_tiles_pair(const u64 *codes, u64 n, u64 *elements) { bitonic_tiles<CodePairs>({codes}, n, elements); }

#define MERGE_ENTRIES(KIND, kind, Element) \
	KIND bitonic_inplace_##kind(u64 *elements, u64 n) { \
		bitonic_tiles<Elements<Element>>({elements, n}, n, elements); \
	} \
	KIND bitonic_merge_##kind(u64 *elements, u64 n, u64 low, u64 rows, u64 mirror) { \
		bitonic_merge<Element>(elements, n, (int)low, (int)rows, mirror != 0); \
	} \
	KIND bitonic_order_##kind(u64 *elements, u64 n, u64 mask, u32 *order) { \
		bitonic_order<Element>(elements, n, (u32)mask, order); \
	}
MERGE_ENTRIES(WORD_ENTRY, word, u64)
MERGE_ENTRIES(PAIR_ENTRY, pair, Pair)
