// The state of the fake devices, shared by the driver's functions (driver.cpp)
// and the controls of a test (control.cpp). Everything here is guarded by one
// lock, which cudacpu_call and the controls hold.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver.h"
#include "memory.h"
#include "stream.h"

#include "cudacpu.h"

namespace cudacpu {

using word = uint64_t; // a handle, an address or a number, as it comes from Go

// A module is the image it came from; a function is a kernel of it.
struct Module {
	std::string ptx; // empty for a binary image, whose kernels are not known
	std::set<struct Function *> functions;
};

struct Function {
	const Kernel *kernel;
	int most_threads; // per block
	int shared_limit = 48 << 10;
};

// A device with its primary context, which owns all that was made in it: nobody
// finds that in another context.
struct Device {
	cudacpu_device info{1 << 30, 99 << 10, 3, 8, 6};
	int retained = 0;
	Heap memory;
	std::shared_ptr<Stream> main_stream = std::make_shared<Stream>();
	std::set<std::shared_ptr<Stream>> streams;
	std::set<Event *> events;
	std::set<Module *> modules;
	std::set<Device *> peers; // whose memory it reaches

	void drain() {
		main_stream->advance(main_stream->given());
		for (auto &s : streams) s->advance(s->given());
	}
};

const word first_context = 0xc0de; // those of other devices follow

// Machine has all devices and their shared state.
struct Machine {
	Device devices[16];
	int count = 1;
	bool direct = true; // devices reach each other's memory
	Heap pinned;
	std::map<uintptr_t, size_t> registered; // memory of the program, by address
	Grid grid;
	Mode mode = Mode::eager;
	Random random;

	// of_context returns the device of a context that is retained, or null.
	Device *of_context(word c) {
		const word d = c - first_context;
		return d < (word)count && devices[d].retained > 0 ? &devices[d] : nullptr;
	}
};

inline Machine machine;
inline Device *device; // whose context is current in the call under way
inline thread_local std::vector<word> contexts; // the last is current; as in the driver, each thread has its own

inline word current_context() { return contexts.empty() ? 0 : contexts.back(); }

// Entry is one function of the driver. One that gives something back does so
// even when it is to fail, as the driver does when it reports an error of
// earlier work.
struct Entry {
	const char *name;
	void *function;
	bool gives_back, never_fails;
};

extern const Entry entries[];
extern const size_t entry_count;
extern const Entry *const first_in_context; // it and those after it need a current context

} // namespace cudacpu
