//go:build cudacpu && linux && amd64

// Package selftest holds kernels that show which code cudacpu runs and which
// mistakes it catches. It is also the pattern for a package of kernels: flags, sources,
// and one C++ file that includes them and lists the kernels. SORTER_CUDACPU
// is defined where cudacpu compiles sources that nvcc compiles too.
package selftest

// #cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -fno-omit-frame-pointer -DSORTER_CUDACPU -I${SRCDIR}/..
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
