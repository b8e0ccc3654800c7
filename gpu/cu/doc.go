// Package cu binds the GPU engine of package gpu to [gorgonia.org/cu], for programs that work with that library:
//
//	import _ "example.com/sorter/gpu/cu"
//
// The import registers the engine, as that of package gpu does, and has it call the driver through the library. A program
// has to import it in its own build: the driver is chosen once, at the first use of a device. Engines use the
// primary contexts of devices. Memory that the library allocated there converts to [gpu.Ptr], and StreamOf
// returns its streams as a [gpu.Stream], for calls on device memory such as [gpu.Engine.OrderDevice]. Such a call
// leaves the context that is current on the caller's thread as it was.
//
// It takes cgo, Linux on amd64 or arm64, and the header cuda.h of CUDA 11 or 12. The driver's library is linked: a
// program does not start where it is missing. A system with the library and without a device is
// [example.com/sorter.ErrNoDevice], as with package gpu, although the library would end the program. Without cgo
// and on other systems the import is that of package gpu alone.
//
// [gorgonia.org/cu]: https://pkg.go.dev/gorgonia.org/cu
package cu

import _ "example.com/sorter/gpu" // registers the engine
