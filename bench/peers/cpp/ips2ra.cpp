// ips2ra, sequential with one thread and parallel with more.
#include "ips2ra.hpp"

#include "peers.h"

static int threads;

template <class E, class Code> void sort(E *s, size_t n, Code code) {
    if (threads > 1) ips2ra::parallel::sort(s, s + n, code, threads);
    else ips2ra::sort(s, s + n, code);
}

template <class K> void keys() {
    offer_sort<K>("ips2ra", [](K *s, size_t n) { sort(s, n, [](const K &k) { return code(k); }); });
}

template <class K> void pairs() {
    keys<K>();
    using E = Pair<K, Word<K>>;
    for (bool composed : {false, true})
        offer_pairs<K, E>("ips2ra", composed, [](K k, size_t i) { return E{k, Word<K>(i)}; }, [](const E &e) { return e.value; },
                          [](E *s, size_t n) { sort(s, n, [](const E &e) { return code(e.key); }); });
}

template <class E, class K> void structs(const char *op) {
    offer_structs<E, K>("ips2ra", op, [](E *s, size_t n) { sort(s, n, [](const E &e) { return code(e.key); }); });
}

int main(int argc, char **argv) {
    threads = argc > 1 ? std::atoi(argv[1]) : 1;
    pairs<uint32_t>();
    pairs<uint64_t>();
    pairs<float>();
    pairs<double>();
    structs<S16, float>("struct16");
    structs<S24, float>("struct24");
    structs<S64, uint64_t>("struct64");
    return serve("ips2ra " VERSION);
}
