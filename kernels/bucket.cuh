// bucket.cuh: the kernels of the bucket-bitonic sort over codes of one width
// (Chen, Qin, Xie, Zhao and Heng). Partitions come from a sample, and buckets have a fixed
// capacity, so that no split waits for a histogram.
//
//   sample_codes                    samples of the codes
//   split_codes                     codes → elements, moved into partitions
//   plan_partitions                 cuts each partition into slices
//   split_elements                  moves each partition's elements into buckets, one per slice
//   bucket_starts                   the start of each bucket in the order
//   local_sort                      sorts buckets of up to LOCAL_SIZE elements, a warp each
//   oversize_sort                   sorts the few larger ones, a block each
//
// Few elements need one split: split_codes moves them into buckets. strided.cu has the
// split_codes of nearly sorted lists.
//
// Where only keys are sorted, an element is its code alone (KeyLayout), and sorted
// codes are written instead of positions. The names of those phases end in _keys.
#pragma once
#include "local.cuh"
#include "partitions.cuh"
#include "sample.cuh"

constexpr int LOCAL_WARPS = 4, LOCAL_BLOCKS = 6; // warps per block, resident blocks per SM
constexpr int OVERSIZE_THREADS = 512;
constexpr u32 OUTSIDE_SIZE = OVERSIZE_SIZE; // capacity of each list of codes outside the range

// Outside lists codes outside the range, in the layout's form.
template <class Listed> struct Outside {
	Listed *below, *above; // OUTSIDE_SIZE each
	u32 *status;

	DEVICE void add(bool low, Listed code) const {
		u32 k = atomicAdd(status + (low ? BELOW : ABOVE), 1u);
		if (k < OUTSIDE_SIZE) (low ? below : above)[k] = code;
		else atomicExch(status + LOST, 1u);
	}
};

// CodeTile is the base of sources of codes.
template <class L> struct CodeTile {
	typedef typename L::Raw Raw;
	typedef typename L::Element Element;
	const Raw *codes; // of the tile
	u32 first;        // input position of the tile
	L layout;
	u32 scale;

	DEVICE Raw load(u32 thread, int i) const { return load_once(codes + thread + i); }
	DEVICE u32 digit(Element element) const { return slice_of(element, scale); }
	DEVICE void report(u32) const {} // never called: all codes are in the range
};

// CodeSource makes elements of the codes of a tile.
template <class L> struct CodeSource : CodeTile<L> {
	Outside<typename L::Listed> away;

	DEVICE typename L::Element element(typename L::Raw code, u32 i, u32 &misplaced, u32 bit) const {
		if (outside(code, this->layout)) misplaced |= bit;
		return this->layout.element(code, this->first + i);
	}
	DEVICE void report(u32 i) const {
		const typename L::Raw code = this->codes[i];
		away.add(code < this->layout.low, this->layout.listed(code, this->first + i));
	}
};

// SectionSource is a CodeSource for partitions by sections.
template <class L> struct SectionSource : CodeSource<L> {
	const u32 *section; // in shared memory

	DEVICE u32 digit(typename L::Element element) const {
		const u32 word = leading(element);
		return partition_of<L::SECTION_BITS>(word, section[section_of<L::SECTION_BITS>(word)]);
	}
};

// MappedSource makes elements of codes by a map of all codes.
template <class Code> struct MappedSource : CodeTile<Layout<Code>> {
	const Map<Code> *map;
	u32 stretch, index_bits;

	DEVICE u64 element(Code code, u32 i, u32 &, u32) const {
		const u32 position = this->first + i;
		const u64 word = equalised(*map, this->layout, code, position, stretch);
		return word >> index_bits << index_bits | position;
	}
};

template <class E> struct ElementSource {
	const E *elements; // of the tile
	u32 low, scale;    // of the partition
	typedef E Raw;
	DEVICE E load(u32 thread, int i) const { return load_once(elements + thread + i); }
	DEVICE E element(E element, u32, u32 &, u32) const { return element; }
	DEVICE void report(u32) const {}
	DEVICE u32 digit(E element) const { return __umulhi(leading(element) - low, scale); }
};

template <class Element, int BITS> using TileShared = SplitShared<Element, BITS, SPLIT_THREADS, SplitTile<Element>::ITEMS>;

template <int BITS, class L>
DEVICE void split_codes(const typename L::Raw *codes, u64 n, const L &layout, u32 scale, const PartitionSink<typename L::Element, EqualPartitions> &sink, const Outside<typename L::Listed> &away) {
	typedef TileShared<typename L::Element, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 first = blockIdx.x * (u32)Shared::TILE;
	CodeSource<L> source = {{codes + first, first, layout, scale}, away};
	split_tile(shared, source, sink, (u32)min((u64)Shared::TILE, n - first));
}

template <class Element, int BITS> struct SectionShared {
	static constexpr int TILE = SplitTile<Element>::SIZE;
	TileShared<Element, BITS> tile;
	u32 section[MAX_SECTIONS];
};

template <int BITS, class L>
DEVICE void split_sections(const typename L::Raw *codes, u64 n, const L &layout, const PartitionSink<typename L::Element, BoundPartitions> &sink, const Outside<typename L::Listed> &away) {
	typedef SectionShared<typename L::Element, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	if (threadIdx.x < MAX_SECTIONS) shared.section[threadIdx.x] = sink.partitions.sections->section[threadIdx.x]; // split_tile begins with a barrier
	const u32 first = blockIdx.x * (u32)Shared::TILE;
	SectionSource<L> source = {{{codes + first, first, layout, 0}, away}, shared.section};
	split_tile(shared.tile, source, sink, (u32)min((u64)Shared::TILE, n - first));
}

template <class Code, int BITS> struct MappedShared {
	static constexpr int TILE = SplitTile<u64>::SIZE;
	TileShared<u64, BITS> tile;
	Map<Code> map;
};

// split_mapped loads the map once per block, for all of the block's tiles.
template <class Code, int BITS>
DEVICE void split_mapped(const Code *codes, u64 n, const Layout<Code> &layout, const Map<Code> *map, u32 index_bits, u32 scale, const PartitionSink<u64, EqualPartitions> &sink) {
	typedef MappedShared<Code, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	load_map(shared.map, map);
	const u32 stretch = stretch_for(n);
	__syncthreads(); // the map is in shared memory
	for (u64 first = (u64)blockIdx.x * Shared::TILE; first < n; first += (u64)gridDim.x * Shared::TILE) {
		MappedSource<Code> source = {{codes + first, (u32)first, layout, scale}, &shared.map, stretch, index_bits};
		split_tile(shared.tile, source, sink, (u32)min((u64)Shared::TILE, n - first));
	}
}

// split_elements moves a tile of a partition into the partition's buckets.
template <int BITS, class Element> DEVICE void split_elements(const Element *elements, const Partition *partitions, const u64 *tiles, Element *buckets, u32 *sizes, const Spill<Element> &spill) {
	if (blockIdx.x >= spill.status[TILES]) return;
	const u64 tile = tiles[blockIdx.x];
	const Partition partition = partitions[(u32)tile];
	typedef TileShared<Element, BITS> Shared;
	const u32 first = (u32)(tile >> 32) * Shared::TILE;
	SORTER_SHARED(Shared, shared);
	ElementSource<Element> source = {elements + partition.begin + first, partition.low, partition.scale};
	BucketSink<Element> sink = {buckets + (u64)partition.first * LOCAL_SIZE, sizes + partition.first, spill};
	split_tile(shared, source, sink, min((u32)Shared::TILE, partition.size - first));
}

template <class Shared> struct LocalBlockShared {
	Shared warp[LOCAL_WARPS];
};

// nearness returns the distance below which two local words may have equal codes; bits of the
// local key come from the position.
DEVICE u32 nearness(int bits) { return bits >= (int)LOCAL_KEY_BITS ? 0xffffffffu : LOCAL_SIZE << max(0, bits); }

// local_sort_buckets sorts one bucket per warp. Elements that are equal in all bits from near_at
// on may have different codes.
template <class B> DEVICE void local_sort_buckets(B bucket, const Slice *slices, const u32 *status, u32 near_at, typename B::Output *to) {
	typedef LocalBlockShared<typename B::Shared> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 b = blockIdx.x * LOCAL_WARPS + warp_id();
	if (b >= status[BUCKETS] || given_up(status)) return;
	const Slice slice = slices[b];
	if (slice.size == 0 || slice.size > LOCAL_SIZE) return;
	bucket.element += (u64)b * LOCAL_SIZE;
	local_sort(bucket, to + slice.start, slice.size, (u64)slice.low << 32, slice.drop, nearness((int)near_at - (int)slice.drop), shared.warp[warp_id()]);
}

template <class Element> struct OversizeShared {
	Element element[OVERSIZE_SIZE];
	u32 count;
};

// sort_shared sorts the first size elements in shared memory, by less(a, b).
template <class Element, class Less> DEVICE void sort_shared(OversizeShared<Element> &shared, u32 size, const Less &less) {
	u32 length = 2;
	while (length < size) length *= 2;
	for (u32 k = 2; k <= length; k *= 2)
		for (u32 stride = k / 2; stride > 0; stride /= 2) {
			__syncthreads(); // the preceding step is written
			const u32 flip = stride == k / 2 ? k - 1 : stride; // the first step of a merge mirrors
			for (u32 i = threadIdx.x; i < length / 2; i += OVERSIZE_THREADS) {
				const u32 low = 2 * i - (i & (stride - 1)), high = low ^ flip;
				if (high >= size) continue;   // low stays: elements past the end count as largest
				const Element a = shared.element[low], c = shared.element[high];
				if (less(c, a)) {
					shared.element[low] = c;
					shared.element[high] = a;
				}
			}
		}
	__syncthreads(); // the elements are in order
}

// write_outside sorts the listed codes of one side of the range and writes their results.
template <class B> DEVICE void write_outside(OversizeShared<typename B::Element> &shared, const typename B::Output *listed, u32 size, const B &bucket, typename B::Output *to) {
	for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) shared.element[i] = bucket.outsider(listed[i]);
	sort_shared(shared, size, [&](typename B::Element a, typename B::Element b) { return bucket.less_outside(a, b); });
	for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) to[i] = bucket.listed(shared.element[i]);
	__syncthreads(); // elements are read before others overwrite them
}

// oversize_sort sorts the oversize buckets, each with its spilled elements, and the codes outside
// the range, unless the sort is given up. Its last block copies the status, which no later kernel
// changes, to memory of the host.
template <class B>
DEVICE void oversize_sort(const B &bucket, u64 n, const Slice *slices, const Partition *partitions, u32 count, u32 scale, const Spill<typename B::Element> &spill, const u32 *oversize,
                          const Outside<typename B::Output> &away, typename B::Output *to, u32 *note) {
	typedef typename B::Element Element;
	SORTER_SHARED(OversizeShared<Element>, shared);
	u32 *status = spill.status;
	const bool hopeless = given_up(status);
	const u32 below = hopeless ? 0 : status[BELOW], above = hopeless ? 0 : status[ABOVE];
	if (blockIdx.x == 0 && below > 0 && below <= OUTSIDE_SIZE) write_outside(shared, away.below, below, bucket, to);
	if (blockIdx.x == gridDim.x - 1 && above > 0 && above <= OUTSIDE_SIZE) write_outside(shared, away.above, above, bucket, to + n - above);
	const u32 spilled = min(status[SPILLED], SPILL_SIZE), listed = hopeless ? 0 : status[OVERSIZE];
	for (u32 k = blockIdx.x; k < listed; k += gridDim.x) {
		const u32 b = oversize[k];
		const Home home = home_of(b, partitions, count, scale);
		if (threadIdx.x == 0) shared.count = LOCAL_SIZE;
		for (u32 i = threadIdx.x; i < LOCAL_SIZE; i += OVERSIZE_THREADS) shared.element[i] = bucket.element[(u64)b * LOCAL_SIZE + i];
		__syncthreads(); // count is set
		for (u32 i = threadIdx.x; i < spilled; i += OVERSIZE_THREADS) {
			const Element e = spill.list[i];
			if (!home.has(e)) continue;
			shared.element[atomicAdd(&shared.count, 1u)] = e;
		}
		__syncthreads(); // all elements are in shared memory
		const u32 size = shared.count;
		sort_shared(shared, size, [&](Element a, Element b) { return bucket.less(a, b); });
		for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) to[slices[b].start + i] = bucket.output(shared.element[i]);
		__syncthreads(); // elements are read before the next bucket overwrites them
	}
	if (!is_last_block(status + ENDED, shared.count) || threadIdx.x >= ENDED) return;
	note[threadIdx.x] = threadIdx.x == LOST && hopeless ? 1 : status[threadIdx.x];
}
