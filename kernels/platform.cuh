// platform.cuh: the platform of the kernels, CUDA or the CPU: types, macros, memory accesses,
// and scans.
//
// Kernel parameters have 8 bytes each, pointers and 64-bit scalars: one of the drivers copies
// 8 bytes per argument. All shared memory is dynamic: tests run several blocks of a kernel at
// once on one CPU thread, where static variables would be shared among blocks.
#pragma once
#include <stdint.h>

typedef unsigned long long u64; // the type of CUDA's atomics and intrinsics
typedef uint32_t u32;
typedef uint16_t u16;

// Vector is 16 bytes of words, for one load.
template <class T> struct alignas(16) Vector {
	static constexpr u32 SIZE = 16 / sizeof(T);
	T word[SIZE];
};

// SORTER_SHARED declares a name for the block's dynamic shared memory, of a Type.
// load_once reads a word that is not read again; it is not cached in the first level.
// keep_order stops the compiler from moving memory accesses across it.
// order_two swaps a and b if b < a, in 6 instructions. The compiler would compare twice, for
// the minimum and for the maximum: 8 instructions.
// load_word and store_word are relaxed atomic accesses to memory that other blocks access
// concurrently. SPIN is the body of a loop that waits for another block.
// peek and poke access a word of shared memory that other threads access concurrently.
// notify_host stores a word in memory of the host, which may read it concurrently.
// multiply_add returns a * b + c in one instruction, executed by another unit than add and min.
// borrow returns whether a < b, as all ones or 0, for numbers of a high and a low word: in a chain of
// subtractions, without a branch.
// hidden_one returns 1, unknown to the compiler.
// peek_vector reads 16 aligned bytes of shared memory that other threads access concurrently.
// lanes_like returns the lanes of a full warp whose word has the same value of bit as this
// lane's, in three instructions: test, vote, complement. Compiled from C++ it takes six.
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
template <class T> inline Vector<T> peek_vector(const T *p) {
	Vector<T> b;
	for (u32 i = 0; i < Vector<T>::SIZE; i++) b.word[i] = peek(p + i);
	return b;
}
inline u32 multiply_add(u32 a, u32 b, u32 c) { return a * b + c; }
inline u32 borrow(u32 high, u32 low, u32 b_high, u32 b_low) { return high < b_high || (high == b_high && low < b_low) ? ~0u : 0; }
inline u32 borrow(u64 high, u32 low, u64 b_high, u32 b_low) { return high < b_high || (high == b_high && low < b_low) ? ~0u : 0; }
inline u32 hidden_one() { return 1; }
inline void store_word(u32 *p, u32 v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
inline void notify_host(u32 *p, u32 v) { __atomic_store_n(p, v, __ATOMIC_RELAXED); }
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
template <class T> DEVICE Vector<T> peek_vector(const T *p) { return *(const Vector<T> *)p; }
DEVICE u32 multiply_add(u32 a, u32 b, u32 c) {
	u32 d;
	asm("mad.lo.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
	return d;
}
DEVICE u32 borrow(u32 high, u32 low, u32 b_high, u32 b_low) {
	u32 less;
	asm("{ .reg .u32 rest; sub.cc.u32 rest, %2, %4; subc.cc.u32 rest, %1, %3; subc.u32 %0, 0, 0; }" : "=r"(less) : "r"(high), "r"(low), "r"(b_high), "r"(b_low));
	return less;
}
DEVICE u32 borrow(u64 high, u32 low, u64 b_high, u32 b_low) {
	u32 less;
	asm("{ .reg .u32 rest; sub.cc.u32 rest, %3, %6; subc.cc.u32 rest, %2, %5; subc.cc.u32 rest, %1, %4; subc.u32 %0, 0, 0; }"
	    : "=r"(less)
	    : "r"((u32)(high >> 32)), "r"((u32)high), "r"(low), "r"((u32)(b_high >> 32)), "r"((u32)b_high), "r"(b_low));
	return less;
}
DEVICE u32 hidden_one() { return blockDim.y; }
DEVICE u64 load_word(const u64 *p) {
	u64 v;
	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(v) : "l"(p));
	return v;
}
DEVICE void store_word(u32 *p, u32 v) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(p), "r"(v)); }
DEVICE void notify_host(u32 *p, u32 v) { asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(p), "r"(v)); }
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

// inclusive_scan returns the sum of v over the lanes of the warp up to this one.
DEVICE u32 inclusive_scan(u32 v) {
#pragma unroll
	for (int d = 1; d < 32; d *= 2) {
		u32 left = __shfl_up_sync(FULL_WARP, v, d);
		if (lane_id() >= (u32)d) v += left;
	}
	return v;
}

// exclusive_scan_block returns the sum of v over the threads before this one.
// sums has a word per warp. The caller synchronises before it reuses sums.
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

// is_last_block returns, to all threads of a block, whether all other blocks have called it
// before. The last block sees the writes of all others. *done counts blocks, from 0; last is a
// shared word.
DEVICE bool is_last_block(u32 *done, u32 &last) {
	__threadfence(); // this thread's writes precede the count of the block
	__syncthreads(); // so do those of all threads
	if (threadIdx.x == 0) last = atomicAdd(done, 1u) + 1 == gridDim.x;
	__syncthreads(); // last is known
	__threadfence(); // the count precedes reads of other blocks' writes
	return last;
}
