// CUDA's functions that kernels call.
#pragma once

#include <cassert>
#include <type_traits>

#include "grid.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__ __restrict
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define __grid_constant__

#define CUDACPU_TEXT_(x) #x
#define CUDACPU_TEXT(x) CUDACPU_TEXT_(x)
#define CUDACPU_HERE __FILE__ ":" CUDACPU_TEXT(__LINE__)

// Vectors. Their alignment is what makes a load one instruction on a GPU.
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(16) ulonglong2 { unsigned long long x, y; };
struct uint3 { unsigned x, y, z; };
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { return {x, y}; }

namespace cudacpu {

CUDACPU_QUIET inline uint3 thread_index() { return {current->thread, 0, 0}; }
CUDACPU_QUIET inline uint3 block_index() { return {current->block->index, 0, 0}; }
CUDACPU_QUIET inline uint3 block_size() { return {current->block->threads, 1, 1}; }
CUDACPU_QUIET inline uint3 grid_size() { return {current->block->grid, 1, 1}; }

template <class T> uint64_t pack(T v) {
	static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>, "warp operations move 4 or 8 bytes");
	uint64_t r = 0;
	memcpy(&r, &v, sizeof v);
	return r;
}

template <class T> T unpack(uint64_t v) {
	T r;
	memcpy(&r, &v, sizeof r);
	return r;
}

enum class Shuffle { index, up, down, butterfly };

// source_lane follows the definition of the four shuffles: a lane whose source
// is outside its segment of width lanes keeps its own value.
CUDACPU_QUIET inline int source_lane(Shuffle kind, int n, int width) {
	int lane = (int)lane_of(*current), first = lane & ~(width - 1), source = lane;
	switch (kind) {
	case Shuffle::index: return first + (n & (width - 1));
	case Shuffle::up: source = lane - n; break;
	case Shuffle::down: source = lane + n; break;
	case Shuffle::butterfly: return (lane ^ n) < first + width ? lane ^ n : lane;
	}
	return source >= first && source < first + width ? source : lane;
}

template <class T> T shuffle(Shuffle kind, const char *where, unsigned mask, T v, int n, int width = 32) {
	return unpack<T>(warp_operation(Op::shuffle, mask, pack(v), source_lane(kind, n, width), where));
}

inline unsigned ballot(const char *where, unsigned mask, bool p) {
	return (unsigned)warp_operation(Op::ballot, mask, p, 0, where);
}

template <class T> unsigned match(const char *where, unsigned mask, T v) {
	return (unsigned)warp_operation(Op::match, mask, pack(v), 0, where);
}

// Signed minima and maxima are unsigned ones of values with the sign flipped.
inline unsigned reduce_of(Op op, const char *where, unsigned mask, unsigned v) {
	return (unsigned)warp_operation(op, mask, v, 0, where);
}
inline int reduce_of(Op op, const char *where, unsigned mask, int v) {
	unsigned flip = op == Op::min || op == Op::max ? 1u << 31 : 0;
	return (int)(reduce_of(op, where, mask, (unsigned)v ^ flip) ^ flip);
}

inline void sync_warp(const char *where, unsigned mask = ~0u) { warp_operation(Op::sync, mask, 0, 0, where); }

} // namespace cudacpu

#define threadIdx (cudacpu::thread_index())
#define blockIdx (cudacpu::block_index())
#define blockDim (cudacpu::block_size())
#define gridDim (cudacpu::grid_size())
#define warpSize 32

#define __syncthreads() ((void)cudacpu::barrier(false, CUDACPU_HERE))
#define __syncthreads_count(p) ((int)cudacpu::barrier(!!(p), CUDACPU_HERE))
#define __syncthreads_or(p) ((int)(cudacpu::barrier(!!(p), CUDACPU_HERE) != 0))
#define __syncthreads_and(p) ((int)(cudacpu::barrier(!(p), CUDACPU_HERE) == 0))

// The place comes first, so that an empty argument list ends in no comma.
#define __syncwarp(...) cudacpu::sync_warp(CUDACPU_HERE __VA_OPT__(, ) __VA_ARGS__)
#define __ballot_sync(mask, p) cudacpu::ballot(CUDACPU_HERE, mask, !!(p))
#define __any_sync(mask, p) ((int)(cudacpu::ballot(CUDACPU_HERE, mask, !!(p)) != 0))
#define __all_sync(mask, p) ((int)(cudacpu::ballot(CUDACPU_HERE, mask, !(p)) == 0))
#define __match_any_sync(mask, v) cudacpu::match(CUDACPU_HERE, mask, v)
#define __shfl_sync(...) cudacpu::shuffle(cudacpu::Shuffle::index, CUDACPU_HERE, __VA_ARGS__)
#define __shfl_up_sync(...) cudacpu::shuffle(cudacpu::Shuffle::up, CUDACPU_HERE, __VA_ARGS__)
#define __shfl_down_sync(...) cudacpu::shuffle(cudacpu::Shuffle::down, CUDACPU_HERE, __VA_ARGS__)
#define __shfl_xor_sync(...) cudacpu::shuffle(cudacpu::Shuffle::butterfly, CUDACPU_HERE, __VA_ARGS__)
#define __reduce_add_sync(mask, v) cudacpu::reduce_of(cudacpu::Op::add, CUDACPU_HERE, mask, v)
#define __reduce_min_sync(mask, v) cudacpu::reduce_of(cudacpu::Op::min, CUDACPU_HERE, mask, v)
#define __reduce_max_sync(mask, v) cudacpu::reduce_of(cudacpu::Op::max, CUDACPU_HERE, mask, v)
#define __reduce_or_sync(mask, v) cudacpu::reduce_of(cudacpu::Op::bit_or, CUDACPU_HERE, mask, v)
#define __reduce_and_sync(mask, v) cudacpu::reduce_of(cudacpu::Op::bit_and, CUDACPU_HERE, mask, v)
#define __reduce_xor_sync(mask, v) cudacpu::reduce_of(cudacpu::Op::bit_xor, CUDACPU_HERE, mask, v)

// Atomics, in shared and global memory. They order nothing else.
namespace cudacpu {
template <class T> using same = std::common_type_t<T>; // an argument that does not decide T

template <class T, class F> T update(T *p, F f) {
	T old = __atomic_load_n(p, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(p, &old, f(old), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
	}
	return old;
}
} // namespace cudacpu

template <class T> T atomicAdd(T *p, cudacpu::same<T> v) { return __atomic_fetch_add(p, v, __ATOMIC_RELAXED); }
template <class T> T atomicSub(T *p, cudacpu::same<T> v) { return __atomic_fetch_sub(p, v, __ATOMIC_RELAXED); }
template <class T> T atomicOr(T *p, cudacpu::same<T> v) { return __atomic_fetch_or(p, v, __ATOMIC_RELAXED); }
template <class T> T atomicAnd(T *p, cudacpu::same<T> v) { return __atomic_fetch_and(p, v, __ATOMIC_RELAXED); }
template <class T> T atomicXor(T *p, cudacpu::same<T> v) { return __atomic_fetch_xor(p, v, __ATOMIC_RELAXED); }
template <class T> T atomicExch(T *p, cudacpu::same<T> v) { return __atomic_exchange_n(p, v, __ATOMIC_RELAXED); }
template <class T> T atomicMin(T *p, cudacpu::same<T> v) {
	return cudacpu::update(p, [v](T old) { return v < old ? v : old; });
}
template <class T> T atomicMax(T *p, cudacpu::same<T> v) {
	return cudacpu::update(p, [v](T old) { return old < v ? v : old; });
}
template <class T> T atomicCAS(T *p, cudacpu::same<T> old, cudacpu::same<T> v) {
	__atomic_compare_exchange_n(p, &old, v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	return old;
}

// A fence orders this thread's accesses before it and after it. The thread sanitizer
// knows no fences: for it each one follows all earlier ones. It finds a missing fence,
// but not one that is too early.
inline void __threadfence() {
#if defined(__SANITIZE_THREAD__)
	cudacpu::acquire(cudacpu::fences);
	cudacpu::release(cudacpu::fences);
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
inline void __nanosleep(unsigned) {}
[[noreturn]] inline void cudacpu_trap(const char *where) { cudacpu::die("%s: trap", where); }
#define __trap() cudacpu_trap(CUDACPU_HERE)

// Loads and stores with cache hints.
template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> T __ldcg(const T *p) { return *p; }
template <class T> T __ldca(const T *p) { return *p; }
template <class T> T __ldlu(const T *p) { return *p; }
template <class T> void __stcs(T *p, cudacpu::same<T> v) { *p = v; }
template <class T> void __stcg(T *p, cudacpu::same<T> v) { *p = v; }
template <class T> void __stwb(T *p, cudacpu::same<T> v) { *p = v; }
template <class T> void __stwt(T *p, cudacpu::same<T> v) { *p = v; }

// Integer instructions.
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
	return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __brev(unsigned x) {
	x = __builtin_bswap32(x);
	x = (x & 0x0f0f0f0f) << 4 | (x >> 4 & 0x0f0f0f0f);
	x = (x & 0x33333333) << 2 | (x >> 2 & 0x33333333);
	return (x & 0x55555555) << 1 | (x >> 1 & 0x55555555);
}
inline unsigned long long __brevll(unsigned long long x) {
	return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
// A funnel shift takes 32 bits out of high:low; _lc and _rc clamp the distance
// to 32 instead of taking it modulo 32.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) {
	return (unsigned)((((uint64_t)high << 32 | low) << (n & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) {
	return (unsigned)(((uint64_t)high << 32 | low) >> (n & 31));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned n) {
	return n >= 32 ? low : __funnelshift_l(low, high, n);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned n) {
	return n >= 32 ? high : __funnelshift_r(low, high, n);
}
// __byte_perm picks four of the eight bytes of y:x; bit 3 of a selector is
// ignored by the function, unlike by the instruction under it.
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
	uint64_t bytes = (uint64_t)y << 32 | x;
	unsigned r = 0;
	for (int i = 0; i < 4; i++) r |= (unsigned)(bytes >> (s >> 4 * i & 7) * 8 & 0xff) << 8 * i;
	return r;
}

template <class A, class B> constexpr std::common_type_t<A, B> min(A a, B b) {
	using T = std::common_type_t<A, B>;
	return (T)b < (T)a ? (T)b : (T)a;
}
template <class A, class B> constexpr std::common_type_t<A, B> max(A a, B b) {
	using T = std::common_type_t<A, B>;
	return (T)a < (T)b ? (T)b : (T)a;
}

// Last, because headers of the C++ library use the name in attributes.
#define __noinline__ __attribute__((noinline))

// Without a CUDA name. CUDACPU_SHARED declares name, a reference to the
// block's dynamic shared memory; CUDACPU_SPIN is the body of a loop that waits
// for another block.
#define CUDACPU_SHARED(Type, name) \
	Type &name = *static_cast<Type *>(cudacpu::shared(sizeof(Type), alignof(Type), CUDACPU_HERE))
#define CUDACPU_SPIN() cudacpu::spin_wait(CUDACPU_HERE)
