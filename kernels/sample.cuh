// sample.cuh: what a random sample tells about the codes: their range, whether
// neighbours are in order, and how codes are distributed over the range.
#pragma once
#include "slices.cuh"

constexpr int SAMPLE_THREADS = 1024;
constexpr int RANGE_SAMPLES = 8 * SAMPLE_THREADS;

// Sample is what the host reads back.
struct Sample {
	u64 low, high;         // of RANGE_SAMPLES codes
	u64 ascents, descents; // strict ones among as many pairs of neighbours
	u32 segments[SEGMENTS]; // codes of the second sample by segment of the range
};

// mix scrambles x (Vigna's splitmix64).
DEVICE u64 mix(u64 x) {
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return x ^ x >> 31;
}

// drawn returns the k-th of the given number of sample positions: one out of
// each of as many equal parts of the input.
DEVICE u64 drawn(u64 k, u64 samples, u64 n) {
	u64 lo = n * k / samples, hi = n * (k + 1) / samples;
	return lo + mix(k + 1) % (hi > lo ? hi - lo : 1);
}

struct RangeShared {
	u64 low[32], high[32];
	u32 ascents, descents;
};

// sample_range finds the range of RANGE_SAMPLES codes. One block; n > 0.
template <class Code> DEVICE void sample_range(const Code *codes, u64 n, Sample *sample) {
	SORTER_SHARED(RangeShared, shared);
	if (threadIdx.x == 0) shared.ascents = shared.descents = 0;
	__syncthreads(); // counters are zero
	u64 low = ~0ull, high = 0;
	u32 ascents = 0, descents = 0;
#pragma unroll
	for (int i = 0; i < RANGE_SAMPLES / SAMPLE_THREADS; i++) {
		u64 at = drawn(i * SAMPLE_THREADS + threadIdx.x, RANGE_SAMPLES, n);
		u64 code = codes[at], next = codes[at + 1 < n ? at + 1 : at];
		low = min(low, code);
		high = max(high, code);
		ascents += code < next;
		descents += code > next;
	}
	atomicAdd(&shared.ascents, ascents);
	atomicAdd(&shared.descents, descents);
#pragma unroll
	for (int d = 16; d; d /= 2) {
		low = min(low, __shfl_xor_sync(FULL_WARP, low, d));
		high = max(high, __shfl_xor_sync(FULL_WARP, high, d));
	}
	if (lane_id() == 0) {
		shared.low[warp_id()] = low;
		shared.high[warp_id()] = high;
	}
	__syncthreads(); // every warp's range and counts are written
	if (threadIdx.x == 0) {
		for (int w = 0; w < SAMPLE_THREADS / 32; w++) {
			low = min(low, shared.low[w]);
			high = max(high, shared.high[w]);
		}
		sample->low = low;
		sample->high = high;
		sample->ascents = shared.ascents;
		sample->descents = shared.descents;
	}
	sample->segments[threadIdx.x] = 0;
	static_assert(SEGMENTS == SAMPLE_THREADS, "a thread clears one segment");
}

// widened_range is the range of the sample with a margin, since the sample
// rarely holds the extremes. The host computes the same.
template <class Code> DEVICE Range<Code> widened_range(const Sample *sample) {
	const u64 top = (Code)~(Code)0;
	u64 low = sample->low, high = sample->high, margin = (high - low) / 512;
	low = low > margin ? low - margin : 0;
	high = top - high > margin ? high + margin : top;
	Range<Code> range;
	range.low = (Code)low;
	range.span = (Code)(high - low);
	range.up = sizeof(Code) == 4 ? __clz((u32)(high - low | 1)) : __clzll(high - low | 1);
	return range;
}

struct SegmentsShared {
	u32 count[SEGMENTS];
};

// sample_segments counts a second sample by segment of the first one's range.
template <class Code> DEVICE void sample_segments(const Code *codes, u64 n, u64 samples, Sample *sample) {
	SORTER_SHARED(SegmentsShared, shared);
	shared.count[threadIdx.x] = 0;
	__syncthreads(); // counters are zero
	const Range<Code> range = widened_range<Code>(sample);
	const u64 step = (u64)gridDim.x * SAMPLE_THREADS;
	for (u64 k = (u64)blockIdx.x * SAMPLE_THREADS + threadIdx.x; k < samples; k += step) {
		bool outside = false;
		u64 word = normalised(codes[drawn(k, samples, n)], range, outside);
		atomicAdd(&shared.count[word >> (64 - SEGMENT_BITS)], 1u);
	}
	__syncthreads(); // counts are complete
	if (shared.count[threadIdx.x]) atomicAdd(&sample->segments[threadIdx.x], shared.count[threadIdx.x]);
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
