// Package processor tells what instructions the processor has that not every one
// of its kind does.
package processor

// AVX2 says that the processor, and the system, have AVX2.
var AVX2 = hasAVX2()

func hasAVX2() bool
