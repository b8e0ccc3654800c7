//go:build linux && (amd64 || arm64)

package bucket

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.com/sorter/internal/gpu/codes"
	"example.com/sorter/internal/gpu/device"
	"example.com/sorter/internal/gpu/gputest"
	"example.com/sorter/internal/gpu/sample"
	"example.com/sorter/internal/testkit"
	"example.com/sorter/kernels"
)

// TestLeave has codes left to another sort by the first sample alone, or not.
func TestLeave(t *testing.T) {
	testkit.SkipThreadSanitizer(t)
	const n = 1 << 17
	w, r := gputest.Workspace(t, append(Modules, codes.Modules...)...), rand.New(rand.NewPCG(31, 32))
	values := gputest.Fill(1<<16, func(int) uint64 { return r.Uint64() })
	among := func(k int) func(int) uint64 { return func(int) uint64 { return values[r.IntN(k)] } }
	heavy := func(i int, code uint64) uint64 {
		if i%10 == 3 {
			return code
		}
		return r.Uint64()
	}
	for _, c := range []struct {
		name  string
		leave sample.Leave
		left  bool
		code  func(i int) uint64
	}{
		{"uniform", sample.Leave{Share: 4, Repeats: 200}, false, func(int) uint64 { return r.Uint64() }},
		{"up to the highest code", sample.Leave{Share: 4, Repeats: 200}, false, func(i int) uint64 { return uint64(i*7919%n)<<47 | math.MaxUint64>>17 }},
		{"many values", sample.Leave{Repeats: 200}, false, among(len(values))},      // of 4096 codes 128 repeat
		{"fewer values", sample.Leave{Repeats: 200}, true, among(len(values) / 16)}, // 1600 repeat
		{"fewer values, and no limit", sample.Leave{Share: 4}, false, among(len(values) / 16)},
		{"few values", sample.Leave{Share: 4, Repeats: 200}, false, among(600)}, // for the sort of few
		{"one bin", sample.Leave{Share: 4}, true, func(i int) uint64 { return uint64(math.Exp2(64 * r.Float64())) }},
		{"one bin, and no limit", sample.Leave{Digits: 2}, false, func(i int) uint64 { return uint64(math.Exp2(64 * r.Float64())) }},
		{"two bytes", sample.Leave{Digits: 2}, true, func(int) uint64 { return r.Uint64() & 0xff00ff00000000 }},
		{"one code of ten", sample.Leave{Heavy: 128}, true, func(i int) uint64 { return heavy(i, math.MaxUint64) }},
		{"one code of ten, and no limit", sample.Leave{Share: 8}, false, func(i int) uint64 { return heavy(i, 1<<63) }},
		{"the lowest code of ten", sample.Leave{Heavy: 128}, false, func(i int) uint64 { return heavy(i, 0) }}, // octaves divide it
		{"no code of ten", sample.Leave{Heavy: 128}, false, func(int) uint64 { return r.Uint64() }},
		{"few values, one of them of ten", sample.Leave{Heavy: 128}, false, func(i int) uint64 { return min(heavy(i, math.MaxUint64), values[r.IntN(600)]) }},
		{"three bytes", sample.Leave{Digits: 2}, false, func(int) uint64 { return r.Uint64() & 0xffffff00000000 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := gputest.Up(t, w, gputest.Fill(n, c.code))
			p := Policy{
				Worth: func(codes.Input, Attempt, *sample.Note) bool { return false },
				Leave: func(codes.Input) sample.Leave { return c.leave },
			}
			if _, err := new(Sorter).SortIf(w, p, codes.Input{Codes: at, Wide: true, N: n}, 0); !errors.Is(err, ErrUneven) {
				t.Errorf("error %v", err)
			}
			found, err := device.Pinned[note](w)
			if err != nil {
				t.Fatal(err)
			}
			if left := found.sample.Few.Load() == kernels.SeemsLeft; left != c.left {
				t.Errorf("left: %v", left)
			}
		})
	}
}
