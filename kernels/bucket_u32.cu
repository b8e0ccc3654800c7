// bucket_u32.cu: the bucket-bitonic sort of 32-bit codes.
#define CODE u32
#define NAME(phase) phase##_u32
#include "entries.cuh"
