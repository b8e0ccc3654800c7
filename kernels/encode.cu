// encode.cu: keys to codes and back, for both widths; see encode.cuh.
#include "encode.cuh"

#define FOR_WIDTH(Code)                                                                              \
	extern "C" __global__ void __launch_bounds__(ENCODE_THREADS)                                       \
	flip_words_##Code(Code *words, u64 n, u64 flip) {                                                  \
		encode_each(words, n, [=](Code word) { return word ^ (Code)flip; });                                    \
	}                                                                                                  \
	extern "C" __global__ void __launch_bounds__(ENCODE_THREADS)                                       \
	encode_floats_##Code(Code *words, u64 n, u64 zero, u64 most, u64 nan, u64 turn, u64 flip) {        \
		const FloatCode<Code> f = {(Code)zero, (Code)most, (Code)nan, (Code)turn, (Code)flip};           \
		encode_each(words, n, [=](Code word) { return f.of(word); });                                           \
	}                                                                                                  \
	extern "C" __global__ void __launch_bounds__(ENCODE_THREADS)                                       \
	decode_floats_##Code(Code *words, u64 n, u64 turn, u64 flip) {                                     \
		const FloatCode<Code> f = {0, 0, 0, (Code)turn, (Code)flip};                                     \
		encode_each(words, n, [=](Code word) { return f.back(word); });                                         \
	}
FOR_WIDTH(u32)
FOR_WIDTH(u64)
#undef FOR_WIDTH
