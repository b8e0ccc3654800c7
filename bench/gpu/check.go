//go:build linux && (amd64 || arm64)

package main

import (
	"fmt"
	"log"
	"math"
	"runtime"
	"slices"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/kernels"
	"example.com/sorter/perm"
)

// checker holds the GPU engine to the CPU engine.
type checker struct {
	engine           *gpu.Engine
	algorithms       []sorter.Algorithm
	turn, every      int // turn counts inputs; one of each every is sorted
	compared, failed int
}

// checkAll compares stable orders, sorted keys and sorted structs of both engines,
// position by position, over kinds of keys, distributions and sizes up to most; it
// takes one input of each every. Lists that crowd at an end of the range are sorted by all
// algorithms, whichever the flag names.
func checkAll(engine *gpu.Engine, most, every int) error {
	c := &checker{engine: engine, algorithms: algorithms(), every: every}
	for _, d := range distributions(slices.Concat(dist.Shapes, dist.Users, dist.HeldBack), 32, 64) {
		for _, n := range checkSizes(most, d) {
			checkCodes(c, d, n)
		}
		runtime.GC()
	}
	if err := checkCrowds(c, most); err != nil {
		return err
	}
	fmt.Printf("%d orders, lists of keys and of structs compared with those of the CPU engine, %d differ or failed\n", c.compared, c.failed)
	if c.failed > 0 {
		return fmt.Errorf("%d of %d orders", c.failed, c.compared)
	}
	return nil
}

// checkCodes compares keys of all kinds that d has codes of.
func checkCodes(c *checker, d dist.Codes, n int) {
	if d.Has(32) {
		checkKeys(c, "uint32", d, n, 32, func(v uint64) uint32 { return uint32(v) })
	}
	if d.Has(64) {
		checkKeys(c, "uint64", d, n, 64, func(v uint64) uint64 { return v })
	}
	if d.Widths != dist.Any || n > 1<<22 {
		return // further kinds differ on the host only
	}
	checkKeys(c, "uint8", d, n, 8, func(v uint64) uint8 { return uint8(v) })
	checkKeys(c, "int16", d, n, 16, func(v uint64) int16 { return int16(v) })
	checkKeys(c, "int64", d, n, 64, func(v uint64) int64 { return int64(v) })
	checkKeys(c, "float32", d, n, 32, func(v uint64) float32 { return math.Float32frombits(uint32(v)) })
	checkKeys(c, "float64", d, n, 64, func(v uint64) float64 { return math.Float64frombits(v) })
	checkKeys(c, "float4", d, n, 64, func(v uint64) sorter.Float4 {
		return sorter.Float4{float32(v >> 40), float32(v >> 32 & 255), 1, float32(v & 0xffff)}
	})
	if n <= 1<<20 {
		checkKeys(c, "string", d, n, 64, func(v uint64) string { return fmt.Sprintf("a prefix %016x", v) })
	}
}

// checkSizes are around whatever cuts a list: a bucket, a tile, a level. Of codes that programs
// have, a few are enough: forms of lists show where cuts go wrong.
func checkSizes(most int, d dist.Codes) []int {
	level := 1024 * (kernels.LocalSize - 104) // about the most that one level of partition takes
	all := []int{0, 1, 2, 31, 33, 1 << 16, level - 5000, level + 5000, 1<<20 + 1, 1<<22 - 1, 1<<24 + 5, 1 << 27}
	for _, cut := range []int{kernels.LocalSize, kernels.Tile, kernels.KeyTile, kernels.RadixTile, 64 * kernels.Tile} {
		all = append(all, cut-1, cut, cut+1)
	}
	if d.Widths != dist.Any {
		all = []int{70_000, 1<<20 + 1, 1<<24 + 5}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(n int) bool { return n > most })
}

func checkKeys[K sorter.Key](c *checker, kind string, d dist.Codes, n, bits int, of func(v uint64) K) {
	if c.turn++; c.turn%c.every != 0 {
		return
	}
	codes := make([]uint64, n)
	dist.FillBits(codes, d, bits, 1)
	keys := make([]K, n)
	for i, v := range codes {
		keys[i] = of(v)
	}
	want, _ := sorter.OrderKeys(keys, sorter.On(sorter.CPU()), sorter.Stable())
	sorted, got := slices.Clone(keys), make([]K, n)
	if err := sorter.SortKeys(sorted, sorter.On(sorter.CPU())); err != nil {
		log.Fatal(err)
	}
	for _, a := range c.algorithms {
		order, err := sorter.OrderKeys(keys, sorter.On(c.engine), sorter.Use(a), sorter.Stable())
		c.note(compared(order, want, err), "%v, order of %s, %s, n = %d", a, kind, d.Name, n)
		if n <= 1<<24 {
			c.note(checkStructs(c, a, keys, want), "%v, structs by %s, %s, n = %d", a, kind, d.Name, n)
		}
		if kind == "string" { // has no codes that lose nothing
			continue
		}
		copy(got, keys)
		err = sorter.SortKeys(got, sorter.On(c.engine), sorter.Use(a))
		c.note(compared(memory(got), memory(sorted), err), "%v, keys, %s, %s, n = %d", a, kind, d.Name, n)
	}
}

// numbered is an element that holds its position in the input.
type numbered[K sorter.Key] struct {
	key K
	at  uint32
}

// checkStructs sorts elements that move with their codes, unless they hold
// pointers or are too small, and those that an order moves on the host.
func checkStructs[K sorter.Key](c *checker, a sorter.Algorithm, keys []K, want perm.Perm) error {
	s := make([]numbered[K], len(keys))
	for i, k := range keys {
		s[i] = numbered[K]{k, uint32(i)}
	}
	err := sorter.Sort(s, func(e numbered[K]) K { return e.key }, sorter.On(c.engine), sorter.Use(a), sorter.Stable())
	for i, e := range s {
		if err == nil && e.at != want[i] {
			err = fmt.Errorf("place %d holds element %d, want %d", i, e.at, want[i])
		}
	}
	return err
}

// note counts one comparison, and reports a difference.
func (c *checker) note(err error, format string, args ...any) {
	c.compared++
	if err != nil {
		c.failed++
		fmt.Printf("FAILED: %s: %v\n", fmt.Sprintf(format, args...), err)
	}
}

// compared returns err, or how got differs from want.
func compared[T comparable](got, want []T, err error) error {
	if err != nil || slices.Equal(got, want) {
		return err
	}
	i := 0
	for got[i] == want[i] {
		i++
	}
	return fmt.Errorf("place %d holds %v, want %v", i, got[i], want[i])
}

// memory is what keys of a fixed size are made of: NaNs and zeros differ in their
// bits only.
func memory[K sorter.Key](keys []K) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(keys))), len(keys)*int(unsafe.Sizeof(*new(K))))
}
