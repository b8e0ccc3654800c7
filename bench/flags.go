package main

import (
	"flag"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/sorter/internal/dist"
)

// settings are the flags.
type settings struct {
	sizes     []int
	dists     *regexp.Regexp
	cases     *regexp.Regexp
	rules     rules
	workers   int
	out, name string
	everyDist bool
}

// usualDists are measured unless -dists says otherwise.
var usualDists = []string{"uniform", "sorted", "reversed", "nearly sorted", "16 values", "zipf", "equal"}

func parse(args []string) (settings, error) {
	var s settings
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	sizes := f.String("n", "10,100,1e3,1e4,1e5,1e6,1e7", "sizes; below 10^3 and above 10^7 only the uniform distribution unless -dists is given")
	big := f.Bool("big", false, "add n = 5·10^7, which takes about 20 GiB of memory")
	dists := f.String("dists", "", "regexp of distributions to measure (default the usual seven)")
	only := f.String("cases", "", "regexp of cases to measure (default all)")
	f.IntVar(&s.rules.Reps, "reps", 5, "repetitions, of which the median is taken")
	f.DurationVar(&s.rules.Slow, "slow", 500*time.Millisecond, "a contender slower than this gets 3 repetitions, warm-up included")
	f.DurationVar(&s.rules.Limit, "limit", 1500*time.Nanosecond, "a peer predicted to take longer than this per element is left out")
	f.BoolVar(&s.rules.All, "all", false, "measure everyone everywhere; by default those who lost clearly at 10^6 sit out larger sizes, except on the first distribution")
	f.DurationVar(&s.rules.Batch, "batch", 5*time.Millisecond, "small sorts are repeated to fill this time")
	f.IntVar(&s.workers, "workers", runtime.GOMAXPROCS(0), "processors to use, for every contender")
	f.StringVar(&s.out, "out", "results", "folder to make the results' folder in")
	f.StringVar(&s.name, "name", "", "name of the results' folder (default after the machine)")
	_ = f.Parse(args) // exits on errors
	if *big {
		*sizes += ",5e7"
	}
	s.everyDist = *dists != ""
	if s.workers < 1 || s.rules.Reps < 1 {
		return s, fmt.Errorf("-workers and -reps must be at least 1")
	}
	var err error
	if s.sizes, err = parseSizes(*sizes); err != nil {
		return s, err
	}
	if s.dists, err = regexp.Compile(*dists); err != nil {
		return s, err
	}
	s.cases, err = regexp.Compile(*only)
	return s, err
}

// parseSizes reads a list such as 10,1e3,5e7.
func parseSizes(list string) ([]int, error) {
	var sizes []int
	for _, text := range strings.Split(list, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || v < 1 || v > 1<<31 || v != float64(int(v)) {
			return nil, fmt.Errorf("-n: %q is not a size", text)
		}
		sizes = append(sizes, int(v))
	}
	slices.Sort(sizes)
	return slices.Compact(sizes), nil
}

// chosen returns the distributions to measure.
func (s settings) chosen() []dist.Dist {
	return slices.DeleteFunc(slices.Clone(dist.All), func(d dist.Dist) bool {
		if s.everyDist {
			return !s.dists.MatchString(d.Name)
		}
		return !slices.Contains(usualDists, d.Name)
	})
}
