//go:build cudacpu && linux && amd64

package terms

// #cgo CXXFLAGS: -std=c++20 -O2 -g1 -fno-strict-aliasing -fno-omit-frame-pointer -DSORTER_CUDACPU -I${SRCDIR}/.. -I${SRCDIR}/../../../kernels
// #include "terms.h"
import "C"

import (
	"unsafe"

	_ "example.com/sorter/internal/cudacpu" // this package follows its headers
	"example.com/sorter/internal/testkit/zeroone"
	_ "example.com/sorter/kernels" // and the kernels' sources
)

// reset begins a circuit of the given number of inputs.
func reset(inputs int) { C.terms_reset(C.uint32_t(inputs)) }

// gates returns the gates of all kernels since the reset.
func gates() []zeroone.Gate {
	var n C.size_t
	first := C.terms_gates(&n)
	all := make([]zeroone.Gate, n)
	for i, g := range unsafe.Slice(first, n) { // sound: they are valid until a kernel runs
		all[i] = zeroone.Gate{Most: g.most != 0, A: int(g.a), B: int(g.b)}
	}
	return all
}
