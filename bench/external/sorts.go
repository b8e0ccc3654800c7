package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"

	peer "github.com/lanrat/extsort"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

// record is an element: a key, and where it was in the input.
type record struct{ Key, At, Pad uint64 }

// reader checks the records that a sort hands out.
type reader struct {
	n         int
	last, sum uint64
}

func (r *reader) take(e record) {
	if e.Key < r.last {
		panic("out of order")
	}
	r.last = e.Key
	r.sum += e.Key ^ e.At
	r.n++
}

// end expects that there were n records, each once.
func (r *reader) end(n int) error {
	want := uint64(0)
	for e := range records(n) {
		want += e.Key ^ e.At
	}
	if r.n != n || r.sum != want {
		return fmt.Errorf("%d records with sum %x, want %d with %x", r.n, r.sum, n, want)
	}
	return nil
}

// records yields n random records, the same in every call.
func records(n int) iter.Seq[record] {
	return func(yield func(record) bool) {
		r := rand.NewPCG(1, 2)
		for i := range n {
			if !yield(record{Key: r.Uint64(), At: uint64(i)}) {
				return
			}
		}
	}
}

func keyOf(r record) uint64 { return r.Key }

func sortOurs(t task) error {
	for r, err := range extsort.Sort(records(t.n), keyOf, extsort.MemoryLimit(t.memory), extsort.TempDir(t.dir), extsort.Workers(t.workers)) {
		if err != nil {
			return err
		}
		t.read.take(r)
	}
	return nil
}

// sortOursOnMore is sortOurs where a goroutine that waits for the disk keeps no other from running.
func sortOursOnMore(t task) error {
	runtime.GOMAXPROCS(t.workers + 4)
	return sortOurs(t)
}

// sortLanrat gives the peer chunks of which it holds as many as the memory allows: it keeps one
// for each worker, and encodes each record in memory of its own.
func sortLanrat(t task) error {
	runtime.GOMAXPROCS(t.workers)
	config := peer.DefaultConfig()
	config.ChunkSize, config.NumWorkers, config.TempFilesDir = 1_000_000, t.workers, t.dir
	in := make(chan record, 1000)
	go func() {
		defer close(in)
		for r := range records(t.n) {
			in <- r
		}
	}()
	s, sorted, errs := peer.Generic(in, decode, encode, func(a, b record) int {
		switch {
		case a.Key < b.Key:
			return -1
		case a.Key > b.Key:
			return 1
		}
		return 0
	}, config)
	s.Sort(context.Background())
	for r := range sorted {
		t.read.take(r)
	}
	return <-errs
}

func encode(r record) ([]byte, error) {
	b := make([]byte, 0, 24)
	b = binary.LittleEndian.AppendUint64(b, r.Key)
	b = binary.LittleEndian.AppendUint64(b, r.At)
	return binary.LittleEndian.AppendUint64(b, r.Pad), nil
}

func decode(b []byte) (record, error) {
	return record{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), binary.LittleEndian.Uint64(b[16:])}, nil
}

// sortInMemory holds all records, whatever the memory it may take.
func sortInMemory(t task) error {
	all := make([]record, 0, t.n)
	for r := range records(t.n) {
		all = append(all, r)
	}
	if err := sorter.Sort(all, keyOf, sorter.Stable(), sorter.Workers(t.workers)); err != nil {
		return err
	}
	for _, r := range all {
		t.read.take(r)
	}
	return nil
}
