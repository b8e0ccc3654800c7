//go:build linux && ((amd64 && !cudacpu) || arm64)

package cuda

// Load is load, for tests of other libraries than the system's.
var Load = load
