// samplesort.cu: deterministic sample sort.
#include "samplesort.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)
#define WORD_ENTRY ENTRY(Items<u64>::THREADS, 2)
#define PAIR_ENTRY ENTRY(Items<Pair>::THREADS, 1)
#define LEVEL_PARAMETERS const u32 *starts, const u32 *tiles, u64 buckets, u64 per_tile
#define LEVEL {starts, tiles, (u32)buckets, (u32)per_tile}

WORD_ENTRY sample_tiles_u32(const u32 *codes, u64 low, u64 bits, LEVEL_PARAMETERS, u64 *elements, u64 n, u64 *samples) {
	sample_tiles<CodeWords<u32>>({codes, (u32)low, (u32)bits}, LEVEL, elements, n, samples);
}

WORD_ENTRY sample_tiles_u64(const u64 *codes, u64 low, u64 bits, LEVEL_PARAMETERS, u64 *elements, u64 n, u64 *samples) {
	sample_tiles<CodeWords<u64>>({codes, low, (u32)bits}, LEVEL, elements, n, samples);
}

PAIR_ENTRY sample_tiles_pair(const u64 *codes, LEVEL_PARAMETERS, u64 *elements, u64 n, u64 *samples) {
	sample_tiles<CodePairs>({codes}, LEVEL, elements, n, samples);
}

#define SAMPLE_SORT_ENTRIES(KIND, kind, Element) \
	KIND sample_inplace_##kind(LEVEL_PARAMETERS, u64 *elements, u64 n, u64 *samples) { \
		sample_tiles<Elements<Element>>({elements, n}, LEVEL, elements, n, samples); \
	} \
	ENTRY(RUNS_THREADS, 2) cut_tiles_##kind(LEVEL_PARAMETERS, u64 *elements, u64 n, u64 *samples, u16 *cuts, u32 *runs) { \
		cut_tiles<Element>(LEVEL, elements, n, samples, cuts, runs); \
	} \
	ENTRY(RUNS_THREADS, 2) move_runs_##kind(LEVEL_PARAMETERS, u64 *elements, u64 n, const u16 *cuts, const u32 *places, u64 *to) { \
		move_runs<Element>(LEVEL, elements, n, cuts, places, to); \
	} \
	KIND sort_buckets_##kind(u64 *elements, u64 n, const u32 *windows, u64 mask, u32 *order) { \
		sort_buckets<Element>(elements, n, windows, (u32)mask, order); \
	}
SAMPLE_SORT_ENTRIES(WORD_ENTRY, word, u64)
SAMPLE_SORT_ENTRIES(PAIR_ENTRY, pair, Pair)

ENTRY(SCAN_THREADS, 1) split_buckets(LEVEL_PARAMETERS, const u32 *places, u32 *new_starts, u32 *new_tiles) { find_buckets(LEVEL, places, new_starts, new_tiles); }

ENTRY(SCAN_THREADS, 1) sum_tiles(const u32 *values, u64 n, u32 *sums) { sum(values, n, sums); }

ENTRY(SCAN_THREADS, 1) scan_tiles(u32 *values, u64 n, const u32 *sums) { scan(values, n, sums); }

ENTRY(SCAN_THREADS, 1) pack_buckets(const u32 *starts, u64 buckets, u64 window, u64 count, u32 *windows) {
	find_windows(starts, (u32)buckets, (u32)window, (u32)count, windows);
}
