// Command ours sorts the files of peers by this library. The argument is
// the number of threads; README.md of peers has the protocol.
package main

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"example.com/sorter"
)

type number interface {
	uint16 | uint32 | uint64 | float32 | float64
}

type struct16 struct {
	key float32
	i   uint32
	_   uint64
}

type struct24 struct {
	key float32
	_   uint32
	i   uint64
	_   uint64
}

type struct64 struct {
	key, i uint64
	_      [6]uint64
}

// times are of one request: wall clock and processor time.
type times struct{ wall, cpu time.Duration }

// contender answers a request: the times, and the sum that shows the order.
type contender func(path string, n int) (times, uint64)

var contenders = map[string]contender{}

var (
	threads int
	workers sorter.Option
)

func main() {
	var err error
	threads, err = strconv.Atoi(os.Args[1])
	check(err)
	runtime.GOMAXPROCS(threads)
	workers = sorter.Workers(threads)
	keys[uint16]("u16")
	all[uint32, uint32]("u32")
	all[uint64, uint64]("u64")
	all[float32, uint32]("f32")
	all[float64, uint64]("f64")
	structs("struct16 f32", func(k float32, i int) struct16 { return struct16{key: k, i: uint32(i)} },
		func(e struct16) float32 { return e.key }, func(e struct16) uint64 { return uint64(e.i) })
	structs("struct24 f32", func(k float32, i int) struct24 { return struct24{key: k, i: uint64(i)} },
		func(e struct24) float32 { return e.key }, func(e struct24) uint64 { return e.i })
	structs("struct64 u64", func(k uint64, i int) struct64 { return struct64{key: k, i: uint64(i)} },
		func(e struct64) uint64 { return e.key }, func(e struct64) uint64 { return e.i })
	columns()
	serve()
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// serve prints the offers and answers requests until there are no more.
func serve() {
	revision := "?"
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				revision = s.Value[:7]
			}
		}
	}
	fmt.Println("version sorter", revision, runtime.Version())
	for name := range contenders {
		fmt.Println("offer", name)
	}
	fmt.Println("ready")
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		f := strings.Fields(lines.Text())
		n, err := strconv.Atoi(f[3])
		check(err)
		t, sum := contenders[strings.Join(f[:3], " ")](f[4], n)
		fmt.Println(t.wall.Nanoseconds(), t.cpu.Nanoseconds(), sum)
	}
}

// timed calls f with the begin of every list.
func timed(all, n int, f func(at int) error) times {
	runtime.GC()
	cpu, start := processor(), time.Now()
	for at := 0; at < all; at += n {
		check(f(at))
	}
	return times{time.Since(start), processor() - cpu}
}

func processor() time.Duration {
	var r syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// read returns the values of a file.
func read[T any](path string) []T {
	info, err := os.Stat(path)
	check(err)
	size := unsafe.Sizeof(*new(T))
	s := make([]T, info.Size()/int64(size))
	f, err := os.Open(path)
	check(err)
	defer f.Close()
	_, err = io.ReadFull(f, unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(size)))
	check(err)
	return s
}

func bits[K number](k K) uint64 {
	switch k := any(k).(type) {
	case float32:
		return uint64(math.Float32bits(k))
	case float64:
		return math.Float64bits(k)
	}
	return uint64(k)
}

// keySum changes with every order of keys.
func keySum[K number](n int, at func(i int) K) (sum uint64) {
	for i := range n {
		sum += bits(at(i)) * uint64(2*i+1)
	}
	return sum
}

func keys[K number](kind string) {
	contenders["sorter sort "+kind] = func(path string, n int) (times, uint64) {
		s := read[K](path)
		t := timed(len(s), n, func(at int) error { return sorter.SortKeys(s[at:at+n], workers) })
		return t, keySum(len(s), func(i int) K { return s[i] })
	}
}

// all offers the operations on keys K; V is the unsigned integer of their width.
func all[K number, V uint32 | uint64](kind string) {
	keys[K](kind)
	contenders["sorter order "+kind] = func(path string, n int) (times, uint64) {
		s := read[K](path)
		order := make([]uint32, len(s))
		t := timed(len(s), n, func(at int) error {
			_, err := sorter.OrderKeys(s[at:at+n], workers, sorter.Into(order[at:at:at+n]))
			return err
		})
		sum := keySum(len(s), func(i int) K { return s[i-i%n+int(order[i])] })
		for _, row := range order {
			sum += uint64(row) * uint64(row)
		}
		return t, sum
	}
	contenders["sorter pairs "+kind] = func(path string, n int) (times, uint64) {
		source, s := read[K](path), read[K](path)
		values := make([]V, len(s))
		for i := range values {
			values[i] = V(i % n)
		}
		t := timed(len(s), n, func(at int) error { return sorter.SortPairs(s[at:at+n], values[at:at+n], workers) })
		sum := keySum(len(s), func(i int) K { return source[i-i%n+int(values[i])] })
		for _, row := range values {
			sum += uint64(row) * uint64(row)
		}
		return t, sum
	}
	contenders["sorter top "+kind] = func(path string, n int) (times, uint64) {
		s, k := read[K](path), n/100
		t := timed(len(s), n, func(at int) error { return sorter.TopKeys(s[at:at+n], k, workers) })
		return t, keySum(len(s)/n*k, func(i int) K { return s[i/k*n+i%k] })
	}
	contenders["sorter nth "+kind] = func(path string, n int) (times, uint64) {
		s := read[K](path)
		rows := make([]uint32, 0, len(s)/n)
		t := timed(len(s), n, func(at int) error {
			row, err := sorter.RowsBy(n, sorter.AscOf(s[at:at+n])).Nth([]int{n / 2}, workers)
			rows = append(rows, row...)
			return err
		})
		return t, keySum(len(rows), func(i int) K { return s[i*n+int(rows[i])] })
	}
}

func structs[E any, K number](op string, make func(K, int) E, key func(E) K, place func(E) uint64) {
	contenders["sorter "+op] = func(path string, n int) (times, uint64) {
		source := read[K](path)
		var s []E
		for i, k := range source {
			s = append(s, make(k, i))
		}
		t := timed(len(s), n, func(at int) error { return sorter.Sort(s[at:at+n], key, workers) })
		sum := keySum(len(s), func(i int) K { return source[place(s[i])] })
		for _, e := range s {
			sum += place(e) * place(e)
		}
		return t, sum
	}
}
