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

// Bunch is 16 bytes of words.
template <class T> struct alignas(16) Bunch {
	static constexpr u32 SIZE = 16 / sizeof(T);
	T word[SIZE];
};

// SORTER_SHARED names the block's dynamic shared memory, as a Type.
// load_once reads what no one reads again, past the first-level cache.
// keep_order stops the compiler from moving memory accesses across.
// order_two swaps a and b if b < a: written out, or the compiler compares twice,
// for a minimum and for a maximum (8 instructions instead of 6).
// load_word and store_word access what other blocks access meanwhile, one word
// at a time and in no order with anything else. SPIN is the body of a loop that
// waits for another block.
// peek and poke access a word of shared memory that other threads access meanwhile.
// tell_host stores a word in memory of the host, who may read it meanwhile.
// multiply_add returns a * b + c by the instruction of that name, which other units execute
// than additions and minima. hidden_one is 1, which the compiler does not know.
// peek_bunch reads 16 bytes of shared memory that other threads access meanwhile, aligned.
// lanes_like returns the lanes of a full warp in whose word a bit is as in this
// lane's: a test, a vote and a complement. From C++ it takes twice as many.
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
inline u32 load_word(const u32 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
inline u64 load_word(const u64 *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> inline T peek(const T *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
template <class T> inline void poke(T *p, T v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
template <class T> inline Bunch<T> peek_bunch(const T *p) {
	Bunch<T> b;
	for (u32 i = 0; i < Bunch<T>::SIZE; i++) b.word[i] = peek(p + i);
	return b;
}
inline u32 multiply_add(u32 a, u32 b, u32 c) { return a * b + c; }
inline u32 hidden_one() { return 1; }
inline void store_word(u32 *p, u32 v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
inline void tell_host(u32 *p, u32 v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
#define SPIN() CUDACPU_SPIN()
inline u32 lanes_like(u32 word, u32 bit) {
	const u32 votes = __ballot_sync(~0u, word & bit);
	return word & bit ? votes : ~votes;
}
#else
#define SORTER_SHARED(Type, name)                                  \
	extern __shared__ __align__(16) unsigned char sorter_shared[]; \
	Type &name = *reinterpret_cast<Type *>(sorter_shared)
#define DEVICE __device__ __forceinline__
template <class T> DEVICE T load_once(const T *p) { return __ldcs(p); }
DEVICE void keep_order() { asm volatile("" ::: "memory"); }
DEVICE void order_two(u64 &a, u64 &b) {
	u64 low, high; // low may share a register with an operand: it is written last
	asm("{ .reg .pred p; .reg .b64 least; setp.lt.u64 p, %3, %2; selp.b64 least, %3, %2, p; selp.b64 %1, %2, %3, p; mov.b64 %0, least; }"
	    : "=l"(low), "=l"(high)
	    : "l"(a), "l"(b));
	a = low;
	b = high;
}
DEVICE u32 load_word(const u32 *p) {
	u32 v;
	asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p));
	return v;
}
template <class T> DEVICE T peek(const T *p) { return *(const volatile T *)p; }
template <class T> DEVICE void poke(T *p, T v) { *(volatile T *)p = v; }
template <class T> DEVICE Bunch<T> peek_bunch(const T *p) { return *(const Bunch<T> *)p; }
DEVICE u32 multiply_add(u32 a, u32 b, u32 c) {
	u32 d;
	asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
DEVICE u32 hidden_one() { return blockDim.y; }
DEVICE u64 load_word(const u64 *p) {
	u64 v;
	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p));
	return v;
}
DEVICE void store_word(u32 *p, u32 v) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v)); }
DEVICE void tell_host(u32 *p, u32 v) { asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(p), "r"(v)); }
#define SPIN()
DEVICE u32 lanes_like(u32 word, u32 bit) {
	u32 lanes;
	asm volatile("{ .reg .pred set; .reg .b32 masked;\n"
	             "and.b32 masked, %1, %2;\n"
	             "setp.ne.u32 set, masked, 0;\n"
	             "vote.sync.ballot.b32 %0, set, 0xffffffff;\n"
	             "@!set not.b32 %0, %0; }"
	             : "=r"(lanes)
	             : "r"(word), "r"(bit));
	return lanes;
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

// exclusive_scan_block returns the sum of v over the threads before this one.
// sums has a word per warp; the caller synchronises before it is reused.
template <int THREADS> DEVICE u32 exclusive_scan_block(u32 v, u32 *sums) {
	u32 inclusive = inclusive_scan(v);
	if (lane_id() == 31) sums[warp_id()] = inclusive;
	__syncthreads(); // sums of all warps are written
	u32 before = 0;
#pragma unroll
	for (int w = 0; w < THREADS / 32; w++)
		if (w < (int)warp_id()) before += sums[w];
	return before + inclusive - v;
}

// is_last_block returns whether all other blocks have called it before, for all
// threads of a block; then what those wrote can be read. *done counts blocks, from
// 0; last is a shared word.
DEVICE bool is_last_block(u32 *done, u32 &last) {
	__threadfence(); // what this thread wrote comes before the block is counted
	__syncthreads(); // that of all threads does
	if (threadIdx.x == 0) last = atomicAdd(done, 1u) + 1 == gridDim.x;
	__syncthreads(); // last is known
	__threadfence(); // what others wrote is read behind the count
	return last;
}
