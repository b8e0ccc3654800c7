package parquetsort

import (
	"fmt"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// leaf is a sorting column.
type leaf struct {
	parquet.LeafColumn
	desc, nullsFirst bool
}

// leavesOf returns the sorting columns. It panics if one is not a column of the schema.
func leavesOf(schema *parquet.Schema, columns []parquet.SortingColumn) []leaf {
	leaves := make([]leaf, len(columns))
	for i, c := range columns {
		column, ok := schema.Lookup(c.Path()...)
		if !ok {
			panic(fmt.Sprintf("parquetsort: no column %s to sort by", strings.Join(c.Path(), ".")))
		}
		column.Path = c.Path() // of columns in lists, Lookup returns the last names only
		leaves[i] = leaf{column, c.Descending(), c.NullsFirst()}
	}
	return leaves
}

// unsigned reports whether integers of the column are compared as unsigned ones.
func (l leaf) unsigned() bool {
	t := l.Node.Type()
	if t.Kind() == parquet.Int32 {
		return t.Compare(parquet.Int32Value(-1), parquet.Int32Value(1)) > 0
	}
	return t.Compare(parquet.Int64Value(-1), parquet.Int64Value(1)) > 0
}
