package conformance_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.com/sorter"
	"example.com/sorter/internal/testkit"
)

// BenchmarkShapes compares inputs that slices.Sort and slices.SortFunc find in some
// order with these, one goroutine of theirs beside one worker and two. Both sort the
// same list in turns; times are medians. What a shape must reach is a "std/sorter" of
// 1, or of 0.9 where the standard library takes less than 2 ns per element. Choose by
// name, and give a number of repetitions:
//
//	go test -run - -bench 'Shapes/^SortKeys$/rotated/n=1000000/' -benchtime 7x ./internal/conformance
func BenchmarkShapes(b *testing.B) {
	sizes := []int{1e3, 1e5, 1e6, 8e6}
	if !testkit.Long() {
		sizes = []int{2e4}
	}
	for _, v := range shapeVerbs {
		b.Run(v.name, func(b *testing.B) {
			for _, shape := range shapes {
				b.Run(shape.name, func(b *testing.B) {
					for _, n := range sizes {
						b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) { v.bench(b, shape.keys(n)) })
					}
				})
			}
		})
	}
}

// keyShape is a list of keys in some order.
type keyShape struct {
	name string
	keys func(n int) []int64
}

// rising has n keys in order, apart from each other.
func rising(n int) []int64 { return keysBy(func(i int) int64 { return int64(i) << 20 })(n) }

func keysBy(key func(i int) int64) func(n int) []int64 {
	return func(n int) []int64 {
		keys := make([]int64, n)
		for i := range keys {
			keys[i] = key(i)
		}
		return keys
	}
}

// risingBut is rising, changed.
func risingBut(change func(keys []int64, r *rand.Rand)) func(n int) []int64 {
	return func(n int) []int64 {
		keys := rising(n)
		change(keys, rand.New(rand.NewPCG(uint64(n), 5)))
		return keys
	}
}

// fallingBut is falling, changed.
func fallingBut(change func(keys []int64, r *rand.Rand)) func(n int) []int64 {
	return func(n int) []int64 {
		keys := rising(n)
		slices.Reverse(keys)
		change(keys, rand.New(rand.NewPCG(uint64(n), 6)))
		return keys
	}
}

// values has keys drawn from k values that are far apart.
func values(k int) func(n int) []int64 {
	return func(n int) []int64 {
		r := rand.New(rand.NewPCG(uint64(n), uint64(k)))
		return keysBy(func(int) int64 { return farApart(r.IntN(k)) })(n)
	}
}

// farApart is a bijection of small numbers to keys all over the line.
func farApart(i int) int64 { return int64(mixed(uint64(i))) }

func strays(count int) func(keys []int64, r *rand.Rand) {
	return func(keys []int64, r *rand.Rand) {
		for range count {
			keys[r.IntN(len(keys))] = r.Int64N(int64(len(keys)) << 20)
		}
	}
}

func eachTimes(k int) func(keys []int64, _ *rand.Rand) {
	return func(keys []int64, _ *rand.Rand) {
		for i := range keys {
			keys[i] = keys[i/k*k]
		}
	}
}

func rotatedBy(part func(n int) int) func(keys []int64, _ *rand.Rand) {
	return func(keys []int64, _ *rand.Rand) {
		k := part(len(keys))
		slices.Reverse(keys[:k])
		slices.Reverse(keys[k:])
		slices.Reverse(keys)
	}
}

// teeth has count runs over the same range.
func teeth(count int) func(keys []int64, _ *rand.Rand) {
	return func(keys []int64, _ *rand.Rand) {
		for i := range keys {
			keys[i] = int64(i%max(1, len(keys)/count)) << 30
		}
	}
}

// runs has count runs of random keys.
func runs(count int) func(keys []int64, r *rand.Rand) {
	return func(keys []int64, r *rand.Rand) {
		for i := range keys {
			keys[i] = r.Int64()
		}
		each := (len(keys) + count - 1) / count
		for run := range slices.Chunk(keys, each) {
			slices.Sort(run)
		}
	}
}

func outliers(count int) func(n int) []int64 {
	return func(n int) []int64 {
		r := rand.New(rand.NewPCG(uint64(n), 7))
		keys := keysBy(func(int) int64 { return 1 << 40 })(n)
		for range count {
			keys[r.IntN(n)] = r.Int64()
		}
		return keys
	}
}

var shapes = []keyShape{
	{"sorted", rising},
	{"reversed", fallingBut(strays(0))},
	{"equal", outliers(0)},

	{"sorted, smallest last", risingBut(func(k []int64, _ *rand.Rand) { k[len(k)-1] = -1 })},
	{"sorted, largest first", risingBut(func(k []int64, _ *rand.Rand) { k[0] = math.MaxInt64 })},
	{"sorted, smallest in the middle", risingBut(func(k []int64, _ *rand.Rand) { k[len(k)/2] = -1 })},
	{"sorted, one moved", risingBut(func(k []int64, _ *rand.Rand) { k[len(k)/3] = k[len(k)*2/3] + 1 })},
	{"sorted, last two exchanged", risingBut(func(k []int64, _ *rand.Rand) { k[len(k)-1], k[len(k)-2] = k[len(k)-2], k[len(k)-1] })},
	{"sorted, first and last exchanged", risingBut(func(k []int64, _ *rand.Rand) { k[len(k)-1], k[0] = k[0], k[len(k)-1] })},
	{"sorted, 3 strays", risingBut(strays(3))},
	{"sorted, 10 strays", risingBut(strays(10))},
	{"sorted, 1000 strays", risingBut(strays(1000))},
	{"sorted, 1 % strays", risingBut(func(k []int64, r *rand.Rand) { strays(len(k)/100)(k, r) })},
	{"sorted, 10 at the end", risingBut(func(k []int64, r *rand.Rand) { strays(10)(k[len(k)-10:], r) })},
	{"sorted, 1 % at the end", risingBut(func(k []int64, r *rand.Rand) { appendSome(k, r) })},
	{"sorted, each twice, smallest last", risingBut(func(k []int64, r *rand.Rand) { eachTimes(2)(k, r); k[len(k)-1] = -1 })},

	{"reversed, one moved", fallingBut(func(k []int64, _ *rand.Rand) { k[len(k)/3] = k[len(k)*2/3] + 1 })},
	{"reversed, largest last", fallingBut(func(k []int64, _ *rand.Rand) { k[len(k)-1] = math.MaxInt64 })},
	{"reversed, smallest first", fallingBut(func(k []int64, _ *rand.Rand) { k[0] = -1 })},
	{"reversed, 3 strays", fallingBut(strays(3))},
	{"reversed, 10 strays", fallingBut(strays(10))},
	{"reversed, 1 % strays", fallingBut(func(k []int64, r *rand.Rand) { strays(len(k)/100)(k, r) })},
	{"reversed, each twice", fallingBut(eachTimes(2))},
	{"reversed, each 3 times", fallingBut(eachTimes(3))},
	{"reversed, each 100 times", fallingBut(eachTimes(100))},
	{"reversed, each twice, one moved", fallingBut(func(k []int64, r *rand.Rand) { eachTimes(2)(k, r); k[len(k)/3] = k[len(k)*2/3] + 1 })},

	{"rotated by one", risingBut(rotatedBy(func(n int) int { return 1 }))},
	{"rotated by a third", risingBut(rotatedBy(func(n int) int { return n / 3 }))},
	{"rotated by a half", risingBut(rotatedBy(func(n int) int { return n / 2 }))},
	{"rotated by all but 10", risingBut(rotatedBy(func(n int) int { return n - 10 }))},
	{"reversed, rotated by a third", fallingBut(rotatedBy(func(n int) int { return n / 3 }))},
	{"organ pipe", keysByPlace(func(i, n int) int64 { return int64(min(i, n-1-i)) << 20 })},
	{"valley", keysByPlace(func(i, n int) int64 { return int64(max(i, n-1-i)) << 20 })},
	{"2 teeth", risingBut(teeth(2))},
	{"10 teeth", risingBut(teeth(10))},
	{"1000 teeth", risingBut(teeth(1000))},
	{"10 falling teeth", risingBut(func(k []int64, r *rand.Rand) { teeth(10)(k, r); slices.Reverse(k) })},
	{"2 runs", risingBut(runs(2))},
	{"10 runs", risingBut(runs(10))},
	{"100 runs", risingBut(runs(100))},
	{"2 interleaved", keysByPlace(func(i, n int) int64 { return int64(i/2+i%2*n) << 20 })},
	{"neighbours exchanged", keysBy(func(i int) int64 { return int64(i^1) << 20 })},
	{"blocks of 64 shuffled", risingBut(func(k []int64, r *rand.Rand) {
		for b := range slices.Chunk(k, 64) {
			r.Shuffle(len(b), func(i, j int) { b[i], b[j] = b[j], b[i] })
		}
	})},

	{"2 far apart, alternating", keysBy(func(i int) int64 { return int64(i&1) << 62 })},
	{"2 far apart, random", values(2)},
	{"2 far apart, sorted", keysByPlace(func(i, n int) int64 { return int64(2*i/n) << 62 })},
	{"2 far apart, reversed", keysByPlace(func(i, n int) int64 { return int64(1-2*i/n) << 62 })},
	{"3 far apart, in turns", keysBy(func(i int) int64 { return farApart(i % 3) })},
	{"3 far apart", values(3)},
	{"16 far apart", values(16)},
	{"100 far apart", values(100)},
	{"1000 far apart", values(1000)},
	{"2 side by side, alternating", keysBy(func(i int) int64 { return int64(i & 1) })},
	{"2 side by side, random", keysBy(func(i int) int64 { return farApart(i) & 1 })},
	{"equal, one outlier", outliers(1)},
	{"equal, 10 outliers", outliers(10)},
	{"equal, 1000 outliers", outliers(1000)},
	{"equal, largest first", risingBut(func(k []int64, _ *rand.Rand) { clear(k[1:]); k[0] = 1 << 62 })},
	{"equal, smallest last", risingBut(func(k []int64, _ *rand.Rand) { clear(k); k[len(k)-1] = -1 << 62 })},
	{"equal, a tenth random", risingBut(func(k []int64, r *rand.Rand) {
		for i := range k {
			if k[i] = 0; r.IntN(10) == 0 {
				k[i] = r.Int64()
			}
		}
	})},
	{"uniform", risingBut(func(k []int64, r *rand.Rand) { runs(len(k))(k, r) })},
}

func appendSome(k []int64, r *rand.Rand) {
	tail := k[len(k)-len(k)/100:]
	strays(len(tail))(tail, r)
	for i := range tail {
		tail[i] = r.Int64N(int64(len(k)) << 20)
	}
}

func keysByPlace(key func(i, n int) int64) func(n int) []int64 {
	return func(n int) []int64 { return keysBy(func(i int) int64 { return key(i, n) })(n) }
}

// shapeVerb is a way to sort keys, beside the standard library's.
type shapeVerb struct {
	name  string
	bench func(b *testing.B, keys []int64)
}

// row24 is an element of 24 bytes.
type row24 struct {
	key int64
	at  uint64
	_   uint64
}

func rows24(keys []int64) []row24 {
	s := make([]row24, len(keys))
	for i, k := range keys {
		s[i] = row24{key: k, at: uint64(i)}
	}
	return s
}

var shapeVerbs = []shapeVerb{
	{"SortKeys", func(b *testing.B, keys []int64) {
		besideStd(b, keys, func(s []int64, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }, slices.Sort)
	}},
	{"SortKeys float64", func(b *testing.B, keys []int64) {
		besideStd(b, mapped(keys, floatOf), func(s []float64, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }, slices.Sort)
	}},
	{"SortKeys uint32", func(b *testing.B, keys []int64) {
		besideStd(b, mapped(keys, func(k int64) uint32 { return uint32(k >> 20) }), func(s []uint32, opts ...sorter.Option) error { return sorter.SortKeys(s, opts...) }, slices.Sort)
	}},
	{"SortKeys float64 stable", func(b *testing.B, keys []int64) {
		besideStd(b, mapped(keys, floatOf), func(s []float64, opts ...sorter.Option) error {
			return sorter.SortKeys(s, append(opts, sorter.Stable())...)
		}, func(s []float64) { slices.SortStableFunc(s, cmp.Compare) })
	}},
	{"Sort", func(b *testing.B, keys []int64) {
		besideStd(b, rows24(keys), func(s []row24, opts ...sorter.Option) error {
			return sorter.Sort(s, func(r row24) int64 { return r.key }, opts...)
		}, func(s []row24) { slices.SortFunc(s, func(x, y row24) int { return cmp.Compare(x.key, y.key) }) })
	}},
	{"OrderKeys", func(b *testing.B, keys []int64) {
		p := make([]uint32, len(keys))
		besideStd(b, keys, func(s []int64, opts ...sorter.Option) error {
			_, err := sorter.OrderKeys(s, append(opts, sorter.Into(p))...)
			return err
		}, func(s []int64) {
			for i := range p {
				p[i] = uint32(i)
			}
			slices.SortFunc(p, func(x, y uint32) int { return cmp.Compare(s[x], s[y]) })
		})
	}},
	{"Ordering", func(b *testing.B, keys []int64) {
		by := sorter.By(sorter.Asc(func(r row24) int64 { return r.key }), sorter.Asc(func(r row24) uint64 { return r.at }))
		besideStd(b, rows24(keys), func(s []row24, opts ...sorter.Option) error { return by.Sort(s, opts...) },
			func(s []row24) {
				slices.SortFunc(s, func(x, y row24) int {
					if c := cmp.Compare(x.key, y.key); c != 0 {
						return c
					}
					return cmp.Compare(x.at, y.at)
				})
			})
	}},
	{"Ordering, coarse", func(b *testing.B, keys []int64) {
		by := sorter.By(sorter.Asc(func(r row24) int64 { return r.key >> 24 }), sorter.Asc(func(r row24) int64 { return r.key }))
		besideStd(b, rows24(keys), func(s []row24, opts ...sorter.Option) error { return by.Sort(s, opts...) },
			func(s []row24) {
				slices.SortFunc(s, func(x, y row24) int {
					if c := cmp.Compare(x.key>>24, y.key>>24); c != 0 {
						return c
					}
					return cmp.Compare(x.key, y.key)
				})
			})
	}},
}

// floatOf keeps the order of keys, and makes zeros of both signs of 0 and 1.
func floatOf(k int64) float64 {
	switch k {
	case 0:
		return math.Copysign(0, -1)
	case 1:
		return 0
	}
	return float64(k)
}

// besideStd times a sort and the standard library's on the same list.
func besideStd[E any](b *testing.B, in []E, sort func(s []E, opts ...sorter.Option) error, std func(s []E)) {
	s := slices.Clone(in)
	timed := func(f func()) float64 {
		copy(s, in)
		start := time.Now()
		f()
		return float64(time.Since(start).Nanoseconds()) / float64(len(s))
	}
	median := func(all []float64) float64 {
		slices.Sort(all)
		return all[len(all)/2]
	}
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			var ours, theirs []float64
			for b.Loop() {
				ours = append(ours, timed(func() {
					if err := sort(s, sorter.Workers(workers)); err != nil {
						b.Fatal(err)
					}
				}))
				theirs = append(theirs, timed(func() { std(s) }))
			}
			mine, other := median(ours), median(theirs)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(mine, "ns/element")
			b.ReportMetric(other, "std-ns/element")
			b.ReportMetric(other/mine, "std/sorter")
		})
	}
}
