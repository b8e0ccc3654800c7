//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
)

var (
	selected = flag.Bool("selection", false, "select the lowest codes and the median instead, beside CUB's selection and the engine's sort, and compare the results with those of the sort")
	lowest   = flag.String("k", "1,64,1024,4096,65536", "comma-separated numbers of codes that -selection selects")
)

// selections times selections from codes that are on the device. CUB's, which has no median, leaves its
// results in any order, and of ties any.
func selections() error {
	b, err := newBench()
	if err != nil {
		return err
	}
	fmt.Printf("%s, driver %d, CUB %d; ms, median (least–most) of %d in turns\n\n", b.info.Name, b.info.Driver, b.version(), *reps)
	fmt.Println("| codes | n | distribution | selected | ours | CUB's DeviceTopK, unordered | ratio | our order of all | ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	return eachInput(func(bits, lg int, d dist.Codes) error {
		n := 1 << lg
		if err := b.fill(bits, n, d); err != nil {
			return err
		}
		stable := make([]uint32, n)
		if err := b.ours.OrderDevice(sorter.Auto, gpu.Ptr(b.codes), bits, n, gpu.Ptr(b.order)); err != nil {
			return err
		}
		if err := b.fetch(stable, b.order); err != nil {
			return err
		}
		for _, k := range ints(*lowest) {
			if k > n {
				continue
			}
			if err := b.selectionRow(bits, lg, d, fmt.Sprint("lowest ", k), stable[:k], true, func(order, sorted gpu.Ptr) error {
				return b.ours.TopDevice(gpu.Ptr(b.codes), bits, n, k, order, sorted)
			}); err != nil {
				return err
			}
		}
		ranks := []int{n / 2}
		return b.selectionRow(bits, lg, d, "median", stable[n/2:n/2+1], false, func(order, sorted gpu.Ptr) error {
			return b.ours.NthDevice(gpu.Ptr(b.codes), bits, n, ranks, order, sorted)
		})
	})
}

// uploaded returns device memory with 32-bit words.
func (b *bench) uploaded(words []uint32) (cuda.Ptr, error) {
	at, err := b.Alloc(4 * len(words))
	if err != nil {
		return 0, err
	}
	if err := errors.Join(b.CopyToDevice(at, unsafe.Pointer(&words[0]), 4*len(words), b.stream), b.SyncStream(b.stream)); err != nil {
		return 0, errors.Join(err, b.Free(at))
	}
	return at, nil
}

// fetch copies 32-bit words from the device.
func (b *bench) fetch(to []uint32, from cuda.Ptr) error {
	return errors.Join(b.CopyToHost(unsafe.Pointer(&to[0]), from, 4*len(to), b.stream), b.SyncStream(b.stream))
}

// selectionRow compares a selection with the positions wanted, and times it, beside that of CUB, which is of the lowest alone.
func (b *bench) selectionRow(bits, lg int, d dist.Codes, what string, want []uint32, ofLowest bool, find func(order, sorted gpu.Ptr) error) error {
	n, k := 1<<lg, len(want)
	got := make([]uint32, k)
	b.Memset32(b.order, 0xdbdbdbdb, k, b.stream)
	b.SyncStream(b.stream)
	if err := errors.Join(find(gpu.Ptr(b.order), gpu.Ptr(b.out)), b.fetch(got, b.order)); err != nil {
		return err
	}
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: wrong positions", what)
	}
	ours := clocked(func() error { return find(gpu.Ptr(b.order), gpu.Ptr(b.out)) })
	whole := clocked(func() error {
		return b.ours.OrderDevice(sorter.Auto, gpu.Ptr(b.codes), bits, n, gpu.Ptr(b.order))
	})
	topK := func(tmp cuda.Ptr) int32 {
		bytes := uint64(b.tmpBytes)
		return b.theirTopK(tmp, &bytes, b.codes, b.out, b.order, uint64(n), uint64(k), uint64(bits/8), b.stream)
	}
	contenders := []func() (float64, error){ours, whole}
	hasPeer := ofLowest && topK(0) == 0 // it asks for the temporary bytes
	if hasPeer {
		contenders = append(contenders, func() (float64, error) { return b.timeOnce(func() int32 { return topK(b.tmp) }) })
	}
	times, err := inTurns(math.Inf(1), contenders...)
	if err != nil {
		return err
	}
	peer := "– | –"
	if hasPeer {
		peer = fmt.Sprintf("%s | %.2f", spread(times[2]), median(times[2])/median(times[0]))
	}
	fmt.Printf("| u%d | 2^%d | %s | %s | %s | %s | %.3f | %.2f |\n", bits, lg, d.Name, what, spread(times[0]), peer, median(times[1]), median(times[1])/median(times[0]))
	return nil
}

// clocked returns f with its time in milliseconds, by the host's clock.
func clocked(f func() error) func() (float64, error) {
	return func() (float64, error) {
		start := time.Now()
		err := f()
		return time.Since(start).Seconds() * 1e3, err
	}
}
