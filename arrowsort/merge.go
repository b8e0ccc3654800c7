package arrowsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// MergeTables returns the rows of tables, each sorted by keys, as one table sorted by keys. It is
// stable: rows that are equal come in the order of the tables.
//
// It is [SortTable] of the tables' chunks, which are not copied first. The sort finds the sorted
// runs, so tables may as well be sorted in part or not at all. The error wraps arrow.ErrInvalid for
// no tables and for different schemas; metadata is that of the first table.
func MergeTables(ctx context.Context, tables []arrow.Table, keys []SortKey) (arrow.Table, error) {
	if len(tables) == 0 {
		return nil, fmt.Errorf("%w: no tables to merge", arrow.ErrInvalid)
	}
	checkGiven(tables[0])
	schema := tables[0].Schema()
	var rows int64
	for i, tbl := range tables {
		checkGiven(tbl)
		if !tbl.Schema().Equal(schema) {
			return nil, fmt.Errorf("%w: schema of table %d differs from that of table 0", arrow.ErrInvalid, i)
		}
		rows += tbl.NumRows()
	}
	columns := make([]*arrow.Chunked, schema.NumFields())
	for i := range columns {
		var chunks []arrow.Array
		for _, tbl := range tables {
			chunks = append(chunks, tbl.Column(i).Data().Chunks()...)
		}
		columns[i] = arrow.NewChunked(schema.Field(i).Type, chunks)
		defer columns[i].Release()
	}
	all := newTable(schema, columns, int(rows))
	defer all.Release()
	return SortTable(ctx, all, keys)
}
