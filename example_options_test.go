package sorter_test

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"example.com/sorter"
)

// descending returns n numbers from n down to 1.
func descending(n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = uint32(n - i)
	}
	return s
}

// With one worker the sort starts no goroutine, and the key function runs on the caller's.
func ExampleWorkers() {
	ids := descending(100_000)
	calls := 0
	err := sorter.Sort(ids, func(id uint32) uint32 { calls++; return id }, sorter.Workers(1))

	fmt.Println(calls, ids[:3], err)
	// Output: 100000 [1 2 3] <nil>
}

// A limit without room for a copy of the elements makes a sort work in place. One without room for
// that either is an error, and the slice stays as it was.
func ExampleMemoryLimit() {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("name %06d", len(names)-i)
	}

	err := sorter.SortKeys(names, sorter.MemoryLimit(1000))

	var short *sorter.MemoryError
	fmt.Println(errors.Is(err, sorter.ErrMemoryLimit), errors.As(err, &short) && short.Need > short.Limit)
	fmt.Println(names[0])
	// Output:
	// true true
	// name 100000
}

// The bound is known before the elements are: a service admits a sort once it has the memory.
func ExampleOrdering_ScratchBytes() {
	byID := sorter.By(sorter.Asc(func(id uint32) uint32 { return id }))
	ids := descending(100_000)

	most := byID.ScratchBytes(len(ids))
	var st sorter.Stats
	err := byID.Sort(ids, sorter.MemoryLimit(most), sorter.Report(&st))

	fmt.Println(st.Scratch <= most, err)
	// Output: true <nil>
}

func ExampleOnProgress() {
	hashes := make([]uint32, 1_000_000)
	for i := range hashes {
		hashes[i] = uint32(i) * 0x9e3779b1
	}

	ended := 0
	err := sorter.SortKeys(hashes, sorter.OnProgress(func(p sorter.Progress) {
		if p.Done == p.Total {
			ended++ // the stage p.Stage
		}
	}))

	fmt.Println(ended > 0, err)
	// Output: true <nil>
}

// The CPU is the first engine; an import of package gpu registers a device after it.
func ExampleOn() {
	for _, engine := range sorter.Backends()[:1] {
		ids := descending(100_000)
		var st sorter.Stats
		err := sorter.SortKeys(ids, sorter.On(engine), sorter.Report(&st))
		fmt.Println(engine.Name(), engine.Runs(sorter.Radix), st.Engine, err)
	}

	ids := []uint32{3, 1, 2}
	err := sorter.SortKeys(ids, sorter.On(sorter.CPU()))
	fmt.Println(ids, err)
	// Output:
	// cpu true cpu <nil>
	// [1 2 3] <nil>
}

// All algorithms have the same results, so that their times can be compared.
func ExampleUse() {
	for _, a := range []sorter.Algorithm{sorter.BucketRadix, sorter.Radix, sorter.MergeSort} {
		ids := descending(10_000)
		var st sorter.Stats // st.Total is the time
		err := sorter.SortKeys(ids, sorter.Use(a), sorter.Report(&st))
		fmt.Println(st.Algorithm, slices.IsSorted(ids), err)
	}
	// Output:
	// BucketRadix true <nil>
	// Radix true <nil>
	// MergeSort true <nil>
}

// After its largest sort a process gives the scratch memory back at once, not a minute later.
func ExampleTrim() {
	ids := descending(1_000_000)
	err := sorter.SortKeys(ids)
	sorter.Trim()

	fmt.Println(ids[0], err)
	// Output: 1 <nil>
}

// Without an option NaNs come first in ascending order, and last in descending order.
func ExampleNaNsFirst() {
	readings := []float64{2, math.NaN(), 5}

	_ = sorter.SortKeys(readings, sorter.Descending())
	fmt.Println(readings)
	_ = sorter.SortKeys(readings, sorter.Descending(), sorter.NaNsFirst())
	fmt.Println(readings)
	// Output:
	// [5 2 NaN]
	// [NaN 5 2]
}

// Each column has a place of its own for NaNs, whatever its direction.
func ExampleColumn_NaNsLast() {
	low := []float64{1, math.NaN(), 1, 3}
	high := []float64{4, 5, math.NaN(), 6}

	rows, err := sorter.RowsBy(len(low), sorter.AscOf(low).NaNsLast(), sorter.DescOf(high).NaNsFirst()).Order()

	for _, row := range rows {
		fmt.Println(low[row], high[row])
	}
	fmt.Println(err)
	// Output:
	// 1 NaN
	// 1 4
	// 3 6
	// NaN 5
	// <nil>
}
