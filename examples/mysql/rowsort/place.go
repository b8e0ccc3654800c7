package rowsort

import (
	"slices"

	"example.com/sorter"
	"github.com/dolthub/go-mysql-server/sql"
)

// ByPlace sorts rows by their last value, an int, and cuts it off. Rows whose places are equal
// keep their order. It takes time proportional to len(rows) and 40 bytes of scratch per row.
func ByPlace(rows []sql.Row) error {
	if len(rows) > 1 {
		places := make([]int, len(rows))
		for i, row := range rows {
			places[i] = row[len(row)-1].(int)
		}
		if !slices.IsSorted(places) {
			p, err := sorter.OrderKeys(places, sorter.Stable())
			if err != nil {
				return err
			}
			gather(rows, p)
		}
	}
	for i, row := range rows {
		rows[i] = row[:len(row)-1]
	}
	return nil
}
