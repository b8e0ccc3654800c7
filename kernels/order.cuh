// order.cuh: results for codes in order, checks of an order and of sorted codes, and ties.
#pragma once
#include "sample.cuh"

// fill_identity writes the order of sorted codes.
DEVICE void fill_identity(u32 *order, u64 n) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) order[i] = (u32)i;
}

constexpr int ORDERED_ITEMS = 4; // codes that a thread of write_ordered has in flight

// write_ordered writes the result for codes that seem to be in order, or to fall: positions, unless order is null, or
// the codes. It ends early, and sets wrong, if two neighbours are in the wrong order. If positions are wanted, falling
// codes must differ.
//
// One pass does both. A read of all codes and then a write took 0.85 to 0.9 of a radix sort of 2^24 32-bit codes (H200,
// 2026-11-28), and a list of 64 runs was read to its end in vain.
template <class Code> DEVICE void write_ordered(const Code *codes, u64 n, bool falling, u32 *order, Code *sorted, u32 *wrong) {
	const u64 tile = (u64)blockDim.x * ORDERED_ITEMS;
	for (u64 first = blockIdx.x * tile; first < n; first += gridDim.x * tile) {
		if (load_word(wrong)) return;
		Code code[ORDERED_ITEMS], next[ORDERED_ITEMS];
#pragma unroll
		for (int k = 0; k < ORDERED_ITEMS; k++) {
			const u64 i = first + k * blockDim.x + threadIdx.x;
			code[k] = next[k] = 0;
			if (i < n) code[k] = codes[i];
			if (i + 1 < n) next[k] = codes[i + 1];
		}
		keep_order();
		bool bad = false;
#pragma unroll
		for (int k = 0; k < ORDERED_ITEMS; k++) {
			const u64 i = first + k * blockDim.x + threadIdx.x, place = falling ? n - 1 - i : i;
			if (i >= n) break;
			bad |= i + 1 < n && (falling ? (order ? code[k] <= next[k] : code[k] < next[k]) : code[k] > next[k]);
			if (order) order[i] = (u32)place;
			else sorted[place] = code[k];
		}
		if (__any_sync(FULL_WARP, bad) && lane_id() == 0) atomicExch(wrong, 1u);
	}
}

// sum_codes adds a hash of each code to sum. Lists of the same length with different codes have
// equal sums with a probability of 2^-64.
template <class Code> DEVICE void sum_codes(const Code *codes, u64 n, u64 *sum) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	u64 hashes = 0;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) hashes += mix(codes[i] + 0x9e3779b97f4a7c15ull);
#pragma unroll
	for (int d = 16; d; d /= 2) hashes += __shfl_xor_sync(FULL_WARP, hashes, d);
	if (lane_id() == 0) atomicAdd(sum, hashes);
}

// mark_order sets the bit of every position that the order holds, and counts
// neighbours that are not in stable order.
template <class Code> DEVICE void mark_order(const Code *codes, const u32 *order, u64 n, u32 *seen, u32 *status) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	u32 wrong = 0;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		u32 a = order[i], b = order[i + 1 < n ? i + 1 : i];
		if (a >= n || b >= n) {
			wrong++;
			continue;
		}
		atomicOr(seen + a / 32, 1u << a % 32);
		if (i + 1 < n && !(codes[a] < codes[b] || (codes[a] == codes[b] && a < b))) wrong++;
	}
	if (wrong) atomicAdd(status + DISORDER, wrong);
}

// count_unmarked counts the positions below n that are not marked.
DEVICE void count_unmarked(const u32 *seen, u64 n, u32 *status) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	u32 missing = 0;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) missing += !(seen[i / 32] >> i % 32 & 1);
	if (missing) atomicAdd(status + MISSING, missing);
}

// mark_ties sets bit i % 32 of ties[i / 32] if the i-th code in order equals its predecessor, and
// clears it otherwise. If order is null, codes are in order. A warp makes a word. Its first lane
// reads the code before the word again.
template <class Code> DEVICE void mark_ties(const Code *codes, const u32 *order, u64 n, u32 *ties) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	const u32 lane = lane_id();
	for (u64 word = (u64)blockIdx.x * blockDim.x + threadIdx.x - lane; word < n; word += step) { // its first place
		const u64 i = word + lane;
		Code code = 0, before = 0;
		if (i < n) code = codes[order ? load_once(order + i) : i];
		if (lane == 0 && word > 0) before = codes[order ? order[word - 1] : word - 1];
		const Code left = __shfl_up_sync(FULL_WARP, code, 1);
		if (lane > 0) before = left;
		const u32 tied = __ballot_sync(FULL_WARP, i > 0 && i < n && code == before);
		if (lane == 0) ties[word / 32] = tied;
	}
}
