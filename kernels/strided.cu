// strided.cu: the first split of nearly sorted lists, into equal partitions. A tile consists
// of chunks of CHUNK_BYTES at equal distances over the whole list. That is the strategy of
// Chen et al. (section III.5), whose threads read single codes. The other phases are those
// of bucket.cuh.
//
// Adjacent codes of such a list have the same digit, and the atomics of a warp on one
// counter are serialized. Here the lanes of a load read from 4 places, or from 8 for
// 64-bit codes, as far apart as the chunks of a tile allow. Each tile contributes chunks of
// several places to a partition, so lanes conflict less often in the second split, too.
// The table has the mean number of lanes of a warp at the fullest bank of counters, for
// 2^26 codes of which 1 % are swapped. Unordered codes have 3.5. It was counted by a
// simulation with 264 tiles in flight:
//
//                                         first split   second
//   adjacent codes                                  31.7     31.4
//   chunks of 8 codes                                8.0      8.9
//   the same, the four chunks of a load adjacent    22.9      8.9
//   chunks of 32 codes, one per load                31.7     24.6
//   chunks of 4 (64-bit codes)                       4.1      5.7
//   single codes                                     2.1      2.7
//
// With single codes every sector would be read eight times, at best from the second-level
// cache.
#include "bucket.cuh"

constexpr u32 CHUNK_BYTES = 32; // a sector, the unit of reads from memory

// Stride gives a thread's codes of a tile: first, first + step, …
struct Stride {
	u32 first, step;
};

// stride_in returns the stride of this thread in a tile of n codes. Chunks go to the whole
// tiles in turn. The codes after those are one more tile, of adjacent codes.
template <class Code, u32 TILE> DEVICE Stride stride_in(u32 tile, u64 n) {
	constexpr u32 CHUNK = CHUNK_BYTES / sizeof(Code), LOADS = TILE / 32; // codes per chunk; loads of all warps for a tile
	const u32 whole = (u32)(n / TILE), row = whole * CHUNK;              // whole tiles; codes from one chunk of a tile to the next
	if (tile == whole) return {whole * TILE + threadIdx.x, SPLIT_THREADS};
	return {(lane_id() / CHUNK * LOADS + warp_id()) * row + tile * CHUNK + lane_id() % CHUNK, SPLIT_THREADS / 32 * row};
}

// StridedSource is a CodeSource whose codes and first are those of the thread.
template <class L> struct StridedSource : CodeSource<L> {
	u32 step;

	DEVICE u32 ahead(u32 i) const { return (i - threadIdx.x) / SPLIT_THREADS * step; }
	DEVICE typename L::Raw load(u32, int i) const { return load_once(this->codes + i / SPLIT_THREADS * step); }
	DEVICE typename L::Element element(typename L::Raw code, u32 i, u32 &misplaced, u32 bit) const { return CodeSource<L>::element(code, ahead(i), misplaced, bit); }
	DEVICE void report(u32 i) const { CodeSource<L>::report(ahead(i)); }
};

template <int BITS, class L>
DEVICE void split_strided(const typename L::Raw *codes, u64 n, const L &layout, u32 scale, const PartitionSink<typename L::Element, EqualPartitions> &sink, const Outside<typename L::Listed> &away) {
	typedef TileShared<typename L::Element, BITS> Shared;
	SORTER_SHARED(Shared, shared);
	const Stride at = stride_in<typename L::Raw, Shared::TILE>(blockIdx.x, n);
	StridedSource<L> source = {{{codes + at.first, at.first, layout, scale}, away}, at.step};
	split_tile(shared, source, sink, (u32)min((u64)Shared::TILE, n - blockIdx.x * (u64)Shared::TILE));
}

#define ENTRY(threads, blocks) extern "C" __global__ void __launch_bounds__(threads, blocks)

#define SPLIT_STRIDED(bits, Code) \
	ENTRY(SPLIT_THREADS, 2) \
	split_strided_##bits##_##Code(const Code *codes, u64 n, u64 low, u64 span, u64 up, u64 at, u64 keep, u64 scale, u64 *elements, u64 capacity, u32 *cursors, u64 *spill, u32 *below, u32 *above, u32 *status) { \
		split_strided<bits, Layout<Code>>(codes, n, {(Code)low, (Code)span, (u32)up, (u32)at, keep}, (u32)scale, {elements, {(u32)capacity}, cursors, {spill, status}}, {below, above, status}); \
	} \
	ENTRY(SPLIT_THREADS, 2) \
	split_strided_##bits##_keys_##Code(const Code *codes, u64 n, u64 low, u64 span, u64 up, u64 scale, Code *elements, u64 capacity, u32 *cursors, Code *spill, Code *below, Code *above, u32 *status) { \
		split_strided<bits, KeyLayout<Code>>(codes, n, {(Code)low, (Code)span, (u32)up}, (u32)scale, {elements, {(u32)capacity}, cursors, {spill, status}}, {below, above, status}); \
	}

#define FOR_BITS(bits) \
	SPLIT_STRIDED(bits, u32) \
	SPLIT_STRIDED(bits, u64)
FOR_BITS(8)
FOR_BITS(9)
FOR_BITS(10)
#undef FOR_BITS
#undef SPLIT_STRIDED
