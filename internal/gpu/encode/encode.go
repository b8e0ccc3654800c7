// Package encode makes codes of keys on a device, and keys of codes, in place.
package encode

import (
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/kernels"
)

// Modules are the kernels that encode.
var Modules = []*device.Module{{Image: kernels.Encode, Kernels: map[string]int{
	"flip_words_u32": 0, "encode_floats_u32": 0, "decode_floats_u32": 0,
	"flip_words_u64": 0, "encode_floats_u64": 0, "decode_floats_u64": 0,
}}}

// perThread is the number of words for which a thread is launched, at least.
const perThread = 4

// Keys enqueues the encoding of n keys on the workspace's stream.
func Keys(w *device.Workspace, at cuda.Ptr, n int, wide bool, m engine.Mapping) error {
	if m.Float {
		return run(w, "encode_floats", wide, at, n, m.Zero, m.Most, m.NaN, m.Turn, m.Flip)
	}
	return flip(w, at, n, wide, m.Flip)
}

// Codes enqueues the decoding of n codes.
func Codes(w *device.Workspace, at cuda.Ptr, n int, wide bool, m engine.Mapping) error {
	if m.Float {
		return run(w, "decode_floats", wide, at, n, m.Turn, m.Flip)
	}
	return flip(w, at, n, wide, m.Flip)
}

func flip(w *device.Workspace, at cuda.Ptr, n int, wide bool, bits uint64) error {
	if bits == 0 {
		return nil
	}
	return run(w, "flip_words", wide, at, n, bits)
}

func run(w *device.Workspace, kernel string, wide bool, at cuda.Ptr, n int, args ...uint64) error {
	if n == 0 {
		return nil
	}
	if err := w.Load(Modules); err != nil {
		return err
	}
	const each = kernels.EncodeThreads * perThread
	grid := min(32*w.Info.SMs, (n+each-1)/each)
	return w.Run(kernel+codes.Width(wide), grid, kernels.EncodeThreads, 0, append([]uint64{uint64(at), uint64(n)}, args...)...)
}
