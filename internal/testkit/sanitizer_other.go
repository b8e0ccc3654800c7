//go:build !(cudacpu && linux && amd64)

package testkit

// sanitizer returns "": no kernels run on the CPU.
func sanitizer() string { return "" }
