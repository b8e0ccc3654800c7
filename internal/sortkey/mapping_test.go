package sortkey

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestMappingOf compares mappings with the encoders, for all kinds and orders.
func TestMappingOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	keys := []uint64{0, 1, math.MaxUint64, 1 << 63, 1 << 31, 1<<63 | 1, math.MaxInt64, math.MaxInt32,
		math.Float64bits(math.NaN()), math.Float64bits(math.Inf(-1)), uint64(math.Float32bits(float32(math.NaN()))), 0xffc00001, 0x7f800000, 0xff800000}
	for range 200 {
		keys = append(keys, r.Uint64(), uint64(r.Uint32()))
	}
	for k := Bool; k <= Bytes; k++ {
		for _, o := range []Order{{}, {Desc: true}, {NaNs: NaNsLast}, {NaNs: NaNsFirst, Desc: true}, {NaNs: TotalOrder}, {NaNs: TotalOrder, Desc: true}} {
			for _, exact := range []bool{false, true} {
				m, ok := MappingOf(k, o, exact)
				wide := k == Int64 || k == Uint64 || k == Float64
				if want := wide || k == Int32 || k == Uint32 || k == Float32; ok != want {
					t.Errorf("kind %d: has a mapping: %v", k, ok)
				}
				if !ok {
					continue
				}
				for _, key := range keys {
					width := 32
					var code [1]uint64
					if wide {
						width = 64
						encode(k, code[:], unsafe.Pointer(&key), o, exact)
					} else {
						var narrow [1]uint32
						bits := uint32(key)
						encode(k, narrow[:], unsafe.Pointer(&bits), o, exact)
						code[0], key = uint64(narrow[0]), uint64(bits)
					}
					if got := m.Of(key, width); got != code[0] {
						t.Errorf("kind %d, %+v, exact %v, bits %#x: code %#x, want %#x", k, o, exact, key, got, code[0])
					}
				}
			}
		}
	}
}

func encode[C Code](k Kind, dst []C, key unsafe.Pointer, o Order, exact bool) {
	if exact {
		EncodeExactAt(k, dst, key, o)
		return
	}
	EncodeAt(k, dst, key, o)
}
