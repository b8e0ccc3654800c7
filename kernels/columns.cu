// columns.cu: rows in the order of several columns.
#include "columns.cuh"

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

ENTRY(COLUMN_THREADS, 4) range_of_column(const Field *fields, u64 i, u64 n, FieldRange *ranges) { column_range(fields + i, n, ranges + i); }

ENTRY(COLUMN_THREADS, 4) prefix_of_texts(const Field *fields, u64 i, u64 like, u64 n, u64 step, u64 *common) { text_prefix(fields[i], like, n, step, common); }

#define PACK_ENTRY(Code) \
	ENTRY(COLUMN_THREADS, 4) pack_codes_##Code(const Field *fields, u64 count, const u32 *rows, const u32 *segments, const u64 *depths, u64 depth, u64 n, Code *codes) { \
		pack_codes(fields, (u32)count, rows, segments, depths, depth, n, codes); \
	}
PACK_ENTRY(u32)
PACK_ENTRY(u64)

ENTRY(COLUMN_THREADS, 4) place_rows_of_list(const u32 *rows, const u32 *places, const u32 *sorted, u64 n, u32 *order) { place_rows(rows, places, sorted, n, order); }

ENTRY(COLUMN_THREADS, 4) count_ties(const u32 *ties, const u32 *heads, u64 n, u64 *tiles) { tie_counts(ties, heads, n, tiles); }

ENTRY(1024, 1) scan_ties(u64 *tiles, u64 count, u64 *all) { tie_scan(tiles, count, all); }

ENTRY(COLUMN_THREADS, 4) list_ties(const u32 *ties, u64 n, const u64 *tiles, const u32 *sorted, const TieList *lists, u64 deeper) { tie_lists(ties, n, tiles, sorted, lists[0], deeper, lists[1]); }

ENTRY(COLUMN_THREADS, 4) common_of_texts(const Field *fields, u64 i, const u32 *rows, const u32 *segments, const u64 *depths, u64 n, u64 *common, u32 *open) {
	text_common(fields[i], rows, segments, depths, n, common, open);
}

ENTRY(COLUMN_THREADS, 4) refine_marks(const u32 *ties, const u32 *heads, const u32 *places, u64 n, u32 *marks) { refine_ties(ties, heads, places, n, marks); }

ENTRY(1024, 1) rank_dictionary(const u32 *order, const u32 *ties, const unsigned char *validity, u64 first, u64 n, u32 *ranks) { rank_entries(order, ties, validity, first, n, ranks); }
