// ips2ra, parallel, on keys, on pairs of a key and a number, and on structs.
#include "ips2ra.hpp"

#include "peers.h"

struct Pair { uint32_t k, i; };
struct S24 { float k; uint32_t a; uint64_t b, c; };
struct V4 { float x, y, z, w; };
struct S64 { int64_t k; int64_t p[7]; };

// code returns the unsigned form of a key.
static uint32_t code(float f) {
    uint32_t x;
    std::memcpy(&x, &f, 4);
    return x ^ (uint32_t(-int32_t(x >> 31)) | 0x80000000u);
}
static uint64_t code(int64_t x) { return uint64_t(x) ^ (1ull << 63); }

template <class E, class Make, class Code> void row(const char *name, size_t n, int threads, Make make, Code of) {
    time_of<E>("ips2ra", name, n, make,
               [=](std::vector<E> &s) {
                   if (threads > 1) ips2ra::parallel::sort(s.begin(), s.end(), of, threads);
                   else ips2ra::sort(s.begin(), s.end(), of);
               },
               [=](const E &a, const E &b) { return of(a) < of(b); });
}

int main(int argc, char **argv) {
    int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    size_t keys = argc > 2 ? std::atof(argv[2]) : 2e7, structs = argc > 3 ? std::atof(argv[3]) : 1e7;
    row<uint32_t>("u32", keys, threads, [](uint64_t x, size_t) { return uint32_t(x >> 32); }, [](const uint32_t &x) { return x; });
    row<uint64_t>("u64", keys, threads, [](uint64_t x, size_t) { return x; }, [](const uint64_t &x) { return x; });
    row<Pair>("pairs", keys, threads, [](uint64_t x, size_t i) { return Pair{uint32_t(x >> 32), uint32_t(i)}; }, [](const Pair &p) { return p.k; });
    row<S24>("24 B", structs, threads, [](uint64_t x, size_t) { return S24{key<float>(x), 0, x, 0}; }, [](const S24 &s) { return code(s.k); });
    row<V4>("float4", structs, threads, [](uint64_t x, size_t) { return V4{key<float>(x), 0, 0, 0}; }, [](const V4 &s) { return code(s.x); });
    row<S64>("64 B", structs, threads, [](uint64_t x, size_t) { return S64{key<int64_t>(x), {}}; }, [](const S64 &s) { return code(s.k); });
}
