// bucket.cuh: the kernels of the bucket-bitonic sort over codes of one width
// (the scheme of Chen, Qin, Xie, Zhao and Heng, with rooms chosen from a sample and
// buckets of fixed capacity, so that no histogram has to be read first).
//
//   sample_range, sample_segments   a look at some of the codes
//   split_codes                     codes → elements, partitioned into rooms
//   plan_rooms                      how each room is cut into slices
//   split_elements                  each room partitioned: one bucket a slice
//   bucket_starts                   where each bucket's elements come in the order
//   local_sort                      buckets of up to LOCAL_SIZE elements, a warp each
//   oversize_sort                   the few larger ones, a block each
//
// Few elements need no second partition: split_codes fills the buckets then. Of
// nearly sorted lists strided.cu has another split_codes.
//
// Where only keys are sorted, an element is its code alone (KeyLayout) and sorted
// codes are written in place of positions. Phases of that kind end in _keys.
#pragma once
#include "local.cuh"
#include "rooms.cuh"
#include "sample.cuh"

constexpr int LOCAL_WARPS = 4, LOCAL_BLOCKS = 6; // warps a block, blocks that an SM holds
constexpr int OVERSIZE_THREADS = 512;
constexpr u32 OVERSIZE_SIZE = 4096; // elements an oversize bucket may have
constexpr u32 OUTSIDE_SIZE = OVERSIZE_SIZE; // codes below or above the range that are listed

// Outside lists codes outside the range, as the layout says.
template <class Listed> struct Outside {
	Listed *below, *above; // OUTSIDE_SIZE each
	u32 *status;

	DEVICE void add(bool low, Listed code) const {
		u32 k = atomicAdd(status + (low ? BELOW : ABOVE), 1u);
		if (k < OUTSIDE_SIZE) (low ? below : above)[k] = code;
		else atomicExch(status + LOST, 1u);
	}
};

// CodeTile is what the sources of codes share.
template <class L> struct CodeTile {
	typedef typename L::Raw Raw;
	typedef typename L::Element Element;
	const Raw *codes; // of the tile
	u32 first;        // input position of the tile
	L layout;
	u32 scale;

	DEVICE Raw load(u32 thread, int i) const { return load_once(codes + thread + i); }
	DEVICE u32 digit(Element element) const { return slice_of(element, scale); }
	DEVICE void report(u32) const {} // no code is misplaced
};

// CodeSource turns the codes of a tile into elements.
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

// SectionSource turns codes into elements, too, and has rooms by sections.
template <class L> struct SectionSource : CodeSource<L> {
	const u32 *section; // in shared memory

	DEVICE u32 digit(typename L::Element element) const {
		const u32 word = leading(element);
		return room_of<L::SECTION_BITS>(word, section[section_of<L::SECTION_BITS>(word)]);
	}
};

// MappedSource turns codes into elements through a map of all codes.
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
	u32 low, scale;    // of the room
	typedef E Raw;
	DEVICE E load(u32 thread, int i) const { return load_once(elements + thread + i); }
	DEVICE E element(E element, u32, u32 &, u32) const { return element; }
	DEVICE void report(u32) const {}
	DEVICE u32 digit(E element) const { return __umulhi(leading(element) - low, scale); }
};

template <class Element, int BITS> using TileShared = SplitShared<Element, BITS, SPLIT_THREADS, SplitTile<Element>::ITEMS>;

template <int BITS, class L>
DEVICE void split_codes(const typename L::Raw *codes, u64 n, const L &layout, u32 scale, const RoomSink<typename L::Element, EqualRooms> &sink, const Outside<typename L::Listed> &away) {
	typedef TileShared<typename L::Element, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 first = blockIdx.x * (u32)Shared::TILE;
	CodeSource<L> source = {{codes + first, first, layout, scale}, away};
	split_tile(shared, source, sink, (u32)min((u64)Shared::TILE, n - first));
}

template <class Element, int BITS> struct SectionShared {
	static constexpr int TILE = SplitTile<Element>::SIZE;
	TileShared<Element, BITS> tile;
	u32 section[MOST_SECTIONS];
};

template <int BITS, class L>
DEVICE void split_sections(const typename L::Raw *codes, u64 n, const L &layout, const RoomSink<typename L::Element, BoundRooms> &sink, const Outside<typename L::Listed> &away) {
	typedef SectionShared<typename L::Element, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	if (threadIdx.x < MOST_SECTIONS) shared.section[threadIdx.x] = sink.rooms.sections->section[threadIdx.x]; // split_tile begins with a barrier
	const u32 first = blockIdx.x * (u32)Shared::TILE;
	SectionSource<L> source = {{{codes + first, first, layout, 0}, away}, shared.section};
	split_tile(shared.tile, source, sink, (u32)min((u64)Shared::TILE, n - first));
}

template <class Code, int BITS> struct MappedShared {
	static constexpr int TILE = SplitTile<u64>::SIZE;
	TileShared<u64, BITS> tile;
	Map<Code> map;
};

// split_mapped loads the map once and goes on from tile to tile.
template <class Code, int BITS>
DEVICE void split_mapped(const Code *codes, u64 n, const Layout<Code> &layout, const Map<Code> *map, u32 index_bits, u32 scale, const RoomSink<u64, EqualRooms> &sink) {
	typedef MappedShared<Code, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	load_map(shared.map, map);
	const u32 stretch = stretch_for(n);
	__syncthreads(); // the map is there
	for (u64 first = (u64)blockIdx.x * Shared::TILE; first < n; first += (u64)gridDim.x * Shared::TILE) {
		MappedSource<Code> source = {{codes + first, (u32)first, layout, scale}, &shared.map, stretch, index_bits};
		split_tile(shared.tile, source, sink, (u32)min((u64)Shared::TILE, n - first));
	}
}

// split_elements moves one tile of a room into the room's buckets.
template <int BITS, class Element> DEVICE void split_elements(const Element *elements, const Room *rooms, const u64 *tiles, Element *buckets, u32 *sizes, const Spill<Element> &spill) {
	if (blockIdx.x >= spill.status[TILES]) return;
	const u64 tile = tiles[blockIdx.x];
	const Room room = rooms[(u32)tile];
	typedef TileShared<Element, BITS> Shared;
	const u32 first = (u32)(tile >> 32) * Shared::TILE;
	SORTER_SHARED(Shared, shared);
	ElementSource<Element> source = {elements + room.begin + first, room.low, room.scale};
	BucketSink<Element> sink = {buckets + (u64)room.first * LOCAL_SIZE, sizes + room.first, spill};
	split_tile(shared, source, sink, min((u32)Shared::TILE, room.size - first));
}

template <class Shared> struct LocalBlockShared {
	Shared warp[LOCAL_WARPS];
};

// nearness returns the distance below which local words may have one code, if
// that many of their bits below the code come from the position.
DEVICE u32 nearness(int bits) { return bits >= (int)LOCAL_KEY_BITS ? 0xffffffffu : LOCAL_SIZE << max(0, bits); }

// local_sort_buckets sorts a bucket a warp. Elements that differ in no bit from
// near_at on may have different codes.
template <class B> DEVICE void local_sort_buckets(B bucket, const Slice *slices, const u32 *status, u32 near_at, typename B::Output *to) {
	typedef LocalBlockShared<typename B::Shared> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 b = blockIdx.x * LOCAL_WARPS + warp_id();
	if (b >= status[BUCKETS]) return;
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
			__syncthreads(); // the step before is written
			const u32 flip = stride == k / 2 ? k - 1 : stride; // the first step of a merge mirrors
			for (u32 i = threadIdx.x; i < length / 2; i += OVERSIZE_THREADS) {
				const u32 low = 2 * i - (i & (stride - 1)), high = low ^ flip;
				if (high >= size) continue;   // what lies behind the end stays there
				const Element a = shared.element[low], c = shared.element[high];
				if (less(c, a)) {
					shared.element[low] = c;
					shared.element[high] = a;
				}
			}
		}
	__syncthreads(); // the elements are in order
}

// write_outside puts the listed codes on one side of the range into order.
template <class B> DEVICE void write_outside(OversizeShared<typename B::Element> &shared, const typename B::Output *listed, u32 size, const B &bucket, typename B::Output *to) {
	for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) shared.element[i] = bucket.outsider(listed[i]);
	sort_shared(shared, size, [&](typename B::Element a, typename B::Element b) { return bucket.less_outside(a, b); });
	for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) to[i] = bucket.listed(shared.element[i]);
	__syncthreads(); // elements are read before others overwrite them
}

// oversize_sort sorts listed buckets, what their rooms hold and what was
// spilled, and the codes outside the range. Its last block leaves the status, which
// nobody changes behind it, in memory of the host.
template <class B>
DEVICE void oversize_sort(const B &bucket, u64 n, const Slice *slices, const Room *rooms, u32 count, u32 scale, const Spill<typename B::Element> &spill, const u32 *oversize,
                          const Outside<typename B::Output> &away, typename B::Output *to, u32 *note) {
	typedef typename B::Element Element;
	SORTER_SHARED(OversizeShared<Element>, shared);
	u32 *status = spill.status;
	const u32 below = status[BELOW], above = status[ABOVE];
	if (blockIdx.x == 0 && below > 0 && below <= OUTSIDE_SIZE) write_outside(shared, away.below, below, bucket, to);
	if (blockIdx.x == gridDim.x - 1 && above > 0 && above <= OUTSIDE_SIZE) write_outside(shared, away.above, above, bucket, to + n - above);
	const u32 spilled = min(status[SPILLED], SPILL_SIZE), listed = status[OVERSIZE];
	for (u32 k = blockIdx.x; k < listed; k += gridDim.x) {
		const u32 b = oversize[k];
		const Home home = home_of(b, rooms, count, scale);
		if (threadIdx.x == 0) shared.count = LOCAL_SIZE;
		for (u32 i = threadIdx.x; i < LOCAL_SIZE; i += OVERSIZE_THREADS) shared.element[i] = bucket.element[(u64)b * LOCAL_SIZE + i];
		__syncthreads(); // count is set
		for (u32 i = threadIdx.x; i < spilled; i += OVERSIZE_THREADS) {
			const Element e = spill.list[i];
			if (!home.has(e)) continue;
			u32 at = atomicAdd(&shared.count, 1u);
			if (at < OVERSIZE_SIZE) shared.element[at] = e;
		}
		__syncthreads(); // all elements are there
		const u32 size = shared.count;
		if (size > OVERSIZE_SIZE) {
			if (threadIdx.x == 0) atomicExch(status + LOST, 1u);
		} else {
			sort_shared(shared, size, [&](Element a, Element b) { return bucket.less(a, b); });
			for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) to[slices[b].start + i] = bucket.output(shared.element[i]);
		}
		__syncthreads(); // elements are read before the next bucket overwrites them
	}
	if (is_last_block(status + ENDED, shared.count) && threadIdx.x < ENDED) note[threadIdx.x] = status[threadIdx.x];
}
