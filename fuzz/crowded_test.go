package fuzz

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"example.com/sorter"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
)

// spreading is engines that have other ways to spread elements over buckets than
// backend; builds may have some.
var spreading []sorter.Backend

// contenders are the options of each algorithm of the engine under test, and of each
// other way of sorter.BucketBitonic.
func contenders() (all [][]sorter.Option) {
	for a := sorter.Auto; a < engine.Algorithms; a++ {
		if backend.Runs(a) {
			all = append(all, []sorter.Option{sorter.On(backend), sorter.Use(a), sorter.Stable()})
		}
	}
	for _, e := range spreading {
		all = append(all, []sorter.Option{sorter.On(e), sorter.Use(sorter.BucketBitonic), sorter.Stable()})
	}
	return all
}

// FuzzCrowded holds orders, and sorts of keys alone, by every algorithm and every way
// of it to the standard library, on keys that lie close to the ends of their range: at
// 0, or at the highest code of 32 or 64 bits, which no code follows.
func FuzzCrowded(f *testing.F) {
	all := contenders()
	for by := range byte(len(all)) {
		f.Add(byte(7), byte(6), by, byte(200), uint64(0)) // powers of two at the highest code
		for i := range byte(3) {
			f.Add((3*by+i)%12, 19*by+5*i, by, 40+(by*7+i*50)%130, uint64(i))
		}
	}
	f.Fuzz(func(t *testing.T, crowd, width, by, size byte, seed uint64) {
		defer withoutWays(crowd, width, by, size, byte(seed))()
		opts := all[int(by)%len(all)]
		c := dist.Crowd{
			End:      dist.CrowdEnd(crowd) % dist.CrowdEnds,
			Kind:     dist.CrowdKind(crowd) / 3 % dist.CrowdKinds,
			Width:    1 + int(width)%64,
			Extremes: crowd >= 128,
		}
		n, desc := elements(size), seed&1 == 1
		values := c.Draw(n, 64, dist.Rand(seed))
		checkCrowded(t, c, values, desc, opts)
		signed := make([]int64, n)
		for i, v := range values {
			signed[i] = int64(v ^ 1<<63)
		}
		checkCrowded(t, c, signed, desc, opts)
		c.Width = 1 + c.Width%32
		short := make([]uint32, n)
		for i, v := range c.Draw(n, 32, dist.Rand(seed)) {
			short[i] = uint32(v)
		}
		checkCrowded(t, c, short, desc, opts)
	})
}

// checkCrowded orders keys in one direction and sorts them alone in the other.
func checkCrowded[K uint32 | int64 | uint64](t *testing.T, c dist.Crowd, keys []K, desc bool, opts []sorter.Option) {
	t.Helper()
	up, down := cmp.Compare[K], func(a, b K) int { return cmp.Compare(b, a) }
	back := append(slices.Clone(opts), sorter.Descending())
	if desc {
		up, down, opts, back = down, up, back, opts
	}
	name := fmt.Sprintf("%d %T, %v, descending %v", len(keys), keys, c, desc)
	p, err := sorter.OrderKeys(keys, opts...)
	check(t, name+": OrderKeys", err, ints(p), sorted(len(keys), func(a, b int) int { return up(keys[a], keys[b]) }))
	alone := slices.Clone(keys)
	err = sorter.SortKeys(alone, back...)
	check(t, name+" of the order: SortKeys the other way", err, alone, slices.SortedFunc(slices.Values(keys), down))
}
