//go:build !amd64

package processor

// AVX2 and AVX512 are false: other architectures do not have them.
const AVX2, AVX512 = false, false
