// Package processor reports optional instructions of the processor.
package processor

// AVX2 reports that the processor and the system support AVX2.
var AVX2 = hasAVX2()

func hasAVX2() bool

// AVX512 reports that the processor and the system support AVX-512F.
var AVX512 = AVX2 && hasAVX512()

// hasAVX512 may be called where hasAVX2 reports true.
func hasAVX512() bool
