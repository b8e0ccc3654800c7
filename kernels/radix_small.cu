// radix_small.cu: the radix sort for devices with little shared memory, and for short lists.
#define TILE SmallTile
#define NAME(phase, kind) radix_##phase##_small_##kind
#include "radixentries.cuh"
