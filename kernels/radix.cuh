// radix.cuh: a stable radix sort of codes to positions, lowest digit first, in
// the manner of Onesweep (Adinets and Merrill, "Onesweep: A Faster Least
// Significant Digit Radix Sort for GPUs", 2022; chapter 13 of Hwu, Kirk and El
// Hajj, "Programming Massively Parallel Processors", for its parts).
//
//   radix_histogram   counts the digits of all places in one read of the codes
//   radix_starts      where each digit begins, and which places need a pass
//   radix_pass        a stable partition by one digit, each element moved once
//
// An element is one 64-bit word: 32 bits of the code above the input position.
// The first pass makes elements of codes, the last writes positions only, and
// a place where all codes agree has no pass. Wide codes are sorted by their low
// word and then by their high word, which the first pass over it fetches by
// position: one read at random instead of 4 bytes more in every pass.
//
// Where only keys are sorted (radix_pass_keys) an element is the code itself.
//
// A block claims its tile by a ticket, counts its digits, publishes the counts,
// ranks the elements by ballots of a warp, and looks back over the counts of the
// tiles before (Merrill and Garland, "Single-pass Parallel Prefix Scan with
// Decoupled Look-back", 2016). It waits for tiles of smaller tickets only, whose
// blocks run: so the first unfinished tile always goes on.
#pragma once
#include "platform.cuh"

// Other shapes of a tile on an H200, time of 2^28 codes of 32 bits: 512 threads
// of 16 elements 6.8 ms, 384 of 16 6.7 ms, 384 of 23 6.5 ms. With
// __match_any_sync in place of ballots 11.3 ms.
constexpr int RADIX_BITS = 8, RADIX = 1 << RADIX_BITS; // a digit is a byte
constexpr int RADIX_THREADS = 384, RADIX_ITEMS = 23, RADIX_BLOCKS = 2; // of radix_pass; blocks that an SM holds
constexpr int RADIX_TILE = RADIX_THREADS * RADIX_ITEMS, RADIX_WARPS = RADIX_THREADS / 32;
constexpr int RADIX_WORD = 32 / RADIX_BITS; // places in 32 bits
constexpr int RADIX_COUNT_THREADS = 512, RADIX_COUNT_ITEMS = 8, RADIX_COUNT_BLOCKS = 4; // of radix_histogram
constexpr int RADIX_COUNT_TILE = RADIX_COUNT_THREADS * RADIX_COUNT_ITEMS;
constexpr int LOOK_BACK = 4; // tiles whose counts are on their way at a time

// RadixState is what the kernels of one sort share. The host clears it, and the
// words of all tiles behind it.
struct RadixState {
	u32 count[2 * RADIX_WORD][RADIX]; // elements of each digit, then those of smaller ones
	u32 ticket[2 * RADIX_WORD];       // tiles claimed
	u32 active;                       // a bit for each place that has a pass
	u32 shape;                        // of codes that need none
	u32 descents;                     // neighbours in the wrong order
};

enum RadixShape { SHUFFLED, ASCENDING, DESCENDING };

template <class Code> struct RadixCountShared {
	static constexpr int PLACES = sizeof(Code) * 8 / RADIX_BITS;
	u32 count[PLACES][RADIX];
	u32 descents;

	DEVICE void add(Code code) {
#pragma unroll
		for (int p = 0; p < PLACES; p++) atomicAdd(&count[p][code >> p * RADIX_BITS & (RADIX - 1)], 1u);
	}
};

// count_digits counts the digits of all places, and neighbours in the wrong order
// if the codes may be in order.
template <class Code> DEVICE void count_digits(const Code *codes, u64 n, bool ordered, RadixState *state) {
	typedef RadixCountShared<Code> Shared;
	SORTER_SHARED(Shared, shared);
	u32 *const count = &shared.count[0][0];
	if (threadIdx.x == 0) shared.descents = 0;
	for (int i = threadIdx.x; i < Shared::PLACES * RADIX; i += RADIX_COUNT_THREADS) count[i] = 0;
	__syncthreads(); // counts are zero
	u32 descents = 0;
	for (u64 first = (u64)blockIdx.x * RADIX_COUNT_TILE; first < n; first += (u64)gridDim.x * RADIX_COUNT_TILE) {
		if (first + RADIX_COUNT_TILE > n) {
			for (u64 i = first + threadIdx.x; i < n; i += RADIX_COUNT_THREADS) {
				shared.add(codes[i]);
				descents += ordered && i + 1 < n && codes[i] > codes[i + 1];
			}
			break;
		}
		Code code[RADIX_COUNT_ITEMS];
#pragma unroll
		for (int i = 0; i < RADIX_COUNT_ITEMS; i++) code[i] = load_once(codes + first + i * RADIX_COUNT_THREADS + threadIdx.x);
#pragma unroll
		for (int i = 0; i < RADIX_COUNT_ITEMS; i++) {
			shared.add(code[i]);
			if (!ordered) continue;
			Code next = __shfl_down_sync(FULL_WARP, code[i], 1);
			const u64 behind = first + i * RADIX_COUNT_THREADS + threadIdx.x + 1;
			if (lane_id() == 31) next = behind < n ? codes[behind] : code[i];
			descents += code[i] > next;
		}
	}
	if (descents) atomicAdd(&shared.descents, descents);
	__syncthreads(); // counts are complete
	for (int i = threadIdx.x; i < Shared::PLACES * RADIX; i += RADIX_COUNT_THREADS)
		if (count[i]) atomicAdd(&state->count[0][0] + i, count[i]);
	if (threadIdx.x == 0 && shared.descents) atomicAdd(&state->descents, shared.descents);
}

struct RadixStartsShared {
	u32 sums[32];
};

// find_digit_starts has one block with a thread for each digit.
DEVICE void find_digit_starts(u64 n, u32 places, bool ordered, RadixState *state) {
	SORTER_SHARED(RadixStartsShared, shared);
	u32 active = 0;
	for (u32 p = 0; p < places; p++) {
		const u32 count = state->count[p][threadIdx.x];
		state->count[p][threadIdx.x] = exclusive_scan_block<RADIX>(count, shared.sums);
		const bool constant = __syncthreads_or(count == n); // sums are read
		if (!constant) active |= 1u << p;
	}
	if (threadIdx.x > 0) return;
	state->active = active;
	if (ordered) state->shape = state->descents == 0 ? ASCENDING : state->descents == n - 1 ? DESCENDING : SHUFFLED;
}

// TileCounts are the words by which tiles tell each other how many elements they
// have of each digit: a flag of two bits above a count below 1 << 30. A pass
// leaves final words only, whose flag alternates: to the next pass they are empty.
struct TileCounts {
	u32 *words;
	u32 final; // flag of counts that include all tiles before: 2 or 3

	static constexpr u32 FLAG = 30, OWN = 1, VALUE = (1u << FLAG) - 1;
	DEVICE u32 *word(u32 tile, u32 digit) const { return words + (u64)tile * RADIX + digit; }
	DEVICE void publish(u32 tile, u32 digit, u32 count) const { store_word(word(tile, digit), OWN << FLAG | count); }
	DEVICE void publish_final(u32 tile, u32 digit, u32 count) const { store_word(word(tile, digit), final << FLAG | count); }
	DEVICE bool is_final(u32 w) const { return w >> FLAG == final; }
	DEVICE bool is_empty(u32 w) const { return w >> FLAG != OWN && !is_final(w); }

	// before adds up the tiles before one that is not the first.
	DEVICE u32 before(u32 tile, u32 digit) const {
		for (u32 sum = 0;; tile -= LOOK_BACK) {
			u32 w[LOOK_BACK];
#pragma unroll
			for (u32 i = 0; i < LOOK_BACK; i++) w[i] = load_word(word(tile > i ? tile - 1 - i : 0, digit)); // behind the first tile's, nothing is read
#pragma unroll
			for (u32 i = 0; i < LOOK_BACK; i++) {
				while (is_empty(w[i])) {
					SPIN();
					w[i] = load_word(word(tile - 1 - i, digit));
				}
				sum += w[i] & VALUE;
				if (is_final(w[i])) return sum;
			}
		}
	}
};

template <class Element> struct RadixShared {
	Element staged[RADIX_TILE];    // the tile in order of digit
	u32 count[RADIX_WARPS][RADIX]; // of a warp's elements, then the rank of the next of them
	u32 offset[RADIX];             // what to add to a rank for its place
	u32 sums[32];
	u32 tile;
};

// Digit is where the digit of a pass is in a 32-bit word.
struct Digit {
	u32 shift;
	DEVICE u32 of(u32 word) const { return word >> shift & (RADIX - 1); }
	// byte is of by another instruction. Where both are needed the compiler would keep
	// the digits of all items in registers in between, and spill.
	DEVICE u32 byte(u32 word) const { return __byte_perm(word, 0, 0x4440 | shift / 8); }
};

// load_each makes element i of a thread by f(place, i), RADIX_ITEMS times 32 places in a
// row for a warp.
template <class Element, class F> DEVICE void load_each(Element (&element)[RADIX_ITEMS], u64 first, u32 valid, Element padding, const F &f) {
	const u32 rank = warp_id() * (32 * RADIX_ITEMS) + lane_id();
	const u64 at = first + rank;
	if (valid == RADIX_TILE) {
#pragma unroll
		for (int i = 0; i < RADIX_ITEMS; i++) element[i] = f(at + 32 * i, i);
	} else {
#pragma unroll
		for (int i = 0; i < RADIX_ITEMS; i++) element[i] = rank + 32 * i < valid ? f(at + 32 * i, i) : padding;
	}
}

// store_each calls f(place, element) for the first valid of the staged elements, digit by
// digit.
template <class Pass, class F> DEVICE void store_each(const Pass &pass, const RadixShared<typename Pass::Element> &shared, u32 valid, const F &f) {
	const auto write_one = [&](u32 rank) {
		const typename Pass::Element element = shared.staged[rank];
		f(shared.offset[pass.digit(element)] + rank, element);
	};
	if (valid == RADIX_TILE) {
#pragma unroll
		for (int i = 0; i < RADIX_ITEMS; i++) write_one(threadIdx.x + i * RADIX_THREADS);
	} else {
		for (u32 rank = threadIdx.x; rank < valid; rank += RADIX_THREADS) write_one(rank);
	}
}

// Pass is where the elements of one pass come from and go to.
template <class Code> struct Pass {
	typedef u64 Element;
	const Code *codes;
	u32 word; // of the code that has the digit
	Digit place;
	const u64 *from; // elements; null: they are made of codes
	const u32 *from_positions; // of those codes; null: in input order
	u64 *to;
	u32 *to_positions; // null: elements are needed again

	// Behind the last element: it comes last of its digit, which is the last one,
	// and counts in the last tile, which nobody looks back at.
	static constexpr u64 PADDING = ~0ull;
	static constexpr int WORDS = sizeof(Code) / 4; // of a code

	DEVICE u32 digit(u64 element) const { return place.of((u32)(element >> 32)); }
	DEVICE u32 digit_byte(u64 element) const { return place.byte((u32)(element >> 32)); }

	// load fetches the elements of a tile.
	DEVICE void load(u64 (&element)[RADIX_ITEMS], u64 first, u32 valid) const {
		const u32 *const words = (const u32 *)codes + word;
		if (from) {
			load_each(element, first, valid, PADDING, [&](u64 at, int) { return load_once(from + at); });
		} else if (WORDS > 1 && from_positions) {
			load_each(element, first, valid, PADDING, [&](u64 at, int) { return (u64)load_once(from_positions + at); });
			load_each(element, first, valid, PADDING, [&](u64, int i) { return (u64)words[element[i] * WORDS] << 32 | element[i]; });
		} else {
			load_each(element, first, valid, PADDING, [&](u64 at, int) { return (u64)load_once(words + at * WORDS) << 32 | (u32)at; });
		}
	}
	DEVICE void store(const RadixShared<u64> &shared, u32 valid) const {
		if (to_positions) store_each(*this, shared, valid, [&](u32 place, u64 element) { to_positions[place] = (u32)element; });
		else store_each(*this, shared, valid, [&](u32 place, u64 element) { to[place] = element; });
	}
};

// KeyPass is the same where only keys are sorted.
template <class Code> struct KeyPass {
	typedef Code Element;
	bool high; // the digit is in the high word of a code of two
	Digit place;
	const Code *from;
	Code *to;

	static constexpr Code PADDING = (Code)~(Code)0; // as of Pass

	DEVICE u32 word(u64 code) const { return high ? (u32)(code >> 32) : (u32)code; }
	DEVICE static u32 word(u32 code) { return code; }
	DEVICE u32 digit(Code code) const { return place.of(word(code)); }
	DEVICE u32 digit_byte(Code code) const { return place.byte(word(code)); }
	DEVICE void load(Code (&element)[RADIX_ITEMS], u64 first, u32 valid) const {
		load_each(element, first, valid, PADDING, [&](u64 at, int) { return load_once(from + at); });
	}
	DEVICE void store(const RadixShared<Code> &shared, u32 valid) const {
		store_each(*this, shared, valid, [&](u32 place, Code code) { to[place] = code; });
	}
};

// Places are the passes that come before and behind the one over a place.
struct Places {
	u32 earlier, later; // a bit each
	DEVICE Places(u32 place, u32 active) : earlier(active & ((1u << place) - 1)), later(active >> place >> 1 << place << 1) {}
};

// pass_over is the pass over the digits of a place, of those that are active:
// each takes from the buffer that the one before wrote to.
template <class Code> DEVICE Pass<Code> pass_over(u32 place, u32 active, const Code *codes, u64 *even, u64 *odd, u32 *order) {
	const u32 word = place / RADIX_WORD, of_word = ((1u << RADIX_WORD) - 1) << word * RADIX_WORD;
	const Places others(place, active);
	const bool swap = __popc(others.earlier) & 1;
	u64 *const from = swap ? even : odd, *const to = swap ? odd : even;
	Pass<Code> pass = {codes, word, {place % RADIX_WORD * RADIX_BITS}, nullptr, nullptr, to, nullptr};
	if (others.earlier & of_word) pass.from = from;
	else if (others.earlier) pass.from_positions = (const u32 *)from;
	if (!others.later) pass.to_positions = order;
	else if (!(others.later & of_word)) pass.to_positions = (u32 *)to;
	return pass;
}

// key_pass_over is the same for keys, of which the last pass writes to sorted.
template <class Code> DEVICE KeyPass<Code> key_pass_over(u32 place, u32 active, const Code *codes, Code *spare, Code *sorted) {
	const Places others(place, active);
	const bool swap = __popc(others.later) & 1;
	return {place >= RADIX_WORD, {place % RADIX_WORD * RADIX_BITS}, others.earlier ? (swap ? sorted : spare) : codes, swap ? spare : sorted};
}

// same_digit returns the lanes of the warp that have the same digit.
DEVICE u32 same_digit(u32 digit) {
	u32 same = FULL_WARP;
#pragma unroll
	for (int b = 0; b < RADIX_BITS; b++) same &= lanes_like(digit, 1u << b);
	return same;
}

// stage_warp puts the elements of a warp where next, the ranks of its next
// elements by digit, says.
template <class Pass> DEVICE void stage_warp(const Pass &pass, const typename Pass::Element (&element)[RADIX_ITEMS], u32 *next, typename Pass::Element *staged) {
	const u32 lower = (1u << lane_id()) - 1;
#pragma unroll
	for (int i = 0; i < RADIX_ITEMS; i++) {
		const u32 digit = pass.digit(element[i]), same = same_digit(digit), before = __popc(same & lower);
		const u32 rank = next[digit];
		__syncwarp(); // next is read
		if (before == 0) next[digit] = rank + __popc(same);
		__syncwarp(); // next is written
		staged[rank + before] = element[i];
	}
}

// sort_tile moves the elements of the tile that the next ticket stands for.
template <class Pass> DEVICE void sort_tile(const Pass &pass, u64 n, const u32 *starts, u32 *ticket, const TileCounts &counts) {
	typedef typename Pass::Element Element;
	SORTER_SHARED(RadixShared<Element>, shared);
	if (threadIdx.x == 0) shared.tile = atomicAdd(ticket, 1u);
	for (int i = threadIdx.x; i < RADIX_WARPS * RADIX; i += RADIX_THREADS) (&shared.count[0][0])[i] = 0;
	__syncthreads(); // the tile is known, counts are zero
	const u32 tile = shared.tile, valid = (u32)min((u64)RADIX_TILE, n - (u64)tile * RADIX_TILE);

	Element element[RADIX_ITEMS];
	pass.load(element, (u64)tile * RADIX_TILE, valid);
#pragma unroll
	for (int i = 0; i < RADIX_ITEMS; i++) atomicAdd(&shared.count[warp_id()][pass.digit_byte(element[i])], 1u);
	__syncthreads(); // counts are complete

	const u32 digit = threadIdx.x;
	const bool has_digit = digit < RADIX;
	u32 count = 0;
	if (has_digit) {
#pragma unroll
		for (int w = 0; w < RADIX_WARPS; w++) count += shared.count[w][digit];
		if (tile > 0) counts.publish(tile, digit, count);
	}
	const u32 start = exclusive_scan_block<RADIX_THREADS>(count, shared.sums);
	if (has_digit) {
		u32 rank = start;
#pragma unroll
		for (int w = 0; w < RADIX_WARPS; w++) {
			const u32 c = shared.count[w][digit];
			shared.count[w][digit] = rank;
			rank += c;
		}
	}
	__syncthreads(); // first ranks are written
	stage_warp(pass, element, shared.count[warp_id()], shared.staged);
	if (has_digit) {
		const u32 before = tile > 0 ? counts.before(tile, digit) : starts[digit];
		counts.publish_final(tile, digit, before + count);
		shared.offset[digit] = before - start;
	}
	__syncthreads(); // staged and offset are complete
	pass.store(shared, valid);
}

// counts_for are the counts of the pass over a place.
DEVICE TileCounts counts_for(u32 place, u32 active, u32 *words) { return {words, 2 + (u32)(__popc(Places(place, active).earlier) & 1)}; }

// radix_pass does the pass over a place if it is active. Codes in order need
// none: then the first one writes the order.
template <class Code> DEVICE void radix_pass(const Code *codes, u64 n, u32 place, RadixState *state, u32 *words, u64 *even, u64 *odd, u32 *order) {
	if (const u32 shape = state->shape) {
		const u64 first = (u64)blockIdx.x * RADIX_TILE, end = min(n, first + RADIX_TILE);
		if (place == 0)
			for (u64 i = first + threadIdx.x; i < end; i += RADIX_THREADS) order[i] = (u32)(shape == ASCENDING ? i : n - 1 - i);
		return;
	}
	const u32 active = state->active;
	if (!(active >> place & 1)) return;
	sort_tile(pass_over(place, active, codes, even, odd, order), n, state->count[place], &state->ticket[place], counts_for(place, active, words));
}

// radix_pass_keys is the same where only keys are sorted.
template <class Code> DEVICE void radix_pass_keys(const Code *codes, u64 n, u32 place, RadixState *state, u32 *words, Code *spare, Code *sorted) {
	if (const u32 shape = state->shape) {
		const u64 first = (u64)blockIdx.x * RADIX_TILE, end = min(n, first + RADIX_TILE);
		if (place == 0)
			for (u64 i = first + threadIdx.x; i < end; i += RADIX_THREADS) sorted[i] = codes[shape == ASCENDING ? i : n - 1 - i];
		return;
	}
	const u32 active = state->active;
	if (!(active >> place & 1)) return;
	sort_tile(key_pass_over(place, active, codes, spare, sorted), n, state->count[place], &state->ticket[place], counts_for(place, active, words));
}
