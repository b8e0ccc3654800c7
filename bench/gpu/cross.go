//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"
	"unsafe"

	"example.com/sorter"
	"example.com/sorter/gpu"
)

// The planner beside the engines it chooses from: what it loses by choosing, at
// every size.

// crossCase is a kind of sort, at a size of its choice.
type crossCase struct {
	name string
	size uintptr // of an element
	run  func(c *crossing, name string, n int) error
}

var crossCases = []crossCase{
	{"OrderKeys, float32", 4, func(c *crossing, name string, n int) error { return crossLine(c, name, n, float32s, orderKeys) }},
	{"SortKeys, uint32", 4, func(c *crossing, name string, n int) error {
		return crossLine(c, name, n, (*rand.Rand).Uint32, sorter.SortKeys[uint32])
	}},
	{"SortKeys, uint64", 8, func(c *crossing, name string, n int) error {
		return crossLine(c, name, n, (*rand.Rand).Uint64, sorter.SortKeys[uint64])
	}},
	{"Sort, 24 bytes by float32", unsafe.Sizeof(record24{}), func(c *crossing, name string, n int) error {
		of := func(r *rand.Rand) record24 { return record24{key: r.Float32(), id: r.Int64()} }
		return crossLine(c, name, n, of, sorted(func(r record24) float32 { return r.key }))
	}},
	{"Sort, 64 bytes by int64", unsafe.Sizeof(record64{}), func(c *crossing, name string, n int) error {
		of := func(r *rand.Rand) record64 { return record64{key: r.Int64()} }
		return crossLine(c, name, n, of, sorted(func(r record64) int64 { return r.key }))
	}},
}

// crossing prints the table.
type crossing struct {
	engine *gpu.Engine
	worst  float64
}

// crossover measures all cases from 2^10 elements up to 2^most, in slices of up
// to so many bytes.
func crossover(engine *gpu.Engine, most, bytes int) error {
	calibration, err := calibrated()
	if err != nil {
		return err
	}
	if err := heading("ms, medians"); err != nil {
		return err
	}
	fmt.Printf("measured by the planner: %s\n\n", calibration)
	fmt.Println("| case | n | CPU | GPU | planner | chose | planner / better |")
	fmt.Println("|---|---|---|---|---|---|---|")
	c := &crossing{engine: engine}
	for _, k := range crossCases {
		for power := 10; power <= most && int(k.size)<<power <= bytes; power += 2 {
			if err := k.run(c, k.name, 1<<power); err != nil {
				return fmt.Errorf("%s, 2^%d: %w", k.name, power, err)
			}
		}
		runtime.GC()
	}
	fmt.Printf("\nworst ratio %.2f\n", c.worst)
	return nil
}

// calibrated has the planner open the first device and measure, and returns what
// it found.
func calibrated() (string, error) {
	const n = 1 << 20
	column, records := make([]float32, n), make([]record24, n)
	var st sorter.Stats
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err := orderKeys(column, sorter.Report(&st)); err != nil {
			return "", err
		}
		if st.Calibration == "" {
			continue
		}
		if err := sorter.Sort(records, func(r record24) float32 { return r.key }, sorter.Report(&st)); err != nil {
			return "", err
		}
		if strings.Contains(st.Calibration, "gather") {
			return st.Calibration, nil
		}
	}
	return "", errors.New("nothing was measured within 10 s")
}

// crossLine measures one case, all three taking turns.
func crossLine[E any](c *crossing, name string, n int, of func(r *rand.Rand) E, sort func([]E, ...sorter.Option) error) error {
	in, s := drawn(n, of), make([]E, n)
	ways := [][]sorter.Option{{sorter.On(sorter.CPU())}, {sorter.On(c.engine)}, nil}
	times := make([][]float64, len(ways))
	const most, enough = 41, 600 // repetitions, ms
	for spent := 0.0; len(times[0]) < most && (spent < enough || len(times[0]) < 2); {
		for i, opts := range ways {
			each(n, func(_ *rand.Rand, lo, hi int) { copy(s[lo:hi], in[lo:hi]) })
			var err error
			took := timed(func() { err = sort(s, opts...) })
			if err != nil {
				return err
			}
			times[i] = append(times[i], took)
			spent += took
		}
	}
	var st sorter.Stats
	copy(s, in)
	if err := sort(s, sorter.Report(&st)); err != nil {
		return err
	}
	var ms [3]float64
	for i := range ms {
		ms[i] = median(times[i][1:]) // without the one that warms up
	}
	ratio := ms[2] / min(ms[0], ms[1])
	c.worst = max(c.worst, ratio)
	fmt.Printf("| %s | %d | %.3f | %.3f | %.3f | %s | %.2f |\n", name, n, ms[0], ms[1], ms[2], st.Engine, ratio)
	return nil
}
