// gathercolumns.cu: columns moved through an order.
#include "gathercolumns.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(COLUMN_THREADS, 4) gather_values_u8(const unsigned char *values, const u32 *order, u64 n, unsigned char *sorted) { gather_small(values, order, n, sorted); }
ENTRY(COLUMN_THREADS, 4) gather_values_u16(const u16 *values, const u32 *order, u64 n, u16 *sorted) { gather_small(values, order, n, sorted); }

ENTRY(COLUMN_THREADS, 4) gather_column_bits(const unsigned char *bits, u64 first, const u32 *order, u64 n, u32 *sorted) { gather_bits(bits, first, order, n, sorted); }

ENTRY(COLUMN_THREADS, 4) sizes_of_texts(const Field *fields, const u32 *order, u64 n, u64 *tiles, u64 *wrong) { text_sizes(fields[0], order, n, tiles, wrong); }

ENTRY(COLUMN_THREADS, 4) offsets_of_texts(const Field *fields, const u32 *order, u64 n, const u64 *tiles, u64 *wrong) { text_offsets(fields[0], order, n, tiles, fields[1], wrong); }

ENTRY(COLUMN_THREADS, 4) move_texts(const Field *fields, const u32 *order, u64 n) { text_moves(fields[0], order, n, fields[1]); }
