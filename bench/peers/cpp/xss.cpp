// x86-simd-sort: by the instructions that the compiler's -m flags allow, on as many threads as
// the argument says.
#include "x86simdsort-static-incl.h"

#include <omp.h>

#include "peers.h"

template <class K> void keys(const std::string &name) {
    offer_sort<K>(name, [](K *s, size_t n) { x86simdsortStatic::qsort(s, n); });
}

template <class K> void all(const std::string &name) {
    keys<K>(name);
    offer_order<K, size_t>(name, [](K *s, size_t *p, size_t n) {
        std::iota(p, p + n, size_t(0));
        x86simdsortStatic::argsort(s, p, n);
    });
    offer_top<K>(name, [](K *s, size_t k, size_t n) { x86simdsortStatic::partial_qsort(s, k, n); });
    offer_nth<K>(name, [](K *s, size_t k, size_t n) { x86simdsortStatic::qselect(s, k, n); });
    offer(name, "pairs", type_name<K>(), [](const std::string &path, size_t n) {
        auto &d = data_of<K>(path, n);
        std::vector<K> s = d.keys;
        std::vector<Word<K>> v(s.size());
        for (size_t i = 0; i < v.size(); i++) v[i] = i % n;
        Result r = timed(d.lists(), n, [&](size_t at) { x86simdsortStatic::keyvalue_qsort(s.data() + at, v.data() + at, n); });
        r.sum = key_sum<K>(s.size(), [&](size_t i) { return d.keys[i - i % n + v[i]]; }) +
                squares(s.size(), [&](size_t i) { return v[i]; });
        return r;
    });
}

int main(int argc, char **argv) {
    omp_set_num_threads(argc > 1 ? std::atoi(argv[1]) : 1);
    all<uint32_t>("x86-simd-sort");
    all<uint64_t>("x86-simd-sort");
    all<float>("x86-simd-sort");
    all<double>("x86-simd-sort");
    keys<uint16_t>("x86-simd-sort");
    return serve("x86-simd-sort " VERSION);
}
