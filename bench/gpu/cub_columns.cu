// cub_columns.cu: the peer's orders of rows by columns: CUB's merge sort of row numbers with a comparison of rows, as libraries
// of data frames have it. Columns and their order are those of columns.go.
#include <cstdint>
#include <cub/device/device_merge_sort.cuh>

using u8 = unsigned char;
using u32 = uint32_t;
using u64 = unsigned long long;

struct Columns {
	const void *values[3];
	const u8 *validity[3];
	const u32 *offsets;
	u64 bytes;
};

struct TwoInts {
	Columns c;
	__device__ bool operator()(u32 a, u32 b) const {
		const int *x = (const int *)c.values[0], *y = (const int *)c.values[1];
		const int xa = x[a], xb = x[b];
		return xa != xb ? xa < xb : y[a] < y[b];
	}
};

__device__ bool valid(const u8 *bits, u32 i) { return bits[i >> 3] >> (i & 7) & 1; }

// An int64 and a float64, the second one descending, nulls last.
struct NullsLast {
	Columns c;
	__device__ bool operator()(u32 a, u32 b) const {
		const bool va = valid(c.validity[0], a), vb = valid(c.validity[0], b);
		if (va != vb) return va;
		if (va) {
			const long long *x = (const long long *)c.values[0];
			const long long xa = x[a], xb = x[b];
			if (xa != xb) return xa < xb;
		}
		const bool wa = valid(c.validity[1], a), wb = valid(c.validity[1], b);
		if (wa != wb) return wa;
		const double *y = (const double *)c.values[1];
		return wa && y[a] > y[b];
	}
};

struct ThreeInts {
	Columns c;
	__device__ bool operator()(u32 a, u32 b) const {
		for (int k = 0; k < 3; k++) {
			const int *x = (const int *)c.values[k];
			const int xa = x[a], xb = x[b];
			if (xa != xb) return xa < xb;
		}
		return false;
	}
};

// Texts, 8 bytes at a time. Memory after them is readable.
struct Texts {
	Columns c;
	__device__ u64 word(u64 at) const {
		const u64 address = (u64)c.values[0] + at, aligned = address & ~7ull;
		const int skip = 8 * (int)(address & 7);
		const u64 low = *(const u64 *)aligned >> skip, v = skip ? low | *(const u64 *)(aligned + 8) << (64 - skip) : low;
		return (u64)__byte_perm((u32)(v >> 32), 0, 0x0123) | (u64)__byte_perm((u32)v, 0, 0x0123) << 32;
	}
	__device__ bool operator()(u32 a, u32 b) const {
		const u32 x = c.offsets[a], y = c.offsets[b], m = c.offsets[a + 1] - x, n = c.offsets[b + 1] - y, both = m < n ? m : n;
		for (u32 k = 0; k < both; k += 8) {
			u64 p = word(x + k), q = word(y + k);
			if (both - k < 8) p >>= 64 - 8 * (both - k), q >>= 64 - 8 * (both - k);
			if (p != q) return p < q;
		}
		return m < n;
	}
};

__global__ void number(u32 *order, u64 n) {
	for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x) order[i] = (u32)i;
}

template <class Less> static int sort(void *tmp, size_t *bytes, u32 *order, u64 n, Less less, cudaStream_t stream) {
	if (tmp) number<<<1024, 256, 0, stream>>>(order, n);
	return cub::DeviceMergeSort::StableSortKeys(tmp, *bytes, order, n, less, stream);
}

// cub_columns writes the order of n rows by the columns of a kind. A null tmp asks for the temporary bytes.
extern "C" int cub_columns(void *tmp, size_t *bytes, u64 kind, const Columns *c, u32 *order, u64 n, void *stream) {
	switch (kind) {
	case 0: return sort(tmp, bytes, order, n, TwoInts{*c}, (cudaStream_t)stream);
	case 1: return sort(tmp, bytes, order, n, NullsLast{*c}, (cudaStream_t)stream);
	case 2: return sort(tmp, bytes, order, n, Texts{*c}, (cudaStream_t)stream);
	case 3: return sort(tmp, bytes, order, n, ThreeInts{*c}, (cudaStream_t)stream);
	}
	return -1;
}
