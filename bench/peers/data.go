package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"example.com/sorter/internal/dist"
)

// least is the number of elements of a file: lists that are shorter lie one after another in it,
// since a branch predictor learns a short list by heart.
const least = 1_000_000

// data returns the file of an operation and its number of elements. It is made once.
func (b *bench) data(c operation, name string, n int) (path string, all int) {
	if c.kind == "columns" {
		return b.columns(n), n
	}
	all = max(least/n*n, n)
	path = filepath.Join(b.build, strings.ReplaceAll(fmt.Sprintf("%s-%s-%d.bin", name, c.kind, all), " ", "-"))
	write(path, func(w io.Writer) {
		for _, v := range draw(name, all) {
			writeKey(w, c.kind, v)
		}
	})
	return path, all
}

// write makes a file unless it is there.
func write(path string, content func(w io.Writer)) {
	if _, err := os.Stat(path); err == nil {
		return
	}
	f, err := os.Create(path)
	check(err)
	w := bufio.NewWriterSize(f, 1<<20)
	content(w)
	check(w.Flush())
	check(f.Close())
}

// random is of a name, so that files do not depend on the order in which they are made.
func random(name string) *rand.Rand {
	h := fnv.New64()
	io.WriteString(h, name)
	return dist.Rand(h.Sum64())
}

func draw(name string, n int) []uint64 {
	r := random(name)
	if name == "bit-exponential" {
		return bitExponential(n, r)
	}
	return dist.Named(name).Draw(n, r)
}

// bitExponential has each bit set with probability 29/30: the distribution of that name in
// "Parallel Integer Sort: Theory and Practice" (Dong et al., PPoPP 2024).
func bitExponential(n int, r *rand.Rand) []uint64 {
	v := make([]uint64, n)
	for i := range v {
		for bit := range 64 {
			if r.IntN(30) != 0 {
				v[i] |= 1 << bit
			}
		}
	}
	return v
}

// writeKey writes the key of a point of the 64-bit line. Floats are in [-1, 1), none is -0.
func writeKey(w io.Writer, kind string, v uint64) {
	var b [8]byte
	f := float64(int64(v^1<<63)) / (1 << 63)
	width := 4
	switch kind {
	case "u16":
		binary.LittleEndian.PutUint16(b[:], uint16(v>>48))
		width = 2
	case "u32":
		binary.LittleEndian.PutUint32(b[:], uint32(v>>32))
	case "f32":
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(float32(f)))
	case "f64":
		v = math.Float64bits(f)
		fallthrough
	default:
		binary.LittleEndian.PutUint64(b[:], v)
		width = 8
	}
	w.Write(b[:width])
}
