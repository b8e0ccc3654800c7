// A bitonic sort of tiles of 4096 words: 16 in the registers of each thread,
// across lanes by shuffles, across warps through shared memory.

constexpr unsigned bitonic_threads = 256, bitonic_items = 16, bitonic_tile = bitonic_threads * bitonic_items;

struct BitonicShared {
	unsigned items[bitonic_tile];
};

__device__ unsigned bitonic_keep(unsigned a, unsigned b, bool smaller) { return smaller ? min(a, b) : max(a, b); }

// bitonic_step exchanges items at distance j in sequences of length k.
__device__ void bitonic_step(unsigned (&v)[bitonic_items], BitonicShared &shared, unsigned k, unsigned j) {
	unsigned first = threadIdx.x * bitonic_items;
	if (j < bitonic_items) {
		for (unsigned r = 0; r < bitonic_items; r++) {
			if (r & j) continue;
			bool up = ((first + r) & k) == 0;
			unsigned a = v[r], b = v[r | j];
			v[r] = bitonic_keep(a, b, up);
			v[r | j] = bitonic_keep(a, b, !up);
		}
		return;
	}
	bool smaller = ((first & k) == 0) == ((first & j) == 0);
	if (j < 32 * bitonic_items) {
		for (unsigned &x : v) x = bitonic_keep(x, __shfl_xor_sync(~0u, x, j / bitonic_items), smaller);
		return;
	}
	__syncthreads(); // the last step has been read
	for (unsigned r = 0; r < bitonic_items; r++) shared.items[r * bitonic_threads + threadIdx.x] = v[r];
	__syncthreads(); // all items are there
	for (unsigned r = 0; r < bitonic_items; r++)
		v[r] = bitonic_keep(v[r], shared.items[r * bitonic_threads + (threadIdx.x ^ j / bitonic_items)], smaller);
}

extern "C" __global__ void __launch_bounds__(bitonic_threads) bitonic_u32(unsigned *keys) {
	CUDACPU_SHARED(BitonicShared, shared);
	unsigned *mine = keys + (uint64_t)blockIdx.x * bitonic_tile + threadIdx.x * bitonic_items;
	unsigned v[bitonic_items];
	for (unsigned r = 0; r < bitonic_items; r++) v[r] = mine[r];
	for (unsigned k = 2; k <= bitonic_tile; k *= 2)
		for (unsigned j = k / 2; j; j /= 2) bitonic_step(v, shared, k, j);
	for (unsigned r = 0; r < bitonic_items; r++) mine[r] = v[r];
}
