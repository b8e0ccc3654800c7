// Shared by the programs of this directory: the protocol of README.md, inputs, timing and checks.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <type_traits>
#include <vector>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

// Elements of the rows of structs: a key, and the place in the file as payload.
struct S16 { float key; uint32_t i; uint64_t rest; };
struct S24 { float key; uint32_t rest; uint64_t i, more; };
struct S64 { uint64_t key, i, rest[6]; };
template <class K, class V> struct Pair { K key; V value; };

// Word is the unsigned integer of a key's width.
template <class K> using Word = std::conditional_t<sizeof(K) == 1, uint8_t, std::conditional_t<sizeof(K) == 2, uint16_t,
                                std::conditional_t<sizeof(K) == 4, uint32_t, uint64_t>>>;

template <class K> uint64_t bits(K k) {
    Word<K> w;
    std::memcpy(&w, &k, sizeof k);
    return w;
}

// code returns the unsigned form of a key, for sorts of integers alone.
template <class K> Word<K> code(K k) {
    if constexpr (!std::is_floating_point_v<K>) return k;
    else {
        const int sign = 8 * sizeof(K) - 1;
        Word<K> w = bits(k);
        return w ^ (Word<K>(0 - (w >> sign)) | Word<K>(1) << sign);
    }
}

// Data are the keys of a file, which is cut into lists of n.
template <class K> struct Data {
    std::vector<K> keys;
    size_t n;
    size_t lists() const { return keys.size() / n; }
};

struct Result { double wall = 0, cpu = 0; uint64_t sum = 0; };

inline double cpu_seconds() {
    rusage r;
    getrusage(RUSAGE_SELF, &r);
    auto s = [](timeval t) { return t.tv_sec + t.tv_usec * 1e-6; };
    return s(r.ru_utime) + s(r.ru_stime);
}

// timed runs f for the first element of every list.
template <class F> Result timed(size_t lists, size_t n, F f) {
    Result r;
    double cpu = cpu_seconds();
    auto start = std::chrono::steady_clock::now();
    for (size_t l = 0; l < lists; l++) f(l * n);
    r.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    r.cpu = cpu_seconds() - cpu;
    return r;
}

// key_sum is the sum of keys times the odd number of their places: it changes with every order.
template <class K, class At> uint64_t key_sum(size_t n, At at) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += bits<K>(at(i)) * (2 * i + 1);
    return sum;
}

// squares changes if a row number is lost or is there twice.
template <class At> uint64_t squares(size_t n, At at) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) sum += uint64_t(at(i)) * uint64_t(at(i));
    return sum;
}

using Contender = std::function<Result(const std::string &path, size_t n)>;
inline std::map<std::string, Contender> contenders; // by name, operation and type

template <class K> const Data<K> &data_of(const std::string &path, size_t n) {
    static std::string have;
    static Data<K> d;
    if (have != path) {
        std::ifstream in(path, std::ios::binary | std::ios::ate);
        if (!in) { std::fprintf(stderr, "no file %s\n", path.c_str()); std::exit(1); }
        d.keys.resize(size_t(in.tellg()) / sizeof(K));
        in.seekg(0);
        in.read(reinterpret_cast<char *>(d.keys.data()), std::streamsize(d.keys.size() * sizeof(K)));
        have = path;
    }
    d.n = n;
    return d;
}

template <class K> const char *type_name() {
    if (std::is_same_v<K, float>) return "f32";
    if (std::is_same_v<K, double>) return "f64";
    return sizeof(K) == 1 ? "u8" : sizeof(K) == 2 ? "u16" : sizeof(K) == 4 ? "u32" : "u64";
}

inline void offer(const std::string &name, const std::string &op, const std::string &type, Contender c) {
    contenders[name + " " + op + " " + type] = std::move(c);
}

// offer_sort offers sort(K *keys, size_t n).
template <class K, class Sort> void offer_sort(const std::string &name, Sort sort) {
    offer(name, "sort", type_name<K>(), [=](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<K> s = d.keys;
        Result r = timed(d.lists(), n, [&](size_t at) { sort(s.data() + at, n); });
        r.sum = key_sum<K>(s.size(), [&](size_t i) { return s[i]; });
        return r;
    });
}

// offer_pairs offers sort(E *pairs, size_t n); make(key, row) makes a pair, row(pair) is its row.
// With composed, pairs are made and row numbers taken from them while the clock runs: an order.
template <class K, class E, class Make, class Row, class Sort>
void offer_pairs(const std::string &name, bool composed, Make make, Row row, Sort sort) {
    offer(name, composed ? "order" : "pairs", type_name<K>(), [=](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<E> s(d.keys.size());
        std::vector<uint32_t> order(composed ? d.keys.size() : 0);
        auto fill = [&](size_t at) { for (size_t i = 0; i < n; i++) s[at + i] = make(d.keys[at + i], i); };
        for (size_t l = 0; l < d.lists(); l++) fill(l * n); // memory is there, too
        Result r = timed(d.lists(), n, [&](size_t at) {
            if (composed) fill(at);
            sort(s.data() + at, n);
            if (composed) for (size_t i = 0; i < n; i++) order[at + i] = uint32_t(row(s[at + i]));
        });
        r.sum = key_sum<K>(s.size(), [&](size_t i) { return d.keys[i - i % n + row(s[i])]; }) +
                squares(s.size(), [&](size_t i) { return row(s[i]); });
        return r;
    });
}

// offer_order offers order(const K *keys, I *order, size_t n).
template <class K, class I, class Order> void offer_order(const std::string &name, Order order) {
    offer(name, "order", type_name<K>(), [=](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<K> s = d.keys;
        std::vector<I> p(s.size());
        Result r = timed(d.lists(), n, [&](size_t at) { order(s.data() + at, p.data() + at, n); });
        r.sum = key_sum<K>(s.size(), [&](size_t i) { return d.keys[i - i % n + p[i]]; }) +
                squares(s.size(), [&](size_t i) { return p[i]; });
        return r;
    });
}

// offer_top offers top(K *keys, size_t k, size_t n): the first hundredth, in order.
template <class K, class Top> void offer_top(const std::string &name, Top top) {
    offer(name, "top", type_name<K>(), [=](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<K> s = d.keys;
        size_t k = n / 100;
        Result r = timed(d.lists(), n, [&](size_t at) { top(s.data() + at, k, n); });
        r.sum = key_sum<K>(d.lists() * k, [&](size_t i) { return s[i / k * n + i % k]; });
        return r;
    });
}

// offer_nth offers select(K *keys, size_t k, size_t n): the key at n/2 of the order.
template <class K, class Select> void offer_nth(const std::string &name, Select select) {
    offer(name, "nth", type_name<K>(), [=](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<K> s = d.keys;
        Result r = timed(d.lists(), n, [&](size_t at) { select(s.data() + at, n / 2, n); });
        r.sum = key_sum<K>(d.lists(), [&](size_t i) { return s[i * n + n / 2]; });
        return r;
    });
}

// offer_structs offers sort(E *s, size_t n) of structs with key K.
template <class E, class K, class Sort> void offer_structs(const std::string &name, const char *op, Sort sort) {
    offer(name, op, type_name<K>(), [=](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<E> s(d.keys.size());
        for (size_t i = 0; i < s.size(); i++) s[i].key = d.keys[i], s[i].i = i;
        Result r = timed(d.lists(), n, [&](size_t at) { sort(s.data() + at, n); });
        r.sum = key_sum<K>(s.size(), [&](size_t i) { return d.keys[s[i].i]; }) +
                squares(s.size(), [&](size_t i) { return s[i].i; });
        return r;
    });
}

// serve prints the offers and answers requests until there are no more.
inline int serve(const std::string &version) {
    std::cout << "version " << version << " " << COMPILER << "\n";
    for (auto &c : contenders) std::cout << "offer " << c.first << "\n";
    std::cout << "ready" << std::endl;
    std::string name, op, type, path;
    size_t n;
    while (std::cin >> name >> op >> type >> n >> path) {
        Result r = contenders.at(name + " " + op + " " + type)(path, n);
        std::printf("%.0f %.0f %llu\n", r.wall * 1e9, r.cpu * 1e9, (unsigned long long)r.sum);
        std::fflush(stdout);
    }
    return 0;
}
