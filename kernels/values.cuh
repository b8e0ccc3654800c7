// values.cuh: a stable sort of codes that have few distinct values.
//
//   values_open       makes a hash table of one value
//   values_find       adds the values of a sample
//   values_classify   finds each code's place in the table and counts the codes of each place;
//                     values that the sample lacks are added
//   values_rank       ranks the values, and finds the start of each value's codes
//   values_pass       a stable partition by rank: radix.cuh with digits of as few bits
//                     as ranks need; one pass for up to 256 values, two for more
//   values_write      where only keys are sorted: writes each value as often as it occurs
//
// The table has open addressing with linear probes, in device memory. Free places hold the
// code of the first element. That code itself is always at its home place, so every other
// place with that code is free. So a place is one word, and one compare-and-swap takes it.
//
// The largest table may be half full. Its probes begin at multiples of 16 bytes, which a lookup
// reads at once; one lookup in thirty of 32-bit codes needs more. Other tables are at most an
// eighth full, and a lookup reads one place. Times for 2^28 codes: 16 values take 0.59 ms by
// places and 0.94 by vectors; 4096 values take 2.1 ms and 1.2.
//
// Blocks of values_classify look codes up in a copy in shared memory. A code that is missing
// there is added to the table in device memory. With too many values the sort gives up.
//
// Traffic per element of 32-bit codes: 4 + 2 + 2 + 4 bytes in one pass, 8 + 8 more in two.
#pragma once
#include "radix.cuh"
#include "sample.cuh"

constexpr u32 MAX_VALUES = 4096;
constexpr int VALUES_BITS = 13;                   // binary logarithm of the places of the largest table, at most half full
constexpr u32 VALUES_COUNTERS = 1 << VALUES_BITS; // counters of a block of values_classify
constexpr u32 VALUES_PROBES = 256;                // maximum of probes for a code
constexpr int VALUES_THREADS = 512, VALUES_ITEMS = 8; // of values_classify
constexpr int VALUES_BLOCKS_U32 = 3, VALUES_BLOCKS_U64 = 2; // resident blocks per SM
constexpr int VALUES_TILE = VALUES_THREADS * VALUES_ITEMS;
static_assert(2 * MAX_VALUES <= VALUES_COUNTERS, "a table is half full at most");

// ValuesState is the shared state of the kernels of one sort.
struct alignas(8) ValuesState {
	u64 free;   // the code that free places hold
	u32 values; // in the table
	u32 lost;   // 1: there are too many values
	u32 bits[2]; // bits of a digit of each pass; 0: no pass
	u32 ticket[2];
	u32 ranked; // blocks of values_rank that are done
	u32 start[2][RADIX];     // start of each digit's elements
	u16 taken[MAX_VALUES];  // places of the values, in the order in which they were added
};

// ValuesNote lies in memory of the host, which reads it once it is not zero.
struct ValuesNote {
	u32 values; // above MAX_VALUES: too many
};

// Values is the hash table.
template <class Code> struct Values {
	Code *place;
	ValuesState *state;
	u32 bits; // of a place's number

	DEVICE u32 size() const { return 1u << bits; }
	DEVICE u32 next(u32 place) const { return (place + 1) & (size() - 1); }
	DEVICE bool vectors() const { return bits == (u32)VALUES_BITS; } // homes are the first places of vectors
	DEVICE u32 hash(u32 code) const { return code * 0x9e3779b1u >> (32 - bits); }
	DEVICE u32 hash(u64 code) const { return (u32)(code * 0x9e3779b97f4a7c15ull >> (64 - bits)); }
	DEVICE static u32 first_of_vector(u32 place) { return place & ~(Vector<Code>::SIZE - 1); }
	DEVICE u32 home(Code code) const { return vectors() ? first_of_vector(hash(code)) : hash(code); }

	// join returns the place of a code, which it adds if it is missing.
	DEVICE u32 join(Code code, Code free) const {
		const u32 taken = home(free);
		u32 at = home(code);
		for (u32 probes = 0; probes < VALUES_PROBES; probes++, at = next(at)) {
			Code found = load_word(place + at);
			if (found == free && at != taken && code != free) {
				found = atomicCAS(place + at, free, code);
				if (found == free) {
					const u32 before = atomicAdd(&state->values, 1u);
					if (before < MAX_VALUES) state->taken[before] = (u16)at;
					if (before >= min(MAX_VALUES, size() / 2)) store_word(&state->lost, 1);
					return at;
				}
			}
			if (found == code) return at;
		}
		store_word(&state->lost, 1);
		return at;
	}
};

// open_values makes a table of the first code and clears counters.
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

// find_values adds a sample of the codes to the table. Of a warp's lanes with equal codes only
// the first accesses the table: with a few values all lanes at once take 40 µs.
template <class Code> DEVICE void find_values(const Code *codes, u64 n, u32 sample_bits, const Values<Code> &table) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	const Code free = (Code)table.state->free;
	for (u64 k = (u64)blockIdx.x * blockDim.x + threadIdx.x; k >> sample_bits == 0; k += step) { // whole warps
		const Code code = codes[drawn(k, sample_bits, n, 0)];
		if ((like(code) & ((1u << lane_id()) - 1)) == 0) table.join(code, free);
	}
}

template <class Code> struct ClassifyShared {
	u32 count[VALUES_COUNTERS];
	alignas(16) Code place[1]; // all places of the table
};

// Lookup is the table of a block of values_classify: a copy in shared memory, which the block
// completes from device memory.
template <class Code> struct Lookup {
	const Values<Code> &table;
	Code *copy, free;
	u32 taken; // the home of free, which is taken

	// place returns the place of a code that is not at its home in the copy.
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

// look_up searches a code at a place, or in the vector that begins there. It returns the code's
// place, or sets bit in elsewhere and returns the next place to search, modulo the size.
template <bool VECTORS, class Code> DEVICE u32 look_up(const Code *copy, u32 at, Code code, u32 &elsewhere, u32 bit) {
	if (!VECTORS) {
		const bool here = peek(&copy[at]) == code;
		elsewhere = here ? elsewhere & ~bit : elsewhere | bit;
		return here ? at : at + 1;
	}
	const u32 k = index_in(peek_vector(&copy[at]), code);
	elsewhere = k < Vector<Code>::SIZE ? elsewhere & ~bit : elsewhere | bit;
	return at + k;
}

// load_classified loads the codes of a tile from at on. Past the end they are free.
template <class Code> DEVICE void load_classified(Code (&code)[VALUES_ITEMS], const Code *codes, u64 at, u64 n, bool full, Code free) {
#pragma unroll
	for (int i = 0; i < VALUES_ITEMS; i++) code[i] = full || at + i * VALUES_THREADS < n ? load_once(codes + at + i * VALUES_THREADS) : free;
}

constexpr int VALUES_ROUNDS = 4; // places or vectors after the home that are searched for all items of a thread together

// index_in returns the index of a code in a vector, at least the vector's size if it is missing.
template <class Code> DEVICE u32 index_in(const Vector<Code> &vector, Code code) {
	u32 k = Vector<Code>::SIZE;
#pragma unroll
	for (int i = Vector<Code>::SIZE - 1; i >= 0; i--)
		if (vector.word[i] == code) k = i;
	return k;
}

// classify_by finds the place of each code in the table. Atomics of equal codes are serialized,
// so with few values each has several counters. If places is null, only keys are sorted. The
// codes of the next tile are loaded meanwhile.
template <bool VECTORS, class Code> DEVICE void classify_by(const Code *codes, u64 n, const Values<Code> &table, u16 *places, u32 *counts) {
	SORTER_SHARED(ClassifyShared<Code>, shared);
	ValuesState *const state = table.state;
	const u32 spread = VALUES_BITS - table.bits, own = lane_id() & ((1u << spread) - 1); // binary logarithm of the counters of a value; this lane's counter
	const Code free = (Code)state->free;
	const Lookup<Code> lookup = {table, shared.place, free, table.home(free)};
	for (u32 i = threadIdx.x; i < VALUES_COUNTERS; i += VALUES_THREADS) shared.count[i] = 0;
	for (u32 i = threadIdx.x; i < table.size(); i += VALUES_THREADS) shared.place[i] = load_word(&table.place[i]);
	__syncthreads(); // the copy is complete, counters are zero
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
		for (int i = 0; i < VALUES_ITEMS; i++) { // without branches, so that lookups overlap
			const u32 hash = table.hash(code[i]);
			place[i] = look_up<VECTORS>(shared.place, VECTORS ? table.first_of_vector(hash) : hash, code[i], elsewhere, 1u << i);
		}
		for (int round = 0; round < VALUES_ROUNDS && __any_sync(FULL_WARP, elsewhere != 0); round++) {
#pragma unroll
			for (int i = 0; i < VALUES_ITEMS; i++) {
				if (!(elsewhere >> i & 1)) continue;
				place[i] = look_up<VECTORS>(shared.place, place[i] & (table.size() - 1), code[i], elsewhere, 1u << i);
			}
			__syncwarp(); // lanes reconverge
		}
		if (__any_sync(FULL_WARP, elsewhere != 0)) {
#pragma unroll
			for (int i = 0; i < VALUES_ITEMS; i++) {
				if (elsewhere >> i & 1) place[i] = lookup.place(code[i]);
				__syncwarp(); // lanes reconverge: diverged, the stores below would take ten times as long
			}
		}
#pragma unroll
		for (int i = 0; i < VALUES_ITEMS; i++) {
			if (!full && at + i * VALUES_THREADS >= n) continue;
			atomicAdd(&shared.count[place[i] << spread | own], 1u);
			if (places) places[at + i * VALUES_THREADS] = (u16)place[i];
		}
		if (__any_sync(FULL_WARP, lost)) break; // the warp stops as a whole
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
	if (table.vectors()) classify_by<true>(codes, n, table, places, counts);
	else classify_by<false>(codes, n, table, places, counts);
}

// DigitBits are the numbers of bits of the low and the high digit of ranks, for a number of
// values; high == 0 if ranks fit one digit.
struct DigitBits {
	u32 low, high;
	DEVICE DigitBits(u32 values) {
		const u32 bits = values > 2 ? 32 - __clz(values - 1) : 1;
		high = bits > RADIX_BITS ? bits / 2 : 0;
		low = bits - high;
	}
	DEVICE u32 low_digit(u32 rank) const { return rank & ((1u << low) - 1); }
};

constexpr u32 RANK_THREADS = 1024, RANK_VALUES = 32; // values per block, a lane each

struct RankShared {
	u32 rank[RANK_VALUES], start[RANK_VALUES];
	u32 sums[32];
	u32 last;
};

// rank_values writes the rank of each place, the values by rank, and their starts. A value's rank
// is the number of smaller values, its start the number of their elements. Every value is
// compared with every other: a warp compares RANK_VALUES of them with a part of the others, of
// which each lane holds one at a time. The largest table takes 17 million comparisons, 10 µs.
// What lost: comparing places, half of them free, 50 µs; sorting 4096 values in one block, 70 µs.
template <class Code> DEVICE void rank_values(const Values<Code> &table, const u32 *counts, u16 *ranks, Code *values, u32 *starts, ValuesNote *note) {
	SORTER_SHARED(RankShared, shared);
	ValuesState *const state = table.state;
	const u32 count = state->values, lost = state->lost;
	if (blockIdx.x == 0 && threadIdx.x == 0) notify_host(&note->values, lost ? MAX_VALUES + 1 : count);
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

// ValuesTile is the tile of a block of values_pass.
struct ValuesTile : RadixTile<384, 23> {
	static constexpr int BLOCKS = 3;
};

// PassShared is a tile and the ranks.
template <class Tile> struct PassShared {
	RadixShared<Tile, u32> tile;
	u16 rank[1]; // by place in the table
};

// RankPass is the pass over the low digits of ranks. An element is rank << 16 | index in the tile.
template <class T, int bits, bool LAST> struct RankPass {
	typedef T Tile;
	typedef u32 Element;
	typedef RadixShared<Tile, Element> Shared;
	static constexpr int BITS = bits, INDEX_BITS = 14;
	static constexpr u32 PADDING = ~0u;
	static_assert(Tile::SIZE <= 1 << INDEX_BITS, "an index fits");
	const u16 *places;
	const u16 *rank; // in shared memory
	u32 *order;      // result of the last pass
	u64 *to;         // result of another pass

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
	__syncthreads(); // ranks are in shared memory
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

constexpr u32 WRITE_ITEMS = 8; // items per thread of values_write

// rank_at returns the rank of the value at place i of the result, between two ranks.
DEVICE u32 rank_at(const u32 *starts, u64 i, u32 low, u32 high) {
	while (low < high) {
		const u32 middle = (low + high + 1) / 2;
		if (starts[middle] <= i) low = middle;
		else high = middle - 1;
	}
	return low;
}

// write_values writes each value as often as it occurs. Most tiles have one value only.
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
