package fuzz

import (
	"encoding/binary"
	"slices"
	"testing"

	"example.com/sorter/fuzz/oracle"
	"example.com/sorter/internal/floats"
)

// FuzzFloats holds the codes that vector instructions make of floats to those
// that are made one by one, and the way back to the floats.
func FuzzFloats(f *testing.F) {
	f.Add(byte(0), byte(0), []byte("\x00\x00\xc0\x7f\x00\x00\x00\x80\x00\x00\x00\x00\x00\x00\x80\xff\x01\x00\x00\x80\x00\x00\x80\x7f"))
	f.Add(byte(1), byte(3), []byte("\x00\x00\x00\x00\x00\x00\xf0\x7f\x00\x00\x00\x00\x00\x00\xf0\xff\x01\x00\x00\x00\x00\x00\xf8\x7f\x00\x00\x00\x00\x00\x00\x00\x80"))
	f.Fuzz(func(t *testing.T, bits, repeat byte, data []byte) {
		data = slices.Repeat(data, 1+int(repeat%8)) // vectors take 32 bytes
		narrow, wide := make([]uint32, len(data)/4), make([]uint64, len(data)/8)
		for i := range narrow {
			narrow[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		for i := range wide {
			wide[i] = binary.LittleEndian.Uint64(data[8*i:])
		}
		desc, nansLast := bits&1 != 0, bits&2 != 0
		checkFloats(t, narrow, floats.Ordered[uint32](desc, nansLast), floats.Exact[uint32](desc, nansLast))
		checkFloats(t, wide, floats.Ordered[uint64](desc, nansLast), floats.Exact[uint64](desc, nansLast))
	})
}

func checkFloats[B floats.Bits](t *testing.T, src []B, ordered, exact *floats.Code[B]) {
	t.Helper()
	codes := make([]B, len(src))
	for _, m := range []*floats.Code[B]{ordered, exact} {
		m.Encode(codes, src)
		for i, b := range src {
			if codes[i] != m.Of(b) {
				t.Fatalf("%+v: the code of %#x is %#x, want %#x", m, b, codes[i], m.Of(b))
			}
		}
	}
	exact.Decode(codes, codes)
	if d := oracle.Diff(codes, src, func(a, b B) bool { return a == b }); d != "" {
		t.Fatalf("%+v: decoded, %s", exact, d)
	}
}
