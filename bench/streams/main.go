// Command streams merges sorted streams: the library on one worker and on two, the loser tree of bboreham/go-loser, one
// written by hand for one type, and container/heap. All read the same batches, and write batches. They take
// turns. It prints the least and the median nanoseconds per element, of the clock and of all processors
// together, and ratios to the fastest of the others.
//
//	cd bench && go run ./streams
//	cd bench && go run ./streams -k 3,100 -n 1000000
package main

import (
	"flag"
	"fmt"
	"iter"
	"log"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/sorter"
	"example.com/sorter/bench/internal/table"
	"example.com/sorter/extsort"
	"example.com/sorter/internal/testkit"
)

type record struct{ Key, A, B uint64 }

func main() {
	ks := flag.String("k", "3,16,100,1000,10000", "numbers of sources")
	n := flag.Int("n", 2_000_000, "elements of all sources")
	batch := flag.Int("batch", 1000, "elements of a batch at most")
	reps := flag.Int("reps", 5, "repetitions")
	only := flag.String("only", "", "part of the name of the elements; all by default")
	flag.StringVar(&who, "who", "", "part of the names of the contenders; all by default")
	flag.Parse()
	table.Row(os.Stdout, "elements", "sources", "who", "ns, least", "ns, median", "processors, least", "ratio", "processors' ratio")
	table.Row(os.Stdout, "---", "--:", "---", "--:", "--:", "--:", "--:", "--:")
	for _, text := range strings.Split(*ks, ",") {
		k, err := strconv.Atoi(text)
		if err != nil {
			log.Fatal(err)
		}
		if strings.Contains("24-byte structs", *only) {
			measureRecords(k, *n, *batch, *reps)
		}
		if strings.Contains("100-byte strings", *only) {
			measureStrings(k, *n/4, *batch, *reps)
		}
	}
}

// who is a part of the names of the contenders.
var who string

func measureRecords(k, n, batch, reps int) {
	records := newInput(k, n, batch, func(r *rand.Rand) record { return record{Key: r.Uint64(), A: 1} },
		func(a, b record) bool { return a.Key < b.Key })
	records.measure("24-byte structs", reps, []contender[record]{
		{"own loser tree", 1, mergeRecords},
		{"bboreham/go-loser", 1, func(in [][][]record, use func([]record)) { goLoserRecords(in, use) }},
		{"container/heap", 1, func(in [][][]record, use func([]record)) { mergeByHeap(in, records.less, use) }},
		ours(1, sorter.By(sorter.Asc(func(e record) uint64 { return e.Key }))),
		ours(2, sorter.By(sorter.Asc(func(e record) uint64 { return e.Key }))),
	})
}

func measureStrings(k, n, batch, reps int) {
	strs := newInput(k, n, batch, func(r *rand.Rand) string { return fmt.Sprintf("%020d%080d", r.Uint64(), 0) },
		func(a, b string) bool { return a < b })
	strs.measure("100-byte strings", reps, []contender[string]{
		{"own loser tree", 1, mergeStrings},
		{"bboreham/go-loser", 1, func(in [][][]string, use func([]string)) { goLoserStrings(in, use) }},
		{"container/heap", 1, func(in [][][]string, use func([]string)) { mergeByHeap(in, strs.less, use) }},
		ours(1, sorter.By(sorter.Asc(func(s string) string { return s }))),
		ours(2, sorter.By(sorter.Asc(func(s string) string { return s }))),
	})
}

// contender merges batches by source, and passes batches of the result to use.
type contender[E any] struct {
	name  string
	procs int
	merge func(in [][][]E, use func([]E))
}

// ours merges by the library, with as many processors as workers.
func ours[E any](workers int, o sorter.Ordering[E]) contender[E] {
	return contender[E]{fmt.Sprintf("sorter, %d workers", workers), workers, func(in [][][]E, use func([]E)) {
		sources := make([]iter.Seq2[[]E, error], len(in))
		for i, batches := range in {
			sources[i] = func(yield func([]E, error) bool) {
				for _, b := range batches {
					if !yield(b, nil) {
						return
					}
				}
			}
		}
		for b, err := range extsort.Merge(o, sources, extsort.Workers(workers)) {
			if err != nil {
				log.Fatal(err)
			}
			use(b)
		}
	}}
}

type input[E any] struct {
	n       int
	batches [][][]E
	less    func(a, b E) bool
}

// newInput returns n elements in k sources of about equal length.
func newInput[E any](k, n, batch int, draw func(r *rand.Rand) E, less func(a, b E) bool) *input[E] {
	in := &input[E]{n, make([][][]E, k), less}
	r := rand.New(rand.NewPCG(1, uint64(k)))
	for i := range in.batches {
		all := make([]E, n*(i+1)/k-n*i/k)
		for j := range all {
			all[j] = draw(r)
		}
		slices.SortFunc(all, func(a, b E) int {
			if less(a, b) {
				return -1
			}
			return 1
		})
		in.batches[i] = slices.Collect(slices.Chunk(all, batch))
	}
	return in
}

// measure lets contenders take turns, and prints a row for each.
func (in *input[E]) measure(elements string, reps int, all []contender[E]) {
	all = slices.DeleteFunc(all, func(c contender[E]) bool { return !strings.Contains(c.name, who) })
	clock, processors := make([][]float64, len(all)), make([][]float64, len(all))
	for range reps {
		for i, c := range all {
			runtime.GOMAXPROCS(c.procs)
			runtime.GC()
			count, last, sorted := 0, *new(E), true
			start, used := time.Now(), testkit.CPUTime()
			c.merge(in.batches, func(b []E) {
				sorted = sorted && (count == 0 || !in.less(b[0], last))
				count, last = count+len(b), b[len(b)-1]
			})
			clock[i] = append(clock[i], float64(time.Since(start))/float64(in.n))
			processors[i] = append(processors[i], float64(testkit.CPUTime()-used)/float64(in.n))
			if count != in.n || !sorted {
				log.Fatalf("%s: %d elements of %d, in order %v", c.name, count, in.n, sorted)
			}
		}
	}
	other, otherUsed := 1e99, 1e99
	for i, c := range all {
		if !strings.HasPrefix(c.name, "sorter") {
			other, otherUsed = min(other, slices.Min(clock[i])), min(otherUsed, slices.Min(processors[i]))
		}
	}
	for i, c := range all {
		slices.Sort(clock[i])
		least := clock[i][0]
		table.Row(os.Stdout, elements, fmt.Sprint(len(in.batches)), c.name, fmt.Sprintf("%.1f", least),
			fmt.Sprintf("%.1f", clock[i][reps/2]), fmt.Sprintf("%.1f", slices.Min(processors[i])),
			fmt.Sprintf("%.2f", other/least), fmt.Sprintf("%.2f", otherUsed/slices.Min(processors[i])))
	}
}
