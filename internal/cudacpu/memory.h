// Memory of the fake device and page-locked memory of the host: both on the
// heap, found by address, filled with poison when new. The address sanitizer
// guards their ends; without it, so do strips of a pattern, which are checked
// when work has ended.
#pragma once

#include <map>

#include "grid.h"

namespace cudacpu {

class Heap {
public:
	size_t used = 0;

	size_t count() const { return blocks.size(); }

	// take returns null if there is no memory.
	void *take(size_t bytes, size_t align) {
		char *raw = (char *)aligned_alloc(align, (bytes + 2 * guard(align) + align - 1) / align * align);
		if (!raw) return nullptr;
		char *p = raw + guard(align);
		taint(p, bytes);
		blocks[(uintptr_t)p] = {bytes, align};
		mark(p, bytes, align);
		used += bytes;
		return p;
	}

	// give frees a block; false if there is none at p.
	bool give(void *p) {
		auto b = blocks.find((uintptr_t)p);
		if (b == blocks.end()) return false;
		check(b->first, b->second, "free");
		unmark((char *)p, b->second.bytes, b->second.align);
		free((char *)p - guard(b->second.align));
		used -= b->second.bytes;
		blocks.erase(b);
		return true;
	}

	// start returns the address of the block that p points into, or 0.
	uintptr_t start(uintptr_t p) const {
		auto b = blocks.upper_bound(p);
		if (b == blocks.begin()) return 0;
		--b;
		return p - b->first < b->second.bytes ? b->first : 0;
	}

	// holds reports whether [p, p+bytes) lies in one block.
	bool holds(uintptr_t p, size_t bytes) const {
		uintptr_t s = start(p);
		return bytes == 0 || (s && bytes <= blocks.at(s).bytes - (p - s));
	}

	void check_all(const char *after) const {
		for (auto &b : blocks) check(b.first, b.second, after);
	}

private:
	struct Extent {
		size_t bytes, align;
	};
	std::map<uintptr_t, Extent> blocks;

#if defined(__SANITIZE_ADDRESS__)
	static size_t guard(size_t align) { return align; }
	static void mark(char *p, size_t bytes, size_t align) {
		__asan_poison_memory_region(p - align, align);
		__asan_poison_memory_region(p + bytes, align);
	}
	static void unmark(char *p, size_t bytes, size_t align) {
		__asan_unpoison_memory_region(p - align, align);
		__asan_unpoison_memory_region(p + bytes, align);
	}
	static void check(uintptr_t, const Extent &, const char *) {}
#else
	static constexpr unsigned char pattern = 0xfd;
	static size_t guard(size_t align) { return align; }
	static void mark(char *p, size_t bytes, size_t align) {
		memset(p - align, pattern, align);
		memset(p + bytes, pattern, align);
	}
	static void unmark(char *, size_t, size_t) {}
	static void check(uintptr_t p, const Extent &e, const char *after) {
		for (size_t i = 0; i < e.align; i++)
			if (((unsigned char *)p)[e.bytes + i] != pattern || ((unsigned char *)p - e.align)[i] != pattern)
				die("%s: a write out of bounds, next to an allocation of %zu bytes", after, e.bytes);
	}
#endif
};

} // namespace cudacpu
