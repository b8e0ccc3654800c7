//go:build !amd64

package processor

// AVX2 is false: other architectures do not have it.
const AVX2 = false
