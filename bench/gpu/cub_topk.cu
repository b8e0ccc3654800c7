// cub_topk.cu: the peer's selections, of CCCL 3.5 and later: the k lowest keys with their positions, in any
// order, and of ties any. With a CCCL that lacks them cub_topk returns -1.
#include <cstdint>
#include <cub/version.cuh>
#if __has_include(<cub/device/device_topk.cuh>)
#include <cub/device/device_topk.cuh>
#include <cuda/iterator>
#define HAS_TOPK 1
#else
#include <cuda_runtime.h>
#define HAS_TOPK 0
#endif

#if HAS_TOPK
template <class Key> static int topk(void *tmp, size_t *bytes, const Key *in, Key *out, uint32_t *order, int64_t n, int64_t k, cudaStream_t stream) {
	const auto any = cuda::execution::require(cuda::execution::determinism::not_guaranteed, cuda::execution::output_ordering::unsorted);
	const auto env = cuda::std::execution::env{cuda::stream_ref{stream}, any};
	return cub::DeviceTopK::MinPairs(tmp, *bytes, in, out, cuda::counting_iterator<uint32_t>(0), order, n, k, env);
}
#endif

// cub_topk selects the k lowest of n keys of key_bytes.
extern "C" int cub_topk(void *tmp, size_t *bytes, const void *in, void *out, uint32_t *order, uint64_t n, uint64_t k, uint64_t key_bytes, void *stream) {
#if HAS_TOPK
	if (key_bytes == 4) return topk(tmp, bytes, (const uint32_t *)in, (uint32_t *)out, order, (int64_t)n, (int64_t)k, (cudaStream_t)stream);
	return topk(tmp, bytes, (const uint64_t *)in, (uint64_t *)out, order, (int64_t)n, (int64_t)k, (cudaStream_t)stream);
#else
	return -1;
#endif
}

// cub_version returns CUB's version: that of 3.1.2 is 300102.
extern "C" int cub_version() { return CUB_VERSION; }
