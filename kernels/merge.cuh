// merge.cuh: stable merges of sorted runs, and the merge sort made of them.
//
// A run is codes in order beside their input positions. Runs of a list follow
// each other in input order, so a tie takes the earlier run's element and
// positions are never compared. All runs have one width, but for the last.
//
//   tile_sort     codes → a run for each tile, sorted in shared memory
//   merge_paths   where the tiles of a merge of neighbouring runs begin
//   merge_tiles   the merge: a tile of outputs for each block
//   gather_run    an order that was found elsewhere → a run
//
// Where only keys are sorted, runs have no positions: those pointers are null.
//
// Merge path (Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", 2012): the
// first d outputs hold some number of the first run's elements, which a binary
// search finds. So every block, and inside it every thread, has as many outputs
// as any other, whatever the codes are. Pivots taken from one run and looked up
// in the other ("An efficient sorting algorithm with CUDA", section V) leave a
// block with as much of the other run as lies between two of them, all of it
// where codes are equal.
//
// Tiles are sorted by merges as well, from runs that threads sort in registers.
// A bitonic network over code and position would need 78 rounds of exchanges in
// place of 8 of merges, of words that for wide codes do not fit 64 bits.
#pragma once
#include "platform.cuh"

// An odd number of elements a thread: stores of consecutive threads then hit all
// banks of shared memory.
constexpr int MERGE_THREADS = 256, MERGE_ITEMS = 15, MERGE_TILE = MERGE_THREADS * MERGE_ITEMS;

// MergeShared holds a tile. Threads whose runs have ended look behind it.
template <class Code> struct MergeShared {
	Code code[MERGE_TILE + MERGE_ITEMS];
	u32 position[MERGE_TILE + MERGE_ITEMS];
};

// MergeItems are the elements of one thread.
template <class Code> struct MergeItems {
	Code code[MERGE_ITEMS];
	u32 position[MERGE_ITEMS];

	// put stores them as the tile's elements from MERGE_ITEMS * threadIdx.x on.
	DEVICE void put(MergeShared<Code> &to) const {
#pragma unroll
		for (int i = 0; i < MERGE_ITEMS; i++) {
			to.code[threadIdx.x * MERGE_ITEMS + i] = code[i];
			to.position[threadIdx.x * MERGE_ITEMS + i] = position[i];
		}
	}

	// sort orders them by odd-even transposition, which keeps ties.
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

	// merge takes the outputs from the given one on of the merge of elements
	// [first, second) and [second, end) of from.
	DEVICE void merge(const MergeShared<Code> &from, u32 first, u32 second, u32 end, u32 output);
};

// on_path returns how many of the first so many outputs of merging a with b are
// a's; outputs <= a_size + b_size.
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

// tile_sort makes a run of each tile of n codes. One block a tile.
template <class Code> DEVICE void tile_sort(const Code *codes, u64 n, Code *run_codes, u32 *run_positions) {
	SORTER_SHARED(MergeShared<Code>, shared);
	const u64 start = (u64)blockIdx.x * MERGE_TILE;
	const u32 size = (u32)min((u64)MERGE_TILE, n - start);
#pragma unroll
	for (int k = 0; k < MERGE_ITEMS; k++) {
		const u32 i = threadIdx.x + k * MERGE_THREADS;
		shared.code[i] = i < size ? load_once(codes + start + i) : (Code)~(Code)0; // what fills the tile comes last
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
	for (u32 threads = 1; threads < MERGE_THREADS; threads *= 2) { // that hold a run
		items.put(shared); // where only this thread has read
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

// MergeTile is one tile of the merge of two neighbouring runs. Each pair of runs
// has as many tiles as the largest; the last may have fewer.
struct MergeTile {
	u64 first, second, end; // the runs [first, second) and [second, end)
	u64 from, to;           // the tile's outputs, from those of the pair

	DEVICE MergeTile(u64 tile, u64 n, u64 width, u64 tiles_a_pair) {
		first = tile / tiles_a_pair * 2 * width;
		second = min(first + width, n);
		end = min(first + 2 * width, n);
		from = tile % tiles_a_pair * MERGE_TILE;
		to = min(from + MERGE_TILE, end - first);
	}
};

// merge_paths finds how many of the outputs before each tile are the first run's.
template <class Code> DEVICE void merge_paths(const Code *codes, u64 n, u64 width, u64 tiles_a_pair, u64 tiles, u32 *paths) {
	const u64 t = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (t >= tiles) return;
	const MergeTile tile(t, n, width, tiles_a_pair);
	paths[t] = (u32)on_path(codes + tile.first, tile.second - tile.first, codes + tile.second, tile.end - tile.second, tile.from);
}

// load_parts loads words first+i of from for i < firsts, and second+i for the
// rest of size. All loads are under way before one is waited for.
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

// merge_tiles merges each pair of neighbouring runs. to_codes may be null, too: the
// last merge of an order needs positions only. One block a tile, from tile start on.
template <class Code>
DEVICE void merge_tiles(const Code *codes, const u32 *positions, u64 n, u64 width, u64 tiles_a_pair, u64 start, const u32 *paths, Code *to_codes, u32 *to_positions) {
	SORTER_SHARED(MergeShared<Code>, shared);
	const MergeTile tile(start + blockIdx.x, n, width, tiles_a_pair);
	paths += start + blockIdx.x;
	const u64 ahead = paths[0], behind = tile.from - ahead;
	const bool last = tile.to == tile.end - tile.first;
	const u32 size = (u32)(tile.to - tile.from), firsts = (u32)((last ? tile.second - tile.first : paths[1]) - ahead);
	const u64 first = tile.first + ahead, second = tile.second + behind - firsts; // where element i of the tile is, less i
	load_parts(shared.code, codes, first, second, firsts, size);
	if (positions) load_parts(shared.position, positions, first, second, firsts, size);
	__syncthreads(); // both parts are loaded
	MergeItems<Code> items;
	items.merge(shared, 0, firsts, size, min((u32)(threadIdx.x * MERGE_ITEMS), size));
	__syncthreads(); // they are read
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

// gather_run makes a run of n codes and their order. Their positions begin at
// base. run_positions may be the order itself, or null.
template <class Code> DEVICE void gather_run(const Code *codes, const u32 *order, u64 n, u64 base, Code *run_codes, u32 *run_positions) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
		const u32 from = order[i];
		run_codes[i] = codes[from];
		if (run_positions) run_positions[i] = (u32)base + from;
	}
}
