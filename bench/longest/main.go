// Command longest sorts lists that are longer than 32 bits count, and checks every element of
// the results. It takes 150 GiB of memory and a few minutes:
//
//	go run ./longest
//	go run ./longest -keys 1e6 -structs 1e6
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"example.com/sorter"
	"example.com/sorter/bench/internal/list"
)

// record has the place that it was made for. Its key follows from that place.
type record struct {
	key, place, _ uint64
}

// keyBits make keys of records tie: 128 records of 2^31 have the same.
const keyBits = 24

// mixed is a number that looks random, of a place.
func mixed(place int) uint64 {
	x := (uint64(place) + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>32) * 0xd6e8feb86659fd93
	return x ^ x>>29
}

func main() {
	log.SetFlags(0)
	keys := flag.Float64("keys", 1<<32+1e6, "keys of a list")
	structs := flag.Float64("structs", 1<<31+1e6, "structs of a list")
	flag.Parse()
	debug.SetGCPercent(20)
	fmt.Printf("%d processors\n", runtime.GOMAXPROCS(0))
	if err := sortAll(int(*keys), int(*structs)); err != nil {
		log.Fatal(err)
	}
}

func sortAll(keys, structs int) error {
	return errors.Join(
		sortKeys("uint8", keys, func(x uint64) uint8 { return uint8(x) }),
		sortKeys("uint32", keys, func(x uint64) uint32 { return uint32(x) }),
		sortRecords(structs),
	)
}

// sortKeys sorts n keys alone. Sorted keys whose digest is that from before are the same keys.
func sortKeys[K uint8 | uint32](kind string, n int, of func(uint64) K) error {
	runtime.GC()
	s := make([]K, n)
	list.InParallel(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s[i] = of(mixed(i))
		}
	})
	before := list.Digest(s)
	took, err := timed(func(o ...sorter.Option) error { return sorter.SortKeys(s, o...) })
	if err != nil {
		return err
	}
	wrong := list.WrongSteps(n, func(i int) bool { return s[i-1] <= s[i] })
	if same := list.Digest(s) == before; wrong > 0 || !same {
		return fmt.Errorf("%d keys, %s: %d neighbours out of order, the same keys: %v", n, kind, wrong, same)
	}
	fmt.Printf("%d keys, %s: in order, and the same keys; %s\n", n, kind, took)
	return nil
}

// sortRecords sorts n records, stably. Records of which each is followed by one of a later key, or
// of the same key and a later place, and has the key of its place, are all n of them in the stable
// order: no place occurs twice.
func sortRecords(n int) error {
	runtime.GC()
	s := make([]record, n)
	list.InParallel(n, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s[i] = record{key: mixed(i) >> (64 - keyBits), place: uint64(i)}
		}
	})
	took, err := timed(func(o ...sorter.Option) error {
		return sorter.Sort(s, func(r record) uint64 { return r.key }, append(o, sorter.Stable())...)
	})
	if err != nil {
		return err
	}
	wrong := list.WrongSteps(n, func(i int) bool {
		a, b := &s[i-1], &s[i]
		return a.key < b.key || a.key == b.key && a.place < b.place
	})
	var strange atomic.Int64
	list.InParallel(n, func(lo, hi int) {
		for _, r := range s[lo:hi] {
			if r.place >= uint64(n) || r.key != mixed(int(r.place))>>(64-keyBits) {
				strange.Add(1)
			}
		}
	})
	if wrong > 0 || strange.Load() > 0 {
		return fmt.Errorf("%d records: %d neighbours out of order, %d that were not in the list", n, wrong, strange.Load())
	}
	fmt.Printf("%d records of 24 bytes: in the stable order, each once; %s\n", n, took)
	return nil
}

// timed sorts, and returns the time and the statistics as text.
func timed(sort func(...sorter.Option) error) (string, error) {
	var st sorter.Stats
	start := time.Now()
	if err := sort(sorter.Report(&st)); err != nil {
		return "", err
	}
	return fmt.Sprintf("%v by %s, %d rounds, scratch of %d MiB", time.Since(start).Round(time.Millisecond), st.Algorithm, st.Rounds, st.Scratch>>20), nil
}
