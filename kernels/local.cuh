// local.cuh: the bitonic sort of a bucket of up to 1024 elements by one warp, with 32
// elements in the registers of each lane.
//
// An element becomes one 32-bit word: its distance from the start of the slice, then its
// position in the bucket. min and max sort the words, and positions make ties stable. The
// input positions stay in shared memory until their places are known.
//
// Where only keys are sorted, a 32-bit element is its own word, and nothing stays in shared
// memory. Of a 64-bit element the low half stays there, and the word has the high bits.
//
// Words of different elements may agree in the bits of the distance. A run of such words is sorted
// by its elements: a short one by odd-even phases, longer ones by the network again, with the next
// bits that differ in a run in place of the distance. Each such round settles 12 bits or more of
// each run, so there are at most 8, whatever the codes. Odd-even phases alone take half the length
// of the longest run: 83 of 91 ms for 2^24 prices with two decimals (H200, 2026-11-26).
#pragma once
#include "network.cuh"
#include "octaves.cuh"

constexpr int LOCAL_ITEMS = LOCAL_SIZE / 32;  // elements per lane
constexpr u32 LOCAL_PITCH = LOCAL_ITEMS + 1;  // words from one lane's outputs to the next: no bank conflicts

struct LocalShared {
	u32 index[LOCAL_SIZE];        // input position, or low half of the distance in the slice, by position in the bucket
	u32 sorted[32 * LOCAL_PITCH]; // outputs, or words, in order
};

// KeyShared is the shared memory of a warp where only keys are sorted.
template <class Code> struct KeyShared { typedef LocalShared Type; };
template <> struct KeyShared<u32> {
	struct Type {
		u32 sorted[32 * LOCAL_PITCH]; // words in order
	};
};

// keep_side returns the result of one side of a comparator across lanes.
DEVICE u32 keep_side(u32 mine, u32 other, bool upper) { return upper ? max(mine, other) : min(mine, other); }

// sort_warp sorts the words of a warp. Word r of lane l then has rank 32*l + r. The
// first step of each merge compares with the mirrored partner, so that all
// comparators have one direction.
//
// The unit of min, add and shift is busy 90 % of the time (ncu, H200, 2026-11-23). So half of
// the comparators within a lane use exchange_by_sum, one min and two multiply-adds. A sort of
// 2^26 elements takes 0.403 ms, 0.412 with a quarter of them, 0.431 with none. exchange_by_sum
// across lanes lost: 0.48 ms and more.
DEVICE void sort_warp(u32 (&word)[LOCAL_ITEMS]) {
	constexpr int N = LOCAL_ITEMS;
	const u32 one = hidden_one();
	sort_lane<0, N>(word);
#pragma unroll 1 // the whole network unrolled does not fit into the instruction cache
	for (int lanes = 2; lanes <= 32; lanes *= 2) {
		bool upper = lane_id() & (lanes / 2);
#pragma unroll
		for (int r = 0; r < N / 2; r++) {
			u32 a = __shfl_xor_sync(FULL_WARP, word[N - 1 - r], lanes - 1);
			u32 b = __shfl_xor_sync(FULL_WARP, word[r], lanes - 1);
			word[r] = keep_side(word[r], a, upper);
			word[N - 1 - r] = keep_side(word[N - 1 - r], b, upper);
		}
#pragma unroll 1
		for (int stride = lanes / 4; stride >= 1; stride /= 2) {
			bool high = lane_id() & stride;
#pragma unroll
			for (int r = 0; r < N; r++) word[r] = keep_side(word[r], __shfl_xor_sync(FULL_WARP, word[r], stride), high);
		}
#pragma unroll
		for (int stride = N / 2; stride >= 1; stride /= 2)
#pragma unroll
			for (int r = 0; r < N; r++)
				if ((r & stride) == 0) {
					if (r % 4 < 2) exchange_by_sum(word[r], word[r + stride], one);
					else compare_exchange(word[r], word[r + stride]);
				}
	}
}

// Fields locates code and input position in an element of a Layout.
struct Fields {
	u32 at, mask; // position = element >> at & mask
	u32 code_at;  // lowest bit of the code; 0 if elements have whole codes

	DEVICE u32 position(u64 e) const { return (u32)(e >> at) & mask; }
	DEVICE bool alike(u64 a, u64 b) const { return (a ^ b) >> code_at == 0; } // then codes must be compared
	DEVICE bool whole() const { return code_at == 0; }                        // the order of elements is that of codes and positions
	DEVICE u64 outsider(u32 position) const { return (u64)position << at; }   // an element with this position
};

// Rest orders the elements of a run: by high, then by low. No two elements have the same.
struct Rest {
	u64 high;
	u32 low;
};

// differ_at returns the number of the highest bit in which two differ, from 1; 0 if in none.
DEVICE u32 differ_at(const Rest &a, const Rest &b) {
	if (a.high != b.high) return 96 - __clzll(a.high ^ b.high);
	return 32 - __clz(a.low ^ b.low);
}

constexpr u32 REST_BITS = 32 - 2 * LOCAL_BITS; // of a word after the first round: start of the run, next bits, position in the bucket

// bits_from returns REST_BITS bits from bit number top on, as of differ_at; fewer if high ends before.
DEVICE u32 bits_from(const Rest &rest, u32 top) {
	constexpr u32 MASK = (1 << REST_BITS) - 1;
	if (top > 32) return (u32)(rest.high >> (top > 32 + REST_BITS ? top - 32 - REST_BITS : 0)) & MASK;
	return rest.low >> (top > REST_BITS ? top - REST_BITS : 0) & MASK;
}

// Bucket is the elements of one bucket, with the codes and fields to compare them by.
template <class Code, class Fields> struct Bucket {
	typedef u64 Element;
	typedef u32 Output; // input positions
	typedef LocalShared Shared;
	const u64 *element;
	const Code *codes; // of the input
	Fields fields;

	DEVICE u32 position(u64 e) const { return fields.position(e); }
	DEVICE u32 output(u64 e) const { return position(e); }
	DEVICE u32 result(u32 place, const Shared &shared) const { return shared.index[place]; } // of an element, by its place in the bucket
	// What orders elements of a run, by their places in the bucket: they have whole codes, or the codes in
	// memory do, or all codes of each run are equal.
	DEVICE bool whole() const { return fields.whole(); }
	DEVICE Rest by_element(u32 place, const Shared &) const { return {element[place], 0}; }
	DEVICE Rest by_code(u32 place, const Shared &shared) const { return {codes[shared.index[place]], shared.index[place]}; }
	DEVICE Rest by_position(u32 place, const Shared &shared) const { return {0, shared.index[place]}; }

	// outsider makes an element of a listed position, and listed is its inverse. less_outside
	// compares such elements.
	DEVICE u64 outsider(u32 position) const { return fields.outsider(position); }
	DEVICE u32 listed(u64 e) const { return position(e); }
	DEVICE bool less_outside(u64 a, u64 b) const { return less_code(a, b); }

	// less compares two elements by code, then by input position.
	DEVICE bool less(u64 a, u64 b) const { return fields.alike(a, b) ? less_code(a, b) : a < b; }
	// less_code does so by the codes in memory.
	DEVICE bool less_code(u64 a, u64 b) const {
		const u32 i = position(a), j = position(b);
		const Code x = codes[i], y = codes[j];
		return x != y ? x < y : i < j;
	}
};

// KeyBucket is Bucket where only keys are sorted.
template <class Code> struct KeyBucket {
	typedef Code Element, Output;
	typedef typename KeyShared<Code>::Type Shared;
	const Code *element;
	KeyLayout<Code> layout;

	DEVICE Code output(Code e) const { return layout.code(e); }
	DEVICE Code result(u32 place, const Shared &) const { return output(element[place]); }
	DEVICE static bool whole() { return true; }
	DEVICE Rest by_element(u32 place, const Shared &) const { return {element[place], place}; }
	DEVICE static Rest by_code(u32, const Shared &) { return {}; } // not called
	DEVICE static Rest by_position(u32, const Shared &) { return {}; }
	DEVICE static Code outsider(Code code) { return code; }
	DEVICE static Code listed(Code e) { return e; }
	DEVICE static bool less(Code a, Code b) { return a < b; }
	DEVICE static bool less_outside(Code a, Code b) { return a < b; }
};

// apart reports whether all neighbouring words of the warp differ in a bit of weight near or
// above. near is a power of two, near >= LOCAL_SIZE. Equal words count as apart: they are the
// padding after the end, all ones, since words of elements differ.
DEVICE bool apart(const u32 (&word)[LOCAL_ITEMS], u32 near) {
	u32 last = word[LOCAL_ITEMS - 1] ^ __shfl_down_sync(FULL_WARP, word[0], 1);
	u32 closest = lane_id() == 31 ? 0xffffffffu : last - 1;
#pragma unroll
	for (int r = 0; r + 1 < LOCAL_ITEMS; r++) closest = min(closest, (word[r] ^ word[r + 1]) - 1);
	return __all_sync(FULL_WARP, closest >= near - 1);
}

// place_of returns the place in shared memory of the word of a rank.
DEVICE u32 place_of(u32 rank) { return rank + rank / LOCAL_ITEMS; }

// find_runs replaces the distance in each word, in shared memory, by the rank of the first word of
// its run: words that differ in no bit of weight near or above. It returns the length of the
// longest run. Words from size on are padding.
DEVICE u32 find_runs(u32 *sorted, u32 size, u32 near) {
	u32 last = 0, begun = 0, longest = 1; // the last word of the preceding row of 32, the start of its run
#pragma unroll 1
	for (u32 row = 0; row < size; row += 32) {
		const u32 rank = row + lane_id(), word = sorted[place_of(rank)];
		const u32 left = __shfl_up_sync(FULL_WARP, word, 1), before = lane_id() ? left : last;
		const bool begins = rank == 0 || rank >= size || (word ^ before) >= near;
		const u32 starts = __ballot_sync(FULL_WARP, begins), here = starts & ~0u >> (31 - lane_id());
		const u32 start = here ? row + 31 - __clz(here) : begun;
		longest = max(longest, rank - start + 1);
		last = __shfl_sync(FULL_WARP, word, 31);
		begun = __shfl_sync(FULL_WARP, start, 31);
		sorted[place_of(rank)] = start << LOCAL_BITS | (word & (LOCAL_SIZE - 1));
	}
#pragma unroll
	for (int d = 16; d; d /= 2) longest = max(longest, __shfl_xor_sync(FULL_WARP, longest, d));
	__syncwarp(); // all words have their runs
	return longest;
}

constexpr u32 SHORT_RUN = 3; // words that are sorted by odd-even phases rather than by another round of the network
constexpr u32 ROWS = 4;      // of 32 words, whose elements are loaded at once

// sort_runs sorts runs of up to longest words, which have the starts of their runs, by odd-even
// phases: as many as a run has words.
template <class B> DEVICE void sort_runs(u32 *sorted, u32 size, u32 longest, const B &bucket) {
#pragma unroll 1
	for (u32 phase = 0; longest > 1 && phase < longest; phase++) {
#pragma unroll 1
		for (u32 i = 2 * lane_id() + (phase & 1); i + 1 < size; i += 64) {
			u32 *first = sorted + place_of(i), *second = sorted + place_of(i + 1);
			const u32 a = *first, b = *second;
			if ((a ^ b) < LOCAL_SIZE && bucket.less(bucket.element[b & (LOCAL_SIZE - 1)], bucket.element[a & (LOCAL_SIZE - 1)])) {
				*first = b;
				*second = a;
			}
		}
		__syncwarp(); // the exchanges of this phase are written
	}
}

constexpr u32 RUN_BITS = 2 * LOCAL_BITS; // of a word that has the start of its run and the place in the bucket

// each_row calls f(rank, word, rest) for each lane and row of words that have the starts of their runs,
// row by row. order returns the Rest of an element by its place; words past the end have none.
template <class Order, class F> DEVICE void each_row(const u32 *sorted, u32 size, const Order &order, const F &f) {
#pragma unroll 1
	for (u32 first = 0; first < size; first += 32 * ROWS) {
		u32 word[ROWS];
		Rest rest[ROWS];
#pragma unroll
		for (u32 r = 0; r < ROWS; r++) {
			const u32 rank = first + 32 * r + lane_id();
			word[r] = rank < size ? peek(sorted + place_of(rank)) & ((1u << RUN_BITS) - 1) : rank << LOCAL_BITS;
			rest[r] = rank < size ? order(word[r] & (LOCAL_SIZE - 1)) : Rest{0, 0};
		}
		keep_order();
#pragma unroll
		for (u32 r = 0; r < ROWS; r++)
			if (first + 32 * r < size) f(first + 32 * r + lane_id(), word[r], rest[r]);
	}
}

// Preceding gives each lane the Rest of the preceding rank, row by row.
struct Preceding {
	Rest last = {0, 0}; // of the preceding row
	DEVICE Rest operator()(const Rest &rest) {
		Rest before = {__shfl_up_sync(FULL_WARP, rest.high, 1), __shfl_up_sync(FULL_WARP, rest.low, 1)};
		if (lane_id() == 0) before = last;
		last = {__shfl_sync(FULL_WARP, rest.high, 31), __shfl_sync(FULL_WARP, rest.low, 31)};
		return before;
	}
};

// runs_tie reports whether all codes of each run are equal.
template <class Order> DEVICE bool runs_tie(const u32 *sorted, u32 size, const Order &order) {
	Preceding preceding;
	bool differ = false;
	each_row(sorted, size, order, [&](u32 rank, u32 word, const Rest &rest) { differ |= preceding(rest).high != rest.high && word >> LOCAL_BITS != rank; });
	return !__any_sync(FULL_WARP, differ);
}

// refine_runs makes the words of the next round, of words that have the starts of their runs: the
// start, then the next bits in which elements of the run differ, then the place in the bucket.
template <class Order> DEVICE void refine_runs(u32 (&word)[LOCAL_ITEMS], u32 *sorted, u32 size, const Order &order) {
	Preceding preceding;
	each_row(sorted, size, order, [&](u32 rank, u32 own, const Rest &rest) { // the word of a start gets the highest of those bits
		const u32 start = own >> LOCAL_BITS;
		const Rest before = preceding(rest);
		if (start == rank) return;
		const u32 first = peek(sorted + place_of(start)) & ((1u << RUN_BITS) - 1);
		atomicMax(sorted + place_of(start), differ_at(rest, before) << RUN_BITS | first);
	});
	__syncwarp(); // the words of starts have the bits of all runs
	u32 lowest = size; // rank from which words are new
	while (lowest > 0) { // downwards: a start is read until its own row
		const u32 rank = ((lowest - 1) & ~31u) + lane_id(), own = sorted[place_of(rank)] & ((1u << RUN_BITS) - 1);
		const u32 top = rank < size ? sorted[place_of(own >> LOCAL_BITS)] >> RUN_BITS : 0;
		const u32 next = top > 0 ? bits_from(order(own & (LOCAL_SIZE - 1)), top) : 0;
		__syncwarp(); // starts in this row are read
		sorted[place_of(rank)] = own >> LOCAL_BITS << (LOCAL_BITS + REST_BITS) | next << LOCAL_BITS | (own & (LOCAL_SIZE - 1));
		lowest = rank - lane_id();
	}
	__syncwarp(); // all words are written
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		const u32 rank = r * 32 + lane_id();
		word[r] = rank < size ? sorted[place_of(rank)] : 0xffffffffu;
	}
	__syncwarp(); // words are read
}

// transpose writes the sorted words of a warp to shared memory, where lane l reads those of ranks
// l + 32*r without bank conflicts.
DEVICE void transpose(const u32 (&word)[LOCAL_ITEMS], u32 *sorted) {
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) sorted[lane_id() * LOCAL_PITCH + r] = word[r];
	__syncwarp(); // the stores of all lanes are in shared memory
}

// load_words loads the elements of a lane, element r if 32*r < rest, and makes words of them.
template <class Code>
DEVICE void load_words(const Bucket<Code, Fields> &bucket, u32 (&word)[LOCAL_ITEMS], int rest, u64 lowest, u32 drop, LocalShared &shared) {
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		word[r] = 0xffffffffu; // padding comes last: positions of elements are lower
		if (r * 32 < rest) {
			u64 e = load_once(bucket.element + lane_id() + r * 32);
			word[r] = ((u32)((e - lowest) >> drop) << LOCAL_BITS) + (r * 32 + lane_id());
			shared.index[r * 32 + lane_id()] = bucket.position(e);
		}
	}
}

// load_words of octaves issues all loads before the first use. In the compiler's order, one load
// at a time, a sort takes 1.4 times as long. The other load_words has six loads in flight; there
// all loads at once would take 1.07 times as long.
template <class Code>
DEVICE void load_words(const Bucket<Code, OctaveFields<Code>> &bucket, u32 (&word)[LOCAL_ITEMS], int rest, u64 lowest, u32 drop, LocalShared &shared) {
	u64 element[LOCAL_ITEMS];
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) element[r] = r * 32 < rest ? load_once(bucket.element + lane_id() + r * 32) : 0;
	keep_order();
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		word[r] = r * 32 < rest ? ((u32)((element[r] - lowest) >> drop) << LOCAL_BITS) + (r * 32 + lane_id()) : 0xffffffffu;
		shared.index[r * 32 + lane_id()] = bucket.position(element[r]);
	}
}

// sort_words sorts the words of a bucket of size elements. Words that differ in no bit of weight
// near or above may have to be compared as elements. If all are apart after the first round, it
// returns true, and word r of lane l has rank 32*l + r. Otherwise sorted has the words by rank, and
// only their places in the bucket have a meaning.
template <class B> DEVICE bool sort_words(u32 (&word)[LOCAL_ITEMS], const B &bucket, u32 size, u32 near, typename B::Shared &shared) {
	u32 *const sorted = shared.sorted;
	const auto by_element = [&](u32 place) { return bucket.by_element(place, shared); };
	const auto by_code = [&](u32 place) { return bucket.by_code(place, shared); };
	const auto by_position = [&](u32 place) { return bucket.by_position(place, shared); };
#pragma unroll 1
	for (bool first = true;; first = false) {
		sort_warp(word);
		if (first && apart(word, near)) return true;
		transpose(word, sorted);
		const u32 longest = find_runs(sorted, size, near);
		if (longest <= SHORT_RUN) {
			sort_runs(sorted, size, longest, bucket);
			return false;
		}
		if (bucket.whole()) refine_runs(word, sorted, size, by_element);
		else if (runs_tie(sorted, size, by_code)) refine_runs(word, sorted, size, by_position);
		else refine_runs(word, sorted, size, by_code);
		near = LOCAL_SIZE;
	}
}

// write_places writes the results of sorted words by their places in the bucket.
template <class B> DEVICE void write_places(const B &bucket, typename B::Output *dst, int rest, const typename B::Shared &shared) {
#pragma unroll 4
	for (int r = 0; r < LOCAL_ITEMS; r++)
		if (r * 32 < rest) dst[lane_id() + r * 32] = bucket.result(shared.sorted[r * LOCAL_PITCH + lane_id()] & (LOCAL_SIZE - 1), shared);
}

// local_sort orders the first size <= LOCAL_SIZE elements of a bucket, which are
// at least lowest and exceed it by less than 1 << (22 + drop), and writes their
// input positions in order to dst. near is as of sort_words.
template <class B>
DEVICE void local_sort(const B &bucket, u32 *dst, u32 size, u64 lowest, u32 drop, u32 near, LocalShared &shared) {
	const int rest = (int)size - (int)lane_id(); // positions lane_id() + 32*r with 32*r < rest exist
	u32 word[LOCAL_ITEMS];
	load_words(bucket, word, rest, lowest, drop, shared);
	if (!sort_words(word, bucket, size, near, shared)) {
		write_places(bucket, dst, rest, shared);
		return;
	}
	__syncwarp(); // indices of all lanes are in shared memory
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) shared.sorted[lane_id() * LOCAL_PITCH + r] = shared.index[word[r] & (LOCAL_SIZE - 1)];
	__syncwarp(); // outputs are in shared memory
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++)
		if (r * 32 < rest) dst[lane_id() + r * 32] = shared.sorted[r * LOCAL_PITCH + lane_id()];
}

// local_sort of 32-bit keys: the whole element is sorted.
DEVICE void local_sort(const KeyBucket<u32> &bucket, u32 *dst, u32 size, u64, u32, u32, KeyShared<u32>::Type &shared) {
	const int rest = (int)size - (int)lane_id();
	u32 word[LOCAL_ITEMS];
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) word[r] = r * 32 < rest ? load_once(bucket.element + lane_id() + r * 32) : 0xffffffffu; // padding comes last
	sort_warp(word);
	transpose(word, shared.sorted);
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++)
		if (r * 32 < rest) dst[lane_id() + r * 32] = bucket.output(shared.sorted[r * LOCAL_PITCH + lane_id()]);
}

// local_sort of 64-bit keys. If words leave out no bits of codes, equal ones are equal keys. In the few
// slices so wide that words leave out more than the low half, the element is read again.
DEVICE void local_sort(const KeyBucket<u64> &bucket, u64 *dst, u32 size, u64 lowest, u32 drop, u32 near, LocalShared &shared) {
	const int rest = (int)size - (int)lane_id();
	u32 word[LOCAL_ITEMS];
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		word[r] = 0xffffffffu;
		if (r * 32 < rest) {
			const u64 distance = bucket.element[lane_id() + r * 32] - lowest;
			word[r] = ((u32)(distance >> drop) << LOCAL_BITS) + (r * 32 + lane_id());
			shared.index[r * 32 + lane_id()] = (u32)distance;
		}
	}
	if (!sort_words(word, bucket, size, drop <= bucket.layout.up ? 1 : near, shared)) { // words are apart by 1
		write_places(bucket, dst, rest, shared);
		return;
	}
	transpose(word, shared.sorted);
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		if (r * 32 >= rest) continue;
		const u32 w = shared.sorted[r * LOCAL_PITCH + lane_id()], place = w & (LOCAL_SIZE - 1);
		const u64 e = drop <= 32 ? lowest + ((u64)(w >> LOCAL_BITS) << drop | shared.index[place]) : bucket.element[place];
		dst[lane_id() + r * 32] = bucket.output(e);
	}
}
