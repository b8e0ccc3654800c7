package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// columns makes a table of n rows, a file for each column, and returns its folder:
//
//	a  int64, uniform            g  int32, 1000 groups        v  float64, uniform in [0, 1)
//	d  int32, 3650 days          s  int32, 10 values          m  as v, a tenth is null: m.valid has the bits
//	t  8 to 20 small letters: bytes, and t.offsets as int32
func (b *bench) columns(n int) string {
	folder := filepath.Join(b.build, fmt.Sprintf("rows-%d", n))
	check(os.MkdirAll(folder, 0o755))
	column(folder, "a", n, func(r *rand.Rand) any { return r.Uint64() })
	column(folder, "g", n, func(r *rand.Rand) any { return r.Int32N(1000) })
	column(folder, "v", n, func(r *rand.Rand) any { return r.Float64() })
	column(folder, "d", n, func(r *rand.Rand) any { return r.Int32N(3650) })
	column(folder, "s", n, func(r *rand.Rand) any { return r.Int32N(10) })
	column(folder, "m", n, func(r *rand.Rand) any { return r.Float64() })
	column(folder, "m.valid", (n+7)/8, func(r *rand.Rand) any {
		var bits uint8
		for i := range 8 {
			if r.IntN(10) != 0 {
				bits |= 1 << i
			}
		}
		return bits
	})
	texts(folder, n)
	return folder
}

func column(folder, name string, n int, draw func(r *rand.Rand) any) {
	r := random(name)
	write(filepath.Join(folder, name), func(w io.Writer) {
		for range n {
			check(binary.Write(w, binary.LittleEndian, draw(r)))
		}
	})
}

func texts(folder string, n int) {
	r := random("t")
	var text []byte
	offsets := []int32{0}
	for range n {
		for range 8 + r.IntN(13) {
			text = append(text, 'a'+byte(r.IntN(26)))
		}
		offsets = append(offsets, int32(len(text)))
	}
	write(filepath.Join(folder, "t"), func(w io.Writer) { w.Write(text) })
	write(filepath.Join(folder, "t.offsets"), func(w io.Writer) { check(binary.Write(w, binary.LittleEndian, offsets)) })
}
