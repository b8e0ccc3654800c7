// radix.cuh: a stable radix sort of codes to positions, least significant digit first, after
// Onesweep (Adinets and Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for
// GPUs", 2022; its parts are in chapter 13 of Hwu, Kirk and El Hajj, "Programming Massively
// Parallel Processors").
//
//   radix_histogram   counts the digits of all places in one read of the codes, and finds
//                     the start of each digit and the places that need a pass
//   radix_pass        a stable partition by one digit, each element moved once
//
// For few codes the time is that of launches and copies, so there are no other kernels. The
// histogram clears the memory of later kernels, and its last block does the work that needs
// all counts. Rows of codes in order have their results written at once. The host reads the
// number of passes in its own memory while the device continues, and launches no others.
//
// An element is one 64-bit word: 32 bits of the code, then the input position. The first pass
// makes elements of codes, the last writes positions only. A place whose digit is the same in
// all codes has no pass. Wide codes are sorted by their low word, then by their high word, which
// moves along in the passes over the low word: 4 more bytes of 8 there. Without it, the first
// pass over the high word would read it by position, at random: at 2^26 codes that read took 1.5
// ms of 4.9 (H200, 2026-11).
//
// Where only keys are sorted (radix_pass_keys), an element is the code itself.
//
// A block claims its tile by a ticket, counts its digits, publishes the counts, ranks the
// elements by ballots of a warp, and looks back over the counts of the preceding tiles (Merrill
// and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", 2016). Forward
// progress: it waits only for tiles of smaller tickets, whose blocks are resident, so the first
// unfinished tile never waits.
#pragma once
#include "platform.cuh"

constexpr int RADIX_BITS = 8, RADIX = 1 << RADIX_BITS; // a digit is a byte
constexpr int RADIX_WORD = 32 / RADIX_BITS; // places in 32 bits
constexpr int RADIX_COUNT_THREADS = 512, RADIX_COUNT_ITEMS = 8; // of radix_histogram
constexpr int RADIX_COUNT_TILE = RADIX_COUNT_THREADS * RADIX_COUNT_ITEMS;
constexpr int LOOK_BACK = 4; // tiles whose counts are loaded at a time

// RadixTile is the tile of a block of radix_pass.
template <int threads, int items> struct RadixTile {
	static constexpr int THREADS = threads, ITEMS = items, SIZE = THREADS * ITEMS, WARPS = THREADS / 32;
	static_assert(THREADS >= RADIX, "a thread for each digit");
};

// Tiles of elements that carry a high word have fewer of them, within the same shared memory.
template <class Tile> using CarriedTile = RadixTile<Tile::THREADS, Tile::CARRIED_ITEMS>;

// LargeTile takes 82 KiB of shared memory. 2^28 32-bit codes take 6.5 ms (H200) with it. What
// lost: 512 threads of 16 elements, 6.8 ms; 384 of 16, 6.7 ms; __match_any_sync instead of
// ballots, 11.3 ms.
//
// Resident blocks per SM: four of radix_histogram would have too few registers. With three of
// radix_pass_keys 2^28 32-bit keys take 4.9 ms, with two 5.5 (H200, 2026-11-21). For 64-bit
// keys shared memory suffices for two.
struct LargeTile : RadixTile<384, 23> {
	static constexpr int BLOCKS = 2, KEYS_U32_BLOCKS = 3, COUNT_BLOCKS = 3, CARRIED_ITEMS = 17;
};

// SmallTile is for compute capability 7.5, where an SM has 64 KiB of shared memory and 1024
// threads. Two blocks fit, so one moves elements while the other ranks. The shape follows from
// these numbers; it has not been measured there. It also sorts short lists, of which each SM
// gets a tile or none: a tile of a third takes less time, see radixFor of internal/gpu/dispatch.
struct SmallTile : RadixTile<256, 11> {
	static constexpr int BLOCKS = 2, KEYS_U32_BLOCKS = 3, COUNT_BLOCKS = 2, CARRIED_ITEMS = 7;
};

// RadixState is the shared state of the kernels of one sort. It is clear before.
struct alignas(8) RadixState {
	u32 count[2 * RADIX_WORD][RADIX]; // elements of each digit, then elements of smaller digits
	u32 ticket[2 * RADIX_WORD];       // tiles claimed
	u32 counted;                      // blocks of radix_histogram that are done
	u32 descents;                     // codes that exceed the next one; the last counts if the one before exceeds it
	u32 notified;                     // 1: the host knows that the codes are in no order
	u32 found;                        // as in RadixNote
};

// RadixNote lies in memory of the host, which reads each word once it is not zero. The host
// clears them before the sort.
struct RadixNote {
	u32 shuffled; // 1: the codes are in no order
	u32 found;    // shape << RADIX_SHAPE | a bit for each place that has a pass
};

enum RadixShape { SHUFFLED, ASCENDING, DESCENDING, FLAT };
constexpr int RADIX_SHAPE = 8; // lowest bit of the shape in a RadixNote

template <class Code> struct RadixCountShared {
	static constexpr int PLACES = sizeof(Code) * 8 / RADIX_BITS;
	u32 count[PLACES][RADIX];
	u32 sums[32];
	u32 descents, notified, last, active;

	DEVICE void add(Code code) {
#pragma unroll
		for (int p = 0; p < PLACES; p++) atomicAdd(&count[p][code >> p * RADIX_BITS & (RADIX - 1)], 1u);
	}
};

// RadixInput are codes that may be in order.
template <class C> struct RadixInput {
	typedef C Code;
	const Code *codes;
	u32 n; // 2 or more
	bool ordered; // false: known to be in no order
};

// OrderInput are codes whose order is the result.
template <class Code> struct OrderInput : RadixInput<Code> {
	u32 *order;

	// put writes the result for a place as if all codes ascended, or all descended. code is the
	// code at this place.
	DEVICE void put(u32 at, Code, bool down) const { order[at] = down ? this->n - 1 - at : at; }
};

// KeyInput are codes whose sorted list is the result.
template <class Code> struct KeyInput : RadixInput<Code> {
	Code *sorted;
	DEVICE void put(u32 at, Code code, bool down) const { sorted[at] = down ? this->codes[this->n - 1 - at] : code; }
};

// Rows summarises the order of a warp's codes, which it reads in rows of 32.
struct Rows {
	u32 descents = 0;
	bool mixed = false; // some row goes both up and down

	// look compares the codes of a row with their neighbours. Lanes with in have the code at a
	// position. It writes the result as if the list were sorted or reversed; for other lists
	// later passes overwrite that.
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

// shape_of returns the shape of codes with the given number of descents.
template <class Code> DEVICE RadixShape shape_of(const RadixInput<Code> &input, u32 descents) {
	if (!input.ordered || (descents != 0 && descents != input.n)) return SHUFFLED;
	if (descents == input.n) return DESCENDING;
	return input.codes[0] == input.codes[input.n - 1] ? FLAT : ASCENDING;
}

// find_digit_starts replaces counts by starts, and writes the shape and the places that need a
// pass. One thread per digit, for AT_A_TIME places at once.
template <class Code> DEVICE void find_digit_starts(RadixCountShared<Code> &shared, const RadixInput<Code> &input, RadixState *state, RadixNote *note) {
	constexpr u32 AT_A_TIME = RADIX_COUNT_THREADS / RADIX; // places
	static_assert(RADIX_COUNT_THREADS % RADIX == 0 && shared.PLACES % AT_A_TIME == 0, "a thread for each digit");
	const u32 shape = shape_of(input, state->descents);
	const u32 before = threadIdx.x / RADIX, digit = threadIdx.x % RADIX;
	for (u32 first = 0; shape == SHUFFLED && first < (u32)shared.PLACES; first += AT_A_TIME) {
		const u32 place = first + before, count = state->count[place][digit];
		const u32 start = exclusive_scan_block<RADIX_COUNT_THREADS>(count, shared.sums);
		state->count[place][digit] = start - before * input.n; // every earlier place has counted all elements
		const bool differ = __any_sync(FULL_WARP, count != 0 && count != input.n);
		if (differ && lane_id() == 0) atomicOr(&shared.active, 1u << place);
		__syncthreads(); // sums are read, active is complete for these places
	}
	if (threadIdx.x > 0) return;
	const u32 found = shape << RADIX_SHAPE | shared.active;
	state->found = found;
	notify_host(&note->found, found);
}

// CountTile is the smallest tile of passes over codes of a width.
template <class Tile, class Input> struct CountTile { typedef Tile Smallest; };
template <class Tile> struct CountTile<Tile, OrderInput<u64>> { typedef CarriedTile<Tile> Smallest; };

// count_digits counts the digits of all places. It clears spent, the state of the previous sort,
// for the next one.
template <class Tile, class Input> DEVICE void count_digits(const Input &input, RadixState *state, RadixState *spent, u32 *tile_counts, RadixNote *note) {
	typedef RadixCountShared<typename Input::Code> Shared;
	SORTER_SHARED(Shared, shared);
	u32 *const count = &shared.count[0][0];
	for (int i = threadIdx.x; i < Shared::PLACES * RADIX; i += RADIX_COUNT_THREADS) count[i] = 0;
	if (threadIdx.x == 0) shared.descents = shared.notified = shared.active = 0;
	__syncthreads(); // counts are zero
	Rows rows;
	for (u64 first = (u64)blockIdx.x * RADIX_COUNT_TILE; first < input.n; first += (u64)gridDim.x * RADIX_COUNT_TILE) {
		if (first + RADIX_COUNT_TILE <= input.n) count_tile<true>(shared, input, (u32)first, rows);
		else count_tile<false>(shared, input, (u32)first, rows);
		if (rows.mixed && lane_id() == 0 && atomicExch(&shared.notified, 1u) == 0 && atomicExch(&state->notified, 1u) == 0) notify_host(&note->shuffled, 1);
	}
	clear_words((u64 *)spent, sizeof(RadixState) / 8);
	constexpr u64 SIZE = CountTile<Tile, Input>::Smallest::SIZE;
	clear_words((u64 *)tile_counts, (input.n + SIZE - 1) / SIZE * (RADIX / 2));
	if (lane_id() == 0 && rows.descents) atomicAdd(&shared.descents, rows.descents);
	__syncthreads(); // counts are complete
	for (int i = threadIdx.x; i < Shared::PLACES * RADIX; i += RADIX_COUNT_THREADS)
		if (count[i]) atomicAdd(&state->count[0][0] + i, count[i]);
	if (threadIdx.x == 0 && shared.descents) atomicAdd(&state->descents, shared.descents);
	if (is_last_block(&state->counted, shared.last)) find_digit_starts(shared, input, state, note);
}

// TileCounts are the words in which tiles publish their counts by digit: flag << 30 | count. A
// pass leaves final words only. Their flag alternates from pass to pass, so the next pass takes
// them for empty.
struct TileCounts {
	u32 *words;
	u32 final; // flag of counts that include all preceding tiles: 2 or 3

	static constexpr u32 FLAG = 30, OWN = 1, VALUE = (1u << FLAG) - 1;
	DEVICE u32 *word(u32 tile, u32 digit) const { return words + (u64)tile * RADIX + digit; }
	DEVICE void publish(u32 tile, u32 digit, u32 count) const { store_word(word(tile, digit), OWN << FLAG | count); }
	DEVICE void publish_final(u32 tile, u32 digit, u32 count) const { store_word(word(tile, digit), final << FLAG | count); }
	DEVICE bool is_final(u32 w) const { return w >> FLAG == final; }
	DEVICE bool is_empty(u32 w) const { return w >> FLAG != OWN && !is_final(w); }

	// before returns the number of elements of a digit in all preceding tiles; tile > 0.
	DEVICE u32 before(u32 tile, u32 digit) const {
		for (u32 sum = 0;; tile -= LOOK_BACK) {
			u32 w[LOOK_BACK];
#pragma unroll
			for (u32 i = 0; i < LOOK_BACK; i++) w[i] = load_word(word(tile > i ? tile - 1 - i : 0, digit)); // past the first tile, the word is not used
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

// RadixStaged is the elements of a tile in shared memory.
template <class Element, int SIZE> struct RadixStaged {
	Element element[SIZE];
	DEVICE Element get(u32 rank) const { return element[rank]; }
	DEVICE void put(u32 rank, Element e) { element[rank] = e; }
};

// Carried is an element with the low word of its code, and the high word that it carries.
struct Carried {
	u64 element;
	u32 high;
};
template <int SIZE> struct RadixStaged<Carried, SIZE> {
	u64 element[SIZE];
	u32 high[SIZE];
	DEVICE Carried get(u32 rank) const { return {element[rank], high[rank]}; }
	DEVICE void put(u32 rank, const Carried &e) { element[rank] = e.element, high[rank] = e.high; }
};

template <class Tile, class Element> struct RadixShared {
	RadixStaged<Element, Tile::SIZE> staged; // the tile in order of digit
	u32 count[Tile::WARPS][RADIX]; // of a warp's elements, then the rank of the next of them
	u32 offset[RADIX];             // place - rank of each digit
	u32 sums[32];
	u32 tile;
};

// Digit locates the digit of a pass in a 32-bit word.
struct Digit {
	u32 shift;
	DEVICE u32 of(u32 word) const { return word >> shift & (RADIX - 1); }
	// byte returns the same as of, by another instruction. Otherwise the compiler would keep the
	// digits of all items in registers between two uses, and spill.
	DEVICE u32 byte(u32 word) const { return __byte_perm(word, 0, 0x4440 | shift / 8); }
};

// load_each sets element i of each thread to f(place, i). A warp has Tile::ITEMS rows of 32
// consecutive places.
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

// store_each calls f(place, element) for the first valid staged elements, in order of digit.
template <class Pass, class F> DEVICE void store_each(const Pass &pass, const typename Pass::Shared &shared, u32 valid, const F &f) {
	typedef typename Pass::Tile Tile;
	const auto write_one = [&](u32 rank) {
		const typename Pass::Element element = shared.staged.get(rank);
		f(shared.offset[pass.digit(element)] + rank, element);
	};
	if (valid == Tile::SIZE) {
#pragma unroll
		for (int i = 0; i < Tile::ITEMS; i++) write_one(threadIdx.x + i * Tile::THREADS);
	} else {
		for (u32 rank = threadIdx.x; rank < valid; rank += Tile::THREADS) write_one(rank);
	}
}

// Pass is the source and the destination of one pass.
template <class T, class Code> struct Pass {
	typedef T Tile;
	typedef u64 Element;
	typedef RadixShared<Tile, Element> Shared;
	const Code *codes;
	u32 word; // the word of the code that has the digit
	Digit place;
	const u64 *from; // elements; null: made of codes
	u64 *to;
	u32 *to_positions; // null: the result is in to

	// Padding after the last element: it comes last in the last digit, and counts in the last
	// tile only, over which no tile looks back.
	static constexpr u64 PADDING = ~0ull;
	static constexpr int WORDS = sizeof(Code) / 4; // of a code
	static constexpr int BITS = RADIX_BITS;        // of a digit

	DEVICE u32 digit(u64 element) const { return place.of((u32)(element >> 32)); }
	DEVICE u32 digit_byte(u64 element) const { return place.byte((u32)(element >> 32)); }

	// load fetches the elements of a tile.
	DEVICE void load(u64 (&element)[Tile::ITEMS], u64 first, u32 valid) const {
		const u32 *const words = (const u32 *)codes + word;
		if (from) load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return load_once(from + at); });
		else load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return (u64)load_once(words + at * WORDS) << 32 | (u32)at; });
	}
	DEVICE void store(const Shared &shared, u32 valid) const {
		if (to_positions) store_each(*this, shared, valid, [&](u32 place, u64 element) { to_positions[place] = (u32)element; });
		else store_each(*this, shared, valid, [&](u32 place, u64 element) { to[place] = element; });
	}
};

// CarriedPass is Pass over the low words of codes whose high words differ, too. The last one makes
// elements of the high words.
template <class T> struct CarriedPass {
	typedef CarriedTile<T> Tile;
	typedef Carried Element;
	typedef RadixShared<Tile, Element> Shared;
	const u64 *codes;
	Digit place;
	const u64 *from; // elements; null: made of codes
	const u32 *from_high;
	u64 *to;
	u32 *to_high; // null: this is the last pass

	static constexpr int BITS = RADIX_BITS;

	DEVICE u32 digit(const Carried &e) const { return place.of((u32)(e.element >> 32)); }
	DEVICE u32 digit_byte(const Carried &e) const { return place.byte((u32)(e.element >> 32)); }
	DEVICE void load(Carried (&element)[Tile::ITEMS], u64 first, u32 valid) const {
		const Carried padding = {~0ull, 0}; // as of Pass
		if (from) {
			load_each<Tile>(element, first, valid, padding, [&](u64 at, int) { return Carried{load_once(from + at), load_once(from_high + at)}; });
		} else {
			load_each<Tile>(element, first, valid, padding, [&](u64 at, int) {
				const u64 code = load_once(codes + at);
				return Carried{code << 32 | (u32)at, (u32)(code >> 32)};
			});
		}
	}
	DEVICE void store(const Shared &shared, u32 valid) const {
		if (to_high) {
			store_each(*this, shared, valid, [&](u32 place, const Carried &e) { to[place] = e.element, to_high[place] = e.high; });
		} else {
			store_each(*this, shared, valid, [&](u32 place, const Carried &e) { to[place] = (u64)e.high << 32 | (u32)e.element; });
		}
	}
};

// KeyPass is Pass where only keys are sorted.
template <class T, class Code> struct KeyPass {
	typedef T Tile;
	typedef Code Element;
	typedef RadixShared<Tile, Element> Shared;
	bool high; // the digit is in the high word of a 64-bit code
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

// Places are the active places before and after a place.
struct Places {
	u32 earlier, later; // a bit each
	DEVICE Places(u32 place, u32 active) : earlier(active & ((1u << place) - 1)), later(active >> place >> 1 << place << 1) {}
};

// RadixMemory is what passes over positions move elements between: each reads the buffers that the one
// before wrote. High words lie in high and, until the last pass, in order.
struct RadixMemory {
	u64 *even, *odd;
	u32 *high, *order;
};

// pass_over returns the pass over a place, given the active places.
template <class Tile, class Code> DEVICE Pass<Tile, Code> pass_over(u32 place, u32 active, const Code *codes, const RadixMemory &memory) {
	const Places others(place, active);
	const bool swap = __popc(others.earlier) & 1;
	return {codes, place / RADIX_WORD, {place % RADIX_WORD * RADIX_BITS}, others.earlier ? (swap ? memory.even : memory.odd) : nullptr, swap ? memory.odd : memory.even, others.later ? nullptr : memory.order};
}

constexpr u32 LOW_PLACES = (1u << RADIX_WORD) - 1; // a bit for each place in the low word of a code

// carries reports whether the pass over a place has elements that carry a high word.
DEVICE bool carries(u32 place, u32 active) { return place < (u32)RADIX_WORD && (active & ~LOW_PLACES); }

// carried_pass_over is pass_over where carries.
template <class Tile> DEVICE CarriedPass<Tile> carried_pass_over(u32 place, u32 active, const u64 *codes, const RadixMemory &memory) {
	const Places others(place, active);
	const bool swap = __popc(others.earlier) & 1;
	CarriedPass<Tile> pass = {codes, {place * RADIX_BITS}, nullptr, nullptr, swap ? memory.odd : memory.even, nullptr};
	if (others.earlier) pass.from = swap ? memory.even : memory.odd, pass.from_high = swap ? memory.high : memory.order;
	if (others.later & LOW_PLACES) pass.to_high = swap ? memory.order : memory.high;
	return pass;
}

// key_pass_over is pass_over for keys. The last pass writes to sorted.
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

// stage_warp stages the elements of a warp. next[digit] is the rank of the warp's next element
// of a digit.
template <class Pass> DEVICE void stage_warp(const Pass &pass, const typename Pass::Element (&element)[Pass::Tile::ITEMS], u32 *next, RadixStaged<typename Pass::Element, Pass::Tile::SIZE> &staged) {
	const u32 lower = (1u << lane_id()) - 1;
#pragma unroll
	for (int i = 0; i < Pass::Tile::ITEMS; i++) {
		const u32 digit = pass.digit(element[i]), same = same_digit<Pass::BITS>(digit), before = __popc(same & lower);
		const u32 rank = next[digit];
		__syncwarp(); // next is read
		if (before == 0) next[digit] = rank + __popc(same);
		__syncwarp(); // next is written
		staged.put(rank + before, element[i]);
	}
}

// count_warp adds the digits of a warp's elements to its counts. Atomics of lanes with the same
// digit are serialized, so with eight digits or fewer the first lane of each digit adds for all.
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

// claim returns the tile of the next ticket, and clears counts.
template <class Pass> DEVICE u32 claim(typename Pass::Shared &shared, u32 *ticket) {
	typedef typename Pass::Tile Tile;
	constexpr u32 DIGITS = 1 << Pass::BITS;
	static_assert(DIGITS <= RADIX, "a counter for each digit");
	if (threadIdx.x == 0) shared.tile = atomicAdd(ticket, 1u);
	for (u32 i = threadIdx.x; i < Tile::WARPS * DIGITS; i += Tile::THREADS) shared.count[i / DIGITS][i % DIGITS] = 0;
	__syncthreads(); // the tile is known, counts are zero
	return shared.tile;
}

// move_tile moves the valid elements of a claimed tile from first on. A list's tiles have consecutive
// numbers; leads is whether this is its first one. starts are those of the list's digits.
template <class Pass> DEVICE void move_tile(typename Pass::Shared &shared, const Pass &pass, u64 first, u32 valid, u32 tile, bool leads, const u32 *starts, const TileCounts &counts) {
	typedef typename Pass::Tile Tile;
	constexpr u32 DIGITS = 1 << Pass::BITS;
	typename Pass::Element element[Tile::ITEMS];
	pass.load(element, first, valid);
	count_warp(pass, element, shared.count[warp_id()]);
	__syncthreads(); // counts are complete

	const u32 digit = threadIdx.x;
	const bool has_digit = digit < DIGITS;
	u32 count = 0;
	if (has_digit) {
#pragma unroll
		for (int w = 0; w < Tile::WARPS; w++) count += shared.count[w][digit];
		if (!leads) counts.publish(tile, digit, count);
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
		const u32 before = leads ? starts[digit] : counts.before(tile, digit);
		counts.publish_final(tile, digit, before + count);
		shared.offset[digit] = before - start;
	}
	__syncthreads(); // staged and offset are complete
	pass.store(shared, valid);
}

// sort_tile moves the elements of the tile of the next ticket.
template <class Pass> DEVICE void sort_tile(typename Pass::Shared &shared, const Pass &pass, u64 n, const u32 *starts, u32 *ticket, const TileCounts &counts) {
	constexpr u64 SIZE = Pass::Tile::SIZE;
	const u32 tile = claim<Pass>(shared, ticket);
	move_tile(shared, pass, tile * SIZE, (u32)min(SIZE, n - tile * SIZE), tile, tile == 0, starts, counts);
}

// active_place returns the place of the given pass, the pass-th bit of active; 2 * RADIX_WORD if
// active has fewer bits.
DEVICE u32 active_place(u32 active, u32 pass) {
	for (; pass > 0; pass--) active &= active - 1;
	return active ? __ffs(active) - 1 : 2 * RADIX_WORD;
}

// do_pass does the given pass, if there is one. sort(place, active, counts) does it for a place.
template <class F> DEVICE void do_pass(u32 pass, const RadixState *state, u32 *words, const F &sort) {
	const u32 found = state->found, active = found & ((1u << RADIX_SHAPE) - 1), place = active_place(active, pass);
	if (found >> RADIX_SHAPE == SHUFFLED && place < (u32)(2 * RADIX_WORD)) sort(place, active, TileCounts{words, 2 + (pass & 1)});
}

// sort_place is the pass over a place. There may be more blocks than tiles, since those of another
// pass are smaller.
template <class Pass> DEVICE void sort_place(const Pass &pass, u64 n, u32 place, RadixState *state, const TileCounts &counts) {
	if ((u64)blockIdx.x * Pass::Tile::SIZE >= n) return;
	SORTER_SHARED(typename Pass::Shared, shared);
	sort_tile(shared, pass, n, state->count[place], &state->ticket[place], counts);
}

template <class Tile> DEVICE void radix_pass(const u32 *codes, u64 n, u32 pass, RadixState *state, u32 *words, const RadixMemory &memory) {
	do_pass(pass, state, words, [&](u32 place, u32 active, const TileCounts &counts) { sort_place(pass_over<Tile>(place, active, codes, memory), n, place, state, counts); });
}

template <class Tile> DEVICE void radix_pass(const u64 *codes, u64 n, u32 pass, RadixState *state, u32 *words, const RadixMemory &memory) {
	do_pass(pass, state, words, [&](u32 place, u32 active, const TileCounts &counts) {
		if (carries(place, active)) sort_place(carried_pass_over<Tile>(place, active, codes, memory), n, place, state, counts);
		else sort_place(pass_over<Tile>(place, active, codes, memory), n, place, state, counts);
	});
}

// radix_pass_keys is radix_pass where only keys are sorted.
template <class Tile, class Code> DEVICE void radix_pass_keys(const Code *codes, u64 n, u32 pass, RadixState *state, u32 *words, Code *spare, Code *sorted) {
	do_pass(pass, state, words, [&](u32 place, u32 active, const TileCounts &counts) { sort_place(key_pass_over<Tile>(place, active, codes, spare, sorted), n, place, state, counts); });
}
