package rank_test

import (
	"fmt"

	"example.com/sorter"
	"example.com/sorter/perm"
	"example.com/sorter/rank"
)

// The ranks of sales in their country, the largest first:
//
//	RANK() OVER (PARTITION BY country ORDER BY amount DESC)
func ExampleWindow_Rank() {
	country := []string{"NO", "SE", "NO", "SE", "NO"}
	amount := []int{40, 70, 90, 70, 40}
	var w rank.Window
	var err error
	w.Order, err = sorter.RowsBy(len(country), sorter.AscOf(country), sorter.DescOf(amount)).Order(
		sorter.Stable(), sorter.MarkRunsBy(1, &w.Partitions), sorter.MarkRuns(&w.Peers))
	if err != nil {
		panic(err)
	}
	ranks := make([]uint32, len(country))
	w.Rank(ranks)
	for i := range country {
		fmt.Println(country[i], amount[i], ranks[i])
	}
	// Output:
	// NO 40 2
	// SE 70 1
	// NO 90 1
	// SE 70 1
	// NO 40 2
}

// Rows that occur more than once, without a hash table.
func ExampleWindow_Duplicates() {
	names := []string{"Ann", "Bob", "Cat", "Ann", "Bob", "Ann"}
	var runs perm.Runs
	p, err := sorter.OrderKeys(names, sorter.Stable(), sorter.MarkRuns(&runs))
	if err != nil {
		panic(err)
	}
	w := rank.Window{Order: p, Peers: runs}
	fmt.Println(w.Distinct())
	for rows := range w.Duplicates() {
		fmt.Println(names[rows[0]], rows)
	}
	// Output:
	// [0 1 2]
	// Ann [0 3 5]
	// Bob [1 4]
}
