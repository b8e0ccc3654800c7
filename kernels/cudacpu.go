//go:build cudacpu && linux && amd64

package kernels

// #cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -fno-omit-frame-pointer -DSORTER_CUDACPU -I${SRCDIR}/../internal/cudacpu
import "C"

import (
	"embed"

	_ "example.com/sorter/internal/cudacpu" // this package follows its headers
)

// sources makes the go command compile again when a kernel changes.
//
//go:embed *.cu *.cuh
var sources embed.FS

var _ = sources
