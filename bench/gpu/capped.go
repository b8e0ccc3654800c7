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
)

// Orders of lists that need more device memory than a sort may take, beside the
// same with all of the memory, and with tiles of the device merged by the CPU.

// passBytes is about what one pass takes for an element.
const passBytes = 32

// capped measures lists from half to four times of what fits the bytes given.
func capped(small, large *gpu.Engine, bytes int64) error {
	if err := heading(fmt.Sprintf("OrderKeys, at most %d bytes of device memory a sort; ms, median (least–most) of %d", bytes, e2eReps)); err != nil {
		return err
	}
	fmt.Println("| keys | n | capped | ns per element | rounds | all memory | ratio | Hybrid | ratio |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	c := &cappedBench{small: small, large: large}
	for _, halves := range []int{1, 2, 4, 8} {
		n := int(bytes) / passBytes * halves / 2
		cappedRow(c, "uint32", n, func(i int) uint32 { return uint32(scatter(i) >> 32) })
		cappedRow(c, "uint64", n, scatter)
	}
	fmt.Printf("\nStages of the last run:\n\n%s", c.stages.String())
	if c.failed {
		return errors.New("some cases failed")
	}
	return nil
}

type cappedBench struct {
	small, large *gpu.Engine
	stages       strings.Builder
	failed       bool
}

func cappedRow[K sorter.Key](c *cappedBench, name string, n int, key func(i int) K) {
	keys := make([]K, n)
	each(n, func(_ *rand.Rand, lo, hi int) {
		for i := lo; i < hi; i++ {
			keys[i] = key(i)
		}
	})
	var st, hybrid sorter.Stats
	want, whole, err := cappedOrder(keys, sorter.On(c.large))
	got, times, failed := cappedOrder(keys, sorter.On(c.small), sorter.Report(&st))
	err = errors.Join(err, failed)
	if err == nil && !slices.Equal(got, want) {
		err = errors.New("the orders differ")
	}
	got, tiles, failed := cappedOrder(keys, sorter.On(c.large), sorter.Use(sorter.Hybrid), sorter.Report(&hybrid))
	err = errors.Join(err, failed)
	if err == nil && !slices.Equal(got, want) {
		err = errors.New("the hybrid's order differs")
	}
	if err != nil {
		fmt.Printf("| %s | %d | %v | | | | | | |\n", name, n, err)
		c.failed = true
		return
	}
	fmt.Printf("| %s | %d | %s | %.2f | %d | %s | %.2f | %s | %.2f |\n", name, n, spread(times), median(times)*1e6/float64(n), st.Rounds,
		spread(whole), median(times)/median(whole), spread(tiles), median(tiles)/median(whole))
	for _, s := range []struct {
		name string
		*sorter.Stats
	}{{"capped", &st}, {"Hybrid", &hybrid}} {
		fmt.Fprintf(&c.stages, "- %s, %d, %s:", name, n, s.name)
		for _, stage := range s.Stages {
			fmt.Fprintf(&c.stages, " %s %.1f,", stage.Name, ms(stage.Time))
		}
		fmt.Fprintf(&c.stages, " all %.1f, scratch %.1f GB\n", ms(s.Total), float64(s.Scratch)/1e9)
	}
	runtime.GC()
}

// cappedOrder returns the order of keys and its times.
func cappedOrder[K sorter.Key](keys []K, opts ...sorter.Option) (order []uint32, times []float64, err error) {
	times, err = repeated(e2eWarm, e2eReps, func() { order = nil }, func() (err error) {
		order, err = sorter.OrderKeys(keys, append(opts, sorter.Stable())...)
		return err
	})
	return order, times, err
}
