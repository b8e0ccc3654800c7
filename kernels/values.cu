// values.cu: the sort of codes of few distinct values.
#include "values.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define FOR_WIDTH(Code, blocks) \
	ENTRY(SAMPLE_THREADS, 1) values_open_##Code(const Code *codes, Code *places, u64 bits, ValuesState *state, u32 *counts, u64 *words, u64 word_count) { \
		open_values(codes, Values<Code>{places, state, (u32)bits}, counts, words, word_count); \
	} \
	ENTRY(SAMPLE_THREADS, 1) values_find_##Code(const Code *codes, u64 n, u64 sample_bits, Code *places, u64 bits, ValuesState *state) { \
		find_values(codes, n, (u32)sample_bits, Values<Code>{places, state, (u32)bits}); \
	} \
	ENTRY(VALUES_THREADS, blocks) values_classify_##Code(const Code *codes, u64 n, Code *places, u64 bits, ValuesState *state, u16 *classes, u32 *counts) { \
		classify(codes, n, Values<Code>{places, state, (u32)bits}, classes, counts); \
	} \
	ENTRY(RANK_THREADS, 1) values_rank_##Code(Code *places, u64 bits, ValuesState *state, const u32 *counts, u16 *ranks, Code *values, u32 *starts, ValuesNote *note) { \
		rank_values(Values<Code>{places, state, (u32)bits}, counts, ranks, values, starts, note); \
	} \
	ENTRY(SAMPLE_THREADS, 1) values_write_##Code(u64 n, const ValuesState *state, const Code *values, const u32 *starts, Code *sorted) { \
		write_values(n, state, values, starts, sorted); \
	}
FOR_WIDTH(u32, VALUES_BLOCKS_U32)
FOR_WIDTH(u64, VALUES_BLOCKS_U64)
#undef FOR_WIDTH

ENTRY(ValuesTile::THREADS, ValuesTile::BLOCKS) values_pass(const u16 *classes, u64 n, const u16 *ranks, u64 table_bits, ValuesState *state, u32 *words, u64 *elements, u32 *order) {
	pass_by_ranks<ValuesTile>(classes, n, ranks, (u32)table_bits, state, words, elements, order);
}

ENTRY(LargeTile::THREADS, LargeTile::BLOCKS) values_pass_high(u64 n, ValuesState *state, u32 *words, const u64 *elements, u32 *order) {
	pass_by_high<LargeTile>(n, state, words, elements, order);
}
