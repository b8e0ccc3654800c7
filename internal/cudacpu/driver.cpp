//go:build cudacpu && linux && amd64

// The driver's functions, for devices that are this process. Their types are
// those of cuda.h as far as the calling convention distinguishes them.
#include "device.h"

#include <chrono>
#include <vector>

namespace {

using namespace cudacpu;

// Results, as in cuda.h.
enum { success = 0, invalid_value = 1, out_of_memory = 2, invalid_device = 101, invalid_image = 200,
	invalid_context = 201, invalid_ptx = 218, invalid_handle = 400, not_found = 500, not_ready = 600,
	peer_unsupported = 217, peer_enabled = 704, already_registered = 712, not_registered = 713 };

#define CHECK(condition, result) \
	do { \
		if (!(condition)) return result; \
	} while (0)

// stream finds a stream of the current context by its handle, 0 for the default
// stream.
std::shared_ptr<Stream> stream(word handle) {
	if (handle == 0) return device->main_stream;
	for (auto &s : device->streams)
		if ((word)s.get() == handle) return s;
	return nullptr;
}

template <class T> T *known(const std::set<T *> &set, word handle) {
	auto i = set.find((T *)handle);
	return i == set.end() ? nullptr : *i;
}

// give queues work, and does as much of the queue as the mode requires.
int give(word handle, Work w) {
	auto s = stream(handle);
	CHECK(s, invalid_handle);
	s->queue.push_back(std::move(w));
	if (machine.mode == Mode::eager) s->advance(s->given());
	if (machine.mode == Mode::mixed) {
		auto &pick = machine.random.below(2) ? s : device->main_stream;
		pick->advance(pick->done + machine.random.below(4));
		for (Device &d : machine.devices)
			for (auto &t : d.streams)
				if (machine.random.below(4) == 0) t->advance(t->done + machine.random.below(3));
	}
	return success;
}

// Process and devices.

int init(unsigned) { return success; }
int driver_version(int *v) { return *v = 11080, success; }
bool is_device(int d) { return d >= 0 && d < machine.count; }

int device_count(int *n) { return *n = machine.count, success; }
int device_get(int *d, int ordinal) { return is_device(ordinal) ? *d = ordinal, success : invalid_device; }
int device_name(char *name, int size, int) { return snprintf(name, size, "cudacpu"), success; }
int device_uuid(unsigned char *u, int d) { return memset(u, 0xcc + d, 16), success; }
int device_memory(size_t *bytes, int d) { return *bytes = machine.devices[d].info.memory, success; }

int device_attribute(int *v, int attribute, int d) {
	const cudacpu_device &info = machine.devices[d].info;
	switch (attribute) {
	case 13: *v = 1000000; break;
	case 16: *v = info.sms; break;
	case 36: *v = 1000000; break;
	case 37: *v = 512; break;
	case 38: *v = 1 << 20; break;
	case 75: *v = info.major; break;
	case 76: *v = info.minor; break;
	case 97: *v = info.shared_per_block; break;
	default: return invalid_value;
	}
	return success;
}

int device_peer(int *can, int d, int peer) {
	CHECK(is_device(d) && is_device(peer), invalid_device);
	return *can = d != peer && machine.direct, success;
}

int context_retain(word *c, int d) {
	CHECK(is_device(d), invalid_device);
	machine.devices[d].retained++;
	return *c = first_context + d, success;
}

int context_release(int d) {
	CHECK(is_device(d) && machine.devices[d].retained > 0, invalid_context);
	if (--machine.devices[d].retained == 0) {
		machine.devices[d].peers.clear();
		for (Device &other : machine.devices) other.peers.erase(&machine.devices[d]);
	}
	return success;
}

int context_push(word c) { return machine.of_context(c) ? contexts.push_back(c), success : invalid_context; }

int context_pop(word *c) {
	CHECK(!contexts.empty(), invalid_context);
	if (c) *c = contexts.back();
	return contexts.pop_back(), success;
}

int context_peer(word c, unsigned) {
	Device *peer = machine.of_context(c);
	CHECK(peer && peer != device, invalid_context);
	CHECK(machine.direct, peer_unsupported);
	return device->peers.insert(peer).second ? success : peer_enabled;
}

// Memory.

int mem_info(size_t *free, size_t *total) {
	*total = device->info.memory;
	*free = *total - device->memory.used;
	return success;
}

int mem_alloc(void **p, size_t bytes) {
	CHECK(bytes > 0, invalid_value);
	CHECK(bytes <= device->info.memory - device->memory.used, out_of_memory);
	return (*p = device->memory.take(bytes, 256)) ? success : out_of_memory;
}

// uses reports whether work in s reads or writes borrowed memory of heap at p.
bool uses(const Stream &s, const Heap &heap, void *p) {
	for (auto &w : s.queue)
		if (w.borrowed && heap.start((uintptr_t)w.borrowed) == (uintptr_t)p) return true;
	return false;
}

bool anybody_uses(const Heap &heap, void *p) {
	bool busy = false;
	for (Device &d : machine.devices) {
		busy |= uses(*d.main_stream, heap, p);
		for (auto &s : d.streams) busy |= uses(*s, heap, p);
	}
	return busy;
}

int mem_free(void *p) {
	device->drain();
	if (anybody_uses(device->memory, p)) die("cuMemFree: a copy of another device that was not waited for uses the memory");
	return device->memory.give(p) ? success : invalid_value;
}

int host_alloc(void **p, size_t bytes, unsigned) {
	CHECK(bytes > 0, invalid_value);
	return (*p = machine.pinned.take(bytes, 4096)) ? success : out_of_memory;
}

int host_free(void *p) {
	if (anybody_uses(machine.pinned, p)) die("cuMemFreeHost: a copy that was not waited for uses the memory");
	return machine.pinned.give(p) ? success : invalid_value;
}

// registered finds registered memory of which [p, p+bytes) has a byte.
auto registered(uintptr_t p, size_t bytes) {
	auto r = machine.registered.lower_bound(p + bytes);
	if (r == machine.registered.begin()) return machine.registered.end();
	--r;
	return r->first + r->second > p ? r : machine.registered.end();
}

int host_register(void *p, size_t bytes, unsigned) {
	CHECK(bytes > 0, invalid_value);
	CHECK(registered((uintptr_t)p, bytes) == machine.registered.end(), already_registered);
	machine.registered[(uintptr_t)p] = bytes;
	return success;
}

// borrows reports whether work in s reads or writes the bytes at p.
bool borrows(const Stream &s, uintptr_t p, size_t bytes) {
	for (auto &w : s.queue)
		if (w.borrowed && (uintptr_t)w.borrowed - p < bytes) return true;
	return false;
}

int host_unregister(void *p) {
	auto r = machine.registered.find((uintptr_t)p);
	CHECK(r != machine.registered.end(), not_registered);
	for (Device &d : machine.devices) {
		bool busy = borrows(*d.main_stream, r->first, r->second);
		for (auto &s : d.streams) busy |= borrows(*s, r->first, r->second);
		if (busy) die("cuMemHostUnregister: a copy that was not waited for uses the memory");
	}
	machine.registered.erase(r);
	return success;
}

// Modules.

bool text(const char *image) { return strstr(image, ".version") || !strncmp(image, "cudacpu", 7); }

// A fatbin, an ELF file or an archive of them begins with its magic number.
bool binary(const char *image) {
	return !memcmp(image, "\x50\xed\x55\xba", 4) || !memcmp(image, "\x7f" "ELF", 4);
}

// whole reports whether every brace in PTX is closed.
bool whole(const char *ptx) { return std::count(ptx, ptx + strlen(ptx), '{') == std::count(ptx, ptx + strlen(ptx), '}'); }

int module_load(Module **m, const char *image) {
	if (binary(image)) return device->modules.insert(*m = new Module{}), success;
	CHECK(text(image), invalid_image);
	CHECK(whole(image), invalid_ptx);
	return device->modules.insert(*m = new Module{image, {}}), success;
}

int module_unload(Module *m) {
	CHECK(known(device->modules, (word)m), invalid_handle);
	device->drain();
	for (Function *f : m->functions) delete f;
	device->modules.erase(m);
	delete m;
	return success;
}

// entry returns the head of the kernel of that name in PTX, which ends with the
// brace that opens its body, or "" if it has none.
std::string entry(const std::string &ptx, const char *name) {
	size_t at = ptx.find(std::string(".entry ") + name + "(");
	return at == std::string::npos ? "" : ptx.substr(at, ptx.find('{', at) - at);
}

// bound returns the __launch_bounds__ of a kernel, from its head in PTX.
int bound(const std::string &head) {
	size_t at = head.find(".maxntid");
	return at == std::string::npos ? (int)max_threads : atoi(head.c_str() + at + strlen(".maxntid"));
}

int module_function(Function **f, Module *m, const char *name) {
	CHECK(known(device->modules, (word)m), invalid_handle);
	bool any = m->ptx.empty() || !m->ptx.compare(0, 7, "cudacpu");
	std::string head = entry(m->ptx, name);
	for (const Kernel *k = kernels; k; k = k->next)
		if (!strcmp(k->name, name) && (any || !head.empty())) {
			m->functions.insert(*f = new Function{k, bound(head)});
			return success;
		}
	return not_found;
}

bool known(const Function *f) {
	for (Module *m : device->modules)
		if (m->functions.count((Function *)f)) return true;
	return false;
}

int function_set(Function *f, int attribute, int v) {
	CHECK(known(f), invalid_handle);
	CHECK(attribute == 8 && v >= 0 && v <= device->info.shared_per_block, invalid_value);
	f->shared_limit = v;
	return success;
}

int occupancy_of(const Function *f, int threads, size_t shared) {
	if (threads < 1 || threads > f->most_threads || shared > (size_t)f->shared_limit) return 0;
	int by_shared = (int)((device->info.shared_per_block + 1024) / (shared + 1024));
#if defined(__SANITIZE_THREAD__)
	int most = 1; // its threads are expensive
#else
	int most = 2;
#endif
	return std::min({most, 2048 / threads, by_shared});
}

int function_occupancy(int *n, Function *f, int threads, size_t shared) {
	CHECK(known(f), invalid_handle);
	return *n = occupancy_of(f, threads, shared), success;
}

// Streams and events.

int stream_create(Stream **s, unsigned) {
	auto made = std::make_shared<Stream>();
	device->streams.insert(made);
	return *s = made.get(), success;
}

int stream_create_with_priority(Stream **s, unsigned flags, int) { return stream_create(s, flags); }

int stream_destroy(word handle) {
	auto s = stream(handle);
	CHECK(s && handle, invalid_handle);
	s->advance(s->given());
	device->streams.erase(s);
	return success;
}

int stream_sync(word handle) {
	auto s = stream(handle);
	CHECK(s, invalid_handle);
	s->advance(s->given());
	return success;
}

int stream_wait(word handle, word event, unsigned) {
	Event *e = known(device->events, event);
	CHECK(e, invalid_handle);
	return give(handle, Work{[] {}, e->mark, nullptr});
}

int event_create(Event **e, unsigned flags) {
	device->events.insert(*e = new Event{{}, !(flags & 2), nullptr});
	return success;
}

int event_destroy(word handle) {
	Event *e = known(device->events, handle);
	CHECK(e, invalid_handle);
	device->events.erase(e);
	delete e;
	return success;
}

int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

int event_record(word handle, word stream_handle) {
	Event *e = known(device->events, handle);
	auto s = stream(stream_handle);
	CHECK(e && s, invalid_handle);
	auto time = e->time = std::make_shared<int64_t>(0);
	e->mark = {s, s->given() + 1};
	return give(stream_handle, Work{[time] { *time = now(); }, {}, nullptr});
}

int event_sync(word handle) {
	Event *e = known(device->events, handle);
	CHECK(e, invalid_handle);
	if (e->mark.stream) e->mark.stream->advance(e->mark.position);
	return success;
}

// A program that asks again and again sees the work go on.
int event_query(word handle) {
	Event *e = known(device->events, handle);
	CHECK(e, invalid_handle);
	if (!e->mark.stream || e->mark.stream->done >= e->mark.position) return success;
	e->mark.stream->advance(e->mark.stream->done + 1);
	return not_ready;
}

int event_elapsed(float *ms, word from, word to) {
	Event *a = known(device->events, from), *b = known(device->events, to);
	CHECK(a && b && a->timed && b->timed && a->time && b->time, invalid_handle);
	CHECK(*a->time && *b->time, not_ready);
	return *ms = (float)(*b->time - *a->time) * 1e-6f, success;
}

// Copies.

// sum is what a source must keep until it has been copied.
uint64_t sum(const void *p, size_t bytes) {
	const uint64_t prime = 1099511628211u;
	uint64_t lanes[4] = {1, 2, 3, 4}; // which do not wait for each other
	size_t i = 0;
	for (; i + sizeof lanes <= bytes; i += sizeof lanes) {
		uint64_t v[4];
		memcpy(v, (const char *)p + i, sizeof v);
		for (int l = 0; l < 4; l++) {
			lanes[l] = (lanes[l] ^ v[l]) * prime;
			lanes[l] ^= lanes[l] >> 29;
		}
	}
	uint64_t h = 14695981039346656037u;
	for (uint64_t lane : lanes) h = (h ^ lane) * prime, h ^= h >> 29;
	for (; i < bytes; i++) h = (h ^ ((const unsigned char *)p)[i]) * prime;
	return h;
}

int copy_to_device(word dst, const void *src, size_t bytes, word s) {
	CHECK(device->memory.holds(dst, bytes), invalid_value);
	uint64_t before = machine.mode == Mode::eager ? 0 : sum(src, bytes);
	return give(s, Work{[=] {
		if (before && sum(src, bytes) != before) die("cuMemcpyHtoDAsync: the source changed before it was copied");
		memcpy((void *)dst, src, bytes);
	}, {}, src});
}

int copy_to_host(void *dst, word src, size_t bytes, word s) {
	CHECK(device->memory.holds(src, bytes), invalid_value);
	return give(s, Work{[=] { memcpy(dst, (void *)src, bytes); }, {}, dst});
}

int copy_on_device(word dst, word src, size_t bytes, word s) {
	CHECK(device->memory.holds(dst, bytes) && device->memory.holds(src, bytes), invalid_value);
	CHECK(dst + bytes <= src || src + bytes <= dst, invalid_value);
	return give(s, Work{[=] { memcpy((void *)dst, (void *)src, bytes); }, {}, nullptr});
}

// The source is waited for by nobody: in modes that are late, one that changes
// before the copy shows in what arrives.
int copy_peer(word dst, word to, word src, word from, size_t bytes, word s) {
	Device *receiver = machine.of_context(to), *sender = machine.of_context(from);
	CHECK(receiver && sender, invalid_context);
	CHECK(receiver->memory.holds(dst, bytes) && sender->memory.holds(src, bytes), invalid_value);
	return give(s, Work{[=] { memcpy((void *)dst, (void *)src, bytes); }, {}, (void *)src});
}

int memset_32(word dst, unsigned value, size_t words, word s) {
	CHECK(dst % 4 == 0 && words <= SIZE_MAX / 4 && device->memory.holds(dst, 4 * words), invalid_value);
	return give(s, Work{[=] { std::fill_n((unsigned *)dst, words, value); }, {}, nullptr});
}

// Launches.

// parameters reads n values through their addresses, which a zero follows.
bool parameters(std::vector<word> &values, unsigned n, word **params) {
	for (; n && *params; n--) values.push_back(**params++);
	return n == 0 && !*params;
}

int launch_kernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, word s, word **params, void **) {
	CHECK(known(f), invalid_handle);
	CHECK(gx && gy == 1 && gz == 1 && by == 1 && bz == 1, invalid_value);
	int blocks = occupancy_of(f, (int)bx, shared);
	CHECK(blocks > 0, invalid_value);
	std::vector<word> values;
	CHECK(parameters(values, f->kernel->parameters, params), invalid_value);
	const Kernel *k = f->kernel;
	unsigned resident = std::min(gx, (unsigned)(blocks * device->info.sms));
	const Heap &memory = device->memory; // when the launch runs, another context may be current
	return give(s, Work{[=, &memory] {
		machine.grid.run({k->name, [&] { k->call(k->function, values.data()); }, gx, bx, shared, resident});
		memory.check_all(k->name);
		machine.pinned.check_all(k->name); // kernels reach it, too
	}, {}, nullptr});
}

} // namespace

const Entry cudacpu::entries[] = {
	{"cuInit", (void *)init},
	{"cuDriverGetVersion", (void *)driver_version},
	{"cuDeviceGetCount", (void *)device_count},
	{"cuDeviceGet", (void *)device_get},
	{"cuDeviceGetName", (void *)device_name},
	{"cuDeviceGetUuid", (void *)device_uuid},
	{"cuDeviceTotalMem_v2", (void *)device_memory},
	{"cuDeviceGetAttribute", (void *)device_attribute},
	{"cuDeviceCanAccessPeer", (void *)device_peer},
	{"cuDevicePrimaryCtxRetain", (void *)context_retain},
	{"cuDevicePrimaryCtxRelease_v2", (void *)context_release, true},
	{"cuCtxPushCurrent_v2", (void *)context_push, false, true},
	{"cuCtxPopCurrent_v2", (void *)context_pop, false, true},
	// From here on a context must be current.
	{"cuCtxEnablePeerAccess", (void *)context_peer},
	{"cuMemGetInfo_v2", (void *)mem_info},
	{"cuMemAlloc_v2", (void *)mem_alloc},
	{"cuMemFree_v2", (void *)mem_free, true},
	{"cuMemHostAlloc", (void *)host_alloc},
	{"cuMemFreeHost", (void *)host_free, true},
	{"cuMemHostRegister_v2", (void *)host_register},
	{"cuMemHostUnregister", (void *)host_unregister, true},
	{"cuModuleLoadData", (void *)module_load},
	{"cuModuleUnload", (void *)module_unload, true},
	{"cuModuleGetFunction", (void *)module_function},
	{"cuFuncSetAttribute", (void *)function_set},
	{"cuOccupancyMaxActiveBlocksPerMultiprocessor", (void *)function_occupancy},
	{"cuStreamCreate", (void *)stream_create},
	{"cuStreamCreateWithPriority", (void *)stream_create_with_priority},
	{"cuStreamDestroy_v2", (void *)stream_destroy, true},
	{"cuStreamSynchronize", (void *)stream_sync, true},
	{"cuStreamWaitEvent", (void *)stream_wait},
	{"cuEventCreate", (void *)event_create},
	{"cuEventDestroy_v2", (void *)event_destroy, true},
	{"cuEventRecord", (void *)event_record},
	{"cuEventSynchronize", (void *)event_sync, true},
	{"cuEventQuery", (void *)event_query},
	{"cuEventElapsedTime", (void *)event_elapsed},
	{"cuMemcpyHtoDAsync_v2", (void *)copy_to_device},
	{"cuMemcpyDtoHAsync_v2", (void *)copy_to_host},
	{"cuMemcpyDtoDAsync_v2", (void *)copy_on_device},
	{"cuMemcpyPeerAsync", (void *)copy_peer},
	{"cuMemsetD32Async", (void *)memset_32},
	{"cuLaunchKernel", (void *)launch_kernel},
};

const size_t cudacpu::entry_count = sizeof entries / sizeof *entries;

const Entry *const cudacpu::first_in_context = std::find_if(entries, entries + entry_count, [](const Entry &e) {
	return e.function == (void *)context_peer;
});
