// Package rowsort sorts the rows of go-mysql-server as its ORDER BY does, by package sorter.
//
// The engine sorts by a comparator that evaluates the sort expressions of both rows in every
// comparison. Here each expression is evaluated once per row, to a key whose natural order is
// that of the SQL type: an integer, or a string of bytes for text under its collation and for
// decimals. The result is the engine's, rows that tie included: they keep their order.
//
//	expressions → keys → permutation → rows
//
// Up to 3 rows the engine's own comparisons are cheaper than keys, without its sort.Stable.
// An expression after the first that is not a plain column is evaluated only for rows that tie in
// those before it, as in the engine.
//
// The engine's comparator sorts where a type has no key (JSON, spatial types, tuples, system
// variables), where a value has none (a NaN, a nanosecond, a Go type that SQL does not define),
// and where evaluation fails, so that errors are the engine's. [Counted] says how often.
package rowsort

import (
	"sort"

	"example.com/sorter/perm"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/expression"
)

// Sort sorts rows by fields as sort.Stable of an expression.Sorter does, and returns the error
// that it leaves in LastError. A context that is cancelled ends it with the context's error, and
// rows are as they were.
//
// It takes time proportional to the rows times the bytes in which their keys differ. Scratch
// memory is a key per row and field, a permutation, and a row header per row. Calls on different
// rows may run concurrently. Expressions are evaluated on the calling goroutine.
func Sort(ctx *sql.Context, fields []sql.SortField, rows []sql.Row) error {
	return sortRows(ctx, fields, rows, nil)
}

// Partition sorts rows as [Sort] does, by partitionBy and then by sortBy. It returns where each row
// was, the row that is now at i at places[i], and the rows of each partition, those that are equal
// in partitionBy. Partitions are nil if the engine's comparator sorted, and of no rows.
func Partition(ctx *sql.Context, partitionBy []sql.Expression, sortBy []sql.SortField, rows []sql.Row) (
	places []int, partitions []sql.WindowInterval, err error) {
	t := &tracking{places: make([]int, len(rows)), by: len(partitionBy)}
	for i := range t.places {
		t.places[i] = i
	}
	fields := make([]sql.SortField, 0, len(partitionBy)+len(sortBy))
	for _, e := range partitionBy {
		fields = append(fields, sql.SortField{Column: e, Order: sql.Ascending})
	}
	err = sortRows(ctx, append(fields, sortBy...), rows, t)
	if err != nil {
		return nil, nil, err
	}
	return t.places, t.partitions, nil
}

// tracking is what else a sort moves and finds.
type tracking struct {
	places     []int // moved with the rows
	by         int   // partitions are runs of rows equal in the first by fields
	partitions []sql.WindowInterval
}

// sortRows sorts rows, and does what t asks for unless it is nil.
func sortRows(ctx *sql.Context, fields []sql.SortField, rows []sql.Row, t *tracking) error {
	if len(rows) < 2 || len(fields) == 0 {
		if t != nil && len(rows) > 0 {
			t.partitions = []sql.WindowInterval{{Start: 0, End: len(rows)}}
		}
		return nil
	}
	if len(rows) <= comparedRows && t == nil {
		return sortCompared(ctx, fields, rows)
	}
	if len(rows) <= fewRows {
		if !sortFew(ctx, fields, rows, t) {
			return byEngine(ctx, fields, rows, t)
		}
		return nil
	}
	err := sortMany(ctx, fields, rows, t)
	if err == errNoKey {
		return byEngine(ctx, fields, rows, t)
	}
	counts.many.Add(1)
	return err
}

// comparedRows is the number of rows up to which values are not kept: each is evaluated once or
// twice.
const comparedRows = 3

// sortCompared sorts by the comparisons of sort.Stable, in their sequence, without its
// allocation and its calls through interfaces.
func sortCompared(ctx *sql.Context, fields []sql.SortField, rows []sql.Row) error {
	s := expression.Sorter{SortFields: fields, Rows: rows, Ctx: ctx}
	for i := 1; i < len(rows); i++ {
		for j := i; j > 0 && s.Less(j, j-1); j-- {
			s.Swap(j, j-1)
		}
	}
	return s.LastError
}

// gather puts rows in the order p.
func gather(rows []sql.Row, p perm.Perm) {
	moved := make([]sql.Row, len(rows))
	perm.Gather(moved, rows, p, 0)
	copy(rows, moved)
}

// byEngine sorts by the engine's comparator.
func byEngine(ctx *sql.Context, fields []sql.SortField, rows []sql.Row, t *tracking) error {
	counts.engine.Add(1)
	s := &expression.Sorter{SortFields: fields, Rows: rows, Ctx: ctx}
	if t == nil {
		sort.Stable(s)
	} else {
		sort.Stable(tracked{s, t.places})
	}
	return s.LastError
}

// tracked is a Sorter that moves places with its rows.
type tracked struct {
	*expression.Sorter
	places []int
}

func (t tracked) Swap(i, j int) {
	t.Sorter.Swap(i, j)
	t.places[i], t.places[j] = t.places[j], t.places[i]
}
