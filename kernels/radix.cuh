// radix.cuh: a stable radix sort of codes to positions, lowest digit first, in
// the manner of Onesweep (Adinets and Merrill, "Onesweep: A Faster Least
// Significant Digit Radix Sort for GPUs", 2022; chapter 13 of Hwu, Kirk and El
// Hajj, "Programming Massively Parallel Processors", for its parts).
//
//   radix_histogram   counts the digits of all places in one read of the codes,
//                     and says where each digit begins and which places need a pass
//   radix_pass        a stable partition by one digit, each element moved once
//
// Few codes take no longer than the launches and copies of their sort. So there
// are no others: the histogram clears what later kernels find clear, its last
// block does what needs all counts, rows of codes that are in order have their
// places written at once, and the host reads in its own memory, while the device
// goes on, how many passes are worth a launch.
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

constexpr int RADIX_BITS = 8, RADIX = 1 << RADIX_BITS; // a digit is a byte
constexpr int RADIX_WORD = 32 / RADIX_BITS; // places in 32 bits
constexpr int RADIX_COUNT_THREADS = 512, RADIX_COUNT_ITEMS = 8; // of radix_histogram
constexpr int RADIX_COUNT_TILE = RADIX_COUNT_THREADS * RADIX_COUNT_ITEMS;
constexpr int LOOK_BACK = 4; // tiles whose counts are on their way at a time

// RadixTile is what a block of radix_pass moves.
template <int threads, int items> struct RadixTile {
	static constexpr int THREADS = threads, ITEMS = items, SIZE = THREADS * ITEMS, WARPS = THREADS / 32;
	static_assert(THREADS >= RADIX, "a thread for each digit");
};

// LargeTile takes 82 KiB of shared memory. Other shapes on an H200, time of 2^28 codes
// of 32 bits: 512 threads of 16 elements 6.8 ms, 384 of 16 6.7 ms, 384 of 23 6.5 ms.
// With __match_any_sync in place of ballots 11.3 ms.
//
// Blocks that an SM holds: of radix_histogram four have too few registers; with three
// of radix_pass_keys for 32 bits 2^28 keys take 4.9 ms, with two 5.5 (H200,
// 2026-11-21); of 64 bits a third finds no room.
struct LargeTile : RadixTile<384, 23> {
	static constexpr int BLOCKS = 2, KEYS_U32_BLOCKS = 3, COUNT_BLOCKS = 3;
};

// SmallTile is for compute capability 7.5, where an SM has 64 KiB of shared memory and
// 1024 threads in all. Two blocks fit, of which one moves elements while the other
// ranks its own. It is chosen by these numbers: nobody has measured it there.
struct SmallTile : RadixTile<256, 11> {
	static constexpr int BLOCKS = 2, KEYS_U32_BLOCKS = 3, COUNT_BLOCKS = 2;
};

// RadixState is what the kernels of one sort share. It is clear before.
struct alignas(8) RadixState {
	u32 count[2 * RADIX_WORD][RADIX]; // elements of each digit, then those of smaller ones
	u32 ticket[2 * RADIX_WORD];       // tiles claimed
	u32 counted;                      // blocks of radix_histogram that are done
	u32 descents;                     // codes that exceed the next one; of the last: that the one before exceeds
	u32 told;                         // 1: the host has been told that the codes are in no order
	u32 found;                        // as in RadixNote
};

// RadixNote is what the host reads in its own memory, each word as soon as it is
// not zero. It clears them before the sort.
struct RadixNote {
	u32 shuffled; // the codes are in no order
	u32 found;    // a bit for each place that has a pass, below the shape of codes that need none
};

enum RadixShape { SHUFFLED, ASCENDING, DESCENDING, FLAT };
constexpr int RADIX_SHAPE = 8; // bits of a RadixNote below the shape

template <class Code> struct RadixCountShared {
	static constexpr int PLACES = sizeof(Code) * 8 / RADIX_BITS;
	u32 count[PLACES][RADIX];
	u32 sums[32];
	u32 descents, told, last, active;

	DEVICE void add(Code code) {
#pragma unroll
		for (int p = 0; p < PLACES; p++) atomicAdd(&count[p][code >> p * RADIX_BITS & (RADIX - 1)], 1u);
	}
};

// RadixInput is codes that may be in order.
template <class C> struct RadixInput {
	typedef C Code;
	const Code *codes;
	u32 n; // 2 or more
	bool ordered; // or not known to be in none
};

// OrderInput is codes whose order is wanted.
template <class Code> struct OrderInput : RadixInput<Code> {
	u32 *order;

	// put writes what comes to a place if all codes go up, or all down. The one at this
	// place is code.
	DEVICE void put(u32 at, Code, bool down) const { order[at] = down ? this->n - 1 - at : at; }
};

// KeyInput is the same where only keys are sorted.
template <class Code> struct KeyInput : RadixInput<Code> {
	Code *sorted;
	DEVICE void put(u32 at, Code code, bool down) const { sorted[at] = down ? this->codes[this->n - 1 - at] : code; }
};

// Rows is what a warp knows of the order of its codes, which it reads in rows of 32.
struct Rows {
	u32 descents = 0;
	bool mixed = false; // some row goes both up and down

	// look compares the codes of a row with their neighbours. Lanes with in have the
	// code at a position. What sorted or reversed lists become is written here; what
	// others become is written again.
	template <class Input, class Code> DEVICE void look(const Input &input, Code code, u32 at, bool in) {
		const Code next = __shfl_down_sync(FULL_WARP, code, 1);
		bool down = code > next;
		if (in && at + 1 == input.n) down = input.codes[at - 1] > code;
		else if (in && lane_id() == 31) down = code > input.codes[at + 1];
		const u32 row = __ballot_sync(FULL_WARP, in), downs = __ballot_sync(FULL_WARP, in && down);
		descents += __popc(downs);
		if (downs != 0 && downs != row) mixed = true;
		else if (in) input.put(at, code, downs != 0);
	}
};

// count_tile counts the digits of a tile.
template <bool FULL, class Input, class Code> DEVICE void count_tile(RadixCountShared<Code> &shared, const Input &input, u32 first, Rows &rows) {
	const u32 at = first + threadIdx.x;
	Code code[RADIX_COUNT_ITEMS];
#pragma unroll
	for (int i = 0; i < RADIX_COUNT_ITEMS; i++) {
		const u32 here = at + i * RADIX_COUNT_THREADS;
		code[i] = FULL || here < input.n ? load_once(input.codes + here) : (Code)0;
	}
#pragma unroll
	for (int i = 0; i < RADIX_COUNT_ITEMS; i++) {
		const u32 here = at + i * RADIX_COUNT_THREADS;
		const bool in = FULL || here < input.n;
		if (in) shared.add(code[i]);
		if (input.ordered) rows.look(input, code[i], here, in);
	}
}

// clear_words clears count words, together with the other blocks of the grid.
DEVICE void clear_words(u64 *words, u64 count) {
	const u64 step = (u64)gridDim.x * RADIX_COUNT_THREADS;
	for (u64 i = (u64)blockIdx.x * RADIX_COUNT_THREADS + threadIdx.x; i < count; i += step) words[i] = 0;
}

// shape_of returns the shape of codes of which so many descend.
template <class Code> DEVICE RadixShape shape_of(const RadixInput<Code> &input, u32 descents) {
	if (!input.ordered || (descents != 0 && descents != input.n)) return SHUFFLED;
	if (descents == input.n) return DESCENDING;
	return input.codes[0] == input.codes[input.n - 1] ? FLAT : ASCENDING;
}

// find_digit_starts makes starts of all counts, a thread a digit of one place or
// the next, and says what the sort has to do.
template <class Code> DEVICE void find_digit_starts(RadixCountShared<Code> &shared, const RadixInput<Code> &input, RadixState *state, RadixNote *note) {
	constexpr u32 AT_A_TIME = RADIX_COUNT_THREADS / RADIX; // places
	static_assert(RADIX_COUNT_THREADS % RADIX == 0 && shared.PLACES % AT_A_TIME == 0, "a thread for each digit");
	const u32 shape = shape_of(input, state->descents);
	const u32 before = threadIdx.x / RADIX, digit = threadIdx.x % RADIX;
	for (u32 first = 0; shape == SHUFFLED && first < (u32)shared.PLACES; first += AT_A_TIME) {
		const u32 place = first + before, count = state->count[place][digit];
		const u32 start = exclusive_scan_block<RADIX_COUNT_THREADS>(count, shared.sums);
		state->count[place][digit] = start - before * input.n; // each place before has all elements
		const bool differ = __any_sync(FULL_WARP, count != 0 && count != input.n);
		if (differ && lane_id() == 0) atomicOr(&shared.active, 1u << place);
		__syncthreads(); // sums are read, active is complete for these places
	}
	if (threadIdx.x > 0) return;
	const u32 found = shape << RADIX_SHAPE | shared.active;
	state->found = found;
	tell_host(&note->found, found);
}

// count_digits counts the digits of all places. spent is the state of the sort
// before, which this one leaves clear for the next.
template <class Tile, class Input> DEVICE void count_digits(const Input &input, RadixState *state, RadixState *spent, u32 *tile_counts, RadixNote *note) {
	typedef RadixCountShared<typename Input::Code> Shared;
	SORTER_SHARED(Shared, shared);
	u32 *const count = &shared.count[0][0];
	for (int i = threadIdx.x; i < Shared::PLACES * RADIX; i += RADIX_COUNT_THREADS) count[i] = 0;
	if (threadIdx.x == 0) shared.descents = shared.told = shared.active = 0;
	__syncthreads(); // counts are zero
	Rows rows;
	for (u64 first = (u64)blockIdx.x * RADIX_COUNT_TILE; first < input.n; first += (u64)gridDim.x * RADIX_COUNT_TILE) {
		if (first + RADIX_COUNT_TILE <= input.n) count_tile<true>(shared, input, (u32)first, rows);
		else count_tile<false>(shared, input, (u32)first, rows);
		if (rows.mixed && lane_id() == 0 && atomicExch(&shared.told, 1u) == 0 && atomicExch(&state->told, 1u) == 0) tell_host(&note->shuffled, 1);
	}
	clear_words((u64 *)spent, sizeof(RadixState) / 8);
	clear_words((u64 *)tile_counts, (input.n + Tile::SIZE - 1) / Tile::SIZE * (RADIX / 2));
	if (lane_id() == 0 && rows.descents) atomicAdd(&shared.descents, rows.descents);
	__syncthreads(); // counts are complete
	for (int i = threadIdx.x; i < Shared::PLACES * RADIX; i += RADIX_COUNT_THREADS)
		if (count[i]) atomicAdd(&state->count[0][0] + i, count[i]);
	if (threadIdx.x == 0 && shared.descents) atomicAdd(&state->descents, shared.descents);
	if (is_last_block(&state->counted, shared.last)) find_digit_starts(shared, input, state, note);
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

template <class Tile, class Element> struct RadixShared {
	Element staged[Tile::SIZE];    // the tile in order of digit
	u32 count[Tile::WARPS][RADIX]; // of a warp's elements, then the rank of the next of them
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

// load_each makes element i of a thread by f(place, i), Tile::ITEMS times 32 places in a
// row for a warp.
template <class Tile, class Element, class F> DEVICE void load_each(Element (&element)[Tile::ITEMS], u64 first, u32 valid, Element padding, const F &f) {
	const u32 rank = warp_id() * (32 * Tile::ITEMS) + lane_id();
	const u64 at = first + rank;
	if (valid == Tile::SIZE) {
#pragma unroll
		for (int i = 0; i < Tile::ITEMS; i++) element[i] = f(at + 32 * i, i);
	} else {
#pragma unroll
		for (int i = 0; i < Tile::ITEMS; i++) element[i] = rank + 32 * i < valid ? f(at + 32 * i, i) : padding;
	}
}

// store_each calls f(place, element) for the first valid of the staged elements, digit by
// digit.
template <class Pass, class F> DEVICE void store_each(const Pass &pass, const typename Pass::Shared &shared, u32 valid, const F &f) {
	typedef typename Pass::Tile Tile;
	const auto write_one = [&](u32 rank) {
		const typename Pass::Element element = shared.staged[rank];
		f(shared.offset[pass.digit(element)] + rank, element);
	};
	if (valid == Tile::SIZE) {
#pragma unroll
		for (int i = 0; i < Tile::ITEMS; i++) write_one(threadIdx.x + i * Tile::THREADS);
	} else {
		for (u32 rank = threadIdx.x; rank < valid; rank += Tile::THREADS) write_one(rank);
	}
}

// Pass is where the elements of one pass come from and go to.
template <class T, class Code> struct Pass {
	typedef T Tile;
	typedef u64 Element;
	typedef RadixShared<Tile, Element> Shared;
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
	static constexpr int BITS = RADIX_BITS;        // of a digit

	DEVICE u32 digit(u64 element) const { return place.of((u32)(element >> 32)); }
	DEVICE u32 digit_byte(u64 element) const { return place.byte((u32)(element >> 32)); }

	// load fetches the elements of a tile.
	DEVICE void load(u64 (&element)[Tile::ITEMS], u64 first, u32 valid) const {
		const u32 *const words = (const u32 *)codes + word;
		if (from) {
			load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return load_once(from + at); });
		} else if (WORDS > 1 && from_positions) {
			load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return (u64)load_once(from_positions + at); });
			load_each<Tile>(element, first, valid, PADDING, [&](u64, int i) { return (u64)words[element[i] * WORDS] << 32 | element[i]; });
		} else {
			load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return (u64)load_once(words + at * WORDS) << 32 | (u32)at; });
		}
	}
	DEVICE void store(const Shared &shared, u32 valid) const {
		if (to_positions) store_each(*this, shared, valid, [&](u32 place, u64 element) { to_positions[place] = (u32)element; });
		else store_each(*this, shared, valid, [&](u32 place, u64 element) { to[place] = element; });
	}
};

// KeyPass is the same where only keys are sorted.
template <class T, class Code> struct KeyPass {
	typedef T Tile;
	typedef Code Element;
	typedef RadixShared<Tile, Element> Shared;
	bool high; // the digit is in the high word of a code of two
	Digit place;
	const Code *from;
	Code *to;

	static constexpr Code PADDING = (Code)~(Code)0; // as of Pass
	static constexpr int BITS = RADIX_BITS;

	DEVICE u32 word(u64 code) const { return high ? (u32)(code >> 32) : (u32)code; }
	DEVICE static u32 word(u32 code) { return code; }
	DEVICE u32 digit(Code code) const { return place.of(word(code)); }
	DEVICE u32 digit_byte(Code code) const { return place.byte(word(code)); }
	DEVICE void load(Code (&element)[Tile::ITEMS], u64 first, u32 valid) const {
		load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return load_once(from + at); });
	}
	DEVICE void store(const Shared &shared, u32 valid) const {
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
template <class Tile, class Code> DEVICE Pass<Tile, Code> pass_over(u32 place, u32 active, const Code *codes, u64 *even, u64 *odd, u32 *order) {
	const u32 word = place / RADIX_WORD, of_word = ((1u << RADIX_WORD) - 1) << word * RADIX_WORD;
	const Places others(place, active);
	const bool swap = __popc(others.earlier) & 1;
	u64 *const from = swap ? even : odd, *const to = swap ? odd : even;
	Pass<Tile, Code> pass = {codes, word, {place % RADIX_WORD * RADIX_BITS}, nullptr, nullptr, to, nullptr};
	if (others.earlier & of_word) pass.from = from;
	else if (others.earlier) pass.from_positions = (const u32 *)from;
	if (!others.later) pass.to_positions = order;
	else if (!(others.later & of_word)) pass.to_positions = (u32 *)to;
	return pass;
}

// key_pass_over is the same for keys, of which the last pass writes to sorted.
template <class Tile, class Code> DEVICE KeyPass<Tile, Code> key_pass_over(u32 place, u32 active, const Code *codes, Code *spare, Code *sorted) {
	const Places others(place, active);
	const bool swap = __popc(others.later) & 1;
	return {place >= RADIX_WORD, {place % RADIX_WORD * RADIX_BITS}, others.earlier ? (swap ? sorted : spare) : codes, swap ? spare : sorted};
}

// same_digit returns the lanes of the warp that have the same digit of BITS bits.
template <int BITS> DEVICE u32 same_digit(u32 digit) {
	u32 same = FULL_WARP;
#pragma unroll
	for (int b = 0; b < BITS; b++) same &= lanes_like(digit, 1u << b);
	return same;
}

// stage_warp puts the elements of a warp where next, the ranks of its next
// elements by digit, says.
template <class Pass> DEVICE void stage_warp(const Pass &pass, const typename Pass::Element (&element)[Pass::Tile::ITEMS], u32 *next, typename Pass::Element *staged) {
	const u32 lower = (1u << lane_id()) - 1;
#pragma unroll
	for (int i = 0; i < Pass::Tile::ITEMS; i++) {
		const u32 digit = pass.digit(element[i]), same = same_digit<Pass::BITS>(digit), before = __popc(same & lower);
		const u32 rank = next[digit];
		__syncwarp(); // next is read
		if (before == 0) next[digit] = rank + __popc(same);
		__syncwarp(); // next is written
		staged[rank + before] = element[i];
	}
}

// count_warp adds the digits of a warp's elements to its counts. Lanes that have the same
// digit queue up in an atomic: where digits are so few that all lanes have one of eight,
// the first lane of each adds them up.
template <class Pass> DEVICE void count_warp(const Pass &pass, const typename Pass::Element (&element)[Pass::Tile::ITEMS], u32 *count) {
#pragma unroll
	for (int i = 0; i < Pass::Tile::ITEMS; i++) {
		const u32 digit = pass.digit_byte(element[i]);
		if (Pass::BITS > 3) {
			atomicAdd(&count[digit], 1u);
			continue;
		}
		const u32 same = same_digit<Pass::BITS>(digit);
		if ((same & ((1u << lane_id()) - 1)) == 0) count[digit] += __popc(same);
		__syncwarp(); // the counts of one row are added before those of the next
	}
}

// sort_tile moves the elements of the tile that the next ticket stands for.
template <class Pass> DEVICE void sort_tile(typename Pass::Shared &shared, const Pass &pass, u64 n, const u32 *starts, u32 *ticket, const TileCounts &counts) {
	typedef typename Pass::Tile Tile;
	constexpr u32 DIGITS = 1 << Pass::BITS;
	static_assert(DIGITS <= RADIX, "a counter for each digit");
	if (threadIdx.x == 0) shared.tile = atomicAdd(ticket, 1u);
	for (u32 i = threadIdx.x; i < Tile::WARPS * DIGITS; i += Tile::THREADS) shared.count[i / DIGITS][i % DIGITS] = 0;
	__syncthreads(); // the tile is known, counts are zero
	const u32 tile = shared.tile, valid = (u32)min((u64)Tile::SIZE, n - (u64)tile * Tile::SIZE);

	typename Pass::Element element[Tile::ITEMS];
	pass.load(element, (u64)tile * Tile::SIZE, valid);
	count_warp(pass, element, shared.count[warp_id()]);
	__syncthreads(); // counts are complete

	const u32 digit = threadIdx.x;
	const bool has_digit = digit < DIGITS;
	u32 count = 0;
	if (has_digit) {
#pragma unroll
		for (int w = 0; w < Tile::WARPS; w++) count += shared.count[w][digit];
		if (tile > 0) counts.publish(tile, digit, count);
	}
	const u32 start = exclusive_scan_block<Tile::THREADS>(count, shared.sums);
	if (has_digit) {
		u32 rank = start;
#pragma unroll
		for (int w = 0; w < Tile::WARPS; w++) {
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

// active_place returns the place of a pass, given the bits of those that have one;
// 2 * RADIX_WORD if there are not so many.
DEVICE u32 active_place(u32 active, u32 pass) {
	for (; pass > 0; pass--) active &= active - 1;
	return active ? __ffs(active) - 1 : 2 * RADIX_WORD;
}

// do_pass does one of the passes, if there are so many; over makes it of its place
// and those that are active.
template <class F> DEVICE void do_pass(u64 n, u32 pass, RadixState *state, u32 *words, const F &over) {
	const u32 found = state->found, active = found & ((1u << RADIX_SHAPE) - 1), place = active_place(active, pass);
	if (found >> RADIX_SHAPE != SHUFFLED || place == 2 * RADIX_WORD) return;
	const TileCounts counts = {words, 2 + (pass & 1)};
	const auto own = over(place, active);
	SORTER_SHARED(typename decltype(own)::Shared, shared);
	sort_tile(shared, own, n, state->count[place], &state->ticket[place], counts);
}

template <class Tile, class Code> DEVICE void radix_pass(const Code *codes, u64 n, u32 pass, RadixState *state, u32 *words, u64 *even, u64 *odd, u32 *order) {
	do_pass(n, pass, state, words, [&](u32 place, u32 active) { return pass_over<Tile>(place, active, codes, even, odd, order); });
}

// radix_pass_keys is the same where only keys are sorted.
template <class Tile, class Code> DEVICE void radix_pass_keys(const Code *codes, u64 n, u32 pass, RadixState *state, u32 *words, Code *spare, Code *sorted) {
	do_pass(n, pass, state, words, [&](u32 place, u32 active) { return key_pass_over<Tile>(place, active, codes, spare, sorted); });
}
