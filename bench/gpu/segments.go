//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unsafe"

	"example.com/sorter/gpu"
	"example.com/sorter/internal/cuda"
	"example.com/sorter/internal/dist"
)

// division is a list cut into segments.
type division struct {
	name    string
	lengths func(r *rand.Rand, n int) []int // of about n elements
}

var divisions = []division{
	equal(4), equal(5), equal(6), equal(7), equal(8), equal(10), equal(12), equal(13), equal(14), equal(17), equal(20),
	{"up to 2^5", func(r *rand.Rand, n int) []int { return lengthsOf(n, func() int { return r.IntN(33) }) }},
	{"up to 2^11", func(r *rand.Rand, n int) []int { return lengthsOf(n, func() int { return r.IntN(2049) }) }},
	{"up to 2^15", func(r *rand.Rand, n int) []int { return lengthsOf(n, func() int { return r.IntN(1<<15 + 1) }) }},
	{"log to 2^20", func(r *rand.Rand, n int) []int {
		return lengthsOf(n, func() int { return int(math.Exp2(20 * r.Float64())) })
	}},
	{"zipf of mean 2^6", func(r *rand.Rand, n int) []int { return zipfLengths(r, n, n>>6) }},
	{"zipf of mean 2^10", func(r *rand.Rand, n int) []int { return zipfLengths(r, n, n>>10) }},
}

func equal(lg int) division {
	return division{fmt.Sprintf("2^%d", lg), func(_ *rand.Rand, n int) []int { return lengthsOf(n, func() int { return 1 << lg }) }}
}

// lengthsOf are lengths, n in all.
func lengthsOf(n int, length func() int) (lengths []int) {
	for n > 0 {
		l := min(n, length())
		lengths = append(lengths, l)
		n -= l
	}
	return lengths
}

// zipfLengths are in proportion to 1/k, in random order.
func zipfLengths(r *rand.Rand, n, segments int) []int {
	sum := 0.0
	for k := range segments {
		sum += 1 / float64(k+1)
	}
	lengths := make([]int, segments)
	for k := range lengths {
		lengths[k] = int(float64(n) / sum / float64(k+1))
	}
	r.Shuffle(segments, func(i, j int) { lengths[i], lengths[j] = lengths[j], lengths[i] })
	return lengths
}

// segmentsBesideCUB times sorts of segments of codes that are on the device: orders beside pairs, or
// keys beside keys.
func segmentsBesideCUB() error {
	b, err := newBench()
	if err != nil {
		return err
	}
	kind := "orders beside pairs"
	if *keys {
		kind = "keys"
	}
	fmt.Printf("%s, driver %d; %s; ms, medians of %d in turns; ratio: the better of CUB's to ours\n\n", b.info.Name, b.info.Driver, kind, *reps)
	fmt.Println("| codes | distribution | n | segments | ours | DeviceSegmentedSort | DeviceSegmentedRadixSort | ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|")
	return eachInput(func(bits, lg int, d dist.Codes) error {
		err := b.fill(bits, 1<<lg, d)
		for _, cut := range divisions {
			if err == nil && (*cuts == "" || slices.Contains(strings.Split(*cuts, ","), cut.name)) {
				err = b.segmentsRow(bits, lg, d, cut)
			}
		}
		return err
	})
}

// segmentsRow compares the results of all contenders and times them in turns.
func (b *bench) segmentsRow(bits, lg int, d dist.Codes, cut division) error {
	offsets := []uint32{0}
	for _, length := range cut.lengths(rand.New(rand.NewPCG(1, uint64(lg))), 1<<lg) {
		offsets = append(offsets, offsets[len(offsets)-1]+uint32(length))
	}
	n, count := int(offsets[len(offsets)-1]), len(offsets)-1
	at, err := b.uploaded(offsets)
	if err != nil {
		return err
	}
	defer b.Free(at)
	sort, values, order, result, bytes := (*gpu.Engine).OrderWithinDevice, b.values, b.order, b.order, 4*n
	if *keys {
		sort, values, order, result, bytes = (*gpu.Engine).SortWithinDevice, 0, 0, b.out, bits/8*n
	}
	theirs := func(radix uint64) (float64, error) {
		return b.timeOnce(func() int32 {
			bytes := uint64(b.tmpBytes)
			return b.theirSegments(b.tmp, &bytes, b.codes, b.out, values, order, uint64(n), at, uint64(count), uint64(bits/8), radix, b.stream)
		})
	}
	ours := clocked(func() error {
		return sort(b.ours, gpu.Ptr(b.codes), bits, n, gpu.Ptr(at), count, gpu.Ptr(result))
	})
	if err := b.sameResults(result, bytes, func() error { _, err := theirs(1); return err }, func() error { _, err := ours(); return err }); err != nil {
		return fmt.Errorf("segments of %s: %w", cut.name, err)
	}
	times, err := inTurns(4, ours, func() (float64, error) { return theirs(0) }, func() (float64, error) { return theirs(1) })
	if err != nil {
		return err
	}
	fmt.Printf("| u%d | %s | 2^%d | %s | %s | %.3f | %.3f | %.2f |\n", bits, d.Name, lg, cut.name, spread(times[0]), median(times[1]), median(times[2]),
		min(median(times[1]), median(times[2]))/median(times[0]))
	return nil
}

// inTurns returns the times of contenders. One that takes patience times as long as the one before it
// runs once.
func inTurns(patience float64, contenders ...func() (float64, error)) ([][]float64, error) {
	times := make([][]float64, len(contenders))
	for i := range *reps + 2 {
		for k, once := range contenders {
			if i > 0 && k > 0 && times[k][0] > patience*times[k-1][0] {
				continue
			}
			took, err := once()
			if err != nil {
				return nil, err
			}
			if i > 2 {
				times[k] = append(times[k], took)
			} else {
				times[k] = []float64{took} // of the runs before, the last
			}
		}
	}
	return times, nil
}

// sameResults compares the results of two sorts.
func (b *bench) sameResults(at cuda.Ptr, bytes int, sorts ...func() error) error {
	results := make([][]uint32, len(sorts))
	for k, sort := range sorts {
		if len(b.results) == k {
			b.results = append(b.results, nil)
		}
		if len(b.results[k]) < bytes/4 {
			b.results[k] = make([]uint32, bytes/4)
		}
		got := b.results[k][:bytes/4]
		err := errors.Join(b.Memset32(at, 0xdbdbdbdb, bytes/4, b.stream), b.SyncStream(b.stream), sort(),
			b.CopyToHost(unsafe.Pointer(&got[0]), at, bytes, b.stream), b.SyncStream(b.stream))
		if err != nil {
			return err
		}
		results[k] = got
	}
	for i, want := range results[0] {
		for k := range results {
			if results[k][i] != want {
				return fmt.Errorf("sort %d: word %d is %#x, CUB's %#x", k, i, results[k][i], want)
			}
		}
	}
	return nil
}
