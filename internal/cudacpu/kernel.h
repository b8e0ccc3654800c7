// Kernels by name. CUDACPU_KERNEL(f) in one source file makes f known to the
// driver of the tests; others cannot be launched.
#pragma once

#include <type_traits>
#include <utility>

#include "fiber.h"

namespace cudacpu {

struct Kernel {
	const char *name;
	void (*function)();
	void (*call)(void (*function)(), const uint64_t *args);
	unsigned parameters;
	const Kernel *next;
};

inline const Kernel *kernels;

template <class T> T parameter(uint64_t v) {
	static_assert(sizeof(T) == 8 && std::is_trivially_copyable_v<T>, "a kernel's parameters are 8 bytes wide");
	T t;
	memcpy(&t, &v, 8);
	return t;
}

template <class... P, size_t... I>
void call_with(void (*f)(P...), const uint64_t *args, std::index_sequence<I...>) {
	f(parameter<P>(args[I])...);
}

template <class... P> void call_kernel(void (*function)(), const uint64_t *args) {
	call_with(reinterpret_cast<void (*)(P...)>(function), args, std::index_sequence_for<P...>{});
}

// Registration adds a kernel to the list, before main.
struct Registration {
	Kernel kernel;
	template <class... P>
	Registration(const char *name, void (*f)(P...))
		: kernel{name, reinterpret_cast<void (*)()>(f), call_kernel<P...>, sizeof...(P), kernels} {
		kernels = &kernel;
	}
};

} // namespace cudacpu

#define CUDACPU_KERNEL(f) static const cudacpu::Registration cudacpu_registration_##f(#f, f)
