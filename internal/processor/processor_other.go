//go:build !amd64

package processor

// AVX2, AVX512, BMI2 and AMD are false: other architectures do not have them.
const AVX2, AVX512, BMI2, AMD = false, false, false, false
