// x86-simd-sort on keys: by the instructions that the compiler's -m flags allow, on as many
// threads as OMP_NUM_THREADS says if compiled with OpenMP.
#include "x86simdsort-static-incl.h"

#include "peers.h"

template <class T> void keys(const char *peer, const char *row, size_t n) {
    time_of<T>(peer, row, n, [](uint64_t x, size_t) { return key<T>(x); },
               [](std::vector<T> &s) { x86simdsortStatic::qsort(s.data(), s.size()); }, std::less<T>());
}

int main(int argc, char **argv) {
    const char *peer = argc > 1 ? argv[1] : "x86-simd-sort";
    size_t n = argc > 2 ? std::atof(argv[2]) : 2e7;
    keys<uint32_t>(peer, "u32", n);
    keys<int32_t>(peer, "i32", n);
    keys<float>(peer, "f32", n);
    keys<uint64_t>(peer, "u64", n);
    keys<int64_t>(peer, "i64", n);
    keys<double>(peer, "f64", n);
}
