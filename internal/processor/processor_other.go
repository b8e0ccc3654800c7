//go:build !amd64

package processor

// AVX2 is false where there is no such thing.
const AVX2 = false
