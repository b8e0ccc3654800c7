// cub_segments.cu: the peer's two sorts of segments, a part of the library of cub.cu: compiled side
// by side they take half as long.
#include <cstdint>
#include <cub/cub.cuh>

// segmented sorts each segment of keys by the radix sort of segments, which is stable, or else by
// the sort of segments, which need not be. offsets has one number more than there are segments.
template <class Key> static int segmented(void *tmp, size_t *bytes, const Key *in, Key *out, const uint32_t *values, uint32_t *order, int64_t n, const uint32_t *offsets, int64_t segments, bool radix, cudaStream_t stream) {
	if (radix && order) return cub::DeviceSegmentedRadixSort::SortPairs(tmp, *bytes, in, out, values, order, n, segments, offsets, offsets + 1, 0, 8 * sizeof(Key), stream);
	if (radix) return cub::DeviceSegmentedRadixSort::SortKeys(tmp, *bytes, in, out, n, segments, offsets, offsets + 1, 0, 8 * sizeof(Key), stream);
	if (order) return cub::DeviceSegmentedSort::SortPairs(tmp, *bytes, in, out, values, order, n, segments, offsets, offsets + 1, stream);
	return cub::DeviceSegmentedSort::SortKeys(tmp, *bytes, in, out, n, segments, offsets, offsets + 1, stream);
}

// cub_segments sorts the segments of n keys of key_bytes with their 32-bit values, or alone where
// there is no order for these.
extern "C" int cub_segments(void *tmp, size_t *bytes, const void *in, void *out, const uint32_t *values, uint32_t *order, uint64_t n, const uint32_t *offsets, uint64_t segments, uint64_t key_bytes, uint64_t radix, void *stream) {
	if (key_bytes == 4) return segmented(tmp, bytes, (const uint32_t *)in, (uint32_t *)out, values, order, n, offsets, segments, radix, (cudaStream_t)stream);
	return segmented(tmp, bytes, (const uint64_t *)in, (uint64_t *)out, values, order, n, offsets, segments, radix, (cudaStream_t)stream);
}
