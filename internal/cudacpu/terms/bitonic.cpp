//go:build cudacpu && linux && amd64

// The networks of lanes and the bitonic network, compiled from their sources. Their elements can be compared by
// compare_exchange alone: anything else does not compile.

#include "gates.h"

extern "C" void terms_reset(uint32_t inputs) {
	terms::inputs = inputs;
	terms::gates.clear();
	terms::sums.clear();
	for (auto &k : terms::known) k.clear();
}

extern "C" const TermGate *terms_gates(size_t *n) {
	*n = terms::gates.size();
	return terms::gates.data();
}

namespace { // or the linker would take these functions for those of the package kernels

// Term is an element with the number of a term. With one more word it is as large as a 64-bit word, of which
// threads hold 16; with two more, threads hold 8, as of pairs.
template <int WORDS> struct Term {
	u32 number, more[WORDS];
	Term() = default;
	Term(u32 number) : number(number) {}
};
typedef Term<1> Word;
typedef Term<2> Wide;

template <int WORDS> void compare_exchange(Term<WORDS> &a, Term<WORDS> &b) {
	const u32 low = terms::gate(false, a.number, b.number);
	b.number = terms::gate(true, a.number, b.number);
	a.number = low;
}

#include "elements.cuh"
#include "network.cuh"

template <int WORDS> struct Elements<Term<WORDS>> {
	typedef Term<WORDS> Element;
	static constexpr int BYTES = 8;
	u64 *word;
	Elements(u64 *memory, u64) : word(memory) {}
	Element get(u64 i) const { return Element((u32)word[i]); }
	void set(u64 i, const Element &e) const { word[i] = e.number; }
	static Element end() { return Element(terms::END); }
};

#include "bitonic.cuh"

// Numbers gives each element its number.
template <class E> struct Numbers {
	typedef E Element;
	E get(u64 i) const { return E((u32)i); }
};

template <int N> void lane(u64 *out) {
	Word item[N];
	for (int i = 0; i < N; i++) item[i] = Word((u32)i);
	sort_lane<0, N>(item);
	for (int i = 0; i < N; i++) out[i] = item[i].number;
}

} // namespace

extern "C" {
void lane_2(u64 *out) { lane<2>(out); }
void lane_4(u64 *out) { lane<4>(out); }
void lane_8(u64 *out) { lane<8>(out); }
void lane_16(u64 *out) { lane<16>(out); }
void lane_32(u64 *out) { lane<32>(out); }

void bitonic_inplace_term(u64 *elements, u64 n) { bitonic_tiles<Numbers<Word>>({}, n, elements); }
void bitonic_inplace_wide(u64 *elements, u64 n) { bitonic_tiles<Numbers<Wide>>({}, n, elements); }
void bitonic_merge_term(u64 *elements, u64 n, u64 low, u64 rows, u64 mirror) {
	bitonic_merge<Word>(elements, n, (int)low, (int)rows, mirror != 0);
}
void bitonic_merge_wide(u64 *elements, u64 n, u64 low, u64 rows, u64 mirror) {
	bitonic_merge<Wide>(elements, n, (int)low, (int)rows, mirror != 0);
}
}

CUDACPU_KERNEL(lane_2);
CUDACPU_KERNEL(lane_4);
CUDACPU_KERNEL(lane_8);
CUDACPU_KERNEL(lane_16);
CUDACPU_KERNEL(lane_32);
CUDACPU_KERNEL(bitonic_inplace_term);
CUDACPU_KERNEL(bitonic_inplace_wide);
CUDACPU_KERNEL(bitonic_merge_term);
CUDACPU_KERNEL(bitonic_merge_wide);
