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

// All ranks of one order: of those that differ at ties, each has another answer.
func ExampleWindow() {
	points := []int{70, 90, 70, 40}
	var w rank.Window
	var err error
	w.Order, err = sorter.OrderKeys(points, sorter.Descending(), sorter.Stable(), sorter.MarkRuns(&w.Peers))
	if err != nil {
		panic(err)
	}
	rows, dense, last, half := make([]uint32, 4), make([]uint32, 4), make([]uint32, 4), make([]uint32, 4)
	mean, percent, share := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	w.RowNumber(rows)
	w.DenseRank(dense)
	w.MaxRank(last)
	w.NTile(half, 2)
	w.AverageRank(mean)
	w.PercentRank(percent)
	w.CumeDist(share)
	fmt.Println("points row dense max mean ntile percent share")
	for i, p := range points {
		fmt.Printf("%6d %3d %5d %3d %4.1f %5d %7.2f %5.2f\n", p, rows[i], dense[i], last[i], mean[i], half[i], percent[i], share[i])
	}
	// Output:
	// points row dense max mean ntile percent share
	//     70   2     2   3  2.5     1    0.33  0.75
	//     90   1     1   1  1.0     1    0.00  0.25
	//     70   3     2   3  2.5     2    0.33  0.75
	//     40   4     3   4  4.0     2    1.00  1.00
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
