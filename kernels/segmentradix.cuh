// segmentradix.cuh: large segments of 32-bit codes, sorted by one radix sort in which each keeps its
// elements.
//
//   radix_segments_tiles      numbers the tiles of all large segments
//   radix_segments_histogram  counts the digits of all places, by segment
//   radix_segments_starts     finds the start of each digit, and the places that need a pass
//   radix_segments_pass       a stable partition of every segment by one digit
//
// Tiles end with their segment, and look back over the tiles of their segment only: so a pass moves as
// many bytes as that of one list, whatever the codes, and no pass is needed for the segments.
// Buffers have the elements of large segments only, one segment after the other.
//
// 2^24 32-bit codes in segments of 2^17 take 0.52 ms in any order, keys alone 0.42 (H200, 2026-11-29). One sort of all with the
// segment in front of codes took 0.64 to 1.05 and 0.65 to 0.91.
#pragma once
#include "radix.cuh"
#include "segments.cuh"

// SegmentTileAt is a tile of a large segment.
struct SegmentTileAt {
	u32 segment, index; // the large segment, and the tile's number there
};

// SegmentDigits is the counts of a large segment, then the starts of digits in the list.
struct SegmentDigits {
	u32 count[RADIX_WORD][RADIX];
};

// SegmentRadix is the state of one sort. It is clear before.
struct SegmentRadix {
	u32 tiles;              // of all large segments
	u32 active;             // a bit for each place that needs a pass
	u32 ticket[RADIX_WORD]; // tiles claimed

	// passes returns the places that have a pass: one at least, which moves elements to their result.
	DEVICE u32 passes() const { return active ? active : 1; }
};

// number_tiles numbers the tiles of SIZE elements, a warp for each of count segments. It clears their counts.
template <int SIZE> DEVICE void number_tiles(const Large *large, u64 count, SegmentTileAt *tiles, SegmentDigits *digits, SegmentRadix *state) {
	const u64 step = (u64)gridDim.x * blockDim.x / 32;
	for (u64 s = ((u64)blockIdx.x * blockDim.x + threadIdx.x) / 32; s < count; s += step) {
		const u32 own = (large[s].length + SIZE - 1) / SIZE;
		u32 first = 0;
		if (lane_id() == 0) first = atomicAdd(&state->tiles, own);
		first = __shfl_sync(FULL_WARP, first, 0);
		for (u32 i = lane_id(); i < own; i += 32) tiles[first + i] = {(u32)s, i};
		for (u32 i = lane_id(); i < RADIX_WORD * RADIX; i += 32) (&digits[s].count[0][0])[i] = 0;
	}
}

// SegmentSlice is the places of a tile.
struct SegmentSlice {
	u64 first;
	u32 valid;
	template <int SIZE> DEVICE static SegmentSlice of(const Large &segment, u32 index) {
		return {segment.begin + (u64)index * SIZE, min((u32)SIZE, segment.length - index * SIZE)};
	}
};

// count_segment_digits counts the digits of a tile, a block each.
template <class Tile> DEVICE void count_segment_digits(const u32 *codes, const Large *large, const SegmentTileAt *tiles, SegmentDigits *digits, const SegmentRadix *state) {
	SORTER_SHARED(SegmentDigits, shared);
	if (blockIdx.x >= state->tiles) return;
	const SegmentTileAt at = tiles[blockIdx.x];
	const SegmentSlice slice = SegmentSlice::of<Tile::SIZE>(large[at.segment], at.index);
	u32 *const count = &shared.count[0][0];
	for (u32 i = threadIdx.x; i < RADIX_WORD * RADIX; i += Tile::THREADS) count[i] = 0;
	__syncthreads(); // counts are zero
#pragma unroll 8
	for (u32 i = threadIdx.x; i < slice.valid; i += Tile::THREADS) {
		const u32 code = load_once(codes + slice.first + i);
#pragma unroll
		for (int p = 0; p < RADIX_WORD; p++) atomicAdd(&shared.count[p][code >> p * RADIX_BITS & (RADIX - 1)], 1u);
	}
	__syncthreads(); // counts are complete
	for (u32 i = threadIdx.x; i < RADIX_WORD * RADIX; i += Tile::THREADS)
		if (count[i]) atomicAdd(&digits[at.segment].count[0][0] + i, count[i]);
}

struct SegmentStartsShared {
	u32 sums[RADIX / 32];
};

// start_segment_digits replaces counts by starts in the list, a block of RADIX threads for each segment.
DEVICE void start_segment_digits(const Large *large, SegmentDigits *digits, SegmentRadix *state) {
	SORTER_SHARED(SegmentStartsShared, shared);
	const Large segment = large[blockIdx.x];
	u32 active = 0;
	for (u32 p = 0; p < (u32)RADIX_WORD; p++) {
		u32 *const own = &digits[blockIdx.x].count[p][threadIdx.x];
		const u32 count = *own, start = exclusive_scan_block<RADIX>(count, shared.sums);
		*own = segment.begin + start;
		if (__any_sync(FULL_WARP, count != 0 && count != segment.length)) active |= 1u << p;
		__syncthreads(); // sums are read
	}
	if (lane_id() == 0 && active) atomicOr(&state->active, active);
}

// shifted returns where a list of large segments would begin if the elements of a segment lay as in the list.
template <class T> DEVICE T *shifted(T *list, const Large &segment) { return list + ((int64_t)segment.base - (int64_t)segment.begin); }

// pass_of returns the pass over a place of a segment's elements.
template <class Tile> struct SegmentKeys {
	typedef KeyPass<Tile, u32> SegmentPass;
	const u32 *codes;
	u32 *spare, *sorted;
	DEVICE SegmentPass pass_of(u32 place, u32 active, const Large &segment) const { return key_pass_over<Tile>(place, active, codes, shifted(spare, segment), sorted); }
};
template <class Tile> struct SegmentOrder {
	typedef Pass<Tile, u32> SegmentPass;
	const u32 *codes;
	u64 *even, *odd;
	u32 *order;
	DEVICE SegmentPass pass_of(u32 place, u32 active, const Large &segment) const {
		return pass_over<Tile>(place, active, codes, RadixMemory{shifted(even, segment), shifted(odd, segment), nullptr, order});
	}
};

// pass_segments does the given pass over all segments, if there is one.
template <class Tile, class Lists> DEVICE void pass_segments(const Lists &lists, u32 pass, const Large *large, const SegmentTileAt *tiles, const SegmentDigits *digits, SegmentRadix *state, u32 *words) {
	typedef typename Lists::SegmentPass Pass;
	SORTER_SHARED(typename Pass::Shared, shared);
	const u32 active = state->passes(), place = active_place(active, pass);
	if (place >= (u32)RADIX_WORD || blockIdx.x >= state->tiles) return;
	const u32 tile = claim<Pass>(shared, &state->ticket[place]);
	const SegmentTileAt at = tiles[tile];
	const Large segment = large[at.segment];
	const SegmentSlice slice = SegmentSlice::of<Tile::SIZE>(segment, at.index);
	move_tile(shared, lists.pass_of(place, active, segment), slice.first, slice.valid, tile, at.index == 0, digits[at.segment].count[place], TileCounts{words, 2 + (pass & 1)});
}
