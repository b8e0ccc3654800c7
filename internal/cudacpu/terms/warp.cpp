//go:build cudacpu && linux && amd64

// The network of a warp, compiled from its source. Its words are numbers of terms: min, max and multiply_add are
// replaced. Whatever else is done with a word makes no sense as a term and ends the process.

#include "gates.h"

#define min(a, b) terms::least(a, b)
#define max(a, b) terms::greatest(a, b)
#define multiply_add terms::multiply_add

namespace { // or the linker would take these functions for those of the package kernels

#include "local.cuh"

} // namespace

extern "C" void warp_1024(u64 *out) {
	u32 word[LOCAL_ITEMS];
	for (int r = 0; r < LOCAL_ITEMS; r++) word[r] = LOCAL_ITEMS * lane_id() + r;
	sort_warp(word);
	for (int r = 0; r < LOCAL_ITEMS; r++) out[LOCAL_ITEMS * lane_id() + r] = word[r];
}

CUDACPU_KERNEL(warp_1024);
