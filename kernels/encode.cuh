// encode.cuh: keys to codes and back, in place, for the caller's memory copied unchanged to the
// device. internal/floats describes the mapping of floats. Traffic per element: 4 + 4 bytes, or
// 8 + 8.
#pragma once
#include "platform.cuh"

constexpr int ENCODE_THREADS = 256;

// FloatCode is the mapping of floats, see floats.Code.
template <class Code> struct FloatCode {
	Code zero, most, nan, turn, flip;

	static constexpr int TOP = 8 * sizeof(Code) - 1;
	static constexpr Code SIGN = (Code)1 << TOP;

	DEVICE Code of(Code bits) const {
		if (bits == zero) bits = 0;
		if ((bits & ~SIGN) > most) bits = nan;
		return ((bits ^ (((Code)0 - (bits >> TOP)) | SIGN)) + turn) ^ flip;
	}

	DEVICE Code back(Code code) const {
		const Code bits = (code ^ flip) - turn;
		return bits ^ (((bits >> TOP) - 1) | SIGN);
	}
};

// encode_each replaces each word by make(word).
template <class Code, class Make> DEVICE void encode_each(Code *words, u64 n, Make make) {
#pragma unroll 4
	for (u64 i = (u64)blockIdx.x * ENCODE_THREADS + threadIdx.x; i < n; i += (u64)gridDim.x * ENCODE_THREADS) words[i] = make(words[i]);
}
