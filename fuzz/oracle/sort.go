package oracle

import "example.com/sorter/internal/testkit"

// StableRows returns rows 0 … n-1 in stable order. If guess is that order, wherever it comes from,
// a comparison of each pair of neighbours shows it: no other order has all rows that tie ascend,
// and each row before all that are greater. Otherwise the rows are sorted.
func StableRows(n int, guess []uint32, compare func(a, b int) int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	if isStable(n, guess, compare) {
		for i, row := range guess {
			rows[i] = int(row)
		}
		return rows
	}
	testkit.SortStable(rows, compare)
	return rows
}

func isStable(n int, order []uint32, compare func(a, b int) int) bool {
	for i, row := range order {
		if int64(row) >= int64(n) {
			return false
		}
		if i == 0 {
			continue
		}
		before := order[i-1]
		if c := compare(int(before), int(row)); c > 0 || c == 0 && before >= row {
			return false
		}
	}
	return len(order) == n
}
