package perm_test

import (
	"fmt"

	"example.com/sorter/perm"
)

// Two columns are moved through one permutation: into a second slice, or in place.
func ExampleGather() {
	p := perm.Perm{1, 2, 0} // sorts the names: of sorter.OrderKeys(names)
	names := []string{"Weser", "Elbe", "Oder"}
	lengths := []int{452, 1094, 840}

	sorted := make([]string, len(names))
	perm.Gather(sorted, names, p, 1) // quick
	perm.Apply(lengths, p, 1)        // for want of memory

	fmt.Println(sorted, lengths)
	// Output: [Elbe Oder Weser] [1094 840 452]
}

// Scatter undoes Gather, so that results computed in sorted order get to the places of their rows.
func ExampleScatter() {
	p := perm.Perm{1, 2, 0}
	sorted := []string{"first", "second", "third"}

	rows := make([]string, len(p))
	perm.Scatter(rows, sorted, p, 1)

	fmt.Println(rows)
	// Output: [third first second]
}

func ExampleApplyBytes() {
	fmt.Println(perm.ApplyBytes(1_000_000, 24) < 1_000_000*24) // less than a second slice of 24-byte elements
	// Output: true
}

// The inverse has the rank of each row, and composed with the permutation it moves nothing.
func ExamplePerm_Inverse() {
	p := perm.Perm{2, 0, 1}

	ranks := p.Inverse()

	fmt.Println(ranks, p.Compose(ranks), perm.Identity(3))
	// Output: [1 2 0] [0 1 2] [0 1 2]
}

// A permutation from elsewhere is checked before elements are moved through it.
func ExamplePerm_Valid() {
	fmt.Println(perm.Perm{2, 0, 1}.Valid())
	fmt.Println(perm.Perm{2, 0, 2}.Valid())
	// Output:
	// <nil>
	// perm: p[2] = 2 occurs a second time
}

// The groups of an order, as sorter.MarkRuns finds them.
func ExampleRuns_All() {
	sorted := []string{"DE", "DE", "NO", "SE", "SE", "SE"}
	runs := perm.RunsAt([]int{0, 2, 3, 6})

	for lo, hi := range runs.All() {
		fmt.Println(sorted[lo], hi-lo)
	}
	fmt.Println(runs.Len(), "countries of", runs.Rows(), "rows")
	// Output:
	// DE 2
	// NO 1
	// SE 3
	// 3 countries of 6 rows
}

// A bit for each row says where runs begin: here at 0, 2 and 3.
func ExampleRunsOf() {
	runs := perm.RunsOf(6, []uint32{0b001101})

	fmt.Println(runs.Offsets())
	fmt.Println(runs.At(4))       // the run of position 4
	fmt.Println(runs.Next(1))     // where the next run begins
	fmt.Println(runs.Begins(3))   // whether one begins here
	fmt.Println(runs.Count(1, 6)) // how many begin in these positions
	// Output:
	// [0 2 3 6]
	// 3 6
	// 2
	// true
	// 2
}
