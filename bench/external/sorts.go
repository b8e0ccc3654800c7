package main

import (
	"context"
	"encoding/binary"
	"iter"
	"math/rand/v2"
	"runtime"

	peer "github.com/lanrat/extsort"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

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

func sortOurs(t task, take func(record)) error {
	for r, err := range extsort.Sort(records(t.n), keyOf, extsort.MemoryLimit(t.memory), extsort.TempDir(t.dir), extsort.Workers(t.workers)) {
		if err != nil {
			return err
		}
		take(r)
	}
	return nil
}

// sortLanrat gives the peer chunks of which it holds as many as the memory allows: it keeps one
// for each worker, and encodes each record in memory of its own.
func sortLanrat(t task, take func(record)) error {
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
	s, out, errs := peer.Generic(in, decode, encode, func(a, b record) int {
		switch {
		case a.Key < b.Key:
			return -1
		case a.Key > b.Key:
			return 1
		}
		return 0
	}, config)
	s.Sort(context.Background())
	for r := range out {
		take(r)
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
func sortInMemory(t task, take func(record)) error {
	all := make([]record, 0, t.n)
	for r := range records(t.n) {
		all = append(all, r)
	}
	if err := sorter.Sort(all, keyOf, sorter.Stable(), sorter.Workers(t.workers)); err != nil {
		return err
	}
	for _, r := range all {
		take(r)
	}
	return nil
}
