// gathercolumns.cuh: columns moved through an order, as columns.cuh has them. gather.cuh moves values of 4, 8 and 16 bytes.
//
//   gather_small    moves values of 1 or 2 bytes
//   gather_bits     moves bits, or makes them all ones
//   text_sizes      adds up the bytes of the texts of each tile, which scan_ties then sums
//   text_offsets    writes the offsets of the moved texts
//   text_moves      moves their bytes
#pragma once
#include "columns.cuh"

constexpr int TEXT_MOVE_TILE = COLUMN_THREADS; // texts that a block moves

template <class Word> DEVICE void gather_small(const Word *values, const u32 *order, u64 n, Word *sorted) {
	const u64 tile = COLUMN_THREADS * COLUMN_ITEMS;
	for (u64 base = blockIdx.x * tile + threadIdx.x; base < n; base += gridDim.x * tile) {
		Word v[COLUMN_ITEMS];
#pragma unroll
		for (int k = 0; k < COLUMN_ITEMS; k++) v[k] = values[order[min(base + k * COLUMN_THREADS, n - 1)]];
#pragma unroll
		for (int k = 0; k < COLUMN_ITEMS; k++)
			if (base + k * COLUMN_THREADS < n) sorted[base + k * COLUMN_THREADS] = v[k];
	}
}

// gather_bits writes a word for 32 places of the order. Without bits they are ones. Bits after the last place are 0.
DEVICE void gather_bits(const unsigned char *bits, u64 first, const u32 *order, u64 n, u32 *sorted) {
	const u64 step = (u64)gridDim.x * COLUMN_THREADS;
	for (u64 word = (u64)blockIdx.x * COLUMN_THREADS + threadIdx.x - lane_id(); word < n; word += step) {
		const u64 i = word + lane_id();
		const u32 set = __ballot_sync(FULL_WARP, i < n && (!bits || bit_at(bits, first + order[i])));
		if (lane_id() == 0) sorted[word / 32] = set;
	}
}

struct TextMoveShared {
	u64 sums[COLUMN_THREADS / 32];
	u64 to[TEXT_MOVE_TILE + 1]; // offsets of the moved texts
	u64 from[TEXT_MOVE_TILE];   // of the texts
};

// size_of returns the bytes of the text at a place of the order. *wrong becomes the number of places from the first one on whose text
// has wrong offsets.
DEVICE u64 size_of(const Field &f, const u32 *order, u64 i, u64 n, u64 *wrong) {
	if (i >= n) return 0;
	const Text t = text_at(f, order[i]);
	if (t.begin <= t.end && t.end <= f.bytes) return t.end - t.begin;
	atomicMax(wrong, n - i);
	return 0;
}

DEVICE void text_sizes(const Field &f, const u32 *order, u64 n, u64 *tiles, u64 *wrong) {
	SORTER_SHARED(TextMoveShared, shared);
	u64 total;
	scan_tie_counts<COLUMN_THREADS>(size_of(f, order, (u64)blockIdx.x * TEXT_MOVE_TILE + threadIdx.x, n, wrong), shared.sums, total);
	if (threadIdx.x == 0) tiles[blockIdx.x] = total;
}

// text_offsets writes offsets 0 to n, of which the last one is the sum of all.
DEVICE void text_offsets(const Field &f, const u32 *order, u64 n, const u64 *tiles, const Field &to, u64 *wrong) {
	SORTER_SHARED(TextMoveShared, shared);
	const u64 i = (u64)blockIdx.x * TEXT_MOVE_TILE + threadIdx.x, size = size_of(f, order, i, n, wrong);
	u64 total;
	const u64 at = tiles[blockIdx.x] + scan_tie_counts<COLUMN_THREADS>(size, shared.sums, total);
	if (i > n) return;
	if (to.type == FIELD_TEXT32) ((u32 *)to.offsets)[i] = (u32)at;
	else ((u64 *)to.offsets)[i] = at;
}

// text_moves moves the bytes of a tile of texts, a word of 8 bytes at a time.
DEVICE void text_moves(const Field &f, const u32 *order, u64 n, const Field &to) {
	SORTER_SHARED(TextMoveShared, shared);
	const u64 first = (u64)blockIdx.x * TEXT_MOVE_TILE;
	const u32 count = (u32)min((u64)TEXT_MOVE_TILE, n - first);
	if (threadIdx.x < count) {
		const Text t = text_at(to, first + threadIdx.x);
		shared.from[threadIdx.x] = text_at(f, order[first + threadIdx.x]).begin;
		shared.to[threadIdx.x] = t.begin;
		if (threadIdx.x == count - 1) shared.to[count] = t.end;
	}
	__syncthreads(); // offsets are in shared memory
	const u64 base = (u64)to.values, begin = base + shared.to[0], end = base + shared.to[count];
	for (u64 word = (begin & ~7ull) + 8 * threadIdx.x; word < end; word += 8 * COLUMN_THREADS) {
		const u64 low = max(word, begin), high = min(word + 8, end);
		u32 k = 0; // the text that has the first byte
		for (u32 half = TEXT_MOVE_TILE / 2; half; half /= 2)
			if (k + half < count && shared.to[k + half] <= low - base) k += half;
		u64 v = 0;
		for (u64 at = low; at < high;) {
			while (shared.to[k + 1] <= at - base) k++;
			const u64 some = min(high, base + shared.to[k + 1]) - at;
			v |= text_bytes(f, shared.from[k] + (at - base - shared.to[k]), some) >> 8 * (at - word);
			at += some;
		}
		v = swap_bytes(v);
		if (high - low == 8) {
			*(u64 *)word = v;
		} else {
			for (u64 at = low; at < high; at++) *(unsigned char *)at = (unsigned char)(v >> 8 * (at - word));
		}
	}
}
