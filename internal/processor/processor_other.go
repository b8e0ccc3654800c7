//go:build !amd64

package processor

// AVX2, AVX512 and BMI2 are false: other architectures do not have them.
const AVX2, AVX512, BMI2 = false, false, false
