// One block: its threads, in warps of 32, and their collective operations. The last
// thread to arrive does the work for all and goes on; nothing is scanned before.
#pragma once

#include "fiber.h"

namespace cudacpu {

constexpr unsigned warp_size = 32;
constexpr unsigned max_threads = 1024;

// Random numbers of the scheduler, xorshift64.
struct Random {
	uint64_t state = 1;
	CUDACPU_QUIET void seed(uint64_t s) { state = (s + 1) * 0x9e3779b97f4a7c15 | 1; }
	CUDACPU_QUIET uint64_t next() {
		state ^= state << 13;
		state ^= state >> 7;
		return state ^= state << 17;
	}
	CUDACPU_QUIET unsigned below(unsigned n) { return (unsigned)((next() >> 32) * n >> 32); }
};

inline Random random_order;

// progress counts what brings a block nearer to its end. Blocks that spin
// without any progress elsewhere wait for each other.
inline uint64_t progress;

struct Warp {
	uint32_t ready, spinning, arrived; // sets of lanes; arrived: at a warp operation
	Sync sync;
};

struct Block {
	unsigned index, threads, grid;
	unsigned alive, waiting; // threads not done, threads at the barrier
	unsigned count;          // of the barrier: threads with a true predicate
	char *shared;
	size_t shared_bytes;
	Sync barrier;
	Warp warps[max_threads / warp_size];
	Fiber *fibers[max_threads];

	CUDACPU_QUIET unsigned warp_count() const { return (threads + warp_size - 1) / warp_size; }
	CUDACPU_QUIET Warp &warp_of(const Fiber &f) { return warps[f.thread / warp_size]; }
};

CUDACPU_QUIET inline unsigned lane_of(const Fiber &f) { return f.thread % warp_size; }

// report lists where the threads of b are, once per place.
inline void report(const Block &b) {
	static const char *const doing[] = {"ready", "at a barrier", "in a warp operation", "spinning", "done"};
	const char *seen = nullptr;
	State state = State::ready;
	for (unsigned i = 0; i < b.threads; i++) {
		const Fiber &f = *b.fibers[i];
		if (seen == f.where && state == f.state) continue;
		seen = f.where, state = f.state;
		fprintf(stderr, "  block %u, from thread %u on: %s at %s, mask %08x\n", b.index, i,
			doing[(int)f.state], f.state == State::done ? "the end" : f.where ? f.where : "the start", f.mask);
	}
}

// pick returns a thread of b that can go on: in the warp of last, after its
// lane, or else in any warp. It returns null if all wait.
CUDACPU_QUIET inline Fiber *pick(Block &b, const Fiber &last) {
	unsigned w = last.thread / warp_size;
	if (uint32_t ready = b.warps[w].ready) {
		uint32_t after = ready & ~(uint32_t)((2ull << lane_of(last)) - 1);
		return b.fibers[w * warp_size + __builtin_ctz(after ? after : ready)];
	}
	unsigned n = b.warp_count(), first = random_order.below(n);
	for (unsigned i = 0; i < n; i++) {
		unsigned v = (first + i) % n;
		if (uint32_t ready = b.warps[v].ready) {
			uint32_t from = ready & ~0u << random_order.below(warp_size);
			return b.fibers[v * warp_size + __builtin_ctz(from ? from : ready)];
		}
	}
	return nullptr;
}

// park lets others run until the current thread is ready again.
CUDACPU_QUIET inline void park() {
	Fiber *next = pick(*current->block, *current);
	transfer(next ? next : &host);
}

CUDACPU_QUIET inline void leave(State state, const char *where) {
	current->state = state;
	current->where = where;
	current->block->warp_of(*current).ready &= ~(1u << lane_of(*current));
}

// open_barrier lets all threads of b go on. They must have met at one line.
CUDACPU_QUIET inline void open_barrier(Block &b) {
	const char *where = nullptr;
	for (unsigned i = 0; i < b.threads; i++) {
		Fiber &f = *b.fibers[i];
		if (f.state != State::barrier) continue;
		if (where && where != f.where && strcmp(where, f.where)) {
			report(b);
			die("divergent barrier: %s and %s", where, f.where);
		}
		where = f.where;
		f.state = State::ready;
		f.result = b.count;
		b.warp_of(f).ready |= 1u << lane_of(f);
	}
	b.waiting = b.count = 0;
	progress++;
}

// barrier waits for all threads of the block and returns how many of them came
// with a true predicate. Behind it, now and then, another block goes on first.
CUDACPU_QUIET inline unsigned barrier(bool predicate, const char *where) {
	Block &b = *current->block;
	release(b.barrier);
	leave(State::barrier, where);
	b.count += predicate;
	if (++b.waiting < b.alive) {
		park();
	} else {
		open_barrier(b);
		if (random_order.below(4) == 0) transfer(&host);
	}
	acquire(b.barrier);
	return (unsigned)current->result;
}

// spin_wait is the body of a loop that waits for another block or warp.
CUDACPU_QUIET inline void spin_wait(const char *where) {
	leave(State::spin, where);
	current->block->warp_of(*current).spinning |= 1u << lane_of(*current);
	park();
}

// wake makes the spinning threads of b look again. It returns whether there are any.
CUDACPU_QUIET inline bool wake(Block &b) {
	bool any = false;
	for (unsigned w = 0; w < b.warp_count(); w++) {
		Warp &warp = b.warps[w];
		any |= warp.spinning != 0;
		for (uint32_t m = warp.spinning; m; m &= m - 1) b.fibers[w * warp_size + __builtin_ctz(m)]->state = State::ready;
		warp.ready |= warp.spinning;
		warp.spinning = 0;
	}
	return any;
}

// finish ends the current thread. The others' barrier no longer waits for it.
CUDACPU_QUIET inline void finish() {
	Block &b = *current->block;
	leave(State::done, nullptr);
	progress++;
	if (--b.alive > 0 && b.waiting == b.alive) open_barrier(b);
	park();
}

// reduce combines the values of the lanes of mask.
CUDACPU_QUIET inline uint64_t reduce(Op op, Fiber *const *lanes, uint32_t mask) {
	uint64_t r = lanes[__builtin_ctz(mask)]->value;
	for (uint32_t m = mask & (mask - 1); m; m &= m - 1) {
		uint64_t v = lanes[__builtin_ctz(m)]->value;
		switch (op) {
		case Op::add: r = (uint32_t)(r + v); break;
		case Op::min: r = v < r ? v : r; break;
		case Op::max: r = v > r ? v : r; break;
		case Op::bit_or: r |= v; break;
		case Op::bit_and: r &= v; break;
		default: r ^= v;
		}
	}
	return r;
}

CUDACPU_QUIET inline uint32_t lanes_with(Fiber *const *lanes, uint32_t mask, uint64_t value) {
	uint32_t r = 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned l = __builtin_ctz(m);
		r |= (uint32_t)(lanes[l]->value == value) << l;
	}
	return r;
}

CUDACPU_QUIET inline void give(Fiber *const *lanes, uint32_t mask, uint64_t result) {
	for (uint32_t m = mask; m; m &= m - 1) lanes[__builtin_ctz(m)]->result = result;
}

// operate gives every lane of mask the result of a warp operation.
CUDACPU_QUIET inline void operate(Op op, Fiber *const *lanes, uint32_t mask) {
	switch (op) {
	case Op::sync: return;
	case Op::ballot: return give(lanes, mask, lanes_with(lanes, mask, 1));
	case Op::match:
		for (uint32_t left = mask; left;) {
			uint32_t same = lanes_with(lanes, left, lanes[__builtin_ctz(left)]->value);
			give(lanes, same, same);
			left &= ~same;
		}
		return;
	case Op::shuffle:
		for (uint32_t m = mask; m; m &= m - 1) {
			Fiber &f = *lanes[__builtin_ctz(m)];
			if (!(mask >> f.source & 1)) die("%s: shuffle from lane %d outside mask %08x", f.where, f.source, mask);
			f.result = lanes[f.source]->value;
		}
		return;
	default: return give(lanes, mask, reduce(op, lanes, mask));
	}
}

// complete performs the operation that f waits for, if all its lanes are there.
CUDACPU_QUIET inline bool complete(Block &b, const Fiber &f) {
	Warp &w = b.warp_of(f);
	uint32_t mask = f.mask;
	if (mask & ~w.arrived) return false;
	Fiber *const *lanes = &b.fibers[f.thread & ~(warp_size - 1)];
	for (uint32_t m = mask; m; m &= m - 1) {
		const Fiber &g = *lanes[__builtin_ctz(m)];
		if (g.mask != mask || g.op != f.op) return false;
	}
	operate(f.op, lanes, mask);
	for (uint32_t m = mask; m; m &= m - 1) lanes[__builtin_ctz(m)]->state = State::ready;
	w.arrived &= ~mask;
	w.ready |= mask;
	return true;
}

// warp_operation brings value to the lanes of mask and returns the result. Only
// Op::sync orders memory.
CUDACPU_QUIET inline uint64_t warp_operation(Op op, uint32_t mask, uint64_t value, int source, const char *where) {
	Fiber &f = *current;
	Warp &w = f.block->warp_of(f);
	if (!(mask >> lane_of(f) & 1)) die("%s: lane %u is not in its own mask %08x", where, lane_of(f), mask);
	if (op == Op::sync) release(w.sync);
	f.op = op, f.mask = mask, f.value = value, f.source = source;
	leave(State::warp, where);
	w.arrived |= 1u << lane_of(f);
	if (!complete(*f.block, f)) park();
	if (op == Op::sync) acquire(w.sync);
	return f.result;
}

} // namespace cudacpu
