// samplesort.cuh: deterministic sample sort (paper 004, Algorithm 1). Each level splits all
// buckets at once, until they fit a tile.
//
//   sample_tiles    sorts each tile and takes equidistant samples   steps 1 to 3
//                   all samples sorted by the bitonic network       step 4
//   cut_tiles       finds each splitter's place in each tile        steps 5 and 6
//   sum, scan       finds the place of each tile's run in a bucket  step 7
//   move_runs       moves every run to its bucket                   step 8
//   split_buckets   finds the starts and tiles of the new buckets
//   pack_buckets    groups neighbouring buckets into tiles
//   sort_buckets    sorts those, and writes positions               step 9
//
// The m tiles of a bucket have equal sizes, to one element, and s samples each. Every m-th of
// the bucket's m * s sorted samples is a splitter. A tile of c elements with q samples in a
// new bucket has less than (q + 1) * c / s elements there. The q of all tiles add up to m, so
// new buckets have less than 2 * m * c / s elements: 2 / s of the old one, except for rounding.
// Elements are all different, so the bound holds for equal codes and for every distribution.
//
// Buckets of a level are in order. So one network sorts the samples of all buckets, and one
// prefix sum over the runs, by bucket, splitter and tile, finds the place of every run. Only
// the device knows the numbers of tiles and buckets: grids have the largest possible number
// of tiles, and surplus tiles have no elements.
//
// The paper leaves buckets of any size to the network: at 1 << 26 elements and 64 samples that
// is two thirds of the steps of a network over all elements.
#pragma once
#include "bitonic.cuh"

constexpr int MAX_SAMPLES = 512;
constexpr int RUNS_THREADS = 512;
constexpr int SCAN_THREADS = 1024, SCAN_ITEMS = 4, SCAN_TILE = SCAN_THREADS * SCAN_ITEMS;

// leading returns the number of indices below n that pass a test. After an index that fails,
// all fail.
template <class Test> DEVICE u32 leading(u32 n, const Test &test) {
	u32 low = 0, high = n;
	while (low < high) {
		const u32 middle = low + (high - low) / 2;
		if (test(middle)) low = middle + 1;
		else high = middle;
	}
	return low;
}

// Level has the buckets of a level and their tiles.
struct Level {
	const u32 *starts; // of each bucket, and the end
	const u32 *tiles;  // first tile of each bucket, and the number of tiles
	u32 buckets, samples;
};

// Tile is a block's tile.
struct Tile {
	u32 from, size;  // elements
	u32 runs;        // index of its first run; runs are by bucket, splitter, tile
	u32 others;      // tiles of its bucket
	u32 splitters;   // index of the bucket's samples

	DEVICE Tile(const Level &level) : from(0), size(0) {
		const u32 t = blockIdx.x;
		runs = splitters = t * level.samples, others = 1; // a tile beyond the last one has a run of no elements for each sample
		if (t >= level.tiles[level.buckets]) return;
		const u32 bucket = leading(level.buckets, [&](u32 b) { return level.tiles[b] <= t; }) - 1;
		const u32 first = level.tiles[bucket], start = level.starts[bucket];
		const u64 all = level.starts[bucket + 1] - start;
		others = level.tiles[bucket + 1] - first;
		from = (u32)(all * (t - first) / others);
		size = (u32)(all * (t - first + 1) / others) - from;
		from += start;
		splitters = first * level.samples;
		runs = splitters + (t - first);
	}
	DEVICE u32 run(u32 j) const { return runs + j * others; }
	DEVICE u32 splitter(u32 j) const { return splitters + j * others; }
};

// sample_tiles sorts the tiles of a level, read from the source, and takes samples. Tiles
// without elements have ends as samples.
template <class Source> DEVICE void sample_tiles(const Source &source, const Level &level, u64 *memory, u64 n, u64 *samples) {
	typedef typename Source::Element Element;
	SORTER_SHARED(BitonicShared<Element>, shared);
	const Elements<Element> elements(memory, n), sample(samples, (u64)gridDim.x * level.samples);
	const Tile tile(level);
	sort_tile(shared, source, tile.from, tile.size);
	for (u32 i = threadIdx.x; i < tile.size; i += Items<Element>::THREADS) elements.set(tile.from + i, shared.get(i));
	for (u32 q = threadIdx.x; q < level.samples; q += Items<Element>::THREADS)
		sample.set((u64)blockIdx.x * level.samples + q, shared.get(tile.size * q / level.samples));
}

struct CutShared {
	u32 cut[MAX_SAMPLES + 1];
};

// cut_tiles writes the beginnings of each tile's runs to cuts, and their lengths to runs.
template <class E> DEVICE void cut_tiles(const Level &level, u64 *memory, u64 n, u64 *samples, u16 *cuts, u32 *runs) {
	SORTER_SHARED(CutShared, shared);
	const Elements<E> elements(memory, n), sample(samples, (u64)gridDim.x * level.samples);
	const Tile tile(level);
	for (u32 j = threadIdx.x; j <= level.samples; j += RUNS_THREADS) {
		u32 cut = j == 0 ? 0 : tile.size;
		if (j > 0 && j < level.samples && tile.size > 0) {
			const E splitter = sample.get(tile.splitter(j));
			cut = leading(tile.size, [&](u32 i) { return elements.get(tile.from + i) < splitter; });
		}
		shared.cut[j] = cut;
		if (j < level.samples) cuts[(u64)blockIdx.x * level.samples + j] = (u16)cut;
	}
	__syncthreads(); // cuts are written
	for (u32 j = threadIdx.x; j < level.samples; j += RUNS_THREADS) runs[tile.run(j)] = shared.cut[j + 1] - shared.cut[j];
}

struct MoveShared {
	u32 cut[MAX_SAMPLES + 1], place[MAX_SAMPLES];
};

// move_runs moves the runs of each tile to their places, a warp each.
template <class E> DEVICE void move_runs(const Level &level, u64 *memory, u64 n, const u16 *cuts, const u32 *places, u64 *to) {
	SORTER_SHARED(MoveShared, shared);
	const Elements<E> elements(memory, n), moved(to, n);
	const Tile tile(level);
	if (tile.size == 0) return;
	for (u32 j = threadIdx.x; j <= level.samples; j += RUNS_THREADS) {
		shared.cut[j] = j < level.samples ? cuts[(u64)blockIdx.x * level.samples + j] : tile.size;
		if (j < level.samples) shared.place[j] = places[tile.run(j)];
	}
	__syncthreads(); // cuts and places are written
	for (u32 j = warp_id(); j < level.samples; j += RUNS_THREADS / 32) {
		const u32 from = shared.cut[j], to = shared.place[j];
		for (u32 i = from + lane_id(); i < shared.cut[j + 1]; i += 32) moved.set(to + (i - from), elements.get(tile.from + i));
	}
}

// find_buckets writes the starts and the numbers of tiles of the buckets that a level was split
// into. places are those of the level's runs.
DEVICE void find_buckets(const Level &level, const u32 *places, u32 *starts, u32 *tiles) {
	const u32 buckets = level.buckets * level.samples, step = gridDim.x * blockDim.x;
	auto start = [&](u32 i) {
		const u32 b = i / level.samples, first = level.tiles[b];
		const u32 own = i % level.samples ? level.tiles[b + 1] - first : 0;
		return places[first * level.samples + i % level.samples * own];
	};
	for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i <= buckets; i += step) {
		starts[i] = start(i);
		if (i < buckets) tiles[i] = (start(i + 1) - starts[i] + BITONIC_TILE - 1) / BITONIC_TILE;
	}
}

struct ScanShared {
	u32 sums[32];
	u32 before;
};

// sum writes the sum of the values of each tile of SCAN_TILE.
DEVICE void sum(const u32 *values, u64 n, u32 *sums) {
	SORTER_SHARED(ScanShared, shared);
	const u64 first = (u64)blockIdx.x * SCAN_TILE + threadIdx.x;
	u32 v = 0;
#pragma unroll
	for (int i = 0; i < SCAN_ITEMS; i++)
		if (first + i * SCAN_THREADS < n) v += values[first + i * SCAN_THREADS];
	const u32 before = exclusive_scan_block<SCAN_THREADS>(v, shared.sums);
	if (threadIdx.x == SCAN_THREADS - 1) sums[blockIdx.x] = before + v;
}

// scan replaces n values by their exclusive prefix sums, and writes the total after them. sums
// are those of each SCAN_TILE.
DEVICE void scan(u32 *values, u64 n, const u32 *sums) {
	SORTER_SHARED(ScanShared, shared);
	if (threadIdx.x == 0) shared.before = 0;
	__syncthreads(); // before is zero
	u32 before = 0;
	for (u32 b = threadIdx.x; b < blockIdx.x; b += SCAN_THREADS) before += sums[b];
	if (before) atomicAdd(&shared.before, before);
	const u64 first = (u64)blockIdx.x * SCAN_TILE + threadIdx.x * SCAN_ITEMS;
	u32 value[SCAN_ITEMS], total = 0;
#pragma unroll
	for (int i = 0; i < SCAN_ITEMS; i++) {
		value[i] = first + i < n ? values[first + i] : 0;
		total += value[i];
	}
	u32 place = exclusive_scan_block<SCAN_THREADS>(total, shared.sums); // its barrier completes shared.before
	place += shared.before;
#pragma unroll
	for (int i = 0; i < SCAN_ITEMS; i++) {
		if (first + i <= n) values[first + i] = place;
		place += value[i];
	}
}

// find_windows writes, for each window of equal size, the start of the first bucket that begins
// in it or after it; and the end.
DEVICE void find_windows(const u32 *starts, u32 buckets, u32 window, u32 count, u32 *windows) {
	const u32 step = gridDim.x * blockDim.x;
	for (u32 b = blockIdx.x * blockDim.x + threadIdx.x; b <= buckets; b += step) {
		const u32 first = b == 0 ? 0 : starts[b - 1] / window + 1;
		const u32 last = b == buckets ? count : starts[b] / window;
		for (u32 w = first; w <= last; w++) windows[w] = starts[b];
	}
}

// sort_buckets sorts the buckets that begin in each window, and writes positions.
template <class E> DEVICE void sort_buckets(u64 *memory, u64 n, const u32 *windows, u32 mask, u32 *order) {
	SORTER_SHARED(BitonicShared<E>, tile);
	const Elements<E> elements(memory, n);
	const u32 from = windows[blockIdx.x], size = windows[blockIdx.x + 1] - from;
	sort_tile(tile, elements, from, size);
	for (u32 i = threadIdx.x; i < size; i += Items<E>::THREADS) order[from + i] = position_of(tile.get(i), mask);
}
