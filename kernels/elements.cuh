// elements.cuh: the elements of comparison sorts: (code, input position), as one word
// where both fit into 64 bits, otherwise as a pair. Elements differ, so a network, which is
// not stable, still yields the stable order of the codes.
#pragma once
#include "platform.cuh"

struct Pair {
	u64 code;
	u32 position;
	DEVICE bool operator<(const Pair &p) const { return (code < p.code) | ((code == p.code) & (position < p.position)); } // without branches
};

// Elements are n elements in memory of n * BYTES bytes. end() is the largest element.
template <class Element> struct Elements;

template <> struct Elements<u64> {
	typedef u64 Element;
	static constexpr int BYTES = 8;
	u64 *word;
	DEVICE Elements(u64 *memory, u64) : word(memory) {}
	DEVICE u64 get(u64 i) const { return word[i]; }
	DEVICE void set(u64 i, u64 e) const { word[i] = e; }
	DEVICE static u64 end() { return ~0ull; }
};

// Elements<u32> are codes alone, which may equal end().
template <> struct Elements<u32> {
	typedef u32 Element;
	static constexpr int BYTES = 4;
	u32 *word;
	DEVICE Elements(u64 *memory, u64) : word((u32 *)memory) {}
	DEVICE u32 get(u64 i) const { return word[i]; }
	DEVICE void set(u64 i, u32 e) const { word[i] = e; }
	DEVICE static u32 end() { return ~0u; }
};

template <> struct Elements<Pair> {
	typedef Pair Element;
	static constexpr int BYTES = 12;
	u64 *code;
	u32 *position;
	DEVICE Elements(u64 *memory, u64 n) : code(memory), position((u32 *)(memory + n)) {}
	DEVICE Pair get(u64 i) const { return {code[i], position[i]}; }
	DEVICE void set(u64 i, const Pair &e) const {
		code[i] = e.code;
		position[i] = e.position;
	}
	DEVICE static Pair end() { return {~0ull, ~0u}; }
};

// position_of returns an element's input position. In a word it has the bits under mask.
DEVICE u32 position_of(u64 word, u32 mask) { return (u32)word & mask; }
DEVICE u32 position_of(const Pair &pair, u32) { return pair.position; }

// CodeWords makes words of codes: code - low < 1 << (64 - bits), position < 1 << bits.
template <class Code> struct CodeWords {
	typedef u64 Element;
	const Code *codes;
	Code low;
	u32 bits;
	DEVICE u64 get(u64 i) const { return (u64)(Code)(codes[i] - low) << bits | i; }
};

struct CodePairs {
	typedef Pair Element;
	const u64 *codes;
	DEVICE Pair get(u64 i) const { return {codes[i], (u32)i}; }
};

// find_range sets range[0] to its minimum with all codes, and range[1] to its maximum.
template <class Code> DEVICE void find_range(const Code *codes, u64 n, u64 *range) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	u64 low = ~0ull, high = 0;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		low = min(low, (u64)codes[i]);
		high = max(high, (u64)codes[i]);
	}
#pragma unroll
	for (int d = 16; d; d /= 2) {
		low = min(low, __shfl_xor_sync(FULL_WARP, low, d));
		high = max(high, __shfl_xor_sync(FULL_WARP, high, d));
	}
	if (lane_id() == 0) {
		atomicMin(range, low);
		atomicMax(range + 1, high);
	}
}
