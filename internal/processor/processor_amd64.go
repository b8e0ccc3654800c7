// Package processor reports optional instructions of the processor.
package processor

import "os"

// withheld bounds the vector instructions for tests, measurements and reports of faults: "avx2" withholds AVX-512, "none" all.
var withheld = os.Getenv("SORTER_VECTORS")

// AVX2 reports that the processor and the system support AVX2.
var AVX2 = withheld != "none" && hasAVX2()

func hasAVX2() bool

// AVX512 reports that the processor and the system support AVX-512F.
var AVX512 = AVX2 && withheld != "avx2" && hasAVX512()

// BMI2 reports that the processor supports BMI2, where it has AVX2.
var BMI2 = AVX2 && hasBMI2()

// AMD reports that AMD made the processor.
var AMD = isAMD()

func isAMD() bool

// hasAVX512 and hasBMI2 may be called where hasAVX2 reports true.
func hasAVX512() bool
func hasBMI2() bool
