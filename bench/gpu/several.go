//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
)

// Sorts that several devices share, beside the same by the first of them alone, in
// turns; before, orders of both are compared, position by position.

// ordinals are the devices that the flag names.
func ordinals() ([]int, error) {
	if *devices != "all" {
		return ints(*devices), nil
	}
	infos, err := gpu.Devices()
	if err != nil {
		return nil, err
	}
	all := make([]int, len(infos))
	for i := range all {
		all[i] = i
	}
	return all, nil
}

// severalBench holds both engines.
type severalBench struct {
	one, all *gpu.Engine
	orders   int
	stages   strings.Builder
	failed   []error
}

// several measures sorts of the given sizes.
func several(sizes []int) error {
	chosen, err := ordinals()
	if err != nil {
		return err
	}
	b := &severalBench{}
	if b.one, err = gpu.Open(gpu.Device(chosen[0])); err != nil {
		return err
	}
	defer b.one.Close()
	if b.all, err = gpu.Open(gpu.Device(chosen...), gpu.Verify()); err != nil {
		return err
	}
	for _, d := range dist.Shapes {
		for _, n := range []int{1 << 25, 9<<22 + 12345} {
			checkShared(b, d, n, 32, func(v uint64) uint32 { return uint32(v) })
			checkShared(b, d, n, 64, func(v uint64) uint64 { return v })
		}
	}
	fmt.Printf("\n%d orders and lists of keys by %s compared with those by %s, %d differ or failed\n", b.orders, b.all.Name(), b.one.Name(), len(b.failed))
	if err := b.all.Close(); err != nil { // times are without the check
		return err
	}
	if b.all, err = gpu.Open(gpu.Device(chosen...)); err != nil {
		return err
	}
	defer b.all.Close()
	if err := heading(fmt.Sprintf("ms, median (least–most) of %d, in turns", e2eReps)); err != nil {
		return err
	}
	fmt.Printf("| case | n | %s | %s | ratio |\n|---|---|---|---|---|\n", b.one.Name(), b.all.Name())
	for _, n := range sizes {
		severalRow(b, "OrderKeys, uint32", n, scattered[uint32], sorter.OrderKeys[uint32])
		severalRow(b, "OrderKeys, uint64", n, scattered[uint64], sorter.OrderKeys[uint64])
		severalRow(b, "SortKeys, uint32", n, scattered[uint32], sortKeys[uint32])
		severalRow(b, "SortKeys, uint64", n, scattered[uint64], sortKeys[uint64])
	}
	fmt.Printf("\nStages of the last run:\n\n%s", b.stages.String())
	return errors.Join(b.failed...)
}

func scattered[K uint32 | uint64](i int) K { return K(scatter(i) >> 7) }

// sortKeys sorts keys in place, which are compared.
func sortKeys[K sorter.Key](keys []K, opts ...sorter.Option) ([]K, error) {
	return keys, sorter.SortKeys(keys, opts...)
}

// checkShared compares stable orders, and sorted keys.
func checkShared[K uint32 | uint64](b *severalBench, d dist.Codes, n, bits int, of func(v uint64) K) {
	codes := make([]uint64, n)
	dist.FillBits(codes, d, bits, 1)
	keys := make([]K, n)
	for i, v := range codes {
		keys[i] = of(v)
	}
	want, err := sorter.OrderKeys(keys, sorter.On(b.one), sorter.Stable())
	got, failed := sorter.OrderKeys(keys, sorter.On(b.all), sorter.Stable())
	b.orders++
	if err = errors.Join(err, failed); err == nil && !slices.Equal(got, want) {
		err = errors.New("the orders differ")
	}
	b.fail(err, "order", d.Name, n, bits)
	sorted := slices.Clone(keys)
	err = errors.Join(sorter.SortKeys(sorted, sorter.On(b.one)), sorter.SortKeys(keys, sorter.On(b.all)))
	b.orders++
	if err == nil && !slices.Equal(keys, sorted) {
		err = errors.New("the keys differ")
	}
	b.fail(err, "keys", d.Name, n, bits)
}

func (b *severalBench) fail(err error, what ...any) {
	if err != nil {
		err = fmt.Errorf("%v: %w", what, err)
		b.failed = append(b.failed, err)
		fmt.Println("FAILED:", err)
	}
}

// severalRow times one case on both engines, and compares their last results.
func severalRow[K uint32 | uint64, R interface{ ~[]E }, E comparable](b *severalBench, name string, n int, key func(i int) K, sort func([]K, ...sorter.Option) (R, error)) {
	in := make([]K, n)
	each(n, func(_ *rand.Rand, lo, hi int) {
		for i := lo; i < hi; i++ {
			in[i] = key(i)
		}
	})
	engines := [2]*gpu.Engine{b.one, b.all}
	keys := [2][]K{make([]K, n), make([]K, n)}
	var results [2]R
	var times [2][]float64
	var st [2]sorter.Stats
	for turn := range e2eWarm + e2eReps {
		for i, engine := range engines {
			each(n, func(_ *rand.Rand, lo, hi int) { copy(keys[i][lo:hi], in[lo:hi]) })
			results[i] = nil
			var err error
			took := timed(func() { results[i], err = sort(keys[i], sorter.On(engine), sorter.Stable(), sorter.Report(&st[i])) })
			if err != nil {
				b.fail(err, name, n)
				return
			}
			if turn >= e2eWarm {
				times[i] = append(times[i], took)
			}
		}
	}
	if !slices.Equal(results[0], results[1]) {
		b.fail(errors.New("the results differ"), name, n)
	}
	fmt.Printf("| %s | %d | %s | %s | %.2f |\n", name, n, spread(times[0]), spread(times[1]), median(times[0])/median(times[1]))
	for i := range st {
		fmt.Fprintf(&b.stages, "- %s, %d, %s, %s:", name, n, st[i].Engine, st[i].Algorithm)
		for _, stage := range st[i].Stages {
			fmt.Fprintf(&b.stages, " %s %.1f,", stage.Name, ms(stage.Time))
		}
		fmt.Fprintf(&b.stages, " all %.1f\n", ms(st[i].Total))
	}
	runtime.GC()
}

// scatter is the i-th of keys that look random.
func scatter(i int) uint64 {
	x := uint64(i+1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	return x ^ x>>27
}
