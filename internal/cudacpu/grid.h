// One launch: all blocks in random order, some of them alive side by side.
// Which block continues is drawn at random whenever one has to wait, and sometimes
// after a barrier.
#pragma once

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "block.h"

namespace cudacpu {

// Launch says what to run.
struct Launch {
	const char *name;
	std::function<void()> body; // one thread
	unsigned grid, threads;
	size_t shared;
	unsigned resident; // blocks alive at the same time, at least 1
};

constexpr size_t shared_align = 128;

// few_resident is how many blocks are alive at the same time unless they wait for others. The thread
// sanitizer has a clock of all fibers for each fiber: with two blocks a run takes two thirds of the
// time that it takes with three. Blocks that follow each other on the same fibers are ordered for it,
// any other two are not: of a longer grid half of the pairs, others in each launch.
#if defined(__SANITIZE_THREAD__)
constexpr unsigned few_resident = 2;
#else
constexpr unsigned few_resident = ~0u;
#endif

inline const Launch *launched;
inline Sync grid_begin, grid_end, fences;
inline uint64_t poison = 0xdbdbdbdbdbdbdbdb;

// taint fills memory with what nobody may rely on.
inline void taint(void *p, size_t bytes) {
	const uint64_t words = poison;
	size_t i = 0;
	for (; i + sizeof words <= bytes; i += sizeof words) memcpy((char *)p + i, &words, sizeof words);
	memcpy((char *)p + i, &words, bytes - i);
}

CUDACPU_QUIET inline void thread_entry() {
	arrive();
	acquire(grid_begin);
	launched->body();
	release(grid_end);
	finish();
	die("a thread that ended was resumed");
}

// Grid runs a launch. Fibers and blocks are kept for the next one.
class Grid {
public:
	void run(const Launch &l) {
		launched = &l;
#if defined(__SANITIZE_THREAD__)
		host.tsan = __tsan_get_current_fiber();
#endif
		release(grid_begin);
		schedule(l);
		acquire(grid_end);
	}

private:
	std::vector<Fiber *> fibers;
	std::vector<Block *> blocks;

	void schedule(const Launch &l) {
		std::vector<unsigned> order(l.grid);
		std::iota(order.begin(), order.end(), 0u);
		for (unsigned i = l.grid; i > 1; i--) std::swap(order[i - 1], order[random_order.below(i)]);
		std::vector<Block *> alive;
		size_t next = 0, most = std::min(l.resident, few_resident);
		uint64_t seen = progress, idle = 0;
		while (next < order.size() || !alive.empty()) {
			if (next < order.size() && alive.size() < most) {
				alive.push_back(admit(l, order[next++]));
				progress++;
				continue;
			}
			unsigned i = random_order.below((unsigned)alive.size());
			resume(*alive[i]);
			if (alive[i]->alive == 0) {
				retire(alive[i]);
				alive.erase(alive.begin() + i);
			}
			idle = progress == seen ? idle + 1 : 0;
			seen = progress;
			// Any block that could go on has been drawn long ago.
			if (idle <= 2000 * alive.size()) continue;
			if (most == l.resident) stuck(l, alive);
			most++, idle = 0;
		}
	}

	[[noreturn]] void stuck(const Launch &l, const std::vector<Block *> &alive) {
		for (Block *b : alive) report(*b);
		die("%s: %zu blocks of %u are running and all wait for each other", l.name, alive.size(), l.grid);
	}

	// admit makes a block whose threads are about to start.
	Block *admit(const Launch &l, unsigned index) {
		Unobserved scope;
		Block *b = new Block{};
		b->index = index, b->threads = b->alive = l.threads, b->grid = l.grid;
		b->shared_bytes = l.shared;
		b->shared = (char *)aligned_alloc(shared_align, shared_room(*b));
		taint(b->shared, l.shared);
		guard_shared(*b);
		for (unsigned i = 0; i < l.threads; i++) {
			if (fibers.empty()) fibers.push_back(new_fiber());
			Fiber *f = fibers.back();
			fibers.pop_back();
			f->block = b, f->thread = i, f->where = nullptr, f->mask = 0;
			start(f, thread_entry);
			b->fibers[i] = f;
			b->warps[i / warp_size].ready |= 1u << i % warp_size;
		}
		return b;
	}

	void retire(Block *b) {
		Unobserved scope;
		for (unsigned i = 0; i < b->threads; i++) fibers.push_back(b->fibers[i]);
		check_shared(*b);
		free(b->shared);
		delete b;
	}

	// Behind the shared memory lies a strip that nobody may write to.
	static size_t shared_room(const Block &b) { return (b.shared_bytes / shared_align + 2) * shared_align; }

#if defined(__SANITIZE_ADDRESS__)
	static void guard_shared(Block &b) {
		__asan_poison_memory_region(b.shared + b.shared_bytes, shared_room(b) - b.shared_bytes);
	}
	static void check_shared(Block &b) { __asan_unpoison_memory_region(b.shared, shared_room(b)); }
#else
	static constexpr char pattern = 0x5a;
	static void guard_shared(Block &b) { memset(b.shared + b.shared_bytes, pattern, shared_room(b) - b.shared_bytes); }
	static void check_shared(Block &b) {
		for (size_t i = b.shared_bytes; i < shared_room(b); i++)
			if (b.shared[i] != pattern)
				die("%s: a write after the %zu bytes of shared memory of block %u", launched->name, b.shared_bytes, b.index);
	}
#endif

	// resume lets b run until all its threads wait or another block is due.
	CUDACPU_QUIET void resume(Block &b) {
		Fiber *any = b.fibers[random_order.below(b.threads)];
		Fiber *f = pick(b, *any);
		if (!f && wake(b)) f = pick(b, *any);
		if (!f) {
			report(b);
			die("%s: divergent barrier or warp operation: no thread of block %u can go on", launched->name, b.index);
		}
		transfer(f);
	}
};

// shared returns the block's dynamic shared memory, which a kernel sees as one
// object of the given size.
CUDACPU_QUIET inline void *shared(size_t size, size_t align, const char *where) {
	Block &b = *current->block;
	if (size > b.shared_bytes) die("%s: %zu bytes of shared memory used, %zu launched with", where, size, b.shared_bytes);
	if (align > shared_align) die("%s: shared memory is aligned to %zu bytes, not to %zu", where, shared_align, align);
	return b.shared;
}

} // namespace cudacpu
