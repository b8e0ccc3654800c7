// The simplest kernels: one without any shared state, one with shuffles, a
// barrier and an atomic.

extern "C" __global__ void __launch_bounds__(256) add_f32(const float *a, const float *b, float *c, uint64_t n) {
	uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) c[i] = a[i] + b[i];
}

struct SumShared {
	unsigned warps[32];
};

// sum_u32 adds up n words. *sum is 0 before.
extern "C" __global__ void __launch_bounds__(1024) sum_u32(const unsigned *in, unsigned *sum, uint64_t n) {
	CUDACPU_SHARED(SumShared, shared);
	unsigned v = 0, lane = threadIdx.x % 32;
	for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (uint64_t)gridDim.x * blockDim.x)
		v += in[i];
	for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
	if (lane == 0) shared.warps[threadIdx.x / 32] = v;
	__syncthreads(); // the sums of all warps are there
	if (threadIdx.x >= 32) return;
	v = lane < blockDim.x / 32 ? shared.warps[lane] : 0;
	v = __reduce_add_sync(~0u, v);
	if (lane == 0) atomicAdd(sum, v);
}

// add_u64 is the kernel of internal/cuda/drivertest/testdata/add.ptx: a sum that passes
// through the end of the dynamic shared memory, whose size only the launch knows.
extern "C" __global__ void add_u64(const uint64_t *in, uint64_t *out, uint64_t n, uint64_t term) {
	uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	size_t size = cudacpu::current->block->shared_bytes;
	uint64_t *end = (uint64_t *)((char *)cudacpu::shared(size, 8, CUDACPU_HERE) + size);
	*(end - 1 - threadIdx.x) = in[i];
	out[i] = *(end - 1 - threadIdx.x) + term;
}
