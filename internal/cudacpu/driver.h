// The driver of the tests and its controls, in C.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct cudacpu_device {
	uint64_t memory;
	int shared_per_block, sms, major, minor;
};

struct cudacpu_held {
	uint64_t memory, pinned;
	int streams, events, modules, contexts;
};

void *cudacpu_symbol(const char *name);
uint64_t cudacpu_call(void *entry, const uint64_t *args, int n);

void cudacpu_fail(int64_t k, int code, int lasting);
int64_t cudacpu_calls(void);
const char *cudacpu_failed(void);
void cudacpu_seed(uint64_t seed);
void cudacpu_mode(int mode);
void cudacpu_devices(int count, int direct);
void cudacpu_configure(int ordinal, struct cudacpu_device info);
struct cudacpu_held cudacpu_held(void);
const char *cudacpu_sanitizer(void);

#ifdef __cplusplus
}
#endif
