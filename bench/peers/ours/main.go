// Command ours sorts the inputs of the programs of peers by this library, and prints the same
// lines: the median and the least of seven sorts in ns per element.
//
//	go run ./peers/ours -workers 2 -keys 2e7 -structs 1e7
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"time"

	"example.com/sorter"
)

type s24 struct {
	k float32
	_ uint32
	b uint64
	_ uint64
}

type vec4 struct {
	x float32
	_ [3]float32
}

type s64 struct {
	k int64
	_ [7]int64
}

// float64 and float32 keys are in [-0.5, 0.5).
func f64(x uint64) float64 { return float64(x>>11)/(1<<53) - 0.5 }
func f32(x uint64) float32 { return float32(f64(x)) }

func main() {
	workers := flag.Int("workers", runtime.GOMAXPROCS(0), "goroutines of a sort")
	keys := flag.Float64("keys", 2e7, "keys of a list")
	structs := flag.Float64("structs", 1e7, "structs of a list")
	flag.Func("rows", "rows to time, separated by commas: all by default", func(list string) error {
		only = strings.Split(list, ",")
		return nil
	})
	flag.Parse()
	n, m := int(*keys), int(*structs)
	w := sorter.Workers(*workers)

	keysOf("u32", n, w, func(x uint64) uint32 { return uint32(x >> 32) })
	keysOf("i32", n, w, func(x uint64) int32 { return int32(x >> 32) })
	keysOf("f32", n, w, f32)
	keysOf("u64", n, w, func(x uint64) uint64 { return x })
	keysOf("i64", n, w, func(x uint64) int64 { return int64(x) })
	keysOf("f64", n, w, f64)
	orders(n, w)
	structsOf("24 B", m, w, func(x uint64) s24 { return s24{k: f32(x), b: x} }, func(e s24) float32 { return e.k })
	structsOf("float4", m, w, func(x uint64) vec4 { return vec4{x: f32(x)} }, func(e vec4) float32 { return e.x })
	structsOf("64 B", m, w, func(x uint64) s64 { return s64{k: int64(x)} }, func(e s64) int64 { return e.k })
}

var only []string // rows

// made returns n elements of random words.
func made[E any](n int, of func(x uint64) E) []E {
	r := rand.NewPCG(1, 2)
	s := make([]E, n)
	for i := range s {
		s[i] = of(r.Uint64())
	}
	return s
}

// ordered is a key that Go compares.
type ordered interface {
	sorter.Key
	cmp.Ordered
}

func keysOf[K ordered](row string, n int, w sorter.Option, of func(x uint64) K) {
	source := made(n, of)
	s := make([]K, n)
	timeOf(row, n, func() { copy(s, source) }, func() error { return sorter.SortKeys(s, w) },
		func() bool { return slices.IsSorted(s) })
}

func structsOf[E any, K ordered](row string, n int, w sorter.Option, of func(x uint64) E, key func(E) K) {
	source := made(n, of)
	s := make([]E, n)
	timeOf(row, n, func() { copy(s, source) }, func() error { return sorter.Sort(s, key, w) },
		func() bool { return slices.IsSortedFunc(s, func(a, b E) int { return cmp.Compare(key(a), key(b)) }) })
}

// orders is the row of the peers' pairs: an order of 32-bit keys.
func orders(n int, w sorter.Option) {
	keys := made(n, func(x uint64) uint32 { return uint32(x >> 32) })
	order := make([]uint32, 0, n)
	timeOf("order", n, func() {}, func() (err error) {
		p, err := sorter.OrderKeys(keys, w, sorter.Into(order))
		order = p
		return err
	}, func() bool {
		return slices.IsSortedFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	})
}

// timeOf prints a row. Each sort begins with a fresh copy of the input, which is not timed.
func timeOf(row string, n int, fill func(), sort func() error, sorted func() bool) {
	if only != nil && !slices.Contains(only, row) {
		return
	}
	var times []float64
	for range 7 {
		fill()
		start := time.Now()
		if err := sort(); err != nil {
			log.Fatalf("%s: %v", row, err)
		}
		times = append(times, float64(time.Since(start).Nanoseconds())/float64(n))
	}
	if !sorted() {
		log.Fatalf("%s: not sorted", row)
	}
	slices.Sort(times)
	fmt.Printf("%-24s %-8s n=%-9d %6.2f (least %.2f)\n", "sorter", row, n, times[3], times[0])
}
