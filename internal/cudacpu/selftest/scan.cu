// Inclusive prefix sums in one pass, by decoupled look-back (Merrill and
// Garland 2016): a tile publishes its own sum at once and the sum of everything
// before it as soon as it knows; a warp looks back 32 tiles at a time.

constexpr unsigned scan_threads = 128, scan_tile = scan_threads;
constexpr uint64_t scan_own = 1ull << 62, scan_all = 2ull << 62, scan_value = scan_own - 1;

struct ScanShared {
	unsigned tile, before, warps[scan_threads / 32];
};

__device__ unsigned scan_look_back(const uint64_t *state, unsigned tile) {
	unsigned lane = threadIdx.x % 32, sum = 0;
	for (int first = (int)tile - 1; first >= 0; first -= 32) {
		int t = first - (int)lane;
		uint64_t s = t < 0 ? scan_all : __atomic_load_n(&state[t], __ATOMIC_ACQUIRE);
		while (__any_sync(~0u, s == 0)) {
			CUDACPU_SPIN();
			if (s == 0) s = __atomic_load_n(&state[t], __ATOMIC_ACQUIRE);
		}
		unsigned done = __ballot_sync(~0u, s >= scan_all);
		unsigned stop = done ? __ffs(done) - 1 : 31;
		sum += __reduce_add_sync(~0u, lane <= stop ? (unsigned)(s & scan_value) : 0u);
		if (done) break;
	}
	return sum;
}

__device__ void scan_of_tile(const unsigned *in, unsigned *out, uint64_t *state, uint64_t n, ScanShared &shared) {
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, tile = shared.tile;
	uint64_t i = (uint64_t)tile * scan_tile + threadIdx.x;
	unsigned v = i < n ? in[i] : 0;
	for (int d = 1; d < 32; d *= 2) {
		unsigned u = __shfl_up_sync(~0u, v, d);
		if (lane >= (unsigned)d) v += u;
	}
	if (lane == 31) shared.warps[warp] = v;
	__syncthreads(); // the sums of all warps are there
	unsigned sum = 0;
	for (unsigned w = 0; w < scan_threads / 32; w++) {
		if (w == warp) v += sum;
		sum += shared.warps[w];
	}
	if (warp == 0) {
		if (lane == 0) __atomic_store_n(&state[tile], scan_own | sum, __ATOMIC_RELEASE);
		unsigned before = scan_look_back(state, tile);
		if (lane == 0) {
			shared.before = before;
			__atomic_store_n(&state[tile], scan_all | ((before + sum) & 0xffffffff), __ATOMIC_RELEASE);
		}
	}
	__syncthreads(); // before is there
	if (i < n) out[i] = v + shared.before;
}

// state is zero, one word per tile and one for the ticket. Forward progress:
// whoever holds ticket t runs, and so do all with smaller ones.
extern "C" __global__ void __launch_bounds__(scan_threads)
	scan_u32(const unsigned *in, unsigned *out, uint64_t *state, uint64_t n) {
	CUDACPU_SHARED(ScanShared, shared);
	if (threadIdx.x == 0) shared.tile = (unsigned)atomicAdd(&state[gridDim.x], 1);
	__syncthreads(); // the ticket is there
	scan_of_tile(in, out, state, n, shared);
}

// The same without tickets: it waits for blocks that may never start.
extern "C" __global__ void __launch_bounds__(scan_threads)
	scan_by_index_u32(const unsigned *in, unsigned *out, uint64_t *state, uint64_t n) {
	CUDACPU_SHARED(ScanShared, shared);
	if (threadIdx.x == 0) shared.tile = blockIdx.x;
	__syncthreads(); // the tile is there
	scan_of_tile(in, out, state, n, shared);
}
