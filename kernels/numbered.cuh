// numbered.cuh: the phases of the bucket-bitonic sort that differ for orders of 64-bit codes that are
// elements of a longer list, and have their positions there beside them: numbers, which ascend.
// They take the place of positions in elements, so the order is of numbers. Otherwise each position
// would lead to a number by a read at random, which takes longer than the sort: 10 of 22 ms for
// 2^28 codes (two H100).
//
// The few elements that have to be compared by their codes find these in the longer list, which may
// lie on other devices.
#pragma once
#include "bucket.cuh"

constexpr u32 MAX_LISTS = 16;

// Lists are where the codes with numbers are.
struct Lists {
	u64 count;
	struct {
		u64 first; // number of the first code
		const u64 *codes;
	} list[MAX_LISTS]; // by number

	DEVICE u64 operator[](u32 number) const {
		u32 k = 0;
		while (k + 1 < (u32)count && number >= list[k + 1].first) k++;
		return list[k].codes[number - list[k].first];
	}
};

// NumberedBucket is a Bucket whose positions are numbers.
struct NumberedBucket : Bucket<u64, Fields> {
	const Lists *lists;

	DEVICE bool less_outside(u64 a, u64 b) const { return less_code(a, b); }
	DEVICE bool less(u64 a, u64 b) const { return fields.alike(a, b) ? less_code(a, b) : a < b; }
	DEVICE Rest by_code(u32 place, const Shared &shared) const { return {(*lists)[shared.index[place]], shared.index[place]}; }
	DEVICE bool less_code(u64 a, u64 b) const {
		const u32 i = position(a), j = position(b);
		const u64 x = (*lists)[i], y = (*lists)[j];
		return x != y ? x < y : i < j;
	}
};

// NumberedSource makes elements of codes with numbers.
template <class Source> struct NumberedSource : Source {
	const u32 *numbers; // of the tile

	DEVICE u64 element(u64 code, u32 i, u32 &misplaced, u32 bit) const {
		if (outside(code, this->layout)) misplaced |= bit;
		return misplaced & bit ? 0 : this->layout.element(code, load_once(numbers + i));
	}
	DEVICE void report(u32 i) const { this->away.add(this->codes[i] < this->layout.low, numbers[i]); }
};

template <int BITS>
DEVICE void split_numbered_codes(const u64 *codes, u64 n, const Layout<u64> &layout, u32 scale, const PartitionSink<u64, EqualPartitions> &sink, const Outside<u32> &away, const u32 *numbers) {
	typedef TileShared<u64, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	const u32 first = blockIdx.x * (u32)Shared::TILE;
	const NumberedSource<CodeSource<Layout<u64>>> source = {{{codes + first, first, layout, scale}, away}, numbers + first};
	split_tile(shared, source, sink, (u32)min((u64)Shared::TILE, n - first));
}

template <int BITS>
DEVICE void split_numbered_sections(const u64 *codes, u64 n, const Layout<u64> &layout, const PartitionSink<u64, BoundPartitions> &sink, const Outside<u32> &away, const u32 *numbers) {
	typedef SectionShared<u64, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	if (threadIdx.x < MAX_SECTIONS) shared.section[threadIdx.x] = sink.partitions.sections->section[threadIdx.x]; // split_tile begins with a barrier
	const u32 first = blockIdx.x * (u32)Shared::TILE;
	const NumberedSource<SectionSource<Layout<u64>>> source = {{{{codes + first, first, layout, 0}, away}, shared.section}, numbers + first};
	split_tile(shared.tile, source, sink, (u32)min((u64)Shared::TILE, n - first));
}
