//go:build cudacpu && linux && amd64

// Package selftest holds kernels that show what cudacpu runs and what it
// catches. It is also the pattern for a package of kernels: flags, sources,
// and one C++ file that includes them and lists the kernels. SORTER_CUDACPU
// tells sources that nvcc compiles too which of the two it is.
package selftest

// #cgo CXXFLAGS: -std=c++20 -O2 -g -fno-strict-aliasing -fno-omit-frame-pointer -DSORTER_CUDACPU -I${SRCDIR}/..
import "C"

import (
	"embed"

	_ "example.com/sorter/internal/cudacpu" // this package follows its headers
)

// sources makes the go command compile again when a kernel changes.
//
//go:embed *.cu
var sources embed.FS

var _ = sources
