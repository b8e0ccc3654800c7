// split.cuh: one level of the bucket partition: the elements of a tile go to the
// buckets that their slices belong to.
//
// An element is one 64-bit word: the normalised code above the input position.
// Elements are all different, and their order is the stable order of the codes,
// so no step has to keep the order of its input. Nor has one where only keys are
// sorted and an element is its code alone. That makes a level cheap: a
// shared atomic ranks an element inside its tile, one atomic a tile and digit
// claims the room in the output, and nobody waits for an earlier tile.
//
// What lost on an H200 at 2^28 elements and digits of 9 bits, where this takes
// 1.3 ms: a stable split with ballots and decoupled look-back, 2.2 ms (124
// instructions an element, 80 of them ballots); shared atomics with look-back,
// 1.6 ms; shared atomics with blocks of their own that scan the published counts
// of all tiles, 5.3 ms (a round trip to memory per few tiles).
#pragma once
#include "platform.cuh"

constexpr int SPLIT_THREADS = 512;

// SplitTile is what a block moves: what registers hold of which an SM has for two blocks.
// With 24 elements of 32 bits a thread in place of 16, a sort of 2^26 such keys takes
// 3 to 7 % less time, of 2^28 7 to 10 % (H200, 2026-11-21).
template <class Element> struct SplitTile {
	static constexpr int ITEMS = sizeof(Element) < 8 ? 24 : 16, SIZE = SPLIT_THREADS * ITEMS;
};

template <class Element, int BITS, int THREADS, int ITEMS> struct SplitShared {
	static constexpr int BINS = 1 << BITS, TILE = THREADS * ITEMS;
	Element staged[TILE]; // the tile in order of digit
	// Elements by digit, and those without one behind; then the first rank of each
	// digit; then what to add to a rank for its place.
	u32 count[BINS + 1];
	u32 sums[32];
};

// split_tile moves the valid elements of one tile: source.load fetches what
// source.element makes one of, or sets bit in misplaced and has it reported
// instead. All loads come before their first use. source.digit(element) < 1 <<
// BITS; sink.claim(digit, count) returns the place in sink.elements of the first
// of count elements; those whose place does not fit, below sink.limit(digit), go to sink.spill. A block may
// go on with another tile at once.
template <class Element, int BITS, int THREADS, int ITEMS, class Source, class Sink>
DEVICE void split_tile(SplitShared<Element, BITS, THREADS, ITEMS> &shared, const Source &source, const Sink &sink, u32 valid) {
	typedef SplitShared<Element, BITS, THREADS, ITEMS> Shared;
	constexpr int BINS = Shared::BINS, TILE = Shared::TILE;
	constexpr int PER = BINS <= THREADS ? 1 : BINS <= 2 * THREADS ? 2 : 4; // bins a thread adds up
	static_assert(BINS <= 4 * THREADS, "every bin has its thread");
	__syncthreads(); // the tile before is done
	for (int b = threadIdx.x; b <= BINS; b += THREADS) shared.count[b] = 0;
	__syncthreads(); // counts are zero

	Element element[ITEMS];
	u32 rank[ITEMS];   // digit and rank among the tile's elements of this digit
	u32 misplaced = 0; // a bit for each item that has none
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
#pragma unroll
	for (int i = 0; i < ITEMS; i++) {
		element[i] = source.element(raw[i], threadIdx.x + i * THREADS, misplaced, 1u << i);
		if (i % 4 == 3) keep_order(); // else table lookups of all items take registers at once
	}
	if (misplaced == 0) {
#pragma unroll
		for (int i = 0; i < ITEMS; i++) { // without branches, so that the atomics are under way together
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
			if (count[j]) { // nobody looks at these until they have long arrived
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
	overfull = __syncthreads_or(overfull); // what to add to ranks is written
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
