// Speed times sorts of go-mysql-server, the one that it is built with: the original or the patched.
//
//	speed CASE ROWS    prints nanoseconds per row
//
// Timed is a query's wait for the first row of the iterator that sorts, which drains its
// child, here a slice of rows in memory, sorts, and returns a row. For a window it computes
// ROW_NUMBER of all rows, too. GROUP_CONCAT is timed from the last row of its group to its value.
package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
	"github.com/dolthub/go-mysql-server/sql/expression/function/aggregation"
	"github.com/dolthub/go-mysql-server/sql/iters"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/sqltypes"
)

// Columns of the rows.
const (
	number  = iota // random
	name           // 8 to 15 letters
	few            // 100 values
	measure        // floats, a tenth of them nulls
	group          // ten rows a value
)

var (
	byNumber = sql.SortField{Column: field(number, types.Int64)}
	byName   = sql.SortField{Column: field(name, types.MustCreateString(sqltypes.VarChar, 20, sql.Collation_Default))}
	byFolded = sql.SortField{Column: field(name, types.MustCreateString(sqltypes.VarChar, 20, sql.Collation_utf8mb4_0900_ai_ci))}
	byFew    = sql.SortField{Column: field(few, types.Int64)}
	byMost   = sql.SortField{Column: field(measure, types.Float64), Order: sql.Descending}
	byGroup  = field(group, types.Int64)
)

func field(i int, t sql.Type) sql.Expression { return expression.NewGetField(i, t, "c", true) }

// child hands rows over.
type child struct{ rows []sql.Row }

func (c *child) Next(*sql.Context) (sql.Row, error) {
	if len(c.rows) == 0 {
		return nil, io.EOF
	}
	row := c.rows[0]
	c.rows = c.rows[1:]
	return row, nil
}

func (c *child) Close(*sql.Context) error { return nil }

// A sorting is one sort, ready to run.
type sorting func(ctx *sql.Context) error

var cases = map[string]func(ctx *sql.Context, rows []sql.Row) (sorting, error){
	"int":          orderBy(byNumber),
	"string":       orderBy(byName),
	"string ai_ci": orderBy(byFolded),
	"two columns":  orderBy(byFew, byMost),
	"window":       rowNumber,
	"GROUP_CONCAT": concat,
}

// orderBy is ORDER BY fields.
func orderBy(fields ...sql.SortField) func(*sql.Context, []sql.Row) (sorting, error) {
	return func(_ *sql.Context, rows []sql.Row) (sorting, error) {
		iter := iters.NewSortIter(fields, &child{rows})
		return func(ctx *sql.Context) error {
			_, err := iter.Next(ctx)
			return err
		}, nil
	}
}

// rowNumber is ROW_NUMBER() OVER (PARTITION BY group ORDER BY number).
func rowNumber(_ *sql.Context, rows []sql.Row) (sorting, error) {
	f := aggregation.NewRowNumber()
	block := aggregation.NewWindowPartition([]sql.Expression{byGroup}, sql.SortFields{byNumber},
		[]*aggregation.Aggregation{aggregation.NewAggregation(f, f.DefaultFramer())})
	iter := aggregation.NewWindowIter([]*aggregation.WindowPartitionIter{aggregation.NewWindowPartitionIter(block)}, [][]int{{0}}, &child{rows})
	return func(ctx *sql.Context) error {
		_, err := iter.Next(ctx)
		return err
	}, nil
}

// concat is GROUP_CONCAT(name ORDER BY number) of one group.
func concat(ctx *sql.Context, rows []sql.Row) (sorting, error) {
	g := aggregation.NewGroupConcat("", sql.SortFields{byNumber}, ",", []sql.Expression{byName.Column}, 1024)
	buffer, err := g.NewBuffer()
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if err := buffer.Update(ctx, row); err != nil {
			return nil, err
		}
	}
	return func(ctx *sql.Context) error {
		_, err := buffer.Eval(ctx)
		return err
	}, nil
}

// draw returns n random rows.
func draw(r *rand.Rand, n int) []sql.Row {
	rows := make([]sql.Row, n)
	for i := range rows {
		letters := make([]byte, 8+r.IntN(8))
		for j := range letters {
			letters[j] = byte('a' + r.IntN(26))
		}
		var m any
		if r.IntN(10) > 0 {
			m = r.NormFloat64()
		}
		rows[i] = sql.Row{r.Int64(), string(letters), r.Int64N(100), m, r.Int64N(int64(1 + n/10))}
	}
	return rows
}

// rowsTimed is the least number of rows in one timing: with fewer a sort, several are timed.
const rowsTimed = 20_000

// timings is the number of timings of which the least counts.
func timings(n int) int {
	switch {
	case n <= rowsTimed:
		return 15
	case n <= 5*rowsTimed:
		return 5
	}
	return 1
}

// timed returns nanoseconds per row, the least of several timings if they are short.
func timed(name string, n int) (float64, error) {
	prepare, ok := cases[name]
	if !ok {
		return 0, fmt.Errorf("no case %q", name)
	}
	ctx := sql.NewEmptyContext()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	sorts := max(1, rowsTimed/n)
	best := time.Duration(1<<63 - 1)
	inputs := make([][]sql.Row, sorts)
	for i := range inputs {
		inputs[i] = draw(r, n)
	}
	runtime.GC() // not in each timing: it would empty the pools that a server has filled
	for range timings(n) {
		ready := make([]sorting, sorts)
		for i, rows := range inputs {
			var err error
			if ready[i], err = prepare(ctx, rows); err != nil {
				return 0, err
			}
		}
		begin := time.Now()
		for _, sort := range ready {
			if err := sort(ctx); err != nil {
				return 0, err
			}
		}
		best = min(best, time.Since(begin))
	}
	return float64(best.Nanoseconds()) / float64(sorts*n), nil
}

func run() error {
	if len(os.Args) != 3 {
		return fmt.Errorf("usage: speed CASE ROWS")
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil || n < 1 {
		return fmt.Errorf("%q is no number of rows", os.Args[2])
	}
	ns, err := timed(os.Args[1], n)
	if err != nil {
		return err
	}
	_, err = fmt.Println(ns)
	return err
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
}
