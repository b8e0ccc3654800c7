// bucket.cuh: the kernels of the bucket-bitonic sort over codes of one width
// (Zhao, Meng, Song and Jiang's scheme, with slices chosen from a sample and
// buckets of fixed capacity, so that no histogram has to be read first).
//
//   sample_range, sample_segments   a look at some of the codes
//   split_codes                     codes → elements, partitioned by high digit of the slice
//   split_elements                  each part partitioned by the low digit: one bucket a slice
//   bucket_starts                   where each bucket's elements come in the order
//   local_sort                      buckets of up to LOCAL_SIZE elements, a warp each
//   oversize_sort                   the few larger ones, a block each
//
// Few elements need no second partition: split_codes fills the buckets then.
#pragma once
#include "local.cuh"
#include "sample.cuh"
#include "split.cuh"

constexpr int SPLIT_THREADS = 512, SPLIT_ITEMS = 16, TILE = SPLIT_THREADS * SPLIT_ITEMS;
constexpr u32 CURSOR_PITCH = 8; // words from one cursor of the first partition to the next: a sector each, or atomics queue up
constexpr int LOCAL_WARPS = 4, LOCAL_BLOCKS = 6; // warps a block, blocks that an SM holds
constexpr int OVERSIZE_THREADS = 512;
constexpr u32 OVERSIZE_SIZE = 4096; // elements an oversize bucket may have
constexpr u32 SPILL_SIZE = 1 << 20; // elements the spill list holds
constexpr u32 OUTSIDE_SIZE = OVERSIZE_SIZE; // codes below or above the range that are listed

// Outside lists the positions of codes outside the range.
struct Outside {
	u32 *below, *above; // OUTSIDE_SIZE each
	u32 *status;

	DEVICE void add(bool low, u32 position) const {
		u32 k = atomicAdd(status + (low ? BELOW : ABOVE), 1u);
		if (k < OUTSIDE_SIZE) (low ? below : above)[k] = position;
		else status[LOST] = 1;
	}
};

// CodeTile is what the sources of codes share.
template <class Code> struct CodeTile {
	typedef Code Raw;
	const Code *codes; // of the tile
	u32 first;         // input position of the tile
	Layout<Code> layout;
	u32 scale, low_bits;

	DEVICE Code load(u32 thread, int i) const { return load_once(codes + thread + i); }
	DEVICE u32 digit(u64 element) const { return slice_of(element, scale) >> low_bits; }
	DEVICE void report(u32) const {} // no code is misplaced
};

// CodeSource turns the codes of a tile into elements.
template <class Code> struct CodeSource : CodeTile<Code> {
	Outside away;

	DEVICE u64 element(Code code, u32 i, u32 &misplaced, u32 bit) const {
		if (outside(code, this->layout)) misplaced |= bit;
		return element_of(code, this->first + i, this->layout);
	}
	DEVICE void report(u32 i) const { away.add(this->codes[i] < this->layout.low, this->first + i); }
};

// MappedSource does, through a map of all codes.
template <class Code> struct MappedSource : CodeTile<Code> {
	const Map<Code> *map;
	u32 stretch, index_bits;

	DEVICE u64 element(Code code, u32 i, u32 &, u32) const {
		const u32 position = this->first + i;
		const u64 word = equalised(*map, this->layout, code, position, stretch);
		return word >> index_bits << index_bits | position;
	}
};

// Part is what SmoothSource needs of a map whose segments are equal parts of the
// range: such a map's words begin and rise in steps of 1 << 32.
struct Part {
	u32 base; // divided by 1 << 32
	u32 rise;
};

// SmoothSource turns codes into elements through a map of equal parts.
template <class Code> struct SmoothSource : CodeSource<Code> {
	const Part *parts;
	u32 index_bits;

	DEVICE u64 element(Code code, u32 i, u32 &misplaced, u32 bit) const {
		const u32 position = this->first + i;
		if (outside(code, this->layout)) misplaced |= bit;
		u64 word = word_of(code, position, this->layout);
		const Part part = parts[word >> (64 - SEGMENT_BITS)];
		word = ((u64)part.base << 32) + (u64)(u32)(word >> (32 - SEGMENT_BITS)) * part.rise;
		return word >> index_bits << index_bits | position;
	}
};

struct ElementSource {
	const u64 *elements; // of the tile
	u32 scale, low_mask;
	typedef u64 Raw;
	DEVICE u64 load(u32 thread, int i) const { return load_once(elements + thread + i); }
	DEVICE u64 element(u64 element, u32, u32 &, u32) const { return element; }
	DEVICE void report(u32) const {}
	DEVICE u32 digit(u64 element) const { return slice_of(element, scale) & low_mask; }
};

// RoomSink gives each digit a room of its own; what finds no place goes to the
// spill list, or is lost where there is none.
struct RoomSink {
	u64 *rooms;
	u32 *cursors; // elements in each room, pitch words apart
	u32 pitch, capacity, first; // first is the room of digit 0
	u64 *spill;
	u32 *status;

	DEVICE u32 claim(u32 digit, u32 count) const { return atomicAdd(cursors + (first + digit) * pitch, count); }
	DEVICE void store(u32 place, u32 digit, u64 element) const {
		if (place < capacity) {
			rooms[(u64)(first + digit) * capacity + place] = element;
			return;
		}
		u32 k = spill ? atomicAdd(status + SPILLED, 1u) : SPILL_SIZE;
		if (k < SPILL_SIZE) spill[k] = element;
		else status[LOST] = 1;
	}
};

template <int BITS> using TileShared = SplitShared<BITS, SPLIT_THREADS, SPLIT_ITEMS>;

template <class Code, int BITS>
DEVICE void split_codes(const Code *codes, u64 n, const Layout<Code> &layout, u32 scale, u32 low_bits, const RoomSink &sink, const Outside &away) {
	SORTER_SHARED(TileShared<BITS>, shared);
	const u32 first = blockIdx.x * (u32)TILE;
	CodeSource<Code> source = {{codes + first, first, layout, scale, low_bits}, away};
	split_tile(shared, source, sink, (u32)min((u64)TILE, n - first));
}

template <int BITS> struct SmoothShared {
	TileShared<BITS> tile;
	Part parts[SEGMENTS];
};

// split_smooth loads the parts of the map once and goes on from tile to tile.
template <class Code, int BITS>
DEVICE void split_smooth(const Code *codes, u64 n, const Layout<Code> &layout, const Map<Code> *map, u32 index_bits, u32 scale, u32 low_bits, const RoomSink &sink,
                         const Outside &away) {
	SORTER_SHARED(SmoothShared<BITS>, shared);
	for (u32 s = threadIdx.x; s < SEGMENTS; s += SPLIT_THREADS) shared.parts[s] = {(u32)(map->base[s] >> 32), (u32)map->rise[s]};
	__syncthreads(); // the parts are there
	for (u64 first = (u64)blockIdx.x * TILE; first < n; first += (u64)gridDim.x * TILE) {
		SmoothSource<Code> source = {{{codes + first, (u32)first, layout, scale, low_bits}, away}, shared.parts, index_bits};
		split_tile(shared.tile, source, sink, (u32)min((u64)TILE, n - first));
	}
}

template <class Code, int BITS> struct MappedShared {
	TileShared<BITS> tile;
	Map<Code> map;
};

// split_mapped loads the map once and goes on from tile to tile.
template <class Code, int BITS>
DEVICE void split_mapped(const Code *codes, u64 n, const Layout<Code> &layout, const Map<Code> *map, u32 index_bits, u32 scale, u32 low_bits, const RoomSink &sink) {
	typedef MappedShared<Code, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	load_map(shared.map, map);
	const u32 stretch = stretch_for(n);
	__syncthreads(); // the map is there
	for (u64 first = (u64)blockIdx.x * TILE; first < n; first += (u64)gridDim.x * TILE) {
		MappedSource<Code> source = {{codes + first, (u32)first, layout, scale, low_bits}, &shared.map, stretch, index_bits};
		split_tile(shared.tile, source, sink, (u32)min((u64)TILE, n - first));
	}
}

template <int BITS>
DEVICE void split_elements(const u64 *rooms, const u32 *cursors, u32 capacity, u32 tiles, u32 scale, u32 low_bits, u64 *buckets, u32 *sizes, u64 *spill,
                           u32 *status) {
	const u32 room = blockIdx.x / tiles, first = blockIdx.x % tiles * (u32)TILE;
	const u32 size = min(cursors[room * CURSOR_PITCH], capacity);
	if (first >= size) return;
	SORTER_SHARED(TileShared<BITS>, shared);
	ElementSource source = {rooms + (u64)room * capacity + first, scale, (1u << low_bits) - 1};
	RoomSink sink = {buckets, sizes, 1, LOCAL_SIZE, room << low_bits, spill, status};
	split_tile(shared, source, sink, min((u32)TILE, size - first));
}

struct StartsShared {
	u32 sums[32];
	u32 before;
};

// find_starts writes where each bucket's elements come in the order, and lists the
// oversize buckets. A block does the buckets of one room, of which there are
// per_room, at most STARTS_THREADS.
constexpr int STARTS_THREADS = 1024;
DEVICE void find_starts(const u32 *cursors, u32 pitch, u32 per_room, const u32 *sizes, u32 size_pitch, u32 *starts, u32 *oversize, u32 *status) {
	SORTER_SHARED(StartsShared, shared);
	if (threadIdx.x == 0) shared.before = 0;
	__syncthreads(); // before is zero
	u32 before = threadIdx.x == 0 ? status[BELOW] : 0; // those come first of all
	for (u32 room = threadIdx.x; room < blockIdx.x; room += STARTS_THREADS) before += cursors[room * pitch];
	if (before) atomicAdd(&shared.before, before);
	const u32 bucket = blockIdx.x * per_room + threadIdx.x;
	const u32 size = threadIdx.x < per_room ? sizes[bucket * size_pitch] : 0;
	const u32 start = exclusive_scan_block<STARTS_THREADS>(size, shared.sums); // its barrier completes before
	if (threadIdx.x >= per_room) return;
	starts[bucket] = shared.before + start;
	if (size > LOCAL_SIZE) oversize[atomicAdd(status + OVERSIZE, 1u)] = bucket;
}

struct LocalBlockShared {
	LocalShared warp[LOCAL_WARPS];
};

template <class Code>
DEVICE void local_sort_buckets(Bucket<Code> bucket, const u32 *sizes, u32 size_pitch, const u32 *starts, u32 slices, u64 reciprocal, u32 drop, u32 near,
                               u32 *order) {
	SORTER_SHARED(LocalBlockShared, shared);
	const u32 b = blockIdx.x * LOCAL_WARPS + warp_id();
	if (b >= slices) return;
	const u32 size = sizes[b * size_pitch];
	if (size == 0 || size > LOCAL_SIZE) return;
	bucket.element += (u64)b * LOCAL_SIZE;
	const u64 lowest = b * reciprocal >> 32 << 32; // of the slice, or a little less: by up to 2 << 32
	local_sort(bucket, order + starts[b], size, lowest, drop, near, shared.warp[warp_id()]);
}

struct OversizeShared {
	u64 element[OVERSIZE_SIZE];
	u32 count;
};

// sort_shared sorts the first size elements in shared memory.
template <class Code> DEVICE void sort_shared(OversizeShared &shared, u32 size, const Bucket<Code> &bucket) {
	u32 length = 2;
	while (length < size) length *= 2;
	for (u32 k = 2; k <= length; k *= 2)
		for (u32 stride = k / 2; stride > 0; stride /= 2) {
			__syncthreads(); // the step before is written
			for (u32 i = threadIdx.x; i < length / 2; i += OVERSIZE_THREADS) {
				u32 low = i / stride * 2 * stride + i % stride;
				u32 high = stride == k / 2 ? low / k * k + k - 1 - low % k : low + stride; // the first step of a merge mirrors
				if (high >= size) continue;                                                // what lies behind the end stays there
				u64 a = shared.element[low], c = shared.element[high];
				if (bucket.less(c, a)) {
					shared.element[low] = c;
					shared.element[high] = a;
				}
			}
		}
	__syncthreads(); // the elements are in order
}

// write_outside puts the listed codes on one side of the range into order.
template <class Code> DEVICE void write_outside(OversizeShared &shared, const u32 *positions, u32 size, const Bucket<Code> &bucket, u32 *order) {
	for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) shared.element[i] = (u64)positions[i] << bucket.at; // all with one code: less looks at the real ones
	sort_shared(shared, size, bucket);
	for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) order[i] = bucket.position(shared.element[i]);
	__syncthreads(); // elements are read before others overwrite them
}

// oversize_sort sorts listed buckets, what their rooms hold and what was
// spilled, and the codes outside the range.
template <class Code>
DEVICE void oversize_sort(const Bucket<Code> &bucket, u64 n, const u32 *starts, u32 scale, const u64 *spill, const u32 *oversize, const Outside &away, u32 *order) {
	SORTER_SHARED(OversizeShared, shared);
	u32 *status = bucket.status;
	const u32 below = status[BELOW], above = status[ABOVE];
	if (blockIdx.x == 0 && below > 0 && below <= OUTSIDE_SIZE) write_outside(shared, away.below, below, bucket, order);
	if (blockIdx.x == gridDim.x - 1 && above > 0 && above <= OUTSIDE_SIZE) write_outside(shared, away.above, above, bucket, order + n - above);
	const u32 spilled = min(status[SPILLED], SPILL_SIZE), listed = status[OVERSIZE];
	for (u32 k = blockIdx.x; k < listed; k += gridDim.x) {
		const u32 b = oversize[k];
		if (threadIdx.x == 0) shared.count = LOCAL_SIZE;
		for (u32 i = threadIdx.x; i < LOCAL_SIZE; i += OVERSIZE_THREADS) shared.element[i] = bucket.element[(u64)b * LOCAL_SIZE + i];
		__syncthreads(); // count is set
		for (u32 i = threadIdx.x; i < spilled; i += OVERSIZE_THREADS) {
			u64 e = spill[i];
			if (slice_of(e, scale) != b) continue;
			u32 at = atomicAdd(&shared.count, 1u);
			if (at < OVERSIZE_SIZE) shared.element[at] = e;
		}
		__syncthreads(); // all elements are there
		const u32 size = shared.count;
		if (size > OVERSIZE_SIZE) {
			if (threadIdx.x == 0) status[LOST] = 1;
		} else {
			sort_shared(shared, size, bucket);
			for (u32 i = threadIdx.x; i < size; i += OVERSIZE_THREADS) order[starts[b] + i] = bucket.position(shared.element[i]);
		}
		__syncthreads(); // elements are read before the next bucket overwrites them
	}
}
