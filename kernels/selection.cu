// selection.cu: the elements of some ranks, without a sort of all.
#include "selection.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define FOR_WIDTH(Code, ITEMS) \
	ENTRY(RANKING_THREADS, 1) select_bounds_##Code(const Code *codes, u64 n, u64 first, u64 count, u64 salt, SelectLevel<Code> *level) { \
		find_bounds(List<Code>{codes}, Left{n, first}, count, salt, level); \
	} \
	ENTRY(RANKING_THREADS, 1) select_bounds_kept_##Code(const Entry<Code> *kept, u64 capacity, u64 count, u64 salt, SelectLevel<Code> *level) { \
		find_bounds(Kept<Code>{kept}, left_by(level - 1, capacity, count), count, salt, level); \
	} \
	ENTRY(SELECT_THREADS, SELECT_BLOCKS) select_within_##Code(const Code *codes, SelectLevel<Code> *level, Entry<Code> *kept, u64 capacity) { \
		keep_within<Code, ITEMS>(List<Code>{codes}, level, kept, capacity); \
	} \
	ENTRY(SELECT_THREADS, SELECT_BLOCKS) select_within_kept_##Code(const Entry<Code> *from, SelectLevel<Code> *level, Entry<Code> *kept, u64 capacity) { \
		keep_within<Code, ITEMS / 2>(Kept<Code>{from}, level, kept, capacity); \
	} \
	ENTRY(RANKING_THREADS, 1) select_ranked_##Code(const Entry<Code> *kept, u64 capacity, const SelectLevel<Code> *level, u64 count, u32 *order, Code *sorted, SelectNote *note) { \
		rank_kept(kept, capacity, level, count, order, sorted, note); \
	} \
	ENTRY(SAMPLE_THREADS, 1) select_positions_##Code(const Entry<Code> *kept, u64 n, u32 *positions) { \
		write_positions(kept, n, positions); \
	}
FOR_WIDTH(u32, SELECT_ITEMS_U32)
FOR_WIDTH(u64, SELECT_ITEMS_U64)
#undef FOR_WIDTH
