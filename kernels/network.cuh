// network.cuh: sorting networks over the registers of a lane.
#pragma once
#include "platform.cuh"

DEVICE void compare_exchange(u32 &a, u32 &b) {
	u32 low = min(a, b);
	b = max(a, b);
	a = low;
}

// exchange_by_sum is compare_exchange that computes the maximum as a + b - min(a, b), by
// multiply-adds, which another unit executes than min. one is hidden_one().
DEVICE void exchange_by_sum(u32 &a, u32 &b, u32 one) {
	const u32 low = min(a, b);
	b = multiply_add(low, 0u - one, multiply_add(a, one, b));
	a = low;
}

DEVICE void compare_exchange(u64 &a, u64 &b) { order_two(a, b); }

template <class T> DEVICE void compare_exchange(T &a, T &b) {
	const bool wrong = b < a;
	T low = wrong ? b : a;
	b = wrong ? a : b;
	a = low;
}

// merge_lane merges the sorted halves of the N items item[FIRST], item[FIRST + STEP], … by
// Batcher's odd-even merge.
template <int FIRST, int N, int STEP, class T, int ITEMS> DEVICE void merge_lane(T (&item)[ITEMS]) {
	if constexpr (N == 2) {
		compare_exchange(item[FIRST], item[FIRST + STEP]);
	} else {
		merge_lane<FIRST, N / 2, 2 * STEP>(item);
		merge_lane<FIRST + STEP, N / 2, 2 * STEP>(item);
#pragma unroll
		for (int i = 1; i + 1 < N; i += 2) compare_exchange(item[FIRST + i * STEP], item[FIRST + (i + 1) * STEP]);
	}
}

// sort_lane sorts N items of each lane. 32 items take 191 comparators; the bitonic network has
// 240.
template <int FIRST, int N, class T, int ITEMS> DEVICE void sort_lane(T (&item)[ITEMS]) {
	if constexpr (N > 1) {
		sort_lane<FIRST, N / 2>(item);
		sort_lane<FIRST + N / 2, N / 2>(item);
		merge_lane<FIRST, N, 1>(item);
	}
}
