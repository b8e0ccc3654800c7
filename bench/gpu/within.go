//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"slices"

	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
)

var (
	within        = flag.Bool("within", false, "select the lowest codes of each segment instead, beside CUB's selection and the engine's sort of segments, and compare the results with those of the sort")
	withinLengths = flag.String("lengths", "12,18", "comma-separated lengths of segments of -within, as powers of two")
)

// selectionsWithin times selections from segments of codes that are on the device. CUB leaves its results in any order, and
// of ties any.
func selectionsWithin() error {
	b, err := newBench()
	if err != nil {
		return err
	}
	fmt.Printf("%s, driver %d, CUB %d; ms, median (least–most) of %d in turns\n\n", b.info.Name, b.info.Driver, b.version(), *reps)
	fmt.Println("| codes | n | distribution | segments | selected of each | ours | CUB's DeviceBatchedTopK, unordered | ratio | our order of all | ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|")
	return eachInput(func(bits, lg int, d dist.Codes) error {
		if err := b.fill(bits, 1<<lg, d); err != nil {
			return err
		}
		for _, length := range powers(*withinLengths) {
			for _, k := range ints(*lowest) {
				if length > 1<<lg || k > length {
					continue
				}
				if err := b.withinRow(bits, lg, d, length, k); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// withinRow compares the positions of a selection with those of the order, and times both, beside CUB.
func (b *bench) withinRow(bits, lg int, d dist.Codes, length, k int) error {
	n, segments := 1<<lg, 1<<lg/length
	offsets := make([]uint32, segments+1)
	for s := range offsets {
		offsets[s] = uint32(s * length)
	}
	at, err := b.uploaded(offsets)
	if err != nil {
		return err
	}
	defer b.Free(at)
	whole := func() error {
		return b.ours.OrderWithinDevice(gpu.Ptr(b.codes), bits, n, gpu.Ptr(at), segments, gpu.Ptr(b.order))
	}
	ours := func() error {
		return b.ours.TopWithinDevice(gpu.Ptr(b.codes), bits, n, gpu.Ptr(at), segments, k, gpu.Ptr(b.order), gpu.Ptr(b.out))
	}
	if err := b.sameWithin(n, length, k, whole, ours); err != nil {
		return err
	}
	theirs := func(tmp cuda.Ptr, bytes *uint64) int32 {
		call := b.theirWithin32
		if bits == 64 {
			call = b.theirWithin64
		}
		return call(tmp, bytes, b.codes, b.out, b.order, uint64(segments), uint64(length), uint64(k), b.stream)
	}
	contenders := []func() (float64, error){clocked(ours), clocked(whole)}
	bytes := uint64(0)
	hasPeer := theirs(0, &bytes) == 0 && int(bytes) <= b.tmpBytes
	if hasPeer {
		contenders = append(contenders, func() (float64, error) { return b.timeOnce(func() int32 { return theirs(b.tmp, &bytes) }) })
	}
	times, err := inTurns(math.Inf(1), contenders...)
	if err != nil {
		return err
	}
	peer := "– | –"
	if hasPeer {
		peer = fmt.Sprintf("%s | %.2f", spread(times[2]), median(times[2])/median(times[0]))
	}
	fmt.Printf("| u%d | 2^%d | %s | %d of %d | %d | %s | %s | %.3f | %.2f |\n", bits, lg, d.Name, segments, length, k, spread(times[0]), peer, median(times[1]), median(times[1])/median(times[0]))
	return nil
}

// sameWithin compares rows of k positions with the first of each segment in an order of all.
func (b *bench) sameWithin(n, length, k int, whole, ours func() error) error {
	order, rows := make([]uint32, n), make([]uint32, n/length*k)
	if err := errors.Join(whole(), b.fetch(order, b.order), b.Memset32(b.order, 0xdbdbdbdb, len(rows), b.stream), b.SyncStream(b.stream), ours(), b.fetch(rows, b.order)); err != nil {
		return err
	}
	for s := range n / length {
		if !slices.Equal(rows[s*k:(s+1)*k], order[s*length:s*length+k]) {
			return fmt.Errorf("the lowest %d of segment %d of %d: wrong positions", k, s, length)
		}
	}
	return nil
}
