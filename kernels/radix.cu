// radix.cu: the radix sort.
#define TILE LargeTile
#define NAME(phase, kind) radix_##phase##_##kind
#include "radixentries.cuh"
