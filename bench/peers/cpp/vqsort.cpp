// vqsort of Google Highway, which has one thread, and std::sort beside it.
#include "hwy/contrib/sort/vqsort.h"

#include "peers.h"

using hwy::SortAscending;

template <class K> void keys() {
    offer_sort<K>("vqsort", [](K *s, size_t n) { hwy::VQSort(s, n, SortAscending()); });
    offer_sort<K>("std::sort", [](K *s, size_t n) { std::sort(s, s + n); });
}

template <class K> void all() {
    keys<K>();
    offer_top<K>("vqsort", [](K *s, size_t k, size_t n) { hwy::VQPartialSort(s, n, k, SortAscending()); });
    offer_nth<K>("vqsort", [](K *s, size_t k, size_t n) { hwy::VQSelect(s, n, k, SortAscending()); });
    offer_top<K>("std::partial_sort", [](K *s, size_t k, size_t n) { std::partial_sort(s, s + k, s + n); });
    offer_nth<K>("std::nth_element", [](K *s, size_t k, size_t n) { std::nth_element(s, s + k, s + n); });
}

// pairs are those of Highway, E; W is the unsigned integer of half a pair.
template <class K, class E, class W> void pairs() {
    for (bool composed : {false, true})
        offer_pairs<K, E>("vqsort", composed, [](K k, size_t i) { E e; e.value = W(i); e.key = code(k); return e; },
                          [](const E &e) { return e.value; }, [](E *s, size_t n) { hwy::VQSort(s, n, SortAscending()); });
}

int main() {
    all<uint32_t>();
    all<uint64_t>();
    all<float>();
    all<double>();
    keys<uint16_t>();
    pairs<uint32_t, hwy::K32V32, uint32_t>();
    pairs<float, hwy::K32V32, uint32_t>();
    pairs<uint64_t, hwy::K64V64, uint64_t>();
    pairs<double, hwy::K64V64, uint64_t>();
    return serve("vqsort " VERSION);
}
