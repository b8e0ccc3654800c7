//go:build cudacpu && linux && amd64

// How Go reaches the driver, and the controls of a test.
#include <algorithm>
#include <mutex>

#include "device.h"

namespace {

using namespace cudacpu;

std::mutex calling;

struct {
	int64_t calls, fail_at;
	int code;
	bool lasting;
	const char *failed;
} faults;

} // namespace

extern "C" {

void *cudacpu_symbol(const char *name) {
	for (size_t i = 0; i < entry_count; i++)
		if (!strcmp(entries[i].name, name)) return (void *)&entries[i];
	return nullptr;
}

// A C function leaves arguments alone that it does not take, in this calling
// convention, so one type calls all of them.
uint64_t cudacpu_call(void *entry, const uint64_t *a, int n) {
	std::lock_guard<std::mutex> lock(calling);
	const Entry &e = *(const Entry *)entry;
	uint64_t v[11] = {};
	std::copy(a, a + n, v);
	auto call = (int (*)(word, word, word, word, word, word, word, word, word, word, word))e.function;
	auto perform = [&] { return call(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10]); };
	if (e.never_fails) return perform();
	if (&e >= first_in_context && current_context != context) return 201; // CUDA_ERROR_INVALID_CONTEXT
	faults.calls++;
	bool fails = faults.code && (faults.calls == faults.fail_at || (faults.lasting && faults.calls > faults.fail_at));
	if (!fails) return perform();
	if (!faults.failed) faults.failed = e.name;
	if (e.gives_back) perform();
	return faults.code;
}

void cudacpu_fail(int64_t k, int code, int lasting) {
	std::lock_guard<std::mutex> lock(calling);
	faults = {0, k, code, lasting != 0, nullptr};
}

int64_t cudacpu_calls(void) {
	std::lock_guard<std::mutex> lock(calling);
	return faults.calls;
}

const char *cudacpu_failed(void) {
	std::lock_guard<std::mutex> lock(calling);
	return faults.failed;
}

void cudacpu_seed(uint64_t seed) {
	std::lock_guard<std::mutex> lock(calling);
	random_order.seed(seed);
	device.random.seed(seed + 1);
	poison = random_order.next();
}

void cudacpu_mode(int mode) {
	std::lock_guard<std::mutex> lock(calling);
	device.drain();
	device.mode = (Mode)mode;
}

void cudacpu_configure(struct cudacpu_device info) {
	std::lock_guard<std::mutex> lock(calling);
	device.info = info;
}

const char *cudacpu_sanitizer(void) {
#if defined(__SANITIZE_ADDRESS__)
	return "address";
#elif defined(__SANITIZE_THREAD__)
	return "thread";
#else
	return "";
#endif
}

struct cudacpu_held cudacpu_held(void) {
	std::lock_guard<std::mutex> lock(calling);
	return {device.memory.used, device.pinned.used, (int)device.streams.size(), (int)device.events.size(),
		(int)device.modules.size(), device.retained};
}

} // extern "C"
