// split.cuh: one level of the bucket sort. A split moves the elements of a tile by their
// digit: to the partition or bucket of their slice.
//
// An element is one 64-bit word: the normalised code, then the input position.
// Elements are all different, and their order is the stable order of the codes, so a split
// need not be stable. Where only keys are sorted, an element is its code alone, and equal
// elements are interchangeable. So a level is cheap: a shared atomic ranks an element in its
// tile, one global atomic per tile and digit claims the places in the output, and no block
// waits for an earlier tile.
//
// A split of 2^28 elements by 9-bit digits takes 1.3 ms (H200). Alternatives that lost:
//   - a stable split with ballots and decoupled look-back: 2.2 ms, 124 instructions per
//     element, 80 of them for ballots
//   - shared atomics with look-back: 1.6 ms
//   - shared atomics, and other blocks that scan the published counts of all tiles: 5.3 ms,
//     a round trip to memory per few tiles
#pragma once
#include "platform.cuh"

constexpr int SPLIT_THREADS = 512;

// SplitTile is the tile of a block, limited by registers for two blocks per SM. With 24 32-bit
// elements per thread instead of 16, a sort of 2^26 such keys takes 3 to 7 % less time, of
// 2^28 7 to 10 % (H200, 2026-11-21).
template <class Element> struct SplitTile {
	static constexpr int ITEMS = sizeof(Element) < 8 ? 24 : 16, SIZE = SPLIT_THREADS * ITEMS;
};

template <class Element, int BITS, int THREADS, int ITEMS> struct SplitShared {
	static constexpr int BINS = 1 << BITS, TILE = THREADS * ITEMS;
	Element staged[TILE]; // the tile in order of digit
	// First: elements of each digit, and last those without a digit. Then: the first rank of
	// each digit. Then: place - rank of each digit.
	u32 count[BINS + 1];
	u32 sums[32];
};

// split_tile moves the valid elements of one tile.
//   source.load      returns a raw item; all loads precede their first use
//   source.element   makes an element of it, or sets bit in misplaced
//   source.report    is called for misplaced items instead
//   source.digit     < 1 << BITS
//   sink.claim       returns the place in sink.elements of the first of count elements
//   sink.limit, fits whether a place is within the digit's capacity; others go to sink.spill
//   sink.lost        whether elements were lost already, at different times for different threads;
//                    the tile is left out then
// A block may call it again at once.
template <class Element, int BITS, int THREADS, int ITEMS, class Source, class Sink>
DEVICE void split_tile(SplitShared<Element, BITS, THREADS, ITEMS> &shared, const Source &source, const Sink &sink, u32 valid) {
	typedef SplitShared<Element, BITS, THREADS, ITEMS> Shared;
	constexpr int BINS = Shared::BINS, TILE = Shared::TILE;
	constexpr int PER = BINS <= THREADS ? 1 : BINS <= 2 * THREADS ? 2 : 4; // bins per thread
	static_assert(BINS <= 4 * THREADS, "every bin has a thread");
	const bool lost = sink.lost();
	__syncthreads(); // the previous tile is done
	for (int b = threadIdx.x; b <= BINS; b += THREADS) shared.count[b] = 0;

	Element element[ITEMS];
	u32 rank[ITEMS];   // digit and rank among the tile's elements of this digit
	u32 misplaced = 0; // a bit for each item without an element
	typename Source::Raw raw[ITEMS];
	if (valid == TILE) {
#pragma unroll
		for (int i = 0; i < ITEMS; i++) raw[i] = source.load(threadIdx.x, i * THREADS);
	} else {
#pragma unroll
		for (int i = 0; i < ITEMS; i++)
			if (threadIdx.x + i * THREADS < valid) raw[i] = source.load(threadIdx.x, i * THREADS);
			else raw[i] = 0, misplaced |= 1u << i;
	}
	const u32 missing = misplaced;
	if (__syncthreads_or(lost)) return; // counts are zero
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		element[i] = source.element(raw[i], threadIdx.x + i * THREADS, misplaced, 1u << i);
		if (i % 4 == 3) keep_order(); // or the table lookups of all items hold registers at once
	}
	if (misplaced == 0) {
#pragma unroll
		for (int i = 0; i < ITEMS; i++) { // without branches, so that the atomics overlap
			u32 digit = source.digit(element[i]);
			rank[i] = digit << 16 | atomicAdd(&shared.count[digit], 1u);
		}
	} else {
#pragma unroll
		for (int i = 0; i < ITEMS; i++) {
			u32 digit = misplaced >> i & 1 ? (u32)BINS : source.digit(element[i]);
			rank[i] = digit << 16 | atomicAdd(&shared.count[digit], 1u);
		}
	}
	for (u32 rest = misplaced & ~missing; rest; rest &= rest - 1) source.report(threadIdx.x + (__ffs(rest) - 1) * THREADS);
	__syncthreads(); // counts are complete

	const u32 bin = threadIdx.x * PER;
	u32 count[PER], place[PER], total = 0;
	typename Sink::Limit limit[PER] = {};
	if (bin < (u32)BINS) {
#pragma unroll
		for (int j = 0; j < PER; j++) {
			count[j] = shared.count[bin + j];
			place[j] = 0;
			if (count[j]) { // these are used late, so their latency is hidden
				place[j] = sink.claim(bin + j, count[j]);
				limit[j] = sink.limit(bin + j);
			}
			total += count[j];
		}
	}
	const u32 start = exclusive_scan_block<THREADS>(total, shared.sums);
	if (bin < (u32)BINS) {
		u32 next = start;
#pragma unroll
		for (int j = 0; j < PER; j++) {
			shared.count[bin + j] = next;
			next += count[j];
		}
		if (bin + PER == (u32)BINS) shared.count[BINS] = next;
	}
	__syncthreads(); // first ranks are written
#pragma unroll
	for (int i = 0; i < ITEMS; i++) shared.staged[(rank[i] & 0xffff) + shared.count[rank[i] >> 16]] = element[i];
	__syncthreads(); // staged is complete, first ranks are read
	bool overfull = false;
	if (bin < (u32)BINS) {
		u32 next = start;
#pragma unroll
		for (int j = 0; j < PER; j++) {
			overfull |= count[j] && !sink.fits(place[j] + count[j] - 1, bin + j, limit[j]);
			shared.count[bin + j] = place[j] - next;
			next += count[j];
		}
	}
	overfull = __syncthreads_or(overfull); // place - rank of each digit is written
	const u32 placed = shared.count[BINS];
	if (overfull) {
		for (u32 r = threadIdx.x; r < placed; r += THREADS) {
			const Element e = shared.staged[r];
			const u32 digit = source.digit(e), place = shared.count[digit] + r;
			if (sink.fits(place, digit, sink.limit(digit))) sink.elements[place] = e;
			else sink.spill.add(e);
		}
		return;
	}
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		u32 r = threadIdx.x + i * THREADS;
		if (placed == TILE || r < placed) {
			const Element e = shared.staged[r];
			sink.elements[shared.count[source.digit(e)] + r] = e;
		}
	}
}
