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
	device = machine.of_context(current_context());
	if (&e >= first_in_context && !device) return 201; // CUDA_ERROR_INVALID_CONTEXT
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
	machine.random.seed(seed + 1);
	poison = random_order.next();
}

void cudacpu_mode(int mode) {
	std::lock_guard<std::mutex> lock(calling);
	for (Device &d : machine.devices) d.drain();
	machine.mode = (Mode)mode;
}

void cudacpu_configure(int ordinal, struct cudacpu_device info) {
	std::lock_guard<std::mutex> lock(calling);
	machine.devices[ordinal].info = info;
}

void cudacpu_devices(int count, int direct) {
	std::lock_guard<std::mutex> lock(calling);
	machine.count = count;
	machine.direct = direct != 0;
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
	struct cudacpu_held held = {};
	held.pinned = machine.pinned.used;
	for (auto &r : machine.registered) held.pinned += r.second;
	for (const Device &d : machine.devices) {
		held.memory += d.memory.used;
		held.streams += (int)d.streams.size();
		held.events += (int)d.events.size();
		held.modules += (int)d.modules.size();
		held.contexts += d.retained;
	}
	return held;
}

} // extern "C"
