//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"time"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/perm"
)

// Keys in memory that is pinned beside the same keys in memory that is not, in turns.

var (
	pinning = flag.Bool("pinned", false, "time sorts and orders of keys in pinned memory instead, beside those in other memory")
	pinnedN = flag.String("pinned-n", "20,24,26,28", "comma-separated sizes of -pinned, as powers of two")
)

// pinnedReps is the number of timed sorts of each.
const pinnedReps = 7

// besidePinned prints the table, by an engine of the devices of the flag.
func besidePinned(e *gpu.Engine) error {
	if err := heading(fmt.Sprintf("ms, medians of %d (least–most), and processors' ms in brackets", pinnedReps)); err != nil {
		return err
	}
	if err := pinCosts(); err != nil {
		return err
	}
	fmt.Println("| case | n | memory of Go | pinned | ratio | processors |")
	fmt.Println("|---|---|---|---|---|---|")
	var failed error
	for _, n := range powers(*pinnedN) {
		failed = errors.Join(failed,
			pinnedKeys(e, "uint32", n, (*rand.Rand).Uint32), pinnedKeys(e, "float32", n, (*rand.Rand).Float32), pinnedKeys(e, "int64", n, (*rand.Rand).Int64),
			pinnedOrders(e, "uint32", n, (*rand.Rand).Uint32), pinnedOrders(e, "float32", n, (*rand.Rand).Float32), pinnedOrders(e, "uint64", n, (*rand.Rand).Uint64))
		runtime.GC()
	}
	return failed
}

// pinCosts prints the time of pinning 1 GiB.
func pinCosts() error {
	const n = 1 << 30
	var s, other []byte
	var err error
	alloc := timed(func() { s, err = gpu.Alloc[byte](n) })
	unpin := timed(func() { err = errors.Join(err, gpu.Unpin(s)) })
	again := timed(func() { err = errors.Join(err, gpu.Pin(s)) })
	err = errors.Join(err, gpu.Unpin(s))
	other = make([]byte, n)
	for i := 0; i < n; i += 4096 {
		other[i] = 1
	}
	pin := timed(func() { err = errors.Join(err, gpu.Pin(other)) })
	err = errors.Join(err, gpu.Unpin(other))
	fmt.Printf("1 GiB: Alloc %.1f, Unpin %.1f, Pin again %.1f, Pin of touched memory %.1f\n\n", alloc, unpin, again, pin)
	return err
}

// pinnedKeys sorts keys.
func pinnedKeys[K sorter.Key](e *gpu.Engine, kind string, n int, of func(r *rand.Rand) K) error {
	in := drawn(n, of)
	ordinary := make([]K, n)
	s, err := gpu.Alloc[K](n)
	if err != nil {
		return err
	}
	defer gpu.Unpin(s)
	sort := func(s []K) func() error { return func() error { return sorter.SortKeys(s, sorter.On(e)) } }
	fill := func(s []K) func() {
		return func() { each(n, func(_ *rand.Rand, lo, hi int) { copy(s[lo:hi], in[lo:hi]) }) }
	}
	if err := pinnedRow("SortKeys, "+kind, n, fill(ordinary), sort(ordinary), fill(s), sort(s)); err != nil {
		return err
	}
	if err := compared(memory(s), memory(ordinary), nil); err != nil {
		return fmt.Errorf("SortKeys, %s: %w", kind, err)
	}
	return nil
}

// pinnedOrders orders keys, into memory that is kept.
func pinnedOrders[K sorter.Key](e *gpu.Engine, kind string, n int, of func(r *rand.Rand) K) error {
	keys, into := drawn(n, of), make(perm.Perm, n)
	s, err := gpu.Alloc[K](n)
	if err != nil {
		return err
	}
	defer gpu.Unpin(s)
	copy(s, keys)
	pinnedInto, err := gpu.Alloc[uint32](n)
	if err != nil {
		return err
	}
	defer gpu.Unpin(pinnedInto)
	order := func(s []K, into perm.Perm) func() error {
		return func() error {
			_, err := sorter.OrderKeys(s, sorter.On(e), sorter.Into(into))
			return err
		}
	}
	nothing := func() {}
	if err := pinnedRow("OrderKeys, "+kind, n, nothing, order(keys, into), nothing, order(s, pinnedInto)); err != nil {
		return err
	}
	if err := compared(pinnedInto, into, nil); err != nil {
		return fmt.Errorf("OrderKeys, %s: %w", kind, err)
	}
	return nil
}

// pinnedRow times two ways in turns.
func pinnedRow(name string, n int, fill func(), sort func() error, fillPinned func(), sortPinned func() error) error {
	var took, used [2][]float64
	for i := range e2eWarm + pinnedReps {
		for k, way := range []struct {
			fill func()
			sort func() error
		}{{fill, sort}, {fillPinned, sortPinned}} {
			way.fill()
			var err error
			before := processorTime()
			t := timed(func() { err = way.sort() })
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if i >= e2eWarm {
				took[k], used[k] = append(took[k], t), append(used[k], ms(processorTime()-before))
			}
		}
	}
	fmt.Printf("| %s | %d | %s [%.1f] | %s [%.1f] | %.2f | %.2f |\n", name, n, spread(took[0]), median(used[0]), spread(took[1]), median(used[1]),
		median(took[0])/median(took[1]), median(used[0])/median(used[1]))
	return nil
}

// processorTime returns the time that all processors have spent on this process.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
