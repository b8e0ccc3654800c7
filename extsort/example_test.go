package extsort_test

import (
	"fmt"
	"log"
	"slices"

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
