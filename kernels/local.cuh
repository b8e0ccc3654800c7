// local.cuh: the bitonic sort of a bucket of up to 1024 elements by one warp, with 32
// elements in the registers of each lane.
//
// An element becomes one 32-bit word: its distance from the start of the slice, then its
// position in the bucket. min and max sort the words, and positions make ties stable. The
// input positions stay in shared memory until their places are known.
//
// Where only keys are sorted, a 32-bit element is its own word, and nothing stays in shared
// memory. Of a 64-bit element the low half stays there, and the word has the high bits.
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
	u32 code_at;  // lowest bit of the code

	DEVICE u32 position(u64 e) const { return (u32)(e >> at) & mask; }
	DEVICE bool alike(u64 a, u64 b) const { return (a ^ b) >> code_at == 0; } // then codes must be compared
	DEVICE u64 outsider(u32 position) const { return (u64)position << at; }   // an element with this position
};

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

// repair sorts words that are not apart by their elements, by odd-even rounds over the words in
// shared memory: at most half the length of the longest run of alike words.
template <class B> DEVICE void repair(u32 *sorted, u32 size, u32 near, const B &bucket) {
	bool changed = true;
	while (changed) {
		changed = false;
		for (u32 odd = 0; odd < 2; odd++) {
			for (u32 i = 2 * lane_id() + odd; i + 1 < size; i += 64) {
				u32 *first = sorted + i + i / LOCAL_ITEMS, *second = sorted + (i + 1) + (i + 1) / LOCAL_ITEMS;
				u32 a = *first, b = *second;
				if ((a ^ b) < near && bucket.less(bucket.element[b & (LOCAL_SIZE - 1)], bucket.element[a & (LOCAL_SIZE - 1)])) {
					*first = b;
					*second = a;
					changed = true;
				}
			}
			__syncwarp(); // this half round's exchanges are written
		}
		changed = __any_sync(FULL_WARP, changed);
	}
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

// local_sort orders the first size <= LOCAL_SIZE elements of a bucket, which are
// at least lowest and exceed it by less than 1 << (22 + drop), and writes their
// input positions in order to dst. Words that differ in no bit of weight near or
// above may have to be compared as elements.
template <class B>
DEVICE void local_sort(const B &bucket, u32 *dst, u32 size, u64 lowest, u32 drop, u32 near, LocalShared &shared) {
	const int rest = (int)size - (int)lane_id(); // positions lane_id() + 32*r with 32*r < rest exist
	u32 word[LOCAL_ITEMS];
	load_words(bucket, word, rest, lowest, drop, shared);
	sort_warp(word);
	if (apart(word, near)) {
		__syncwarp(); // indices of all lanes are in shared memory
#pragma unroll
		for (int r = 0; r < LOCAL_ITEMS; r++) shared.sorted[lane_id() * LOCAL_PITCH + r] = shared.index[word[r] & (LOCAL_SIZE - 1)];
		__syncwarp(); // outputs are in shared memory
#pragma unroll
		for (int r = 0; r < LOCAL_ITEMS; r++)
			if (r * 32 < rest) dst[lane_id() + r * 32] = shared.sorted[r * LOCAL_PITCH + lane_id()];
		return;
	}
	transpose(word, shared.sorted);
	repair(shared.sorted, size, near, bucket);
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++)
		if (r * 32 < rest) dst[lane_id() + r * 32] = shared.index[shared.sorted[r * LOCAL_PITCH + lane_id()] & (LOCAL_SIZE - 1)];
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

// local_sort of 64-bit keys. In the few slices so wide that words leave out more than the low
// half, the element is read again.
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
	sort_warp(word);
	const bool sorted = drop == 0 || apart(word, near);
	transpose(word, shared.sorted);
	if (!sorted) repair(shared.sorted, size, near, bucket);
#pragma unroll
	for (int r = 0; r < LOCAL_ITEMS; r++) {
		if (r * 32 >= rest) continue;
		const u32 w = shared.sorted[r * LOCAL_PITCH + lane_id()], place = w & (LOCAL_SIZE - 1);
		const u64 e = drop <= 32 ? lowest + ((u64)(w >> LOCAL_BITS) << drop | shared.index[place]) : bucket.element[place];
		dst[lane_id() + r * 32] = bucket.output(e);
	}
}
