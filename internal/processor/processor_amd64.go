// Package processor reports optional instructions of the processor.
package processor

// AVX2 reports that the processor and the system support AVX2.
var AVX2 = hasAVX2()

func hasAVX2() bool
