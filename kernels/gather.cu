// gather.cu: elements moved through an order, in words of 4, 8 or 16 bytes.
#include "gather.cuh"

struct alignas(16) u128 {
	u64 low, high;
};

#define GATHER(Word)                                                                                                          \
	extern "C" __global__ void __launch_bounds__(GATHER_THREADS)                                                                \
	gather_elements_##Word(const Word *elements, const u32 *order, u64 first, u64 n, u64 words, Word *sorted) {                 \
		gather_elements(elements, order, first, n, (u32)words, sorted);                                                           \
	}
GATHER(u32)
GATHER(u64)
GATHER(u128)
