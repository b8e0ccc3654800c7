// platform.cuh: what the kernels need beyond CUDA C++, in one place.
//
// A kernel takes parameters of 8 bytes only (pointers and 64-bit scalars: one
// of the drivers copies 8 bytes an argument), and all of its shared memory is
// dynamic (tests run several blocks of one kernel at once on one CPU thread,
// which static variables could not tell apart).
#pragma once
#include <stdint.h>

typedef unsigned long long u64; // what CUDA's atomics and intrinsics take
typedef uint32_t u32;
typedef uint16_t u16;

// SORTER_SHARED names the block's dynamic shared memory, as a Type.
// load_once reads what no one reads again, past the first-level cache.
// keep_order stops the compiler from moving memory accesses across.
// order_two swaps a and b if b < a: written out, or the compiler compares twice,
// for a minimum and for a maximum (8 instructions instead of 6).
#ifdef SORTER_CUDACPU
#include "cudacpu.h"
#define SORTER_SHARED(Type, name) CUDACPU_SHARED(Type, name)
#define DEVICE inline
template <class T> inline T load_once(const T *p) { return *p; }
inline void keep_order() {}
inline void order_two(u64 &a, u64 &b) {
	const u64 low = b < a ? b : a;
	b = b < a ? a : b;
	a = low;
}
#else
#define SORTER_SHARED(Type, name)                                  \
	extern __shared__ __align__(16) unsigned char sorter_shared[]; \
	Type &name = *reinterpret_cast<Type *>(sorter_shared)
#define DEVICE __device__ __forceinline__
template <class T> DEVICE T load_once(const T *p) { return __ldcs(p); }
DEVICE void keep_order() { asm volatile("" ::: "memory"); }
DEVICE void order_two(u64 &a, u64 &b) {
	u64 low, high;
	asm("{ .reg .pred p; setp.lt.u64 p, %3, %2; selp.b64 %0, %3, %2, p; selp.b64 %1, %2, %3, p; }" : "=l"(low), "=l"(high) : "l"(a), "l"(b));
	a = low;
	b = high;
}
#endif

DEVICE u32 lane_id() { return threadIdx.x & 31; }
DEVICE u32 warp_id() { return threadIdx.x >> 5; }

constexpr u32 FULL_WARP = 0xffffffffu;

// inclusive_scan adds up over the lanes of a warp.
DEVICE u32 inclusive_scan(u32 v) {
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		u32 left = __shfl_up_sync(FULL_WARP, v, d);
		if (lane_id() >= (u32)d) v += left;
	}
	return v;
}
