// cub_topk_within.cu: the peer's selections within segments of one length, of CCCL 3.6 and later: the k lowest keys of
// each with their positions there, in any order, and of ties any. Lengths and k are constants, of which CUB makes more
// than of arguments; with others, or a CCCL that lacks them, it returns -1. cub_topk_within_u64.cu has those of 64-bit keys.
#ifndef KEY
#define KEY uint32_t
#define NAME cub_topk_within_u32
#endif
#include <cstdint>
#include <cub/version.cuh>
#if __has_include(<cub/device/device_batched_topk.cuh>)
#include <cub/device/device_batched_topk.cuh>
#include <cuda/argument>
#include <cuda/iterator>
#include <cuda/std/execution>
#define HAS_TOPK_WITHIN 1
#else
#include <cuda_runtime.h>
#define HAS_TOPK_WITHIN 0
#endif

#if HAS_TOPK_WITHIN
template <int64_t LENGTH, int64_t K> static int within(void *tmp, size_t *bytes, const KEY *in, KEY *out, uint32_t *order, int64_t segments, cudaStream_t stream) {
	const auto any = cuda::execution::require(cuda::execution::determinism::not_guaranteed, cuda::execution::tie_break::unspecified, cuda::execution::output_ordering::unsorted);
	const auto env = cuda::std::execution::env{any, cuda::stream_ref{stream}};
	return cub::DeviceBatchedTopK::MinPairs(
	    tmp, *bytes, cuda::make_strided_iterator(cuda::make_counting_iterator(in), LENGTH), cuda::make_strided_iterator(cuda::make_counting_iterator(out), K),
	    cuda::make_constant_iterator(cuda::make_counting_iterator(uint32_t{0})), cuda::make_strided_iterator(cuda::make_counting_iterator(order), K),
	    cuda::args::constant<LENGTH>{}, cuda::args::constant<K>{}, cuda::args::immediate{segments}, env);
}
#endif

// NAME selects the k lowest of each segment of the given length.
extern "C" int NAME(void *tmp, size_t *bytes, const void *in, void *out, uint32_t *order, uint64_t segments, uint64_t length, uint64_t k, void *stream) {
#if HAS_TOPK_WITHIN
#define CASE(LENGTH, K) \
	if (length == (LENGTH) && k == (K)) return within<(LENGTH), (K)>(tmp, bytes, (const KEY *)in, (KEY *)out, order, (int64_t)segments, (cudaStream_t)stream)
	CASE(1 << 12, 64);
	CASE(1 << 12, 1024);
	CASE(1 << 18, 64);
	CASE(1 << 18, 1024);
#endif
	return -1;
}
