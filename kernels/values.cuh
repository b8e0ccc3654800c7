// values.cuh: a stable sort of codes that have few distinct values.
//
//   values_open       a table of one value
//   values_find       values of a sample of the codes
//   values_classify   the place in the table of each code, and how often each is taken;
//                     values that the sample missed join the table here
//   values_rank       the rank of each value, and where its codes begin
//   values_pass       a stable partition by rank: radix.cuh with digits of as few bits
//                     as ranks need, one pass for up to 256 values, two for more
//   values_write      where only keys are sorted, the values, as often as they occur
//
// The table is open addressing with linear probes in device memory. A place that nobody
// has taken holds the code of the first element, which can tell: its own place is the
// one that it hashes to, where it lies from the beginning. So a place is one word, and
// one compare-and-swap takes it. In the largest table, which may be half full, probes begin
// at a multiple of 16 bytes, which a lookup reads at once: of 32-bit codes one lookup in thirty
// needs more. In others, an eighth full, it reads one place: 16 values in 2^28 codes take
// 0.59 ms so and 0.94 in bunches, and 4096 values 2.1 and 1.2. Blocks
// of values_classify look codes up in a copy in shared memory; a code that is not there joins the table in device memory, so no
// value needs to be in the sample. With too many of them the sort gives up.
//
// Bytes of an element, of codes of 32 bits: 4 + 2 + 2 + 4 in one pass,
// and 8 + 8 more in two.
#pragma once
#include "radix.cuh"
#include "sample.cuh"

constexpr u32 MOST_VALUES = 4096;
constexpr int VALUES_BITS = 13;                   // of places in the largest table, which is half full at most
constexpr u32 VALUES_COUNTERS = 1 << VALUES_BITS; // of a block of values_classify
constexpr u32 VALUES_PROBES = 256;                // of a code, at most
constexpr int VALUES_THREADS = 512, VALUES_ITEMS = 8; // of values_classify
constexpr int VALUES_BLOCKS_U32 = 3, VALUES_BLOCKS_U64 = 2; // that an SM holds
constexpr int VALUES_TILE = VALUES_THREADS * VALUES_ITEMS;
static_assert(2 * MOST_VALUES <= VALUES_COUNTERS, "a table is half full at most");

// ValuesState is what the kernels of one sort share.
struct alignas(8) ValuesState {
	u64 free;   // the code that free places hold
	u32 values; // in the table
	u32 lost;   // 1: there are too many values
	u32 bits[2]; // of the digits of each pass; 0: there is none
	u32 ticket[2];
	u32 ranked; // blocks of values_rank that are done
	u32 start[2][RADIX];     // of each digit's elements
	u16 taken[MOST_VALUES];  // places of the values, in the order in which they joined
};

// ValuesNote is what the host reads in its own memory, as soon as it is not zero.
struct ValuesNote {
	u32 values; // above MOST_VALUES: too many
};

// Values is the table.
template <class Code> struct Values {
	Code *place;
	ValuesState *state;
	u32 bits; // of a place's number

	DEVICE u32 size() const { return 1u << bits; }
	DEVICE u32 next(u32 place) const { return (place + 1) & (size() - 1); }
	DEVICE bool bunches() const { return bits == (u32)VALUES_BITS; } // homes are the first places of bunches
	DEVICE u32 hash(u32 code) const { return code * 0x9e3779b1u >> (32 - bits); }
	DEVICE u32 hash(u64 code) const { return (u32)(code * 0x9e3779b97f4a7c15ull >> (64 - bits)); }
	DEVICE static u32 first_of_bunch(u32 place) { return place & ~(Bunch<Code>::SIZE - 1); }
	DEVICE u32 home(Code code) const { return bunches() ? first_of_bunch(hash(code)) : hash(code); }

	// join returns the place of a code, which it takes if need be.
	DEVICE u32 join(Code code, Code free) const {
		const u32 taken = home(free);
		u32 at = home(code);
		for (u32 probes = 0; probes < VALUES_PROBES; probes++, at = next(at)) {
			Code found = load_word(place + at);
			if (found == free && at != taken && code != free) {
				found = atomicCAS(place + at, free, code);
				if (found == free) {
					const u32 before = atomicAdd(&state->values, 1u);
					if (before < MOST_VALUES) state->taken[before] = (u16)at;
					if (before >= min(MOST_VALUES, size() / 2)) store_word(&state->lost, 1);
					return at;
				}
			}
			if (found == code) return at;
		}
		store_word(&state->lost, 1);
		return at;
	}
};

// open_values makes a table of the first code, and clears counters.
template <class Code> DEVICE void open_values(const Code *codes, const Values<Code> &table, u32 *counts, u64 *words, u64 word_count) {
	const u64 step = (u64)gridDim.x * blockDim.x, thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;
	const Code first = codes[0];
	for (u64 i = thread; i < table.size(); i += step) {
		table.place[i] = first;
		counts[i] = 0;
	}
	for (u64 i = thread; i < word_count; i += step) words[i] = 0;
	ValuesState *const state = table.state;
	for (u64 i = thread; i < 2 * RADIX; i += step) (&state->start[0][0])[i] = 0; // digits without a rank have no elements
	if (thread > 0) return;
	state->free = first;
	state->values = 1;
	state->taken[0] = (u16)table.home(first);
	state->lost = state->ranked = state->ticket[0] = state->ticket[1] = 0;
}

// like returns the lanes of the warp that have the same code.
DEVICE u32 like(u32 code) { return __match_any_sync(FULL_WARP, code); }
DEVICE u32 like(u64 code) { return like((u32)code) & like((u32)(code >> 32)); }

// find_values adds a sample of the codes to the table. The first of a warp's lanes that
// have a value looks for it: a few values that all lanes want take 40 µs.
template <class Code> DEVICE void find_values(const Code *codes, u64 n, u32 sample_bits, const Values<Code> &table) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	const Code free = (Code)table.state->free;
	for (u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x; k >> sample_bits == 0; k += step) { // whole warps
		const Code code = codes[drawn(k, sample_bits, n)];
		if ((like(code) & ((1u << lane_id()) - 1)) == 0) table.join(code, free);
	}
}

template <class Code> struct ClassifyShared {
	u32 count[VALUES_COUNTERS];
	alignas(16) Code place[1]; // of the table, all of them
};

// Lookup is the table as a block of values_classify sees it: a copy in shared memory, which
// takes in what the block finds in device memory.
template <class Code> struct Lookup {
	const Values<Code> &table;
	Code *copy, free;
	u32 taken; // the place of free

	// place returns that of a code which is not at home in the copy.
	DEVICE u32 place(Code code) const {
		u32 at = table.home(code);
		for (u32 probes = 0; probes < VALUES_PROBES; probes++, at = table.next(at)) {
			const Code here = peek(&copy[at]);
			if (here == code) return at;
			if (here == free && at != taken) break;
		}
		at = table.join(code, free);
		poke(&copy[at], code);
		return at;
	}
};

// look_up looks for a code at a place, or in the bunch that begins there, and returns the place. If
// the code is not there, that is the one to go on at, modulo the size, and bit joins elsewhere.
template <bool BUNCHES, class Code> DEVICE u32 look_up(const Code *copy, u32 at, Code code, u32 &elsewhere, u32 bit) {
	if (!BUNCHES) {
		const bool here = peek(&copy[at]) == code;
		elsewhere = here ? elsewhere & ~bit : elsewhere | bit;
		return here ? at : at + 1;
	}
	const u32 k = index_in(peek_bunch(&copy[at]), code);
	elsewhere = k < Bunch<Code>::SIZE ? elsewhere & ~bit : elsewhere | bit;
	return at + k;
}

// load_classified fetches the codes of a tile from at on; others, past the end, are free.
template <class Code> DEVICE void load_classified(Code (&code)[VALUES_ITEMS], const Code *codes, u64 at, u64 n, bool full, Code free) {
#pragma unroll
	for (int i = 0; i < VALUES_ITEMS; i++) code[i] = full || at + i * VALUES_THREADS < n ? load_once(codes + at + i * VALUES_THREADS) : free;
}

constexpr int VALUES_ROUNDS = 4; // places or bunches after its home where a code is looked for together with others

// index_in returns where a code is in a bunch, at least the bunch's size if it is not there.
template <class Code> DEVICE u32 index_in(const Bunch<Code> &bunch, Code code) {
	u32 k = Bunch<Code>::SIZE;
#pragma unroll
	for (int i = Bunch<Code>::SIZE - 1; i >= 0; i--)
		if (bunch.word[i] == code) k = i;
	return k;
}

// classify finds the place of each code in the table. The codes of a few values queue
// up at their counters, so each value has several of these. places may be null: then only
// keys are sorted. The codes of the next tile are on their way meanwhile.
template <bool BUNCHES, class Code> DEVICE void classify_by(const Code *codes, u64 n, const Values<Code> &table, u16 *places, u32 *counts) {
	SORTER_SHARED(ClassifyShared<Code>, shared);
	ValuesState *const state = table.state;
	const u32 spread = VALUES_BITS - table.bits, own = lane_id() & ((1u << spread) - 1); // counters of a value, and which of them
	const Code free = (Code)state->free;
	const Lookup<Code> lookup = {table, shared.place, free, table.home(free)};
	for (u32 i = threadIdx.x; i < VALUES_COUNTERS; i += VALUES_THREADS) shared.count[i] = 0;
	for (u32 i = threadIdx.x; i < table.size(); i += VALUES_THREADS) shared.place[i] = load_word(&table.place[i]);
	__syncthreads(); // the copy is there, counters are zero
	const u64 step = (u64)gridDim.x * VALUES_TILE;
	Code code[VALUES_ITEMS];
	u64 first = (u64)blockIdx.x * VALUES_TILE;
	load_classified(code, codes, first + threadIdx.x, n, first + VALUES_TILE <= n, free);
	for (; first < n; first += step) {
		const u64 at = first + threadIdx.x;
		const bool full = first + VALUES_TILE <= n;
		const u32 lost = load_word(&state->lost);
		Code next[VALUES_ITEMS];
		load_classified(next, codes, at + step, n, first + step + VALUES_TILE <= n, free);
		u32 place[VALUES_ITEMS], elsewhere = 0;
#pragma unroll
		for (int i = 0; i < VALUES_ITEMS; i++) { // without branches, so that lookups are under way together
			const u32 hash = table.hash(code[i]);
			place[i] = look_up<BUNCHES>(shared.place, BUNCHES ? table.first_of_bunch(hash) : hash, code[i], elsewhere, 1u << i);
		}
		for (int round = 0; round < VALUES_ROUNDS && __any_sync(FULL_WARP, elsewhere != 0); round++) {
#pragma unroll
			for (int i = 0; i < VALUES_ITEMS; i++) {
				if (!(elsewhere >> i & 1)) continue;
				place[i] = look_up<BUNCHES>(shared.place, place[i] & (table.size() - 1), code[i], elsewhere, 1u << i);
			}
			__syncwarp(); // lanes meet again
		}
		if (__any_sync(FULL_WARP, elsewhere != 0)) {
#pragma unroll
			for (int i = 0; i < VALUES_ITEMS; i++) {
				if (elsewhere >> i & 1) place[i] = lookup.place(code[i]);
				__syncwarp(); // lanes meet again: if each went on alone, the stores below would take ten times as long
			}
		}
#pragma unroll
		for (int i = 0; i < VALUES_ITEMS; i++) {
			if (!full && at + i * VALUES_THREADS >= n) continue;
			atomicAdd(&shared.count[place[i] << spread | own], 1u);
			if (places) places[at + i * VALUES_THREADS] = (u16)place[i];
		}
		if (__any_sync(FULL_WARP, lost)) break; // a warp goes on as one, or not at all
#pragma unroll
		for (int i = 0; i < VALUES_ITEMS; i++) code[i] = next[i];
	}
	__syncthreads(); // counts are complete
	for (u32 i = threadIdx.x; i < table.size(); i += VALUES_THREADS) {
		u32 count = 0;
		for (u32 k = 0; k >> spread == 0; k++) count += shared.count[i << spread | k];
		if (count) atomicAdd(&counts[i], count);
	}
}

template <class Code> DEVICE void classify(const Code *codes, u64 n, const Values<Code> &table, u16 *places, u32 *counts) {
	if (table.bunches()) classify_by<true>(codes, n, table, places, counts);
	else classify_by<false>(codes, n, table, places, counts);
}

// DigitBits are the bits of the low digit of the ranks of a number of values, all of them if
// they fit a digit, and those of the high digit.
struct DigitBits {
	u32 low, high;
	DEVICE DigitBits(u32 values) {
		const u32 bits = values > 2 ? 32 - __clz(values - 1) : 1;
		high = bits > RADIX_BITS ? bits / 2 : 0;
		low = bits - high;
	}
	DEVICE u32 low_digit(u32 rank) const { return rank & ((1u << low) - 1); }
};

constexpr u32 RANK_THREADS = 1024, RANK_VALUES = 32; // that a block ranks: a lane each

struct RankShared {
	u32 rank[RANK_VALUES], start[RANK_VALUES];
	u32 sums[32];
	u32 last;
};

// rank_values writes ranks by place, and what comes where. A value's rank is how many
// are less, its start how many elements these have: every value is compared with every
// other, by a warp for RANK_VALUES of them and a part of the others, of which each lane holds
// one at a time. That takes 17 million comparisons for the largest table. What lost: to compare
// places, half of them free, 50 µs in place of 10; to sort 4096 values in one block, 70 µs.
template <class Code> DEVICE void rank_values(const Values<Code> &table, const u32 *counts, u16 *ranks, Code *values, u32 *starts, ValuesNote *note) {
	SORTER_SHARED(RankShared, shared);
	ValuesState *const state = table.state;
	const u32 count = state->values, lost = state->lost;
	if (blockIdx.x == 0 && threadIdx.x == 0) tell_host(&note->values, lost ? MOST_VALUES + 1 : count);
	if (lost) return;
	if (threadIdx.x < RANK_VALUES) shared.rank[threadIdx.x] = shared.start[threadIdx.x] = 0;
	__syncthreads(); // sums are zero
	const DigitBits bits(count);
	const u32 own = blockIdx.x * RANK_VALUES + lane_id();
	if (blockIdx.x * RANK_VALUES < count) {
		const u32 place = state->taken[min(own, count - 1)];
		const Code code = table.place[place];
		u32 rank = 0, start = 0;
		for (u32 first = warp_id() * 32; first < count; first += RANK_THREADS) {
			const u32 many = min(32u, count - first), other = state->taken[min(first + lane_id(), count - 1)];
			const Code its = table.place[other];
			const u32 elements = counts[other];
#pragma unroll 8
			for (u32 i = 0; i < many; i++) {
				const Code c = __shfl_sync(FULL_WARP, its, i);
				const u32 e = __shfl_sync(FULL_WARP, elements, i);
				if (c < code) {
					rank++;
					start += e;
				}
			}
		}
		atomicAdd(&shared.rank[lane_id()], rank);
		atomicAdd(&shared.start[lane_id()], start);
		__syncthreads(); // sums are complete
		if (warp_id() == 0 && own < count) {
			rank = shared.rank[lane_id()];
			start = shared.start[lane_id()];
			ranks[place] = (u16)rank;
			values[rank] = code;
			starts[rank] = start;
			if (bits.high == 0) {
				state->start[0][rank] = start;
			} else {
				atomicAdd(&state->start[0][bits.low_digit(rank)], counts[place]);
				if (bits.low_digit(rank) == 0) state->start[1][rank >> bits.low] = start;
			}
		}
	}
	if (!is_last_block(&state->ranked, shared.last)) return;
	if (threadIdx.x == 0) {
		state->bits[0] = bits.low;
		state->bits[1] = bits.high;
	}
	if (bits.high == 0) return;
	const u32 low = threadIdx.x < RADIX ? load_word(&state->start[0][threadIdx.x]) : 0; // elements of each low digit
	const u32 start = exclusive_scan_block<RANK_THREADS>(low, shared.sums);
	if (threadIdx.x < RADIX) state->start[0][threadIdx.x] = start;
}

// ValuesTile is what a block of values_pass moves.
struct ValuesTile : RadixTile<384, 23> {
	static constexpr int BLOCKS = 3;
};

// PassShared is a tile, and ranks.
template <class Tile> struct PassShared {
	RadixShared<Tile, u32> tile;
	u16 rank[1]; // by place of the table
};

// RankPass is a pass over the low digits of ranks. An element is the rank above its
// place in the tile.
template <class T, int bits, bool LAST> struct RankPass {
	typedef T Tile;
	typedef u32 Element;
	typedef RadixShared<Tile, Element> Shared;
	static constexpr int BITS = bits, INDEX_BITS = 14;
	static constexpr u32 PADDING = ~0u;
	static_assert(Tile::SIZE <= 1 << INDEX_BITS, "an index fits");
	const u16 *places;
	const u16 *rank; // in shared memory
	u32 *order;      // of the last pass
	u64 *to;         // of others

	DEVICE u32 digit(u32 element) const { return element >> 16 & ((1u << BITS) - 1); }
	DEVICE u32 digit_byte(u32 element) const { return __byte_perm(element, 0, 0x4432) & ((1u << BITS) - 1); }
	DEVICE void load(u32 (&element)[Tile::ITEMS], u64 first, u32 valid) const {
		load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return (u32)load_once(places + at); });
		const u32 own = warp_id() * (32 * Tile::ITEMS) + lane_id();
#pragma unroll
		for (int i = 0; i < Tile::ITEMS; i++)
			if (valid == Tile::SIZE || own + 32 * i < valid) element[i] = (u32)rank[element[i]] << 16 | (own + 32 * i);
	}
	DEVICE void store(const Shared &shared, u32 valid) const {
		const u32 first = shared.tile * Tile::SIZE;
		store_each(*this, shared, valid, [&](u32 place, u32 element) {
			const u32 position = first + (element & 0xffff);
			if (LAST) order[place] = position;
			else to[place] = (u64)(element >> (16 + BITS)) << 32 | position;
		});
	}
};

// HighPass is the pass over the high digits.
template <class T, int bits> struct HighPass {
	typedef T Tile;
	typedef u64 Element;
	typedef RadixShared<Tile, Element> Shared;
	static constexpr int BITS = bits;
	static constexpr u64 PADDING = ~0ull;
	const u64 *from;
	u32 *order;

	DEVICE u32 digit(u64 element) const { return (u32)(element >> 32) & ((1u << BITS) - 1); }
	DEVICE u32 digit_byte(u64 element) const { return __byte_perm((u32)(element >> 32), 0, 0x4440) & ((1u << BITS) - 1); }
	DEVICE void load(u64 (&element)[Tile::ITEMS], u64 first, u32 valid) const {
		load_each<Tile>(element, first, valid, PADDING, [&](u64 at, int) { return load_once(from + at); });
	}
	DEVICE void store(const Shared &shared, u32 valid) const {
		store_each(*this, shared, valid, [&](u32 place, u64 element) { order[place] = (u32)element; });
	}
};

template <class Tile> DEVICE void pass_by_ranks(const u16 *places, u64 n, const u16 *ranks, u32 table_bits, ValuesState *state, u32 *words, u64 *elements, u32 *order) {
	SORTER_SHARED(PassShared<Tile>, shared);
	if (state->lost) return;
	const u32 bits = state->bits[0];
	const bool last = state->bits[1] == 0;
	for (u32 i = threadIdx.x; i >> table_bits == 0; i += Tile::THREADS) shared.rank[i] = ranks[i];
	__syncthreads(); // ranks are there
	const TileCounts counts = {words, 2};
#define CASE(b, LAST) { sort_tile(shared.tile, RankPass<Tile, b, LAST>{places, shared.rank, order, elements}, n, state->start[0], &state->ticket[0], counts); return; }
	if (!last) { if (bits <= 5) CASE(5, false) CASE(6, false) }
	switch (bits) {
	case 1: CASE(1, true)
	case 2: CASE(2, true)
	case 3: CASE(3, true)
	case 4: CASE(4, true)
	case 5: CASE(5, true)
	case 6: CASE(6, true)
	case 7: CASE(7, true)
	default: CASE(8, true)
	}
#undef CASE
}

template <class Tile> DEVICE void pass_by_high(u64 n, ValuesState *state, u32 *words, const u64 *elements, u32 *order) {
	const u32 bits = state->bits[1];
	if (state->lost || bits == 0) return;
	const TileCounts counts = {words, 3};
	typedef RadixShared<Tile, u64> Shared;
	SORTER_SHARED(Shared, shared);
#define CASE(b) { sort_tile(shared, HighPass<Tile, b>{elements, order}, n, state->start[1], &state->ticket[1], counts); return; }
	if (bits <= 4) CASE(4)
	if (bits <= 5) CASE(5)
	CASE(6)
#undef CASE
}

constexpr u32 WRITE_ITEMS = 8; // of a thread of values_write, of a tile

// rank_at returns the rank of the value that comes i-th, between two ranks.
DEVICE u32 rank_at(const u32 *starts, u64 i, u32 low, u32 high) {
	while (low < high) {
		const u32 middle = (low + high + 1) / 2;
		if (starts[middle] <= i) low = middle;
		else high = middle - 1;
	}
	return low;
}

// write_values writes each value as often as it occurs. Most tiles have one value.
template <class Code> DEVICE void write_values(u64 n, const ValuesState *state, const Code *values, const u32 *starts, Code *sorted) {
	if (state->lost) return;
	const u32 tile = blockDim.x * WRITE_ITEMS;
	for (u64 first = (u64)blockIdx.x * tile; first < n; first += (u64)gridDim.x * tile) {
		const u64 end = min(first + tile, n);
		const u32 low = rank_at(starts, first, 0, state->values - 1), high = rank_at(starts, end - 1, low, state->values - 1);
		const Code value = values[low];
		for (u64 i = first + threadIdx.x; i < end; i += blockDim.x) sorted[i] = low == high ? value : values[rank_at(starts, i, low, high)];
	}
}
