// strided.cu: the first partition of nearly sorted lists into equal rooms. A tile is not
// adjacent codes but pieces of PIECE_BYTES, at equal distances all over the list: the
// strategy of Chen et al. (section III.5), who have each thread read single codes. All
// other phases are those of bucket.cuh.
//
// Adjacent codes of such a list have the same digit, and a warp's additions to one
// counter come one after the other. Here the lanes of a load are at 4 places, or at 8 for
// codes of 64 bits, as far apart as a tile's pieces let them be. A room gets, of each
// tile, pieces of several places, so that lanes of the second partition meet less often,
// too. Lanes of a warp at the fullest bank of counters, in the mean, of 2^26 codes of
// which 1 % are swapped (3.5 if they are in no order); counted by a simulation in which
// 264 tiles are under way at a time:
//
//                                        first partition   second
//   adjacent codes                                  31.7     31.4
//   pieces of 8 codes                                8.0      8.9
//   the same, a load's four next to each other      22.9      8.9
//   pieces of 32 codes, one a load                  31.7     24.6
//   pieces of 4, as codes of 64 bits have            4.1      5.7
//   single codes                                     2.1      2.7
//
// Single codes would have every sector read eight times, from the second level of cache
// at best.
#include "bucket.cuh"

constexpr u32 PIECE_BYTES = 32; // a sector: what memory is read by

// Stride is where a thread has its codes of a tile: each step from the one before.
struct Stride {
	u32 first, step;
};

// stride_in returns the stride of this thread in one of the tiles of n codes. Whole
// tiles take turns with the pieces of the list; what is left behind them is one more
// tile, of adjacent codes.
template <class Code, u32 TILE> DEVICE Stride stride_in(u32 tile, u64 n) {
	constexpr u32 PIECE = PIECE_BYTES / sizeof(Code), LOADS = TILE / 32; // codes of a piece; loads of all warps for a tile
	const u32 whole = (u32)(n / TILE), row = whole * PIECE;              // tiles; codes from one piece of a tile to its next
	if (tile == whole) return {whole * TILE + threadIdx.x, SPLIT_THREADS};
	return {(lane_id() / PIECE * LOADS + warp_id()) * row + tile * PIECE + lane_id() % PIECE, SPLIT_THREADS / 32 * row};
}

// StridedSource is a source of codes that begins at a thread's first one.
template <class L> struct StridedSource : CodeSource<L> {
	u32 step;

	DEVICE u32 ahead(u32 i) const { return (i - threadIdx.x) / SPLIT_THREADS * step; }
	DEVICE typename L::Raw load(u32, int i) const { return load_once(this->codes + i / SPLIT_THREADS * step); }
	DEVICE typename L::Element element(typename L::Raw code, u32 i, u32 &misplaced, u32 bit) const { return CodeSource<L>::element(code, ahead(i), misplaced, bit); }
	DEVICE void report(u32 i) const { CodeSource<L>::report(ahead(i)); }
};

template <int BITS, class L>
DEVICE void split_strided(const typename L::Raw *codes, u64 n, const L &layout, u32 scale, const RoomSink<typename L::Element, EqualRooms> &sink, const Outside<typename L::Listed> &away) {
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
