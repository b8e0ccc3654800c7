//go:build cudacpu && linux && amd64

package selftest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"example.com/sorter/internal/cudacpu"
)

func random(n int) []uint32 {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	s := make([]uint32, n)
	for i := range s {
		s[i] = r.Uint32()
	}
	return s
}

func TestAdd(t *testing.T) {
	const n = 1000
	a, b := make([]float32, n), make([]float32, n)
	for i := range a {
		a[i], b[i] = float32(i), 0.5
	}
	d := open(t)
	c := buffer[float32](d, n)
	d.run("add_f32", 4, 256, 0, append(args(upload(d, a), upload(d, b), c), n)...)
	for i, v := range download[float32](d, c, n) {
		if v != float32(i)+0.5 {
			t.Fatalf("c[%d] = %v", i, v)
		}
	}
}

func TestSum(t *testing.T) {
	seeds(t, 3, func(t *testing.T, d *device) {
		for _, block := range []int{32, 256, 1024} {
			if block == 1024 && cudacpu.Sanitizer() == "thread" {
				continue // a thread of the sanitizer takes 2 ms to make
			}
			in, want := random(10_000), uint32(0)
			for _, v := range in {
				want += v
			}
			sum := upload(d, []uint32{0})
			d.run("sum_u32", 5, block, 128, append(args(upload(d, in), sum), uint64(len(in)))...)
			if got := download[uint32](d, sum, 1)[0]; got != want {
				t.Errorf("blocks of %d: %d, want %d", block, got, want)
			}
		}
	})
}

const scanTile, scanShared = 128, 24

// scan runs a scan kernel and checks its results.
func scan(t *testing.T, d *device, kernel string, n int) {
	in := random(n)
	tiles := (n + scanTile - 1) / scanTile
	out := buffer[uint32](d, n)
	state := upload(d, make([]uint64, tiles+1))
	d.run(kernel, tiles, scanTile, scanShared, append(args(upload(d, in), out, state), uint64(n))...)
	sum := uint32(0)
	for i, v := range download[uint32](d, out, n) {
		if sum += in[i]; v != sum {
			t.Fatalf("n = %d: element %d is %d, want %d", n, i, v, sum)
		}
	}
}

func TestScan(t *testing.T) {
	seeds(t, 5, func(t *testing.T, d *device) {
		for _, n := range []int{1, 127, 128, 129, 1000, 20_000} {
			scan(t, d, "scan_u32", n)
		}
	})
}

func TestBitonic(t *testing.T) {
	const tile, tiles = 4096, 16
	d := open(t)
	keys := random(tile * tiles)
	p := upload(d, keys)
	d.run("bitonic_u32", tiles, 256, 4*tile, args(p)...)
	got := download[uint32](d, p, len(keys))
	for ; len(keys) > 0; keys, got = keys[tile:], got[tile:] {
		if slices.Sort(keys[:tile]); !slices.Equal(keys[:tile], got[:tile]) {
			t.Fatalf("a tile is not sorted, %d keys before the end", len(keys))
		}
	}
}

func BenchmarkBitonic(b *testing.B) {
	const tile, tiles = 4096, 16
	d := open(b)
	p := upload(d, random(tile*tiles))
	b.SetBytes(4 * tile * tiles)
	for b.Loop() {
		d.run("bitonic_u32", tiles, 256, 4*tile, args(p)...)
	}
}

func TestIntegers(t *testing.T) {
	d := open(t)
	want := []uint64{9, 10, 31, 32, 23, 64, 8, 0, 41, 0x08000001, 0x0800000000000001,
		15, 15, 0x23456789, 0x6789abcd, 0x89abcdef, 0x01234567, 0x77005522, 1, 1, 16<<8 | 16, 4}
	p := buffer[uint64](d, len(want))
	d.run("integers", 1, 1, 0, args(p)...)
	for i, v := range download[uint64](d, p, len(want)) {
		if v != want[i] {
			t.Errorf("value %d is %#x, want %#x", i, v, want[i])
		}
	}
}

// warp returns the lanes of one warp for which f holds.
func warp(f func(lane uint64) bool) (mask uint64) {
	for l := range uint64(32) {
		if f(l) {
			mask |= 1 << l
		}
	}
	return mask
}

func TestWarps(t *testing.T) {
	seeds(t, 5, func(t *testing.T, d *device) {
		const threads = 64
		p := buffer[uint64](d, threads*16)
		d.run("warps", 1, threads, 0, args(p)...)
		out := download[uint64](d, p, threads*16)
		for i := range uint64(threads) {
			if got, want := fmt.Sprintf("%x", out[i*16:][:16]), fmt.Sprintf("%x", warpRow(i)); got != want {
				t.Fatalf("thread %d\ngot  %s\nwant %s", i, got, want)
			}
		}
	})
}

// warpRow is the result of the kernel warps for thread t.
func warpRow(t uint64) [16]uint64 {
	lane, base := t%32, t&^31
	wide := func(lane uint64) uint64 { return (base+lane)<<40 | base + lane }
	up, down := lane, t
	if lane >= 3 {
		up = lane - 3
	}
	if lane%16+3 < 16 {
		down = t + 3
	}
	odd := func(l uint64) bool { return l > 16 && l%2 == lane%2 }
	low, high := ^uint64(0), uint64(0)
	for l := range uint64(32) {
		low, high = min(low, (base+l)^11), max(high, (base+l)^11)
	}
	return [16]uint64{
		warp(func(l uint64) bool { return l%3 == 0 }),
		3, 0,
		warp(func(l uint64) bool { return wide(l)%5 == wide(lane)%5 }),
		wide(5), wide(lane&^7 | (lane+1)&7), wide(up), down, wide(lane ^ 9),
		low<<32 | high,
		(32*base+31*16)<<32 | 0x7f,
		0xfffffff7,
		warp(odd),
		0xffffffff,
		0xfffffff8,
		64<<32 | 1<<16,
	}
}

func TestBarriers(t *testing.T) {
	seeds(t, 5, func(t *testing.T, d *device) {
		const threads = 100 // a partial warp at the end
		p := buffer[uint64](d, threads)
		d.run("barriers", 1, threads, 0, args(p)...)
		for i, v := range download[uint64](d, p, threads) {
			if v != 34|1<<32|1<<34 {
				t.Fatalf("thread %d: %#x", i, v)
			}
		}
	})
}

func TestAtomics(t *testing.T) {
	seeds(t, 5, func(t *testing.T, d *device) {
		words := upload(d, []uint32{5, 0, 1 << 31, 0, 0, 1<<32 - 1, 0, 1, 0, 1000})
		wide := upload(d, []uint64{1, 0})
		d.run("atomics", 3, 32, 0, args(words, wide)...)
		const n, sum = 96, 96 * 95 / 2
		want := []uint32{5 + sum, 1<<32 - sum, 0, 0, 1<<20 - 1, 1<<32 - 1<<20, 0, 9, n, 1<<32 - 92}
		for i := range uint32(n) {
			want[3] = max(want[3], i^77)
			want[6] ^= i
		}
		if got := download[uint32](d, words, 10); !slices.Equal(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		if got := download[uint64](d, wide, 2); got[0] != 1+sum<<32 || got[1] != 95<<32 {
			t.Errorf("wide: %#x", got)
		}
	})
}
