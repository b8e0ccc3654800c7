// merge.cuh: stable merges of sorted runs, and the merge sort made of them.
//
// A run is sorted codes with their input positions. Runs follow each other in input
// order, so of equal codes the earlier run's comes first, and positions are never
// compared. All runs except the last have one width.
//
//   tile_sort     codes → a run for each tile, sorted in shared memory
//   merge_paths   where the tiles of a merge of neighbouring runs begin
//   merge_tiles   the merge: a tile of outputs for each block
//   gather_run    an order of another sort → a run
//
// Where only keys are sorted, runs have no positions: those pointers are null.
//
// Merge path (Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012): a binary search
// finds the number of the first run's elements among the first d outputs. So all blocks,
// and all threads of a block, have the same number of outputs, whatever the codes are.
// Pivots of one run searched in the other ("An efficient sorting algorithm with CUDA",
// section V) give a block all elements between two pivots: where codes are equal, the
// whole other run.
//
// Tiles are sorted by merges, too, of runs that threads sort in registers. A bitonic
// network over code and position would need 78 rounds of exchanges instead of 8 of
// merges, and its words would not fit 64 bits for wide codes.
#pragma once
#include "platform.cuh"

// The number of elements per thread is odd, so stores of consecutive threads use all banks of
// shared memory.
constexpr int MERGE_THREADS = 256, MERGE_ITEMS = 15, MERGE_TILE = MERGE_THREADS * MERGE_ITEMS;

// MergeShared holds a tile. Threads whose runs have ended read up to MERGE_ITEMS elements past it.
template <class Code> struct MergeShared {
	Code code[MERGE_TILE + MERGE_ITEMS];
	u32 position[MERGE_TILE + MERGE_ITEMS];
};

// MergeItems are the elements of one thread.
template <class Code> struct MergeItems {
	Code code[MERGE_ITEMS];
	u32 position[MERGE_ITEMS];

	// put stores the items as the tile's elements from MERGE_ITEMS * threadIdx.x on.
	DEVICE void put(MergeShared<Code> &to) const {
#pragma unroll
		for (int i = 0; i < MERGE_ITEMS; i++) {
			to.code[threadIdx.x * MERGE_ITEMS + i] = code[i];
			to.position[threadIdx.x * MERGE_ITEMS + i] = position[i];
		}
	}

	// sort sorts the items by odd-even transposition, which is stable.
	DEVICE void sort() {
#pragma unroll
		for (int round = 0; round < MERGE_ITEMS; round++)
#pragma unroll
			for (int i = round & 1; i + 1 < MERGE_ITEMS; i += 2) {
				const bool swap = code[i + 1] < code[i];
				const Code low = swap ? code[i + 1] : code[i], high = swap ? code[i] : code[i + 1];
				const u32 first = swap ? position[i + 1] : position[i], second = swap ? position[i] : position[i + 1];
				code[i] = low, code[i + 1] = high;
				position[i] = first, position[i + 1] = second;
			}
	}

	// merge sets the items to the outputs, from the given one on, of the merge of elements
	// [first, second) and [second, end) of from.
	DEVICE void merge(const MergeShared<Code> &from, u32 first, u32 second, u32 end, u32 output);
};

// on_path returns the number of a's elements among the first outputs of merging a with b;
// outputs <= a_size + b_size.
template <class Code, class Index> DEVICE Index on_path(const Code *a, Index a_size, const Code *b, Index b_size, Index outputs) {
	Index least = outputs > b_size ? outputs - b_size : 0, most = min(outputs, a_size);
	while (least < most) {
		const Index middle = least + (most - least) / 2;
		if (a[middle] <= b[outputs - 1 - middle]) least = middle + 1;
		else most = middle;
	}
	return least;
}

template <class Code> DEVICE void MergeItems<Code>::merge(const MergeShared<Code> &from, u32 first, u32 second, u32 end, u32 output) {
	const u32 ahead = on_path(from.code + first, second - first, from.code + second, end - second, output);
	u32 i = first + ahead, j = second + output - ahead;
	Code a = from.code[i], b = from.code[j];
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const bool take = j >= end || (i < second && a <= b);
		const u32 at = take ? i : j;
		code[k] = take ? a : b;
		position[k] = from.position[at];
		const Code next = from.code[at + 1];
		if (take) i++, a = next;
		else j++, b = next;
	}
}

// tile_sort makes a run of each tile of n codes. One block per tile.
template <class Code> DEVICE void tile_sort(const Code *codes, u64 n, Code *run_codes, u32 *run_positions) {
	SORTER_SHARED(MergeShared<Code>, shared);
	const u64 start = (u64)blockIdx.x * MERGE_TILE;
	const u32 size = (u32)min((u64)MERGE_TILE, n - start);
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const u32 i = threadIdx.x + k * MERGE_THREADS;
		shared.code[i] = i < size ? load_once(codes + start + i) : (Code)~(Code)0; // padding comes last
	}
	__syncthreads(); // the tile is loaded
	MergeItems<Code> items;
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		items.position[k] = threadIdx.x * MERGE_ITEMS + k;
		items.code[k] = shared.code[items.position[k]];
	}
	items.sort();
#pragma unroll 1
	for (u32 threads = 1; threads < MERGE_THREADS; threads *= 2) { // threads per run
		items.put(shared); // no barrier before: only this thread has read there
		__syncthreads();   // runs are written
		const u32 place = threadIdx.x & (2 * threads - 1);
		const u32 first = (threadIdx.x - place) * MERGE_ITEMS, width = threads * MERGE_ITEMS;
		items.merge(shared, first, first + width, first + 2 * width, place * MERGE_ITEMS);
		__syncthreads(); // runs are read
	}
	items.put(shared);
	__syncthreads(); // the tile is sorted
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const u32 i = threadIdx.x + k * MERGE_THREADS;
		if (i < size) {
			run_codes[start + i] = shared.code[i];
			if (run_positions) run_positions[start + i] = (u32)start + shared.position[i];
		}
	}
}

// MergeTile is one tile of the merge of two neighbouring runs. All pairs of runs have the same
// number of tiles, except the last, which may have fewer.
struct MergeTile {
	u64 first, second, end; // the runs [first, second) and [second, end)
	u64 from, to;           // the tile's outputs [from, to) of the pair's

	DEVICE MergeTile(u64 tile, u64 n, u64 width, u64 tiles_a_pair) {
		first = tile / tiles_a_pair * 2 * width;
		second = min(first + width, n);
		end = min(first + 2 * width, n);
		from = tile % tiles_a_pair * MERGE_TILE;
		to = min(from + MERGE_TILE, end - first);
	}
};

// merge_paths finds the number of the first run's elements among the outputs before each tile.
template <class Code> DEVICE void merge_paths(const Code *codes, u64 n, u64 width, u64 tiles_a_pair, u64 tiles, u32 *paths) {
	const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= tiles) return;
	const MergeTile tile(t, n, width, tiles_a_pair);
	paths[t] = (u32)on_path(codes + tile.first, tile.second - tile.first, codes + tile.second, tile.end - tile.second, tile.from);
}

// load_parts sets to[i] to from[first + i] for i < firsts, and to from[second + i] for
// firsts <= i < size. All loads are issued before the first is used.
template <class T> DEVICE void load_parts(T *to, const T *from, u64 first, u64 second, u32 firsts, u32 size) {
	T word[MERGE_ITEMS];
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const u32 i = threadIdx.x + k * MERGE_THREADS;
		if (i < size) word[k] = load_once(from + (i < firsts ? first : second) + i);
	}
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const u32 i = threadIdx.x + k * MERGE_THREADS;
		if (i < size) to[i] = word[k];
	}
}

// merge_tiles merges each pair of neighbouring runs. to_codes may be null, too: the last merge
// of an order needs positions only. One block per tile, from tile start on.
template <class Code>
DEVICE void merge_tiles(const Code *codes, const u32 *positions, u64 n, u64 width, u64 tiles_a_pair, u64 start, const u32 *paths, Code *to_codes, u32 *to_positions) {
	SORTER_SHARED(MergeShared<Code>, shared);
	const MergeTile tile(start + blockIdx.x, n, width, tiles_a_pair);
	paths += start + blockIdx.x;
	const u64 of_first = paths[0], of_second = tile.from - of_first; // outputs before the tile, by run
	const bool last = tile.to == tile.end - tile.first;
	const u32 size = (u32)(tile.to - tile.from), firsts = (u32)((last ? tile.second - tile.first : paths[1]) - of_first);
	const u64 first = tile.first + of_first, second = tile.second + of_second - firsts; // element i of the tile is at first + i or second + i
	load_parts(shared.code, codes, first, second, firsts, size);
	if (positions) load_parts(shared.position, positions, first, second, firsts, size);
	__syncthreads(); // both parts are loaded
	MergeItems<Code> items;
	items.merge(shared, 0, firsts, size, min((u32)(threadIdx.x * MERGE_ITEMS), size));
	__syncthreads(); // both parts are read
	items.put(shared);
	__syncthreads(); // outputs are written
	const u64 output = tile.first + tile.from;
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const u32 i = threadIdx.x + k * MERGE_THREADS;
		if (i < size) {
			if (to_codes) to_codes[output + i] = shared.code[i];
			if (to_positions) to_positions[output + i] = shared.position[i];
		}
	}
}

// gather_run makes a run of n codes and their order. Positions begin at base. run_positions may
// be order itself, or null.
template <class Code> DEVICE void gather_run(const Code *codes, const u32 *order, u64 n, u64 base, Code *run_codes, u32 *run_positions) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		const u32 from = order[i];
		run_codes[i] = codes[from];
		if (run_positions) run_positions[i] = (u32)base + from;
	}
}
