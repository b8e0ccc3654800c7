package extsort_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.com/sorter"
	"example.com/sorter/extsort"
)

type trade struct {
	Time  int64
	Price float32
	Size  uint32
}

func ExampleSort() {
	trades := slices.Values([]trade{{3, 10.5, 1}, {1, 9.75, 2}, {2, 10.5, 3}})
	for t, err := range extsort.Sort(trades, func(t trade) float32 { return t.Price }, extsort.MemoryLimit(64<<20)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Price, t.Size)
	}
	// Output:
	// 9.75 2
	// 10.5 1
	// 10.5 3
}

func ExampleSorter() {
	byPrice := sorter.By(
		sorter.Desc(func(t trade) float32 { return t.Price }),
		sorter.Asc(func(t trade) int64 { return t.Time }),
	)
	s, err := extsort.New(byPrice, extsort.MemoryLimit(64<<20), extsort.Limit(2))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for i := range 10 {
		if err := s.Append(trade{Time: int64(i), Price: float32(i * 7 % 10)}); err != nil {
			log.Fatal(err)
		}
	}
	for t, err := range s.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Price, t.Time)
	}
	// Output:
	// 9 7
	// 8 4
}

// Newer tables come later: of elements with the same time, the last is kept.
func ExampleMerge() {
	tables := [][]trade{
		{{Time: 1, Price: 10}, {Time: 3, Price: 30}, {Time: 4, Price: 40}},
		{{Time: 2, Price: 20}, {Time: 3, Price: 31}},
	}
	var sources []iter.Seq2[[]trade, error]
	for _, table := range tables {
		sources = append(sources, func(yield func([]trade, error) bool) {
			for batch := range slices.Chunk(table, 2) {
				if !yield(batch, nil) {
					return
				}
			}
		})
	}
	byTime := sorter.By(sorter.Asc(func(t trade) int64 { return t.Time }))
	for batch, err := range extsort.Merge(byTime, sources, extsort.UniqueLast()) {
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range batch {
			fmt.Println(t.Time, t.Price)
		}
	}
	// Output:
	// 1 10
	// 2 20
	// 3 31
	// 4 40
}

// Trades come in order of time. Those of one time are to be in order of price.
func ExampleIncremental() {
	feed := func(yield func(trade, error) bool) {
		for _, t := range []trade{{Time: 1, Price: 12}, {Time: 1, Price: 10}, {Time: 2, Price: 7}, {Time: 2, Price: 9}, {Time: 2, Price: 8}} {
			if !yield(t, nil) {
				return
			}
		}
	}
	byTime := sorter.By(sorter.Asc(func(t trade) int64 { return t.Time }))
	byPrice := sorter.By(sorter.Asc(func(t trade) float32 { return t.Price }))
	for batch, err := range extsort.Incremental(byTime, byPrice, extsort.Elements(feed)) {
		if err != nil {
			log.Fatal(err)
		}
		for _, t := range batch {
			fmt.Println(t.Time, t.Price)
		}
	}
	// Output:
	// 1 10
	// 1 12
	// 2 7
	// 2 8
	// 2 9
}

func ExampleNewCoded() {
	words := sorter.By(
		sorter.Asc(func(s string) int { return len(s) }),
		sorter.Asc(func(s string) string { return s }),
	)
	s, err := extsort.NewCoded(words, extsort.Strings(), extsort.MemoryLimit(64<<20), extsort.Unique())
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Append("pear", "fig", "apple", "date", "fig"); err != nil {
		log.Fatal(err)
	}
	for word, err := range s.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(word)
	}
	// Output:
	// fig
	// date
	// pear
	// apple
}

func ExampleObserve() {
	extsort.Observe(func(st *extsort.Stats) { fmt.Println(st.Elements, "elements,", st.Runs, "runs") })
	defer extsort.Observe(nil)
	for t, err := range extsort.Sort(slices.Values([]trade{{Time: 2}, {Time: 1}}), func(t trade) int64 { return t.Time }) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Time)
	}
	// Output:
	// 1
	// 2
	// 2 elements, 0 runs
}

func ExampleNewStruct() {
	type part struct {
		Name string
		Qty  int
		At   time.Time
	}
	s, err := extsort.NewStruct(sorter.By(sorter.Asc(func(p part) string { return p.Name })), extsort.MemoryLimit(64<<20))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Append(part{"screw", 12, time.Unix(3, 0)}, part{"nut", 7, time.Unix(2, 0)}, part{"bolt", 2, time.Unix(1, 0)}); err != nil {
		log.Fatal(err)
	}
	for p, err := range s.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Name, p.Qty, p.At.Unix())
	}
	// Output:
	// bolt 2 1
	// nut 7 2
	// screw 12 3
}

func ExampleStruct() {
	type node struct {
		Name  string
		Left  *string
		Edges []string
	}
	_, err := extsort.Struct[node]()
	fmt.Println(err)
	// Output: extsort: field Edges of extsort_test.node, of type []string, has no codec: it is a slice; write a Codec for NewCoded
}

func ExampleBinary() {
	byAddr := sorter.By(sorter.Asc(func(a netip.Addr) [16]byte { return a.As16() }))
	s, err := extsort.NewCoded(byAddr, extsort.Binary[netip.Addr](), extsort.MemoryLimit(64<<20))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.Append(netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("192.0.2.1")); err != nil {
		log.Fatal(err)
	}
	for addr, err := range s.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(addr)
	}
	// Output:
	// 192.0.2.1
	// 192.0.2.7
	// 2001:db8::1
}

func ExampleSorter_Appender() {
	s, err := extsort.New(sorter.By(sorter.Asc(func(t trade) float32 { return t.Price })), extsort.MemoryLimit(64<<20))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	var all sync.WaitGroup
	for exchange := range 3 {
		a := s.Appender() // in this order, which is that of ties
		all.Go(func() {
			for i := range 2 {
				if err := a.Append(trade{Time: int64(i), Price: float32(i), Size: uint32(exchange)}); err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	all.Wait()
	for t, err := range s.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Price, t.Size)
	}
	// Output:
	// 0 0
	// 0 1
	// 0 2
	// 1 0
	// 1 1
	// 1 2
}

// records yields the integers 0 … n-1, scattered.
func records(n int) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for i := range n {
			if !yield(uint64(i) * 7919 % uint64(n)) {
				return
			}
		}
	}
}

var byValue = sorter.By(sorter.Asc(func(v uint64) uint64 { return v }))

// The options of a sort that goes to disk, and its statistics.
func ExampleReport() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	var st extsort.Stats
	var last extsort.Progress
	s, err := extsort.New(byValue,
		extsort.MemoryLimit(1<<20),
		extsort.TempDir(os.TempDir()),
		extsort.DiskLimit(1<<30),
		extsort.Compress(extsort.S2),
		extsort.Workers(2),
		extsort.On(sorter.CPU()),
		extsort.WithContext(ctx),
		extsort.OnProgress(func(p extsort.Progress) { last = p }),
		extsort.Report(&st),
	)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.AppendSeq(records(300_000)); err != nil {
		log.Fatal(err)
	}
	sum := uint64(0)
	for batch, err := range s.Batches() { // no copies: a batch is valid until the next
		if err != nil {
			log.Fatal(err)
		}
		for _, v := range batch {
			sum += v
		}
	}
	fmt.Println(sum, s.Len(), st.Runs > 1, st.Ratio() > 1)
	fmt.Println(last.Stage, last.Done, last.Total)
	// Output:
	// 44999850000 300000 true true
	// merge 300000 300000
}

// Four goroutines read a quarter of the result each.
func ExampleSorter_Parts() {
	s, err := extsort.New(byValue, extsort.MemoryLimit(64<<20))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.AppendSeq(records(100_000)); err != nil {
		log.Fatal(err)
	}
	parts, err := s.Parts(4)
	if err != nil {
		log.Fatal(err)
	}
	var all sync.WaitGroup
	var misplaced atomic.Int64
	for _, part := range parts {
		all.Go(func() {
			place := part.Start()
			for v, err := range part.All() { // or part.Batches()
				if err != nil {
					log.Fatal(err)
				}
				if int64(v) != place {
					misplaced.Add(1)
				}
				place++
			}
		})
	}
	all.Wait()
	last := parts[3]
	fmt.Println(misplaced.Load(), last.Start()+last.Len())
	// Output: 0 100000
}

// Each part becomes a file of its own, written batch by batch.
func ExamplePart_Batches() {
	s, err := extsort.New(byValue, extsort.MemoryLimit(64<<20))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	if err := s.AppendSeq(records(10)); err != nil {
		log.Fatal(err)
	}
	parts, err := s.Parts(1)
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range parts {
		for batch, err := range part.Batches() {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(batch)
		}
	}
	// Output: [0 1 2 3 4 5 6 7 8 9]
}

// Kept runs survive the process: its successor goes on where elements are durable.
func ExampleResume() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	first, err := extsort.New(byValue, extsort.Keep(dir))
	if err != nil {
		log.Fatal(err)
	}
	if err := first.Append(30, 10); err != nil {
		log.Fatal(err)
	}
	if err := first.Sync(); err != nil { // from here on they are durable
		log.Fatal(err)
	}
	fmt.Println(first.Durable())
	if err := first.Close(); err != nil { // or the end of the process
		log.Fatal(err)
	}

	s, err := extsort.Resume(dir, byValue)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	fmt.Println(s.Len()) // the input goes on after these
	if err := s.Append(20); err != nil {
		log.Fatal(err)
	}
	for v, err := range s.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(v)
	}
	// Output:
	// [2]
	// 2
	// 10
	// 20
	// 30
}

// Kept runs of elements that a codec encodes, which are not wanted any more.
func ExampleResumeCoded() {
	dir, err := os.MkdirTemp("", "runs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	byBytes := sorter.By(sorter.Asc(func(b []byte) []byte { return b }))
	first, err := extsort.NewCoded(byBytes, extsort.Bytes(), extsort.Keep(dir))
	if err != nil {
		log.Fatal(err)
	}
	if err := first.Append([]byte("pear"), []byte("fig")); err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(first.Sync(), first.Close()); err != nil {
		log.Fatal(err)
	}

	s, err := extsort.ResumeCoded(dir, byBytes, extsort.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Len(), s.Discard())
	_, err = extsort.ResumeCoded(dir, byBytes, extsort.Bytes())
	fmt.Println(errors.Is(err, fs.ErrNotExist))
	// Output:
	// 2 <nil>
	// true
}

// A full disk loses nothing: the sort goes on once there is space, or in another directory.
func ExampleSorter_AddDir() {
	s, err := extsort.New(byValue, extsort.MemoryLimit(1<<20), extsort.TempDir(os.TempDir()))
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	values := slices.Collect(records(300_000))
	for s.Len() < int64(len(values)) {
		err := s.Append(values[s.Len():]...)
		var full *extsort.DiskError
		if errors.As(err, &full) {
			if err = s.AddDir("/var/tmp"); err != nil {
				err = s.Retry() // after space was made in full.Path
			}
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(s.Len())
	// Output: 300000
}

// Counters of several streams that are in order already, one element at a time. Eager hands out the
// first as soon as it is known.
func ExampleCombine() {
	type counter struct{ Minute, Calls int64 }
	stream := func(counters ...counter) iter.Seq2[counter, error] {
		return func(yield func(counter, error) bool) {
			for _, c := range counters {
				if !yield(c, nil) {
					return
				}
			}
		}
	}
	sources := []iter.Seq2[[]counter, error]{
		extsort.Elements(stream(counter{1, 5}, counter{3, 2})),
		extsort.Elements(stream(counter{1, 7}, counter{2, 4})),
	}
	byMinute := sorter.By(sorter.Asc(func(c counter) int64 { return c.Minute }))
	sum := func(a, b counter) counter { return counter{a.Minute, a.Calls + b.Calls} }
	for batch, err := range extsort.Merge(byMinute, sources, extsort.Combine(sum), extsort.Eager()) {
		if err != nil {
			log.Fatal(err)
		}
		for _, c := range batch {
			fmt.Println(c.Minute, c.Calls)
		}
	}
	// Output:
	// 1 12
	// 2 4
	// 3 2
}
