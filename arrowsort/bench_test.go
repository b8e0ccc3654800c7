package arrowsort_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// cases are the inputs of the table in README.md.
var cases = []struct {
	name string
	keys arrowsort.SortOptions
	make func(r *rand.Rand, rows int) []arrow.Array // columns of one chunk
	cuts int                                        // chunks
}{
	{"int64", by(asc), columns(ints(1<<62, 0)), 1},
	{"int64-nulls", by(asc), columns(ints(1<<62, 0.1)), 1},
	{"int64-128chunks", by(asc), columns(ints(1<<62, 0)), 128},
	{"int64,int64-64chunks", by(asc, desc), columns(ints(100, 0), ints(1<<62, 0)), 64},
	{"string", by(asc), columns(texts(1 << 62)), 1},
	{"string,float64", by(asc, desc), columns(texts(1000), floats()), 1},
}

var (
	asc  = arrowsort.SortKey{}
	desc = arrowsort.SortKey{Order: arrowsort.SortOrderDescending}
)

// by returns keys of columns 0, 1, … .
func by(keys ...arrowsort.SortKey) arrowsort.SortOptions {
	keys = slices.Clone(keys)
	for i := range keys {
		keys[i].ColumnIndex = i
	}
	return keys
}

func columns(of ...func(r *rand.Rand, rows int) arrow.Array) func(r *rand.Rand, rows int) []arrow.Array {
	return func(r *rand.Rand, rows int) []arrow.Array {
		var all []arrow.Array
		for _, column := range of {
			all = append(all, column(r, rows))
		}
		return all
	}
}

// ints returns columns of values below limit, and nulls.
func ints(limit int64, nulls float64) func(r *rand.Rand, rows int) arrow.Array {
	return func(r *rand.Rand, rows int) arrow.Array {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		for range rows {
			if value := r.Int64N(limit); r.Float64() < nulls {
				b.AppendNull()
			} else {
				b.Append(value)
			}
		}
		return b.NewArray()
	}
}

// texts returns columns of 16 hexadecimal digits, of numbers below limit.
func texts(limit int64) func(r *rand.Rand, rows int) arrow.Array {
	return func(r *rand.Rand, rows int) arrow.Array {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for range rows {
			b.Append(fmt.Sprintf("%016x", uint64(r.Int64N(limit))*0x9e3779b97f4a7c15))
		}
		return b.NewArray()
	}
}

func floats() func(r *rand.Rand, rows int) arrow.Array {
	return func(r *rand.Rand, rows int) arrow.Array {
		b := array.NewFloat64Builder(memory.DefaultAllocator)
		for range rows {
			b.Append(r.NormFloat64())
		}
		return b.NewArray()
	}
}

// tableOf returns a table of columns that are cut into chunks of one length.
func tableOf(all []arrow.Array, cuts int) arrow.Table {
	var fields []arrow.Field
	var cols []arrow.Column
	rows := all[0].Len()
	for i, column := range all {
		field := arrow.Field{Name: fmt.Sprintf("c%d", i), Type: column.DataType(), Nullable: true}
		var chunks []arrow.Array
		for cut := range cuts {
			chunks = append(chunks, array.NewSlice(column, int64(rows*cut/cuts), int64(rows*(cut+1)/cuts)))
		}
		fields = append(fields, field)
		cols = append(cols, *arrow.NewColumn(field, arrow.NewChunked(field.Type, chunks)))
	}
	return array.NewTable(arrow.NewSchema(fields, nil), cols, int64(rows))
}

// BenchmarkSortIndices sorts with this package and with arrow-go in turn. It reports the median
// time per row of both and their ratio, and the bytes per row that each allocates.
func BenchmarkSortIndices(b *testing.B) {
	for _, c := range cases {
		for _, rows := range []int{1 << 16, 1_000_000} {
			input := compute.NewDatumWithoutOwning(tableOf(c.make(rand.New(rand.NewPCG(1, 2)), rows), c.cuts))
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/rows=%d/workers=%d", c.name, rows, workers), func(b *testing.B) {
					ctx := withWorkers(workers)
					sideBySide(b, rows, func(sort sortFunc) {
						out, err := sort(ctx, input, c.keys)
						if err != nil {
							b.Fatal(err)
						}
						out.Release()
					}, arrowsort.SortIndices, compute.SortIndices)
				})
			}
		}
	}
}

// withWorkers returns a context of calls on some goroutines.
func withWorkers(workers int) context.Context {
	env := compute.DefaultExecCtx()
	env.NumParallel = workers
	return compute.SetExecCtx(context.Background(), env)
}

// BenchmarkSortTable sorts tables, whose columns are gathered.
func BenchmarkSortTable(b *testing.B) {
	for _, c := range cases {
		const rows = 1_000_000
		table := tableOf(c.make(rand.New(rand.NewPCG(1, 2)), rows), c.cuts)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/rows=%d/workers=%d", c.name, rows, workers), func(b *testing.B) {
				ctx := withWorkers(workers)
				sideBySide(b, rows, func(sort tableFunc) {
					out, err := sort(ctx, table, c.keys)
					if err != nil {
						b.Fatal(err)
					}
					out.Release()
				}, arrowsort.SortTable, compute.SortTable)
			})
		}
	}
}

// BenchmarkMergeTables merges 16 sorted tables. arrow-go has no merge: it sorts their chunks.
func BenchmarkMergeTables(b *testing.B) {
	const rows, runs = 1_000_000, 16
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range cases {
		var tables []arrow.Table
		var chunks [][]arrow.Array
		for range runs {
			sorted, err := arrowsort.SortTable(context.Background(), tableOf(c.make(r, rows/runs), 1), c.keys)
			if err != nil {
				b.Fatal(err)
			}
			tables = append(tables, sorted)
			for i := range int(sorted.NumCols()) {
				if len(chunks) <= i {
					chunks = append(chunks, nil)
				}
				chunks[i] = append(chunks[i], sorted.Column(i).Data().Chunks()...)
			}
		}
		var columns []arrow.Column
		for i, of := range chunks {
			columns = append(columns, *arrow.NewColumn(tables[0].Schema().Field(i), arrow.NewChunked(of[0].DataType(), of)))
		}
		all := array.NewTable(tables[0].Schema(), columns, -1)
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/rows=%d/workers=%d", c.name, rows, workers), func(b *testing.B) {
				ctx := withWorkers(workers)
				merge := func(ctx context.Context, _ arrow.Table, keys []arrowsort.SortKey) (arrow.Table, error) {
					return arrowsort.MergeTables(ctx, tables, keys)
				}
				sideBySide(b, rows, func(merge tableFunc) {
					out, err := merge(ctx, all, c.keys)
					if err != nil {
						b.Fatal(err)
					}
					out.Release()
				}, merge, compute.SortTable)
			})
		}
	}
}

type (
	sortFunc  = func(context.Context, compute.Datum, compute.SortOptions) (compute.Datum, error)
	tableFunc = func(context.Context, arrow.Table, []arrowsort.SortKey) (arrow.Table, error)
)

// sideBySide measures run with ours and with theirs in turn. Ours are as many calls as take about
// as long as one of theirs, so that both meet the garbage collector.
func sideBySide[F any](b *testing.B, rows int, run func(f F), ours, theirs F) {
	calls := max(10, 3_000_000/rows)
	runtime.GC()
	run(ours) // fills pools
	var a, z measured
	for b.Loop() {
		a.measure(calls, func() { run(ours) })
		b.StopTimer()
		z.measure(max(1, calls/30), func() { run(theirs) })
		b.StartTimer()
	}
	b.ReportMetric(0, "ns/op") // of ours and a part of theirs
	b.ReportMetric(a.median()/float64(rows), "ns/row")
	b.ReportMetric(z.median()/float64(rows), "arrow-ns/row")
	b.ReportMetric(z.median()/a.median(), "times")
	b.ReportMetric(a.bytes/float64(len(a.times)*rows), "B/row")
	b.ReportMetric(z.bytes/float64(len(z.times)*rows), "arrow-B/row")
}

// measured are the times of some rounds in ns per call, and the bytes per call of all.
type measured struct {
	times []float64
	bytes float64
}

func (m *measured) measure(calls int, f func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	for range calls {
		f()
	}
	m.times = append(m.times, float64(time.Since(begin))/float64(calls))
	runtime.ReadMemStats(&after)
	m.bytes += float64(after.TotalAlloc-before.TotalAlloc) / float64(calls)
}

func (m *measured) median() float64 {
	slices.Sort(m.times)
	return m.times[len(m.times)/2]
}
