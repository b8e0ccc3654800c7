// cub.cu: the peer, as a shared library: CUB's radix sort of pairs and of keys. cub_segments.cu has
// its sorts of segments.
// A null tmp asks for the temporary bytes, as CUB does.
#include <cstdint>
#include <cub/cub.cuh>

template <class Key, class Count> static int pairs(void *tmp, size_t *bytes, const Key *in, Key *out, const uint32_t *values, uint32_t *order, Count n, cudaStream_t stream) {
	return cub::DeviceRadixSort::SortPairs(tmp, *bytes, in, out, values, order, n, 0, 8 * sizeof(Key), stream);
}

template <class Key, class Count> static int keys(void *tmp, size_t *bytes, const Key *in, Key *out, Count n, cudaStream_t stream) {
	return cub::DeviceRadixSort::SortKeys(tmp, *bytes, in, out, n, 0, 8 * sizeof(Key), stream);
}

template <class Key> static int either(void *tmp, size_t *bytes, const void *in, void *out, const uint32_t *values, uint32_t *order, uint64_t n, uint64_t wide_count, cudaStream_t stream) {
	if (!order && wide_count) return keys<Key, uint64_t>(tmp, bytes, (const Key *)in, (Key *)out, n, stream);
	if (!order) return keys<Key, int32_t>(tmp, bytes, (const Key *)in, (Key *)out, (int32_t)n, stream);
	if (wide_count) return pairs<Key, uint64_t>(tmp, bytes, (const Key *)in, (Key *)out, values, order, n, stream);
	return pairs<Key, int32_t>(tmp, bytes, (const Key *)in, (Key *)out, values, order, (int32_t)n, stream);
}

// cub_sort sorts n keys of key_bytes with their 32-bit values, or alone where there
// is no order for these; wide_count chooses a count of 64 bits, for which CUB picks
// other tiles.
extern "C" int cub_sort(void *tmp, size_t *bytes, const void *in, void *out, const uint32_t *values, uint32_t *order, uint64_t n, uint64_t key_bytes, uint64_t wide_count, void *stream) {
	if (key_bytes == 4) return either<uint32_t>(tmp, bytes, in, out, values, order, n, wide_count, (cudaStream_t)stream);
	return either<uint64_t>(tmp, bytes, in, out, values, order, n, wide_count, (cudaStream_t)stream);
}
