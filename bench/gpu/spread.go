//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/settings"
)

// Sorts of lists that lie in parts on several devices, beside a sort of one such part by the first
// device alone, in turns.

var (
	spreads = flag.Bool("spread", false, "time sorts of lists that lie in parts on the devices instead, beside one part on the first, and check their results")
	spreadN = flag.String("spread-n", "24,26,28", "comma-separated sizes of each part of -spread, as powers of two")
)

const spreadReps, spreadWarm = 7, 2

var spreadDists = []dist.Codes{dist.CodesNamed("uniform"), dist.CodesNamed("gauss"), dist.CodesNamed("16 values"), dist.CodesNamed("sorted")}

// spreadBench holds the engines and the memory of each device.
type spreadBench struct {
	devices  []cuda.Context
	infos    []cuda.Info
	one, all *gpu.Engine
	copies   *gpu.Engine // which exchanges elements by copies alone
	codes    []cuda.Ptr
	results  []cuda.Ptr
	host     []uint64 // codes of all parts
	out      []uint64
	failed   []error
	checks   int
}

func spreadRows(sizes []int) error {
	chosen, err := ordinals()
	if err != nil {
		return err
	}
	b, err := newSpreadBench(chosen)
	if err != nil {
		return err
	}
	defer func() { b.one.Close(); b.all.Close(); b.copies.Close() }()
	if err := errors.Join(b.reserve(1<<20, false), b.links()); err != nil {
		return err
	}
	if err := b.checkAgainstCPU(); err != nil {
		return err
	}
	fmt.Printf("\n%s; ms, median (least–most) of %d, in turns; ratio to one device with a part of the list alone\n\n", b.infos[0].Name, spreadReps)
	fmt.Printf("| codes | result | n on each | distribution | one device | %d devices | ratio | by copies alone | ratio |\n|---|---|---|---|---|---|---|---|---|\n", len(chosen))
	for _, bits := range ints(*widths) {
		for _, n := range sizes {
			for _, d := range distributions(spreadDists, bits) {
				if err := b.rows(d, bits, n); err != nil {
					b.failed = append(b.failed, err)
					fmt.Println("FAILED:", err)
				}
			}
		}
	}
	fmt.Printf("\n%d results checked, %d are wrong or failed\n", b.checks, len(b.failed))
	return errors.Join(b.failed...)
}

func newSpreadBench(chosen []int) (b *spreadBench, err error) {
	driver, err := cuda.Open()
	if err != nil {
		return nil, err
	}
	infos, err := driver.Devices()
	if err != nil {
		return nil, err
	}
	b = &spreadBench{codes: make([]cuda.Ptr, len(chosen)), results: make([]cuda.Ptr, len(chosen))}
	for _, ordinal := range chosen {
		c, err := driver.Retain(ordinal)
		if err != nil {
			return nil, err
		}
		b.devices, b.infos = append(b.devices, c), append(b.infos, infos[ordinal])
	}
	if b.one, err = gpu.Open(gpu.Device(chosen[0])); err != nil {
		return nil, err
	}
	if b.all, err = gpu.Open(gpu.Device(chosen...)); err != nil {
		return nil, err
	}
	b.copies, err = gpu.Open(gpu.Device(chosen...), settings.Staged())
	return b, err
}

// reserve takes memory for parts of n codes, and their places.
func (b *spreadBench) reserve(n int, wide bool) (err error) {
	size := 4
	if wide {
		size = 8
	}
	for i, c := range b.devices {
		c.Free(b.codes[i])
		c.Free(b.results[i])
		b.codes[i], b.results[i] = 0, 0
		if b.codes[i], err = c.Alloc(size * n); err != nil {
			return err
		}
		if b.results[i], err = c.Alloc(8 * n); err != nil {
			return err
		}
	}
	if all := n * len(b.devices); len(b.host) < all {
		b.host, b.out = make([]uint64, all), make([]uint64, all)
	}
	return nil
}

// links measures copies between the first two devices.
func (b *spreadBench) links() error {
	if len(b.devices) < 2 {
		return nil
	}
	const bytes, copies = 4 << 20, 64
	one, other := b.devices[0], b.devices[1]
	s, err := one.NewStream()
	if err != nil {
		return err
	}
	r, err := other.NewStream()
	if err != nil {
		return err
	}
	defer func() { one.DestroyStream(s); other.DestroyStream(r) }()
	pace := func(both bool) (best float64, err error) {
		for range 5 {
			start := time.Now()
			for range copies {
				err = errors.Join(err, one.CopyFromPeer(b.results[0], other, b.codes[1], bytes, s))
				if both {
					err = errors.Join(err, other.CopyFromPeer(b.results[1], one, b.codes[0], bytes, r))
				}
			}
			err = errors.Join(err, one.SyncStream(s), other.SyncStream(r))
			best = max(best, copies*bytes/float64(time.Since(start)))
		}
		return best, err
	}
	alone, err := pace(false)
	both, failed := pace(true)
	fmt.Printf("%d devices; copies of 4 MiB from the second to the first: %.0f GB/s, and %.0f each way at once\n", len(b.devices), alone, both)
	return errors.Join(err, failed)
}

// fill makes a list and brings it to the devices, in parts of the given ends.
func fillSpread[W uint32 | uint64](b *spreadBench, d dist.Codes, n int, ends []int) ([]W, error) {
	list := unsafe.Slice((*W)(unsafe.Pointer(&b.host[0])), n)
	dist.Fill(list, d, 1)
	size, begin := int(unsafe.Sizeof(list[0])), 0
	for i, c := range b.devices {
		if ends[i] > begin {
			if err := errors.Join(c.CopyToDevice(b.codes[i], unsafe.Pointer(&list[begin]), size*(ends[i]-begin), 0), c.SyncStream(0)); err != nil {
				return nil, err
			}
		}
		begin = ends[i]
	}
	return list, nil
}

func (b *spreadBench) parts(ends []int) (parts []gpu.Part) {
	begin := 0
	for i, end := range ends {
		parts = append(parts, gpu.Part{Codes: gpu.Ptr(b.codes[i]), N: end - begin, Result: gpu.Ptr(b.results[i]), Results: end - begin})
		begin = end
	}
	return parts
}

func (b *spreadBench) poison(parts []gpu.Part, size int) (err error) {
	for i, c := range b.devices {
		err = errors.Join(err, c.Memset32(cuda.Ptr(parts[i].Result), 0xdbdbdbdb, size*parts[i].Results/4, 0), c.SyncStream(0))
	}
	return err
}

func fetchSpread[W uint32 | uint64](b *spreadBench, parts []gpu.Part) ([]W, error) {
	at, all := 0, unsafe.Slice((*W)(unsafe.Pointer(&b.out[0])), len(b.out))
	for i, p := range parts {
		if p.Results > 0 {
			c := b.devices[i]
			if err := errors.Join(c.CopyToHost(unsafe.Pointer(&all[at]), cuda.Ptr(p.Result), p.Results*int(unsafe.Sizeof(all[0])), 0), c.SyncStream(0)); err != nil {
				return nil, err
			}
		}
		at += p.Results
	}
	return all[:at], nil
}

// checkAgainstCPU compares results with orders and keys of the CPU engine, for all distributions,
// in parts of unequal length.
func (b *spreadBench) checkAgainstCPU() error {
	const n = 9<<20 + 12345
	if err := b.reserve(n, true); err != nil {
		return err
	}
	for i, d := range dist.Shapes {
		ends := make([]int, len(b.devices))
		for k := range ends {
			ends[k] = n * (k + 1) / len(ends)
		}
		if i%2 == 1 && len(ends) > 1 {
			ends[0] = n / (3 + i)
		}
		for _, e := range []*gpu.Engine{b.all, b.copies} {
			b.record(checkSpread[uint32](b, e, d, n, ends), d, 32)
			b.record(checkSpread[uint64](b, e, d, n, ends), d, 64)
		}
	}
	fmt.Printf("\n%d orders and lists of keys compared with those of the CPU, %d differ or failed\n", 2*b.checks, len(b.failed))
	return nil
}

func (b *spreadBench) record(err error, d dist.Codes, bits int) {
	b.checks++
	if err != nil {
		err = fmt.Errorf("%s, %d bits: %w", d.Name, bits, err)
		b.failed = append(b.failed, err)
		fmt.Println("FAILED:", err)
	}
}

func checkSpread[W uint32 | uint64](b *spreadBench, e *gpu.Engine, d dist.Codes, n int, ends []int) error {
	list, err := fillSpread[W](b, d, n, ends)
	if err != nil {
		return err
	}
	parts, bits := b.parts(ends), 8*int(unsafe.Sizeof(list[0]))
	order, err := sorter.OrderKeys(list, sorter.On(sorter.CPU()), sorter.Stable())
	if err := errors.Join(err, b.poison(parts, 8), e.OrderParts(engine.Auto, bits, parts)); err != nil {
		return err
	}
	places, err := fetchSpread[uint64](b, parts)
	if err != nil {
		return err
	}
	for i, at := range order {
		part, _ := slices.BinarySearch(ends, int(at)+1)
		begin := 0
		if part > 0 {
			begin = ends[part-1]
		}
		if want := uint64(part)<<32 | uint64(int(at)-begin); places[i] != want {
			return fmt.Errorf("place %d of the order is %#x, want %#x", i, places[i], want)
		}
	}
	if err := errors.Join(b.poison(parts, bits/8), e.SortParts(engine.Auto, bits, parts)); err != nil {
		return err
	}
	sorted, err := fetchSpread[W](b, parts)
	if err != nil {
		return err
	}
	for i, at := range order {
		if sorted[i] != list[at] {
			return fmt.Errorf("key %d is %#x, want %#x", i, sorted[i], list[at])
		}
	}
	return nil
}

// rows times keys and orders of one input.
func (b *spreadBench) rows(d dist.Codes, bits, n int) error {
	if err := b.reserve(n, bits == 64); err != nil {
		return err
	}
	if bits == 64 {
		return spreadRow[uint64](b, d, n)
	}
	return spreadRow[uint32](b, d, n)
}

func spreadRow[W uint32 | uint64](b *spreadBench, d dist.Codes, n int) error {
	var ends []int
	for i := range b.devices {
		ends = append(ends, n*(i+1))
	}
	list, err := fillSpread[W](b, d, n*len(b.devices), ends)
	if err != nil {
		return err
	}
	parts, bits := b.parts(ends), 8*int(unsafe.Sizeof(list[0]))
	for _, keys := range []bool{true, false} {
		name, alone, shared := "order", (*gpu.Engine).OrderDevice, (*gpu.Engine).OrderParts
		if keys {
			name, alone, shared = "keys", (*gpu.Engine).SortDevice, (*gpu.Engine).SortParts
		}
		var times [3][]float64
		for turn := range spreadWarm + spreadReps {
			for i, sort := range []func() error{
				func() error { return alone(b.one, engine.Auto, gpu.Ptr(b.codes[0]), bits, n, gpu.Ptr(b.results[0])) },
				func() error { return shared(b.copies, engine.Auto, bits, parts) },
				func() error { return shared(b.all, engine.Auto, bits, parts) },
			} {
				if turn == spreadWarm+spreadReps-1 && i == 2 {
					if err := b.poison(parts, 8); err != nil {
						return err
					}
				}
				var err error
				took := timed(func() { err = sort() })
				if err != nil {
					return err
				}
				if turn >= spreadWarm {
					times[i] = append(times[i], took)
				}
			}
		}
		b.record(checkSpreadResult(b, list, parts, n, keys), d, bits)
		one := median(times[0])
		fmt.Printf("| u%d | %s | %d | %s | %s | %s | %.2f | %s | %.2f |\n", bits, name, n, d.Name, spread(times[0]), spread(times[2]), median(times[2])/one, spread(times[1]), median(times[1])/one)
	}
	return nil
}

// checkSpreadResult checks that keys ascend and have the sum of the codes, or that places ascend
// by code, part and position: then all differ, so each comes once.
func checkSpreadResult[W uint32 | uint64](b *spreadBench, list []W, parts []gpu.Part, n int, keys bool) error {
	var wrong, in, out atomic.Uint64
	if keys {
		sorted, err := fetchSpread[W](b, parts)
		if err != nil {
			return err
		}
		each(len(sorted), func(_ *rand.Rand, lo, hi int) {
			var bad, before, after uint64
			for i := lo; i < hi; i++ {
				if i > 0 && sorted[i] < sorted[i-1] {
					bad++
				}
				before += uint64(list[i]) * dist.Scatter(uint64(list[i])>>1, 64)
				after += uint64(sorted[i]) * dist.Scatter(uint64(sorted[i])>>1, 64)
			}
			wrong.Add(bad)
			in.Add(before)
			out.Add(after)
		})
		if wrong.Load() > 0 || in.Load() != out.Load() {
			return fmt.Errorf("%d keys descend, or they are others", wrong.Load())
		}
		return nil
	}
	places, err := fetchSpread[uint64](b, parts)
	if err != nil {
		return err
	}
	at := func(place uint64) (int, bool) {
		i := int(place>>32)*n + int(uint32(place))
		return i, place>>32 < uint64(len(parts)) && int(uint32(place)) < n
	}
	each(len(places), func(_ *rand.Rand, lo, hi int) {
		bad := uint64(0)
		for i := lo; i < hi; i++ {
			own, ok := at(places[i])
			if !ok {
				bad++
				continue
			}
			if i == 0 {
				continue
			}
			if before, ok := at(places[i-1]); !ok || list[before] > list[own] || list[before] == list[own] && places[i-1] >= places[i] {
				bad++
			}
		}
		wrong.Add(bad)
	})
	if wrong.Load() > 0 {
		return fmt.Errorf("%d places are wrong", wrong.Load())
	}
	return nil
}
