//go:build linux && ((amd64 && !cudacpu) || arm64)

package cuda

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// open loads the driver that the system's linker finds. The version in the
// name is that of the interface, which has been 1 since the beginning.
func open() (Driver, error) { return load("libcuda.so.1") }

// load loads a driver library, which stays loaded: the driver starts threads
// of its own.
func load(path string) (Driver, error) {
	f, err := resolve(path)
	if err != nil {
		return nil, err
	}
	return start(f)
}

// resolve loads a library and looks up every call in it. The loader keeps the
// text of its last error per OS thread, and purego asks for it in a second call,
// so the goroutine stays on one thread meanwhile.
func resolve(path string) (*functions, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	library, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, Missing("dlopen "+path, LibraryInitFailed, err)
	}
	return find(func(name string) (uintptr, error) { return purego.Dlsym(library, name) })
}

// invoke calls the C function at fn, which is not 0, with at most 11 arguments.
func invoke(fn uintptr, args []uintptr) uintptr {
	r, _, _ := purego.SyscallN(fn, args...)
	return r
}
