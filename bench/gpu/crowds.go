//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"log"
	"slices"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/engine"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/settings"
	"example.com/sorter/perm"
)

// crowded is keys that lie close to an end of their range, and their order by the CPU
// engine in one direction.
type crowded[K uint32 | uint64] struct {
	name         string
	keys, sorted []K
	order        perm.Perm
	opts         []sorter.Option
}

// checkCrowds compares orders and sorts of keys alone, of codes that lie close to 0 or
// to the highest, by all algorithms and by all ways of sorter.BucketBitonic to spread
// elements, in both directions.
func checkCrowds(c *checker, most int) error {
	ways := []*gpu.Engine{c.engine}
	for way := bucket.Linear; way <= bucket.Quantiles; way++ {
		e, err := gpu.Open(gpu.Verify(), settings.Spread(way))
		if err != nil {
			return err
		}
		ways = append(ways, e)
	}
	r := dist.Rand(1)
	for _, n := range []int{2, 3, 5, 33, 300, 1000, 1023, 1024, 4096, 8193, 70_000, 1_100_000, 6_000_000} {
		for end := range dist.CrowdEnds {
			for kind := range dist.CrowdKinds {
				if n > most || n > 1<<20 && r.IntN(3) > 0 {
					continue
				}
				crowd := dist.Crowd{End: end, Kind: kind, Width: 1 + r.IntN(64), Extremes: r.IntN(3) == 0}
				checkCrowd(c, ways, crowd.String(), crowd.Draw(n, 64, r), false)
				crowd.Width = 1 + crowd.Width%32
				short := make([]uint32, n)
				for i, v := range crowd.Draw(n, 32, r) {
					short[i] = uint32(v)
				}
				checkCrowd(c, ways, crowd.String(), short, false)
			}
		}
	}
	if n := 1 << 26; n <= most { // from where on the planner goes by quantiles, too
		crowd := dist.Crowd{Kind: dist.PowersOfTwo, Width: 41}
		checkCrowd(c, ways[:1], crowd.String(), crowd.Draw(n, 64, r), true)
	}
	var failed []error
	for _, e := range ways[1:] {
		failed = append(failed, e.Close())
	}
	return errors.Join(failed...)
}

// checkCrowd sorts keys in both directions by all algorithms, or by the planner's choice
// only.
func checkCrowd[K uint32 | uint64](c *checker, ways []*gpu.Engine, name string, keys []K, auto bool) {
	if c.turn++; c.turn%c.every != 0 {
		return
	}
	for _, desc := range []bool{false, true} {
		l := crowded[K]{name: fmt.Sprintf("%s, descending %v", name, desc), keys: keys, sorted: slices.Clone(keys), opts: []sorter.Option{sorter.Stable()}}
		if desc {
			l.opts = append(l.opts, sorter.Descending())
		}
		onCPU := append(slices.Clone(l.opts), sorter.On(sorter.CPU()))
		var err error
		l.order, err = sorter.OrderKeys(keys, onCPU...)
		if err = errors.Join(err, sorter.SortKeys(l.sorted, onCPU...)); err != nil {
			log.Fatal(err)
		}
		for a := sorter.Auto; a < engine.Algorithms; a++ {
			if c.engine.Runs(a) && (a == sorter.Auto || !auto) {
				l.check(c, ways[0], a, bucket.BySample)
			}
		}
		for i, e := range ways[1:] {
			l.check(c, e, sorter.BucketBitonic, bucket.Linear+bucket.Spreading(i))
		}
	}
}

func (l *crowded[K]) check(c *checker, e *gpu.Engine, a sorter.Algorithm, way bucket.Spreading) {
	opts := append(slices.Clone(l.opts), sorter.On(e), sorter.Use(a))
	order, err := sorter.OrderKeys(l.keys, opts...)
	c.note(compared(order, l.order, err), "%v, %v, order of %T, %s, n = %d", a, way, l.keys, l.name, len(l.keys))
	got := slices.Clone(l.keys)
	err = sorter.SortKeys(got, opts...)
	c.note(compared(got, l.sorted, err), "%v, %v, keys, %T, %s, n = %d", a, way, l.keys, l.name, len(l.keys))
}
