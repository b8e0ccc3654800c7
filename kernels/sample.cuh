// sample.cuh: random samples of the codes, from which their range, the order of neighbours,
// the number of values and the distribution over the range are estimated.
#pragma once
#include "octaves.cuh"

constexpr int SAMPLE_THREADS = 1024;
constexpr int RANGE_BITS = 13, RANGE_SAMPLES = 1 << RANGE_BITS;
constexpr int TIES = 2; // counts of SampleNote.ties
constexpr int SAMPLE_LOADS = 4; // loads of the second sample that a thread has in flight

// Found is the range found by a thread, a warp or a block.
struct Found {
	u64 low, high, ones, zeros;
	u32 ascents, descents;
	double distance; // sum over pairs of neighbours
};

constexpr int RANGE_BLOCKS = RANGE_SAMPLES / SAMPLE_THREADS; // of sample_range: a thread per sample

// Sample is the first sample in device memory.
struct Sample {
	Found found[RANGE_BLOCKS];
	u64 code[RANGE_SAMPLES];
	u32 position[RANGE_SAMPLES];
};

// SampleCounts is the sums of the blocks of sample_codes. It is clear before.
struct alignas(8) SampleCounts {
	u32 segments[SEGMENTS]; // elements of the second sample, by equal parts of the range
	u32 octaves[SEGMENTS];  // those in the lowest parts, by parts of octaves
	u32 fullest[SEGMENTS];  // as in SampleNote
	u32 values[3];          // as in SampleNote
	u32 ties[TIES];         // as in SampleNote
	u32 done;               // blocks that are done
	u32 enough;             // 1: the early report ends the sample
	u64 pairs;              // as in SampleNote
};

// SampleNote is the result in memory of the host, which reads it once ready is not zero. The
// host clears ready before.
struct SampleNote {
	u64 low, high;         // of RANGE_SAMPLES codes
	u64 differ;            // bits in which those codes differ
	u64 ascents, descents; // strict ones, of RANGE_SAMPLES pairs of neighbours
	double distance;       // sum over these pairs
	u32 segments[SEGMENTS];
	u32 octaves[SEGMENTS]; // as in SampleCounts
	u32 fullest[SEGMENTS]; // elements of the second sample in that cell of each part that has most; 0 for one
	u64 pairs;      // of elements of the second sample in the same cell
	u32 ties[TIES]; // of the first of SAMPLE_LOADS draws of threads in the second sample: those whose leading word an earlier one has, and those whose code, 1 << OCTAVE_CODES or more above the range's low end, one to MOST_REPEATS earlier ones have; some are missed
	u32 values[3]; // values that the first sample has at least once, twice, three times; slightly low, since hashes collide
	u32 ready;
	u32 few; // set before: the number of values, if few, or SEEMS_FLAT and so on; SEEMS_OPEN if the other fields are needed
};

// mix scrambles x (Vigna's splitmix64).
DEVICE u64 mix(u64 x) {
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

// scramble is a permutation of 32 bits (the finalizer of MurmurHash3).
DEVICE u32 scramble(u32 x) {
	x = (x ^ x >> 16) * 0x85ebca6bu;
	x = (x ^ x >> 13) * 0xc2b2ae35u;
	return x ^ x >> 16;
}

// drawn returns the k-th of 1 << bits sample positions, one from each of 1 << bits equal parts
// of the input. The salt differs from sort to sort: no list is even just where it is sampled. n and k are below 1 << 32.
DEVICE u64 drawn(u64 k, u32 bits, u64 n, u64 salt) {
	const u64 at = (u64)(u32)n * (u32)k, lo = at >> bits, hi = (at + n) >> bits;
	return lo + __umulhi(scramble((u32)k * 0x9e3779b1u + 0x17156075u + (u32)salt), hi > lo ? (u32)(hi - lo) : 1);
}

// spread returns another number below 1 << bits for each k: numbers in sequence are far apart.
DEVICE u64 spread(u64 k, u32 bits) { return k * 0x9e3779b1u & ((1ull << bits) - 1); }

// MAX_EARLY_VALUES is the number of values up to which report_early detects few values: its
// first part has half of them at least twice.
constexpr u32 MAX_EARLY_VALUES = 512;

// SampleNote.few: of the first part, no codes differ; no neighbours fall; codes are left; no neighbours rise; or nothing is
// known, so that the second sample is needed.
constexpr u32 SEEMS_FLAT = 1u << 31, SEEMS_SORTED = SEEMS_FLAT + 1, SEEMS_LEFT = SEEMS_FLAT + 2, SEEMS_REVERSED = SEEMS_FLAT + 3, SEEMS_OPEN = SEEMS_FLAT + 4;
constexpr u32 EARLY_BINS = 64, EARLY_LOADS = 4, EARLY_SAMPLES = EARLY_LOADS * SAMPLE_THREADS;

// EARLY_REPEATS is the number of codes of an early sample that repeat another up to which they have more
// values than are worth a sort of few: of 2000 equally frequent ones 2350 would, of which an eighth
// are missed.
constexpr u32 EARLY_REPEATS = 2000;

// Seen has bits for the hashes of codes: seen at least once, twice, three times.
template <int BITS> struct Seen {
	static constexpr u32 WORDS = (1 << BITS) / 32;
	u32 bits[3][WORDS];

	DEVICE void clear() {
		for (u32 i = threadIdx.x; i < 3 * WORDS; i += SAMPLE_THREADS) (&bits[0][0])[i] = 0;
	}
	DEVICE void add(u64 code) {
		const u32 hash = (u32)(mix(code) >> (64 - BITS)), bit = 1u << hash % 32;
		if (peek(&bits[2][hash / 32]) & bit) return; // or the atomics of the most frequent value are serialized
		for (int times = 0; times < 3; times++)
			if (!(atomicOr(&bits[times][hash / 32], bit) & bit)) break;
	}
	// count adds the number of values seen more than times times to values[times].
	DEVICE void count(u32 *values) const {
		for (int times = 0; times < 3; times++) {
			u32 count = 0;
			for (u32 i = threadIdx.x; i < WORDS; i += SAMPLE_THREADS) count += __popc(bits[times][i]);
			count = inclusive_scan(count);
			if (lane_id() == 31 && count) atomicAdd(&values[times], count);
		}
	}
};

// estimate_values estimates the number of all values by the numbers of values that a sample has
// at least once, twice and three times (Chao, 1984). Of values equally frequent about as many come
// once as twice; if far more do, there are others that are rarer still, and their number is not known.
DEVICE u32 estimate_values(const u32 *values) {
	const u32 once = values[0] - values[1], twice = values[1] - values[2];
	return once > 2 * twice + 8 ? ~0u : values[0] + once * once / (2 * max(twice, 1u));
}

constexpr u32 TIE_SHARE = 16;     // of a block's draws in the second sample, 1 / TIE_SHARE of one part are looked up at most: atomics on one slot queue up, too
constexpr u32 OCTAVE_CODES = 27; // of smaller codes, elements by octaves have positions in their leading words
constexpr u32 REPEAT_BITS = 4, MOST_REPEATS = (1 << REPEAT_BITS) - 1;

// TieTable finds leading words and codes that an earlier element of the sample has. A slot has the
// fingerprint of the last one there, and how often it was found. The salt differs from sort to
// sort, so what an earlier sort left in the table, or nobody, is like no fingerprint.
struct TieTable {
	u32 *slots;
	u32 bits; // binary logarithm of their number
	u64 salt;

	struct Slot {
		u32 *at, print;

		// take puts the fingerprint into the slot, and returns what was there.
		DEVICE u32 take() const { return atomicExch(at, print); }

		// repeats returns 1 if what was held has the fingerprint, and was found most times or fewer.
		DEVICE u32 repeats(u32 held, u32 most) const {
			const u32 times = held - print;
			if (times > MOST_REPEATS) return 0;
			if (most <= MOST_REPEATS) atomicExch(at, print + min(times + 1, MOST_REPEATS));
			return times < most;
		}
	};
	DEVICE Slot slot_of(u64 what) const {
		const u64 hash = mix(what ^ salt);
		return {slots + (hash >> (64 - bits)), (u32)hash << REPEAT_BITS};
	}
};

struct EarlyShared {
	Found warp[32];
	Seen<14> seen;
	u32 values[3];
	u32 bin[EARLY_BINS];
	u32 repeats, words;           // of codes, and of leading words
	u32 codes[2 * EARLY_SAMPLES]; // slots of TieTables
	u32 leading[EARLY_SAMPLES]; // or counts of hashes of codes
};

DEVICE Found join(const Found &f, const Found &g) {
	return {min(f.low, g.low), max(f.high, g.high), f.ones | g.ones, f.zeros | g.zeros, f.ascents + g.ascents, f.descents + g.descents, f.distance + g.distance};
}

// join_lanes returns to each lane the joined Found of its group of LANES neighbouring lanes.
template <int LANES> DEVICE Found join_lanes(Found f) {
#pragma unroll
	for (int d = LANES / 2; d; d /= 2) {
		const Found other = {__shfl_xor_sync(FULL_WARP, f.low, d), __shfl_xor_sync(FULL_WARP, f.high, d), __shfl_xor_sync(FULL_WARP, f.ones, d),
		                     __shfl_xor_sync(FULL_WARP, f.zeros, d), __shfl_xor_sync(FULL_WARP, f.ascents, d), __shfl_xor_sync(FULL_WARP, f.descents, d),
		                     __shfl_xor_sync(FULL_WARP, f.distance, d)};
		f = join(f, other);
	}
	return f;
}

// join_blocks returns the joined Found of all parts of the first sample to all lanes of a warp.
DEVICE Found join_blocks(const Sample *sample) { return join_lanes<RANGE_BLOCKS>(sample->found[lane_id() % RANGE_BLOCKS]); }

// digits_of returns the number of bytes in which bits differ.
DEVICE u32 digits_of(u64 differ) {
	u32 digits = 0;
	for (; differ; differ >>= 8) digits += (differ & 0xff) != 0;
	return digits;
}

// layout_of returns the layout for uneven codes: the range of a sample with a margin, since it rarely
// holds the extremes. The host computes the same.
template <class Code> DEVICE Layout<Code> layout_of(u64 low, u64 high, u32 index_bits) {
	const u64 top = (Code)~(Code)0, margin = (high - low) / 2;
	low = low > margin ? low - margin : 0;
	high = top - high > margin ? high + margin : top;
	Layout<Code> layout;
	layout.low = (Code)low;
	layout.span = (Code)(high - low);
	layout.up = __clzll(high - low | 1);
	bool exact = layout.up >= index_bits;
	layout.at = exact ? layout.up - index_bits : 0;
	layout.keep = exact ? ~0ull : ~0ull << index_bits;
	return layout;
}

// Leave is which codes are left to a radix sort at once: those that differ in few bytes, all in one
// half of 64-bit codes; and, if they have many values, very uneven ones, those whose leading
// words repeat, and those of which one code is frequent: no bucket holds all of it.
struct Leave {
	u32 digits;
	u32 share;   // uneven: a bin has more than share times its share; 0: none are
	u32 repeats; // of leading words in an early sample; 0: any number
	u32 heavy;   // elements of one code in an early sample, 1 << OCTAVE_CODES or more above its low end; 0: any number; only without share and repeats
};

// bin_of returns the bin of a code from low to high.
DEVICE u32 bin_of(u64 code, u64 low, u64 high) { return min((u32)((double)(code - low) / ((double)(high - low) + 1) * EARLY_BINS), EARLY_BINS - 1); }

// report_early examines one part of the sample, and EARLY_SAMPLES codes where codes may be left for their share,
// repeats or a heavy code, for what makes the second sample needless, and reports it to the host: few values, at most most, of
// unordered codes; codes that seem to be in order; and codes that are left. most <= MAX_EARLY_VALUES.
template <class Code> DEVICE void report_early(EarlyShared &shared, const Code *codes, u64 n, u32 index_bits, u64 salt, u32 *few, u32 most, const Leave &leave, u32 *enough) {
	constexpr u32 SHARE = EARLY_SAMPLES / EARLY_BINS, BITS = 12, HASH = 10;
	static_assert(EARLY_SAMPLES == 1 << BITS && RANGE_BLOCKS >= EARLY_LOADS, "sizes of tables; every eighth sample is of the part");
	const u64 at = drawn(threadIdx.x * RANGE_BLOCKS, RANGE_BITS, n, salt);
	const Code next = codes[at + 1 < n ? at + 1 : at], first = codes[drawn(0, RANGE_BITS, n, salt)];
	const bool uneven_too = leave.share || leave.repeats, more = uneven_too || leave.heavy;
	Code code[EARLY_LOADS];
	u32 position[EARLY_LOADS];
#pragma unroll
	for (u32 i = 0; i < EARLY_LOADS; i++) {
		position[i] = (u32)drawn(threadIdx.x * RANGE_BLOCKS + (more ? i : 0), RANGE_BITS, n, salt);
		code[i] = codes[position[i]];
	}
	shared.seen.clear();
	for (u32 i = threadIdx.x; more && i < 2 * EARLY_SAMPLES; i += SAMPLE_THREADS) {
		shared.codes[i] = 0;
		if (i < EARLY_SAMPLES) shared.leading[i] = 0;
	}
	if (threadIdx.x < 3) shared.values[threadIdx.x] = 0;
	if (threadIdx.x < EARLY_BINS) shared.bin[threadIdx.x] = 0;
	if (threadIdx.x == 0) shared.repeats = shared.words = 0;
	Found f = {code[0], code[0], code[0], ~(u64)code[0], 0, 0, 0};
#pragma unroll
	for (u32 i = 1; i < EARLY_LOADS; i++) f = join(f, {code[i], code[i], code[i], ~(u64)code[i], 0, 0, 0});
	f = join_lanes<32>(f);
	if (lane_id() == 0) shared.warp[warp_id()] = f;
	const bool rises = __syncthreads_or(code[0] < next); // and all is clear, the Found of every warp is written
	f = join_lanes<32>(shared.warp[lane_id()]);
	const Layout<Code> layout = layout_of<Code>(f.low, f.high, index_bits);
	u32 repeats = 0, words = 0, alike = 0;
#pragma unroll
	for (u32 i = 0; more && i < EARLY_LOADS; i++) {
		const TieTable::Slot same_code = TieTable{shared.codes, BITS + 1, 0}.slot_of(code[i]);
		repeats += same_code.repeats(same_code.take(), ~0u);
		if (uneven_too) {
			atomicAdd(&shared.bin[bin_of(code[i], f.low, f.high)], 1u);
			const TieTable::Slot same_word = TieTable{shared.leading, BITS, 0}.slot_of(word_of(code[i], position[i], layout) >> 32);
			words += same_word.repeats(same_word.take(), MOST_REPEATS);
		} else if ((u64)(code[i] - f.low) >> OCTAVE_CODES) {
			alike = max(alike, atomicAdd(&shared.leading[mix(code[i]) >> (64 - HASH)], 1u) + 1);
		}
	}
	if (repeats) atomicAdd(&shared.repeats, repeats);
	if (words) atomicAdd(&shared.words, words);
	shared.seen.add(code[0]);
	const bool falls = __syncthreads_or(code[0] > next); // and bits are set, bins and repeats are complete
	const bool full = threadIdx.x < EARLY_BINS && shared.bin[threadIdx.x] > leave.share * SHARE;
	const bool uneven = __syncthreads_or((leave.share && full) || (leave.heavy && alike >= leave.heavy));
	shared.seen.count(shared.values);
	const bool varies = __syncthreads_or(code[0] != first); // and values are counted
	if (threadIdx.x > 0) return;
	const u32 values = estimate_values(shared.values);
	const u64 differ = f.ones & f.zeros;
	const bool both = differ >> 32 && (u32)differ;
	const bool left = (!both && digits_of(differ) <= leave.digits) ||
	                  (shared.repeats < EARLY_REPEATS && (uneven || (leave.repeats && shared.words >= leave.repeats)));
	const u32 found = !falls ? (varies ? SEEMS_SORTED : SEEMS_FLAT) : !rises ? SEEMS_REVERSED : values <= most ? values : left ? SEEMS_LEFT : 0;
	if (found == SEEMS_LEFT || (found && found < SEEMS_FLAT)) store_word(enough, 1);
	notify_host(few, found ? found : SEEMS_OPEN);
}

// draw_range loads a thread's codes of the first sample.
template <class Code> DEVICE void draw_range(Code (&code)[RANGE_SAMPLES / SAMPLE_THREADS], const Code *codes, u64 n, u64 salt) {
#pragma unroll
	for (int i = 0; i < RANGE_SAMPLES / SAMPLE_THREADS; i++) code[i] = codes[drawn(threadIdx.x + i * SAMPLE_THREADS, RANGE_BITS, n, salt)]; // all loads in flight at once
}

// take_range takes one of RANGE_BLOCKS parts of the first sample. found has space for the Found of each warp.
template <class Code> DEVICE void take_range(Found *found, const Code *codes, u64 n, u64 salt, Sample *sample, u32 part) {
	const u32 k = threadIdx.x * RANGE_BLOCKS + part; // each part is spread over all codes
	const u64 at = drawn(k, RANGE_BITS, n, salt);
	const Code code = codes[at], next = codes[at + 1 < n ? at + 1 : at];
	sample->code[k] = code;
	sample->position[k] = (u32)at;
	Found f = join_lanes<32>({code, code, code, ~(u64)code, code < next, code > next, (double)(Code)(code < next ? next - code : code - next)});
	if (lane_id() == 0) found[warp_id()] = f;
	__syncthreads(); // the Found of every warp is written
	static_assert(SAMPLE_THREADS == 32 * 32, "a lane for each warp");
	if (warp_id() > 0) return;
	f = join_lanes<32>(found[lane_id()]);
	if (lane_id() == 0) sample->found[part] = f;
}

// sample_range takes the first sample, a part in each of RANGE_BLOCKS blocks. n > 0.
template <class Code> DEVICE void sample_range(const Code *codes, u64 n, u64 salt, Sample *sample) {
	SORTER_SHARED(EarlyShared, shared);
	take_range(shared.warp, codes, n, salt, sample, blockIdx.x);
}

// sample_layout returns the layout by the first sample.
template <class Code> DEVICE Layout<Code> sample_layout(const Sample *sample, u32 index_bits) {
	const Found found = join_blocks(sample);
	return layout_of<Code>(found.low, found.high, index_bits);
}

constexpr int HASH_BITS = 16; // if all values of a sample differ, one in sixteen has the hash of another

struct SegmentsShared {
	u32 count[SEGMENTS], octaves[SEGMENTS], fullest[SEGMENTS];
	u64 low[32], high[32]; // of the codes of warps
	u32 ties[TIES];
	u64 pairs;
};

struct SampleShared {
	union {
		EarlyShared early;
		Seen<HASH_BITS> seen;
		Found warp[32];
		SegmentsShared segments;
	};
	u32 last;
};

// Cells are equal parts of all words, each as wide as half a bucket of even codes. How many elements of a sample share
// one shows how much sizes of buckets will vary, which the 1024 parts do not show. With a power of two of cells,
// codes that crowd at the beginnings of 2^16 parts seemed even, and the attempts of 2^24 codes were lost.
//
// Atomics on one cell queue up: if most codes are in a few cells, adding all takes 0.3 ms (H200,
// 2^20 samples). So each block adds a limited number of a part's elements.
struct Cells {
	u32 *count;
	u32 all;  // their number
	u32 most; // elements of a part that a block adds

	// add counts an element in the cell of its word, and returns the elements there before.
	DEVICE u32 add(u64 word) const { return atomicAdd(count + __umulhi((u32)(word >> 32), all), 1u); }
};

// cells_for returns the number of cells of all words with which even codes from low to high have the given number.
// The host computes the same. It is at most four times as many: a range fills a quarter of the words of its layout, or more.
template <class Code> DEVICE u32 cells_for(u32 even, u64 low, u64 high, const Layout<Code> &layout) {
	const u64 words = (((high - low) << layout.up | ((1ull << layout.up) - 1)) >> 32) + 1;
	return (u32)(((u64)even << 32) / words);
}

// add_warp adds the sum of a warp to a word. An atomic sum of 64 bits in shared memory is a loop, in which
// 1024 threads take 50 µs.
DEVICE void add_warp(u64 *sum, u64 v) {
#pragma unroll
	for (int d = 16; d; d /= 2) v += __shfl_xor_sync(FULL_WARP, v, d);
	if (lane_id() == 0 && v) atomicAdd(sum, v);
}

// count_values counts the values of the first sample. One block.
template <class Code> DEVICE void count_values(Seen<HASH_BITS> &seen, const Code *codes, u64 n, u64 salt, u32 *values) {
	seen.clear();
	__syncthreads(); // bits are clear
	Code code[RANGE_SAMPLES / SAMPLE_THREADS];
	draw_range(code, codes, n, salt);
#pragma unroll
	for (int i = 0; i < RANGE_SAMPLES / SAMPLE_THREADS; i++) seen.add(code[i]);
	__syncthreads(); // bits are set
	seen.count(values);
}

// OCTAVE_PARTS is the number of parts of the range, from its low end, whose samples are
// counted by octave, too. Each higher octave consists of OCTAVE_PARTS or more whole parts,
// whose counts the host adds up.
constexpr u32 OCTAVE_PARTS = 32;

// range_of returns the range of the first sample to all threads of a block. Each block reads all of it, which takes less
// time than to wait for others.
template <class Code> DEVICE void range_of(SegmentsShared &shared, const Code *codes, u64 n, u64 salt, u64 &low, u64 &high) {
	Code code[RANGE_SAMPLES / SAMPLE_THREADS];
	draw_range(code, codes, n, salt);
	Code least = code[0], most = code[0];
#pragma unroll
	for (int i = 1; i < RANGE_SAMPLES / SAMPLE_THREADS; i++) least = min(least, code[i]), most = max(most, code[i]);
#pragma unroll
	for (int d = 16; d; d /= 2) {
		least = min(least, __shfl_xor_sync(FULL_WARP, least, d));
		most = max(most, __shfl_xor_sync(FULL_WARP, most, d));
	}
	if (lane_id() == 0) shared.low[warp_id()] = least, shared.high[warp_id()] = most;
	__syncthreads(); // the range of every warp is written
	least = (Code)shared.low[lane_id()], most = (Code)shared.high[lane_id()];
#pragma unroll
	for (int d = 16; d; d /= 2) {
		least = min(least, __shfl_xor_sync(FULL_WARP, least, d));
		most = max(most, __shfl_xor_sync(FULL_WARP, most, d));
	}
	low = least, high = most;
}

// count_segments counts the share of a block, one of many, of the second sample. cells.all is the number
// for even codes.
template <class Code> DEVICE void count_segments(SegmentsShared &shared, u32 block, u32 blocks, const Code *codes, u64 n, u32 sample_bits, u32 index_bits, SampleCounts *counts, const TieTable &table, Cells cells) {
	shared.count[threadIdx.x] = shared.octaves[threadIdx.x] = shared.fullest[threadIdx.x] = 0;
	if (threadIdx.x < TIES) shared.ties[threadIdx.x] = 0;
	if (threadIdx.x == 0) shared.pairs = 0;
	u64 low, high;
	range_of(shared, codes, n, table.salt, low, high); // counters are zero then, too
	if (low == high) { // one part has all, and all tie: counts of each would take 50 µs
		const u32 tiles = (1u << sample_bits) / SAMPLE_THREADS;
		if (threadIdx.x == 0) atomicAdd(&counts->segments[0], (tiles + blocks - 1 - block) / blocks * SAMPLE_THREADS);
		if (threadIdx.x < TIES) atomicAdd(&counts->ties[threadIdx.x], (u32)SAMPLE_THREADS);
		return;
	}
	const Layout<Code> layout = layout_of<Code>(low, high, index_bits);
	cells.all = cells_for(cells.all, low, high, layout);
	u32 words = 0, repeated = 0;
	u64 pairs = 0;
	const OctaveLayout<Code> octaves = {layout.low, layout.span, index_bits, reciprocal_of(scale_for(n, index_bits))};
	const u64 step = (u64)blocks * SAMPLE_THREADS, count = 1ull << sample_bits;
	const u32 most_ties = (u32)(count / blocks / TIE_SHARE);
	for (u64 tile = (u64)block * SAMPLE_THREADS; tile < count; tile += SAMPLE_LOADS * step) {
		if (tile >= step && __syncthreads_or(threadIdx.x == 0 && load_word(&counts->enough))) return;
		const u64 first = tile + threadIdx.x;
		u64 at[SAMPLE_LOADS];
		Code code[SAMPLE_LOADS];
#pragma unroll
		for (int i = 0; i < SAMPLE_LOADS; i++) { // all loads in flight at once
			at[i] = drawn(spread(min(first + i * step, count - 1), sample_bits), sample_bits, n, table.salt);
			code[i] = codes[at[i]];
		}
		u64 word[SAMPLE_LOADS];
		u32 earlier[SAMPLE_LOADS];
		bool in[SAMPLE_LOADS];
#pragma unroll
		for (int i = 0; i < SAMPLE_LOADS; i++) {
			in[i] = first + i * step < count && !outside(code[i], layout);
			word[i] = word_of(code[i], (u32)at[i], layout);
			if (!in[i]) continue;
			const u32 part = word[i] >> (64 - SEGMENT_BITS);
			earlier[i] = atomicAdd(&shared.count[part], 1u);
			if (part < OCTAVE_PARTS) atomicAdd(&shared.octaves[octaves.element(code[i], (u32)at[i]) >> (64 - SEGMENT_BITS)], 1u);
		}
		u32 before[SAMPLE_LOADS] = {}; // elements in the same cell
#pragma unroll
		for (int i = 0; i < SAMPLE_LOADS; i++)
			if (in[i] && earlier[i] < cells.most) before[i] = cells.add(word[i]);
		if (in[0] && earlier[0] < most_ties) { // one of SAMPLE_LOADS draws
			const TieTable::Slot same_word = table.slot_of(word[0] >> 32), same_code = table.slot_of(mix(code[0]));
			const u32 held_word = same_word.take(), held_code = same_code.take();
			words += same_word.repeats(held_word, ~0u);
			if ((u64)(Code)(code[0] - layout.low) >> OCTAVE_CODES) repeated += same_code.repeats(held_code, MOST_REPEATS);
		}
#pragma unroll
		for (int i = 0; i < SAMPLE_LOADS; i++) {
			pairs += before[i];
			u32 *const fullest = &shared.fullest[word[i] >> (64 - SEGMENT_BITS)]; // 0 if no cell has two
			if (before[i] && before[i] >= peek(fullest)) atomicMax(fullest, before[i] + 1);
		}
	}
	if (words) atomicAdd(&shared.ties[0], words);
	if (repeated) atomicAdd(&shared.ties[1], repeated);
	add_warp(&shared.pairs, pairs);
	__syncthreads(); // counts are complete
	if (threadIdx.x < TIES && shared.ties[threadIdx.x]) atomicAdd(&counts->ties[threadIdx.x], shared.ties[threadIdx.x]);
	if (threadIdx.x == 0 && shared.pairs) atomicAdd(&counts->pairs, shared.pairs);
	if (shared.count[threadIdx.x]) atomicAdd(&counts->segments[threadIdx.x], shared.count[threadIdx.x]);
	if (shared.octaves[threadIdx.x]) atomicAdd(&counts->octaves[threadIdx.x], shared.octaves[threadIdx.x]);
	if (shared.fullest[threadIdx.x]) atomicMax(&counts->fullest[threadIdx.x], shared.fullest[threadIdx.x]);
}

// SAMPLE_BLOCKS is the blocks of sample_codes besides those of the second sample.
constexpr u32 SAMPLE_BLOCKS = RANGE_BLOCKS + 2;

// sample_codes takes both samples at once, since what a second kernel would wait for takes longer than either. The first
// block reports early, unless few is null, and ends the sample where that is enough; another counts the values of the first
// sample, others find its range, and the rest counts a second sample by equal parts of this range. The block that ends last
// writes the note. cells.all is that of even codes; cells and counts are clear before. The status is cleared.
template <class Code> DEVICE void sample_codes(const Code *codes, u64 n, u32 sample_bits, u32 index_bits, Sample *sample, SampleCounts *counts, const TieTable &table, const Cells &cells, u32 *status, u32 *few, u32 most, const Leave &leave, SampleNote *note) {
	SORTER_SHARED(SampleShared, shared);
	static_assert(SEGMENTS == SAMPLE_THREADS, "a thread for each segment");
	const u32 role = blockIdx.x;
	if (role == 0 && threadIdx.x < STATUS_WORDS) status[threadIdx.x] = 0;
	if (role == 0 && few) report_early(shared.early, codes, n, index_bits, table.salt, few, most, leave, &counts->enough);
	if (role == 1) count_values(shared.seen, codes, n, table.salt, counts->values);
	if (role > 1 && role < SAMPLE_BLOCKS) take_range(shared.warp, codes, n, table.salt, sample, role - 2);
	if (role >= SAMPLE_BLOCKS) count_segments(shared.segments, role - SAMPLE_BLOCKS, gridDim.x - SAMPLE_BLOCKS, codes, n, sample_bits, index_bits, counts, table, cells);
	if (!is_last_block(&counts->done, shared.last)) return;
	note->segments[threadIdx.x] = counts->segments[threadIdx.x];
	note->octaves[threadIdx.x] = counts->octaves[threadIdx.x];
	note->fullest[threadIdx.x] = counts->fullest[threadIdx.x];
	if (threadIdx.x < 3) note->values[threadIdx.x] = counts->values[threadIdx.x];
	if (threadIdx.x < TIES) note->ties[threadIdx.x] = counts->ties[threadIdx.x];
	__syncthreads(); // the note has all counts
	const Found f = join_blocks(sample);
	if (threadIdx.x > 0) return;
	note->pairs = counts->pairs;
	note->low = f.low;
	note->high = f.high;
	note->differ = f.ones & f.zeros;
	note->ascents = f.ascents;
	note->descents = f.descents;
	note->distance = f.distance;
	__threadfence_system(); // the note precedes ready
	notify_host(&note->ready, 1);
}

template <class Code> struct MapShared {
	Map<Code> map;
	u32 count[SEGMENTS];
	u64 pairs;
};

// load_map copies a map to shared memory; the caller synchronises.
template <class Code> DEVICE void load_map(Map<Code> &to, const Map<Code> *from) {
	static_assert(sizeof(Map<Code>) % 8 == 0, "copied in words of 8 bytes");
	for (u32 i = threadIdx.x; i < sizeof(Map<Code>) / 8; i += blockDim.x) ((u64 *)&to)[i] = ((const u64 *)from)[i];
}

// sample_map counts a second sample by segments of a map, and the pairs of its elements in the same
// cell: an equal part of the steps of a segment. The host has cleared segments, cells and pairs.
template <class Code> DEVICE void sample_map(const Code *codes, u64 n, u32 sample_bits, u64 salt, u32 index_bits, const Map<Code> *map, const Sample *sample, const Cells &cells, u32 *segments, u64 *all_pairs) {
	SORTER_SHARED(MapShared<Code>, shared);
	shared.count[threadIdx.x] = 0;
	if (threadIdx.x == 0) shared.pairs = 0;
	u64 pairs = 0;
	load_map(shared.map, map);
	__syncthreads(); // counters are zero, the map is in shared memory
	const Layout<Code> layout = sample_layout<Code>(sample, index_bits);
	const u32 stretch = stretch_for(n);
	const u64 step = (u64)gridDim.x * SAMPLE_THREADS;
	for (u64 k = (u64)blockIdx.x * SAMPLE_THREADS + threadIdx.x; k >> sample_bits == 0; k += step) {
		u64 at = drawn(k, sample_bits, n, salt);
		Code code = codes[at];
		const u32 s = segment_of(shared.map, layout, code, (u32)at, stretch);
		atomicAdd(&shared.count[s], 1u);
		pairs += cells.add((u64)s << (64 - SEGMENT_BITS) | (u64)steps_in(shared.map, s, code, (u32)at, stretch) << (32 - SEGMENT_BITS));
	}
	add_warp(&shared.pairs, pairs);
	__syncthreads(); // counts are complete
	if (shared.count[threadIdx.x]) atomicAdd(&segments[threadIdx.x], shared.count[threadIdx.x]);
	if (threadIdx.x == 0 && shared.pairs) atomicAdd(all_pairs, shared.pairs);
}

// count_descents adds the number of neighbours in the wrong order to descents.
template <class Code> DEVICE void count_descents(const Code *codes, u64 n, u32 *descents) {
	const u64 step = (u64)gridDim.x * blockDim.x;
	u32 count = 0;
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i + 1 < n; i += step) count += codes[i] > codes[i + 1];
#pragma unroll
	for (int d = 16; d; d /= 2) count += __shfl_xor_sync(FULL_WARP, count, d);
	if (lane_id() == 0 && count) atomicAdd(descents, count);
}
