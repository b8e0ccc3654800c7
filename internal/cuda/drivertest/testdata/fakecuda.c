// A driver library without a device: every call writes its name and arguments
// to a log, gives out recognizable values, and fails where the test says so.
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int result;
typedef uint64_t word;

static char text[1 << 16];
static size_t used;
static char failing[64];
static int code, devices = 2, version = 12040, parameters, lonely, lingering;
static pthread_mutex_t logging = PTHREAD_MUTEX_INITIALIZER;
static __thread word current; // the context, of which each thread has its own

// Controls of the test.
const char *fake_log(void) {
	static char taken[sizeof text];
	strcpy(taken, text);
	text[used = 0] = 0;
	return taken;
}
void fake_reset(void) { devices = 2, version = 12040, parameters = lonely = lingering = 0, failing[0] = 0, fake_log(); }
void fake_fail(const char *name, int with) { snprintf(failing, sizeof failing, "%s", name); code = with; }
void fake_devices(int n) { devices = n; }
void fake_linger(int us) { lingering = us; }
void fake_lonely(int yes) { lonely = yes; }
void fake_version(int v) { version = v; }
void fake_parameters(int n) { parameters = n; }

static void note(const char *format, ...) {
	if (used > sizeof text / 2) used = 0;
	va_list args;
	va_start(args, format);
	used += vsnprintf(text + used, sizeof text - used, format, args);
	va_end(args);
}

// ENTER logs a call with its arguments and returns the scripted failure.
#define ENTER(...)                              \
	do {                                        \
		pthread_mutex_lock(&logging);           \
		note("%s", __func__);                   \
		note(__VA_ARGS__);                      \
		note("\n");                             \
		pthread_mutex_unlock(&logging);         \
		if (!strcmp(__func__, failing)) return code; \
	} while (0)
// INSIDE is ENTER of a call that works on the thread's current context.
#define INSIDE(...)                             \
	do {                                        \
		ENTER(__VA_ARGS__);                     \
		if (!current) return 201;               \
	} while (0)
#define X " %llx"
#define W(v) ((unsigned long long)(word)(v))

result cuInit(unsigned flags) {
	ENTER(X, W(flags));
	const char *scripted = getenv("CUDA_FAKE_INIT"); // for calls before the test begins
	return scripted ? atoi(scripted) : 0;
}
#ifndef OLD
result cuDriverGetVersion(int *v) { ENTER(""); *v = version; return 0; }
#endif
result cuDeviceGetCount(int *n) { ENTER(""); *n = devices; return 0; }
result cuDeviceGet(int *d, int ordinal) { ENTER(X, W(ordinal)); *d = 0x70 + ordinal; return ordinal < devices ? 0 : 101; }
result cuDeviceGetName(char *name, int size, int d) { ENTER(X X, W(size), W(d)); snprintf(name, size, "Fake %x", d); return 0; }
result cuDeviceGetUuid(unsigned char *u, int d) { ENTER(X, W(d)); for (int i = 0; i < 16; i++) u[i] = 16 * i + i; return 0; }
result cuDeviceTotalMem_v2(size_t *bytes, int d) { ENTER(X, W(d)); *bytes = 0x2300000000; return 0; }
result cuDeviceGetAttribute(int *v, int attribute, int d) { ENTER(X X, W(attribute), W(d)); *v = 1000 + attribute; return 0; }
result cuDevicePrimaryCtxRetain(word *c, int d) { ENTER(X, W(d)); *c = 0xc0ffee00c0ffee00 + d; return 0; }
result cuDevicePrimaryCtxRelease_v2(int d) { ENTER(X, W(d)); return 0; }
result cuCtxPushCurrent_v2(word c) { ENTER(X, W(c)); current = c; usleep(lingering); return 0; }
result cuCtxPopCurrent_v2(word *c) { INSIDE(""); if (c) *c = current; current = 0; return 0; }
result cuDeviceCanAccessPeer(int *can, int d, int peer) { ENTER(X X, W(d), W(peer)); *can = !lonely; return 0; }
result cuCtxEnablePeerAccess(word c, unsigned flags) { INSIDE(X X, W(c), W(flags)); return 0; }
result cuMemGetInfo_v2(size_t *free, size_t *total) { INSIDE(""); *free = 0x1111111111; *total = 0x2222222222; return 0; }
result cuMemAlloc_v2(word *p, size_t bytes) { INSIDE(X, W(bytes)); *p = 0x7f0011223344aa00; return 0; }
result cuMemFree_v2(word p) { INSIDE(X, W(p)); return 0; }
result cuMemHostAlloc(void **p, size_t bytes, unsigned flags) { INSIDE(X X, W(bytes), W(flags)); *p = text; return 0; }
result cuMemFreeHost(void *p) { INSIDE(" %d", p == text); return 0; }
result cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags) { INSIDE(" %d" X X, p == text, W(bytes), W(flags)); return 0; }
result cuMemHostUnregister(void *p) { INSIDE(" %d", p == text); return 0; }
result cuModuleLoadData(word *m, const char *image) { INSIDE(" [%s]", image); *m = 0x4d00000000000001; return 0; }
result cuModuleUnload(word m) { INSIDE(X, W(m)); return 0; }
result cuModuleGetFunction(word *f, word m, const char *name) { INSIDE(X " [%s]", W(m), name); *f = 0x4600000000000002; return 0; }
result cuFuncSetAttribute(word f, int attribute, int v) { INSIDE(X X X, W(f), W(attribute), W(v)); return 0; }
result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, word f, int threads, size_t shared) { INSIDE(X X X, W(f), W(threads), W(shared)); *n = 7; return 0; }
result cuStreamCreate(word *s, unsigned flags) { INSIDE(X, W(flags)); *s = 0x5300000000000003; return 0; }
result cuStreamCreateWithPriority(word *s, unsigned flags, int priority) { INSIDE(X " %d", W(flags), priority); *s = 0x5300000000000003; return 0; }
result cuStreamDestroy_v2(word s) { INSIDE(X, W(s)); return 0; }
result cuStreamSynchronize(word s) { INSIDE(X, W(s)); return 0; }
result cuStreamWaitEvent(word s, word e, unsigned flags) { INSIDE(X X X, W(s), W(e), W(flags)); return 0; }
result cuEventCreate(word *e, unsigned flags) { INSIDE(X, W(flags)); *e = 0x4500000000000004; return 0; }
result cuEventDestroy_v2(word e) { INSIDE(X, W(e)); return 0; }
result cuEventRecord(word e, word s) { INSIDE(X X, W(e), W(s)); return 0; }
result cuEventSynchronize(word e) { INSIDE(X, W(e)); return 0; }
result cuEventQuery(word e) { INSIDE(X, W(e)); return 0; }
result cuEventElapsedTime(float *ms, word from, word to) { INSIDE(X X, W(from), W(to)); *ms = 1.5f; return 0; }
result cuMemcpyHtoDAsync_v2(word dst, const void *src, size_t bytes, word s) { INSIDE(X " %d" X X, W(dst), src == text, W(bytes), W(s)); return 0; }
result cuMemcpyDtoHAsync_v2(void *dst, word src, size_t bytes, word s) { INSIDE(" %d" X X X, dst == text, W(src), W(bytes), W(s)); return 0; }
result cuMemcpyDtoDAsync_v2(word dst, word src, size_t bytes, word s) { INSIDE(X X X X, W(dst), W(src), W(bytes), W(s)); return 0; }
result cuMemcpyPeerAsync(word dst, word to, word src, word from, size_t bytes, word s) { INSIDE(X X X X X X, W(dst), W(to), W(src), W(from), W(bytes), W(s)); return 0; }
result cuMemsetD32Async(word dst, unsigned value, size_t words, word s) { INSIDE(X X X X, W(dst), W(value), W(words), W(s)); return 0; }

result cuLaunchKernel(word f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, word s, word **params, void **extra) {
	char values[1024] = "";
	for (int i = 0, n = 0; i < parameters; i++) n += snprintf(values + n, sizeof values - n, X, W(*params[i]));
	INSIDE(X X X X X X X X X " (%s ) %d", W(f), W(gx), W(gy), W(gz), W(bx), W(by), W(bz), W(shared), W(s), values, extra == 0);
	return 0;
}
