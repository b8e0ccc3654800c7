//go:build linux && (amd64 || arm64)

package main

import (
	"errors"
	"fmt"
	"log"
	"math"
	"slices"
	"strings"
	"time"

	"example.com/sorter"
	"example.com/sorter/gpu"
	"example.com/sorter/internal/dist"
	"example.com/sorter/internal/gpu/bucket"
	"example.com/sorter/internal/gpu/settings"
)

// way is a contender of -parts: an algorithm, and how its parts are done.
type way struct {
	name string
	by   sorter.Algorithm
	opts []gpu.Option
}

var ways = []way{
	{"Auto", sorter.Auto, nil},
	{"Radix", sorter.Radix, nil},
	{"BucketBitonic", sorter.BucketBitonic, nil},
	{"linear", sorter.BucketBitonic, []gpu.Option{settings.Spread(bucket.Linear)}},
	{"sections", sorter.BucketBitonic, []gpu.Option{settings.Spread(bucket.Sections)}},
	{"octaves", sorter.BucketBitonic, []gpu.Option{settings.Spread(bucket.Octaves)}},
	{"quantiles", sorter.BucketBitonic, []gpu.Option{settings.Spread(bucket.Quantiles)}},
	{"fill 512", sorter.BucketBitonic, []gpu.Option{settings.Fill(512)}},
	{"fill 704", sorter.BucketBitonic, []gpu.Option{settings.Fill(704)}},
	{"fill 832", sorter.BucketBitonic, []gpu.Option{settings.Fill(832)}},
	{"fill 960", sorter.BucketBitonic, []gpu.Option{settings.Fill(960)}},
	{"adjacent", sorter.BucketBitonic, []gpu.Option{settings.NearlySorted(0)}},
	{"no look", sorter.BucketBitonic, []gpu.Option{settings.Presorted(false)}},
	{"strided", sorter.BucketBitonic, []gpu.Option{settings.NearlySorted(math.Inf(1))}},
	{"degree 10", sorter.BucketBitonic, []gpu.Option{settings.NearlySorted(10)}},
}

// besideParts times the bucket sort in several ways beside CUB, all in turns.
func besideParts(names string) error {
	chosen := chosenWays(names)
	b, err := newBench()
	if err != nil {
		return err
	}
	fmt.Printf("%s, driver %d; ms, medians of %d, all in turns; spread is the largest of (most - least) / median\n", b.info.Name, b.info.Driver, *reps)
	fmt.Print("† one way left the codes too uneven, another finished\n\n| codes | n | distribution | CUB |")
	for _, w := range chosen {
		fmt.Printf(" %s |", w.name)
	}
	fmt.Printf(" spread |\n|%s\n", strings.Repeat("---|", len(chosen)+5))
	failed := false
	for _, bits := range ints(*widths) {
		for _, lg := range ints(*sizes) {
			if err := b.partsTable(chosen, bits, lg); err != nil {
				fmt.Printf("| u%d | 2^%d | | %v |\n", bits, lg, err)
				failed = true
			}
		}
	}
	if failed {
		return errors.New("some cases failed")
	}
	return nil
}

// chosenWays are those of the names.
func chosenWays(names string) (chosen []way) {
	if names == "all" {
		return ways
	}
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(ways, func(w way) bool { return w.name == name })
		if i < 0 {
			log.Fatalf("no way %q", name)
		}
		chosen = append(chosen, ways[i])
	}
	return chosen
}

// contender is a way with its engine.
type contender struct {
	way
	*gpu.Engine
	attempts *bucket.Attempts
	times    []float64
	failed   int64 // attempts of the engine
}

func (c *contender) failures() (sum int64) {
	for _, way := range []bucket.Spreading{bucket.Linear, bucket.Sections, bucket.Octaves, bucket.Quantiles} {
		_, failed := c.attempts.Of(way)
		sum += failed
	}
	return sum
}

// partsTable has the rows of one size. Engines keep their memory: those of another
// size begin without.
func (b *bench) partsTable(chosen []way, bits, lg int) (err error) {
	contenders := make([]contender, len(chosen))
	defer func() {
		for _, c := range contenders {
			if c.Engine != nil {
				err = errors.Join(err, c.Close())
			}
		}
	}()
	for i, w := range chosen {
		contenders[i].way, contenders[i].attempts = w, new(bucket.Attempts)
		opts := append(slices.Clone(w.opts), settings.Count(contenders[i].attempts))
		if contenders[i].Engine, err = gpu.Open(opts...); err != nil {
			return err
		}
	}
	for _, d := range distributions(append(slices.Clone(dist.Shapes), dist.Strided), bits) {
		if err := b.partsRow(contenders, bits, lg, d); err != nil {
			return fmt.Errorf("%s: %w", d.Name, err)
		}
	}
	return nil
}

func (b *bench) partsRow(contenders []contender, bits, lg int, d dist.Codes) error {
	n := 1 << lg
	if err := b.fill(bits, n, d); err != nil {
		return err
	}
	theirs, err := b.timeCUB(bits/8, n)
	if err != nil {
		return err
	}
	if err := b.timeInTurns(contenders, bits, n); err != nil {
		return err
	}
	fmt.Printf("| u%d | 2^%d | %s | %.3f |", bits, lg, d.Name, median(theirs))
	widest := 0.0
	for i := range contenders {
		c := &contenders[i]
		mark := ""
		if failed := c.failures(); failed > c.failed {
			mark, c.failed = " †", failed
		}
		fmt.Printf(" %.3f%s |", median(c.times), mark)
		widest = max(widest, (slices.Max(c.times)-slices.Min(c.times))/median(c.times))
	}
	fmt.Printf(" %.0f %% |\n", 100*widest)
	return nil
}

// check checks an order of the way. It gives the memory for that back: that of
// two engines for each way is more than there is.
func (b *bench) check(w way, bits, n int) error {
	b.Memset32(b.order, 0xdbdbdbdb, n, b.stream)
	b.SyncStream(b.stream)
	e, err := gpu.Open(append(slices.Clone(w.opts), gpu.Verify())...)
	if err != nil {
		return err
	}
	return errors.Join(e.OrderDevice(w.by, b.codes, bits, n, b.order), e.Close())
}

// timeInTurns checks an order of each contender and times others like it.
func (b *bench) timeInTurns(contenders []contender, bits, n int) error {
	for i := range contenders {
		c := &contenders[i]
		c.times = c.times[:0]
		if err := b.check(c.way, bits, n); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	for rep := range *reps + 2 {
		for i := range contenders {
			c := &contenders[i]
			start := time.Now()
			if err := c.OrderDevice(c.by, b.codes, bits, n, b.order); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if rep >= 2 {
				c.times = append(c.times, time.Since(start).Seconds()*1e3)
			}
		}
	}
	return nil
}
