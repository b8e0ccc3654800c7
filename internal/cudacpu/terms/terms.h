// Terms in place of words: a kernel that runs on them computes minimums and maximums as gates of a
// circuit. One run stands for all inputs.
#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// TermGate is the minimum or the maximum of two terms. Term i is an input, if i is below their number,
// or else the gate of number i less that.
typedef struct {
	uint32_t most, a, b;
} TermGate;

// terms_reset forgets all gates.
void terms_reset(uint32_t inputs);

// terms_gates returns the gates, and their number. They are valid until the next run.
const TermGate *terms_gates(size_t *n);

#ifdef __cplusplus
}
#endif
