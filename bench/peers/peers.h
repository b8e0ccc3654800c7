// Shared by the programs of this directory: inputs and timing.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <type_traits>
#include <vector>

// key makes a uniform key of 64 uniform bits; floats are in [-0.5, 0.5).
template <class T> T key(uint64_t x) {
    if constexpr (std::is_floating_point_v<T>) return T(double(x >> 11) / double(1ull << 53) - 0.5);
    return T(x >> (64 - 8 * sizeof(T)));
}

// time_of prints the median and the least of 7 sorts of n elements, in ns per element.
template <class E, class Make, class Sort, class Less>
void time_of(const char *peer, const char *row, size_t n, Make make, Sort sort, Less less) {
    std::mt19937_64 random(1);
    std::vector<E> source(n), s(n);
    for (size_t i = 0; i < n; i++) source[i] = make(random(), i);
    std::vector<double> times;
    for (int turn = 0; turn < 7; turn++) {
        std::memcpy((void *)s.data(), (const void *)source.data(), n * sizeof(E));
        auto start = std::chrono::steady_clock::now();
        sort(s);
        times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / n);
    }
    if (!std::is_sorted(s.begin(), s.end(), less)) {
        std::printf("%s %s: not sorted\n", peer, row);
        std::exit(1);
    }
    std::sort(times.begin(), times.end());
    std::printf("%-24s %-8s n=%-9zu %6.2f (least %.2f)\n", peer, row, n, times[3], times[0]);
    std::fflush(stdout);
}
