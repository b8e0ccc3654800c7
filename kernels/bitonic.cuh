// bitonic.cuh: Batcher's bitonic network over any number of elements (paper 001;
// tiles in shared memory as in section 4 of paper 002).
//
//   bitonic_tiles     sorts each tile: all merges of up to BITONIC_TILE elements
//   bitonic_merge     a pass of a merge: up to COLUMN_ROWS strides between tiles, or all strides inside
//   bitonic_order     the last pass of the last merge: writes positions instead of elements
//
// A merge of 1 << p elements begins with a mirroring step: i is compared with
// i ^ ((1 << p) - 1). So the lower place of every comparator takes the smaller element.
// Places after the end of the input count as largest elements, which never move and are
// never stored.
//
// A block always holds a tile. For strides between tiles, a tile is a set of rows of adjacent
// elements, at equal distances. In a mirroring pass its upper half has the mirrored columns,
// so that the pass mirrors within the tile. A thread holds 16 words or 8 pairs, for 4 or 3
// strides between two accesses to shared memory. 1 << 26 elements take 30 passes over memory;
// one pass for every stride of a tile or more would make 105.
#pragma once
#include "elements.cuh"
#include "network.cuh"

constexpr int BITONIC_BITS = 13;
constexpr u32 BITONIC_TILE = 1 << BITONIC_BITS;
constexpr int COLUMN_ROWS = 10; // bits: rows are at least 64 bytes wide, or bandwidth is lost

// Items are the elements of a thread. 16 pairs would need too many registers.
template <class Element> struct Items {
	static constexpr int BITS = sizeof(Element) <= 8 ? 4 : 3, COUNT = 1 << BITS;
	static constexpr int THREADS = BITONIC_TILE / COUNT; // of a block
};

// BitonicShared is a tile of SIZE elements. place permutes them so that the lanes of a half-warp
// use different banks, whichever bits of the index their items differ in.
template <class E, u32 SIZE = BITONIC_TILE> struct BitonicShared {
	typedef E Element;
	u64 memory[SIZE * Elements<Element>::BYTES / 8];

	DEVICE static u32 place(u32 i) { return i ^ (i >> Items<E>::BITS & 15); }
	DEVICE Element get(u32 i) { return Elements<Element>(memory, SIZE).get(place(i)); }
	DEVICE void set(u32 i, const Element &e) { Elements<Element>(memory, SIZE).set(place(i), e); }
};

// exchange does the strides 1 << (top - 1), …, 1 << (top - count) of a merge,
// the first of them mirrored if mirror; count <= Items::BITS. Indices from size on are past
// the end.
template <class From, class To> DEVICE void exchange(From &from, To &to, int top, int count, bool mirror, u32 size) {
	typedef typename From::Element Element;
	constexpr int BITS = Items<Element>::BITS, ITEMS = Items<Element>::COUNT;
	const int bit = max(top - BITS, 0); // the lowest bit of the index that a thread's items differ in
	const u32 low = threadIdx.x & ((1u << bit) - 1), high = threadIdx.x >> bit << (bit + BITS);
	const u32 upper = mirror ? low ^ ((1u << bit) - 1) : low;
	if ((high | low) >= size) return;
	Element item[ITEMS];
#pragma unroll
	for (int i = 0; i < ITEMS; i++) item[i] = from.get(high | (u32)i << bit | (i < ITEMS / 2 ? low : upper));
	const int first = top - bit - mirror, last = top - bit - count; // bits of i
	if (mirror) {
#pragma unroll
		for (int i = 0; i < ITEMS / 2; i++) compare_exchange(item[i], item[ITEMS - 1 - i]);
	}
#pragma unroll
	for (int b = BITS - 1; b >= 0; b--) {
		if (b >= first || b < last) continue;
#pragma unroll
		for (int i = 0; i < ITEMS; i++)
			if ((i >> b & 1) == 0) compare_exchange(item[i], item[i | 1 << b]);
	}
#pragma unroll
	for (int i = 0; i < ITEMS; i++) to.set(high | (u32)i << bit | (i < ITEMS / 2 ? low : upper), item[i]);
}

// merge_tile does the strides 1 << (top - 1), …, 1 << last of a merge.
template <class Tile> DEVICE void merge_tile(Tile &tile, int top, int last, bool mirror, u32 size) {
	constexpr int BITS = Items<typename Tile::Element>::BITS;
	for (; top > last; top -= BITS, mirror = false) {
		exchange(tile, tile, top, min(top - last, BITS), mirror, size);
		__syncthreads(); // the exchanges are written
	}
}

// sort_tile sorts the elements first … first+size-1 of the source into the tile, and pads it with
// ends. size is at most that of the tile. It reads all elements before it writes the tile.
template <class Tile, class Source> DEVICE void sort_tile(Tile &tile, const Source &source, u64 first, u32 size) {
	typedef typename Source::Element Element;
	constexpr int BITS = Items<Element>::BITS, ITEMS = Items<Element>::COUNT;
	const u32 lanes = (size + ITEMS - 1) / ITEMS; // threads that have elements
	u32 length = ITEMS;
	while (length < size) length *= 2;
	if (threadIdx.x * ITEMS < length) {
		Element item[ITEMS];
#pragma unroll
		for (int i = 0; i < ITEMS; i++) {
			const u32 at = threadIdx.x + i * lanes;
			item[i] = threadIdx.x < lanes && at < size ? source.get(first + at) : Elements<Element>::end();
		}
		sort_lane<0, ITEMS>(item);
#pragma unroll
		for (int i = 0; i < ITEMS; i++) tile.set(threadIdx.x * ITEMS + i, item[i]);
	}
	__syncthreads(); // elements are in the tile, those of each thread in order
	for (int top = BITS + 1; 1u << top <= length; top++) merge_tile(tile, top, 0, true, lanes * ITEMS);
}

// bitonic_tiles makes elements and sorts each tile of them.
template <class Source> DEVICE void bitonic_tiles(const Source &source, u64 n, u64 *memory) {
	typedef typename Source::Element Element;
	SORTER_SHARED(BitonicShared<Element>, tile);
	const Elements<Element> elements(memory, n);
	const u64 first = (u64)blockIdx.x * BITONIC_TILE;
	const u32 size = (u32)min((u64)BITONIC_TILE, n - first);
	sort_tile(tile, source, first, size);
	for (u32 i = threadIdx.x; i < size; i += Items<Element>::THREADS) elements.set(first + i, tile.get(i));
}

// Columns is a tile's view of elements: 1 << (BITONIC_BITS - width) rows at distances of 1 << low.
template <class E> struct Columns {
	typedef E Element;
	Elements<E> elements;
	u64 n;
	int low, width;
	u64 lower, upper; // where the halves of the tile begin

	DEVICE Columns(u64 *memory, u64 n, int low, int rows, bool mirror) : elements(memory, n), n(n), low(low), width(BITONIC_BITS - rows) {
		const int bits = low > 0 ? low - width : 0; // columns of one set of rows
		const u32 last = (1u << bits) - 1, column = blockIdx.x & last;
		const u64 base = (u64)(blockIdx.x >> bits) << (low + rows);
		lower = base + ((u64)column << width);
		upper = base + ((u64)(mirror ? column ^ last : column) << width);
	}
	DEVICE u64 at(u32 i) const { return (i < BITONIC_TILE / 2 ? lower : upper) + ((u64)(i >> width) << low) + (i & ((1u << width) - 1)); }
	DEVICE bool beyond(u32 i) const { return at(i) >= n; }
	DEVICE E get(u32 i) const { return beyond(i) ? Elements<E>::end() : elements.get(at(i)); }
};

// merge_columns does the strides 1 << (low + rows - 1), …, 1 << low of a merge in the tile.
template <class E> DEVICE void merge_columns(BitonicShared<E> &tile, const Columns<E> &columns, int rows, bool mirror) {
	constexpr int BITS = Items<E>::BITS;
	exchange(columns, tile, BITONIC_BITS, min(rows, BITS), mirror, BITONIC_TILE);
	__syncthreads(); // the tile is written
	merge_tile(tile, BITONIC_BITS - BITS, BITONIC_BITS - rows, false, BITONIC_TILE);
}

template <class E> DEVICE void bitonic_merge(u64 *memory, u64 n, int low, int rows, bool mirror) {
	SORTER_SHARED(BitonicShared<E>, tile);
	const Columns<E> columns(memory, n, low, rows, mirror);
	if (columns.beyond(mirror ? BITONIC_TILE / 2 : 0)) return; // nothing moves
	merge_columns(tile, columns, rows, mirror);
	for (u32 i = threadIdx.x; i < BITONIC_TILE; i += Items<E>::THREADS)
		if (!columns.beyond(i)) columns.elements.set(columns.at(i), tile.get(i));
}

template <class E> DEVICE void bitonic_order(u64 *memory, u64 n, u32 mask, u32 *order) {
	SORTER_SHARED(BitonicShared<E>, tile);
	const Columns<E> columns(memory, n, 0, BITONIC_BITS, false);
	merge_columns(tile, columns, BITONIC_BITS, false);
	for (u32 i = threadIdx.x; i < BITONIC_TILE; i += Items<E>::THREADS)
		if (!columns.beyond(i)) order[columns.at(i)] = position_of(tile.get(i), mask);
}
