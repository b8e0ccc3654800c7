package arrowsort_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"example.com/sorter"
	"example.com/sorter/arrowsort"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// TestRankSelectDistinctRandom compares ranks, selections and distinct rows with the oracle's.
func TestRankSelectDistinctRandom(t *testing.T) {
	ctx := context.Background()
	r := rand.New(rand.NewPCG(5, 6))
	eachSample(t, 4, func(t *testing.T, s sample) {
		input := arrowsort.NewDatumWithoutOwning(s.table)
		order := oracle(s.rows, s.keys)
		k := r.IntN(len(order) + 2)
		got, err := arrowsort.SelectK(ctx, input, int64(k), s.keys)
		if got := numbers(t, got, err); !slices.Equal(got, order[:min(k, len(order))]) {
			t.Fatalf("%v: first %d are %v, not %v", s, k, got, order)
		}
		got, err = arrowsort.Distinct(ctx, input, s.keys)
		if got, want := numbers(t, got, err), firsts(s, order); !slices.Equal(got, want) {
			t.Fatalf("%v: distinct rows %v, not %v", s, got, want)
		}
		for _, tie := range ties {
			got, err := arrowsort.Rank(ctx, input, arrowsort.RankOptions{Keys: s.keys, Tiebreaker: tie})
			if got, want := numbers(t, got, err), ranks(s, order, tie); !slices.Equal(got, want) {
				t.Fatalf("%v: ranks %v, not %v", s, got, want)
			}
		}
	})
}

// firsts returns the first row of each run of equal rows in an order.
func firsts(s sample, order []uint64) []uint64 {
	distinct := []uint64{}
	for i, row := range order {
		if i == 0 || compareRows(s.rows[order[i-1]], s.rows[row], s.keys) != 0 {
			distinct = append(distinct, row)
		}
	}
	return distinct
}

// ranks returns the ranks of rows, counted one by one.
func ranks(s sample, order []uint64, tie arrowsort.Tiebreaker) []uint64 {
	all := make([]uint64, len(order))
	lo, dense := 0, uint64(0)
	for lo < len(order) {
		hi := lo + 1
		for hi < len(order) && compareRows(s.rows[order[lo]], s.rows[order[hi]], s.keys) == 0 {
			hi++
		}
		dense++
		for i := lo; i < hi; i++ {
			rank := map[arrowsort.Tiebreaker]int{
				arrowsort.TieFirst: i + 1, arrowsort.TieMin: lo + 1, arrowsort.TieMax: hi, arrowsort.TieDense: int(dense),
			}
			all[order[i]] = uint64(rank[tie])
		}
		lo = hi
	}
	return all
}

func TestUniqueRandom(t *testing.T) {
	eachSample(t, 4, func(t *testing.T, s sample) {
		s.keys = nil
		for i := range s.columns {
			s.keys = append(s.keys, arrowsort.SortKey{ColumnIndex: i})
		}
		rows := firsts(s, oracle(s.rows, s.keys))
		slices.Sort(rows)
		got, err := arrowsort.Unique(context.Background(), arrowsort.NewDatumWithoutOwning(s.table))
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, s, got.(*arrowsort.TableDatum).Value, rows)
	})
}

func TestUniqueLikeArrowGo(t *testing.T) {
	ctx := context.Background()
	input := arrowsort.NewDatum(arrayOf(t, arrow.BinaryTypes.String, "b", "a", nil, "b", "", nil, "a"))
	ours, err := arrowsort.Unique(ctx, input)
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := compute.Unique(ctx, input)
	if err != nil || !ours.Equals(theirs) {
		t.Errorf("%v, not %v: %v", ours, theirs, err)
	}
}

func TestMergeTables(t *testing.T) {
	ctx, r := context.Background(), rand.New(rand.NewPCG(7, 8))
	for tables := 1; tables < 20; tables++ {
		whole := newSample(t, r, 50*tables, find("float64"), find("utf8"), find("int64"))
		var sorted []arrow.Table
		for i := range tables {
			part := sliceOf(whole.table, 50*i, 50*(i+1))
			ordered, err := arrowsort.SortTable(ctx, part, whole.keys[:2])
			if err != nil {
				t.Fatal(err)
			}
			sorted = append(sorted, ordered)
		}
		merged, err := arrowsort.MergeTables(ctx, sorted, whole.keys[:2])
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, whole, merged, oracle(whole.rows, whole.keys[:2])) // stable twice is stable
	}
	_, err := arrowsort.MergeTables(ctx, nil, nil)
	wantError(t, err, arrow.ErrInvalid)
	one := newSample(t, r, 3, find("float64")).table
	_, err = arrowsort.MergeTables(ctx, []arrow.Table{one, newSample(t, r, 3, find("utf8")).table}, by(asc))
	wantError(t, err, arrow.ErrInvalid)
}

// sliceOf returns rows lo … hi-1 of a table.
func sliceOf(tbl arrow.Table, lo, hi int) arrow.Table {
	var columns []arrow.Column
	for i := range int(tbl.NumCols()) {
		columns = append(columns, *array.NewColumnSlice(tbl.Column(i), int64(lo), int64(hi)))
	}
	return array.NewTable(tbl.Schema(), columns, int64(hi-lo))
}

func wantError(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, not %v", err, want)
	}
}

func TestErrors(t *testing.T) {
	ctx := context.Background()
	ints := arrayOf(t, arrow.PrimitiveTypes.Int8, 2, 1)
	lists := array.NewListBuilder(memory.DefaultAllocator, arrow.PrimitiveTypes.Int8).NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: ints.DataType()}}, nil)
	batch := array.NewRecordBatch(schema, []arrow.Array{ints}, 2)
	for name, c := range map[string]struct {
		input any
		keys  []arrowsort.SortKey
		want  error
	}{
		"no keys of an array":  {ints, nil, arrow.ErrInvalid},
		"no keys of a batch":   {batch, nil, arrow.ErrInvalid},
		"column below range":   {batch, []arrowsort.SortKey{{ColumnIndex: -1}}, arrow.ErrInvalid},
		"column above range":   {batch, []arrowsort.SortKey{{}, {ColumnIndex: 1}}, arrow.ErrInvalid},
		"a type without order": {lists, by(asc), arrow.ErrNotImplemented},
		"a scalar":             {int64(3), by(asc), arrow.ErrNotImplemented},
	} {
		t.Run(name, func(t *testing.T) {
			d := arrowsort.NewDatum(c.input)
			for _, call := range []func() (arrowsort.Datum, error){
				func() (arrowsort.Datum, error) { return arrowsort.SortIndices(ctx, d, c.keys) },
				func() (arrowsort.Datum, error) { return arrowsort.Sort(ctx, d, c.keys) },
				func() (arrowsort.Datum, error) { return arrowsort.SelectK(ctx, d, 1, c.keys) },
				func() (arrowsort.Datum, error) { return arrowsort.Distinct(ctx, d, c.keys) },
			} {
				out, err := call()
				if wantError(t, err, c.want); out != nil {
					t.Errorf("a result %v beside the error", out)
				}
			}
			_, err := compute.SortIndices(ctx, d, c.keys)
			wantError(t, err, c.want)
		})
	}
	_, err := arrowsort.SelectK(ctx, arrowsort.NewDatum(ints), -1, by(asc))
	wantError(t, err, arrow.ErrInvalid)
	_, err = arrowsort.Unique(ctx, arrowsort.NewDatum(lists))
	wantError(t, err, arrow.ErrNotImplemented)
	_, err = arrowsort.Rank(ctx, arrowsort.NewDatum(batch), arrowsort.RankOptions{})
	wantError(t, err, arrow.ErrInvalid)
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	input := arrowsort.NewDatum(ints(100, 0.1)(rand.New(rand.NewPCG(1, 2)), 200_000))
	_, err := arrowsort.SortIndices(ctx, input, by(asc))
	wantError(t, err, context.Canceled)
	_, err = arrowsort.Sort(ctx, input, by(asc))
	wantError(t, err, context.Canceled)
	_, err = arrowsort.Rank(ctx, input, arrowsort.RankOptions{})
	wantError(t, err, context.Canceled)
}

func TestOptions(t *testing.T) {
	var stats sorter.Stats
	ctx := arrowsort.WithOptions(context.Background(), sorter.Report(&stats))
	ctx = arrowsort.WithOptions(ctx, sorter.On(sorter.CPU()))
	a := ints(1<<40, 0)(rand.New(rand.NewPCG(1, 2)), 70_000)
	if _, err := arrowsort.SortIndicesArray(ctx, a, asc); err != nil || stats.Elements != a.Len() {
		t.Errorf("report of %d elements: %v", stats.Elements, err)
	}
	limited := arrowsort.WithOptions(ctx, sorter.MemoryLimit(1))
	_, err := arrowsort.SortIndicesArray(limited, a, asc)
	wantError(t, err, sorter.ErrMemoryLimit)
}

// TestManyRows covers what small inputs do not: several workers, texts that are encoded, and
// decimals whose first wide value comes late.
func TestManyRows(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	kinds := []generator{find("utf8"), find("int64"), find("float64"), find("bool"), find("wide decimal128"), composedGenerators[3]}
	if testing.Short() {
		kinds = kinds[:2]
	}
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			s := newSample(t, r, 140_000, kind, find("int8")) // above a block
			want := oracle(s.rows, s.keys)
			for _, workers := range []int{1, 3} {
				ctx := withWorkers(workers)
				got, err := arrowsort.SortIndicesTable(ctx, s.table, s.keys)
				if got := values(t, got, err); !slices.Equal(got, want) {
					t.Fatalf("%v on %d workers", s, workers)
				}
				sorted, err := arrowsort.SortTable(ctx, s.table, s.keys)
				if err != nil {
					t.Fatal(err)
				}
				checkRows(t, s, sorted, want)
			}
		})
	}
}

// TestRepeatedTexts sorts texts of which few differ, with and without nulls, and then some at the end
// that are all different.
func TestRepeatedTexts(t *testing.T) {
	const rows = 100_000
	for _, nulls := range []float64{0, 0.3} {
		for _, unique := range []int{0, rows / 4} {
			r := rand.New(rand.NewPCG(15, 16))
			b := array.NewStringBuilder(memory.DefaultAllocator)
			for i := range rows {
				if r.Float64() < nulls {
					b.AppendNull()
				} else if i < rows-unique {
					b.Append(fmt.Sprint(r.IntN(300)))
				} else {
					b.Append(fmt.Sprint(i))
				}
			}
			a := b.NewArray()
			want := oracle(boxedRows([]*arrow.Chunked{arrow.NewChunked(a.DataType(), []arrow.Array{a})}), by(desc))
			for workers := range 3 {
				got, err := arrowsort.SortIndicesArray(withWorkers(workers+1), a, desc)
				if got := values(t, got, err); !slices.Equal(got, want) {
					t.Errorf("%d workers, %g nulls, %d unique: %v…, not %v…", workers+1, nulls, unique, got[:9], want[:9])
				}
			}
		}
	}
}

// TestConcurrent sorts one table, of slices whose nulls arrow-go has not counted, in several goroutines.
func TestConcurrent(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, kind := range generators {
		s := newSample(t, r, 50, kind, find("int8"))
		want := oracle(s.rows, s.keys)
		fresh := sliceOf(s.table, 0, 50)
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				got, err := arrowsort.SortIndicesTable(context.Background(), fresh, s.keys)
				if err != nil || !slices.Equal(got.(*array.Uint64).Uint64Values(), want) {
					t.Errorf("%v: %v: %v", s, got, err)
				}
			})
		}
		wait.Wait()
	}
}

// TestReleases checks that every call releases its allocations.
func TestReleases(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, kind := range generators {
		t.Run(kind.name, func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			ctx := compute.WithAllocator(context.Background(), mem)
			s := newSample(t, r, 300, kind, find("utf8"))
			input := arrowsort.NewDatumWithoutOwning(s.table)
			for _, call := range []func() (arrowsort.Datum, error){
				func() (arrowsort.Datum, error) { return arrowsort.SortIndices(ctx, input, s.keys) },
				func() (arrowsort.Datum, error) { return arrowsort.Sort(ctx, input, s.keys) },
				func() (arrowsort.Datum, error) {
					return arrowsort.Rank(ctx, input, arrowsort.RankOptions{Keys: s.keys, Tiebreaker: arrowsort.TieMin})
				},
				func() (arrowsort.Datum, error) { return arrowsort.SelectK(ctx, input, 7, s.keys) },
				func() (arrowsort.Datum, error) { return arrowsort.Distinct(ctx, input, s.keys) },
				func() (arrowsort.Datum, error) { return arrowsort.Unique(ctx, input) },
			} {
				out, err := call()
				if err != nil {
					t.Fatal(err)
				}
				out.Release()
			}
			sorted, err := arrowsort.SortChunked(ctx, s.columns[0], asc)
			if err != nil {
				t.Fatal(err)
			}
			sorted.Release()
			one, err := arrowsort.SortArray(ctx, s.columns[0].Chunk(0), asc)
			if err != nil {
				t.Fatal(err)
			}
			one.Release()
			merged, err := arrowsort.MergeTables(ctx, []arrow.Table{s.table, s.table}, s.keys)
			if err != nil {
				t.Fatal(err)
			}
			merged.Release()
		})
	}
}
