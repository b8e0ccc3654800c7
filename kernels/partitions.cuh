// partitions.cuh: the two levels of the bucket sort. The first split moves elements
// into partitions, the second one moves each partition into buckets.
//
// A partition takes the elements of an interval of leading words. Its size is known
// exactly when the second split begins, which cuts it into slices by that size. A bucket
// has the elements of one slice.
//
// Codes spread unevenly but smoothly are even enough inside a partition. For those, the
// words are divided into 64 sections, and each section into equal partitions, whose
// number depends on a sample. A warp reads sections from a table of 64 words in shared
// memory: the 32 neighbouring sections that most codes have cause no bank conflict.
// Sections by octave (octaves.cuh) are as many as a code has bits.
#pragma once
#include "slices.cuh"
#include "split.cuh"

constexpr u32 MAX_PARTITIONS = 1024;
constexpr u32 CURSOR_PITCH = 8;      // words from one cursor to the next: in one sector, atomics would queue up
constexpr u32 SPILL_SIZE = 1 << 20;  // elements the spill list holds
constexpr u32 OVERSIZE_SIZE = 4096; // capacity of an oversize bucket
constexpr int PARTITION_THREADS = 1024;   // also the maximum of buckets in a partition

constexpr int SECTIONS = 1 << SECTION_BITS, MAX_SECTIONS = 64;

// section_of returns the section of a leading word, one of 1 << BITS. partition_of returns its
// partition; section is the section's first partition << 16 | the number of its partitions.
template <int BITS> DEVICE u32 section_of(u32 word) { return word >> (32 - BITS); }
template <int BITS> DEVICE u32 partition_of(u32 word, u32 section) { return (section >> 16) + ((word >> (16 - BITS) & 0xffff) * (section & 0xffff) >> 16); }

// Bounds has the beginnings of partitions: places in memory, and leading words. One more entry
// is the end of the last partition. Bounds lie in pinned memory of the host.
struct Bounds {
	u32 section[MAX_SECTIONS];
	struct {
		u32 place, low;
	} partition[MAX_PARTITIONS + 1];
};

// Sections is the lookup table of a split by sections.
struct Sections {
	u32 section[MAX_SECTIONS];
	u32 end[MAX_PARTITIONS]; // place after the last one of each partition
};

struct Partition {
	u32 begin, end;    // places of its elements
	u32 low, scale;    // slice = (leading word - low) * scale >> 32
	u32 first, slices; // first bucket, number of buckets
	u32 start;         // elements before it in the order
	u32 size;          // elements
};

// Slice describes one bucket to local_sort.
struct alignas(16) Slice {
	u32 start, size; // in the order
	u32 low;         // lower bound of its leading words
	u32 drop;        // low bits of an element's distance from low that local words leave out
};

// lowest returns the lowest leading word of slice s.
DEVICE u64 lowest(u64 s, u32 scale) { return ((s << 32) + scale - 1) / scale; }

// make_partitions initializes count partitions, and one more that ends the last. If bounds is
// null, partitions are equal, with the given scale and capacity. Otherwise they are those of
// bounds, which are also copied to sections. Bucket sizes and the status are cleared; budget is as
// in Status.
DEVICE void make_partitions(Partition *partitions, u32 *cursors, u32 count, const Bounds *bounds, Sections *sections, u32 scale, u32 capacity, u32 *sizes, u64 buckets, u32 budget, u32 *status) {
	const u64 step = (u64)gridDim.x * blockDim.x, thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	if (bounds && thread < MAX_SECTIONS) sections->section[thread] = bounds->section[thread];
	for (u64 r = thread; r <= count; r += step) {
		const u32 begin = bounds ? bounds->partition[r].place : (u32)r * capacity;
		partitions[r].begin = begin;
		partitions[r].low = bounds ? bounds->partition[r].low : (u32)lowest(r, scale);
		if (r < count) cursors[r * CURSOR_PITCH] = begin;
		if (r > 0) partitions[r - 1].end = begin;
		if (r > 0 && bounds) sections->end[r - 1] = begin;
	}
	for (u64 b = thread; b < buckets; b += step) sizes[b] = 0;
	if (thread < STATUS_WORDS) status[thread] = thread == BUDGET ? budget : 0;
}

struct PartitionsShared {
	u32 sums[3][32];
	u32 tiles[MAX_PARTITIONS], first_tile[MAX_PARTITIONS];
};

// cut_partitions cuts filled partitions into slices of about target elements each, least to most
// slices per partition. It lists the tiles of the second split, as tile in its partition << 32 |
// partition. One block.
DEVICE void cut_partitions(Partition *partitions, const u32 *cursors, u32 count, u32 least, u32 target, u32 most, u32 tile_size, u64 *tiles, u32 *status) {
	SORTER_SHARED(PartitionsShared, shared);
	static_assert(MAX_PARTITIONS == PARTITION_THREADS, "a thread per partition");
	const u32 r = threadIdx.x;
	Partition partition = {};
	u32 slices = 0, work = 0;
	if (r < count) {
		partition = partitions[r];
		partition.size = min(cursors[r * CURSOR_PITCH], partition.end) - partition.begin;
		slices = min(most, max(least, partition.size / target + 1));
		work = (partition.size + tile_size - 1) / tile_size;
	}
	const u32 start = exclusive_scan_block<PARTITION_THREADS>(partition.size, shared.sums[0]);
	const u32 first = exclusive_scan_block<PARTITION_THREADS>(slices, shared.sums[1]);
	const u32 tile = exclusive_scan_block<PARTITION_THREADS>(work, shared.sums[2]);
	shared.tiles[r] = work;
	shared.first_tile[r] = tile;
	if (r < count) {
		const u32 width = partitions[r + 1].low - partition.low; // 0 is 1 << 32
		partitions[r].scale = (u32)(((u64)slices << 32) / (width ? width : 1ull << 32));
		partitions[r].first = first;
		partitions[r].slices = slices;
		partitions[r].start = status[BELOW] + start; // codes below the range come first
		partitions[r].size = partition.size;
		if (r + 1 == count) {
			status[BUCKETS] = first + slices;
			status[TILES] = tile + work;
		}
	}
	__syncthreads(); // tiles and first_tile are written
	for (u32 k = warp_id(); k < count; k += PARTITION_THREADS / 32)
		for (u32 t = lane_id(); t < shared.tiles[k]; t += 32) tiles[shared.first_tile[k] + t] = (u64)t << 32 | k;
}

// whole returns the only partition of a sort whose first split fills buckets.
DEVICE Partition whole(u32 scale, u32 slices, u32 below) { return {0, 0, 0, scale, 0, slices, below, 0}; }

// Home is the interval of leading words of one bucket: a slice of its partition.
struct Home {
	u32 low, span, scale; // of the partition, which has words low … low+span
	u32 slice;

	template <class Element> DEVICE bool has(Element element) const {
		const u32 word = leading(element) - low;
		return word <= span && __umulhi(word, scale) == slice;
	}
};

// home_of returns the home of a bucket. With count == 0 there are no partitions, and scale is
// that of the buckets.
DEVICE Home home_of(u32 bucket, const Partition *partitions, u32 count, u32 scale) {
	if (count == 0) return {0, 0xffffffffu, scale, bucket};
	u32 r = 0, last = count - 1;
	while (r < last) {
		const u32 middle = (r + last + 1) / 2;
		if (bucket < partitions[middle].first) last = middle - 1;
		else r = middle;
	}
	const u32 end = r + 1 < count ? partitions[r + 1].low : 0; // 0 is 1 << 32
	return {partitions[r].low, end - 1 - partitions[r].low, partitions[r].scale, bucket - partitions[r].first};
}

struct StartsShared {
	u32 sums[32];
};

// find_starts writes the slices of a partition's buckets and lists the oversize buckets. One
// block per partition. The size of a bucket is sizes[bucket * pitch] - bucket * step.
DEVICE void find_starts(const Partition &partition, const u32 *sizes, u32 pitch, u32 step, Slice *slices, u32 *oversize, u32 *status) {
	SORTER_SHARED(StartsShared, shared);
	const u32 s = threadIdx.x, bucket = partition.first + s;
	const u32 size = s < partition.slices ? sizes[bucket * pitch] - bucket * step : 0;
	const u32 start = exclusive_scan_block<PARTITION_THREADS>(size, shared.sums);
	if (s >= partition.slices) return;
	const int width = 96 - __clzll((1ull << 32) / partition.scale + 4); // bits of a distance inside a slice
	slices[bucket] = {partition.start + start, size, partition.low + (u32)lowest(s, partition.scale), (u32)max(0, width - (int)LOCAL_KEY_BITS)};
	if (size > OVERSIZE_SIZE) atomicExch(status + LOST, 1u);
	if (size > LOCAL_SIZE) oversize[atomicAdd(status + OVERSIZE, 1u)] = bucket;
}

// OVERSIZE_WORK is the work of an oversize bucket besides reads of all spilled elements, in such
// reads. H200: about 76 ns of the device, where a read takes 1/700.
constexpr u64 OVERSIZE_WORK = 1 << 16;

// given_up reports whether the sort has lost elements, or too many buckets are oversize. Once
// buckets have their sizes, all later kernels decide the same.
DEVICE bool given_up(const u32 *status) {
	return status[LOST] || (u64)status[OVERSIZE] * (OVERSIZE_WORK + min(status[SPILLED], SPILL_SIZE)) > (u64)status[BUDGET] * OVERSIZE_WORK;
}

// Spill lists elements beyond the capacity of their bucket. Elements that find the list full or
// null are lost.
template <class Element> struct Spill {
	Element *list;
	u32 *status;

	DEVICE void add(Element element) const {
		u32 k = list ? atomicAdd(status + SPILLED, 1u) : SPILL_SIZE;
		if (k < SPILL_SIZE) list[k] = element;
		else atomicExch(status + LOST, 1u);
	}
};

// EqualPartitions and BoundPartitions have the ends of partitions. Ends of bound partitions are
// loaded for each digit and tile, long before their use: loaded at their use, they take an
// eighth of a split's time.
struct EqualPartitions {
	u32 capacity;
	struct End {};
	DEVICE End end(u32) const { return {}; }
	DEVICE bool fits(u32 place, u32 partition, End) const { return place < (partition + 1) * capacity; }
};
struct BoundPartitions {
	const Sections *sections;
	typedef u32 End;
	DEVICE End end(u32 partition) const { return sections->end[partition]; }
	DEVICE bool fits(u32 place, u32, End end) const { return place < end; }
};

// PartitionSink moves the elements of each digit to the digit's partition.
template <class Element, class Partitions> struct PartitionSink {
	Element *elements;
	Partitions partitions;
	u32 *cursors;
	Spill<Element> spill;

	DEVICE u32 claim(u32 digit, u32 count) const { return atomicAdd(cursors + digit * CURSOR_PITCH, count); }
	typedef typename Partitions::End Limit;
	DEVICE Limit limit(u32 digit) const { return partitions.end(digit); }
	DEVICE bool fits(u32 place, u32 digit, Limit limit) const { return partitions.fits(place, digit, limit); }
	DEVICE bool lost() const { return load_word(spill.status + LOST); }
};

// BucketSink moves the elements of each digit to the digit's bucket.
template <class Element> struct BucketSink {
	Element *elements; // the partition's buckets
	u32 *sizes;
	Spill<Element> spill;

	DEVICE u32 claim(u32 digit, u32 count) const { return digit * LOCAL_SIZE + atomicAdd(sizes + digit, count); }
	struct Limit {};
	DEVICE Limit limit(u32) const { return {}; }
	DEVICE bool fits(u32 place, u32 digit, Limit) const { return place - digit * LOCAL_SIZE < LOCAL_SIZE; }
	DEVICE bool lost() const { return load_word(spill.status + LOST); }
};
