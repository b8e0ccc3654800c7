// ParlayLib's integer sort, or DovetailSort, which comes as a copy of ParlayLib with one more
// sort: compile with -DDOVETAIL for that. PARLAY_NUM_THREADS is set to the argument.
#ifdef DOVETAIL
#include "parlay/integer_sort.h"
static const char *name = "DovetailSort";
#else
#include "parlay/primitives.h"
static const char *name = "ParlayLib";
#endif

#include "peers.h"

template <class E, class Code> void sort(E *s, size_t n, Code code) {
#ifdef DOVETAIL
    parlay::integer_sort_inplace2(parlay::make_slice(s, s + n), code);
#else
    parlay::integer_sort_inplace(parlay::make_slice(s, s + n), code);
#endif
}

template <class K> void keys() {
    offer_sort<K>(name, [](K *s, size_t n) { sort(s, n, [](const K &k) { return code(k); }); });
    using E = Pair<K, Word<K>>;
    for (bool composed : {false, true})
        offer_pairs<K, E>(name, composed, [](K k, size_t i) { return E{k, Word<K>(i)}; }, [](const E &e) { return e.value; },
                          [](E *s, size_t n) { sort(s, n, [](const E &e) { return code(e.key); }); });
}

template <class E, class K> void structs(const char *op) {
    offer_structs<E, K>(name, op, [](E *s, size_t n) { sort(s, n, [](const E &e) { return code(e.key); }); });
}

int main(int argc, char **argv) {
    setenv("PARLAY_NUM_THREADS", argc > 1 ? argv[1] : "1", 1);
    keys<uint32_t>();
    keys<uint64_t>();
#ifndef DOVETAIL // compiles for minutes
    keys<float>();
    keys<double>();
    structs<S16, float>("struct16");
    structs<S24, float>("struct24");
    structs<S64, uint64_t>("struct64");
#endif
    return serve(std::string(name) + " " VERSION);
}
