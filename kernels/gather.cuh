// gather.cuh: elements moved through an order.
#pragma once
#include "platform.cuh"

constexpr int GATHER_THREADS = 256;
constexpr u32 GATHER_TILE = 1024; // elements that a block moves at a time

struct GatherShared {
	u32 position[GATHER_TILE];
};

// gather_elements writes the elements at places first … first+n-1 of the order to sorted. An
// element has the given number of words. Neighbouring threads read neighbouring words, so an
// element costs the sectors that it lies in.
template <class Word> DEVICE void gather_elements(const Word *elements, const u32 *order, u64 first, u64 n, u32 words, Word *sorted) {
	SORTER_SHARED(GatherShared, shared);
	order += first;
	for (u64 tile = (u64)blockIdx.x * GATHER_TILE; tile < n; tile += (u64)gridDim.x * GATHER_TILE) {
		const u32 size = (u32)min((u64)GATHER_TILE, n - tile);
		__syncthreads(); // the positions of the previous tile are read
		for (u32 i = threadIdx.x; i < size; i += GATHER_THREADS) shared.position[i] = load_once(order + tile + i);
		__syncthreads(); // positions are in shared memory
		Word *to = sorted + tile * words;
#pragma unroll 4
		for (u32 i = threadIdx.x; i < size * words; i += GATHER_THREADS) {
			const u32 k = i / words;
			to[i] = elements[(u64)shared.position[k] * words + (i - k * words)];
		}
	}
}
