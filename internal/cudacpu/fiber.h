// Fibers: a stack each, switched by hand. The address sanitizer is told which
// stack is current, the thread sanitizer takes every fiber for a thread.
#pragma once

#include <sys/mman.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
extern "C" {
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
}
#endif

// CUDACPU_QUIET marks the code of the scheduler, which all fibers run on
// shared data, one at a time: no race, but the thread sanitizer cannot know.
#define CUDACPU_QUIET __attribute__((no_sanitize("thread")))

namespace cudacpu {

// die reports a kernel's mistake and its line, and ends the process: there is
// no way back out of hundreds of half-finished threads.
[[noreturn]] inline void die(const char *format, ...) {
	va_list args;
	va_start(args, format);
	fputs("cudacpu: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	abort();
}

// Memory order between fibers, for the thread sanitizer. A sync is an address
// that carries what was released to it.
using Sync = char;
#if defined(__SANITIZE_THREAD__)
inline void release(Sync &s) { __tsan_release(&s); }
inline void acquire(Sync &s) { __tsan_acquire(&s); }
#else
inline void release(Sync &) {}
inline void acquire(Sync &) {}
#endif

// Unobserved hides the host's accesses in a scope from the thread sanitizer. A
// release instead would order blocks that ran before against those that follow,
// and hide their races.
struct Unobserved {
#if defined(__SANITIZE_THREAD__)
	Unobserved() {
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
		AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
	}
	~Unobserved() {
		AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
	}
#else
	Unobserved() {}
#endif
};

struct Block;

enum class State : uint8_t { ready, barrier, warp, spin, done };

enum class Op : uint8_t { sync, ballot, match, shuffle, add, min, max, bit_or, bit_and, bit_xor };

// Fiber is one thread of a block, or the host that launched the grid.
struct Fiber {
	void *sp;
	char *bottom; // of the stack
	size_t size;
	void *fake; // address sanitizer: stack of variables, while switched away
	void *tsan; // thread sanitizer: its thread

	Block *block;
	unsigned thread;
	State state;
	const char *where; // it waits, file and line

	// The thread's argument and result of a barrier or a warp operation.
	Op op;
	unsigned mask;
	int source; // lane to shuffle from
	uint64_t value, result;
};

inline Fiber host;
inline Fiber *current = &host;
inline Fiber *previous;

// A kernel's frames are small; the address sanitizer pads every variable.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t stack_size = 256 << 10;
#else
constexpr size_t stack_size = 64 << 10;
#endif

// cudacpu_switch saves the registers that a call preserves on the stack, whose
// pointer goes to *save, and goes on where load was saved.
extern "C" void cudacpu_switch(void **save, void *load);
asm(R"(
.pushsection .text.cudacpu_switch,"axG",@progbits,cudacpu_switch,comdat
.weak cudacpu_switch
.type cudacpu_switch,@function
cudacpu_switch:
 pushq %rbp
 pushq %rbx
 pushq %r12
 pushq %r13
 pushq %r14
 pushq %r15
 movq %rsp,(%rdi)
 movq %rsi,%rsp
 popq %r15
 popq %r14
 popq %r13
 popq %r12
 popq %rbx
 popq %rbp
 ret
.size cudacpu_switch,.-cudacpu_switch
.popsection
)");

// arrive follows every switch, on the new stack.
CUDACPU_QUIET inline void arrive() {
#if defined(__SANITIZE_ADDRESS__)
	const void *bottom;
	size_t size;
	__sanitizer_finish_switch_fiber(current->fake, &bottom, &size);
	if (previous == &host) {
		host.bottom = (char *)bottom;
		host.size = size;
	}
#endif
}

// transfer goes on in another fiber and returns when somebody comes back.
CUDACPU_QUIET inline void transfer(Fiber *to) {
	Fiber *from = current;
	previous = from;
	current = to;
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(from->state == State::done ? nullptr : &from->fake, to->bottom, to->size);
#endif
#if defined(__SANITIZE_THREAD__)
	__tsan_switch_to_fiber(to->tsan, __tsan_switch_to_fiber_no_sync);
#endif
	cudacpu_switch(&from->sp, to->sp);
	arrive();
}

// new_fiber returns a fiber with a stack above a page that nobody may touch.
inline Fiber *new_fiber() {
	constexpr size_t guard = 4096;
	void *p = mmap(nullptr, guard + stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED || mprotect(p, guard, PROT_NONE) != 0) die("no memory for stacks");
	Fiber *f = new Fiber{};
	f->bottom = (char *)p + guard;
	f->size = stack_size;
#if defined(__SANITIZE_THREAD__)
	f->tsan = __tsan_create_fiber(0);
#endif
	return f;
}

// start makes the next transfer to f call entry on an empty stack. A function
// is entered with the stack 8 bytes off a multiple of 16.
inline void start(Fiber *f, void (*entry)()) {
#if defined(__SANITIZE_ADDRESS__)
	// The frames under which the last thread ended never returned.
	__asan_unpoison_memory_region(f->bottom + f->size - 4096, 4096);
#endif
	void **sp = (void **)(f->bottom + f->size - 8);
	*sp = nullptr; // entry returns to nowhere
	*--sp = (void *)entry;
	for (int i = 0; i < 6; i++) *--sp = nullptr; // registers
	f->sp = sp;
	f->fake = nullptr;
	f->state = State::ready;
}

} // namespace cudacpu
