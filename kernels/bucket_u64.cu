// bucket_u64.cu: the bucket-bitonic sort of 64-bit codes.
#define CODE u64
#define NAME(phase) phase##_u64
#include "entries.cuh"
