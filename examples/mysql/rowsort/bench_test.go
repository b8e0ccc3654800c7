package rowsort

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"testing"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/shopspring/decimal"
)

// BenchmarkSort sorts a copy of the same random rows, with the engine's comparator beside it.
func BenchmarkSort(b *testing.B) {
	number := expression.NewGetField(0, types.Int64, "number", true)
	text := expression.NewGetField(1, types.Text, "text", true)
	folded := expression.NewGetField(1, types.MustCreateString(sqltypes.VarChar, 20, sql.Collation_utf8mb4_0900_ai_ci), "text", true)
	price := expression.NewGetField(4, types.MustCreateColumnDecimalType(10, 2), "price", true)
	when := expression.NewGetField(5, types.DatetimeMaxPrecision, "when", true)
	few := expression.NewGetField(2, types.Int64, "few", true)
	for _, by := range []struct {
		name   string
		fields []sql.SortField
	}{
		{"int", []sql.SortField{{Column: number}}},
		{"string", []sql.SortField{{Column: text}}},
		{"folded", []sql.SortField{{Column: folded}}},
		{"decimal", []sql.SortField{{Column: price}}},
		{"time", []sql.SortField{{Column: when}}},
		{"two", []sql.SortField{{Column: few}, {Column: number, Order: sql.Descending}}},
		{"nulls", []sql.SortField{{Column: few}, {Column: expression.NewGetField(3, types.Int64, "nulls", true), Order: sql.Descending}}},
	} {
		for _, n := range []int{2, 3, 10, 30, 64, 65, 100, 1000, 10000} {
			tables := make([][]sql.Row, max(4, 10000/n))
			r := rand.New(rand.NewPCG(1, uint64(n)))
			for i := range tables {
				tables[i] = make([]sql.Row, n)
				for j := range tables[i] {
					var null any
					if r.IntN(10) > 0 {
						null = r.Int64()
					}
					tables[i][j] = sql.Row{r.Int64(), fmt.Sprintf("%010x", r.Uint64()), r.Int64N(100), null, decimal.New(r.Int64N(1e6), -2), time.UnixMicro(r.Int64N(1e15))}
				}
			}
			rows := make([]sql.Row, n)
			ctx := sql.NewEmptyContext()
			bench := func(name string, sort func()) {
				b.Run(fmt.Sprintf("%s/%d/%s", by.name, n, name), func(b *testing.B) {
					b.ReportAllocs()
					i := 0
					for b.Loop() {
						copy(rows, tables[i%len(tables)])
						sort()
						i++
					}
				})
			}
			bench("rowsort", func() { _ = Sort(ctx, by.fields, rows) })
			bench("engine", func() { sort.Stable(&expression.Sorter{SortFields: by.fields, Rows: rows, Ctx: ctx}) })
		}
	}
}
