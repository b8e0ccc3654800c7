// The gates of terms. Fibers run on one thread, so they need no lock.
#pragma once
#include "terms.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "platform.cuh"

namespace terms {

constexpr u32 END = ~0u;     // the largest element
constexpr u32 SUM = 1u << 31; // of two terms, as in exchange_by_sum

inline u32 inputs;
inline std::vector<TermGate> gates;
inline std::vector<std::pair<u32, u32>> sums;
inline std::unordered_map<u64, u32> known[2];

inline u32 check(u32 t) {
	if (t != END && t >= inputs + gates.size()) cudacpu::die("%u is no term", t);
	return t;
}

// gate returns the minimum or the maximum. Equal ones are one term.
inline u32 gate(bool most, u32 a, u32 b) {
	if (check(a) == END || check(b) == END) return most ? END : a == END ? b : a;
	if (a > b) std::swap(a, b);
	const auto [at, fresh] = known[most].try_emplace((u64)a << 32 | b, inputs + (u32)gates.size());
	if (fresh) gates.push_back({most, a, b});
	return at->second;
}

// multiply_add returns a + b as a sum, and this less the minimum as the maximum: a + b - min(a, b) is
// max(a, b) for all words.
inline u32 multiply_add(u32 a, u32 factor, u32 b) {
	if (factor == 1) {
		sums.push_back({check(a), check(b)});
		return SUM | (u32)(sums.size() - 1);
	}
	if (factor != ~0u || !(b & SUM) || (b ^ SUM) >= sums.size()) cudacpu::die("no sum less a term");
	const auto [x, y] = sums[b ^ SUM];
	if (gate(false, x, y) != a) cudacpu::die("a sum less another term than its minimum");
	return gate(true, x, y);
}

template <class A, class B> auto least(A a, B b) {
	if constexpr (std::is_same_v<A, u32> && std::is_same_v<B, u32>) return gate(false, a, b);
	else return min(a, b);
}
template <class A, class B> auto greatest(A a, B b) {
	if constexpr (std::is_same_v<A, u32> && std::is_same_v<B, u32>) return gate(true, a, b);
	else return max(a, b);
}

} // namespace terms
