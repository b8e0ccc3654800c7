package extsort_test

import (
	"fmt"
	"iter"
	"log"
	"net/netip"
	"slices"
	"sync"

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
