//go:build cudacpu && linux && amd64

#include "bitonic.cu"
#include "order.cu"
#include "bucket.cu"
#include "bucket_u32.cu"
#include "bucket_u64.cu"
#include "gather.cu"
#include "keys.cu"
#include "octaves.cu"
#include "strided.cu"
#include "numbered.cu"
#include "radix.cu"
#include "radix_small.cu"
#include "route.cu"
#include "merge.cu"
#include "samplesort.cu"
#include "values.cu"
#include "encode.cu"
#include "segments.cu"
#include "selection.cu"
#include "segmentradix.cu"
#include "topsegments.cu"
#include "columns.cu"
#include "gathercolumns.cu"

CUDACPU_KERNEL(split_elements_8);
CUDACPU_KERNEL(split_elements_9);
CUDACPU_KERNEL(split_elements_10);
CUDACPU_KERNEL(split_elements_8_keys_u32);
CUDACPU_KERNEL(split_elements_9_keys_u32);
CUDACPU_KERNEL(split_elements_10_keys_u32);
CUDACPU_KERNEL(values_pass);
CUDACPU_KERNEL(values_pass_high);
CUDACPU_KERNEL(open_partitions);
CUDACPU_KERNEL(plan_partitions);
CUDACPU_KERNEL(partition_starts);
CUDACPU_KERNEL(bucket_starts);
CUDACPU_KERNEL(write_identity);
CUDACPU_KERNEL(count_missing);
CUDACPU_KERNEL(route_starts);
CUDACPU_KERNEL(route_words);
CUDACPU_KERNEL(route_loose_words);
CUDACPU_KERNEL(route_places);
CUDACPU_KERNEL(word_places);
CUDACPU_KERNEL(word_positions);
CUDACPU_KERNEL(split_codes_8_numbered);
CUDACPU_KERNEL(split_codes_9_numbered);
CUDACPU_KERNEL(split_codes_10_numbered);
CUDACPU_KERNEL(split_sections_8_numbered);
CUDACPU_KERNEL(split_sections_9_numbered);
CUDACPU_KERNEL(split_sections_10_numbered);
CUDACPU_KERNEL(local_sort_numbered);
CUDACPU_KERNEL(oversize_sort_numbered);
CUDACPU_KERNEL(split_segments);
CUDACPU_KERNEL(number_large);
CUDACPU_KERNEL(sort_segment_10_keys_u32);
CUDACPU_KERNEL(sort_segment_11_keys_u32);
CUDACPU_KERNEL(sort_segment_12_keys_u32);
CUDACPU_KERNEL(sort_segment_13_keys_u32);
CUDACPU_KERNEL(sort_segment_14_keys_u32);
CUDACPU_KERNEL(gather_elements_u32);
CUDACPU_KERNEL(gather_elements_u64);
CUDACPU_KERNEL(gather_elements_u128);
#define FOR_STRIDED(bits, width)                                   \
	CUDACPU_KERNEL(split_strided_##bits##_##width);            \
	CUDACPU_KERNEL(split_strided_##bits##_keys_##width)
#define FOR_WIDTH(width)                      \
	CUDACPU_KERNEL(sample_range_##width);       \
	CUDACPU_KERNEL(sample_codes_##width);       \
	CUDACPU_KERNEL(sample_map_##width);         \
	CUDACPU_KERNEL(count_descents_##width);     \
	CUDACPU_KERNEL(split_codes_8_##width);      \
	CUDACPU_KERNEL(split_codes_9_##width);      \
	CUDACPU_KERNEL(split_codes_10_##width);     \
	CUDACPU_KERNEL(split_sections_8_##width);   \
	CUDACPU_KERNEL(split_sections_9_##width);   \
	CUDACPU_KERNEL(split_sections_10_##width);  \
	CUDACPU_KERNEL(split_octaves_8_##width);    \
	CUDACPU_KERNEL(split_octaves_9_##width);    \
	CUDACPU_KERNEL(split_octaves_10_##width);   \
	CUDACPU_KERNEL(local_sort_octaves_##width); \
	CUDACPU_KERNEL(oversize_sort_octaves_##width); \
	CUDACPU_KERNEL(split_mapped_8_##width);     \
	CUDACPU_KERNEL(split_mapped_9_##width);     \
	CUDACPU_KERNEL(split_mapped_10_##width);    \
	CUDACPU_KERNEL(local_sort_##width);         \
	CUDACPU_KERNEL(oversize_sort_##width);      \
	CUDACPU_KERNEL(mark_order_##width);         \
	CUDACPU_KERNEL(mark_ties_##width);          \
	CUDACPU_KERNEL(radix_histogram_##width);    \
	CUDACPU_KERNEL(radix_histogram_keys_##width); \
	CUDACPU_KERNEL(radix_pass_##width);         \
	CUDACPU_KERNEL(radix_pass_keys_##width);    \
	CUDACPU_KERNEL(radix_histogram_small_##width); \
	CUDACPU_KERNEL(radix_histogram_small_keys_##width); \
	CUDACPU_KERNEL(radix_pass_small_##width);   \
	CUDACPU_KERNEL(radix_pass_small_keys_##width); \
	CUDACPU_KERNEL(write_ordered_##width);      \
	CUDACPU_KERNEL(sum_codes_##width);          \
	CUDACPU_KERNEL(split_codes_8_keys_##width);     \
	CUDACPU_KERNEL(split_codes_9_keys_##width);     \
	CUDACPU_KERNEL(split_codes_10_keys_##width);    \
	CUDACPU_KERNEL(split_sections_8_keys_##width);  \
	CUDACPU_KERNEL(split_sections_9_keys_##width);  \
	CUDACPU_KERNEL(split_sections_10_keys_##width); \
	FOR_STRIDED(8, width);                      \
	FOR_STRIDED(9, width);                      \
	FOR_STRIDED(10, width);                     \
	CUDACPU_KERNEL(local_sort_keys_##width);    \
	CUDACPU_KERNEL(oversize_sort_keys_##width); \
	CUDACPU_KERNEL(tile_sort_##width);          \
	CUDACPU_KERNEL(merge_paths_##width);        \
	CUDACPU_KERNEL(merge_tiles_##width);        \
	CUDACPU_KERNEL(gather_run_##width);         \
	CUDACPU_KERNEL(values_open_##width);        \
	CUDACPU_KERNEL(values_find_##width);        \
	CUDACPU_KERNEL(values_classify_##width);    \
	CUDACPU_KERNEL(values_rank_##width);        \
	CUDACPU_KERNEL(values_write_##width);       \
	CUDACPU_KERNEL(flip_words_##width);         \
	CUDACPU_KERNEL(encode_floats_##width);      \
	CUDACPU_KERNEL(decode_floats_##width);      \
	CUDACPU_KERNEL(sort_windows_##width);       \
	CUDACPU_KERNEL(sort_segment_10_##width);    \
	CUDACPU_KERNEL(sort_segment_11_##width);    \
	CUDACPU_KERNEL(sort_segment_12_##width);    \
	CUDACPU_KERNEL(sort_segment_13_##width);    \
	CUDACPU_KERNEL(sort_segment_14_##width);    \
	CUDACPU_KERNEL(gather_large_##width);       \
	CUDACPU_KERNEL(finish_large_##width);       \
	CUDACPU_KERNEL(select_bounds_##width);      \
	CUDACPU_KERNEL(select_bounds_kept_##width); \
	CUDACPU_KERNEL(select_within_##width);      \
	CUDACPU_KERNEL(select_within_kept_##width); \
	CUDACPU_KERNEL(select_ranked_##width);      \
	CUDACPU_KERNEL(select_positions_##width);   \
	CUDACPU_KERNEL(top_segments_##width);       \
	CUDACPU_KERNEL(top_joined_##width);         \
	CUDACPU_KERNEL(sort_rows_##width);          \
	CUDACPU_KERNEL(first_rows_##width);         \
	CUDACPU_KERNEL(ranked_rows_##width);        \
	CUDACPU_KERNEL(route_counts_##width);       \
	CUDACPU_KERNEL(route_codes_##width);        \
	CUDACPU_KERNEL(route_loose_##width)
FOR_WIDTH(u32);
FOR_WIDTH(u64);

CUDACPU_KERNEL(code_range);
#define FOR_SOURCE(source)                 \
	CUDACPU_KERNEL(bitonic_tiles_##source); \
	CUDACPU_KERNEL(sample_tiles_##source)
FOR_SOURCE(u32);
FOR_SOURCE(u64);
FOR_SOURCE(pair);
#define FOR_KIND(kind)                    \
	CUDACPU_KERNEL(bitonic_inplace_##kind); \
	CUDACPU_KERNEL(bitonic_merge_##kind);   \
	CUDACPU_KERNEL(bitonic_order_##kind);   \
	CUDACPU_KERNEL(sample_inplace_##kind);  \
	CUDACPU_KERNEL(cut_tiles_##kind);       \
	CUDACPU_KERNEL(move_runs_##kind);       \
	CUDACPU_KERNEL(sort_buckets_##kind)
FOR_KIND(word);
FOR_KIND(pair);
CUDACPU_KERNEL(split_tops);
CUDACPU_KERNEL(radix_segments_tiles);
CUDACPU_KERNEL(radix_segments_histogram);
CUDACPU_KERNEL(radix_segments_starts);
CUDACPU_KERNEL(radix_segments_pass_u32);
CUDACPU_KERNEL(radix_segments_pass_keys_u32);
CUDACPU_KERNEL(sum_tiles);
CUDACPU_KERNEL(scan_tiles);
CUDACPU_KERNEL(split_buckets);
CUDACPU_KERNEL(pack_buckets);
CUDACPU_KERNEL(range_of_column);
CUDACPU_KERNEL(prefix_of_texts);
CUDACPU_KERNEL(pack_codes_u32);
CUDACPU_KERNEL(pack_codes_u64);
CUDACPU_KERNEL(place_rows_of_list);
CUDACPU_KERNEL(count_ties);
CUDACPU_KERNEL(scan_ties);
CUDACPU_KERNEL(list_ties);
CUDACPU_KERNEL(common_of_texts);
CUDACPU_KERNEL(refine_marks);
CUDACPU_KERNEL(rank_dictionary);
CUDACPU_KERNEL(gather_values_u8);
CUDACPU_KERNEL(gather_values_u16);
CUDACPU_KERNEL(gather_column_bits);
CUDACPU_KERNEL(sizes_of_texts);
CUDACPU_KERNEL(offsets_of_texts);
CUDACPU_KERNEL(move_texts);
