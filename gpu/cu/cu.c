//go:build cgo && linux && (amd64 || arm64)

#define _GNU_SOURCE
#include "cu.h"

#include <dlfcn.h>

// CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
#define SYMBOL_NOT_FOUND 302

static int init_result = 3; // not initialized

// gorgonia.org/cu calls cuInit before main and ends the process where there is no
// device. The linker gives it this one, which is in the program, before that
// of the library, and lets nobody outside of the program see it. Its result
// is kept for open.
__attribute__((visibility("hidden"))) int cuInit(unsigned flags) {
	int (*real)(unsigned) = (int (*)(unsigned))dlsym(RTLD_NEXT, "cuInit");
	init_result = real ? real(flags) : SYMBOL_NOT_FOUND;
	return 0;
}

int sorter_init_result(void) { return init_result; }

int sorter_host_alloc(void **p, size_t bytes, unsigned flags) {
	int (*real)(void **, size_t, unsigned) = (int (*)(void **, size_t, unsigned))dlsym(RTLD_NEXT, "cuMemHostAlloc");
	return real ? real(p, bytes, flags) : SYMBOL_NOT_FOUND;
}

int sorter_function_set(void *f, int attribute, int value) {
	int (*real)(void *, int, int) = (int (*)(void *, int, int))dlsym(RTLD_NEXT, "cuFuncSetAttribute");
	return real ? real(f, attribute, value) : SYMBOL_NOT_FOUND;
}

int sorter_host_register(void *p, size_t bytes, unsigned flags) {
	int (*real)(void *, size_t, unsigned) = (int (*)(void *, size_t, unsigned))dlsym(RTLD_NEXT, "cuMemHostRegister_v2");
	return real ? real(p, bytes, flags) : SYMBOL_NOT_FOUND;
}

int sorter_host_unregister(void *p) {
	int (*real)(void *) = (int (*)(void *))dlsym(RTLD_NEXT, "cuMemHostUnregister");
	return real ? real(p) : SYMBOL_NOT_FOUND;
}
