// Kernels with one mistake each, which shows at the line marked "mistake".

struct FaultShared {
	unsigned words[64];
};

extern "C" __global__ void race_in_block(unsigned *out) {
	CUDACPU_SHARED(FaultShared, shared);
	shared.words[threadIdx.x] = threadIdx.x;
	out[threadIdx.x] = shared.words[threadIdx.x ^ 32]; // mistake: no barrier before
}

extern "C" __global__ void race_in_warp(unsigned *out) {
	CUDACPU_SHARED(FaultShared, shared);
	shared.words[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x, 1);
	__ballot_sync(~0u, true);
	out[threadIdx.x] = shared.words[threadIdx.x ^ 1]; // mistake: a ballot orders no memory
}

extern "C" __global__ void race_of_blocks(unsigned *out) {
	if (threadIdx.x == 0) out[0]++; // mistake: not atomic
}

// Block 0 by ticket hands a word to the others.
extern "C" __global__ void unfenced_flag(unsigned *out) {
	if (threadIdx.x != 0) return;
	if (atomicAdd(&out[0], 1) == 0) {
		out[2] = 7;
		__atomic_store_n(&out[1], 1, __ATOMIC_RELAXED);
	} else {
		while (__atomic_load_n(&out[1], __ATOMIC_ACQUIRE) == 0) CUDACPU_SPIN();
		atomicAdd(&out[3], out[2]); // mistake: the flag was no release
	}
}

extern "C" __global__ void write_out_of_bounds(unsigned *out) {
	out[threadIdx.x + 1] = 0; // mistake: one too far
}

extern "C" __global__ void read_out_of_bounds(unsigned *out) {
	out[threadIdx.x] = out[threadIdx.x + 1]; // mistake: one too far
}

extern "C" __global__ void shared_out_of_bounds(unsigned *out) {
	CUDACPU_SHARED(FaultShared, shared);
	volatile unsigned *words = shared.words;
	words[threadIdx.x + 1] = out[0]; // mistake: one too far
}

struct FaultLarge {
	unsigned words[65];
};

extern "C" __global__ void shared_too_large(unsigned *out) {
	CUDACPU_SHARED(FaultLarge, shared); // mistake: more than launched with
	out[0] = shared.words[64];
}

extern "C" __global__ void barrier_skipped(unsigned *out) {
	if (threadIdx.x != 40) {
		__syncthreads(); // mistake: thread 40 waits elsewhere
	} else {
		__ballot_sync(~0u, true);
	}
	out[0] = 1;
}

extern "C" __global__ void barriers_mixed(unsigned *out) {
	if (threadIdx.x < 32) {
		__syncthreads(); // mistake: the other half is at another one
		out[0] = 1;
	} else {
		__syncthreads();
	}
}

extern "C" __global__ void lane_outside_mask(unsigned *out) {
	out[threadIdx.x] = __ballot_sync(0xfffffffe, true); // mistake: lane 0 calls it too
}

extern "C" __global__ void lane_missing(unsigned *out) {
	if (threadIdx.x == 3) return;
	out[threadIdx.x] = __ballot_sync(~0u, true); // mistake: lane 3 never comes
}

extern "C" __global__ void shuffle_outside_mask(unsigned *out) {
	if (threadIdx.x % 32 >= 16) return;
	out[threadIdx.x] = __shfl_xor_sync(0xffff, threadIdx.x, 16); // mistake: that lane is gone
}

extern "C" __global__ void spin_forever(unsigned *out) {
	while (atomicAdd(&out[0], 0) != 12345) CUDACPU_SPIN(); // mistake: nobody sets it
}

extern "C" __global__ void uninitialized_shared(unsigned *out) {
	CUDACPU_SHARED(FaultShared, shared);
	out[threadIdx.x] = shared.words[threadIdx.x]; // mistake: never written
}
