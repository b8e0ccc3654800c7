// sample.cuh: what a random sample tells about the codes: their range, whether
// neighbours are in order, and how codes are distributed over the range.
#pragma once
#include "slices.cuh"

constexpr int SAMPLE_THREADS = 1024;
constexpr int RANGE_BITS = 13, RANGE_SAMPLES = 1 << RANGE_BITS;

// Sample is what the host reads back.
struct Sample {
	u64 low, high;          // of RANGE_SAMPLES codes
	u64 differ;             // bits in which they do
	u64 ascents, descents;  // strict ones among as many pairs of neighbours
	u32 segments[SEGMENTS]; // elements of the second sample, by equal parts of the range or by segment of the map
	u64 code[RANGE_SAMPLES]; // the first sample
	u32 position[RANGE_SAMPLES];
	u32 counted; // blocks of sample_segments that are done
};

// mix scrambles x (Vigna's splitmix64).
DEVICE u64 mix(u64 x) {
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

// drawn returns the k-th of 1 << bits sample positions: one out of each of as
// many equal parts of the input.
DEVICE u64 drawn(u64 k, u32 bits, u64 n) {
	u64 lo = n * k >> bits, hi = n * (k + 1) >> bits;
	return lo + __umul64hi(mix(k + 1), hi > lo ? hi - lo : 1);
}

// Found is what a thread, a warp, and in the end the block knows of the range.
struct Found {
	u64 low, high, ones, zeros;
	u32 ascents, descents;
};

struct RangeShared {
	Found warp[32];
};

// join combines what the lanes of a warp found.
DEVICE Found join(Found f) {
#pragma unroll
	for (int d = 16; d; d /= 2) {
		f.low = min(f.low, __shfl_xor_sync(FULL_WARP, f.low, d));
		f.high = max(f.high, __shfl_xor_sync(FULL_WARP, f.high, d));
		f.ones |= __shfl_xor_sync(FULL_WARP, f.ones, d);
		f.zeros |= __shfl_xor_sync(FULL_WARP, f.zeros, d);
		f.ascents += __shfl_xor_sync(FULL_WARP, f.ascents, d);
		f.descents += __shfl_xor_sync(FULL_WARP, f.descents, d);
	}
	return f;
}

// sample_range finds the range of RANGE_SAMPLES codes, and clears the status. One
// block; n > 0.
template <class Code> DEVICE void sample_range(const Code *codes, u64 n, Sample *sample, u32 *status) {
	SORTER_SHARED(RangeShared, shared);
	Found f = {~0ull, 0, 0, 0, 0, 0};
#pragma unroll
	for (int i = 0; i < RANGE_SAMPLES / SAMPLE_THREADS; i++) {
		u64 at = drawn(i * SAMPLE_THREADS + threadIdx.x, RANGE_BITS, n);
		u64 code = codes[at], next = codes[at + 1 < n ? at + 1 : at];
		sample->code[i * SAMPLE_THREADS + threadIdx.x] = code;
		sample->position[i * SAMPLE_THREADS + threadIdx.x] = (u32)at;
		f.low = min(f.low, code);
		f.high = max(f.high, code);
		f.ones |= code;
		f.zeros |= ~code;
		f.ascents += code < next;
		f.descents += code > next;
	}
	f = join(f);
	if (lane_id() == 0) shared.warp[warp_id()] = f;
	__syncthreads(); // what every warp found is written
	if (warp_id() == 0) {
		f = join(shared.warp[lane_id()]);
		if (lane_id() == 0) {
			sample->low = f.low;
			sample->high = f.high;
			sample->differ = f.ones & f.zeros;
			sample->ascents = f.ascents;
			sample->descents = f.descents;
		}
	}
	static_assert(SAMPLE_THREADS == 32 * 32, "a lane for each warp");
	sample->segments[threadIdx.x] = 0;
	if (threadIdx.x < STATUS_WORDS) status[threadIdx.x] = 0;
	if (threadIdx.x == 0) sample->counted = 0;
	static_assert(SEGMENTS == SAMPLE_THREADS, "a thread clears one segment");
}

// sample_layout is the layout that the first sample suggests for uneven codes:
// its range with a margin, since a sample rarely holds the extremes. The host
// computes the same.
template <class Code> DEVICE Layout<Code> sample_layout(const Sample *sample, u32 index_bits) {
	const u64 top = (Code)~(Code)0;
	u64 low = sample->low, high = sample->high, margin = (high - low) / 2;
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

struct SegmentsShared {
	u32 count[SEGMENTS];
	u32 last;
};

// sample_segments counts a second sample by equal parts of the first one's range.
// The last block tells the host all that it needs of both: everything before the
// codes of the first sample, in the host's own memory.
template <class Code> DEVICE void sample_segments(const Code *codes, u64 n, u32 sample_bits, u32 index_bits, Sample *sample, Sample *note) {
	SORTER_SHARED(SegmentsShared, shared);
	shared.count[threadIdx.x] = 0;
	__syncthreads(); // counters are zero
	const Layout<Code> layout = sample_layout<Code>(sample, index_bits);
	const u64 step = (u64)gridDim.x * SAMPLE_THREADS;
	for (u64 k = (u64)blockIdx.x * SAMPLE_THREADS + threadIdx.x; k >> sample_bits == 0; k += step) {
		u64 at = drawn(k, sample_bits, n);
		Code code = codes[at];
		if (!outside(code, layout)) atomicAdd(&shared.count[word_of(code, (u32)at, layout) >> (64 - SEGMENT_BITS)], 1u);
	}
	__syncthreads(); // counts are complete
	if (shared.count[threadIdx.x]) atomicAdd(&sample->segments[threadIdx.x], shared.count[threadIdx.x]);
	if (!is_last_block(&sample->counted, shared.last)) return;
	note->segments[threadIdx.x] = sample->segments[threadIdx.x];
	if (threadIdx.x > 0) return;
	note->low = sample->low;
	note->high = sample->high;
	note->differ = sample->differ;
	note->ascents = sample->ascents;
	note->descents = sample->descents;
}

template <class Code> struct MapShared {
	Map<Code> map;
	u32 count[SEGMENTS];
};

// load_map copies a map to shared memory; the caller synchronises.
template <class Code> DEVICE void load_map(Map<Code> &to, const Map<Code> *from) {
	static_assert(sizeof(Map<Code>) % 8 == 0, "copied in words of 8 bytes");
	for (u32 i = threadIdx.x; i < sizeof(Map<Code>) / 8; i += blockDim.x) ((u64 *)&to)[i] = ((const u64 *)from)[i];
}

// sample_map counts a second sample by segment of a map, into segments that the
// host has cleared.
template <class Code> DEVICE void sample_map(const Code *codes, u64 n, u32 sample_bits, u32 index_bits, const Map<Code> *map, Sample *sample, u32 *segments) {
	SORTER_SHARED(MapShared<Code>, shared);
	shared.count[threadIdx.x] = 0;
	load_map(shared.map, map);
	__syncthreads(); // counters are zero, the map is there
	const Layout<Code> layout = sample_layout<Code>(sample, index_bits);
	const u32 stretch = stretch_for(n);
	const u64 step = (u64)gridDim.x * SAMPLE_THREADS;
	for (u64 k = (u64)blockIdx.x * SAMPLE_THREADS + threadIdx.x; k >> sample_bits == 0; k += step) {
		u64 at = drawn(k, sample_bits, n);
		Code code = codes[at];
		atomicAdd(&shared.count[segment_of(shared.map, layout, code, (u32)at, stretch)], 1u);
	}
	__syncthreads(); // counts are complete
	if (shared.count[threadIdx.x]) atomicAdd(&segments[threadIdx.x], shared.count[threadIdx.x]);
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
