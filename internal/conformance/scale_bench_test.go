package conformance_test

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// BenchmarkScale shows how the time per element grows with their number. The
// largest inputs take tens of gigabytes; choose by name:
//
//	go test -run - -bench 'Scale/^(order|move24)/.*/n=(24|100)M$' ./internal/conformance
func BenchmarkScale(b *testing.B) {
	for _, v := range scaleDists {
		b.Run("order/float32 "+v.name, func(b *testing.B) { scaleOrder(b, v, asFloat32) })
		b.Run("order/uint64 "+v.name, func(b *testing.B) { scaleOrder(b, v, asUint64) })
		b.Run("keys/float32 "+v.name, func(b *testing.B) { scaleKeys(b, v, asFloat32) })
		b.Run("keys/uint64 "+v.name, func(b *testing.B) { scaleKeys(b, v, asUint64) })
		b.Run("move24/float32 "+v.name, func(b *testing.B) {
			scaleMove(b, v, sorter.By(sorter.Asc(func(e move24) float32 { return e.price })))
		})
		b.Run("move24/float32, uint64 "+v.name, func(b *testing.B) {
			scaleMove(b, v, sorter.By(sorter.Asc(func(e move24) float32 { return e.price }), sorter.Asc(func(e move24) uint64 { return e.id })))
		})
	}
}

var scales = []int{1, 6, 24, 50, 100, 200, 400} // millions of elements

// move24 is an element of 24 bytes.
type move24 struct {
	price float32
	_     uint32
	id    uint64
	_     uint64
}

// scaleValues is a distribution of numbers between -1 and 1, by 64 random bits.
type scaleValues struct {
	name string
	draw func(r uint64) float64
}

var scaleDists = []scaleValues{
	{"uniform", fraction},
	{"signed", func(r uint64) float64 { return 2*fraction(r) - 1 }},
	{"zipf", func(r uint64) float64 { return fraction(mixed(uint64(math.Exp(fraction(r) * 20)))) }},
	{"16 values", func(r uint64) float64 { return fraction(mixed(r >> 60)) }},
	{"log", func(r uint64) float64 { return math.Ldexp(fraction(r), -int(r%64)) }},
}

func fraction(r uint64) float64 { return float64(r>>11) / (1 << 53) }

// mixed is the finalizer of splitmix64, a bijection that looks random.
func mixed(x uint64) uint64 {
	x = (x + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func asFloat32(v float64) float32 { return float32(v) }

// asUint64 spreads the numbers over the line.
func asUint64(v float64) uint64 { return uint64(int64(v*(1<<53))<<10) ^ 1<<63 }

// scaleBy runs f for every size with that many elements, made by all
// processors. The first stays 0, which is far from all other floating-point
// codes and which package rand also draws now and then.
func scaleBy[E any](b *testing.B, v scaleValues, element func(v float64, i int) E, f func(b *testing.B, in []E)) {
	sizes := scales
	if !testkit.Long() {
		sizes = sizes[:1]
	}
	for _, m := range sizes {
		n := m * testkit.Pick(20_000, 1_000_000)
		b.Run(fmt.Sprintf("n=%gM", float64(n)/1e6), func(b *testing.B) {
			in := make([]E, n)
			workers := runtime.GOMAXPROCS(0)
			var wait sync.WaitGroup
			for w := range workers {
				wait.Go(func() {
					for i := 1 + w; i < n; i += workers {
						in[i] = element(v.draw(mixed(uint64(i))), i)
					}
				})
			}
			wait.Wait()
			f(b, in)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/element")
		})
	}
}

func scaleOrder[K sorter.Key](b *testing.B, v scaleValues, key func(float64) K) {
	scaleBy(b, v, func(v float64, _ int) K { return key(v) }, func(b *testing.B, in []K) {
		var st sorter.Stats
		for b.Loop() {
			if _, err := sorter.OrderKeys(in, sorter.On(sorter.CPU()), sorter.Report(&st)); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(st.Rounds), "rounds")
	})
}

func scaleKeys[K sorter.Key](b *testing.B, v scaleValues, key func(float64) K) {
	scaleBy(b, v, func(v float64, _ int) K { return key(v) }, func(b *testing.B, in []K) {
		scaleSort(b, in, func(s []K, st *sorter.Stats) error {
			return sorter.SortKeys(s, sorter.On(sorter.CPU()), sorter.Report(st))
		})
	})
}

func scaleMove(b *testing.B, v scaleValues, by sorter.Ordering[move24]) {
	element := func(v float64, i int) move24 { return move24{price: float32(v), id: mixed(^uint64(i))} }
	scaleBy(b, v, element, func(b *testing.B, in []move24) {
		scaleSort(b, in, func(s []move24, st *sorter.Stats) error {
			return by.Sort(s, sorter.On(sorter.CPU()), sorter.Report(st))
		})
	})
}

func scaleSort[E any](b *testing.B, in []E, sort func(s []E, st *sorter.Stats) error) {
	var st sorter.Stats
	s := make([]E, len(in))
	for b.Loop() {
		b.StopTimer()
		copy(s, in)
		b.StartTimer()
		if err := sort(s, &st); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(st.Rounds), "rounds")
}
