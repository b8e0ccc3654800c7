// Every intrinsic once, on values whose results the test knows.

extern "C" __global__ void integers(uint64_t *out) {
	*out++ = __popc(0xf0f00001u);
	*out++ = __popcll(0xf0f0000100000001ull);
	*out++ = __clz(1);
	*out++ = __clz(0);
	*out++ = __clzll(1ll << 40);
	*out++ = __clzll(0);
	*out++ = __ffs(0x80);
	*out++ = __ffs(0);
	*out++ = __ffsll(1ll << 40);
	*out++ = __brev(0x80000010u);
	*out++ = __brevll(0x8000000000000010ull);
	*out++ = __umulhi(0xffffffffu, 0x10u);
	*out++ = __umul64hi(~0ull, 0x10);
	*out++ = __funnelshift_l(0x89abcdefu, 0x01234567u, 40);
	*out++ = __funnelshift_r(0x89abcdefu, 0x01234567u, 40);
	*out++ = __funnelshift_lc(0x89abcdefu, 0x01234567u, 40);
	*out++ = __funnelshift_rc(0x89abcdefu, 0x01234567u, 40);
	*out++ = __byte_perm(0x33221100u, 0x77665544u, 0x7052);
	*out++ = min(-1, 1u);
	*out++ = max(-1, 1);
	uint4 v = make_uint4(1, 2, 3, 4);
	*out++ = sizeof(uint4) << 8 | alignof(uint4);
	*out++ = __ldg(&v).w;
}

// warps writes one row of 16 words per thread.
extern "C" __global__ void warps(uint64_t *out) {
	unsigned t = threadIdx.x, lane = t % 32;
	uint64_t *row = out + t * 16, wide = (uint64_t)t << 40 | t;
	row[0] = __ballot_sync(~0u, lane % 3 == 0);
	row[1] = __any_sync(~0u, lane == 7) * 2 + __all_sync(~0u, lane < 32);
	row[2] = __any_sync(~0u, lane > 40) * 2 + __all_sync(~0u, lane == 7);
	row[3] = __match_any_sync(~0u, wide % 5);
	row[4] = __shfl_sync(~0u, wide, 5);
	row[5] = __shfl_sync(~0u, wide, lane + 1, 8);
	row[6] = __shfl_up_sync(~0u, wide, 3);
	row[7] = __shfl_down_sync(~0u, t, 3, 16);
	row[8] = __shfl_xor_sync(~0u, wide, 9);
	row[9] = (uint64_t)__reduce_min_sync(~0u, t ^ 11) << 32 | __reduce_max_sync(~0u, t ^ 11);
	row[10] = (uint64_t)__reduce_add_sync(~0u, t) << 32 | __reduce_or_sync(~0u, 1u << lane % 7);
	row[11] = (uint32_t)__reduce_min_sync(~0u, (int)lane - 9);
	if (lane % 2) {
		row[12] = __ballot_sync(0xaaaaaaaau, lane > 16);
		__syncwarp(0xaaaaaaaau);
	} else {
		row[12] = __ballot_sync(0x55555555u, lane > 16);
		__syncwarp(0x55555555u);
	}
	__syncwarp();
	row[13] = (uint32_t)__shfl_sync(~0u, -1.5f, 0);
	row[14] = __reduce_and_sync(~0u, ~(1u << lane % 3)) ^ __reduce_xor_sync(~0u, lane);
	row[15] = (uint64_t)blockDim.x << 32 | gridDim.x << 16 | blockIdx.x;
}

extern "C" __global__ void barriers(uint64_t *out) {
	unsigned t = threadIdx.x;
	uint64_t row = (uint64_t)__syncthreads_count(t % 3 == 0);
	row |= (uint64_t)__syncthreads_or(t == 50) << 32 | (uint64_t)__syncthreads_or(t == 5000) << 33;
	row |= (uint64_t)__syncthreads_and(t < 5000) << 34 | (uint64_t)__syncthreads_and(t < 50) << 35;
	out[t] = row;
}

// atomics leaves in each word what all threads together make of it.
extern "C" __global__ void atomics(unsigned *words, uint64_t *wide) {
	unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(&words[0], t);
	atomicSub(&words[1], t);
	atomicMin(&words[2], t ^ 77);
	atomicMax(&words[3], t ^ 77);
	atomicOr(&words[4], 1u << t % 20);
	atomicAnd(&words[5], ~(1u << t % 20));
	atomicXor(&words[6], t);
	atomicExch(&words[7], 9);
	while (atomicCAS(&words[8], t, t + 1) != t) CUDACPU_SPIN();
	atomicMin((int *)&words[9], 3 - (int)t);
	atomicAdd(&wide[0], (uint64_t)t << 32);
	atomicMax(&wide[1], (uint64_t)t << 32);
}
