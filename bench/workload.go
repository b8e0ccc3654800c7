package main

import (
	"errors"
	"unsafe"

	"example.com/sorter/bench/internal/list"
)

// workload is an input with its contenders: count runs of n elements, each
// sorted by itself. Small inputs come as many different runs, because a branch
// predictor learns one small input by heart when it is sorted again and again.
type workload struct {
	N, Count   int
	Contenders []contender
	Restore    func()       // gives every run its unsorted content again
	Check      func() error // reports a run that is out of order or lost elements

	// Borrowed are the bytes of shared buffers that contenders took instead of
	// allocating; they count as the scratch memory of whoever takes them.
	Borrowed *int64
}

// data holds the elements of a workload.
type data[E comparable] struct {
	n        int
	master   []E // as drawn
	work     []E // the input of contenders
	digest   uint64
	spare    []E
	borrowed int64
}

func newData[E comparable](values []uint64, n int, convert func(v uint64, i int) E) *data[E] {
	d := &data[E]{n: n, master: make([]E, len(values)), work: make([]E, len(values))}
	for i, v := range values {
		d.master[i] = convert(v, i%n)
	}
	d.digest = list.Digest(d.master)
	return d
}

// run returns the elements of one run.
func (d *data[E]) run(i int) []E { return d.work[i*d.n : (i+1)*d.n : (i+1)*d.n] }

// borrow returns a buffer of a run's length. Contenders share it, one after
// the other, so that 64-byte elements fit the memory of a small machine.
func (d *data[E]) borrow() []E {
	if d.spare == nil {
		d.spare = make([]E, d.n)
	}
	d.borrowed += int64(d.n) * int64(unsafe.Sizeof(*new(E)))
	return d.spare
}

// workload checks that runs are sorted by compare and permutations of their input;
// where ties have one right order, compare knows it.
func (d *data[E]) workload(compare func(a, b E) int, contenders ...contender) *workload {
	return &workload{
		N: d.n, Count: len(d.work) / d.n,
		Contenders: contenders,
		Borrowed:   &d.borrowed,
		Restore:    func() { list.Copy(d.work, d.master) },
		Check: func() error {
			for i := range len(d.work) / d.n {
				if err := list.InOrder(d.run(i), compare); err != nil {
					return err
				}
			}
			return d.complete()
		},
	}
}

// complete reports elements that are not those of the master. Runs do not
// overlap, so one sum over all of them is enough.
func (d *data[E]) complete() error {
	if list.Digest(d.work) != d.digest {
		return errors.New("elements were lost or changed")
	}
	return nil
}
