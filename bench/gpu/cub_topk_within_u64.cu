// cub_topk_within_u64.cu: cub_topk_within.cu for 64-bit keys, apart to be compiled at the same time.
#include <cstdint>
#define KEY uint64_t
#define NAME cub_topk_within_u64
#include "cub_topk_within.cu"
